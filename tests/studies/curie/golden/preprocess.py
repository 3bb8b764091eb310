"""Ground truth as it is handed to every metric: one text, or an error of the published code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.case import EXACT, Tally, check
from golden.files import cases, load
from support_curie_reading import value_of

from harness.studies.curie.standalone.reading import ANALYSES

FIELDS = ("ground_truth_file_text", "task", "prompt")


def run(given: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"official": value_of(ANALYSES["curie.preprocess"].run(given)["result"])}


def read(path: Path, tally: Tally) -> None:
    for name, case in cases(load(path)):
        check(tally, name, {**case, "official": value_of(case["official"])}, run, FIELDS, ("official",), within=EXACT)
