"""How the figures, cards and the page read an analysis: values that may be absent, and models in an order for people.

It knows the shapes of the study's documents; it must never know how a value is drawn, nor compute one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.reliability import terms

Facts = Mapping[str, Any]
Models = Mapping[str, Facts]
SIX: Mapping[str, str] = {name: name.replace("_", " ").capitalize() for name in terms.SIX}
SHARES = tuple(terms.NAMES.values())
RAW, SHAPED = terms.GROUPS.values()
STAND_IN, UNSAID = "stand-in", "not said"
KINDS = (RAW, SHAPED, STAND_IN, UNSAID)
NO_VALUE = "no value"
OTHERS = "others"


def documents(inputs: Mapping[str, Path], names: Iterable[str]) -> dict[str, Mapping[str, Any]]:
    """Read the documents that are given among those asked for; an absent one is empty."""
    return {name: next(iter(rows.read(inputs[name])), {}) if name in inputs else {} for name in names}


def number(value: Any) -> float | None:
    """Give the number of a value, of a statistic with an interval or of a number spelled as text; None if absent."""
    if isinstance(value, Mapping):
        value = value.get("value")
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def interval(value: Any) -> tuple[float, float] | None:
    """Give a statistic's interval; None where there is none."""
    bounds = value.get("interval") if isinstance(value, Mapping) else None
    return span(bounds)


def span(bounds: Any) -> tuple[float, float] | None:
    """Give two bounds as numbers; None where one of them is absent."""
    if not isinstance(bounds, list | tuple) or len(bounds) != 2:
        return None
    low, high = number(bounds[0]), number(bounds[1])
    return None if low is None or high is None else (low, high)


def ends(found: Mapping[str, Any]) -> str:
    """Spell a bin's range of difficulty, or its mean where a document has no more."""
    bounds = span([found.get("low"), found.get("high")])
    if bounds:
        return "\N{EN DASH}".join(dict.fromkeys(f"{end:.0f}" for end in bounds))
    mean = number(found.get("difficulty"))
    return "" if mean is None else f"{mean:.0f}"


def reason(value: Any) -> str:
    """Say why a value is absent, in the words of the analysis that left it out."""
    for found in (value, value.get("value") if isinstance(value, Mapping) else None):
        if isinstance(found, Mapping) and "missing" in found:
            return str(found["missing"])
    return NO_VALUE


def section(document: Any, *path: str) -> Mapping[str, Any]:
    """Give an object inside a document; an empty one where it, or a part of the way to it, is absent."""
    for name in path:
        document = document.get(name, {}) if isinstance(document, Mapping) else {}
    return document if isinstance(document, Mapping) and "missing" not in document else {}


def kind(facts: Facts) -> str:
    """Say what a model is: raw, shaped, a stand-in, or that nobody said."""
    return STAND_IN if terms.is_stand_in(facts) else terms.group(facts) or UNSAID


def families(models: Models) -> dict[str, list[str]]:
    """Group models by family: inside one raw before shaped, small before large; stand-ins and the unsaid come last."""
    found: dict[str, list[str]] = {}
    for name in sorted(models, key=lambda name: _place(name, models[name])):
        found.setdefault(family(models[name]), []).append(name)
    return found


def family(facts: Facts) -> str:
    """Name the family a model belongs to."""
    if kind(facts) == STAND_IN:
        return "stand-ins"
    return str(facts.get("family") or OTHERS)


def _place(name: str, facts: Facts) -> tuple[Any, ...]:
    sizes = [number(facts.get(size)) or math.inf for size in ("flops", "parameters")]  # compute comes first if known
    last = kind(facts) == STAND_IN, family(facts) == OTHERS
    return (*last, family(facts), KINDS.index(kind(facts)), *sizes, _natural(name), name)


def _natural(text: str) -> list[tuple[int, str]]:
    """Order as people count: 7b before 13b."""
    return [(int(digits or 0), letters) for digits, letters in re.findall(r"([0-9]{0,15})([^0-9]*)", text)]


def resampled(found: Mapping[str, Any]) -> str:
    """Say what an interval means, from what an analysis says of its own."""
    level, count = number(found.get("level")), number(found.get("resamples"))
    if level is None or not count:
        return "No intervals were computed."
    fixed: Sequence[Any] = found.get("fixed") or ()
    words = f"Intervals: {100 * level:g} % percentile, {count:,.0f} resamples of {found.get('of', 'instances')}"
    return f"{words}; {' and '.join(map(str, fixed))} held fixed." if fixed else f"{words}."


@dataclass(frozen=True)
class Basis:
    """What all values of a run rest on, as every figure, card and page has to say."""

    rule_set: str
    calibrated: bool
    intervals: str  # what an interval means
    planted: bool
    imported: tuple[str, ...]  # the benchmarks that come from the published dataset, not from data of our own
    all_imported: bool  # and there are no others

    @property
    def rules(self) -> str:
        """Say which rules gave the labels."""
        return f"Labels by the rule set {self.rule_set}." if self.rule_set else "No rule set is named: nothing scored."

    @property
    def scale(self) -> str:
        """Say what the difficulties are worth."""
        if self.calibrated:
            return "Difficulty calibrated on what people expect."
        return "Difficulty uncalibrated: not fitted to what people expect."

    @property
    def warning(self) -> str:
        """Say that a contrast was planted, where it was."""
        return "Planted contrast, no claim: these models were made to differ." if self.planted else ""

    def small_print(self, *more: str, intervals: bool = False) -> str:
        """Put together what stands at the foot of a figure."""
        parts = (self.warning, self.rules, self.scale, self.intervals if intervals else "", *more)
        return " ".join(part for part in parts if part)


def basis(params: Mapping[str, Any], indicators: Mapping[str, Any]) -> Basis:
    """Read from the indicators and the plan what all values rest on."""
    imported, benchmarks = tuple(sorted(params.get("imported", ()))), set(section(indicators, "benchmarks"))
    return Basis(
        rule_set=str(indicators.get("rule_set") or ""),
        calibrated=indicators.get("calibrated") is True,
        intervals=resampled(section(indicators, "ci")),
        planted=params.get("planted") is True,
        imported=imported,
        all_imported=bool(benchmarks) and benchmarks <= set(imported),
    )
