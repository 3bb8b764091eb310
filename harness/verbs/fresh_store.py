"""Store of a reproduction: empty at first; kept if a person named it or not every run agreed, else deleted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from harness.clock import stamp
from harness.errors import HarnessError, InputError, Interrupted
from harness.files import is_plain, locked, remove_tree

FOLDER = ".reproduce"
_STAMP = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}")
GONE = "the store of this reproduction is gone: the next one begins with nothing, so that nothing old passes for new"


@dataclass
class FreshStore:
    """Store of a reproduction: its path, and whether it stays when the reproduction ends."""

    root: Path
    stays: bool = False


@contextmanager
def fresh_store(given: Path | None, project: Path, say: Callable[[str], None]) -> Iterator[FreshStore]:
    """Context manager that gives an empty store: in the folder `given`, or a temporary one in the project.

    A `given` folder stays, and is refused if it is not empty. A temporary store is deleted at the end unless `stays`
    was set; those that killed reproductions left behind are deleted first, and reported to `say`.
    """
    if given is not None:
        if given.exists() and any(given.iterdir()):
            raise InputError("a reproduction needs a fresh store", where=str(given), next="name a new or empty folder")
        left = f"what was made stays in {given}; a reproduction needs another folder, which is new or empty"
        with _told(given, left):
            yield FreshStore(given.absolute(), stays=True)
        return
    if (project / FOLDER).is_symlink():
        raise InputError(
            "the folder of reproductions is a link, and nothing behind it is deleted",
            where=str(project / FOLDER), next="see what it is, and move it away",
        )  # fmt: skip
    _sweep(project / FOLDER, say)
    with _own(project / FOLDER) as place, _told(place.root, GONE):
        yield place


@contextmanager
def _own(folder: Path) -> Iterator[FreshStore]:
    """Create and lock a temporary store; the lock beside it is held until there is a verdict."""
    place = FreshStore(folder / stamp())
    lock = _lock(place.root)
    with locked(lock):
        try:
            yield place
        finally:
            if not place.stays:
                remove_tree(place.root)
            lock.unlink(missing_ok=True)
            with suppress(OSError):  # another reproduction has its place there
                folder.rmdir()


def _lock(root: Path) -> Path:
    return root.with_name(f"{root.name}.lock")


def _sweep(folder: Path, say: Callable[[str], None]) -> None:
    """Delete temporary stores of killed reproductions: their lock files exist, and nobody holds them."""
    for lock in sorted(path for path in folder.glob("*.lock") if _STAMP.fullmatch(path.stem) and is_plain(path)):
        with locked(lock, wait=False) as ours:
            if ours and lock.exists():  # else it has just come to its end
                root = lock.with_suffix("")
                remove_tree(root)
                lock.unlink(missing_ok=True)
                say(f"removed {root}, which a reproduction left that was killed")


@contextmanager
def _told(root: Path, left: str) -> Iterator[None]:
    """Correct the words of an error where a reproduction ends without a verdict: its store is not kept."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted("stopped", next=f"run it again; {left}") from None
    except HarnessError as bad:
        if root.exists():
            mend, _, kept = bad.next.rpartition(": ")
            bad.next = "; ".join(filter(None, [mend if kept.endswith("is kept") else bad.next, left]))
        raise
