"""The published omegas: their averages, what these hide, and whether they fit the scores they are said to be made of.

The banded scores behind an omega were not published, but S and L bound it: the banded score is taken to be at least L,
so omega is at most 100 S / L.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from harness.studies.brain.measures.aggregation import mean
from harness.studies.brain.measures.omegas import ALL, OmegaScores, omegas
from harness.studies.brain.reanalysis.collection import NOT_DERIVABLE, PublishedResults, PublishedScores, verdict
from harness.studies.brain.reanalysis.naming import FIGURE2, OASM, PEARSON, R2, SIMPLE, ModelColumn, read_model
from harness.studies.brain.reanalysis.people import UNITS, in_order
from harness.studies.brain.reanalysis.recomputed import by_participant, model_of
from harness.studies.brain.terms import CONTIGUOUS, LANGUAGE, SHUFFLED

OTHER_SCORES = "made of other scores than these, which allow less"
SLACK = 1e-6  # percent by which rounding may exceed a bound
Columns = dict[tuple[str, ...], dict[ModelColumn, list[PublishedScores]]]
GPT2XL = "gpt2xl"  # the model whose omegas over OASM are in figure 2


def shares(found: PublishedResults) -> dict[str, Any]:
    """Return published omegas (shares that simple features explain) by figure and data set, averaged and checked."""
    document: dict[str, Any] = {}
    known = _columns(found) if found.omegas else {}
    for row in found.omegas:
        at = document.setdefault(row["figure"], {}).setdefault(row["dataset"], {})
        at[row["pooling"]] = _entry(found, row, known)
    return document


def _entry(found: PublishedResults, row: Mapping[str, Any], known: Columns) -> dict[str, Any]:
    values = dict(row["omegas"])
    entry: dict[str, Any] = {
        "file": row["path"],
        "published": values,
        "mean": mean(values.values()),
        "at_100": list(values.values()).count(ALL),
    }
    simple, llm, banded = _wanted(row, known)
    if simple is None or llm is None:
        return {**entry, "held_against": None, "verdict": f"{NOT_DERIVABLE}: S and L are not here"}
    s, own, b = (None if one is None else _numbered(one, values) for one in (simple, llm, banded))
    assert s is not None and own is not None  # both columns are present
    empty = [name for name in values if own[name] <= 0]
    kept = mean(value for name, value in values.items() if name not in empty)
    above = _above_bound(values, s, own)
    judged = f"{NOT_DERIVABLE}: {OTHER_SCORES if above else 'B was not published'}"
    entry |= {
        "held_against": {"simple": simple.label, "llm": llm.label, "files": sorted({simple.path, llm.path})},
        "empty": empty,
        "without_empty": kept,
        "above_bound": above,
        "bound": _bounds(s, own),
        "implied_banded": {one: s[one] + own[one] * (1 - values[one] / ALL) for one in values if 0 < values[one] < ALL},
    }
    if b is not None:
        result = omegas({name: OmegaScores(s[name], own[name], b[name]) for name in values})
        difference = max(abs(result.participants[name] - values[name]) for name in result.participants)
        judged = verdict(difference / ALL)
        entry["recomputed"] = {
            "participants": dict(result.participants),
            "mean": result.omega,
            "difference": difference,
        }
    for path in entry["held_against"]["files"]:
        found.note(row["path"], path, f"omega of {row['dataset']}, {row['pooling']}", judged)
    return {**entry, "verdict": judged}


def _wanted(row: Mapping[str, Any], columns: Columns) -> list[PublishedScores | None]:
    """Return the tables' columns that an omega is computed from: S, L, and both together if it was published."""
    source = read_model(row["source"])
    time = source.base == OASM
    simple = ModelColumn(OASM if time else SIMPLE, "")
    model = ModelColumn(GPT2XL if time else source.base, row["pooling"])
    wanted = (simple, model, ModelColumn(f"{simple.base}+{model.base}", row["pooling"]))
    metrics, split = ((R2,), SHUFFLED) if time else ((PEARSON, R2), CONTIGUOUS)
    # Each figure has its own table, whose simple model may differ from another figure's.
    figures = ("figure1", FIGURE2) if time else (row["figure"], row["figure"].partition("-")[0])
    for metric, figure in product(metrics, figures):
        known = columns.get((row["dataset"], metric, split, figure), {})
        if simple in known and model in known:
            return [_of_pooling(known.get(each, []), row["pooling"]) for each in wanted]
    return [None, None, None]


def _of_pooling(columns: Sequence[PublishedScores], pooling: str) -> PublishedScores | None:
    """Return one of several columns of a model; prefer tables over units, then the given pooling."""
    return min(columns, key=lambda one: (bool(one.units), one.model[-2:] != pooling), default=None)


def _columns(found: PublishedResults) -> Columns:
    """Group columns, from tables and recomputed from units, by data set, metric, split and figure."""
    units = [(model_of(one), replace(one, scores=by_participant(one))) for one in found.units]
    told: Columns = {}
    for model, one in (*units, *((one.of, one) for one in found.columns)):
        whole = len(one.scores) == len(UNITS[one.dataset])  # a participant without a defined unit has no score
        if whole and (one.experiment, one.network) == ("", LANGUAGE):
            at = told.setdefault((one.dataset, one.metric, one.split, one.figure), {})
            at.setdefault(model, []).append(one)
    return told


def _numbered(column: PublishedScores, values: Mapping[str, float]) -> dict[str, float]:
    """Return a column's scores under the names that the omegas have, in order of the participants."""
    return dict(zip(values, (column.scores[name] for name in in_order(column.scores)), strict=True))


def _bounds(simple: Mapping[str, float], llm: Mapping[str, float]) -> dict[str, float]:
    return {name: min(ALL, ALL * simple[name] / llm[name]) if llm[name] > 0 else ALL for name in simple}


def _above_bound(values: Mapping[str, float], simple: Mapping[str, float], llm: Mapping[str, float]) -> list[str]:
    """Return the participants whose omega is above what S and L allow, so it was computed from other scores."""
    return [name for name, most in _bounds(simple, llm).items() if values[name] > most + SLACK]
