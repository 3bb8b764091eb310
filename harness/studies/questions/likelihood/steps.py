"""Adds log-likelihoods to a plan: prompts to measure, one measurement for each model, and scores.

Scorers that look at the same continuations share one measurement. Reads no items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.kit.ask import Asked
from harness.kit.study import Brief, Dataset, Model
from harness.steps import Ref, Source, Step
from harness.studies.questions.likelihood.prompts import TEXT
from harness.studies.questions.scoring.catalogue import entries_of, of_answers, scores_rows_apart

LIKELIHOODS = "likelihoods"  # the table
UNCONDITIONAL, PERPLEXITY = "unconditional", "perplexity"
MEASURE = "harness.models.local.likelihood:measure"
TAKE = "harness.studies.questions.scoring.by_row:take_items"
_HERE = "harness.studies.questions.likelihood"
_TURNS: Mapping[bool, tuple[str, ...]] = {True: ("chat",), False: ()}

Measured = tuple[str, str, str]  # what is measured, the column or the part of an option, the scorer of the rows
Entry = Mapping[str, Any]  # a scorer of the settings: `scorer`, `name` and its switches


def measured(said: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return a dataset's scorers that need no generated answer: choices by log-likelihood, and perplexity."""
    answered = of_answers(said)
    return tuple(entry for entry in said if entry not in answered)


def add(asked: Asked, brief: Brief, dataset: Dataset) -> None:
    """Add to a plan the steps that measure log-likelihoods and score them, for a dataset whose prompts it has.

    Raises InputError for a model that cannot score continuations, for a choice without options, and if it is unclear
    which column is measured.
    """
    entries = measured(entries_of(brief, dataset))
    if not entries:
        return
    _require_models(brief.models, entries[0])
    parts = next(step.outputs for step in asked.steps if step.name == f"{dataset.name}/items")
    asked_of: dict[tuple[str, str, str], list[Entry]] = {}  # by what is measured, the column or the part of an option,
    for entry in entries:  # and the scorer whose rows are measured, if rows have scorers of their own
        rows = str(entry["name"]) if scores_rows_apart(dataset) else ""
        asked_of.setdefault((*_continued(entry, dataset), rows), []).append(entry)
    for (what, told, rows), sharing in sorted(asked_of.items()):
        asked.steps += [_rows(dataset, what, rows, part) for part in parts if rows]
        for chat in sorted({_chats(model, what) for model in brief.models}):
            asked.steps += [_prompts(dataset, (what, told, rows), chat, part) for part in parts]
        for model in sorted(brief.models, key=lambda model: model.name):
            for part in parts:
                _one_shard(asked, dataset, model, (what, told, rows), sharing, part)
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
    """Return what an entry measures: the items' texts in a column, or their options by text or letter."""
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
    """Return the columns of the questions."""
    found = dataset.params.get("fields", {}).get("input", ())
    return [found] if isinstance(found, str) else list(found)


def _chats(model: Model, what: str) -> bool:
    """Whether a model's own chat template is applied to its prompts; plain texts are measured as they are."""
    return what == "options" and bool(model.settings.get("chat"))


def _rows(dataset: Dataset, what: str, scorer: str, part: str) -> Step:
    """Return the step that takes the items and prompts of a shard that one scorer scores."""
    inputs: dict[str, Source] = {"items": Ref(f"{dataset.name}/items", part)}
    outputs: tuple[str, ...] = ("items",)
    if what == "options":
        inputs["prompts"], outputs = Ref(f"{dataset.name}/prompts/{part}", "prompts"), ("items", "prompts")
    params = {"scorers": [scorer]}
    return Step(f"{dataset.name}/rows/{scorer}/{part}", TAKE, "prompts", params, inputs, outputs)


def _items(dataset: Dataset, rows: str, part: str) -> Ref:
    """Return the items of a shard: all, or those of one scorer."""
    return Ref(f"{dataset.name}/rows/{rows}/{part}", "items") if rows else Ref(f"{dataset.name}/items", part)


def _prompts(dataset: Dataset, of: Measured, chat: bool, part: str) -> Step:
    """Return the step that writes the prompts to measure for one shard."""
    what, told, rows = of
    inputs: dict[str, Source] = {"items": _items(dataset, rows, part)}
    params: dict[str, Any]
    if what == "options":
        inputs["prompts"] = Ref(f"{dataset.name}/{f'rows/{rows}' if rows else 'prompts'}/{part}", "prompts")
        kind, params = f"{_HERE}.prompts:add_options", {"show": told, "chat": chat}
    else:
        kind, params = f"{_HERE}.prompts:take_texts", {"column": told}
    return Step(_name(dataset, of, *_TURNS[chat], part), kind, "prompts", params, inputs, ("prompts",))


def _name(dataset: Dataset, of: Measured, *more: str) -> str:
    """Return the name of a step; it holds a column's index, since column names need not be valid names."""
    what, told, rows = of
    place = told if what == "options" else str(_columns(dataset).index(told))
    return "/".join([dataset.name, what, place, *([rows] if rows else []), *more])


def _one_shard(asked: Asked, dataset: Dataset, model: Model, of: Measured, entries: Sequence[Entry], part: str) -> None:
    """Add one model's measurements of one shard, and the scores made from them."""
    what, told, rows = of
    prompts = Ref(_name(dataset, of, *_TURNS[_chats(model, what)], part), "prompts")
    more = {"rolling": True} if what == "texts" else {}
    name = _name(dataset, of, LIKELIHOODS, model.name, part)
    found = asked.add(_measure(name, model, prompts, more), LIKELIHOODS)
    alone: Ref | None = None
    if any(entry.get("normalise") == UNCONDITIONAL for entry in entries):
        name = _name(dataset, of, "alone", model.name, part)
        alone = asked.add(_measure(name, model, prompts, {"alone": True}))
    for entry in entries:
        inputs: dict[str, Source] = {LIKELIHOODS: found}
        params: dict[str, Any] = {"name": entry["name"]}
        if what == "texts":
            kind, inputs["prompts"] = f"{_HERE}.scores:perplexity", prompts
        else:
            kind = f"{_HERE}.scores:choice"
            params |= {"normalise": entry["normalise"], "show": told}
            inputs |= {"items": _items(dataset, rows, part), "gold": Ref(f"{dataset.name}/gold", part)}
            if entry["normalise"] == UNCONDITIONAL and alone:
                inputs["alone"] = alone
        step = Step(
            f"{dataset.name}/scores/{entry['name']}/{model.name}/{part}", kind, "scores", params, inputs, ("scores",)
        )
        asked.scored.setdefault((dataset.name, model.name, entry["name"]), []).append(asked.add(step))


def _measure(name: str, model: Model, prompts: Ref, more: Mapping[str, Any]) -> Step:
    """Return the step in which a local model measures likelihoods."""
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
