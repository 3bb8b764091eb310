"""Parser of a code item's tests: calls whose expected values stay with the scorer, or Python that runs with the answer.

Tests are written as Python (`assert add(2, 3) == 5`) or as a JSON list of such texts. They come from the user. This
module parses them and does not run them. Sees no answers.
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
    """An item's parsed unit tests: imports, the calls and expected values, or the whole text if it was not split."""

    setup: str
    calls: tuple[str, ...]
    values: tuple[str, ...]  # spelled by `spelled`, one for each call
    rest: str  # the whole text, if some test does not compare a call with a plain value

    @property
    def mark(self) -> str:
        """The text that a trial prints if the tests that run beside the answer's code reached their end."""
        return sha256(self.rest.encode("utf-8", "replace"))

    def visible(self) -> dict[str, Any]:
        """Return the parts of the tests that a trial may see, without the expected value of any call."""
        return {"setup": self.setup, "calls": list(self.calls), "rest": self.rest, "mark": self.mark}


def read_tests(text: str) -> CodeTests | str:
    """Parse an item's unit tests; return the reason as a text if they are not valid."""
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
    """Return tests that are a JSON list of texts as one text, one entry per line."""
    if not text.lstrip().startswith("["):
        return text
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return "\n".join(listed) if isinstance(listed, list) and all(isinstance(one, str) for one in listed) else text


def _compared(test: ast.expr) -> tuple[str, str] | None:
    """Return the call and its expected value, spelled, of a test `call == value`; None for any other expression."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return None
    try:
        value = ast.literal_eval(test.comparators[0])
        return ast.unparse(test.left), spelled(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
