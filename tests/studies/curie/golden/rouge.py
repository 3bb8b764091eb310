"""ROUGE of whole answers: as the study prints it, and as the package that it uses counts it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.case import EXACT, Tally, check
from golden.files import cases, load
from support_curie_golden import official

from harness.scorers.rouge import SCORERS as SHARED
from harness.studies.curie.standalone.rouge import SCORERS


def run(given: Mapping[str, Any]) -> Mapping[str, Any]:
    lines = {name: given[name].replace(" . ", " .\n") for name in ("prediction", "reference")}
    found = SHARED["rouge"].run({"response": lines["prediction"], "reference": lines["reference"]})
    printed = {"result": official(SCORERS["curie.rouge"].run(given))}
    return {"official": printed, "library": {kind: found[kind] for kind in ("rougeL", "rougeLsum")}}


def read(path: Path, tally: Tally) -> None:
    for name, case in cases(load(path)):
        check(tally, name, case, run, ("prediction", "reference"), ("official", "library"), within=EXACT)
