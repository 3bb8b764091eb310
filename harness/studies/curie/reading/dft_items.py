"""The items of a DFT ground truth in strict mode: the structures and the parameter sets that its program reads in.

Rules D1 and D2 (OURS): the program's text is searched, since some programs are not Python; equal items are kept. Sees
no predictions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from harness.studies.curie.reading.loose_json import LONGEST_FILE, loads
from harness.studies.curie.reading.strict_json import Unreadable, read_value_of

PROGRAM = "no_header_code"  # the field of a ground-truth file with the task's own part of the program
STRUCTURES = ("StructureMetadataGeneral", "StructureMetadata")
PARAMETERS = ("Parameters", "ParametersGeneral")  # endings of the names of parameter classes
UNREADABLE = "unreadable"
_QUOTES = ("'''", '"""', "'", '"')
_STATEMENT = re.compile(r"^[ \t]*\w+[ \t]*(?::[^=\n]*)?=\s*(\w+)\.parse_raw\(\s*", re.MULTILINE)
_ENDS = {quote: re.compile(quote + r"\s*\)[ \t]*(?:#.*)?$", re.MULTILINE) for quote in _QUOTES}


def structures(truth_text: str) -> list[dict[str, Any]]:
    """Return the structures in the text of a ground-truth file, in the order of its program.

    Raises Unreadable if the file has no program.
    """
    return [item for name, item in _items(truth_text) if name in STRUCTURES and item is not None]


def parameters(truth_text: str) -> list[dict[str, Any]]:
    """Return the parameter sets in the text of a ground-truth file, in the order of its program.

    Raises Unreadable if the file has no program.
    """
    return [item for name, item in _items(truth_text) if name.endswith(PARAMETERS) and item is not None]


def set_aside(truth_text: str) -> Mapping[str, int]:
    """Count the other statements in the text of a ground-truth file by class, and broken ones as `unreadable`.

    Raises Unreadable if the file has no program.
    """
    found = Counter[str]()
    for name, item in _items(truth_text):
        if item is None:
            found[UNREADABLE] += 1
        elif name not in STRUCTURES and not name.endswith(PARAMETERS):
            found[name] += 1
    return found


def program_text(truth_text: str) -> str:
    """Return the task's own part of the program in a ground-truth file's text; raises Unreadable if there is none."""
    truth = loads(truth_text, LONGEST_FILE)
    program = truth.get(PROGRAM) if isinstance(truth, dict) else None
    if not isinstance(program, str):
        raise Unreadable(f"the ground truth has no text `{PROGRAM}`")
    return program


def _items(truth_text: str) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Yield the class and the object of each statement; the object is None if the quoted text is not an object."""
    program = program_text(truth_text)
    for found in _STATEMENT.finditer(program):
        written = _quoted(program, found.end())
        if written is not None:
            yield found[1], _object(written)


def _quoted(program: str, at: int) -> str | None:
    """Return the text between the quotes with its escapes, up to a quote and `)` that end a line."""
    quote = next((one for one in _QUOTES if program.startswith(one, at)), None)
    if quote is None:
        return None  # not an item: a variable or a call
    end = _ENDS[quote].search(program, at + len(quote))
    return program[at + len(quote) : end.start()] if end else ""


def _object(written: str) -> dict[str, Any] | None:
    try:
        value = read_value_of(written)
    except Unreadable:
        return None
    return value if isinstance(value, dict) else None
