"""The order of models in figures: of the graded responses, where a median is missing, and of small columns."""

from __future__ import annotations

from pathlib import Path

from golden.case import EXACT, Tally, check
from golden.files import cases, load
from support_biomed_golden import GRADED, graded_rows

from harness.studies.biomed.standalone.performance import ANALYSES

INPUTS = (GRADED,)


def read(path: Path, tally: Tally) -> None:
    golden, run = load(path), ANALYSES["biomed.model_order"].run
    graded = golden["graded_responses"]
    whole = {"rows": graded_rows(path), "models": graded["order_in"], "order_out": graded["order_out"]}
    check(tally, "graded_responses", whole, run, ("rows", "models"), ("order_out",), within=EXACT)
    for name, case in cases(golden):
        check(tally, name, case, run, ("scores",), ("order_out",), within=EXACT)
