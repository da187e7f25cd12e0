"""Is a zip file its members, and nothing else, byte by byte?

Source: APPNOTE.TXT 6.3.10 (PKWARE), sections 4.3.7, 4.3.12 and 4.3.16.
"""

from __future__ import annotations

import struct
import zipfile
import zlib

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_DOS_DAY = 33  # 1 January 1980, as a local header writes it
_DESCRIPTOR = 8  # the flag of sizes that follow the data
_BLOCK = 1 << 20


def is_tight(content: bytes, members: list[zipfile.ZipInfo]) -> bool:
    """Whether members, their list and its end follow one another, from the first byte to the last.

    Nothing is between them, before or after, nor behind the end of what is compressed; both heads
    of a member tell the same; none tells a time.

    Raises
    ------
    struct.error, zlib.error
        The file is damaged.
    """
    at = 0
    for info in sorted(members, key=lambda one: one.header_offset):
        if info.header_offset != at or info.date_time != _NO_TIME:
            return False
        mark, _, flags, method, time, day, crc, packed, size, n_name, n_extra = _LOCAL.unpack_from(
            content, at
        )
        begin = at + _LOCAL.size + n_name
        told = (flags, method, crc, packed, size, content[at + _LOCAL.size : begin])
        name = info.orig_filename.encode("utf-8" if flags & 0x800 else "cp437")
        listed = (info.flag_bits, info.compress_type, info.CRC, info.compress_size, info.file_size)
        if mark != b"PK\x03\x04" or flags & _DESCRIPTOR or n_extra or (time, day) != (0, _DOS_DAY):
            return False
        if told != (*listed, name):
            return False
        at = begin + packed
        if not _ends_with_its_data(memoryview(content)[begin:at], method, size):
            return False
    first = at
    for _ in members:
        mark, *_rest = _CENTRAL.unpack_from(content, at)
        lengths = _rest[9:12]
        if mark != b"PK\x01\x02":
            return False
        at += _CENTRAL.size + sum(lengths)
    end = (b"PK\x05\x06", 0, 0, len(members), len(members), at - first, first, 0)
    return _END.unpack_from(content, at) == end and at + _END.size == len(content)


def _ends_with_its_data(packed: memoryview, method: int, size: int) -> bool:
    """Whether a member's bytes are used up by what is unpacked of them."""
    if method == zipfile.ZIP_STORED:
        return len(packed) == size
    if method != zipfile.ZIP_DEFLATED:
        return False
    unpack = zlib.decompressobj(-zlib.MAX_WBITS)
    for at in range(0, len(packed), _BLOCK):
        if unpack.eof:
            return False
        rest: bytes | memoryview = packed[at : at + _BLOCK]
        while len(rest):
            unpack.decompress(rest, _BLOCK)
            rest = unpack.unconsumed_tail
    while not unpack.eof and unpack.decompress(unpack.unconsumed_tail, _BLOCK):
        pass
    return unpack.eof and not unpack.unused_data
