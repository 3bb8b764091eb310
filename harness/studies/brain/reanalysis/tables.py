"""Readers of the published CSV files, one for each kind; they check every cell and refuse doubled rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.studies.brain.reanalysis import census, derived_counts, naming
from harness.studies.brain.reanalysis.census import RowGroup
from harness.studies.brain.reanalysis.naming import PEARSON, PublishedName
from harness.studies.brain.reanalysis.people import UNITS, in_order
from harness.studies.brain.reanalysis.values import ADVICE, UNDEFINED, TableRow, header, once, table
from harness.studies.brain.terms import CONTIGUOUS, DATASETS, EXP1, EXP2, LANGUAGE, SHUFFLED

POOLINGS = {"": naming.LAST, "nan": naming.LAST, "-lt": naming.LAST, "-mp": naming.MEAN, "-sp": naming.SUM}
LAYERS, MOST = 200, 1.0 + 1e-9  # the most layers of any model, and the highest possible score
INDEX = ""  # the column of row numbers of a saved data frame
ENCODING = {
    "Pereira2018-encoding": "pereira",
    "Fedorenko2016v3-encoding": "fedorenko",
    "Blank2014fROI-encoding": "blank",
}
_SCORED = ("subjects", "Network", "Model", "perf")
_CURVED = ("perf", "Model", "layer_num")
_OMEGAS = ("feature_extraction", "dataset", "values")
_TESTED = ("fe", "subject", "pval")
_P = ("pval", "pval_orig", "pval_LLM_sig", "pval_LLM_sig_orig")
_RANKED = ("layer", "benchmark", "model", "score")


def read(path: Path, name: str, told: PublishedName) -> dict[str, Any]:
    """Read a published CSV file of a known kind: `kind`, `rows`, and `unread`, the columns that are not used.

    Raises InputError with file, line and column if a value is not a number, impossible, doubled or missing.
    """
    columns = header(path, name)
    kind = {
        naming.TABLE: naming.CURVES if "layer_num" in columns else naming.PARTICIPANTS,
        naming.UNIT_ROWS: naming.UNITS,
    }.get(told.kind, told.kind)
    readers: Mapping[str, tuple[Callable[[], list[dict[str, Any]]], Iterable[str]]] = {
        naming.PARTICIPANTS: (lambda: _participants(path, name, told), _SCORED),
        naming.CURVES: (lambda: _curves(path, name, told, columns), (*_CURVED, "Shuffled", "Exp")),
        naming.UNITS: (lambda: _units(path, name, told), _SCORED),
        naming.OMEGAS: (lambda: _omegas(path, name), _OMEGAS),
        naming.TESTS: (lambda: _tests(path, name, told, columns), (*_TESTED, *_P, "shuffled", "network")),
        naming.RANKED: (lambda: _ranked(path, name), (*_RANKED, "error")),
        naming.COUNTS: (lambda: derived_counts.read(path, name, told), derived_counts.COLUMNS),
    }
    reader, known = readers[kind]
    return {"kind": kind, "rows": reader(), "unread": sorted({*columns} - {*known, INDEX})}


def _participants(path: Path, name: str, told: PublishedName) -> list[dict[str, Any]]:
    """Read scores of participants; each participant of a data set has one score per model and network."""
    seen: set[tuple[object, ...]] = set()
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in table(path, name, _SCORED):
        network, model = census.network(row, "Network"), _named(row, "Model")
        person = census.person(row, told, "subjects")
        once(seen, row, "subjects", network, model, person)
        found.setdefault((network, model), {})[person] = _score(row, told.metric)
    for (network, model), scores in found.items():
        census.everybody(name, told, scores, RowGroup(model, network))
    return [
        {"network": network, "model": model, "scores": {one: scores[one] for one in in_order(scores)}}
        for (network, model), scores in found.items()
    ]


def _units(path: Path, name: str, told: PublishedName) -> list[dict[str, Any]]:
    """Read scores of single units; each participant has every unit of each model and network once."""
    found: dict[RowGroup, tuple[list[str], list[float | str]]] = {}
    for row in table(path, name, _SCORED):
        of = RowGroup(_named(row, "Model"), census.network(row, "Network"))
        people, scores = found.setdefault(of, ([], []))
        people.append(census.person(row, told, "subjects"))
        scores.append(_unit_score(row, told.metric))
    census.every_unit(name, told, {of: people for of, (people, _) in found.items()})
    return [
        {"network": of.network, "model": of.what, "participants": people, "scores": scores}
        for of, (people, scores) in found.items()
    ]


def _curves(path: Path, name: str, told: PublishedName, columns: Iterable[str]) -> list[dict[str, Any]]:
    """Read a score for each layer of each model, in one split or both."""
    seen: set[tuple[object, ...]] = set()
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    split_column, experiment_column = "Shuffled" in columns, "Exp" in columns
    told_too = [column for column in ("Shuffled", "Exp") if column in columns]
    for row in table(path, name, (*_CURVED, *told_too)):
        split = _told_split(row, "Shuffled", told) if split_column else told.split or CONTIGUOUS
        experiment = _experiment(row, told) if experiment_column else told.experiment
        layer = str(row.whole("layer_num", LAYERS))
        key = (experiment, _named(row, "Model"), split)
        once(seen, row, "layer_num", *key, layer)
        found.setdefault(key, {})[layer] = _score(row, told.metric)
    for (_, model, split), scores in found.items():
        places = {*map(int, scores)}  # a curve may begin after the embedding
        lost = next((layer for layer in range(min(places), max(places)) if layer not in places), None)
        if lost is not None:
            raise InputError(f"layer {lost} of {model} is missing ({split})", where=name, next=ADVICE)
    return [
        {"experiment": experiment, "model": model, "split": split, "scores": scores}
        for (experiment, model, split), scores in found.items()
    ]


def _omegas(path: Path, name: str) -> list[dict[str, Any]]:
    """Read omegas, one value per participant in the order of the recordings; the row numbers must be in order."""
    found: dict[tuple[str, str], list[float]] = {}
    for place, row in enumerate(table(path, name, _OMEGAS)):
        if INDEX not in row.cells:
            what = "the column of row numbers, which has no name, is missing: nothing else says whose omega a row is"
            raise InputError(what, where=name, next=ADVICE)
        if row.whole(INDEX, 10**6) != place:
            raise row.refused("(the first)", f"row {place} is not in its place: nothing else says whose omega it is")
        dataset = row.text("dataset")
        if dataset not in DATASETS:
            raise row.refused("dataset", f"it is none of {', '.join(DATASETS)}")
        found.setdefault((dataset, _pooling(row, "feature_extraction")), []).append(
            min(row.number("values", 0, 100 + 1e-6), 100.0)
        )
    rows = []
    for (dataset, pooling), values in found.items():
        people = list(UNITS[dataset])
        if len(values) != len(people):
            told = f"{len(values)} omegas of {dataset}, {pooling}, stand for {len(people)} participants"
            raise InputError(told, where=name, next=ADVICE)
        rows.append({"dataset": dataset, "pooling": pooling, "omegas": dict(zip(people, values, strict=True))})
    return rows


def _tests(path: Path, name: str, told: PublishedName, columns: Iterable[str]) -> list[dict[str, Any]]:
    """Read p-values of units, raw (`pval_orig`) and as the authors corrected them (`pval`), for each pooling."""
    found: dict[tuple[str, str, str], dict[str, list[Any]]] = {}
    own = [column for column in _P if column in columns]
    default = SHUFFLED if told.figure.split("-")[0] == naming.FIGURE2 else CONTIGUOUS
    told_too = [column for column in ("shuffled", "network") if column in columns]
    for row in table(path, name, (*_TESTED, *own, *told_too)):
        split = _told_split(row, "shuffled", told) if "shuffled" in columns else told.split or default
        network = census.network(row, "network") if "network" in columns else LANGUAGE
        cells = found.setdefault(
            (split, _pooling(row, "fe"), network), {"participants": [], **{key: [] for key in own}}
        )
        cells["participants"].append(census.person(row, told, "subject"))
        for column in own:
            cells[column].append(row.maybe(column, 0, 1) if column.endswith("_orig") else row.number(column, 0, 1))
    groups = {
        RowGroup(f"{split} {pooling}", network): cells["participants"]
        for (split, pooling, network), cells in found.items()
    }
    census.every_unit(name, told, groups)
    return [
        {"split": split, "pooling": pooling, "network": network, **cells}
        for (split, pooling, network), cells in found.items()
    ]


def _ranked(path: Path, name: str) -> list[dict[str, Any]]:
    """Read the scores of many models' layers on the three recordings; other benchmarks are left out."""
    seen: set[tuple[object, ...]] = set()
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in table(path, name, _RANKED):
        if (dataset := ENCODING.get(row.text("benchmark"))) is None:
            continue
        model, layer = _named(row, "model"), _named(row, "layer")
        once(seen, row, "layer", dataset, model, layer)
        scores = found.setdefault((dataset, model), {})
        if row.text("score") not in UNDEFINED:  # an undefined score means that the layer was never scored
            scores[layer] = row.number("score", -100, 100)
    return [{"dataset": dataset, "model": model, "scores": scores} for (dataset, model), scores in found.items()]


def _score(row: TableRow, metric: str) -> float:
    return row.number("perf", -MOST if metric.startswith(PEARSON) else float("-inf"), MOST)


def _unit_score(row: TableRow, metric: str) -> float | str:
    """Read a unit's score, which may be undefined, or infinite if there was nothing to predict."""
    said = row.text("perf")
    if said == "-inf" and not metric.startswith(PEARSON):
        return said
    return "nan" if said in UNDEFINED else _score(row, metric)


def _named(row: TableRow, column: str) -> str:
    name = row.text(column)
    if not name or not name.isprintable():
        raise row.refused(column, "it holds no name")
    return name


def _pooling(row: TableRow, column: str) -> str:
    if (found := POOLINGS.get(row.text(column))) is None:
        raise row.refused(column, f"it is none of {', '.join(filter(None, POOLINGS))}")
    return found


def _split(row: TableRow, column: str) -> str:
    said = row.text(column)
    if said not in (*UNDEFINED, SHUFFLED, CONTIGUOUS, "contig", "False", "True"):
        raise row.refused(column, "it names no split")
    return SHUFFLED if said in (SHUFFLED, "True") else CONTIGUOUS


def _told_split(row: TableRow, column: str, told: PublishedName) -> str:
    """Read a row's split; raise InputError if the file's name says another split."""
    split = _split(row, column)
    if told.split and split != told.split:
        raise row.refused(column, f"the file's name says {told.split}, the row says {split}")
    return split


def _experiment(row: TableRow, told: PublishedName) -> str:
    said = row.text("Exp").removesuffix(".0")
    if said in (EXP1, EXP2) or said.lower() == naming.COMBINED:
        if told.experiment in (EXP1, EXP2) and said != told.experiment:
            raise row.refused("Exp", f"the file's name says {told.experiment}, the row says {said.lower()}")
        return said.lower()
    if said in (*UNDEFINED, "None", told.dataset):
        return told.experiment
    raise row.refused("Exp", "it names no experiment")
