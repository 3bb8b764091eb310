"""Describes a run on its page: whose recordings, which generation of the computation, and what is the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.documents import section
from harness.kit.pages import NONE, Html, bullets, count, el, join, named, table
from harness.studies.brain.pages.run_basis import WORLDS, BrainRun
from harness.studies.brain.terms import H, P

PAPER = "What Are Large Language Models Mapping to in the Brain? (2024)"
GENERATIONS: Mapping[str, str] = {
    P: "Generation P: as the paper computes. Scores are cut at 0 in every unit before they are averaged; 40 alphas.",
    H: "Generation H: as the published code's later version computes. Scores are averaged first and cut at 0 for every "
    "participant; 26 alphas.",
}
SIMULATED = (
    "Every recording here is simulated (OURS): it holds what was planted in it and noise, and no brain was measured. "
    "No recording of the paper was used, and no score of this page is the paper's."
)
GIVEN = (
    "Not every recording here is simulated: those without a world were given by whoever ran this. The scores of this "
    "page are this run's; what is the paper's is called so."
)
ONE_WORLD = (
    "This run has one of the two worlds: what is said below of both is what the simulation is built for, and this run "
    "does not show it."
)
CHANGED = (
    "The manifest changed weights of the simulation: what is said below of a world holds at its published weights. The "
    "changed ones stand in the last part."
)
NOT_SIMULATED = (
    "Recordings of the paper: no mirror of its code holds those of Pereira and of Blank, and its authors withdrew "
    "those of Fedorenko.",
    "Glass brains: they need the place of every voxel, which a simulation does not have.",
)
NOT_HERE = (
    "Which categories the authors put into the first half of Pereira's folds: never published, so the first half of "
    "the alphabet stands there (OURS).",
    "Shuffles of generation P: never published; those of generation H, by a seed, stand in their place.",
)
OURS = (
    "The simulations, their two worlds and their sentences.",
    "Choices of layers, widths and subsets inside the training rows (nested), beside the published ones.",
    "The seed of the search over band weights; the published search has none.",
    "Tests by block and by fold, and the measured size of every test.",
)


def origin(run: BrainRun) -> str:
    """Return one sentence that says whose recordings this run has."""
    if run.simulated:
        return f"A re-implementation of the computations of {PAPER} on simulated recordings (OURS): not a replication."
    return f"A re-implementation of the computations of {PAPER} on recordings that this run was given."


def notes(run: BrainRun) -> Iterator[str]:
    """Yield sentences that say what the recordings are, and how scores were computed."""
    yield SIMULATED if run.simulated else GIVEN
    yield GENERATIONS.get(run.generation, run.generation)
    worlds = {run.world(name) for name in run.datasets}
    if run.simulated and worlds != {*WORLDS}:
        yield ONE_WORLD
    if any(map(run.changed, run.datasets)):
        yield CHANGED


def basis(run: BrainRun) -> list[Html]:
    """Return the page's lists of data sets with their worlds, of models, of what is OURS, and of what the run lacks."""
    datasets = section(run.document("performance"), "datasets")
    body = [
        [
            named(name),
            _world(run, name) if run.world(name) else "not simulated",
            named(run.layout(name)) if run.layout(name) else NONE,
            count(section(datasets, name).get("rows")),
            count(section(datasets, name).get("units")),
        ]
        for name in run.datasets
    ]
    worlds = [join([named(name), f": {words}."]) for name, words in WORLDS.items()]
    models = bullets(_model(*each) for each in run.models.items()) if run.models else el("p", "No text model was run.")
    head = ["Data set", "World", "Rows as in", "Rows", "Units"]
    return [
        table("The data sets of this run", head, body),
        bullets(worlds),
        el("h3", "Text models"),
        models,
        el("h3", "What is OURS"),
        bullets(OURS),
        el("h3", "What of the paper is not here"),
        bullets(_not_here(run)),
    ]


def _not_here(run: BrainRun) -> tuple[str, ...]:
    return (*(NOT_SIMULATED if run.simulated else ()), *NOT_HERE)


def _model(name: str, about: Mapping[str, Any]) -> Html:
    """Return the name of a text model, and say so if it is untrained."""
    drawn = about.get("untrained")
    return join([named(name), None if drawn is None else f", untrained: its weights are drawn from the seed {drawn}"])


def _world(run: BrainRun, dataset: str) -> Html:
    """Return the name of a data set's world, and the weights that the manifest changed."""
    changed = ", ".join(f"{name} {value}" for name, value in run.changed(dataset).items())
    return join([named(run.world(dataset)), el("span", "changed: ", changed, class_="why") if changed else None])
