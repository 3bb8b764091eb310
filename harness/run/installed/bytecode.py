"""Precompiled bytecode of packages and standard library: made at setup in a folder of its own, and listed by digest.

No step reads a `__pycache__` beside a source, where anyone may have put a file. Python checks that bytecode belongs to
the source it names, not that the source compiles to it. The digest list makes it possible to check that.
"""

from __future__ import annotations

import os
import py_compile
import shutil
import struct
import sys
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.util import cache_from_source
from pathlib import Path

from harness.clean_start import BYTECODE_LIST
from harness.digest import sha256_file
from harness.files import write_atomic

AT_ONCE = 64  # sources that one process compiles in a row
HEADER = 16  # bytes before the code: magic number, kind, and the hash or the date and size of the source
# No step imports these; it still could, without bytecode. Packages in the library's own folder are another Python's.
APART = {"__pycache__", "test", "tests", "idlelib", "lib2to3", "site-packages", "dist-packages"}


def digest_list_path(folder: Path) -> Path:
    """Return the path of the digest list of a bytecode folder; the list is beside the folder."""
    return folder.with_name(BYTECODE_LIST)


def read_list(folder: Path) -> dict[str, str] | None:
    """Read the digest list of a bytecode folder: path → digest; None if there is none, and then no step uses it."""
    try:
        lines = digest_list_path(folder).read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return {path: digest for digest, _, path in (line.partition("  ") for line in lines)}


def make_bytecode(folder: Path, roots: Iterable[Path], site: Path | None = None) -> int:
    """Replace a bytecode folder and its list by compiled sources from below `roots`; return the number of files.

    Sources that do not compile are left out. Sources below `site` also get the same bytecode beside them, if they have
    none: other programs of the environment read it there, and `make setup` need not have pip compile it a second time.
    """
    digest_list_path(folder).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    found = [(source, root == site) for root in roots for source in _sources(root)]
    todo = [(source, bytecode_path(source, folder), beside) for source, beside in found]
    if len(todo) > AT_ONCE:
        with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            made = [made for made in pool.map(_compile, todo, chunksize=AT_ONCE) if made]
    else:  # to start processes would take longer
        made = [made for made in map(_compile, todo) if made]
    lines = sorted(f"{os.path.relpath(path, folder)}\0{sha256_file(Path(path))[0]}" for path in made)
    spelled = ("  ".join(reversed(line.split("\0"))) + "\n" for line in lines)
    write_atomic(digest_list_path(folder), "".join(spelled).encode())
    return len(made)


def bytecode_path(source: str, folder: Path) -> str:
    """Return where Python looks for a source's bytecode when `folder` is its pycache prefix."""
    head, _, name = source.rpartition("/")
    return f"{folder}{head}/{name.removesuffix('.py')}.{sys.implementation.cache_tag}.pyc"


def _sources(root: Path) -> Iterator[str]:
    for place, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in APART]
        yield from (f"{place}/{name}" for name in files if name.endswith(".py"))


def _compile(todo: tuple[str, str, bool]) -> str:
    """Compile one source and return the path of its bytecode; empty if it does not compile."""
    source, path, beside = todo
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about packages' sources are not ours to correct
        checked = py_compile.PycInvalidationMode.CHECKED_HASH
        made = py_compile.compile(source, path, quiet=2, invalidation_mode=checked) or ""
    if made and beside:
        _lay_beside(source, Path(made).read_bytes())
    return made


def _lay_beside(source: str, made: bytes) -> None:
    """Write a source's bytecode where any Python looks for it, dated as Python itself does, unless there is one."""
    path, facts = Path(cache_from_source(source)), os.stat(source)
    if not path.exists():
        dated = struct.pack("<4sIII", made[:4], 0, int(facts.st_mtime) & 0xFFFFFFFF, facts.st_size & 0xFFFFFFFF)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(dated + made[HEADER:])
