"""Plans the steps of the fits: which models of which features are fitted to which recordings, in which split.

Works with names of features, models and steps; reads no recordings, features or scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.errors import InputError
from harness.kit.ask import Asked
from harness.kit.hidden_states import activation_parts
from harness.kit.study import Brief, Model
from harness.models.local.load import UNTRAINED
from harness.steps import Ref, Source, Step
from harness.studies.brain.asked_models import (
    compared_pairs,
    joint_models,
    kept_models,
    space_models,
    time_models,
)
from harness.studies.brain.features.texts import options
from harness.studies.brain.fitting.requests import request
from harness.studies.brain.measures.best_layer import CHOSEN
from harness.studies.brain.measures.naming import BEST
from harness.studies.brain.recorded import Recorded, recorded
from harness.studies.brain.ridge.by_himalaya import require_double
from harness.studies.brain.terms import SHUFFLE_SEED, SPLITS

HERE = "harness.studies.brain"
LAYERS, POOL = "layers", "pool"  # facts of a model: its layers above the embedding; its pooling of a sentence's tokens
OURS = "ours"  # the solver of fits, unless a manifest names another
PARTS = 8  # parts in which a model reads the stimuli of real recordings; a stopped run loses little
SPACES = "spaces"  # the group of models without a text model
SplitRows = tuple[Recorded, str, str]  # a dataset, one of its experiments or an empty text, a split
ReadFiles = Mapping[str, Source]  # a text model's index and layers, by the names of a fit's inputs


@dataclass(frozen=True)
class ModelGroup:
    """A group of models that one step fits in one split, and the layers of text models that it needs."""

    recorded: Recorded
    experiment: str
    split: str
    name: str
    models: tuple[str, ...]
    text_models: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # the text models whose layers are fitted
    joint: tuple[str, ...] = ()  # the text models whose best layers are fitted
    read: Mapping[str, Source] = field(default_factory=dict)

    def said(self, errors: Iterable[str]) -> dict[str, Any]:
        """Return this group's dataset, split and models as a parameter for the steps that read its fits."""
        about = {**self.recorded.about(), "experiment": self.experiment}
        texts = sorted({*self.text_models, *self.joint})
        named = {"split": self.split, "group": self.name, "models": list(self.models), "errors": list(errors)}
        return {**about, **named, "text_models": texts}

    def rows(self) -> str:
        """Return the dataset, experiment and split as one text, a part of step names."""
        of = f"{self.recorded.name}/{self.experiment}" if len(self.recorded.experiments) > 1 else self.recorded.name
        return f"{of}/{self.split}"


@dataclass
class Fitted:
    """All fits of a run's plan: references to scores and errors, each group's description, pairs to test."""

    recorded: tuple[Recorded, ...]
    pairs: dict[str, dict[str, list[list[str]]]] = field(default_factory=dict)
    groups: list[dict[str, Any]] = field(default_factory=list)
    fits: list[Ref] = field(default_factory=list)
    errors: list[Ref] = field(default_factory=list)
    best: list[dict[str, str]] = field(default_factory=list)  # text models with a chosen best layer, and where
    chosen: list[Ref] = field(default_factory=list)


def fit_all(asked: Asked, brief: Brief) -> Fitted:
    """Add the steps that read texts with every model and fit every group of models in both splits.

    Raises InputError if a model does not say how many layers it has, and for whatever a fit refuses (`request`).
    """
    found = Fitted(recorded(brief.datasets))
    drawn = {model.name: UNTRAINED in model.settings for model in brief.models}
    for one in found.recorded:
        read = {model.name: _hidden(asked, brief, one, model) for model in brief.models}
        found.pairs[one.name] = {
            split: compared_pairs(brief.settings, one.layout, split, one.arrays, drawn) for split in SPLITS
        }
        for experiment in one.experiments:
            for split in SPLITS:
                _fit_split(asked, brief, found, (one, experiment, split), read)
    return found


def layers(model: Model) -> tuple[int, ...]:
    """Return the layer numbers of a model, 0 being its embedding; InputError if the manifest does not say how many."""
    said = str(model.facts.get(LAYERS, ""))
    if not (said.isascii() and said.isdigit() and 0 < int(said) < 1000):
        raise InputError(
            f"it is not said how many layers {model.name!r} has",
            where=f"models.{model.name}.facts",
            next='write as its config.json has it, such as `facts: {layers: "6"}`',
        )
    return tuple(range(int(said) + 1))


def _fit_split(asked: Asked, brief: Brief, found: Fitted, where: SplitRows, read: Mapping[str, ReadFiles]) -> None:
    """Add the fits of the feature spaces, then of each text model's layers, then of its best layer with spaces."""
    one, _, split = where
    settings = brief.settings
    spaces = [*time_models(settings, split), *space_models(settings, one.layout, split, one.arrays)]
    _add(asked, brief, found, ModelGroup(*where, SPACES, tuple(dict.fromkeys(spaces))))
    for model in brief.models:  # each in steps of its own, so that a further model fits nothing but itself
        numbers = layers(model)
        names = tuple(f"{model.name}@{layer}" for layer in numbers)
        alone = ModelGroup(*where, f"text/{model.name}", names, {model.name: numbers}, read=read[model.name])
        best = _best(asked, brief, found, alone, _add(asked, brief, found, alone), model, read[model.name])
        drawn = UNTRAINED in model.settings
        joint = joint_models(settings, one.layout, split, one.arrays, model.name, drawn=drawn)
        together = {f"{BEST}.{model.name}": best}
        group = ModelGroup(*where, f"joint/{model.name}", joint, joint=(model.name,), read=together)
        _add(asked, brief, found, group)


def _best(
    asked: Asked, brief: Brief, found: Fitted, group: ModelGroup, fits: Ref, model: Model, read: ReadFiles
) -> Ref:
    """Add the step that takes the best of the layers of a text model that a group fitted; return its vectors."""
    one = group.recorded
    about = {"dataset": one.name, "model": model.name}
    params = {**about, "generation": brief.settings["generation"], "group": group.said([])}
    inputs = {"fits": (fits,), "units": (one.ref("units"),), "stimuli": one.ref("stimuli"), **read}
    name = f"best/{group.rows()}/{model.name}"
    asked.add(Step(name, f"{HERE}.measures.best_layer:choose", "analyses", params, inputs, (BEST, CHOSEN), derive=True))
    found.best.append({**about, "experiment": group.experiment, "split": group.split})
    found.chosen.append(Ref(name, CHOSEN))
    return Ref(name, BEST)


def _hidden(asked: Asked, brief: Brief, one: Recorded, model: Model) -> ReadFiles:
    """Add the steps that read the stimuli with a model; return its index and layers, as inputs of a fit."""
    generation = brief.settings["generation"]
    pieces = f"pieces/{one.name}"
    if not any(step.name == pieces for step in asked.steps):
        params = {"dataset": one.layout, "generation": generation}
        told = {"stimuli": one.ref("stimuli")}
        asked.add(Step(pieces, f"{HERE}.features.texts:write", "prompts", params, told, ("pieces",)))
    how = options(one.layout, generation, model.facts.get(POOL, brief.settings["pool"]))
    name, parts = f"hidden/{one.name}/{model.name}", 1 if one.world else PARTS
    made = activation_parts(name, model, Ref(pieces, "pieces"), how, layers(model), parts, every=True)
    asked.steps.extend(made.steps)
    return {f"{model.name}.{output}": source for output, source in made.outputs.items()}


def _add(asked: Asked, brief: Brief, found: Fitted, group: ModelGroup) -> Ref:
    """Add the step that fits a group of models, and record what it fits."""
    one, settings = group.recorded, brief.settings
    pairs = [*found.pairs[one.name][group.split], *_any_pairs(settings, one, group)]
    kept = kept_models(pairs, group.models)
    params = {
        "dataset": one.layout,
        "experiment": group.experiment,
        "split": group.split,
        "seed": SHUFFLE_SEED,
        "generation": settings["generation"],
        "inner_rows": int(settings["fedorenko_inner_rows"]),
        "iterations": settings["iterations"],
        "gamma_seed": brief.seeds[0],
        "models": list(group.models),
        "errors": kept,
        "dtype": settings["dtype"],
        "text_models": {model: list(numbers) for model, numbers in group.text_models.items()},
    }
    kind = f"{HERE}.fitting.step:fit"
    if settings["solver"] != OURS:  # a step of its own, so that no key of ours contains what himalaya's needs
        require_double(settings["dtype"])
        kind, params["solver"] = f"{HERE}.fitting.himalaya_step:fit", settings["solver"]
    request(params)
    brought = ("features",) if one.arrays else ()
    inputs = {**{key: one.ref(key) for key in ("stimuli", "units", "recordings", *brought)}, **group.read}
    name, outputs = f"fit/{group.rows()}/{group.name}", ("fits", "errors", "searches")
    fits = asked.add(Step(name, kind, "scores", params, inputs, outputs, infers=True))
    found.fits.append(fits)
    found.errors.append(Ref(name, "errors"))
    found.groups.append(group.said(kept))
    return fits


def _any_pairs(settings: Mapping[str, Any], one: Recorded, group: ModelGroup) -> list[list[str]]:
    """Return the pairs that any text model, trained or not, would be tested in, for the group without text models.

    So that group keeps the same errors whatever models a manifest has, and a further model does not fit it again.
    """
    if group.name != SPACES:
        return []
    return compared_pairs(settings, one.layout, group.split, one.arrays, {"a": False, "b": True})
