"""The score step of the locality benchmark, which looks up the names of all cities in a gazetteer.

It must never know who answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.rowtypes import Gold, Item
from harness.scorers.outcome.gazetteer import gazetteer
from harness.scorers.outcome.locality import locality
from harness.scorers.outcome.result import LabelResult
from harness.studies.reliability.scoring.scored import part, write


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `scores`, one for each response; a label rests on the target and the city names of the gazetteer."""
    [given] = rows.read(inputs["gazetteer"])
    names = gazetteer(given["names"])

    def label(item: Item, gold: Gold, text: str) -> LabelResult:
        return locality(part(item, "input", "city"), part(gold, "gold", "target"), text, names)

    write(inputs, out, label)
