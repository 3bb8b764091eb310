"""The area under a curve of agents, and its spread."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, each

from harness.studies.reliability.standalone.indicators import ANALYSES

FILES = ("generality*.json",)
GIVEN = ("h", "psi", "kmin")
EXPECTED = ("area", "capability", "expected_difficulty", "spread", "generality", "indicator")


def read(path: Path, tally: Tally) -> None:
    each(path, tally, ANALYSES["reliability.generality"].run, GIVEN, EXPECTED)
