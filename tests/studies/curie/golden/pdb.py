"""Sequences: five metrics of each answer; programs in answers run in a sandbox, as trials do.

The block of biopython 1.88 is information and not compared. Where nothing contains foreign code, its cases wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.case import Tally, check
from golden.files import cases, load
from support_curie_golden import NEAR, official

from harness.engines.local import available_isolations
from harness.studies.curie.standalone.pdb import SCORERS
from harness.verbs.measuring import score_each_row

FIELDS = ("model_response", "ground_truth_text", "prompt_text")
EXPECTED = "official_biopython_1_85"


def run(given: Mapping[str, Any]) -> Mapping[str, Any]:
    [found] = score_each_row("curie.pdb", [("the case", given)], {})
    return {EXPECTED: official(found)}


def read(path: Path, tally: Tally) -> None:
    contained, holds = "bubblewrap" in available_isolations(), SCORERS["curie.pdb"].program
    for name, case in cases(load(path)):
        if not contained and holds(case):
            tally.waiting += 1
            continue
        plain = {key: case[key] for key in case if key not in ("ground_truth", "official_biopython_1_88")}
        plain[EXPECTED] = official(plain[EXPECTED])
        check(tally, name, plain, run, FIELDS, (EXPECTED,), within=NEAR)
