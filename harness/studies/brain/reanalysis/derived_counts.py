"""Reader of the counts of Pereira's p-values, which were derived from the authors' files and not published by them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.studies.brain.reanalysis import census, naming
from harness.studies.brain.reanalysis.census import RowGroup
from harness.studies.brain.reanalysis.naming import PublishedName
from harness.studies.brain.reanalysis.people import in_order, units_of
from harness.studies.brain.reanalysis.values import TableRow, once, table

COLUMNS = (
    "source",
    "pooling",
    "subject",
    "n_voxels",
    "n_raw_p_lt_05",
    "n_fdr_p_lt_05",
    "n_llm_sig_fdr_lt_05",
    "median_raw_p",
)
_POOLINGS = (naming.LAST, naming.MEAN, naming.SUM)
COUNTED = {"raw": "n_raw_p_lt_05", "fdr": "n_fdr_p_lt_05", "alone_fdr": "n_llm_sig_fdr_lt_05"}


def read(path: Path, name: str, told: PublishedName) -> list[dict[str, Any]]:
    """Read the counts of significant units by participant from each file of counts; each participant must be complete.

    Raises InputError with file, line and column if a source is not a file of p-values, a count is wrong, or a
    participant is doubled.
    """
    seen: set[tuple[object, ...]] = set()
    found: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    sources: dict[str, PublishedName] = {}
    for row in table(path, name, COLUMNS):
        source, pooling, person = row.text("source"), _pooling(row), census.person(row, told, "subject")
        sources[source] = _counted(row, told)
        once(seen, row, "subject", source, pooling, person)
        found.setdefault((source, pooling), {})[person] = _counts(row, person, told)
    for (source, pooling), people in found.items():
        census.everybody(name, told, people, RowGroup(f"{source} {pooling}"))
    return [
        {
            "counted": source,
            "figure": sources[source].figure,
            "level": sources[source].level,
            "pooling": pooling,
            "participants": {who: people[who] for who in in_order(people)},
        }
        for (source, pooling), people in found.items()
    ]


def _counted(row: TableRow, told: PublishedName) -> PublishedName:
    """Parse the name of the file that was counted."""
    found = naming.read_name(row.text("source"))
    if found is None or (found.kind, found.dataset, found.experiment) != (naming.TESTS, told.dataset, ""):
        raise row.refused("source", f"it names no file of p-values of {told.dataset}")
    return found


def _pooling(row: TableRow) -> str:
    pooling = row.text("pooling").removeprefix("-")
    if pooling not in _POOLINGS:
        raise row.refused("pooling", f"it is none of {', '.join(_POOLINGS)}")
    return pooling


def _counts(row: TableRow, person: str, told: PublishedName) -> dict[str, Any]:
    units = row.whole("n_voxels", 10**6)
    if units != (known := units_of(told.dataset)[person]):
        raise row.refused("n_voxels", f"participant {person} has {units} units; the recordings have {known}")
    counts = {name: row.whole(column, units) for name, column in COUNTED.items()}
    return {"units": units, **counts, "median_raw": row.number("median_raw_p", 0, 1)}
