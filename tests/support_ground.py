"""Projects that are made once for all workers of a test session, and copied by whoever wants one.

A copy takes a hundredth of what making takes, so that readers copy, too, and nobody can spoil what others read; that
nobody did is checked at the session's end.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from harness.digest import sha256

PLACE = "HARNESS_TESTS_GROUND"  # the folder of a session, which its first process makes


def copy_of(name: str, folder: Path, make: Callable[[Path], object]) -> Path:
    """Copy what is kept under a name; the first who asks for it makes it, while others wait."""
    ground = Path(os.environ[PLACE])
    kept = ground / name
    with (ground / f"{name}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not kept.exists():
            half = ground / f"{name}.half"
            shutil.rmtree(half, ignore_errors=True)
            make(half)
            (ground / f"{name}.sha256").write_text(tree_digest(half))
            half.rename(kept)
    shutil.copytree(kept, folder, symlinks=True, dirs_exist_ok=True)
    return folder


def spoiled(ground: Path) -> list[str]:
    """Name what was kept and is no longer as it was made."""
    made = sorted(ground.glob("*.sha256"))
    return [one.stem for one in made if tree_digest(ground / one.stem) != one.read_text()]


def tree_digest(folder: Path) -> str:
    """Digest the names and bytes of all files of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    held = {
        str(path.relative_to(folder)): sha256(os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes())
        for path in files
    }
    return sha256(json.dumps(held).encode())
