"""The steps that extract hidden states (activations) of a local model's layers, for a study's plan.

A table of texts is read by one step, or by several steps that read a part each. With parts, a run that was stopped
makes only the parts that are lacking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.kit.study import Model
from harness.models.local.activations import INDEX, ActivationOptions, layer_file, require_part
from harness.rows import part_name
from harness.steps import Ref, Source, Step


class ActivationParts(NamedTuple):
    """The steps that compute a model's hidden states in parts, and their outputs by name."""

    steps: tuple[Step, ...]
    outputs: Mapping[str, Source]


def activation_parts(
    name: str,
    model: Model,
    pieces: Source,
    how: ActivationOptions,
    layers: Sequence[int],
    parts: int,
    *,
    every: bool = False,
) -> ActivationParts:
    """Return the steps that compute a local model's hidden states of a table in `parts` parts, `NAME/part-00000` etc.

    A part is a slice of the table in whole passages. If there are fewer passages than parts, some parts have no rows.
    One part is the single step of `activations`. Raises InputError as `activations` does, and for an invalid number of
    parts.
    """
    if parts == 1:
        step = activations(name, model, pieces, how, layers, every=every)
        return ActivationParts((step,), {output: Ref(step.name, output) for output in step.outputs})
    require_part((0, parts))
    steps = tuple(
        activations(f"{name}/{part_name(part)}", model, pieces, how, layers, every=every, part=(part, parts))
        for part in range(parts)
    )
    return ActivationParts(
        steps, {output: tuple(Ref(step.name, output) for step in steps) for output in steps[0].outputs}
    )


def activations(
    name: str,
    model: Model,
    pieces: Source,
    how: ActivationOptions,
    layers: Sequence[int],
    *,
    every: bool = False,
    part: tuple[int, int] | None = None,
) -> Step:
    """Return the step that writes the hidden states of the given layers of a local model; layer 0 is the embedding.

    `pieces` is the table of texts that the step reads. With `every`, the step refuses a model that has other layers
    than the given ones, since a manifest can name a wrong number, which shows only when the model is opened. With
    `part`, a pair of a part's number from 0 and the number of parts, the step reads only that slice of the passages.
    Raises InputError for an API model, imported answers, a stand-in, and an invalid part.
    """
    if model.calls or model.imported or model.stand_in:
        raise InputError(
            f"{model.name!r} has no hidden states that can be read here",
            where=f"models.{model.name}",
            next="name a model of the provider transformers",
        )
    params: dict[str, Any] = {
        **model.settings,
        "model": model.name,
        "files": list(model.weights),
        "how": how.params(),
        "layers": list(layers),
        **({"all_layers": True} if every else {}),
        **({"part": [*require_part(part)]} if part is not None else {}),
    }
    inputs: dict[str, Source] = {"pieces": pieces, "weights": tuple(model.weights.values())}
    outputs = (INDEX, *(layer_file(layer) for layer in layers))
    return Step(
        name,
        "harness.models.local.activations:extract",
        "responses",
        params,
        inputs,
        outputs,
        batch=str(model.settings["batch"]),
        infers=True,
    )
