"""Responses out of the two files in which they were published, and what makes the published code skip a record."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.case import EXACT, Tally, check
from golden.files import cases, load
from support_curie_golden import RAISES

from harness.studies.curie.standalone.reading import ANALYSES

TOLD = ("response", "exception", "prompt")


def run(given: Mapping[str, Any]) -> Mapping[str, Any]:
    found = ANALYSES["curie.read_response"].run(given)
    told = [found[name] for name in TOLD]
    return {"official": RAISES if any(isinstance(one, Mapping) for one in told) else told}


def read(path: Path, tally: Tally) -> None:
    for name, case in cases(load(path)):
        block = case["official"]  # its first value is the ground truth, which the files do not change
        told = RAISES if "exception" in block else block["result"][1:]
        check(tally, name, {**case, "official": told}, run, ("task", "files"), ("official",), within=EXACT)
