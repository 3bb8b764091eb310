"""The items of a DFT ground truth in strict mode: what its program reads in as structures and as parameter sets.

Rules D1 and D2 (OURS): the program's text is searched, since some are not Python; equal items are kept. It must never
know a prediction.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from harness.studies.curie.reading.loose_json import LONGEST_FILE, loads
from harness.studies.curie.reading.strict_json import Unreadable, read_value_of

PROGRAM = "no_header_code"  # the field of a ground-truth file that holds the task's own part of the program
STRUCTURES = ("StructureMetadataGeneral", "StructureMetadata")
PARAMETERS = ("Parameters", "ParametersGeneral")  # how such a class's name ends
UNREADABLE = "unreadable"
_QUOTES = ("'''", '"""', "'", '"')
_STATEMENT = re.compile(r"^[ \t]*\w+[ \t]*(?::[^=\n]*)?=\s*(\w+)\.parse_raw\(\s*", re.MULTILINE)
_ENDS = {quote: re.compile(quote + r"\s*\)[ \t]*(?:#.*)?$", re.MULTILINE) for quote in _QUOTES}


def structures(truth_text: str) -> list[dict[str, Any]]:
    """Give the structures of a ground-truth file's text in the order of its program.

    Unreadable where the file holds no program.
    """
    return [item for name, item in _items(truth_text) if name in STRUCTURES and item is not None]


def parameters(truth_text: str) -> list[dict[str, Any]]:
    """Give the parameter sets of a ground-truth file's text in the order of its program.

    Unreadable where the file holds no program.
    """
    return [item for name, item in _items(truth_text) if name.endswith(PARAMETERS) and item is not None]


def set_aside(truth_text: str) -> Mapping[str, int]:
    """Count the statements of a ground-truth file's text that are neither, by class, and as `unreadable` broken ones.

    Unreadable where the file holds no program.
    """
    found = Counter[str]()
    for name, item in _items(truth_text):
        if item is None:
            found[UNREADABLE] += 1
        elif name not in STRUCTURES and not name.endswith(PARAMETERS):
            found[name] += 1
    return found


def program_text(truth_text: str) -> str:
    """Give the task's own part of the program in a ground-truth file's text; Unreadable where it holds none."""
    truth = loads(truth_text, LONGEST_FILE)
    program = truth.get(PROGRAM) if isinstance(truth, dict) else None
    if not isinstance(program, str):
        raise Unreadable(f"the ground truth has no text `{PROGRAM}`")
    return program


def _items(truth_text: str) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Give the class and the object of each statement; none where what stands between the quotes is no object."""
    program = program_text(truth_text)
    for found in _STATEMENT.finditer(program):
        written = _quoted(program, found.end())
        if written is not None:
            yield found[1], _object(written)


def _quoted(program: str, at: int) -> str | None:
    """Give what stands between the quotes as it is written, escapes and all: up to a quote and `)` that end a line."""
    quote = next((one for one in _QUOTES if program.startswith(one, at)), None)
    if quote is None:
        return None  # no item is written there: a variable, a call
    end = _ENDS[quote].search(program, at + len(quote))
    return program[at + len(quote) : end.start()] if end else ""


def _object(written: str) -> dict[str, Any] | None:
    try:
        value = read_value_of(written)
    except Unreadable:
        return None
    return value if isinstance(value, dict) else None
