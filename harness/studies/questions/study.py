"""The study `questions`: a person's own benchmark, which is a file, wordings and scorers that a manifest names.

It knows names of steps and of what they read; it does not know a question, an answer or a score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.errors import InputError
from harness.kit.ask import Asked, How, ask, make
from harness.kit.meaning import Meaning
from harness.kit.study import OPTIONAL, Brief, Dataset, Maker, Study
from harness.steps import Plan
from harness.studies.questions import meaning
from harness.studies.questions.asking.plan import rendering, require
from harness.studies.questions.asking.rendering import read_wordings
from harness.studies.questions.data.maker import OUTPUTS, SHOTS, TESTS
from harness.studies.questions.likelihood.steps import LIKELIHOODS, add
from harness.studies.questions.measures.steps import OPTIONAL as LATER
from harness.studies.questions.measures.steps import analyse
from harness.studies.questions.score_entries import OPTIONS, options_named
from harness.studies.questions.scoring.catalogue import ENCODER, JUDGE, asked_scorers, of_answers, wants
from harness.studies.questions.settings import QuestionsSettings

if TYPE_CHECKING:
    from harness.scorers.tool import Tool

SHARD = 5000  # answers in a shard, whatever the models are: another model changes no other's shards
PERPLEXITY, BENCHMARK = "perplexity", "benchmark"


def file_maker(params: Mapping[str, Any]) -> Maker:
    """Return the maker of a file's dataset: it writes examples where some are shown, and tests where code is tried."""
    more = [SHOTS] * (SHOTS in params) + [TESTS] * bool(params["fields"].get(TESTS))
    return Maker("harness.studies.questions.data.maker:make", {}, (*OUTPUTS, *more))


class OwnQuestions(Study):
    """The study that has no items of its own: whoever writes a manifest brings them along."""

    name = "questions"
    needs: tuple[str, ...] = ("models",)  # what is only measured needs no wording
    makers: Mapping[str, Maker] = {}
    own_files = staticmethod(file_maker)
    own_wordings = staticmethod(read_wordings)
    settings_type = QuestionsSettings
    roles: Mapping[str, str] = {JUDGE: OPTIONAL, ENCODER: OPTIONAL}
    meanings: Mapping[str, Meaning] = meaning.MEANINGS

    @property
    def scorers(self) -> Mapping[str, Tool]:
        """Return the study's standalone scorers by their names; their pydantic models are loaded on first use."""
        from harness.studies.questions.standalone.catalogue import SCORERS  # noqa: PLC0415

        return SCORERS

    @property
    def analyses(self) -> Mapping[str, Tool]:
        """Return the study's standalone analyses by their names; their pydantic models are loaded on first use."""
        from harness.studies.questions.standalone.catalogue import ANALYSES  # noqa: PLC0415

        return ANALYSES

    def meanings_of(self, settings: Mapping[str, Any]) -> Mapping[str, Meaning]:
        """Return what the scorers' numbers mean, by the names that a manifest gives them."""
        return meaning.renamed(settings.get("score"))

    def own_fields(self, fields: Mapping[str, Any], settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the columns of a file, with the one of the options that a scorer of choices names where no field does.

        InputError where two scorers name two columns, and where the column tells what is right.
        """
        named = sorted(options_named(settings.get("score")))
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
        """Plan the steps of a brief: data, prompts, answers and what is measured without any, scores and analyses.

        InputError for scores that need what the manifest has not, and for wordings that name what they may not.
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
    """Return how the questions of a dataset are asked: of no model, where no scorer looks at an answer."""
    count, written = rendering(brief, dataset)
    scored, samples = asked_scorers(brief, dataset), brief.settings["samples"] * len(brief.seeds)
    asking = brief if of_answers(brief.settings["score"]) else replace(brief, models=())
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
        ),
    )


def _require(brief: Brief, dataset: Dataset) -> None:
    """Refuse scorers that need columns that a dataset does not name, wordings that are not there, or tell too much."""
    fields, scored = dataset.params["fields"], brief.settings["score"]
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
    if SHOTS in dataset.params and not fields.get("target"):
        raise InputError(
            "examples show their answers, and the dataset names no `target`",
            where=f"datasets.{dataset.name}.shots",
            next="add `target: …` to `fields`, or leave `shots` out",
        )
    require(brief, dataset)


STUDY = OwnQuestions()
