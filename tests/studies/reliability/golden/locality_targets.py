"""Cities, and the most populous one within a distance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from golden.case import Tally, check, tolerance
from golden.files import cases, load

from harness.studies.reliability.standalone.locality import ANALYSES

FILES = ("locality_targets*.json",)


def read(path: Path, tally: Tally) -> None:
    golden = load(path)
    cities, listed = golden.get("cities"), list(cases(golden))
    run, within = ANALYSES["reliability.locality_targets"].run, tolerance(golden)
    inputs = ("city", "d_km")
    whole = {"cities": cities, "kept_after_filters": golden.get("kept_after_filters"), "cases": golden["cases"]}
    check(tally, "all cases at once", whole, _asked(run), ("cities", "cases"), ("kept_after_filters",), within=within)
    for name, case in listed:
        check(tally, name, case, run, inputs, ("within", "target"), within=within, more={"cities": cities})


def _asked(run: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Ask all cases without what is expected of them, and hold the answers against it before they are compared."""

    def ask(given: Any) -> Any:
        asked = [{"city": case["city"], "d_km": case["d_km"]} for case in given["cases"]]
        found = run({"cities": given["cities"], "cases": asked})
        targets = [case["target"] for case in given["cases"]]
        if [case["target"] for case in found["cases"]] != targets:
            raise ValueError(f"expected the targets {targets!r}, found {found['cases']!r}")
        return found

    return ask
