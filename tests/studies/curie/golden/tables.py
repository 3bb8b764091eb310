"""Tables and figures from aggregated results: means, deviations, quartiles, and the rows as they are printed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.agree import Within
from golden.case import Tally, check
from golden.files import load

from harness.studies.curie.standalone.tables import ANALYSES

GIVEN, NEAR = ("meta_results", "difficulty_levels"), 1e-9


def read(path: Path, tally: Tally) -> None:
    golden = load(path)
    expected: Mapping[str, Any] = golden["official"]
    for name in expected:
        case = {**{each: golden[each] for each in GIVEN}, name: expected[name]}
        check(tally, name, case, ANALYSES["curie.tables"].run, GIVEN, (name,), within=Within(NEAR, NEAR))
