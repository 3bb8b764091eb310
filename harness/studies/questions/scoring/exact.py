"""The scorer `exact`: an answer is right if it equals a target character by character, apart from surrounding space.

Independent of the model that answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.rowtypes import Found
from harness.studies.questions.compared import finding, targets


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: 1 if it equals the target or an accepted answer, else 0; none for an error."""
    rule: graded.Rule = lambda seen: exact(seen.response["text"], seen.gold["gold"])  # noqa: E731
    graded.write(params, inputs, out, params["name"], rule)


def exact(response: str, gold: Mapping[str, Any]) -> Found:
    """Score one answer: 1 if it equals one of the targets character by character."""
    said = response.strip()
    return finding(int(said in [target.strip() for target in targets(gold)]), said)
