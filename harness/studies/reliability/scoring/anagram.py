"""The step that labels responses to anagrams; apart from the maker, whose data must not depend on a scoring rule.

It must never know who answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.scorers.outcome.anagram import anagram
from harness.scorers.outcome.result import Outcome
from harness.studies.reliability.scoring import scored


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response."""
    scored.write(inputs, out, label)


def label(item: rows.Row, gold: rows.Row, text: str) -> Outcome:
    """Label one response, by the words that solve the item; a gold of other letters would make every label a lie."""
    try:
        letters, right = item["input"]["anagram"], gold["gold"]
        target, accepted = right["target"], right.get("accepted", ())
    except KeyError as bad:
        raise InputError(f"the field {bad} is missing", where=f"item or gold {item['id']}") from bad
    if sorted(letters) != sorted(target):
        raise InputError("the gold is not made of the letters that are shown", where=f"gold {item['id']}")
    return anagram(letters, accepted, text, target)
