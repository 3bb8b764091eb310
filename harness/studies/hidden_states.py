"""The step that extracts hidden states (activations) of a local model's layers, for a study's plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.errors import InputError
from harness.models.local.activations import INDEX, layer_file
from harness.models.local.pieces import ActivationOptions
from harness.steps import Source, Step
from harness.studies.study import Model


def activations(
    name: str, model: Model, pieces: Source, how: ActivationOptions, layers: Sequence[int], *, every: bool = False
) -> Step:
    """Give the step that writes the hidden states of these layers, 0 being the embedding, from a local model.

    `pieces` is the table of texts that it reads. With `every` the step refuses a model that has other layers than
    these: a manifest can say a wrong number, and only the opened model knows. InputError for an API model, imported
    answers or a stand-in.
    """
    if model.calls or model.imported or model.stand_in:
        raise InputError(
            f"{model.name!r} has no hidden states that can be read here",
            where=f"models.{model.name}",
            next="name a model of the provider transformers",
        )
    params: dict[str, Any] = {
        **model.settings, "model": model.name, "files": list(model.weights),
        "how": how.params(), "layers": list(layers),
        **({"all_layers": True} if every else {}),
    }  # fmt: skip
    inputs: dict[str, Source] = {"pieces": pieces, "weights": tuple(model.weights.values())}
    outputs = (INDEX, *(layer_file(layer) for layer in layers))
    return Step(
        name, "harness.models.local.activations:extract", "responses", params, inputs, outputs,
        batch=str(model.settings["batch"]), infers=True,
    )  # fmt: skip
