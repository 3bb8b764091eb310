"""The tables of choices: layers, widths, stars and omega, each as published and without looking at test data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import NONE, Html, count, el, folded, join, named, table
from harness.studies.brain.pages.fragments import chosen, dictionaries, flat, score
from harness.studies.brain.pages.run_basis import BrainRun, curve
from harness.studies.brain.pages.tables_findings import seed_rows
from harness.studies.brain.terms import PEREIRA, SPLITS

CHOICES = (
    "Published: the layer or width with the highest score on test data, so biased upward. Nested (OURS): chosen in "
    "each fold by scores inside its training rows."
)
NEAR_TIES = (
    "Near ties (OURS): choices for which the order among equals would take another candidate, had the arithmetic erred "
    "by as much as it may. Scores within {grid} of the best are equal, and their difference may err by {error}."
)
CORRELATIONS = (
    "How the shuffled and the contiguous score go together from layer to layer, or from width to width. Neighbours are "
    "no independent samples, so no p-value stands here."
)
STARS = (
    "A starred score takes in each unit the highest of so many subsets on test data: it is biased upward. Nested "
    "(OURS): the subset chosen inside the training rows. Best: one subset for all units."
)
GAIN = (
    "Gain: by how many percent the score exceeds that of the starred model without the language model. It can be the "
    "same in both worlds, so it does not tell them apart."
)
OMEGA = (
    "Omega: how much of the language model's score the simple model explains, 0 to 100. A participant whose language "
    "model scores 0 or less counts as 100, and as degenerate; beside it, omega without such participants. Left out: "
    "participants with a score that is no finite number."
)
SEEDS = (
    "A model drawn from several seeds: the best layer of each seed, then the mean over seeds. A layer is chosen on "
    "test data for each seed, so the mean is biased upward as well; nested (OURS) is not."
)
PAPERS = (
    " The paper's counts of best layers, for ten seeds of GPT2-XL: EXP1 (384 rows) layer 0 six times, 1 three times, "
    "19 once; EXP2 (243 rows) layer 1 five times, 2 four times, 5 once. Other models are not expected to meet them."
)
MANY = 30  # the most rows of a table that is not folded
ALONE = join([NONE, el("span", "stands alone", class_="why")])
WARNED = (
    "A high omega, or OASM above the language model under shuffled splits, occurs also where the text carries all of "
    "the passage signal: nothing about nuisance follows from it."
)


def choices(run: BrainRun) -> list[Html]:
    """Return the tables of published and nested choices of each data set, and those of correlations over layers."""
    tables = [part for dataset in run.datasets for part in _chosen(run, dataset)]
    drawn = [part for dataset in run.datasets for part in _seeds(run, dataset)]
    ties = [part for dataset in run.datasets for part in _near_ties(run, dataset)]
    correlated = [part for dataset in run.datasets for part in _correlated(run, dataset)]
    return [
        *([el("p", CHOICES, class_="soft"), *tables] if tables else []),
        *ties,
        *([el("p", SEEDS, _papers(run), class_="soft"), *drawn] if drawn else []),
        *([el("p", CORRELATIONS, class_="soft"), *correlated] if correlated else []),
    ]


def _papers(run: BrainRun) -> str | None:
    """Return the paper's own counts if they apply to the run, that is, to real recordings of Pereira."""
    if any(run.layout(dataset) == PEREIRA and not run.world(dataset) for dataset in run.datasets):
        return PAPERS
    return " What the paper counted is not expected of simulated recordings."


def _chosen(run: BrainRun, dataset: str) -> Iterator[Html]:
    document = section(run.document("choices"), dataset)
    body = [
        [
            join([named(family), ", ", split]),
            score(section(found, "published").get("r2")),
            chosen(section(found, "published").get("chosen")),
            score(section(found, "nested").get("r2")),
            chosen(section(found, "nested").get("chosen")),
            count(len(curve(found))),
            _ties(found),
        ]
        for split in SPLITS
        for family in run.families(dataset)
        if (found := section(document, split, family))
    ]
    if body:
        head = ["Of", "R2, published", "Chosen", "R2, nested (OURS)", "Chosen in the folds", "Candidates", "Near ties"]
        yield table(f"{run.title(dataset)}: choices", head, body)


def _ties(found: Mapping[str, Any]) -> Html:
    """Count the near ties among the choices of one family, published, nested and by each metric."""
    metrics = [section(found, "by_metric", name) for name in section(found, "by_metric")]
    parts = [section(found, "nested"), *metrics]
    if "near_tie" not in section(found, "published"):
        return join([NONE])
    return count(
        int(section(found, "published")["near_tie"]) + sum(int(number(one.get("near_ties")) or 0) for one in parts)
    )


def _near_ties(run: BrainRun, dataset: str) -> Iterator[Html]:
    """Yield the table of near ties of each split, with a folded list of those of fits below it."""
    document = section(run.document("choices"), dataset, "near_ties")
    told = {split: own for split in SPLITS if (own := section(document, split))}
    body = [
        [named(split), *(of for part in ("fits", "families") for of in _share(section(own, part)))]
        for split, own in told.items()
    ]
    if not body:
        return
    sizes = {name: max(number(own.get(name)) or 0.0 for own in told.values()) for name in ("grid", "error")}
    yield el("p", NEAR_TIES.format(**{name: f"{size:.2g}" for name, size in sizes.items()}), class_="soft")
    head = [
        "Split",
        "Near ties of alpha and weighting",
        "Of choices, a unit and fold each",
        "Near ties of layer and width",
        "Of choices",
    ]
    yield table(f"{run.title(dataset)}: near ties", head, body)
    rows = [
        [
            named(str(one.get("model"))),
            el("span", split),
            chosen(one.get("experiment")),
            count(one.get("fold")),
            count(one.get("unit")),
        ]
        for split, own in told.items()
        for one in dictionaries(section(own, "fits").get("first"))
    ]
    if rows:
        words = f"{run.title(dataset)}: the first near ties of fits"
        yield folded(words, table(words, ["Model", "Split", "Experiment", "Fold", "Unit"], rows))


def _share(found: Mapping[str, Any]) -> list[Html]:
    return [count(found.get("near_ties")), count(found.get("choices"))]


def _seeds(run: BrainRun, dataset: str) -> Iterator[Html]:
    """Yield the table of models drawn from several seeds, with each seed folded below it; nothing if there are none."""
    found = {
        (name, split): own
        for split in SPLITS
        for name, own in run.seed_sets(dataset, split).items()
        if isinstance(own, Mapping)
    }
    body = [
        [
            join([named(name), ", ", split]),
            chosen(own.get("seeds")),
            _counted(own.get("layers")),
            score(own.get("r2")),
            score(section(own, "nested").get("r2")),
            chosen([*_texts(own), *_texts(section(own, "nested"))]),
        ]
        for (name, split), own in found.items()
    ]
    if body:
        head = [
            "Drawn from seeds",
            "Seeds",
            "Best layers",
            "R2, published: mean over seeds",
            "R2, nested (OURS): mean over seeds",
            "Left out",
        ]
        yield table(f"{run.title(dataset)}: untrained models", head, body)
    for (name, split), own in found.items():
        if rows := seed_rows(own):
            words = f"{run.title(dataset)}: {name} seed by seed, {split}"
            yield folded(words, table(words, ["Seed", "Best layer", "R2, published"], rows))


def _counted(found: Any) -> Html:
    """Return how many seeds chose each layer, most frequent layer first."""
    layers = [each for each in found if each is not None] if isinstance(found, list) else []
    times = Counter(f"{layer}" for layer in layers)
    return chosen([f"layer {layer}: {many} of {len(layers)}" for layer, many in times.most_common()])


def _texts(found: Mapping[str, Any]) -> list[str]:
    """Return the seeds that a mean leaves out."""
    given = found.get("left_out")
    return [str(name) for name in given] if isinstance(given, list) else []


def _correlated(run: BrainRun, dataset: str) -> Iterator[Html]:
    """Yield the table of correlations between the curves of both splits, one row for each part of a curve."""
    found = {
        family: own
        for family in run.families(dataset)
        for split in SPLITS
        if (own := section(run.choice(dataset, split, family), "correlation"))
    }
    rows = [
        (join([named(family), el("span", part.replace("_", " "), class_="why")]), dict(flat(own)))
        for family, parts in found.items()
        for part, own in parts.items()
        if isinstance(own, Mapping)
    ]
    columns = sorted({name for _, own in rows for name in own}, key=lambda name: (name != "points", len(name), name))
    if columns:
        body = [[who, *(_correlation(each, own.get(each)) for each in columns)] for who, own in rows]
        yield table(f"{run.title(dataset)}: shuffled against contiguous", ["Of", *map(_heading, columns)], body)


def _heading(name: str) -> str:
    kind = name.removeprefix("steps ").capitalize()
    return f"{kind} of the steps between neighbours (OURS)" if name.startswith("steps ") else kind


def _correlation(name: str, found: Any) -> Html:
    return count(found) if name == "points" else score(found, 3)


def stars(run: BrainRun) -> list[Html]:
    """Return the table of starred models for each data set; empty if there are none."""
    made = []
    for dataset in run.datasets:
        body = [
            [
                join([named(str(row.get("name"))), ", ", split]),
                _subsets(row),
                score(row.get("r2")),
                score(_r2(row.get("nested"))),
                score(section(row, "best").get("r2")),
                chosen(section(row, "best").get("model")),
                _gain(row, "gain_percent"),
                _gain(row, "nested_gain_percent"),
                count(row.get("near_ties")),
            ]
            for split in SPLITS
            for row in dictionaries(section(run.document("stars"), dataset).get(split))
        ]
        head = [
            "Starred",
            "Subsets",
            "R2, starred",
            "R2, nested (OURS)",
            "R2 of the best",
            "Best",
            "Gain",
            "Gain, nested (OURS)",
            "Near ties, nested",
        ]
        if body:
            made.append(_long(f"{run.title(dataset)}: starred models", head, body))
    return [el("p", STARS, class_="soft"), *made, el("p", GAIN, class_="soft")] if made else []


def _long(words: str, head: Sequence[str], body: Sequence[Sequence[str]]) -> Html:
    """Return a table, folded if it has many rows."""
    made = table(words, head, body)
    return folded(f"{words}, {len(body)} rows", made) if len(body) > MANY else made


def _subsets(row: Mapping[str, Any]) -> Html:
    """Return the number of fitted subsets and, if it is larger, the number of all subsets."""
    fitted, all_of_them = number(row.get("subsets")), number(row.get("of"))
    more = all_of_them is not None and all_of_them != fitted
    return join([count(fitted), f" of {all_of_them:,.0f}" if more else None])


def _gain(row: Mapping[str, Any], name: str) -> Html:
    if name not in row:
        return ALONE
    found = row[name]
    return score({"missing": "nothing above 0 to compare with"} if found is None else found, 1, unit=" %")


def _r2(found: Any) -> Any:
    return found.get("r2", found) if isinstance(found, Mapping) else found


def omega(run: BrainRun) -> list[Html]:
    """Return the table of omega for each data set, with participants folded below; empty if there are none."""
    made = [part for dataset in run.datasets for part in _omega(run, dataset)]
    return [el("p", OMEGA, class_="soft"), *made, el("p", WARNED, class_="note", role="note")] if made else []


def _omega(run: BrainRun, dataset: str) -> Iterator[Html]:
    found = [
        (split, row) for split in SPLITS for row in dictionaries(section(run.document("omega"), dataset).get(split))
    ]
    if not found:
        return
    body = [
        [
            join([named(str(row.get("simple"))), " against ", named(str(row.get("llm"))), f", {split}"]),
            chosen(row.get("banded")),
            score(row.get("omega"), 1),
            score(row.get("without_empty"), 1),
            count(row.get("clipped")),
            count(row.get("degenerate")),
            chosen(row.get("left_out") or []),
        ]
        for split, row in found
    ]
    head = [
        "Simple and language model",
        "Both together",
        "Omega",
        "Without those of L \N{LESS-THAN OR EQUAL TO} 0",
        "Participants at 100",
        "Degenerate",
        "Left out",
    ]
    yield _long(f"{run.title(dataset)}: omega", head, body)
    yield from _participants(run, dataset, found)


def _participants(run: BrainRun, dataset: str, found: list[tuple[str, Mapping[str, Any]]]) -> Iterator[Html]:
    rows = [
        (
            join(
                [
                    named(str(name)),
                    el("span", str(row.get("simple")), " against ", str(row.get("llm")), ", ", split, class_="why"),
                ]
            ),
            dict(flat(own) if isinstance(own, Mapping) else [("omega", own)]),
        )
        for split, row in found
        for name, own in section(row, "participants").items()
    ]
    columns = list(dict.fromkeys(name for _, own in rows for name in own))
    if rows:
        words = f"Omega by participant, {run.title(dataset)}"
        body = [[who, *(_any(own.get(name)) for name in columns)] for who, own in rows]
        yield folded(words, table(words, ["Participant", *columns], body))


def _any(found: Any) -> Html:
    return join(["yes" if found else "no"]) if isinstance(found, bool) else score(found)
