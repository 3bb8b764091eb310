"""What the verbs of images share: which images the project pins, and how an image is shown. It moves and makes none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.cli.options import here
from harness.errors import InputError

if TYPE_CHECKING:
    from harness.images.image import Image, Pin
    from harness.store.store import Store


def pinned() -> dict[str, Pin]:
    """Give the pins of the project around us; none where a store is looked at from elsewhere."""
    from harness.images.image import pins

    try:
        root = here()
    except InputError:
        return {}
    return pins(root)


def unknown(store: Store, name: str, images: list[Image]) -> InputError:
    """Say that a store holds no image of a name, and which it holds."""
    known = ", ".join(sorted({image.name for image in images})) or "none"
    return InputError(
        f"no image {name!r} in this store",
        where=str(store.images),
        next=f"stored are: {known}; `harness images build NAME` makes one",
    )


def data_of(image: Image, **more: Any) -> dict[str, Any]:
    """Give an image as scripts see it."""
    return {"name": image.name, **image.pin.as_data(), **more}


def size_text(count: int) -> str:
    """Spell a number of bytes."""
    return f"{count / 2**20:.0f} MiB"
