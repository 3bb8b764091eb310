"""Gold items of MPV: those that the judge is shown, and those that a filter, which nobody calls, would keep."""

from __future__ import annotations

from pathlib import Path

from golden.case import EXACT, Tally, check
from golden.files import cases, load
from support_curie_reading import value_of

from harness.studies.curie.standalone.reading import ANALYSES


def read(path: Path, tally: Tally) -> None:
    for name, case in cases(load(path)):
        asked = [key for key in ("filter", "parse") if key in case]
        expected = {**case, **{key: value_of(case[key]) for key in asked}}

        def run(given, asked=asked):
            found = ANALYSES["curie.mpv_ground_truth"].run(given)
            return {key: value_of(found[key]) for key in asked}

        check(tally, name, expected, run, ("ground_truth_text",), tuple(asked), within=EXACT)
