"""How many tokens an answer may have."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, each

from harness.studies.reliability.standalone.people import ANALYSES

FILES = ("token_budget*.json",)
GIVEN = ("benchmark", "model_group", "expected_output_chars")
EXPECTED = ("max_new_tokens",)


def read(path: Path, tally: Tally) -> None:
    each(path, tally, ANALYSES["reliability.token_budget"].run, GIVEN, EXPECTED)
