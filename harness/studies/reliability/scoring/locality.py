"""The score step of the locality benchmark, which uses a gazetteer with the names of all cities.

Independent of the model that answered.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.answers.gazetteer import Gazetteer, gazetteer
from harness.answers.locality import locality
from harness.answers.result import V1, V2, LabelResult, chosen, of
from harness.answers.v2.locality import locality as locality_v2
from harness.rowtypes import Gold, Item
from harness.studies.reliability.scoring.scored import part, write


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score per response: correct, avoidant or incorrect by the target and the city names it contains."""
    [given] = rows.read(inputs["gazetteer"])
    names = gazetteer(given["names"])
    rules = chosen(of(params), RULES)

    def label(item: Item, gold: Gold, text: str) -> LabelResult:
        city, target = part(item, "input", "city"), part(gold, "gold", "target")
        return rules(city, target, gold["gold"].get("accepted", ()), text, names)

    write(inputs, out, label)


def _first(city: str, target: str, accepted: Collection[str], response: str, names: Gazetteer) -> LabelResult:
    return locality(city, target, response, names)  # the first rule set has no alternate names of a city


RULES = {V1: _first, V2: locality_v2}
