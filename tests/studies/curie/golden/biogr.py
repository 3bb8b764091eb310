"""Boxes: the three metrics of each answer, and the box that was parsed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.case import Tally, check
from golden.files import cases, load
from support_curie_golden import NEAR, RAISES, official, unbounded_as_text

from harness.studies.curie.reading.boxes import read_box
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.standalone.biogr import SCORERS

FIELDS = ("model_response", "ground_truth_text")


def run(given: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        parsed: Any = {"result": unbounded_as_text(read_box(given["model_response"]))}
    except Unreadable:
        parsed = RAISES
    return {"official": official(SCORERS["curie.biogr"].run(given)), "official_parse": parsed}


def read(path: Path, tally: Tally) -> None:
    for name, case in cases(load(path)):
        plain = {key: case[key] for key in case if key != "ground_truth"}
        plain["official"] = official(plain["official"])
        if "exception" in plain["official_parse"]:
            plain["official_parse"] = RAISES
        check(tally, name, plain, run, FIELDS, ("official", "official_parse"), within=NEAR)
