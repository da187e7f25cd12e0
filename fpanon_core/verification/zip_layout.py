"""Is a zip file its members, and nothing else, byte by byte?

Source: APPNOTE.TXT 6.3.10 (PKWARE), sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16 and 4.5.3.
"""

from __future__ import annotations

import mmap
import struct
import zipfile
import zlib

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_END_64 = struct.Struct("<4sQ2H2I4Q")
_PLACE_OF_END_64 = struct.Struct("<4sIQI")
_SIZES = struct.Struct("<2H")  # head of the field with what has more than 32 bits
_SIZES_ID, _ELSEWHERE = 1, 0xFFFFFFFF
_LARGE = 0x7FFFFFFF  # beyond, sizes and places are told in 64 bits
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_DOS_DAY = 33  # 1 January 1980, as a local header writes it
_DESCRIPTOR = 8  # the flag of sizes that follow the data
_BLOCK = 1 << 20


def only_sizes(info: zipfile.ZipInfo) -> bool:
    """Whether a member's entry carries nothing more, but for sizes of more than 32 bits."""
    if not info.extra:
        return True
    kind, length = _SIZES.unpack_from(info.extra.ljust(_SIZES.size, b"\0"))
    alone = kind == _SIZES_ID and length == len(info.extra) - _SIZES.size
    return alone and max(info.file_size, info.header_offset) > _LARGE


def is_tight(content: bytes | mmap.mmap, members: list[zipfile.ZipInfo]) -> bool:
    """Whether members, their list and its end follow one another, from the first byte to the last.

    Nothing is between them, before or after, nor behind the end of what is compressed; both heads
    of a member tell the same; none tells a time.

    Parameters
    ----------
    content : bytes or mmap
    members : list of ZipInfo
        In the order of the file's own list.

    Raises
    ------
    struct.error, zlib.error
        The file is damaged.
    """
    at = 0
    for info in sorted(members, key=lambda one: one.header_offset):
        if info.header_offset != at or info.date_time != _NO_TIME:
            return False
        mark, needed, flags, method, time, day, crc, packed, size, n_name, n_extra = (
            _LOCAL.unpack_from(content, at)
        )
        begin = at + _LOCAL.size + n_name
        stated = content[at + _LOCAL.size : begin]
        if n_extra:
            extra = content[begin : begin + n_extra]
            both = [info.file_size, info.compress_size]
            short = (size, packed) == (_ELSEWHERE, _ELSEWHERE) and max(both) > _LARGE
            if not short or extra != _beyond(both):
                return False
            size, packed = both
            begin += n_extra
        told = (needed, flags, method, crc, packed, size, stated)
        name = info.orig_filename.encode("utf-8" if flags & 0x800 else "cp437")
        listed = (info.extract_version, info.flag_bits, info.compress_type)
        sizes = (info.CRC, info.compress_size, info.file_size)
        if mark != b"PK\x03\x04" or flags & _DESCRIPTOR or (time, day) != (0, _DOS_DAY):
            return False
        if told != (*listed, *sizes, name):
            return False
        at = begin + packed
        if not _ends_with_its_data(content, begin, at, method, size):
            return False
    first = at
    for info in members:
        mark, *rest = _CENTRAL.unpack_from(content, at)
        packed, size, n_name, n_extra, n_comment, offset = *rest[7:12], rest[15]
        at += _CENTRAL.size + n_name
        true = (
            (size, info.file_size),
            (packed, info.compress_size),
            (offset, info.header_offset),
        )
        beyond = [value for short, value in true if short == _ELSEWHERE]
        extra = _beyond(beyond) if beyond else b""
        if mark != b"PK\x01\x02" or content[at : at + n_extra] != extra:
            return False
        at += n_extra + n_comment
    return content[at:] == _end(content, at, first, len(members))


def _beyond(values: list[int]) -> bytes:
    """The field with what has more than 32 bits."""
    return _SIZES.pack(_SIZES_ID, 8 * len(values)) + struct.pack(f"<{len(values)}Q", *values)


def _end(content: bytes | mmap.mmap, at: int, first: int, count: int) -> bytes:
    """What must follow the list of members, that begins at ``first`` and ends at ``at``."""
    length, far = at - first, b""
    if content[at : at + 4] == b"PK\x06\x06":
        made_by, needed = _END_64.unpack_from(content, at)[2:4]
        if (made_by & 0xFF) > 45 or needed != 45:
            return b""
        far = _END_64.pack(
            b"PK\x06\x06", 44, made_by, needed, 0, 0, count, count, length, first
        ) + _PLACE_OF_END_64.pack(b"PK\x06\x07", 0, at, 1)
    begin = min(first, _ELSEWHERE) if far else first
    return far + _END.pack(b"PK\x05\x06", 0, 0, count, count, length, begin, 0)


def _ends_with_its_data(
    content: bytes | mmap.mmap, begin: int, end: int, method: int, size: int
) -> bool:
    """Whether a member's bytes are used up by what is unpacked of them."""
    if method == zipfile.ZIP_STORED:
        return end - begin == size
    if method != zipfile.ZIP_DEFLATED:
        return False
    unpack = zlib.decompressobj(-zlib.MAX_WBITS)
    for at in range(begin, end, _BLOCK):
        if unpack.eof:
            return False
        rest = content[at : min(at + _BLOCK, end)]
        while len(rest):
            unpack.decompress(rest, _BLOCK)
            rest = unpack.unconsumed_tail
    while not unpack.eof and unpack.decompress(unpack.unconsumed_tail, _BLOCK):
        pass
    return unpack.eof and not unpack.unused_data
