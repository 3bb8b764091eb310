"""The step that labels responses to additions; apart from the maker, whose data must not depend on a scoring rule.

It must never know who answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.scorers.outcome.addition import addition
from harness.scorers.outcome.result import Outcome
from harness.studies.reliability import scored


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response."""
    scored.write(inputs, out, label)


def label(item: rows.Row, gold: rows.Row, text: str) -> Outcome:
    """Label one response, by the addends; a gold that is not their sum would make every label a lie."""
    a, b = item["input"]["a"], item["input"]["b"]
    if gold["gold"]["target"] != str(int(a) + int(b)):
        raise InputError("the gold is not the sum of the addends", where=f"gold {item['id']}")
    return addition(a, b, text)
