"""Error rows of models: how many of a run's rows have no answer, the first error's text, and how many are allowed.

It reads rows that steps have written, and never asks a model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from harness.errors import InputError
from harness.store.entries import Entry
from harness.store.store import Store

ERROR = b'{"error":'  # how a row begins that is no answer: names stand in order


@dataclass(frozen=True)
class AnswerErrors:
    """The error rows of one model: how many of how many, and the text of the first."""

    model: str
    rows: int
    errors: int
    said: str

    def __str__(self) -> str:
        """Describe them in one line."""
        return f"{self.model} left {self.errors} of {self.rows} rows without an answer; the first: {self.said}"


@dataclass(frozen=True)
class ErrorLimit:
    """The limit on a model's error rows: a count, or a share of its rows; without either, none is allowed."""

    count: int | None = None
    share: Decimal | None = None

    @property
    def all(self) -> bool:
        """Whether any number of errors is allowed."""
        return self.share == 1

    def allows(self, gap: AnswerErrors) -> bool:
        """Whether the error rows of one model are within the limit."""
        if self.count is not None:
            return gap.errors <= self.count
        return self.share is not None and gap.errors <= self.share * gap.rows


NO_ERRORS = ErrorLimit(count=0)


def read_error_limit(text: str) -> ErrorLimit | None:
    """Parse `--max-errors`: a count such as `12`, or a share such as `5%` or `0.05`; None if empty; refuse others."""
    if not text:
        return None
    found = re.fullmatch(r"([0-9]{1,9})|(0?\.[0-9]{1,9}|[01]\.[0-9]{1,9})|([0-9]{1,3}(?:\.[0-9]{1,9})?)%", text.strip())
    share = Decimal(found[2] or found[3]) / (100 if found[3] else 1) if found and not found[1] else None
    if not found or (share is not None and share > 1):
        raise InputError(
            f"{text!r} is no number of errors", where="--max-errors", next="write a count such as 12, or a share: 5%"
        )
    return ErrorLimit(int(found[1])) if found[1] else ErrorLimit(share=share)


def count_errors(store: Store, answers: Iterable[tuple[Mapping[str, Any], Entry]]) -> list[AnswerErrors]:
    """Count the error rows in the outputs of answering steps, by model; models without any are left out."""
    rows: dict[str, list[int]] = {}
    words: dict[str, str] = {}
    for params, entry in answers:
        if "responses" not in entry.outputs or "model" not in params:  # what gathers them is no model
            continue
        model = str(params["model"])
        counted = rows.setdefault(model, [0, 0])
        with open(store.blobs.deliver(entry.outputs["responses"].sha256), "rb") as lines:
            for line in lines:
                counted[0] += 1
                if line.startswith(ERROR):
                    counted[1] += 1
                    if model not in words:
                        words[model] = str(json.loads(line)["error"])
    return [AnswerErrors(model, whole, lost, words[model]) for model, (whole, lost) in sorted(rows.items()) if lost]


def over_limit(found: Iterable[AnswerErrors], allowed: ErrorLimit | None) -> list[AnswerErrors]:
    """Return those of `found` that are over the limit; without a limit, those whose rows are all errors."""
    return [gap for gap in found if (not allowed.allows(gap) if allowed else gap.errors == gap.rows)]
