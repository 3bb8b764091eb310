"""The scorer `exact`: an answer is right where it is a target, letter by letter, but for the space around either.

It must never know who answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.rowtypes import Found
from harness.studies.questions.compared import finding, targets


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: 1 where it is the target or accepted, else 0; an error has none."""
    rule: graded.Rule = lambda seen: exact(seen.response["text"], seen.gold["gold"])  # noqa: E731
    graded.write(params, inputs, out, params["name"], rule)


def exact(response: str, gold: Mapping[str, Any]) -> Found:
    """Score one answer: 1 where it is one of the targets, letter by letter."""
    said = response.strip()
    return finding(int(said in [target.strip() for target in targets(gold)]), said)
