"""Ground truth as the paper's notebook prepares it: no ids, one line of JSON5, DFT items cut out of the program.

Keeps the notebook's defects (spec 2.1, 2.4): every text is escaped, DFT items occur twice, structures occur among the
parameters. Sees no predictions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.studies.curie.reading.loose_json import LONGEST_FILE, Unreadable, dumps, loads
from harness.studies.curie.tasks import TASKS

IDS = ("record_id", "arxiv_id", "paper_id")  # dropped at the top level and in the elements of a list, not deeper
UNJUDGED = ("index", "paper_id", "synonyms")  # fields of a property that the judge is not shown
# Parts of property names that the paper's filter keeps. The paper's driver never calls the filter.
SPECIFIC = (
    "bandgap",
    "band gap",
    "gap energy",
    "energy gap",
    "refractive_index",
    "refractive index",
    "index of refraction",
    "n-value",
    "n value",
)
_CALL = "parse_raw("


@dataclass(frozen=True, slots=True)
class _Statements:
    """Statements of a program with DFT items: the prefix of their variables, and a part of their classes' names."""

    variable: str
    holds: str


_STATEMENTS: Mapping[str, _Statements] = {
    TASKS["dft-s"].prompt: _Statements("structure_metadata_", "StructureMetadata"),
    TASKS["dft-p"].prompt: _Statements("dft_params_", "DFTParameters"),
}


def preprocess(file_text: str, domain: str, prompt: str) -> str:
    """Return the text that the paper passes to every metric, from the text of a ground-truth file.

    Raises Unreadable if the file is not JSON5, or if one of its DFT statements contains no quote. The paper then has no
    score.
    """
    written = dumps(_without_ids(loads(file_text, LONGEST_FILE)))
    wanted = _STATEMENTS.get(prompt) if domain == TASKS["dft-s"].domain else None
    return str(list(_extracted(written, wanted))) if wanted else written


def _without_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: one for key, one in value.items() if key not in IDS}
    return [_without_ids(one) if isinstance(one, dict) else one for one in value] if isinstance(value, list) else value


def _extracted(text: str, wanted: _Statements) -> Iterator[Any]:
    """Yield the items in the statements of a serialised program, each as its Python value or else as text."""
    for rest in text.split(wanted.variable)[1:]:
        left, called, right = (wanted.variable + rest).partition(_CALL)
        if called and wanted.holds in left:
            yield _item(right.partition(_CALL)[0])


def _item(right: str) -> Any:
    end = next((mark for mark in ("')", "'\n)") if mark in right), ")")
    quoted = right.partition(end)[0].strip().split("'")
    if len(quoted) < 2:
        raise Unreadable("a statement of the program holds no quoted item")
    item = quoted[1].replace("NaN", '"NaN"')
    try:
        return ast.literal_eval(item)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return item


def parsed_dft(text: str, repair: str | None = None) -> Sequence[Any]:
    """Return the DFT items of a preprocessed text, or those in the reply of a repair model if it cannot be read.

    Raises Unreadable if there is no such reply, or if the reply cannot be read either.
    """
    try:
        items = _loads_plainly(text)
        if items and isinstance(items[0], str):
            items = [_loads_plainly(item) for item in items]
    except (Unreadable, TypeError, KeyError, AttributeError):
        if repair is None:
            raise Unreadable("the ground truth cannot be read, and no model repaired it") from None
        items = _loads_plainly(repair)
    return _iterated(items)


def _loads_plainly(text: str) -> Any:
    return loads(text.replace("\n", "").replace("\\", ""))


def _iterated(value: Any) -> Sequence[Any]:
    """Return what the notebook iterates over: a list's elements or an object's keys."""
    if not isinstance(value, list | dict):
        raise Unreadable("the ground truth is no list")
    return list(value)


def parsed_mpv(text: str) -> list[dict[str, Any]]:
    """Return the property items of a preprocessed text in the order of their `index`, without fields not judged.

    Raises Unreadable if the text is not a list of objects, or if one of them has no index to sort by.
    """
    items = loads(text.replace("\n", ""))
    try:
        ordered = sorted(items, key=lambda item: item["index"])
    except (TypeError, KeyError, IndexError):
        raise Unreadable("the ground truth is no list of items with an index") from None
    return [{key: value for key, value in item.items() if key not in UNJUDGED} for item in ordered]


def filtered_mpv(text: str) -> list[Any]:
    """Return the items of a ground truth that the paper's filter keeps: those whose property is named in SPECIFIC.

    The paper never calls it, so MPV-specific is scored against all items. Raises Unreadable if the text is not a list
    of objects with a `property_name`.
    """
    items = loads(text)
    try:
        return [item for item in items if any(name in item["property_name"].lower() for name in SPECIFIC)]
    except (TypeError, KeyError, AttributeError):
        raise Unreadable("the ground truth is no list of items with a property's name") from None
