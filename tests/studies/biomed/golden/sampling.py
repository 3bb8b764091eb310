"""The published sampling: the uuids of a sample in its order, drawn from the rows of a file that lies beside."""

from __future__ import annotations

from pathlib import Path

from golden.case import EXACT, Tally, check
from golden.files import listed, table

from harness.studies.biomed.standalone.data import ANALYSES

INPUTS = ("sampling_input.csv",)


def read(path: Path, tally: Tally) -> None:
    rows = table(path.with_name("sampling_input.csv"))
    settings = ("n", "batch_size", "random_state")
    for name, case in listed(path):
        more = {"rows": rows}
        check(tally, name, case, ANALYSES["biomed.sampling"].run, settings, ("uuids", "index"), within=EXACT, more=more)
