"""The tests of squared errors: a case for each array that the file expects."""

from __future__ import annotations

from pathlib import Path

from golden.agree import Within
from golden.case import Tally, check
from golden.files import arrays

from harness.studies.brain.standalone.tests import ANALYSES

NEAR = Within(1e-10)
NAMES = ("subject", "network", "block_label")


def read(path: Path, tally: Tally) -> None:
    file = arrays(path)
    given = {name: one.tolist() if name in NAMES else one for name, one in file.items()}
    inputs = tuple(name for name in given if name in NAMES or name.startswith("se_"))
    for name in sorted(given.keys() - {*inputs}):
        case = {key: given[key] for key in (*inputs, name)}
        check(tally, name, case, ANALYSES["brain.stats_ttest_fdr"].run, inputs, (name,), within=NEAR)
