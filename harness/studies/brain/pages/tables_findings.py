"""The tables of the findings of each language model: alone, over the features of the paper's first table, by subset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import NONE, Html, count, el, folded, join, named, table
from harness.studies.brain.measures.naming import bands
from harness.studies.brain.pages.fragments import chosen, score
from harness.studies.brain.pages.run_basis import LLM, BrainRun, rows_of
from harness.studies.brain.pages.tables_times import tested, times
from harness.studies.brain.terms import CONTIGUOUS, SPLITS

READING = (
    "What the paper states of a language model, computed of this run's recordings. Layers, widths, subsets and stars "
    "are chosen on test data, as published, so every such score is biased upward; nested (OURS) is chosen inside the "
    "training rows. Percentages are of unrounded scores; the paper divides rounded ones."
)
TABLE_1 = "after the paper's first table; the same for every text model"
Found = Mapping[str, Mapping[str, Any]]


def findings(run: BrainRun) -> list[Html]:
    """Return the tables of each data set; empty without any finding."""
    made = [part for dataset in run.datasets for part in _dataset(run, dataset)]
    return [el("p", READING, class_="soft"), *made] if made else []


def _dataset(run: BrainRun, dataset: str) -> Iterator[Html]:
    found, members = run.findings(dataset), run.findings(dataset, members=True)
    parts = [*_alone(run, dataset, found), *_features(run, dataset, found), *_rest(run, dataset, found)]
    yield from [el("h3", run.title(dataset)), *parts] if parts else []
    seeds = [*_alone(run, dataset, members), *_rest(run, dataset, members)]
    if seeds:
        yield folded(f"Findings of each seed, {run.title(dataset)}", *seeds)


def _rest(run: BrainRun, dataset: str, found: Found) -> Iterator[Html]:
    yield from (*_starred(run, dataset, found), *_subsets(run, dataset, found))
    yield from (*times(run, dataset, found), *tested(run, dataset, found))


def who(run: BrainRun, name: str, found: Mapping[str, Any]) -> Html:
    """Return the name of a language model; for a set of seeds, with the number of its seeds."""
    seeds = found.get("seeds")
    if isinstance(seeds, list):
        return join([named(name), el("span", f"mean over {len(seeds)} seeds", class_="why")])
    return join([named(name), el("span", "untrained", class_="why") if run.is_untrained(name) else None])


def _alone(run: BrainRun, dataset: str, found: Found) -> Iterator[Html]:
    body = [
        [
            join([who(run, name, own), el("span", split, class_="why")]),
            _layer(alone, own, split),
            *(score(alone.get(key)) for key in ("r2", "nested", "units_mean")),
            _pearson(alone),
        ]
        for name, own in found.items()
        for split in SPLITS
        if (alone := section(own, "alone", split))
    ]
    head = ["Language model", "Layer", "R2, published", "R2, nested (OURS)", "R2, mean over units", "Pearson"]
    if body:
        yield table(f"{run.title(dataset)}: each language model alone", head, body)


def _pearson(alone: Mapping[str, Any]) -> Html:
    """Return Pearson's r; if it is of layers of its own, as in generation H, these are named."""
    own = [*section(alone, "pearson_models").values()]
    return join([score(alone.get("pearson")), el("span", chosen(own), class_="why") if own else None])


def _layer(alone: Mapping[str, Any], own: Mapping[str, Any], split: str) -> Html:
    """Return the layer chosen for a model or, for a set of seeds in contiguous splits, how many seeds chose each."""
    layers = sorted(section(own, "layers").items(), key=lambda each: (len(each[0]), each[0]))
    drawn = own.get("seeds")
    many = len(drawn) if isinstance(drawn, list) and split == CONTIGUOUS else 0
    taken = [f"layer {layer}: {seeds:g} of {many}" for layer, given in layers if many and (seeds := number(given))]
    return chosen(taken or [*section(alone, "models").values()] or alone.get("model"))


def _features(run: BrainRun, dataset: str, found: Found) -> Iterator[Html]:
    """Yield the first table for each model."""
    for name, own in found.items():
        body = [
            [
                named(row),
                chosen(each.get("model")),
                score(each.get("r2")),
                score(each.get("percent_of_alone"), 1, unit=" %"),
                score(each.get("percent_of_full"), 1, unit=" %"),
            ]
            for row, each in rows_of(own, "table").items()
        ]
        if not body:
            continue
        words = f"{run.title(dataset)}: features and {name} ({TABLE_1}), {CONTIGUOUS}"
        head = ["Features", "Best subset", "R2", f"Of {name} alone", "Of all together"]
        yield table(words, head, body)


def _starred(run: BrainRun, dataset: str, found: Found) -> Iterator[Html]:
    body = [
        [
            join([named(row), el("span", "with ", name, class_="why")]),
            _beside(each, "without"),
            _beside(each, "with"),
            score(each.get("gain_percent"), 1, unit=" %"),
            score(each.get("without_units")),
            score(each.get("with_units")),
            score(each.get("correlation"), 3),
        ]
        for name, own in found.items()
        for row, each in rows_of(own, "starred").items()
    ]
    head = [
        "Features*",
        "R2 without the model",
        "R2 with it",
        "Gain",
        "Without, mean over units",
        "With, mean over units",
        "Unit by unit: r",
    ]
    if body:
        words = f"{run.title(dataset)}: starred models with and without each language model, {CONTIGUOUS}"
        yield table(words, head, body)


def _beside(each: Mapping[str, Any], side: str) -> Html:
    """Return a starred score with the number of its subsets and the nested choice below it."""
    nested = each.get(f"nested_{side}")
    beside = None if nested is None else el("span", "nested (OURS) ", score(nested), class_="why")
    subsets = el("span", "of ", count(each.get(f"subsets_{side}")), " subsets", class_="why")
    return join([score(each.get(side)), subsets, beside])


def _subsets(run: BrainRun, dataset: str, found: Found) -> Iterator[Html]:
    """Yield the table of subsets of the simple spaces and a language model, one column per model.

    Its last row names the highest subset.
    """
    shown = {name: own for name, own in found.items() if section(own, "subsets")}
    names = {subset for own in shown.values() for subset in own["subsets"]}
    rows = sorted(names, key=lambda name: (len(bands(name)), LLM in bands(name), name))
    if not rows:
        return
    body = [[named(row), *(_cell(own, row) for own in shown.values())] for row in rows]
    body.append([join(["Highest"]), *(chosen(own.get("highest_subset")) for own in shown.values())])
    words = f"{run.title(dataset)}: subsets of the simple spaces and a language model (LLM), {CONTIGUOUS}"
    yield table(words, ["Subset", *(who(run, name, own) for name, own in shown.items())], body)


def _cell(own: Mapping[str, Any], row: str) -> Html:
    subsets: Mapping[str, Any] = section(own, "subsets")
    return score(subsets[row]) if row in subsets else join([NONE])


def seed_rows(found: Mapping[str, Any]) -> Sequence[Sequence[Html]]:
    """Return a row for each seed of a set of untrained models: its best layer and the score of that layer."""
    seeds, layers = (own if isinstance(own := found.get(name), list) else [] for name in ("seeds", "layers"))
    by_seed, told = section(found, "r2_by_seed"), dict(zip(map(str, seeds), layers, strict=False))
    return [[named(name), count(told.get(name)), score(by_seed.get(name))] for name in map(str, seeds)]
