"""The steps that every question-and-answer study shares: cut, render, respond, score, gather.

A study adds its makers, its scorer and its analyses; shards, and so progress and resumption, come from here alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.models.baseline import BEHAVIOURS
from harness.rows import part_name
from harness.steps import GATHER, Ref, Source, Step
from harness.studies.study import Brief, Dataset, Model

# Rows a shard holds: at least two seconds of work each (design.md section 4).
SHARD = 5000
REMOTE = ("openai", "anthropic")
LOCAL = 256  # where a model computes on this machine


@dataclass
class Asked:
    """The steps of one or more datasets, and where their outputs lie."""

    steps: list[Step] = field(default_factory=list)
    parts: dict[str, list[Ref]] = field(default_factory=dict)

    def add(self, step: Step, output: str | None = None) -> None:
        """Add a step; its one output becomes a part of the output a reader may ask for."""
        self.steps.append(step)
        if output:
            self.parts.setdefault(output, []).append(Ref(step.name, step.outputs[0]))

    def joined(self, output: str, stage: str) -> Ref:
        """Give one table behind an output: the only part there is, or all parts gathered in their order."""
        parts = self.parts.get(output, [])
        if len(parts) == 1:
            return parts[0]
        step = Step(output, GATHER, stage, {"name": output}, {"parts": tuple(parts)}, (output,), derive=True)
        self.steps.append(step)
        return Ref(step.name, output)


def make(asked: Asked, dataset: Dataset, kind: str, outputs: Sequence[str]) -> None:
    """Add the step that makes a dataset."""
    step = Step(f"{dataset.name}/make", kind, "rows", dataset.params, {}, tuple(outputs))
    asked.steps.append(step)
    for output in outputs:
        asked.parts.setdefault(output, []).append(Ref(step.name, output))


def ask(asked: Asked, brief: Brief, dataset: Dataset, score_kind: str) -> None:
    """Add the steps that put a dataset's items to every model in every wording, and score the answers."""
    templates = brief.templates
    assert templates
    most = LOCAL if any(model.weights for model in brief.models) else SHARD
    size = max(1, most // max(1, brief.template_count * len(brief.seeds)))
    slices = [part_name(index) for index in range(-(-dataset.rows // size))]
    shape = {"size": size, "rows": dataset.rows}
    for table in ("items", "gold"):
        source = Ref(f"{dataset.name}/make", table)
        asked.add(Step(f"{dataset.name}/{table}", "harness.rows:cut", "rows", shape, {"rows": source}, tuple(slices)))
    for part in slices:
        asked.add(
            Step(
                f"{dataset.name}/prompts/{part}", "harness.studies.prompts:render", "prompts", {},
                {"items": Ref(f"{dataset.name}/items", part), "templates": templates}, ("prompts",),
            ),
            "prompts",
        )  # fmt: skip
    for model in sorted(brief.models, key=lambda model: model.name):
        for part in slices:
            _one_shard(asked, brief, dataset, model, part, score_kind)


def _one_shard(asked: Asked, brief: Brief, dataset: Dataset, model: Model, part: str, score_kind: str) -> None:
    """Add the answers of one model to one slice, and their scores."""
    shown = sees_gold(model)
    inputs: dict[str, Source] = {"prompts": Ref(f"{dataset.name}/prompts/{part}", "prompts")}
    answers: Mapping[str, Ref] = {
        "items": Ref(f"{dataset.name}/items", part),
        "gold": Ref(f"{dataset.name}/gold", part),
    }
    params = {
        **model.settings,
        "model": model.name,
        "seeds": list(brief.seeds),
        "generation": dict(brief.generation),
    }
    if model.weights:
        inputs["weights"] = tuple(model.weights.values())
        params["files"] = list(model.weights)
    calls = model.provider in REMOTE
    respond = Step(
        f"{dataset.name}/responses/{model.name}/{part}", f"harness.models.{model.provider}:respond", "responses",
        params, {**inputs, **(answers if shown else {})}, ("responses", "inference") if calls else ("responses",),
        batch=str(model.settings.get("batch", "none")), sees_gold=shown, calls=calls, infers=bool(model.weights),
    )  # fmt: skip
    asked.add(respond, "responses")
    score = Step(
        f"{dataset.name}/scores/{model.name}/{part}", score_kind, "scores", {},
        {"responses": Ref(respond.name, "responses"), **answers}, ("scores",),
    )  # fmt: skip
    asked.add(score, "scores")


def sees_gold(model: Model) -> bool:
    """Whether a model is a stand-in that is shown the answers, which record and report must say."""
    return model.provider == "baseline" and BEHAVIOURS[model.settings["behaviour"]].sees_gold
