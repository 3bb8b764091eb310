"""The scorer `match`: an answer is right if it equals a target or contains it in whole words, after normalisation.

Independent of the model that answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.rowtypes import Found
from harness.studies.questions.compared import finding, normalised, stands, targets

SWITCHES = ("case", "space", "punctuation", "articles")
ALL = dict.fromkeys(SWITCHES, True)


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: 1 if it matches the target or an accepted answer, else 0."""
    switches, where = {name: bool(params[name]) for name in SWITCHES}, str(params["where"])
    rule: graded.Rule = lambda seen: match(seen.response["text"], seen.gold["gold"], switches, where)  # noqa: E731
    graded.write(params, inputs, out, params["name"], rule)


def match(response: str, gold: Mapping[str, Any], switches: Mapping[str, bool] = ALL, where: str = "whole") -> Found:
    """Score one answer: 1 if one of the targets, normalised, is all of the answer or at the place `where` in it."""
    said = normalised(response, **switches)
    return finding(int(any(_matches(response, said, target, switches, where) for target in targets(gold))), said)


def _matches(response: str, said: str, target: str, switches: Mapping[str, bool], where: str) -> bool:
    """Compare normal forms; a target with an empty normal form, such as `A` or `?`, keeps articles and punctuation."""
    wanted = normalised(target, **switches)
    if wanted:
        return stands(wanted, said, where)
    least = {**switches, "punctuation": False, "articles": False}
    return stands(normalised(target, **least), normalised(response, **least), where)
