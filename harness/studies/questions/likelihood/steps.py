"""What log-likelihoods add to a plan: prompts with what is to be measured, a measurement for each model, and scores.

Scorers that look at the same continuations share one measurement. It does not know an item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.kit.ask import Asked
from harness.kit.study import Brief, Dataset, Model
from harness.steps import Ref, Source, Step
from harness.studies.questions.likelihood.prompts import TEXT
from harness.studies.questions.scoring.catalogue import of_answers

LIKELIHOODS = "likelihoods"  # the table
UNCONDITIONAL, PERPLEXITY = "unconditional", "perplexity"
MEASURE = "harness.models.local.likelihood:measure"
_HERE = "harness.studies.questions.likelihood"
_TURNS: Mapping[bool, tuple[str, ...]] = {True: ("chat",), False: ()}

Entry = Mapping[str, Any]  # a scorer of the settings: `scorer`, `name` and what it is told


def measured(settings: Mapping[str, Any]) -> tuple[Entry, ...]:
    """Select the scorers that need no answer: choices by log-likelihood, and perplexity."""
    answered = of_answers(settings["score"])
    return tuple(entry for entry in settings["score"] if entry not in answered)


def add(asked: Asked, brief: Brief, dataset: Dataset) -> None:
    """Add what scores by log-likelihood need of a dataset whose items and prompts are in the plan already.

    Refuses a model that scores no continuations, a dataset without options for a choice, and an unclear column.
    """
    entries = measured(brief.settings)
    if not entries:
        return
    _require_models(brief.models, entries[0])
    parts = next(step.outputs for step in asked.steps if step.name == f"{dataset.name}/items")
    asked_of: dict[tuple[str, str], list[Entry]] = {}  # by what is measured, and the column, or the part of an option
    for entry in entries:
        asked_of.setdefault(_continued(entry, dataset), []).append(entry)
    for (what, told), sharing in sorted(asked_of.items()):
        for chat in sorted({_chats(model, what) for model in brief.models}):
            asked.steps += [_prompts(dataset, what, told, chat, part) for part in parts]
        for model in sorted(brief.models, key=lambda model: model.name):
            for part in parts:
                _one_shard(asked, dataset, model, (what, told), sharing, part)
            for entry in sharing:
                refs = asked.scored[dataset.name, model.name, entry["name"]]
                asked.parts.setdefault("scores", []).extend(refs)
                asked.scores.setdefault((dataset.name, model.name), []).extend(refs)


def _of_texts(entry: Entry) -> bool:
    return bool(entry["scorer"] == PERPLEXITY)


def _require_models(models: Sequence[Model], entry: Entry) -> None:
    for model in models:
        if not model.scores_continuations:
            kind = entry["scorer"] if _of_texts(entry) else "choice by loglikelihood"
            mend = "take this model out, or ask it in a manifest of its own"
            raise InputError(
                f"the provider {model.provider} cannot say how likely a given text is, which {kind} needs",
                where=f"models.{model.name}",
                next=f"{mend}; models of the provider `transformers` can"
                + ("" if _of_texts(entry) else ", and any model by `by: letter`"),
            )


def _continued(entry: Entry, dataset: Dataset) -> tuple[str, str]:
    """Say what an entry measures: the items' texts in a column, or their options by text or letter."""
    fields = dataset.params.get("fields", {})
    if not _of_texts(entry):
        if not fields.get("options"):
            raise InputError(
                "a choice by loglikelihood needs options, and this dataset names none",
                where=f"datasets.{dataset.name}",
                next="name their columns, `fields: {options: [a, b, c, d]}`",
            )
        return "options", entry.get("show", TEXT)
    columns = _columns(dataset)
    column = entry.get("column") or (columns[0] if len(columns) == 1 else None)
    if column not in columns:
        raise InputError(
            f"the perplexity of which column? `fields.input` names: {', '.join(columns) or 'none'}",
            where=f"datasets.{dataset.name}",
            next="name one of them, `settings: {score: [{perplexity: {column: NAME}}]}`",
        )
    return "texts", column


def _columns(dataset: Dataset) -> list[str]:
    """List the columns that hold what is asked."""
    found = dataset.params.get("fields", {}).get("input", ())
    return [found] if isinstance(found, str) else list(found)


def _chats(model: Model, what: str) -> bool:
    """Whether a model's own template makes turns of what it is asked; a text is measured as it stands."""
    return what == "options" and bool(model.settings.get("chat"))


def _prompts(dataset: Dataset, what: str, told: str, chat: bool, part: str) -> Step:
    """Return the step that writes what is measured of a slice."""
    inputs: dict[str, Source] = {"items": Ref(f"{dataset.name}/items", part)}
    params: dict[str, Any]
    if what == "options":
        inputs["prompts"] = Ref(f"{dataset.name}/prompts/{part}", "prompts")
        kind, params = f"{_HERE}.prompts:add_options", {"show": told, "chat": chat}
    else:
        kind, params = f"{_HERE}.prompts:take_texts", {"column": told}
    return Step(_name(dataset, what, told, *_TURNS[chat], part), kind, "prompts", params, inputs, ("prompts",))


def _name(dataset: Dataset, what: str, told: str, *more: str) -> str:
    """Name a step; a column by its place, since what a file calls it is no name."""
    place = told if what == "options" else str(_columns(dataset).index(told))
    return "/".join([dataset.name, what, place, *more])


def _one_shard(
    asked: Asked, dataset: Dataset, model: Model, of: tuple[str, str], entries: Sequence[Entry], part: str
) -> None:
    """Add the measurements of one model of one slice, and the scores made of them."""
    what, told = of
    prompts = Ref(_name(dataset, what, told, *_TURNS[_chats(model, what)], part), "prompts")
    more = {"rolling": True} if what == "texts" else {}
    name = _name(dataset, what, told, LIKELIHOODS, model.name, part)
    found = asked.add(_measure(name, model, prompts, more), LIKELIHOODS)
    alone: Ref | None = None
    if any(entry.get("normalise") == UNCONDITIONAL for entry in entries):
        name = _name(dataset, what, told, "alone", model.name, part)
        alone = asked.add(_measure(name, model, prompts, {"alone": True}))
    for entry in entries:
        inputs: dict[str, Source] = {LIKELIHOODS: found}
        params: dict[str, Any] = {"name": entry["name"]}
        if what == "texts":
            kind, inputs["prompts"] = f"{_HERE}.scores:perplexity", prompts
        else:
            kind = f"{_HERE}.scores:choice"
            params |= {"normalise": entry["normalise"], "show": told}
            inputs |= {"items": Ref(f"{dataset.name}/items", part), "gold": Ref(f"{dataset.name}/gold", part)}
            if entry["normalise"] == UNCONDITIONAL and alone:
                inputs["alone"] = alone
        step = Step(
            f"{dataset.name}/scores/{entry['name']}/{model.name}/{part}", kind, "scores", params, inputs, ("scores",)
        )
        asked.scored.setdefault((dataset.name, model.name, entry["name"]), []).append(asked.add(step))


def _measure(name: str, model: Model, prompts: Ref, more: Mapping[str, Any]) -> Step:
    """Return the step in which a model on this machine measures."""
    params = {**model.settings, "model": model.name, "files": list(model.weights), **more}
    inputs: dict[str, Source] = {"prompts": prompts, "weights": tuple(model.weights.values())}
    return Step(
        name,
        MEASURE,
        "responses",
        params,
        inputs,
        (LIKELIHOODS,),
        batch=str(model.settings.get("batch", "none")),
        infers=True,
    )
