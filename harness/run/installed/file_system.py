"""What a store asks of its file system, tried in a folder: files that appear whole, names taken once, locks that hold.

A store that several machines share stands or falls with these. Only this machine's view is tried; whether another one
sees the same bytes, each worker of a run finds out for itself. Nothing here knows of a store's layout.
"""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from harness.errors import HarnessError
from harness.files import hold_lock, sync_folder, sync_handle


def find_lacking_calls(folder: Path) -> list[str]:
    """Try each file operation that a store needs in an empty folder; list those that fail or break their promise."""
    found = []
    for name, keeps in NEEDED_CALLS.items():
        try:
            why = "" if keeps(folder) else "does not hold"
        except OSError as bad:
            why = os.strerror(bad.errno or errno.EIO)
        except HarnessError as bad:
            why = bad.what
        if why:
            found.append(f"{name}: {why}")
    return found


def _renames(folder: Path) -> bool:
    """Whether a file that is renamed over another is there whole, and the other is gone."""
    (folder / "old").write_bytes(b"old")
    (folder / "new").write_bytes(b"new")
    os.rename(folder / "new", folder / "old")
    return (folder / "old").read_bytes() == b"new" and not (folder / "new").exists()


def _takes_once(folder: Path) -> bool:
    """Whether a name is taken once: a second maker of the same file is refused."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    os.close(os.open(folder / "once", flags))
    try:
        os.close(os.open(folder / "once", flags))
    except FileExistsError:
        return True
    return False


def _locks(folder: Path) -> bool:
    """Whether a lock that one process holds is refused to another, and is free when it ends."""
    path = folder / "lock"
    command = ["flock", "--nonblock", str(path), "true"]  # of util-linux, without which no step runs
    with hold_lock(path, wait=False) as mine:
        refused = subprocess.run(command, capture_output=True, check=False).returncode != 0
    return mine and refused and subprocess.run(command, capture_output=True, check=False).returncode == 0


def _keeps(folder: Path) -> bool:
    """Whether bytes and names are written through when that is asked for."""
    with open(folder / "kept", "wb") as file:
        file.write(b"kept")
        file.flush()
        sync_handle(file.fileno())
    sync_folder(folder)
    return (folder / "kept").read_bytes() == b"kept"


def _appends(folder: Path) -> bool:
    """Whether what two writers append follows each other, and overwrites nothing."""
    flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND
    one, other = (os.open(folder / "log", flags) for _ in range(2))
    try:
        for handle, line in ((one, b"1\n"), (other, b"2\n"), (one, b"3\n")):
            os.write(handle, line)
    finally:
        os.close(one)
        os.close(other)
    return (folder / "log").read_bytes() == b"1\n2\n3\n"


def _marks(folder: Path) -> bool:
    """Whether a read-only file stays so, and its inode, size and time tell that it was not changed."""
    path = folder / "marked"
    path.write_bytes(b"marked")
    path.chmod(0o444)
    before = path.stat()
    path.read_bytes()
    after = path.stat()
    unchanged = (before.st_ino, before.st_size, before.st_mtime_ns) == (after.st_ino, after.st_size, after.st_mtime_ns)
    return unchanged and (after.st_mode & 0o777) == 0o444


NEEDED_CALLS: Mapping[str, Callable[[Path], bool]] = {
    "atomic renames": _renames,
    "exclusive creation": _takes_once,
    "locks between processes": _locks,
    "writing through": _keeps,
    "appending": _appends,
    "marks of files": _marks,
}
