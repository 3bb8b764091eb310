"""Facts of models for figures, cards and report: kind, family and order, and the basis of all values.

Works on facts of models and names of indicators; computes and draws no values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.kit.documents import number, resampled, section, span
from harness.studies.reliability import terms

Facts = Mapping[str, Any]
Models = Mapping[str, Facts]
SIX: Mapping[str, str] = {name: name.replace("_", " ").capitalize() for name in terms.SIX}
SHARES = tuple(terms.NAMES.values())
RAW, SHAPED = terms.GROUPS.values()
STAND_IN, UNSAID = "stand-in", "not said"
KINDS = (RAW, SHAPED, STAND_IN, UNSAID)
OTHERS, STAND_INS = "others", "stand-ins"


def kind(facts: Facts) -> str:
    """Return the kind of a model: RAW, SHAPED, STAND_IN, or UNSAID if its facts do not tell."""
    return STAND_IN if terms.is_stand_in(facts) else terms.group(facts) or UNSAID


def families(models: Models) -> dict[str, list[str]]:
    """Group models by family, in display order.

    Within a family raw models come before shaped ones, and small before large. The family `others` and then the
    stand-ins come last.
    """
    found: dict[str, list[str]] = {}
    for name in sorted(models, key=lambda name: _place(name, models[name])):
        found.setdefault(family(models[name]), []).append(name)
    return found


def family(facts: Facts) -> str:
    """Return the family of a model: `stand-ins` for a stand-in, `others` if its facts name none."""
    if kind(facts) == STAND_IN:
        return STAND_INS
    return str(facts.get("family") or OTHERS)


def _place(name: str, facts: Facts) -> tuple[Any, ...]:
    sizes = [number(facts.get(size)) or math.inf for size in ("flops", "parameters")]  # compute decides first, if known
    last = kind(facts) == STAND_IN, family(facts) == OTHERS
    return (*last, family(facts), KINDS.index(kind(facts)), *sizes, _natural(name), name)


def _natural(text: str) -> list[tuple[int, str]]:
    """Return a natural sort key: 7b before 13b."""
    return [(int(digits or 0), letters) for digits, letters in re.findall(r"([0-9]{0,15})([^0-9]*)", text)]


@dataclass(frozen=True)
class Basis:
    """The basis of a run's values: rule set, difficulty scale, intervals, planted contrasts, imported benchmarks."""

    rule_set: str
    calibrated: bool
    intervals: str  # what an interval means
    planted: bool
    imported: tuple[str, ...]  # the benchmarks from the published dataset, not from data of our own
    all_imported: bool  # whether there are no others

    @property
    def rules(self) -> str:
        """The sentence that names the rule set of the labels, or says that none is named."""
        return f"Labels by the rule set {self.rule_set}." if self.rule_set else "No rule set is named: nothing scored."

    @property
    def scale(self) -> str:
        """The sentence on the scale of difficulties: calibrated on people's expectations or not."""
        if self.calibrated:
            return "Difficulty calibrated on what people expect."
        return "Difficulty uncalibrated: not fitted to what people expect."

    @property
    def warning(self) -> str:
        """The warning that a contrast between models was planted; empty if none was."""
        return "Planted contrast, no claim: these models were made to differ." if self.planted else ""

    def small_print(self, *more: str, intervals: bool = False) -> str:
        """Return a figure's small print: warning, rule set, scale, the sentence on intervals if wanted, and `more`."""
        parts = (self.warning, self.rules, self.scale, self.intervals if intervals else "", *more)
        return " ".join(part for part in parts if part)


def basis(params: Mapping[str, Any], indicators: Mapping[str, Any]) -> Basis:
    """Return the basis of a run's values, from the document `indicators` and the step's parameters."""
    imported, benchmarks = tuple(sorted(params.get("imported", ()))), set(section(indicators, "benchmarks"))
    return Basis(
        rule_set=str(indicators.get("rule_set") or ""),
        calibrated=indicators.get("calibrated") is True,
        intervals=_intervals(section(indicators, "ci")),
        planted=params.get("planted") is True,
        imported=imported,
        all_imported=bool(benchmarks) and benchmarks <= set(imported),
    )


def _intervals(found: Mapping[str, Any]) -> str:
    """Return the text on how intervals were made and, for kinds with too few items, on their measured coverage."""
    said = [resampled(found)]
    if found.get("recentred"):
        said.append("Resampled stabilities and concordances are moved by twice their bias.")
    short = [words for kind in section(found, "coverage") if (words := _short(kind, section(found, "coverage", kind)))]
    if short:
        said.append(f"In simulations they held the true value of a {'; of a '.join(short)}.")
    return " ".join(said)


def _short(kind: str, measured: Mapping[str, Any]) -> str:
    """Return the coverage of a kind of intervals below the sufficient number of items; empty if any number suffices."""
    enough = number(measured.get("holds_from")) or 0
    held = {int(items): span(ends) for items, ends in section(measured, "held").items() if int(items) < enough}
    parts = [f"{100 * ends[0]:.0f} to {100 * ends[1]:.0f} % at {at} items" for at, ends in sorted(held.items()) if ends]
    return f"{kind} in {', '.join(parts)}, often enough from {enough:.0f} on" if parts else ""
