"""Images of a view: pixels and what is needed to show them, without anything that was written beside them.

Comments, camera data, profiles and whatever follows the image's end are left out, since an answer could stand there.
It never decodes an image, and must never know what one shows.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping

from harness.errors import InputError

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}  # tRNS: which colours are seen through
_JPEG_ALONE = {0x01, *range(0xD0, 0xD8)}  # markers without a length
_ADOBE = b"Adobe\x00\x64\x00\x00\x00\x00"  # and a byte that says how colours are coded
_WEBP_KEPT = {b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF"}
_WEBP_PLAIN = 0b00010010  # of the flags: transparency and animation; profile, EXIF and XMP go


def stripped(data: bytes, kind: str, where: str = "media") -> bytes:
    """Give an image without its metadata; InputError for another format, and for one that is cut off or broken."""
    strip = _STRIP.get(kind)
    try:
        if strip is None:
            raise ValueError("its format is not known")
        return b"".join(strip(data))
    except (ValueError, IndexError) as bad:
        raise InputError(
            f"an image cannot be shown to agents: {bad or 'it is cut off'}",
            where=where,
            next="have the maker write whole PNG, JPEG, GIF or WebP images",
        ) from None


def _piece(data: bytes, begin: int, size: int) -> bytes:
    """Give a piece of an image; ValueError where the image ends within it."""
    if size < 0 or begin + size > len(data):
        raise ValueError("it is cut off")
    return data[begin : begin + size]


def _png(data: bytes) -> Iterator[bytes]:
    """Give the chunks that show the image, each checked; the first is the header, and none follows the end."""
    if not data.startswith(_PNG):
        raise ValueError("it is no PNG")
    yield _PNG
    at, name = len(_PNG), b""
    while name != b"IEND":
        size = int.from_bytes(_piece(data, at, 4), "big")
        name, body = _piece(data, at + 4, 4), _piece(data, at + 8, size)
        check = _piece(data, at + 8 + size, 4)
        if zlib.crc32(name + body).to_bytes(4, "big") != check:
            raise ValueError("a chunk of it is damaged")
        if (at == len(_PNG)) != (name == b"IHDR") or (name == b"IEND" and body):
            raise ValueError("its header or its end is not where it belongs")
        if name in _PNG_KEPT:
            yield size.to_bytes(4, "big") + name + body + check
        at += 12 + size


def _jpeg(data: bytes) -> Iterator[bytes]:
    """Give the segments that show the image, up to its end."""
    if data[:2] != b"\xff\xd8":
        raise ValueError("it is no JPEG")
    yield data[:2]
    at = 2
    while True:
        if data[at] != 0xFF:
            raise ValueError("a segment of it begins without a marker")
        while data[at] == 0xFF:  # a marker may be filled up
            at += 1
        marker = data[at]
        at += 1
        if marker == 0xD9:
            yield b"\xff\xd9"
            return
        if marker in _JPEG_ALONE:
            yield bytes((0xFF, marker))
            continue
        size = int.from_bytes(_piece(data, at, 2), "big")
        if size < 2:
            raise ValueError("a segment of it has no length")
        body = _piece(data, at, size)
        at += size
        if marker == 0xEE and body[2:7] == b"Adobe" and size >= 14:
            yield b"\xff\xee\x00\x0e" + _ADOBE + body[13:14]
        elif marker != 0xFE and not 0xE0 <= marker <= 0xEF:
            yield bytes((0xFF, marker)) + body
        if marker == 0xDA:
            begin, at = at, _scan_end(data, at)
            yield data[begin:at]


def _scan_end(data: bytes, at: int) -> int:
    """Find where the coded pixels of a scan end: at the next marker that is none of theirs."""
    while True:
        at = data.index(b"\xff", at)
        follows = data[at + 1]
        if follows != 0 and follows not in _JPEG_ALONE:
            return at
        at += 2


def _gif(data: bytes) -> Iterator[bytes]:
    """Give frames and how each is shown; comments, texts and what applications wrote are left out."""
    if data[:6] not in (b"GIF87a", b"GIF89a"):
        raise ValueError("it is no GIF")
    at = 13 + _gif_colours(data[10])
    yield _piece(data, 0, at)
    while data[at] != 0x3B:
        if data[at] == 0x2C:
            begin = at
            at += 10 + _gif_colours(data[at + 9])
            at = _gif_blocks(data, at + 1)
            yield _piece(data, begin, at - begin)
        elif data[at] == 0x21:
            begin, label = at, data[at + 1]
            at = _gif_blocks(data, at + 2)
            if label == 0xF9:
                yield _piece(data, begin, at - begin)
        else:
            raise ValueError("a block of it is not known")
    yield b"\x3b"


def _gif_colours(flags: int) -> int:
    """Give the size of a table of colours in bytes, which its flags tell."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _gif_blocks(data: bytes, at: int) -> int:
    """Find where a row of blocks ends."""
    while data[at]:
        at += 1 + data[at]
    return at + 1


def _webp(data: bytes) -> Iterator[bytes]:
    """Give the chunks that show the image, under a head that says their size."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise ValueError("it is no WebP")
    end, at, kept = 8 + int.from_bytes(data[4:8], "little"), 12, b""
    while at < end:
        name, size = _piece(data, at, 4), int.from_bytes(_piece(data, at + 4, 4), "little")
        body = _piece(data, at + 8, size)
        if name == b"VP8X":
            body = bytes((body[0] & _WEBP_PLAIN,)) + body[1:]
        if name in _WEBP_KEPT:
            kept += name + size.to_bytes(4, "little") + body + b"\0" * (size % 2)
        at += 8 + size + size % 2
    yield b"RIFF" + (4 + len(kept)).to_bytes(4, "little") + b"WEBP" + kept


_STRIP: Mapping[str, Callable[[bytes], Iterator[bytes]]] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": _webp,
}
