"""What did a cell hold, before it was marked so that no spreadsheet runs it?

Source: docs/science.md, “A release, as it leaves”, “What is written so that nothing runs it”.
"""

from __future__ import annotations

import re

_ENDS = ";,|\t\r\n"  # of a cell, in one or another country
_BLANK = (
    "".join(map(chr, range(0x21))) + "".join(map(chr, range(0x7F, 0xA1)))
    + "".join(map(chr, (*range(0x2000, 0x2010), *range(0x2028, 0x2030), 0x2060, 0x3000, 0xFEFF)))
    + "'\"`´‘’“”«»"
)  # fmt: skip
_STARTS = tuple("=+-@＝＋－＠")
_WORDS = re.compile(f"([^{re.escape(_ENDS + _BLANK)}]+)")


def without_marks(text: str) -> str:
    """The text before its marks: an apostrophe before a formula, at its start or after a break.

    Examples
    --------
    >>> without_marks("'=1"), without_marks("' =1"), without_marks("a;'=1"), without_marks("'a")
    ('=1', ' =1', 'a;=1', "'a")
    """
    parts = _WORDS.split(text)  # what is between words, and words, by turns
    signed = [word.startswith(_STARTS) for word in parts[1::2]]
    out = []
    for nth, between in enumerate(parts[0::2]):
        inside = any(each in between for each in _ENDS)
        marked = nth < len(signed) and signed[nth] and inside and between.endswith("'")
        out += [between[:-1] if marked else between, *parts[2 * nth + 1 : 2 * nth + 2]]
    whole = "".join(out)
    begins = len(parts) > 1 and signed[0]
    broken = whole.lstrip("'").startswith(("\t", "\r", "\n"))
    return whole[1:] if whole.startswith("'") and (begins or broken) else whole
