"""Converts cells of a user's file: to one text, to several texts, to options, and to the letter of the right option.

Independent of wordings and scorers. Error messages never quote a cell.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.studies.questions.data.tables import Cell, JsonNumber, SourceFile

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTER, TEXT, INDEX = "letter", "text", "index"  # how a cell may say which option is right


def text(cell: Cell, file: SourceFile, number: int, column: str) -> str:
    """Return a table cell as text; raise InputError, with file, row and column, for a list and for invalid Unicode."""
    if type(cell) is str and cell.isascii():  # nearly every cell
        return cell
    if isinstance(cell, JsonNumber):
        return cell.text
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if cell is None:
        return ""
    if isinstance(cell, int):
        return str(cell)
    if isinstance(cell, Mapping):
        cell = json.dumps(cell, ensure_ascii=False, sort_keys=True)
    if not isinstance(cell, str):
        raise InputError("this is a list, and a text is asked for", where=file.at(number, column), next="write a text")
    try:
        cell.encode()
    except UnicodeEncodeError:
        raise InputError(
            "this is no Unicode text: it holds half of a surrogate pair",
            where=file.at(number, column),
            next="write the character itself",
        ) from None
    return cell


def filled(cell: Cell, what: str, file: SourceFile, number: int, column: str) -> str:
    """Return a table cell as text that is not empty; raise InputError, which calls the cell `what`, if it is empty."""
    found = text(cell, file, number, column)
    if not found.strip():
        raise InputError(
            f"the {what} is empty",
            where=file.at(number, column),
            next="fill it in, or leave such rows out with `where`",
        )
    return found


def several(cell: Cell, file: SourceFile, number: int, column: str, between: str = "") -> list[str]:
    """Return the list of texts in a table cell: a list, a JSON list as text, or texts separated by `between`.

    An empty cell holds no texts if `between` is given; otherwise it raises InputError.
    """
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        try:
            cell = json.loads(cell, parse_float=JsonNumber)
        except (ValueError, RecursionError):
            cell = cell if between else None
    elif isinstance(cell, str) and not between and cell.strip():
        cell = None
    if isinstance(cell, list):
        return [text(one, file, number, column) for one in cell]
    if between:
        plain = text(cell, file, number, column)
        return [one.strip() for one in plain.split(between) if one.strip()]
    if cell in ("", None):
        raise InputError(
            "this is no JSON list of texts",
            where=file.at(number, column),
            next='write a list such as ["Paris", "Rome"], or name a column for each option',
        )
    return [text(cell, file, number, column)]


def options(row: Mapping[str, Cell], columns: Sequence[str], file: SourceFile, number: int) -> dict[str, str]:
    """Return a row's answer options by letter, from one column each or from one column that holds a JSON list.

    Empty columns at the end are left out. Raises InputError for fewer than two options, more than 26, or a gap.
    """
    if len(columns) == 1:
        found = several(row[columns[0]], file, number, columns[0])
    else:
        found = [text(row[column], file, number, column) for column in columns]
        while found and not found[-1].strip():
            found.pop()
    if empty := [place for place, one in enumerate(found) if not one.strip()]:
        raise InputError(
            f"option {LETTERS[empty[0] % 26]} is empty",
            where=file.at(number, columns[empty[0] % len(columns)]),
            next="fill it in; options are left out at the end only",
        )
    if not 2 <= len(found) <= len(LETTERS):
        raise InputError(
            f"there are {len(found)} options, and a choice has 2 to 26",
            where=file.at(number, columns[0]),
            next="write the options, or leave such rows out with `where`",
        )
    return dict(zip(LETTERS, found, strict=False))


class Rightness:
    """How a target column names the right option (by letter, text or index): given, or inferred from all rows."""

    def __init__(self, said: str | None, file: SourceFile, column: str) -> None:
        self.file, self.column, self.said = file, column, said
        self._ways = [said] if said else [LETTER, TEXT, INDEX]
        self._apart: set[tuple[str, str]] = set()  # pairs of ways that read different letters in some row

    def see(self, target: str, choices: Mapping[str, str], number: int) -> None:
        """Rule out the ways of naming an option that cannot read this row; raise InputError if none is left."""
        found = {way: letter for way in self._ways if (letter := _letter(way, target, choices))}
        if not found:
            how = " or ".join(self._ways)
            raise InputError(
                f"the target is no {how} of an option of its row",
                where=self.file.at(number, self.column),
                next="write the letter (A, B, …), the text of one option, or its number from 0, in one way in all rows",
            )
        self._ways = list(found)
        self._apart |= {(one, two) for one in found for two in found if found[one] != found[two]}

    @property
    def way(self) -> str:
        """How the target column names the right option; raises InputError if two ways fit and disagree."""
        first = self._ways[0]
        if clash := [way for way in self._ways if (first, way) in self._apart]:
            raise InputError(
                f"the targets may be read as {first} or as {clash[0]} of the option that is right, which differ",
                where=self.file.at(0, self.column),
                next=f"say how: `target_is: {first}`, or `target_is: {clash[0]}`",
            )
        return first


def right(way: str, target: str, choices: Mapping[str, str], place: Any) -> str:
    """Return the letter of the option that a row's target names; raise InputError if it names none."""
    letter = _letter(way, target, choices)
    if not letter:
        raise InputError(f"the target is no {way} of an option of its row", where=str(place), next="correct that cell")
    return letter


def _letter(way: str, target: str, choices: Mapping[str, str]) -> str:
    plain = target.strip()
    if way == LETTER:
        return plain.upper() if plain.upper() in choices else ""
    if way == INDEX:
        small = plain.isascii() and plain.isdigit() and len(plain) <= 2
        return LETTERS[int(plain)] if small and int(plain) < len(choices) else ""
    same = [letter for letter, one in choices.items() if one.strip() == plain]
    return same[0] if len(same) == 1 else ""
