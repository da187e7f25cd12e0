"""Amounts of a computer in words: bytes, and time that passes while it works."""

from __future__ import annotations


def gigabytes(amount: float) -> str:
    """Bytes in words, in units of 10⁹ or 10⁶.

    Examples
    --------
    >>> gigabytes(11_600_000_000), gigabytes(250_000_000)
    ('11.6 GB', '250 MB')
    """
    return f"{amount / 1e9:.1f} GB" if amount >= 0.95e9 else f"{amount / 1e6:.0f} MB"


def clock(seconds: float) -> str:
    """Such as "8 s", "2 min 05 s", "1 h 20 min"."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
