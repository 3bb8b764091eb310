"""The judge of the GPU check: decisions against the CPU's, bytes of the two runs, and times against their bounds.

Pure: sides in, a report out. It never runs anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gpu.findings import Finding, Side

SCHEMA = "gpu-check/1"


@dataclass(frozen=True)
class Compared:
    """One finding of the device beside another of the same."""

    label: str
    against: str
    decisions: int
    differ: int
    near_ties: int  # of those that differ
    allowed: int
    apart: float  # of the largest value; where decisions agree
    permitted: float
    items: int  # compared, of so many
    of: int

    @property
    def why(self) -> str:
        """Say what is wrong; nothing where nothing is."""
        if self.differ - self.near_ties > self.allowed:
            which = f"{self.differ} of {self.decisions} decisions are not {self.against}"
            return f"{self.label}: {which}, {self.near_ties} of them near ties"
        if not self.apart <= self.permitted:
            return f"{self.label}: values lie {self.apart:.1e} from {self.against}, and {self.permitted:g} is permitted"
        return ""

    def as_data(self) -> dict[str, Any]:
        """Give it for the report."""
        return dict(vars(self))


def judge(cpu: Side, first: Side, second: Side) -> dict[str, Any]:
    """Hold the sides against each other; the report names everything that differs, failed or was left out."""
    compared = [one for found in first.findings if (one := _against_cpu(found, cpu, first)) is not None]
    alike, unlike, alone = _twice(first, second)
    sides = {"cpu": cpu, "first": first, "second": second}
    differs = [one.why for one in compared if one.why]
    differs += [f"{label}: other bytes in the second run" for label in unlike]
    differs += [f"{name} run failed: {why}" for name, side in sides.items() for why in side.failed]
    differs += [f"cannot be computed: {why}" for why in _unable(cpu, first)]
    differs += [f"not set: {flag}" for flag, held in first.about.get("flags", {}).items() if not held]
    left_out = [f"{name} run, no time: {what}" for name, side in sides.items() for what in side.late]
    left_out += [f"{name} run ended before its end" for name, side in sides.items() if not side.about.get("ended")]
    left_out += [f"{label}: not in both runs" for label in alone]
    left_out += [f"{one.label}: {one.items:,} of {one.of:,} items compared" for one in compared if one.items < one.of]
    left_out += _unmet(cpu, first)
    if not any(one.part == "himalaya" for one in first.findings):
        left_out.append("himalaya is not here, or was not reached")
    return {
        "schema": SCHEMA,
        "verdict": "differs" if differs else "agreed",
        "differs": differs,
        "left_out": left_out,
        "refused": sorted(set(first.refused)),
        "compared": [one.as_data() for one in compared],
        "twice": {"alike": len(alike), "differ": unlike},
        "times": _times(first, second),
        "bounds": [side.about["bounds"] for side in (first, second) if "bounds" in side.about],
        "flags": first.about.get("flags", {}),
        "versions": first.about.get("versions", {}),
        "card": first.about.get("device", {}),
    }


def compare(found: Finding, its: Finding, against: str) -> Compared:
    """Compare decisions up to the first of each item that differs, and values where the decisions are the same."""
    items = min(len(found.decisions), len(its.decisions))
    mine, other = found.decisions[:items], its.decisions[:items]
    apart = mine != other
    counted = (mine >= 0) | (other >= 0)
    if mine.ndim == 2:
        counted &= np.cumsum(apart, axis=1) - apart == 0  # what follows the first answers another text
    apart &= counted
    margins = its.margins if len(its.margins) else found.margins
    near = apart & (margins[:items] <= its.near) if len(margins) else np.zeros_like(apart)
    agreed = ~(apart.any(axis=1) if apart.ndim == 2 else apart)
    total = int(counted.sum())
    return Compared(
        found.label, against, total, int(apart.sum()), int(near.sum()), int(found.spare * total),
        max((_apart(found.values[name], its.values[name], agreed) for name in found.values), default=0.0),
        found.permitted, items, max(len(found.decisions), len(its.decisions)),
    )  # fmt: skip


def _apart(mine: Any, its: Any, agreed: Any) -> float:
    """Give the largest difference beside the largest value; not a number where one of them is none."""
    if len(agreed):
        mine, its = mine[: len(agreed)][agreed], its[: len(agreed)][agreed]
    if mine.shape != its.shape:
        return float("inf")
    if not mine.size:
        return 0.0
    mine, its = mine.astype(np.float64), its.astype(np.float64)
    return float(np.abs(mine - its).max() / (np.abs(its).max() or 1.0))


def _against_cpu(found: Finding, cpu: Side, side: Side) -> Compared | None:
    """Compare with the CPU's finding of the same; himalaya's with our own on the same device."""
    if found.part == "himalaya":
        ours = next((one for one in side.findings if one.part == "ridge"), None)
        return compare(found, ours, "ours") if ours else None
    its = cpu.named(found.what)
    return compare(found, its, "the CPU's") if its else None


def _unmet(cpu: Side, first: Side) -> list[str]:
    """Name what only one of the CPU and the device has."""
    device = {one.what for one in first.findings if one.part != "himalaya"}
    found = [f"{what}: the CPU did not get to it" for what in sorted(device) if cpu.named(what) is None]
    return found + [f"{one.what}: the device has none" for one in cpu.findings if one.what not in device]


def _unable(cpu: Side, first: Side) -> list[str]:
    """Name what the CPU computes and the device does not, but for what torch refuses since it is not deterministic."""
    also = {why.partition(":")[0] for why in cpu.refused}
    return [why for why in first.refused if "deterministic" not in why and why.partition(":")[0] not in also]


def _twice(first: Side, second: Side) -> tuple[list[str], list[str], list[str]]:
    """Name the findings whose bytes are alike in both runs, those whose are not, and those of one run alone."""
    one, other = ({each.label: each.digest for each in side.findings if each.digest} for side in (first, second))
    both = [label for label in one if label in other]
    alike = [label for label in both if one[label] == other[label]]
    return alike, [label for label in both if label not in alike], sorted(one.keys() ^ other.keys())


def _times(first: Side, second: Side) -> list[dict[str, Any]]:
    """Give seconds and bounds of what was timed, of both runs."""
    rows: dict[str, list[Finding]] = {}
    for found in (*first.findings, *second.findings):
        if found.seconds:
            rows.setdefault(found.label, []).append(found)
    return [
        {"label": label, "part": some[0].part, "seconds": _all(some, "seconds"), "least": _all(some, "least")}
        for label, some in rows.items()
    ]


def _all(some: Sequence[Finding], name: str) -> list[float]:
    return [float(getattr(one, name)) for one in some]
