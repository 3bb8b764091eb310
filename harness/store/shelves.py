"""The folders of blobs: a blob opened below them, through no link, quickly where many are opened one after the other.

It must never know what a blob means, nor whether it is sound.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from harness.store.reader import READ, StoreReader

SHELF = "blobs/sha256"
_FOLDER = os.O_PATH | os.O_DIRECTORY
_BLOB = READ | os.O_NOFOLLOW | os.O_CLOEXEC


class Shelves:
    """Opens blobs by their digests, which whoever asks has checked to be such."""

    def __init__(self, tree: StoreReader) -> None:
        self._tree = tree
        self._kept: dict[str, int] | None = None

    def open(self, digest: str) -> int:
        """Open what lies where a blob should, and give its descriptor; OSError as the kernel says it."""
        if self._kept is None:
            return self._tree.open(f"{SHELF}/{digest[:2]}/{digest}", READ)
        folder = self._kept.get(digest[:2])
        if folder is None:
            folder = self._kept[digest[:2]] = self._tree.open(f"{SHELF}/{digest[:2]}", _FOLDER)
        return os.open(digest, _BLOB, dir_fd=folder)

    @contextlib.contextmanager
    def keep_open(self) -> Iterator[None]:
        """Keep every folder open that a blob was looked for in, in a `with` block of one thread: 256 at most."""
        if self._kept is not None:
            yield
            return
        kept = self._kept = {}
        try:
            yield
        finally:
            self._kept = None
            for folder in kept.values():
                os.close(folder)
