"""Retries: the text that is stored, how often a model is asked, and the sleeps."""

from __future__ import annotations

from pathlib import Path

from golden.case import EXACT, Tally, check
from golden.files import listed

from harness.studies.biomed.standalone.data import ANALYSES

GIVEN, FOUND = ("query", "responses", "last_response_repeats"), ("result", "queries", "delays")


def read(path: Path, tally: Tally) -> None:
    for name, case in listed(path):
        check(tally, name, case, ANALYSES["biomed.retries"].run, GIVEN, FOUND, within=EXACT)
