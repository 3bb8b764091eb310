"""The planning of the fits: which models of which features are fitted to which recordings, in which split.

It knows names of features, models and steps; it must never know a recording, a feature or a score.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any

from harness.errors import InputError
from harness.models.local.activations import INDEX, layer_file
from harness.steps import Ref, Source, Step, maker
from harness.studies.ask import Asked
from harness.studies.brain.features.texts import options
from harness.studies.brain.fitting.requests import request
from harness.studies.brain.simulation.recipes import weight_names
from harness.studies.brain.terms import (
    BLANK,
    CONTIGUOUS,
    EXP1,
    FEDORENKO,
    INTERCEPT,
    PEREIRA,
    SHUFFLE_SEED,
    SHUFFLED,
    SIGMAS,
    SPLITS,
    H,
)  # fmt: skip
from harness.studies.hidden_states import activations
from harness.studies.study import Brief, Dataset, Model

HERE = "harness.studies.brain"
ALL = "all"
LAYERS = "layers"  # the fact of a model that says how many layers it has above its embedding
LLM, UNTRAINED, WORD = "LLM", "LLMU", "WORD"  # arrays of features that a simulation hands out
SIMPLE: Mapping[str, tuple[str, ...]] = {PEREIRA: ("SP", "SL"), FEDORENKO: ("WP",), BLANK: ("RATE",)}
PLAIN = "!plain"  # what generation H fits by the plain ridge
RICHER: Mapping[str, tuple[str, ...]] = {PEREIRA: (WORD,), FEDORENKO: (), BLANK: ()}
TIME = {PEREIRA: "OASM@2.2", FEDORENKO: "OASM@1.8", BLANK: "OASM@1.5"}  # the paper's best sigma, beside other bands
WIDEST = 1000  # sigma of a smoothing
_WIDTH = re.compile(r"[0-9]{1,4}(\.[0-9]{1,6})?")


@dataclass(frozen=True)
class Recorded:
    """A dataset with recordings: its name in the manifest, the world it simulates if it does, and its rows' layout."""

    name: str
    world: str
    layout: str
    experiment: str
    weights: Mapping[str, str] = field(default_factory=dict)  # of the simulation: those that the manifest changed

    def ref(self, output: str) -> Ref:
        """Refer to an output of its maker."""
        return Ref(maker(self.name), output)

    def about(self) -> dict[str, str]:
        """Say what it is, as a parameter of the steps that read what was fitted to it."""
        return {"dataset": self.name, "world": self.world, "layout": self.layout, "experiment": self.experiment}


@dataclass(frozen=True)
class ModelGroup:
    """Models that one step fits, in one split; and what text models read for it, where these are of layers."""

    recorded: Recorded
    split: str
    name: str
    models: tuple[str, ...]
    text_models: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    read: Mapping[str, Source] = field(default_factory=dict)


@dataclass
class Fitted:
    """The fits of a plan: where each group's scores and errors lie, and what each group is."""

    recorded: tuple[Recorded, ...]
    groups: list[dict[str, Any]] = field(default_factory=list)
    fits: list[Ref] = field(default_factory=list)
    errors: list[Ref] = field(default_factory=list)


def recorded(datasets: Iterable[Dataset]) -> tuple[Recorded, ...]:
    """Give the datasets with recordings; InputError for an experiment of what has none."""
    found = []
    for dataset in datasets:
        if dataset.make != "brain.simulated":
            continue
        layout = str(dataset.params.get("layout", PEREIRA))
        if layout != PEREIRA and "experiment" in dataset.params:
            told = f"{layout} has no experiments"
            raise InputError(told, where=f"datasets.{dataset.name}.experiment", next="leave it out")
        experiment = str(dataset.params.get("experiment", EXP1)) if layout == PEREIRA else ""
        weights = {name: str(dataset.params[name]) for name in weight_names() if name in dataset.params}
        found.append(Recorded(dataset.name, str(dataset.params["world"]), layout, experiment, weights))
    return tuple(found)


def fit_all(asked: Asked, brief: Brief) -> Fitted:
    """Add the steps that read texts with every model, and fit every group of models in both splits.

    InputError for a model that does not say how many layers it has, and for what a fit refuses (`request`).
    """
    found, generation = Fitted(recorded(brief.datasets)), brief.settings["generation"]
    for one in found.recorded:
        read = {model.name: _hidden(asked, brief, one, model) for model in brief.models}
        for split in SPLITS:
            known = dict.fromkeys([*time_models(brief.settings, split), *space_models(generation, one.layout, split)])
            groups = [ModelGroup(one, split, "spaces", tuple(known))]
            if read:
                numbers = {model.name: layers(model) for model in brief.models}
                names = tuple(f"{model}@{layer}" for model, own in numbers.items() for layer in own)
                files = {name: source for one_read in read.values() for name, source in one_read.items()}
                groups.append(ModelGroup(one, split, "texts", names, numbers, files))
            for group in groups:
                _add(asked, brief, found, group)
    return found


def time_models(settings: Mapping[str, Any], split: str) -> tuple[str, ...]:
    """Name the models that know nothing but time, one for each sigma of the sweep.

    Generation H fits them by the plain ridge where the split is contiguous.
    """
    generation = settings["generation"]
    sigmas = SIGMAS[generation] if settings["sigmas"] == ALL else widths(settings["sigmas"])
    how = PLAIN if (generation, split) == (H, CONTIGUOUS) else ""
    return tuple(f"OASM@{sigma}{how}" for sigma in sigmas)


def widths(said: str) -> tuple[str, ...]:
    """Read the widths of a sweep, decimals after commas; InputError for what is none, is too wide or stands twice."""
    given = tuple(part.strip() for part in said.split(","))
    for place, one in enumerate(given):
        wrong = "" if _WIDTH.fullmatch(one) and float(one) <= WIDEST else f"is no number from 0 to {WIDEST}"
        if wrong or float(one) in {float(other) for other in given[:place]}:
            told = f"the width {one[:40]!r} {wrong or 'stands twice'}"
            raise InputError(told, where="settings.sigmas", next='write `all`, or decimals such as "1.0, 2.2"')
    return given


def space_models(generation: str, layout: str, split: str) -> tuple[str, ...]:
    """Name the models of feature spaces: all subsets in contiguous splits, time and LLM together in shuffled ones.

    The untrained features stand beside the simple ones alone, as in the paper.
    """
    simple = simple_spaces(generation, layout)
    if split == SHUFFLED:
        return (_named(simple), LLM, UNTRAINED, _named((TIME[layout], LLM)))
    return tuple(dict.fromkeys([*subsets((*simple, *RICHER[layout], LLM)), *subsets((*simple, UNTRAINED))]))


def simple_spaces(generation: str, layout: str) -> tuple[str, ...]:
    """Name the spaces that know neither words nor context; generation H makes one band of position and length."""
    return ("SP&SL",) if (generation, layout) == (H, PEREIRA) else SIMPLE[layout]


def tested_pairs(generation: str, layout: str, split: str) -> list[list[str]]:
    """Name the pairs of models that are tested: the one with the LLM against the one without."""
    if split == SHUFFLED:
        return [[_named((TIME[layout], LLM)), LLM], [LLM, INTERCEPT]]
    simple = simple_spaces(generation, layout)
    added = dict.fromkeys(((simple, LLM), ((*simple, *RICHER[layout]), LLM), (simple, UNTRAINED)))
    return [*([_named((*base, extra)), _named(base)] for base, extra in added), [LLM, INTERCEPT]]


def subsets(spaces: tuple[str, ...]) -> list[str]:
    """Name the models of all subsets but the empty one, the smaller first."""
    return [_named(each) for each in chain.from_iterable(combinations(spaces, n + 1) for n in range(len(spaces)))]


def layers(model: Model) -> tuple[int, ...]:
    """Give the layers of a model, 0 being its embedding; InputError where the manifest does not say how many."""
    said = str(model.facts.get(LAYERS, ""))
    if not (said.isascii() and said.isdigit() and 0 < int(said) < 1000):
        raise InputError(
            f"it is not said how many layers {model.name!r} has",
            where=f"models.{model.name}.facts",
            next='write as its config.json has it, such as `facts: {layers: "6"}`',
        )
    return tuple(range(int(said) + 1))


def _named(bands: Iterable[str]) -> str:
    return "+".join(bands)


def _hidden(asked: Asked, brief: Brief, one: Recorded, model: Model) -> dict[str, Source]:
    """Add the steps that read the stimuli with a model; returns its index and layers, as inputs of a fit."""
    generation = brief.settings["generation"]
    pieces = f"pieces/{one.name}"
    if not any(step.name == pieces for step in asked.steps):
        params = {"dataset": one.layout, "generation": generation}
        told = {"stimuli": one.ref("stimuli")}
        asked.add(Step(pieces, f"{HERE}.features.texts:write", "prompts", params, told, ("pieces",)))
    how = options(one.layout, generation, brief.settings["pool"])
    step = activations(f"hidden/{one.name}/{model.name}", model, Ref(pieces, "pieces"), how, layers(model), every=True)
    asked.add(step)
    files = (INDEX, *(layer_file(layer) for layer in layers(model)))
    return {f"{model.name}.{name}": Ref(step.name, name) for name in files}


def _add(asked: Asked, brief: Brief, found: Fitted, group: ModelGroup) -> None:
    """Add the step that fits a group of models, and note what it is."""
    one, generation = group.recorded, brief.settings["generation"]
    tested = {each for pair in tested_pairs(generation, one.layout, group.split) for each in pair}
    kept = [model for model in group.models if model in tested]
    params = {
        "dataset": one.layout, "experiment": one.experiment, "split": group.split, "seed": SHUFFLE_SEED,
        "generation": generation, "inner_rows": int(brief.settings["fedorenko_inner_rows"]),
        "iterations": brief.settings["iterations"], "gamma_seed": brief.seeds[0],
        "models": list(group.models), "errors": kept, "dtype": "float32",
        "text_models": {model: list(numbers) for model, numbers in group.text_models.items()},
    }  # fmt: skip
    request(params)
    inputs = {**{key: one.ref(key) for key in ("stimuli", "units", "recordings", "features")}, **group.read}
    name, outputs = f"fit/{one.name}/{group.split}/{group.name}", ("fits", "errors", "searches")
    fits = asked.add(Step(name, f"{HERE}.fitting.step:fit", "scores", params, inputs, outputs, infers=True))
    found.fits.append(fits)
    found.errors.append(Ref(name, "errors"))
    said = {"split": group.split, "group": group.name, "models": list(group.models), "errors": kept}
    found.groups.append({**one.about(), **said, "text_models": sorted(group.text_models)})
