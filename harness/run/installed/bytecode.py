"""Precompiled bytecode of packages and standard library: made at setup in a folder of its own, and listed by digest.

No step reads a `__pycache__` beside a source, where anybody may have put a file. Python checks that bytecode belongs
to the source it names, not that the source compiles to it; the digest list is there to check that.
"""

from __future__ import annotations

import os
import py_compile
import shutil
import sys
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from harness.clean_start import BYTECODE_LIST
from harness.digest import sha256_file
from harness.files import write_atomic

# No step imports these: it still could, without bytecode. What lies in a library beside it is another Python's.
APART = {"__pycache__", "test", "tests", "idlelib", "lib2to3", "site-packages", "dist-packages"}


def list_path(folder: Path) -> Path:
    """Return the path of the digest list of a bytecode folder, which lies beside it."""
    return folder.with_name(BYTECODE_LIST)


def read_list(folder: Path) -> dict[str, str] | None:
    """Read the digest list of a bytecode folder: path → digest; None where there is none; then no step uses it."""
    try:
        lines = list_path(folder).read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return {path: digest for digest, _, path in (line.partition("  ") for line in lines)}


def make(folder: Path, roots: Iterable[Path]) -> int:
    """Replace a bytecode folder and its list by compiled sources from below `roots`; return the number of files.

    Sources that do not compile are left out.
    """
    list_path(folder).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    pairs = [(source, bytecode_path(source, folder)) for root in roots for source in _sources(root)]
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        made = [made for made in pool.map(_compile, pairs, chunksize=64) if made]
    lines = sorted(f"{os.path.relpath(path, folder)}\0{sha256_file(Path(path))[0]}" for path in made)
    spelled = ("  ".join(reversed(line.split("\0"))) + "\n" for line in lines)
    write_atomic(list_path(folder), "".join(spelled).encode())
    return len(made)


def bytecode_path(source: str, folder: Path) -> str:
    """Return where Python looks for a source's bytecode when `folder` is its pycache prefix."""
    head, _, name = source.rpartition("/")
    return f"{folder}{head}/{name.removesuffix('.py')}.{sys.implementation.cache_tag}.pyc"


def _sources(root: Path) -> Iterator[str]:
    for place, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in APART]
        yield from (f"{place}/{name}" for name in files if name.endswith(".py"))


def _compile(pair: tuple[str, str]) -> str:
    """Compile one source; one that cannot be has no bytecode, and says so when it is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what packages' sources are warned of is not ours to correct
        checked = py_compile.PycInvalidationMode.CHECKED_HASH
        return py_compile.compile(pair[0], pair[1], quiet=2, invalidation_mode=checked) or ""
