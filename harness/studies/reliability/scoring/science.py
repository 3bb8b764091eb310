"""The step that labels responses to science questions; a question with its options, and the key apart.

It must never know who answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.scorers.outcome.result import Outcome
from harness.scorers.outcome.science import LETTERS, science
from harness.studies.reliability.scoring import scored


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response."""
    scored.write(inputs, out, label)


def label(item: rows.Row, gold: rows.Row, text: str) -> Outcome:
    """Label one response; a key that is no letter of an option would make every label a lie."""
    key = gold["gold"]["target"]
    if key not in LETTERS or key not in item["options"]:
        raise InputError("the gold is not the letter of an option", where=f"gold {item['id']}")
    return science(item["options"], key, text)
