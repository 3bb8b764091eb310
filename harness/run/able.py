"""Whether a manifest's image can run steps at all: read from its recipe, before anything is made in it."""

from __future__ import annotations

from pathlib import Path

from harness.errors import InputError
from harness.images.locks import read_wheels
from harness.images.recipe import lineage, names
from harness.manifest.load import Loaded

NEEDED = "rfc8785"  # all that a step imports besides Python and the harness: how numbers are spelled


def require_able(loaded: Loaded) -> None:
    """Refuse an image in which no step could run; of one without a recipe here, only running it tells."""
    root, image = loaded.root, loaded.manifest.image
    if image not in names(root) or _able(root, image):
        return
    others = [name for name in names(root) if _able(root, name)]
    raise InputError(
        f"image {image!r} can run no step: it holds no {NEEDED}",
        where=loaded.tree.at(("image",)),
        next=f"choose one of: {', '.join(others)}" if others else f"lock {NEEDED} among its recipe's requirements",
    )


def _able(root: Path, image: str) -> bool:
    locks = [path for one in lineage(root, image) if (path := one.requirements)]
    return any(wheel.name == NEEDED for path in locks for wheel in read_wheels(path, path.name))
