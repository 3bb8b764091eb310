"""ROUGE of whole answers: as the study prints it, and as the package that it uses counts it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.case import EXACT, Tally, check
from golden.files import cases, load

from harness.scorers.rouge import SCORERS

PRINTED = ("rouge1", "rouge2", "rougeLsum")


def run(given: Mapping[str, Any]) -> Mapping[str, Any]:
    lines = {name: given[name].replace(" . ", " .\n") for name in ("prediction", "reference")}
    found = SCORERS["rouge"].run({"response": lines["prediction"], "reference": lines["reference"]})
    printed = {kind: 100 * found[kind]["fmeasure"] for kind in PRINTED}
    return {"official": {"result": printed}, "library": {kind: found[kind] for kind in ("rougeL", "rougeLsum")}}


def read(path: Path, tally: Tally) -> None:
    for name, case in cases(load(path)):
        check(tally, name, case, run, ("prediction", "reference"), ("official", "library"), within=EXACT)
