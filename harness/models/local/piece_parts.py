"""Parts of a table of pieces: contiguous slices in whole passages, so that each can be read by a step of its own.

Which pieces a part has depends on the table and the number of parts alone. It never opens a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.models.local.pieces import ActivationOptions

MOST = 10_000  # parts of one table


def require_part(part: Sequence[int]) -> tuple[int, int]:
    """Return a part as its number, from 0, and how many parts there are; InputError for what is none."""
    if len(part) != 2 or not all(type(each) is int for each in part) or not 0 <= part[0] < part[1] <= MOST:
        told = f"there is no part {[*part]!r:.60}"
        raise InputError(told, where="part", next=f"give its number from 0, and how many there are, at most {MOST:,}")
    return part[0], part[1]


@dataclass(frozen=True)
class PiecePart:
    """The pieces of the passages `first` to before `last` of a table, which may be read several times."""

    path: Path
    how: ActivationOptions
    first: int
    last: int

    @property
    def empty(self) -> bool:
        """Whether it has no passage."""
        return self.first == self.last

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Read the pieces of these passages."""
        for number, row in numbered(rows.read(self.path), self.how):
            if number >= self.last:
                return
            if number >= self.first:
                yield row

    @classmethod
    def of(cls, path: Path, how: ActivationOptions, part: Sequence[int]) -> PiecePart:
        """Take a part of a table: parts are equal in passages, but for one, and empty where there are too few of them.

        InputError for a passage whose pieces do not stand together, where the options ask for context.
        """
        which, parts = require_part(part)
        passages = 0
        for number, _ in numbered(rows.read(path), how):
            passages = number + 1
        return cls(path, how, which * passages // parts, (which + 1) * passages // parts)


def numbered(pieces: Iterable[Mapping[str, Any]], how: ActivationOptions) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give each piece with the number of its passage; a piece that names none is a passage of its own.

    InputError for a passage that goes on after another began, where the options ask for context.
    """
    number, passage, begun = -1, None, set[str]()
    for row in pieces:
        own = row.get("passage")
        if own is None or own != passage:
            number, passage = number + 1, own
            if how.context != "none":
                if own in begun:
                    raise InputError(
                        f"passage {own!r} goes on after another began",
                        where=f"piece {row.get('id')!r:.80}",
                        next="give the pieces of a passage one after the other",
                    )
                begun.add(str(own))
        yield number, dict(row)
