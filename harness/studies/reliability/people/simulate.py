"""Simulated survey respondents for the studies S1 and S2, since the raw survey data may not be distributed.

Everything here is made up. It tests the analyses and shows nothing about people. Only people/studies.py writes the
field `simulated`, which says so. Works on difficulties and labels; sees no questions or outputs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness import rows, seeds
from harness.errors import InputError
from harness.studies.reliability.rowtypes import Expectation

TASK = "people"
WIDTH = 15.0  # points of difficulty over which the odds of failing grow by the factor e
SLIP = 0.1  # how often a person with noise 1 gives another verdict than intended


@dataclass(frozen=True, slots=True)
class SimulatedPerson:
    """A simulated participant: an id and three made-up traits, skill, caution and noise."""

    id: str
    skill: float  # how much better than the average human, in logits
    caution: float  # 0 to 1: how readily the person says "I do not know"
    noise: float  # 0 to 1: how scattered the person's reports are


def person(seed: int, index: int, width: int) -> SimulatedPerson:
    """Draw one simulated participant of a survey from seed and index; `width` is the number of digits in the id.

    The draws are independent of each other.
    """
    name = f"person-{index:0{width}d}"
    return SimulatedPerson(
        name,
        skill=0.8 * _normal(seed, "skill", name),
        caution=_unit(seed, "caution", name),
        noise=_unit(seed, "noise", name),
    )


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Draw `count` simulated participants from `seed`; write them as `items`, and their number in `counts`.

    Raises InputError for a count below one.
    """
    count = params["count"]
    if count < 1:
        raise InputError(f"{count} participants make no study", where="count", next="ask for at least one")
    width = max(5, len(str(count - 1)))
    people = (person(params["seed"], index, width) for index in range(count))
    rows.write(out / "items", ({"task": TASK, **asdict(each)} for each in people))
    rows.write_one(out / "counts", {TASK: {"drawn": count, "kept": count, "removed": 0}})


def read(path: Path) -> list[SimulatedPerson]:
    """Read simulated participants from the `items` file that `make` wrote."""
    names = ("skill", "caution", "noise")
    return [SimulatedPerson(row["id"], *(float(row[name]) for name in names)) for row in rows.read(path)]


def expects(who: SimulatedPerson, item: str, difficulty: float, seed: int) -> Expectation:
    """Simulate one participant's expectation of an item (study S1): own answer, confidence, failure expected of others.

    Returns the label of the participant's own answer and, in per cent, the confidence in it and the failure expected of
    others.
    """
    about = f"{who.id}/{item}"
    fails = _logistic((difficulty - 50) / WIDTH - who.skill)
    if _unit(seed, "answer", about) >= fails:
        label = "c"
    else:
        label = "a" if _unit(seed, "avoid", about) < who.caution / 2 else "i"
    sure = 1 - fails + (0.15 if label == "c" else 0.0) - (0.3 if label == "a" else 0.0)
    # People tell easy from hard, but less sharply than the truth, and judge others partly by themselves.
    thought = _logistic(0.7 * (difficulty - 50) / WIDTH - 0.2 * who.skill + who.noise * _normal(seed, "expect", about))
    return {
        "answer_label": label,
        "confidence": _percent(sure + 0.2 * who.noise * _normal(seed, "sure", about)),
        "expected_failure": _percent(thought),
    }


def verdict(who: SimulatedPerson, output: str, label: str, difficulty: float, seed: int) -> str:
    """Simulate one participant's verdict on a model output (study S2): correct, avoidant, incorrect or unsure.

    Apart from slips, an avoidant output is always recognised. Any other output is recognised if the person knows the
    answer, which is more likely for easier items. Otherwise the verdict is unsure, or c more often than i.
    """
    about = f"{who.id}/{output}"
    if _unit(seed, "slip", about) < SLIP * who.noise:
        return "caiu"[min(3, int(4 * _unit(seed, "slip.to", about)))]
    if label == "a":  # a missing answer is easy to see
        return "a"
    if _unit(seed, "knows", about) >= _logistic((difficulty - 50) / WIDTH - who.skill):
        return label
    if _unit(seed, "unsure", about) < who.caution / 2:
        return "u"
    return "c" if _unit(seed, "trusts", about) < 0.7 else "i"  # a fluent answer is believed more often than not


def _unit(seed: int, what: str, about: str) -> float:
    return seeds.unit_number(seeds.derive_seed(seed, f"people.{what}", about))


def _normal(seed: int, what: str, about: str) -> float:
    """Draw from the standard normal distribution by the Box-Muller method, from two uniform draws."""
    radius = math.sqrt(-2 * math.log(1 - _unit(seed, what, about)))
    return radius * math.cos(2 * math.pi * _unit(seed, f"{what}.angle", about))


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, value))))


def _percent(share: float) -> int:
    return round(100 * max(0.0, min(1.0, share)))
