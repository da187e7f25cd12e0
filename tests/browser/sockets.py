"""What a server and its children ask of the network: every call, as Python tells it.

``watched`` gives an environment in which every Python process writes down the addresses it connects
to, sends to and looks up; so nothing is missed that comes and goes between two looks at a list.
Beside it, :func:`strangers` looks at the sockets that are open, for what is not Python's.
"""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path

_HOOK = """
import os, sys

def watch(event, arguments, wanted={"socket.connect", "socket.sendto", "socket.sendmsg",
                                    "socket.getaddrinfo", "socket.gethostbyname"}):
    if event in wanted:
        told = arguments[0] if event.startswith("socket.get") else arguments[1]
        name = told[0] if isinstance(told, tuple) else told
        with open(os.environ["WATCHED_SOCKETS"], "a") as log:
            log.write(f"{event} {name!r}\\n")

with open(os.environ["WATCHED_SOCKETS"], "a") as log:
    log.write("watched\\n")
sys.addaudithook(watch)
"""


def watched(folder: Path) -> tuple[dict[str, str], Path]:
    """Environment of processes that write down their calls, and the file they write to."""
    (folder / "sitecustomize.py").write_text(_HOOK)
    log = folder / "sockets.txt"
    log.touch()
    return {"PYTHONPATH": str(folder), "WATCHED_SOCKETS": str(log)}, log


def called(log: Path) -> list[str]:
    """Calls to anything but this machine."""
    lines = log.read_text().splitlines()
    assert "watched" in lines, "nobody was watched"
    calls = {line for line in lines if line != "watched"}
    return sorted(line for line in calls if not _own(line.split(" ", 1)[1].strip("b'\"")))


def processes(log: Path) -> int:
    """How many processes were watched."""
    return log.read_text().splitlines().count("watched")


def strangers(pid: int) -> list[str]:
    """Open sockets of a process and its children to anything but this machine, and any of UDP."""
    family = [pid]
    for each in family:
        for children in Path(f"/proc/{each}/task").glob("*/children"):
            family += [int(child) for child in _read(children).split()]
    own = {inode for each in family for inode in _sockets(each)}
    found = []
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in _read(Path(f"/proc/{pid}/net/{table}")).splitlines()[1:]:
            fields = line.split()
            remote, inode = fields[2].split(":")[0], fields[9]
            if inode in own and (table.startswith("udp") or not _own(_address(remote))):
                found.append(f"{table} {_address(remote)}")
    return found


def _own(name: str) -> bool:
    """A name or address of this machine; a path (of a socket in the file system); none at all."""
    if name in ("localhost", "None", "") or name.startswith("/"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _address(hexadecimal: str) -> str:
    """As /proc/net writes it: words of four bytes, the lowest byte first."""
    words = [bytes.fromhex(w)[::-1] for w in re.findall(".{8}", hexadecimal)]
    address = ipaddress.ip_address(b"".join(words))
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


def _sockets(pid: int) -> set[str]:
    found = set()
    try:
        for handle in Path(f"/proc/{pid}/fd").iterdir():
            try:
                found |= set(re.findall(r"^socket:\[(\d+)\]$", str(handle.readlink())))
            except OSError:
                continue  # closed meanwhile
    except OSError:
        pass  # ended meanwhile
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
