"""Names that columns of a person's file often have, by what such a column is; names of options one after the other.

It must never see a cell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# The names of columns by what they are, likeliest first; compared without case, spaces and signs.
NAMES: Mapping[str, tuple[str, ...]] = {
    "target": (
        "answer", "target", "gold", "label", "solution", "expected", "expectedanswer", "expectedoutput", "reference",
        "correct", "correctanswer", "answerkey", "correctoption", "correctchoice", "groundtruth", "goldanswer",
        "output", "completion", "summary", "translation", "a",
    ),
    "accepted": ("accepted", "acceptedanswers", "aliases", "alternatives", "alsoaccepted"),
    "options": ("options", "choices", "candidates", "alternatives", "endings"),
    "input": (
        "question", "input", "prompt", "query", "problem", "instruction", "text", "sentence", "questiontext", "stem",
        "document", "article", "q",
    ),
    "context": ("context", "passage", "paragraph", "background", "story", "article", "document", "text"),
    "group": ("group", "category", "subject", "topic", "domain", "area", "continent", "language", "level",
              "difficulty"),
    "id": ("id", "qid", "questionid", "itemid", "uid", "uuid", "key", "index", "idx"),
    "split": ("split", "subset", "partition", "fold", "set"),
    "cluster": ("cluster", "clusterid", "passageid", "documentid", "docid", "contextid", "storyid"),
}  # fmt: skip
_OPTION = re.compile(r"(option|choice|opt|ending|candidate|answer)[ _-]?([a-z]|[0-9]{1,2})|([a-z])")


def plain(name: str) -> str:
    """Give a column's name as it is compared: without case, spaces and signs."""
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def quoted(names: Sequence[str]) -> str:
    """Spell columns for a message or a comment: quoted, cut, and without what cannot be seen."""
    return ", ".join(repr(name[:60]) for name in names[:20]) + (" …" if len(names) > 20 else "")


class OptionStem(NamedTuple):
    """What the names of options have in common, and whether numbers tell them apart, which may begin at 1."""

    word: str
    numbered: bool


def rows_of_options(columns: Sequence[str]) -> dict[OptionStem, dict[int, str]]:
    """Group columns that are called as options are, by their place."""
    rows: dict[OptionStem, dict[int, str]] = {}
    for name in columns:
        if matched := _OPTION.fullmatch(name.strip().casefold()):
            sign = matched[2] or matched[3]
            place = int(sign) if sign.isdigit() else ord(sign) - ord("a")
            rows.setdefault(OptionStem(matched[1] or "", sign.isdigit()), {})[place] = name
    return rows
