"""Loading of large libraries at the start of a process: most of what they make stays, so nothing looks for garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Import in a `with` block: no garbage is looked for meanwhile, nor ever again in what was loaded."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
