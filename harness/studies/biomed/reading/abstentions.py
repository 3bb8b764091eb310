"""Whether a text says that it does not know: by a versioned table of phrases (OURS), matched whole and folded.

Words that only fill are left out of text and phrase alike. It must never know a question or a right answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path

from harness.errors import InputError
from harness.kit import csv_rows
from harness.studies.biomed.reading.plain import Plain, Span, clauses

FILE = "abstentions@1.csv"
VERSION = "abstentions-1"
UNKNOWN, ELSEWHERE = "unknown", "elsewhere"  # says that it does not know; only says where one could look
_FILLERS = re.compile(
    r"\b(?:a|an|the|any|my|currently|current|specific|specifically|direct|directly|readily|detailed|exact|exactly"
    r"|precise|"
    r"precisely|sufficient|enough|real-time|up-to-date|definitive|definitively|reliable|reliably|verified|accurate"
    r"|accurately|"
    r"actually|really|simply|immediate|immediately|comprehensive|complete|personal|also|always|yet|further|more"
    r"|this|that|"
    r"unfortunately|confidently|concrete|additional|explicit|explicitly|particular|relevant|genetic|clinical|pharmacological|pharmacologic|regulatory|genomic|statistical|numerical|trustworthy|usable"
    r"|structured|published)\b"
)
_SHORT: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"\bcannot\b|\bcan't\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\bi'm\b", "i am"),
        (r"\bi've\b", "i have"),
        (r"\bi'd\b", "i would"),
        (r"\bit's\b", "it is"),
        (r"\bthere's\b", "there is"),
        (r"recognise", "recognize"),
        (r"characteris", "characteriz"),
    )
)


_NOT_AWARE = re.compile(
    r"\b(?:I am|I'm|we are|we're)\s(?:currently\s)?(?:not aware|unaware)\s(?:of|that)\s(?:any\s)?"
    r"(?=[^.;\n]{0,80}?\b(?:being|having|ha[sd]|is|was|associat\w+|approv\w+|licen[sc]ed|signal|link|carr\w+))"
    r"(?![^.;\n]{0,40}?\b(?:stud(?:y|ies)|data|datasets?|information|details|research|reports?|literature|publications?"
    r"|records?|names?d?|called|sources?)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases of the table, folded."""

    unknown: re.Pattern[str]
    elsewhere: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Knowing:
    """What a text says of its knowing: in its first sentence, anywhere, or only where to look; and the rest."""

    first: bool
    anywhere: bool
    elsewhere: bool
    rest: Plain  # the text without the clauses that say so


def read_phrases(path: Path) -> Phrases:
    """Read a table of phrases; InputError for a file that is none."""
    where = f"the table {FILE}"
    rows = csv_rows.read(path, lambda row: f"{where}, row {row}", "take the table as it is", columns=("kind", "phrase"))
    return _phrases([(row["kind"], row["phrase"]) for _, row in rows])


@lru_cache(maxsize=1)
def packaged() -> Phrases:
    """Give the phrases of the table that lies beside the study."""
    with resources.as_file(resources.files("harness.studies.biomed") / "tables" / FILE) as path:
        return read_phrases(path)


def knowing(text: Plain, phrases: Phrases) -> Knowing:
    """Give what a text says of its own knowing."""
    first = anywhere = elsewhere = False
    kept: list[str] = []
    for number, sentence in enumerate(text.sentences):
        parts: list[Span] = []
        for clause in clauses(sentence):
            folded = _folded(clause.text)
            if phrases.unknown.search(folded):
                first, anywhere = first or number == 0, True
            elif phrases.elsewhere.search(folded):
                elsewhere = True
            else:
                parts.append(clause)
        if parts:
            kept.append(" ".join(part.text for part in parts))
    return Knowing(first, anywhere, elsewhere, Plain("\n".join(kept)) if anywhere or elsewhere else text)


def weak_no(text: Plain) -> Plain:
    """Give a text with "I am not aware that it is so" as a guarded no: who has heard of no link says there is none.

    Of studies, data and the like it stays what it is, a word of not knowing.
    """
    changed = _NOT_AWARE.sub("there is possibly no ", text.text)
    return Plain(changed) if changed != text.text else text


def _phrases(rows: Iterable[tuple[str, str]]) -> Phrases:
    by_kind: dict[str, list[str]] = {UNKNOWN: [], ELSEWHERE: []}
    for kind, phrase in rows:
        if kind not in by_kind or not _folded(phrase):
            raise InputError(
                f"a phrase of the kind {kind!r}", where=f"the table {FILE}", next="take the table as it is"
            )
        by_kind[kind].append(_folded(phrase))
    return Phrases(
        *(re.compile(rf"\b(?:{'|'.join(map(re.escape, by_kind[kind]))})\b") for kind in (UNKNOWN, ELSEWHERE))
    )


def _folded(text: str) -> str:
    text = text.lower()
    for pattern, instead in _SHORT:
        text = pattern.sub(instead, text)
    return " ".join(_FILLERS.sub(" ", text).split())
