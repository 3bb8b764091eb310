"""The judging steps: a judge's prompts, the parsing of its replies, and a second judge that is a rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.kit import judged
from harness.kit.delimited import delimited
from harness.kit.prompts import fill, template
from harness.rowtypes import Gold, Item


def prompts(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write what the judge is asked: the first wording at first, the second about a reply that could not be read."""
    wordings = [template(row) for row in rows.read(inputs["templates"])]

    def word(case: judged.JudgedCase) -> str:
        texts = {"answer": case.response["text"], "reference": case.gold["gold"]["target"]}
        if case.unread:
            texts["reply"] = case.unread["text"]
        return fill(wordings[case.round], case.item["id"], delimited(texts))

    judged.ask(params, inputs, out, word)


def read(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write what the judge's replies say."""
    judged.read(params, inputs, out, grade)


def grade(item: Item, gold: Gold, text: str) -> Any:
    """Read a grade from 0 to 10 from the last line of a reply."""
    found = re.search(r"GRADE: (10|\d)\s*\Z", text)
    return int(found[1]) if found else {"missing": "no grade on the last line"}


def short(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Judge by a rule whether an answer is short."""
    judged.rule(params, inputs, out, lambda case: len(case.response["text"]) <= 20)
