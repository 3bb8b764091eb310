"""Published files that contradict each other: a layer that no curve of its model has, one table under two data sets.

Each file alone is sound, so this is asked of all of them together. It must never know what is computed from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.studies.brain.reanalysis import naming
from harness.studies.brain.reanalysis.naming import read_model
from harness.studies.brain.reanalysis.values import ADVICE

Files = Sequence[Mapping[str, Any]]


def refuse(found: Files) -> None:
    """Compare files that were read with each other; InputError with file and key for two that cannot both be right."""
    _layers_beyond_their_curves(found)
    _tables_of_two_data_sets(found)


def _layers_beyond_their_curves(found: Files) -> None:
    last: dict[str, tuple[int, str]] = {}  # by model, however pooled: the last layer that has a score, and the file
    for file in found:
        for row in file["rows"] if file["kind"] == naming.CURVES else ():
            base, end = read_model(row["model"]).base, max(map(int, row["scores"]))
            last[base] = max(last.get(base, (end, file["path"])), (end, file["path"]), key=lambda each: each[0])
    for file in found:
        for row in file["rows"] if file["kind"] == naming.CHOICES else ():
            end, curve = last.get(row["model"], (row["value"], ""))
            if row["is"] == "layer" and row["value"] > end:
                what = f"layer {row['value']:g} is none of {row['model']}, whose curves end at layer {end} ({curve})"
                raise InputError(what, where=f"{file['path']}, array `{row['key']}`", next=ADVICE)


def _tables_of_two_data_sets(found: Files) -> None:
    """Refuse a column of scores that stands under two data sets; scores that are all the same may."""
    seen: dict[tuple[Any, ...], tuple[str, str]] = {}
    for file in found:
        for row in file["rows"] if file["kind"] == naming.PARTICIPANTS else ():
            scores = (file["metric"], row["network"], *row["scores"].values())
            if len({*row["scores"].values()}) == 1:
                continue
            dataset, path = seen.setdefault(scores, (file["dataset"], file["path"]))
            if dataset != file["dataset"]:
                what = f"the scores of {row['model']} are those of {dataset} in {path}"
                raise InputError(what, where=f"{file['path']}, column `perf`", next=ADVICE)
