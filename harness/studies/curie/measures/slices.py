"""The document `slices`: primary metrics by difficulty (Figure 7) and by the length of a protein (Figure 35).

Independent of how a score is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.rowtypes import Gold
from harness.stats import equal_sized_bins
from harness.studies.curie.measures.cells import plain, quartiles
from harness.studies.curie.measures.means import scale
from harness.studies.curie.measures.meta_results import mean
from harness.studies.curie.measures.run_scores import RunScores, read
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.reading.sequences import gold_sequence
from harness.studies.curie.tasks import TASKS, VERSION

LEVELS = ("easy", "medium", "hard")
SEQUENCES, BINS = "pdb", 20
NOTHING = {"missing": "no record has a value"}
WHISKER = 1.5  # in interquartile ranges, as in box plots
Scored = tuple[str, str, float]  # level, domain, value
ABOUT = {
    "pooled": "mean over all records of the averaged tasks; a DFT record counts once for each of its three tasks",
    "macro": "mean of the domains' means; DFT's three tasks are one domain, and a domain without the level is skipped",
    "length": "OURS: bins hold equally many records, ties in the order of ids; values of all models together",
}


def slices(found: RunScores, lengths: Mapping[str, int]) -> dict[str, Any]:
    """Return primary metrics, on 0 to 1, by difficulty level and by the length of the right protein sequence.

    `lengths` holds the number of residues of each PDB item's gold; an item without one is counted, but is in no bin.
    """
    request = found.request
    return {
        "mode": request.mode,
        "version": VERSION,
        "about": ABOUT,
        "models": list(request.models),
        "strategies": list(request.strategies),
        "difficulty": _difficulty(found),
        "length": _length(found, lengths),
    }


def _difficulty(found: RunScores) -> dict[str, Any]:
    tasks = [task for task in found.request.tasks if found.items[task]]
    averaged = [task for task in tasks if task in found.request.averaged]
    everybody = found.request.everybody
    scored = {model: {task: list(_scored(found, task, model)) for task in tasks} for model in everybody}
    return {
        "records": {task: _levels(found, task) for task in tasks},
        "averaged": averaged,
        "tasks": {task: {model: _by_level(scored[model][task]) for model in everybody} for task in tasks},
        "pooled": {model: _by_level(_together(scored[model], averaged)) for model in everybody},
        "macro": {model: _macro(_together(scored[model], averaged)) for model in everybody},
    }


def _levels(found: RunScores, task: str) -> dict[str, int]:
    levels = [found.facts[item].level for item in found.items[task]]
    known = {level: levels.count(level) for level in LEVELS}
    return {**known, "unlabelled": len(levels) - sum(known.values())}


def _scored(found: RunScores, task: str, model: str) -> Iterator[Scored]:
    factor = scale(found.request.primary[task][1])
    for item, value in found.primary(task, model).by_record().items():
        yield found.facts[item].level, TASKS[task].domain, factor * value


def _together(scored: Mapping[str, list[Scored]], tasks: Iterable[str]) -> list[Scored]:
    return [one for task in tasks for one in scored[task]]


def _by_level(scored: Iterable[Scored]) -> dict[str, Any]:
    found: dict[str, list[float]] = {level: [] for level in LEVELS}
    for level, _, value in scored:
        if level in found:
            found[level].append(value)
    return {level: {"value": _mean(values), "n": len(values)} for level, values in found.items()}


def _macro(scored: Iterable[Scored]) -> dict[str, Any]:
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for level, domain, value in scored:
        found[level, domain].append(value)
    told = {}
    for level in LEVELS:
        domains = [mean(values) for (name, _), values in sorted(found.items()) if name == level]
        told[level] = {"value": _mean(domains), "n_domains": len(domains)}
    return told


def _mean(values: list[float]) -> Any:
    return plain(mean(values)) if values else NOTHING


def _length(found: RunScores, lengths: Mapping[str, int]) -> dict[str, Any]:
    ids = [item for item in found.items.get(SEQUENCES, ()) if item in lengths]
    if not ids:
        return {"missing": f"no item of the task {SEQUENCES} has a sequence to measure"}
    place = equal_sized_bins(ids, [lengths[item] for item in ids], BINS)
    inside: dict[int, list[str]] = defaultdict(list)
    for item, number in zip(ids, place, strict=True):
        inside[number].append(item)
    columns = {model: found.primary(SEQUENCES, model).by_record() for model in found.request.everybody}
    scorer, metric = found.request.primary[SEQUENCES]
    return {
        "task": SEQUENCES,
        "metric": metric,
        "scorer": scorer,
        "unit": "residues",
        "bins_asked": BINS,
        "without_length": len(found.items[SEQUENCES]) - len(ids),
        "bins": [_bin(found, columns, inside[number], lengths) for number in sorted(inside)],
    }


def _bin(
    found: RunScores, columns: Mapping[str, Mapping[str, float]], ids: list[str], lengths: Mapping[str, int]
) -> dict[str, Any]:
    own = {model: [columns[model][item] for item in ids if item in columns[model]] for model in columns}
    values = [value for model in found.request.models for value in own[model]]
    sizes = [lengths[item] for item in ids]
    told: dict[str, Any] = {"low": min(sizes), "high": max(sizes), "n_records": len(ids), "n": len(values)}
    by_model = {model: {"value": _mean(each), "n": len(each)} for model, each in own.items()}
    return {**told, "value": _mean(values), **(_box(values) if values else {}), "models": by_model}


def _box(values: list[float]) -> dict[str, Any]:
    """Return quartiles, and the values at which a box plot's whiskers end."""
    found = quartiles(values)
    low, high = found["q25"], found["q75"]
    if isinstance(low, str) or isinstance(high, str):
        return found
    reach = WHISKER * (high - low)
    within = [value for value in values if low - reach <= value <= high + reach]
    return {**found, "whiskers": [min(within), max(within)], "outliers": len(values) - len(within)}


def lengths_of(golds: Iterable[Gold], wanted: Callable[[str], bool]) -> dict[str, int]:
    """Return the number of residues in the gold of each wanted item; items with an unreadable sequence are left out."""
    found = {}
    for row in golds:
        if wanted(row["id"]):
            try:
                sequence = gold_sequence(row["gold"]["truth"])
            except Unreadable:
                continue
            found[row["id"]] = len("".join(sequence.split()).replace("*", ""))
    return found


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `slices`, metrics by difficulty and sequence length, from `items`, `scores` and `gold`.

    Raises InputError as `run_scores.read` does.
    """
    found = read(params, inputs)
    sequences = set(found.items.get(SEQUENCES, ()))
    rows.write_one(out / "slices", slices(found, lengths_of(rows.read(inputs["gold"], Gold), sequences.__contains__)))
