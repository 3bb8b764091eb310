"""Folds of the three datasets, asked by the names of the sets and of their fields; no index is handed over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from golden.case import EXACT, Tally, check
from golden.files import load

from harness.studies.brain.standalone.structure import ANALYSES


def read(path: Path, tally: Tally) -> None:
    run = ANALYSES["brain.folds"].run
    for name, found in load(path).items():
        check(tally, name, {name: found}, run, (), (name,), within=EXACT, more={name: _names(found)})


def _names(found: Any) -> dict[str, Any] | None:
    """Give the names of a set's fields without their values; a set that is none has no names."""
    if not isinstance(found, dict):
        return None
    folds = found.get("folds")
    return {**dict.fromkeys(found), "folds": [dict.fromkeys(fold) for fold in folds] if isinstance(folds, list) else []}
