"""Small images drawn pixel by pixel: lines, outlines, numbers, and PNG bytes that are the same on every machine.

The bytes are stored without compression, since compression libraries differ between machines. Independent of maps and
coordinates.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence

from harness.errors import InputError

PALETTE = ((255, 255, 255), (0, 0, 0), (170, 170, 170), (70, 110, 170))
PAPER, INK, GREY, BLUE = range(len(PALETTE))  # two bits per pixel
SCALE = 2  # pixels per dot of a letter
WIDE, HIGH = 6 * SCALE, 7 * SCALE  # of a letter, including the space to the next
_MOST = 65_535  # bytes of a block of stored data, from RFC 1951

# The letters used to write degrees (OURS): seven rows of five dots each.
LETTERS: Mapping[str, tuple[str, ...]] = {
    "0": (".###.", "#...#", "#..##", "#.#.#", "##..#", "#...#", ".###."),
    "1": ("..#..", ".##..", "..#..", "..#..", "..#..", "..#..", ".###."),
    "2": (".###.", "#...#", "....#", "...#.", "..#..", ".#...", "#####"),
    "3": (".###.", "#...#", "....#", "..##.", "....#", "#...#", ".###."),
    "4": ("...#.", "..##.", ".#.#.", "#..#.", "#####", "...#.", "...#."),
    "5": ("#####", "#....", "####.", "....#", "....#", "#...#", ".###."),
    "6": (".###.", "#....", "#....", "####.", "#...#", "#...#", ".###."),
    "7": ("#####", "....#", "...#.", "..#..", ".#...", ".#...", ".#..."),
    "8": (".###.", "#...#", "#...#", ".###.", "#...#", "#...#", ".###."),
    "9": (".###.", "#...#", "#...#", ".####", "....#", "....#", ".###."),
    "°": (".##..", "#..#.", ".##..", ".....", ".....", ".....", "....."),
    ".": (".....", ".....", ".....", ".....", ".....", ".##..", ".##.."),
    "N": ("#...#", "##..#", "#.#.#", "#..##", "#...#", "#...#", "#...#"),
    "S": (".####", "#....", "#....", ".###.", "....#", "....#", "####."),
    "E": ("#####", "#....", "#....", "####.", "#....", "#....", "#####"),
    "W": ("#...#", "#...#", "#...#", "#.#.#", "#.#.#", "##.##", "#...#"),
}


class Raster:
    """An image in four colours that can be drawn on; pixels outside it are ignored."""

    def __init__(self, width: int, height: int) -> None:
        """Create an empty image."""
        self.width, self.height = width, height
        self.pixels = bytearray(width * height)

    def dot(self, x: int, y: int, colour: int = INK) -> None:
        """Set one pixel, if it is inside the image."""
        if 0 <= x < self.width and 0 <= y < self.height:
            self.pixels[y * self.width + x] = colour

    def line(self, start: tuple[int, int], end: tuple[int, int], colour: int = INK) -> None:
        """Draw a straight line, both ends included (Bresenham)."""
        (x, y), (to_x, to_y) = start, end
        wide, high = abs(to_x - x), -abs(to_y - y)
        step_x, step_y, error = (1 if x < to_x else -1), (1 if y < to_y else -1), wide + high
        while True:
            self.dot(x, y, colour)
            if (x, y) == (to_x, to_y):
                return
            twice = 2 * error
            if twice >= high:
                error, x = error + high, x + step_x
            if twice <= wide:
                error, y = error + wide, y + step_y

    def outline(self, corners: Sequence[tuple[int, int]], colour: int = INK) -> None:
        """Draw a closed polygon outline through corners."""
        for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
            self.line(start, end, colour)

    def frame(self, left: int, top: int, right: int, bottom: int, colour: int = INK) -> None:
        """Draw a rectangle, one pixel wide."""
        self.outline([(left, top), (right, top), (right, bottom), (left, bottom)], colour)

    def write(self, x: int, y: int, text: str) -> None:
        """Write a text into the image from its upper left corner; raises InputError for a letter not in LETTERS."""
        for place, letter in enumerate(text):
            if letter not in LETTERS:
                raise InputError(f"{letter!r} cannot be drawn", next=f"use: {''.join(LETTERS)}")
            for row, dots in enumerate(LETTERS[letter]):
                for column, each in enumerate(dots):
                    if each == "#":
                        self._block(x + place * WIDE + column * SCALE, y + row * SCALE)

    def png(self) -> bytes:
        """Return the image as PNG, with a palette of four colours and two bits per pixel."""
        rows = b"".join(b"\0" + self._packed(row) for row in range(self.height))
        shape = struct.pack(">IIBBBBB", self.width, self.height, 2, 3, 0, 0, 0)
        colours = bytes(value for colour in PALETTE for value in colour)
        parts = ((b"IHDR", shape), (b"PLTE", colours), (b"IDAT", _stored(rows)), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)

    def _block(self, x: int, y: int) -> None:
        for down in range(SCALE):
            for along in range(SCALE):
                self.dot(x + along, y + down)

    def _packed(self, row: int) -> bytes:
        line = self.pixels[row * self.width : (row + 1) * self.width]
        line += bytes(-len(line) % 4)
        return bytes(
            line[at] << 6 | line[at + 1] << 4 | line[at + 2] << 2 | line[at + 3] for at in range(0, len(line), 4)
        )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _stored(data: bytes) -> bytes:
    """Wrap bytes as a zlib stream (RFC 1950) of stored blocks."""
    blocks = [data[at : at + _MOST] for at in range(0, len(data), _MOST)]
    written = b"".join(
        struct.pack("<BHH", at == len(blocks) - 1, len(block), len(block) ^ 0xFFFF) + block
        for at, block in enumerate(blocks)
    )
    return b"\x78\x01" + written + struct.pack(">I", zlib.adler32(data))
