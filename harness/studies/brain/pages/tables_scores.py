"""The tables of scores: every model under every split, its participants and networks, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.kit.documents import section
from harness.kit.pages import NONE, Html, count, el, folded, join, named, table
from harness.studies.brain.measures.naming import BEST, bands
from harness.studies.brain.pages.fragments import chosen, score
from harness.studies.brain.pages.run_basis import BrainRun, simplest_first

READING = (
    "R2 out of sample and Pearson r of the language network, averaged over participants; 0 is the mean of the training "
    "rows. Degenerate: units whose score is no finite number."
)
NULLS = (
    "Null units hold noise alone: the simulation planted nothing there, so their R2 ought to be about 0; in generation "
    "P a little above, since each unit's score is cut at 0."
)


def scores(run: BrainRun) -> list[Html]:
    """Return the table of each data set's models under each split, with folded details; empty if there are none."""
    datasets = section(run.document("performance"), "datasets")
    made = [part for dataset in run.datasets if dataset in datasets for part in _dataset(run, dataset)]
    return [el("p", READING, class_="soft"), *made] if made else []


def _dataset(run: BrainRun, dataset: str) -> Iterator[Html]:
    found = section(run.document("performance"), "datasets", dataset)
    every = {name for split in run.splits(dataset) for name in run.scored(dataset, split)}
    best = {run.score(dataset, split, name).model for split in run.splits(dataset) for name in run.families(dataset)}
    joint = [name for name in run.fixed(dataset) if any(band.endswith(f"@{BEST}") for band in bands(name))]
    models = [*sorted(best & every, key=simplest_first), *(name for name in run.fixed(dataset) if name not in joint)]
    yield el("h3", run.title(dataset))
    yield el("p", join([count(found.get("rows")), " rows, ", count(found.get("units")), " units."]), class_="soft")
    yield _table(
        run, dataset, models, f"{run.title(dataset)}: fixed models, and the layers and widths that were chosen"
    )
    if joint:
        words = f"Models with the best layer of a text model, {run.title(dataset)}"
        yield folded(words, _table(run, dataset, joint, f"{words}: that layer was chosen on test data"))
    others = sorted(every - {*models, *joint}, key=simplest_first)
    if others:
        words = f"All other layers and widths, {run.title(dataset)}"
        yield folded(words, _table(run, dataset, others, words))
    if run.world(dataset):
        yield el("p", NULLS, class_="soft")
    for part in ("participants", "networks"):
        for split in run.splits(dataset):
            yield from _parts(run, dataset, split, part, [*models, *joint])


def _table(run: BrainRun, dataset: str, models: Sequence[str], caption: str) -> Html:
    head = [
        "Model",
        *(
            f"{words}, {split}"
            for split in run.splits(dataset)
            for words in ("R2", "Pearson", "Degenerate", "R2 of null units")
        ),
    ]
    own = {split: run.scored(dataset, split) for split in run.splits(dataset)}
    body = [[named(name), *(cell for found in own.values() for cell in _row(section(found, name)))] for name in models]
    return table(caption, head, body)


def _row(own: Mapping[str, Any]) -> list[Html]:
    if not own:
        return [join([NONE, el("span", "not fitted", class_="why")]), *[join([NONE])] * 3]
    null = section(own, "null")
    empty = join([NONE, el("span", "none marked", class_="why")])
    left_out = own.get("left_out")
    aside = el("span", "left out: ", chosen(left_out), class_="why") if left_out else None
    beside = el("span", count(null.get("units")), " units", class_="why")
    return [
        join([score(own.get("r2")), aside]),
        score(own.get("pearson")),
        count(own.get("degenerate")),
        join([score(null.get("r2")), beside]) if null else empty,
    ]


def _parts(run: BrainRun, dataset: str, split: str, part: str, models: list[str]) -> Iterator[Html]:
    """Yield a folded table of a split's R2 by participant or by network, with r and the number of units below each."""
    own = {name: section(run.scored(dataset, split), name, part) for name in models}
    names = sorted({each for found in own.values() for each in found})
    if not names:
        return
    body = [[named(name), *(_part(section(found, each)) for each in names)] for name, found in own.items() if found]
    words = f"By {part.removesuffix('s')}, {split} splits, {run.title(dataset)}"
    yield folded(words, table(f"{words}: R2, r and units", ["Model", *map(named, names)], body))


def _part(found: Mapping[str, Any]) -> Html:
    if not found:
        return join([NONE])
    under = el("span", "r ", score(found.get("pearson"), 3), ", ", count(found.get("units")), " units", class_="why")
    return join([score(found.get("r2")), under])
