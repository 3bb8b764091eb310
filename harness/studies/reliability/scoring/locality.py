"""The score step of the locality benchmark, which looks up the names of all cities in a gazetteer.

It must never know who answered.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.rowtypes import Gold, Item
from harness.scorers.outcome.gazetteer import Gazetteer, gazetteer
from harness.scorers.outcome.locality import locality
from harness.scorers.outcome.result import V1, V2, LabelResult, chosen, of
from harness.scorers.outcome.v2.locality import locality as locality_v2
from harness.studies.reliability.scoring.scored import part, write


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `scores`, one for each response; a label rests on the target and the city names of the gazetteer."""
    [given] = rows.read(inputs["gazetteer"])
    names = gazetteer(given["names"])
    rules = chosen(of(params), RULES)

    def label(item: Item, gold: Gold, text: str) -> LabelResult:
        city, target = part(item, "input", "city"), part(gold, "gold", "target")
        return rules(city, target, gold["gold"].get("accepted", ()), text, names)

    write(inputs, out, label)


def _first(city: str, target: str, accepted: Collection[str], response: str, names: Gazetteer) -> LabelResult:
    return locality(city, target, response, names)  # the first rule set knows no other names of a city


RULES = {V1: _first, V2: locality_v2}
