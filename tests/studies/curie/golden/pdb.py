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

from harness.engines.local import available
from harness.run.programs import ProgramRunner
from harness.studies.curie.code.pdb_programs import LIMITS
from harness.studies.curie.standalone.pdb import SCORERS, program_of

FIELDS = ("model_response", "ground_truth_text", "prompt_text")
EXPECTED = "official_biopython_1_85"


def read(path: Path, tally: Tally) -> None:
    contained, runner = "bubblewrap" in available(), ProgramRunner()

    def run(given: Mapping[str, Any]) -> Mapping[str, Any]:
        row = dict(given)
        if taken := program_of(row):
            row["trial"] = runner.run(
                {"item": "", "template": 1, "model": "", "sample": 0, "program": taken[0], "stdin": taken[1]}, LIMITS
            )
        return {EXPECTED: official(SCORERS["curie.pdb"].run(row))}

    for name, case in cases(load(path)):
        if not contained and program_of(case):
            tally.waiting += 1
            continue
        plain = {key: case[key] for key in case if key not in ("ground_truth", "official_biopython_1_88")}
        plain[EXPECTED] = official(plain[EXPECTED])
        check(tally, name, plain, run, FIELDS, (EXPECTED,), within=NEAR)
