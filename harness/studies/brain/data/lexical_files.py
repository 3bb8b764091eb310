"""Reads the files of words and senses that a user brings: vectors by word or sense, counts of senses, chosen senses.

A file of vectors may be far larger than memory, so only the lines whose names are wanted are kept. Nothing here knows
a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.errors import InputError

Array = Any  # a numpy array
LONGEST = 1 << 20  # bytes of a line
# WordNet's sense keys: lemma, kind of word (1 noun, 2 verb, 3 and 5 adjective, 4 adverb), and three more fields.
SENSE_KEY = re.compile(r"(?P<lemma>[^%\s]+)%(?P<kind>[1-5]):\d\d:\d\d:[^:\s]*:\d{0,2}")


def read_named_vectors(name: str, path: Path, wanted: Callable[[str], bool]) -> dict[str, Array]:
    """Read the wanted lines of a text file with a name and numbers per line, as GloVe, word2vec and LMMS write them.

    A first line of two whole numbers, as word2vec writes it, is left out. Raises InputError naming the line for a
    vector that is not finite or has another length than the first, for a name that stands twice, and if no name is
    wanted.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    found: dict[str, Array] = {}
    length = 0
    for number, line in _lines(name, path):
        word, _, rest = line.partition(" ")
        cells = rest.split()
        if number == 1 and len(cells) == 1 and word.isdigit() and cells[0].isdigit():
            continue
        length = length or len(cells)
        if not wanted(word):
            continue
        where = f"{name}: line {number}"
        try:
            vector = np.array([float(cell) for cell in cells], np.float64)
        except ValueError:
            vector = np.zeros(0)
        if not len(vector) or len(vector) != length or not np.isfinite(vector).all():
            told = f"{word[:60]!r} has no vector of {length} finite numbers"
            raise InputError(told, where=where, next="give lines of a name and its numbers, with a space between them")
        if word in found:
            raise InputError(f"{word[:60]!r} stands twice", where=where, next="leave one of its lines")
        found[word] = vector
    if not found:
        raise InputError("no name in it is one of the sentences", where=name, next="give the vectors of their language")
    return found


def read_sense_counts(name: str, path: Path) -> dict[str, int]:
    """Read how often each sense was counted, from WordNet's `cntlist` (count first) or `cntlist.rev` (key first).

    Raises InputError naming the first line that is neither.
    """
    found: dict[str, int] = {}
    for number, line in _lines(name, path):
        cells = line.split()
        key, count = next(
            ((a, b) for a, b in ((cells[1:2], cells[:1]), (cells[:1], cells[2:3])) if _counts(a, b)), ([], [])
        )
        if len(cells) != 3 or not key:
            told = "a line is no count, sense key and number of the sense"
            raise InputError(told, where=f"{name}: line {number}", next="give WordNet's file cntlist or cntlist.rev")
        found[key[0]] = int(count[0])
    return found


def _counts(key: list[str], count: list[str]) -> bool:
    return bool(key and count and SENSE_KEY.fullmatch(key[0]) and count[0].isascii() and count[0].isdigit())


def read_chosen_senses(name: str, path: Path, rows: int) -> dict[int, list[str]]:
    """Read the sense keys that were chosen for the words of each row, from lines `ROW WORD KEY`, both counted from 1.

    Raises InputError naming the line for a row that there is not, for what is no sense key, and for a word that stands
    twice.
    """
    found: dict[int, list[str]] = {}
    seen: set[tuple[int, int]] = set()
    for number, line in _lines(name, path):
        cells = line.split()
        sound = len(cells) == 3 and all(cell.isascii() and cell.isdigit() and len(cell) < 6 for cell in cells[:2])
        if not sound or not 1 <= int(cells[0]) <= rows or not int(cells[1]) or not SENSE_KEY.fullmatch(cells[2]):
            told = f"a line is no row of 1 to {rows}, word and sense key"
            raise InputError(told, where=f"{name}: line {number}", next="write lines like `12 3 dog%1:05:00::`")
        place = int(cells[0]), int(cells[1])
        if place in seen:
            told = f"word {place[1]} of row {place[0]} has a second sense"
            raise InputError(told, where=f"{name}: line {number}", next="choose one sense for a word")
        seen.add(place)
        found.setdefault(place[0] - 1, []).append(cells[2])
    return found


def senses_by_lemma(vectors: Mapping[str, Array]) -> dict[tuple[str, str], list[str]]:
    """Group sense keys by lemma and kind of word; both kinds of adjective are one."""
    found: dict[tuple[str, str], list[str]] = {}
    for key in sorted(vectors):
        if of := SENSE_KEY.fullmatch(key):
            found.setdefault((of["lemma"].lower(), of["kind"].replace("5", "3")), []).append(key)
    return found


def _lines(name: str, path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file that are not empty, with their numbers; raise InputError for other files."""
    with open(path, "rb") as file:
        for number, data in enumerate(iter(lambda: file.readline(LONGEST + 1), b""), 1):
            try:
                line = data.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError:
                line = None
            if line is None or len(data) > LONGEST:
                told = "the line is not UTF-8" if line is None else "the line has more than a mebibyte"
                raise InputError(told, where=f"{name}: line {number}", next="give a text file")
            if line:
                yield number, line
