"""The study `questions`: a user's own benchmark, made of a file, wordings and scorers that a manifest names.

Handles the names of steps and of their inputs; sees no questions, answers or scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.errors import InputError
from harness.kit.ask import Asked, How, ask, make
from harness.kit.further import FurtherLine
from harness.kit.meaning import Meaning
from harness.kit.study import OPTIONAL, Brief, Dataset, Maker, Study
from harness.steps import Plan
from harness.studies.questions import meaning
from harness.studies.questions.asking.plan import rendering, require
from harness.studies.questions.asking.rendering import read_wordings
from harness.studies.questions.data.maker import IMAGE, MEDIA, OUTPUTS, SHOTS, TESTS
from harness.studies.questions.data.row_scorers import COLUMN, NEEDS, SCORERS
from harness.studies.questions.further import further_lines
from harness.studies.questions.likelihood.steps import LIKELIHOODS, add
from harness.studies.questions.measures.steps import OPTIONAL as LATER
from harness.studies.questions.measures.steps import SUMMARY, analyse
from harness.studies.questions.score_entries import OPTIONS, options_named
from harness.studies.questions.scoring.catalogue import (
    ENCODER,
    JUDGE,
    asked_scorers,
    entries_of,
    of_answers,
    taking,
    wants,
)
from harness.studies.questions.settings import QuestionsSettings, read_entries

if TYPE_CHECKING:
    from harness.scorers.tool import Tool

SHARD = 5000  # answers in a shard, whatever the models are, so that adding one changes no other's shards
PERPLEXITY, BENCHMARK = "perplexity", "benchmark"
SCORER = "scorer"  # a field: the column that names the scorers of its row


def file_maker(params: Mapping[str, Any]) -> Maker:
    """Return the step that makes a dataset from a file, with its outputs: also examples, tests if code is run."""
    fields = params["fields"]
    more = [SHOTS] * (SHOTS in params) + [TESTS] * bool(fields.get(TESTS)) + [MEDIA] * bool(fields.get(IMAGE))
    fixed = row_scorers(fields, params.get("score"))
    return Maker("harness.studies.questions.data.maker:make", {}, (*OUTPUTS, *more), fixed=fixed)


def row_scorers(fields: Mapping[str, Any], score: Any) -> dict[str, Any]:
    """Return a maker's parameter that says which scorers score which rows; empty if all scorers score all rows.

    `score` is a dataset's scorers as the manifest writes them.
    """
    apart = isinstance(score, Mapping)
    if not apart and not fields.get(SCORER):
        return {}
    parts = dict(score) if apart else {"": score or ()}
    typed = {part: read_entries(entries) for part, entries in parts.items()}
    needs = {one["name"]: sorted(wants(one)) for entries in typed.values() for one in entries}
    if not apart:
        return {SCORERS: {NEEDS: needs, COLUMN: fields[SCORER]}}
    return {SCORERS: {NEEDS: needs, **{part: [one["name"] for one in entries] for part, entries in typed.items()}}}


class OwnQuestions(Study):
    """The study whose items are a user's own: the author of a manifest provides the files and the scorers."""

    name = "questions"
    needs: tuple[str, ...] = ("models",)  # wordings are not needed for texts that are only measured
    makers: Mapping[str, Maker] = {}
    own_files = staticmethod(file_maker)
    own_wordings = staticmethod(read_wordings)
    settings_type = QuestionsSettings
    roles: Mapping[str, str] = {JUDGE: OPTIONAL, ENCODER: OPTIONAL}
    meanings: Mapping[str, Meaning] = meaning.MEANINGS
    summary_output = SUMMARY

    @property
    def scorers(self) -> Mapping[str, Tool]:
        """The study's standalone scorers by name; their pydantic models are loaded on first use."""
        from harness.studies.questions.standalone.catalogue import SCORERS  # noqa: PLC0415

        return SCORERS

    @property
    def analyses(self) -> Mapping[str, Tool]:
        """The study's standalone analyses by name; their pydantic models are loaded on first use."""
        from harness.studies.questions.standalone.catalogue import ANALYSES  # noqa: PLC0415

        return ANALYSES

    def meanings_of(self, settings: Mapping[str, Any]) -> Mapping[str, Meaning]:
        """Return what each metric means, by the names that a manifest gives the scorers."""
        return meaning.renamed(settings.get("score"))

    def further_lines(self, summary: Mapping[str, Any]) -> list[FurtherLine]:
        """Return lines for a table of scores from a summary: on repeated answers to a prompt, and on groups."""
        return further_lines(summary)

    def own_fields(self, fields: Mapping[str, Any], settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return which columns of a file hold which field; a scorer of choices may name the options column.

        Raises InputError if scorers name different columns, or if the column holds right answers.
        """
        score = settings.get("score")
        parts = score.values() if isinstance(score, Mapping) else [score]
        named = sorted(set().union(*map(options_named, parts)))
        others = [column for column in named if column != OPTIONS]
        if (fields.get(OPTIONS) and not others) or not named:
            return fields
        if fields.get(OPTIONS) or len(named) > 1:
            raise InputError(
                f"a choice is from {others[0]!r}, and others are too",
                where="score",
                next="name the columns of the options once, under `fields.options`, and write `from: options`",
            )
        if named[0] in (fields.get("target"), fields.get("accepted"), fields.get(TESTS)):
            raise InputError(
                f"the column {named[0]!r} tells what is right, and cannot hold options",
                where="score",
                next="write `from:` with the column that holds the options of each question",
            )
        return {**fields, OPTIONS: named[0]}

    def plan(self, brief: Brief) -> Plan:
        """Plan the steps of a brief: data, prompts, answers, measurements that need no answer, scores and analyses.

        Raises InputError for a scorer whose needs the manifest does not meet, and for a wording that uses a forbidden
        name.
        """
        asked = Asked()
        for dataset in brief.datasets:
            _require(brief, dataset)
            made = file_maker(dataset.params)
            make(asked, dataset, made.kind, made.outputs)
            ask(asked, *_how(brief, dataset))
            add(asked, brief, dataset)
        absent = [name for name in ("prompts", "responses") if name not in asked.parts]
        outputs = asked.tables(without=absent)
        if LIKELIHOODS in asked.parts:
            outputs[LIKELIHOODS] = asked.joined(LIKELIHOODS, "responses")
        return asked.plan({**outputs, **analyse(asked, brief, outputs)}, LATER)


def _how(brief: Brief, dataset: Dataset) -> tuple[Brief, Dataset, How]:
    """Return how the questions of a dataset are asked; no model is asked if no scorer looks at an answer."""
    count, written = rendering(brief, dataset)
    scored, samples = asked_scorers(brief, dataset), brief.settings["samples"] * len(brief.seeds)
    asking = brief if of_answers(entries_of(brief, dataset)) else replace(brief, models=())
    return (
        asking,
        dataset,
        How(
            scored.scorers,
            None,
            rendered=count,
            judges=scored.judges,
            trials=scored.trials,
            samples=samples if samples > len(brief.seeds) else None,
            render=written,
            shard=SHARD,
            taking=taking(brief, dataset),
            media=bool(dataset.params["fields"].get(IMAGE)),
        ),
    )


def _require(brief: Brief, dataset: Dataset) -> None:
    """Raise InputError for a scorer without its columns, for missing wordings, or for wordings that reveal answers."""
    fields, scored = dataset.params["fields"], entries_of(brief, dataset)
    for entry in scored:
        if lacks := sorted(field for field in wants(entry) if not fields.get(field)):
            raise InputError(
                f"the scorer {entry['name']!r} needs `{lacks[0]}`, and dataset {dataset.name} names no such column",
                where=f"datasets.{dataset.name}.fields",
                next=f"add `{lacks[0]}: …` there, or take the scorer out",
            )
    if not brief.prompts and any(entry["scorer"] != PERPLEXITY for entry in scored):
        raise InputError(
            "nothing says how a question is asked",
            where="prompts",
            next='add `prompts: {text: "{question}"}`, with a column of the file in the braces',
        )
    if brief.generation.get("max_tokens") == BENCHMARK:
        raise InputError(
            "a file of one's own brings no budget of tokens along",
            where="generation.max_tokens",
            next="write a number, such as `max_tokens: 256`",
        )
    if fields.get(IMAGE) and (measured := [one for one in scored if one not in of_answers(scored)]):
        raise InputError(
            f"the scorer {measured[0]['name']!r} measures texts alone, and dataset {dataset.name} has images",
            where=f"datasets.{dataset.name}.fields",
            next="take the scorer out, or `image`",
        )
    if SHOTS in dataset.params and not fields.get("target"):
        raise InputError(
            "examples show their answers, and the dataset names no `target`",
            where=f"datasets.{dataset.name}.shots",
            next="add `target: …` to `fields`, or leave `shots` out",
        )
    require(brief, dataset)


STUDY = OwnQuestions()
