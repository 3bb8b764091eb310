"""How stable answers are from wording to wording."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, each

from harness.studies.reliability.standalone.indicators import ANALYSES

FILES = ("prompting_stability*.json",)
GIVEN = ("positives_per_instance", "prompts_per_instance")
EXPECTED = ("s_pos", "s_neg", "stability", "scaled", "degenerate", "mean", "between_instance_variance")


def read(path: Path, tally: Tally) -> None:
    each(path, tally, ANALYSES["reliability.stability"].run, GIVEN, EXPECTED)
