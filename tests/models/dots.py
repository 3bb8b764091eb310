"""Pictures of one dot each, as small as an image can be."""

from __future__ import annotations

import struct
import zlib

from harness.models.media import image_row


def png(shade: int) -> bytes:
    """Give a picture of one dot."""
    parts = [
        (b"IHDR", struct.pack(">2I5B", 1, 1, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(bytes([0, shade]))),
        (b"IEND", b""),
    ]
    chunks = (struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


DOTS = [image_row(png(shade)) for shade in (0, 128, 255)]
