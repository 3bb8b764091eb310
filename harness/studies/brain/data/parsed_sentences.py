"""Reads the output of a dependency parser: CoNLL-U, one block of lines per sentence of the study.

Knows lemmas, word classes and heads, no vectors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError
from harness.studies.brain.data.source_order import read_lines, require_rows

COLUMNS = 10
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class ParsedWord:
    """A word of a sentence: its form, lemma, universal word class, head (0: the root) and relation to it."""

    form: str
    lemma: str
    upos: str
    head: int
    relation: str


@dataclass(frozen=True)
class ParsedSentence:
    """The words of a sentence."""

    words: tuple[ParsedWord, ...]


def read_parsed(name: str, path: Path, rows: int, texts: Sequence[str] = ()) -> list[ParsedSentence]:
    """Read a file of dependency parses: one sentence per row of the study, in its order.

    Raises InputError for another number of sentences, a line that is no word, a head that is no word of its sentence,
    and for a sentence that shares less than half of its words with its row in `texts`. Some words may differ, because
    the paper put names in place of pronouns before it summed senses.
    """
    found = list(_sentences(name, read_lines(name, path)))
    require_rows(name, len(found), rows, "sentences")
    for place, (sentence, text) in enumerate(zip(found, texts, strict=False)):
        own, wanted = {word.form.lower() for word in sentence.words}, {*_WORD.findall(text.lower())}
        if 2 * len(own & wanted) < min(len(own), len(wanted)):
            shown = " ".join(word.form for word in sentence.words)
            told = f"sentence {place + 1} is {shown[:60]!r}, its row is {text[:60]!r}"
            raise InputError(told, where=name, next="parse the study's sentences in its order, a block for each")
    return found


def _sentences(name: str, lines: Sequence[str]) -> Iterator[ParsedSentence]:
    words: list[ParsedWord] = []
    for number, line in enumerate([*lines, ""], 1):
        if line.startswith("#"):
            continue
        if line.strip():
            cells = line.split("\t")
            if len(cells) == COLUMNS and not cells[0].isdigit() and cells[0].strip("0123456789-.") == "" and cells[0]:
                continue  # a contraction, which its parts follow, or a word that is not in the text
            words.append(_word(f"{name}: line {number}", cells, len(words) + 1))
        elif words:
            if any(word.head > len(words) for word in words):
                told = "the head of a word is no word of its sentence"
                raise InputError(told, where=f"{name}: line {number}", next="give the parser's output unchanged")
            yield ParsedSentence(tuple(words))
            words = []


def _word(where: str, cells: Sequence[str], place: int) -> ParsedWord:
    sound = len(cells) == COLUMNS and cells[0] == str(place) and cells[6].isascii() and cells[6].isdigit()
    if not sound or not cells[1] or not cells[3] or len(cells[6]) > 4:
        told = f"it is no line of {COLUMNS} columns for word {place}"
        raise InputError(told, where=where, next="give CoNLL-U, with a tab between columns and a head for each word")
    return ParsedWord(cells[1], cells[2], cells[3], int(cells[6]), cells[7].partition(":")[0])
