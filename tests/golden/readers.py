"""The readers of golden files, found by name: `tests/studies/STUDY/golden/NAME.py` reads `STUDY/NAME.json|npz|csv`.

A reader is a module with `read(path, tally)`. It may say `FILES`, patterns of the files it reads where those are more
than the one it is named after, and `INPUTS`, patterns of files that it reads beside and that expect nothing themselves.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType

from golden.case import Tally

STUDIES = Path(__file__).parents[1] / "studies"
INPUT = ("*_input.*", "*_inputs.*", "*_inputs/*")  # names that say it themselves


@dataclass(frozen=True)
class Reader:
    """A finished reader: the file it is, what it reads, and what it reads beside."""

    path: Path
    read: Callable[[Path, Tally], None]
    files: tuple[str, ...]
    inputs: tuple[str, ...]


def readers(study: str, studies: Path, flaws: list[str]) -> list[Reader]:
    """Load the readers of a study; one that cannot be loaded is a flaw, never a file that waits."""
    found = []
    for path in sorted((studies / study / "golden").glob("[!_]*.py")):
        try:
            found.append(_reader(path, study))
        except Exception as bad:  # whatever a module does while it is loaded
            flaws.append(f"{path.relative_to(studies)}: {type(bad).__name__}: {bad}")
    return found


def _reader(path: Path, study: str) -> Reader:
    module = _load(path, f"golden_readers_{study}_{path.stem}")
    if not callable(getattr(module, "read", None)):
        raise TypeError("a reader has a function read(path, tally)")
    files = tuple(getattr(module, "FILES", (f"{path.stem}.*",)))
    return Reader(path, module.read, files, tuple(getattr(module, "INPUTS", ())))


def _load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reader_of(name: str, found: list[Reader]) -> Reader | None:
    """Give the reader of a file, the one that is named after it first; two that claim it are an error."""
    claiming = [one for one in found if any(fnmatchcase(name, pattern) for pattern in one.files)]
    own = [one for one in claiming if one.path.stem == name.rpartition(".")[0]] or claiming
    if len(own) > 1:
        raise ValueError(f"more than one reader claims it: {', '.join(one.path.name for one in own)}")
    return own[0] if own else None


def is_input(name: str, found: list[Reader]) -> bool:
    """Whether a file is something that is given and nothing that is expected: by its own name or by a reader's word."""
    return any(fnmatchcase(name, pattern) for pattern in (*INPUT, *(one for each in found for one in each.inputs)))
