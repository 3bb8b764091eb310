"""Omega of each participant, and the highest score of each unit over models."""

from __future__ import annotations

from pathlib import Path

from golden.agree import Within
from golden.case import Tally, check
from golden.files import load

from harness.scorers.given import as_json_data
from harness.studies.brain.standalone.scores import ANALYSES

FILES = ("omega_star*.json",)


def read(path: Path, tally: Tally) -> None:
    case, tool = load(path), ANALYSES["brain.omega_star"]
    inputs, outputs = ("omega_input", "star_input"), ("omega_output", "star_output")
    check(
        tally,
        "the file",
        case,
        lambda given: as_json_data(tool.run(given)),
        inputs,
        outputs,
        within=Within(1e-12, 1e-12),
    )
