"""Converts images inside a figure to paths, because a page may not load any image, even an embedded one.

Each colour becomes one path, with a line for every run of equal pixels in a row.
"""

from __future__ import annotations

import base64
import io
import re
from collections import defaultdict
from typing import Any

IMAGE = re.compile(r"<image\b[^>]*/>|<image\b.*?</image>", re.DOTALL)
DATA = re.compile(r'xlink:href="data:image/png;base64,([A-Za-z0-9+/=\s]+)"')
PLACED = re.compile(r'\b(transform|x|y|width|height)="([^"]*)"')
PAPER = "#ffffff"  # the colour that is not drawn
MIDDLE = "translate(0 0.5)"  # moves lines to the middle of their row of pixels
WIDTH = "1.04"  # width of a line, in pixels; above 1, so that no white shows between rows


def as_paths(svg: str) -> str:
    """Replace each PNG image of an SVG with paths that fill the same place; white pixels are left out.

    Images without embedded pixels and the rest of the SVG are unchanged.
    """
    return IMAGE.sub(lambda found: _drawn(found[0]), svg)


def _drawn(image: str) -> str:
    data = DATA.search(image)
    if data is None:
        return image
    pixels = _pixels(base64.b64decode(data[1]))
    placed = dict(PLACED.findall(image))
    rows, columns = pixels.shape[:2]
    across, down = float(placed.get("width", columns)) / columns, float(placed.get("height", rows)) / rows
    x, y = placed.get("x", "0"), placed.get("y", "0")
    moved = f"{placed.get('transform', '')} translate({x} {y}) scale({across:.8g} {down:.8g}) {MIDDLE}".strip()
    lines = "".join(
        f'<path d="{path}" stroke="{colour}" stroke-width="{WIDTH}" fill="none"/>'
        for colour, path in _paths(pixels).items()
    )
    return f'<g transform="{moved}">{lines}</g>'


def _pixels(png: bytes) -> Any:
    import numpy as np  # noqa: PLC0415
    from matplotlib.image import imread  # noqa: PLC0415

    return np.rint(imread(io.BytesIO(png), format="png")[..., :3] * 255).astype(np.uint32)


def _paths(pixels: Any) -> dict[str, str]:
    """Return the path of each colour's runs."""
    import numpy as np  # noqa: PLC0415

    codes = pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2]
    found: dict[str, list[str]] = defaultdict(list)
    for row, values in enumerate(codes):
        starts = [0, *(np.flatnonzero(np.diff(values)) + 1).tolist()]
        for start, end in zip(starts, [*starts[1:], len(values)], strict=True):
            colour = f"#{int(values[start]):06x}"
            if colour != PAPER:
                found[colour].append(f"M{start} {row}h{end - start}")
    return {colour: "".join(found[colour]) for colour in sorted(found)}
