"""Averages of units, choices of layers, nested choices, stars and correlations of curves: cases of our own.

Each case is what an analysis is given, and what was worked out by `studies/brain/measures/slow_scores.py`.
"""

from __future__ import annotations

from pathlib import Path

from golden.agree import Within
from golden.case import Tally, check
from golden.files import cases, load

from harness.scorers.given import as_json_data
from harness.studies.brain.standalone.averages import ANALYSES

NAMES = ("aggregate", "layer_choice", "nested_choice", "star", "layer_curves")
FILES = tuple(f"{name}_own*.json" for name in NAMES)


def read(path: Path, tally: Tally) -> None:
    tool = ANALYSES["brain." + path.name.partition("_own")[0]]
    for number, case in cases(load(path)):
        if not isinstance(case, dict) or not isinstance(case.get("expected"), dict) or not case["expected"]:
            tally.fail(number, "malformed: it expects nothing")
            continue
        flat = {"given": case.get("given"), **case["expected"]}
        check(
            tally, f"{number} {case.get('name', '')}".strip(), flat, lambda all_: as_json_data(tool.run(all_["given"])),
            ("given",), tuple(case["expected"]), within=Within(1e-12, 1e-12),
        )  # fmt: skip
