"""Published files that contradict each other: a layer that its model's curves lack, one table under two data sets.

Each file alone is valid, so the check needs all files together.
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
    """Raise InputError, naming file and key, if two published files contradict each other."""
    _layers_beyond_their_curves(found)
    _tables_of_two_data_sets(found)


def _layers_beyond_their_curves(found: Files) -> None:
    last: dict[str, tuple[int, str]] = {}  # by model, for any pooling: the last layer with a score, and the file
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
    """Raise InputError if a column of scores appears under two data sets; constant columns are exempt."""
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
