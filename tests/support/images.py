"""Tables in which whatever can have a name is named like an image in Markdown."""

from __future__ import annotations


def image(address: str) -> str:
    """What would fetch that address were it rendered."""
    return f"![x]({address})"


def events(name: str) -> bytes:
    """12 people at 4 antennas, an event an hour; the names of antennas and columns begin so."""
    lines = [f"user,time,antenna,{name},# {name}"]
    for user in range(12):
        for hour in range(6):
            antenna = f"{name}{(user + hour) % 4}"
            lines.append(f"id-{user},2024-03-05T{hour:02d}:00:00+00:00,{antenna},{name},{name}")
    return "\n".join([*lines, ""]).encode()


def antennas(name: str) -> bytes:
    """Their places, in two districts."""
    lines = [f"antenna,lat,lon,{name}"]
    lines += [f"{name}{i},{14.7 + i / 50:.2f},-17.4,{name}{i % 2}" for i in range(4)]
    return "\n".join([*lines, ""]).encode()


def unreadable(name: str) -> bytes:
    """No times in it, and two columns of one name: what is said of it quotes names."""
    return f"user,{name},{name},lat,lon\na,b,c,1,2\n".encode()
