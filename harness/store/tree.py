"""What lies below a store's root, written and removed by descriptors as `reader.py` reads it: through no link.

What is changed or locked has one name, so that no file elsewhere changes with it. It does not know what a file means.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator

from harness.files import lock_handle, make_folder, remove_at, sync_handle, translating_os_errors, write_at
from harness.store.reader import STRANGE, Place, StoreReader

LOG = os.O_RDWR | os.O_APPEND | os.O_NONBLOCK


class StoreTree(StoreReader):
    """The files of a store by their place below its root, for reading and for writing."""

    def make_folder(self, place: Place, *, durable: bool = True) -> None:
        """Create a folder and its missing parents."""
        with self.folder(place, make=True, durable=durable):
            pass

    @contextlib.contextmanager
    def folder(self, place: Place, *, make: bool = False, durable: bool = True) -> Iterator[int]:
        """Give the descriptor of a folder for a `with` block; `make` creates it, with its missing parents."""
        with translating_os_errors(self.top + self.spell(place)):
            handle = self._made(place, durable) if make else self.open_folder(place)
        try:
            yield handle
        finally:
            os.close(handle)

    def write_file(self, place: Place, data: bytes, mode: int = 0o644) -> None:
        """Write a file whole or not at all, and durably; a link that lies there is replaced, and its target kept."""
        path = self.spell(place)
        parent, _, name = path.rpartition("/")
        with self.folder(parent, make=True) as folder, translating_os_errors(self.top + path):
            write_at(folder, name, data, mode)
            sync_handle(folder)

    def open_log(self, place: Place, *, make: bool = True) -> int:
        """Open a log for reading and appending, created with its folder if `make`; gives its descriptor.

        DamageError where it has a second name: what is appended would be appended there, too.
        """
        path = self.spell(place)
        with translating_os_errors(self.top + path):
            if not make:
                return self._own(path, LOG)
            parent, _, _ = path.rpartition("/")
            with self.folder(parent, make=True) as folder:
                handle = self._own(path, LOG | os.O_CREAT)
                try:
                    sync_handle(folder)
                except OSError:
                    os.close(handle)
                    raise
                return handle

    @contextlib.contextmanager
    def lock(self, place: Place, *, exclusive: bool = True, wait: bool = True) -> Iterator[bool]:
        """Hold the lock of a file, which ends with its process, in a `with` block; shared unless `exclusive`.

        Gives True, or with `wait=False` False where another process holds it.
        """
        path = self.spell(place)
        with translating_os_errors(self.top + path):
            self.make_folder(path.rpartition("/")[0], durable=False)
            handle = self._own(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK)
        try:
            yield lock_handle(handle, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH, self.root / path, wait=wait)
        finally:
            os.close(handle)

    def remove(self, place: Place) -> None:
        """Delete what lies at a place, a tree of any depth included; a link is deleted and not followed.

        Of a tree stays what cannot be deleted; a file that cannot is an error, and one that is missing is none.
        """
        path = self.spell(place)
        parent, _, name = path.rpartition("/")
        with translating_os_errors(self.top + path), contextlib.suppress(FileNotFoundError):
            handle = self.open_folder(parent)
            try:
                remove_at(handle, name)
            finally:
                os.close(handle)

    def rename(self, source: Place, target: Place) -> None:
        """Return what lies at a place another one, durably."""
        (above, _, old), (below, _, new) = (self.spell(place).rpartition("/") for place in (source, target))
        with (
            self.folder(above) as one,
            self.folder(below) as other,
            translating_os_errors(self.top + self.spell(target)),
        ):
            os.rename(old, new, src_dir_fd=one, dst_dir_fd=other)
            sync_handle(other)

    def sync_folder(self, place: Place) -> None:
        """Flush a folder's names to disk: a file that was renamed or deleted there is so after a crash, too."""
        with self.folder(place) as handle, translating_os_errors(self.top + self.spell(place)):
            sync_handle(handle)

    def _made(self, place: Place, durable: bool) -> int:
        """Open a folder, created where it is missing."""
        with contextlib.suppress(FileNotFoundError):
            return self.open_folder(place)
        path = self.spell(place)
        if path == ".":
            make_folder(self.root)
            return self.open_folder(place)
        parent, _, name = path.rpartition("/")
        with self.folder(parent, make=True, durable=durable) as above:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=above)
            if durable:
                sync_handle(above)
        return self.open_folder(place)

    def _own(self, path: str, flags: int) -> int:
        """Open a regular file that is to be changed or locked: it has one name, which is this one."""
        try:
            handle = self.open(path, flags, 0o644)
        except OSError as bad:
            if bad.errno in STRANGE:
                raise self.damaged(path, "this is not a regular file") from None
            raise
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
            os.close(handle)
            plain = stat.S_ISREG(facts.st_mode)
            raise self.damaged(path, "this file has a second name" if plain else "this is not a regular file")
        return handle
