"""The tests of a code item, read: calls whose right values a scorer keeps, or Python that runs beside the answer.

Written as Python (`assert add(2, 3) == 5`), or as a JSON list of it. They are the user's own, parsed and never run
here. It must never know an answer.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from typing import Any

from harness.digest import sha256
from harness.studies.questions.code.code_entry import spelled

LONGEST = 500_000  # characters


@dataclass(frozen=True)
class CodeTests:
    """Tests that were read: what stands before them, the calls and what each must give, or the Python that is left."""

    setup: str
    calls: tuple[str, ...]
    values: tuple[str, ...]  # spelled, one for each call
    rest: str  # all of the tests, where not each compares a call with a plain value

    @property
    def mark(self) -> str:
        """Give what a trial prints where tests that run beside the answer came to their end."""
        return sha256(self.rest.encode("utf-8", "replace"))

    def visible(self) -> dict[str, Any]:
        """Give what a trial may see of them: no value that a call must give."""
        return {"setup": self.setup, "calls": list(self.calls), "rest": self.rest, "mark": self.mark}


def read_tests(text: str) -> CodeTests | str:
    """Read an item's tests, or say why they are none."""
    if not text.strip():
        return "the item has no tests"
    if len(text) > LONGEST:
        return "the tests are too long"
    text = _joined(text)
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "the tests are no Python"
    setup: list[str] = []
    calls: list[str] = []
    values: list[str] = []
    for each in body:
        if isinstance(each, ast.Assert) and (pair := _compared(each.test)):
            calls.append(pair[0])
            values.append(pair[1])
        elif isinstance(each, ast.Import | ast.ImportFrom) and not calls:
            setup.append(ast.unparse(each))
        else:
            return CodeTests("", (), (), text)
    return CodeTests("\n".join(setup), tuple(calls), tuple(values), "") if calls else CodeTests("", (), (), text)


def _joined(text: str) -> str:
    """Give tests that are a JSON list of texts as one text, line by line."""
    if not text.lstrip().startswith("["):
        return text
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return "\n".join(listed) if isinstance(listed, list) and all(isinstance(one, str) for one in listed) else text


def _compared(test: ast.expr) -> tuple[str, str] | None:
    """Give a call and what it must give, spelled, of `call == value`; None of anything else."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return None
    try:
        value = ast.literal_eval(test.comparators[0])
        return ast.unparse(test.left), spelled(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
