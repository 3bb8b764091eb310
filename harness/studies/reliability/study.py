"""The study `reliability` (Zhou et al., Nature 2024): its makers, importers, plan, scorers and analyses.

Handles the names of steps and of their inputs; sees no items, responses or results.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.answers.result import NEWEST, RuleSet
from harness.errors import InputError
from harness.kit.ask import Asked, ask, make
from harness.kit.meaning import Meaning
from harness.kit.study import Brief, Dataset, Importer, Maker, Study, Switches
from harness.steps import Plan, Ref, Source, Step, maker_step_name
from harness.studies.reliability import meaning
from harness.studies.reliability.analyses import HERE, analyse
from harness.studies.reliability.benchmarks import BENCHMARKS, PEOPLE
from harness.studies.reliability.data import published_import

if TYPE_CHECKING:
    from harness.scorers.tool import Tool

ALWAYS = {"proportions", "checks"}  # analyses that cost almost nothing; the others are made only if they are declared
DRAWN = ("items", "gold")  # tables that exist before any model is asked; the document `counts` is the third output


@dataclass(frozen=True, kw_only=True)
class ReliabilitySettings(Switches):
    """The manifest settings of the study: the version of the rules by which answers are labelled."""

    rules: RuleSet = NEWEST


class Reliability(Study):
    """The study of Zhou et al., Nature 2024: how reliable models are on five benchmarks in fifteen wordings each."""

    name = "reliability"
    needs: tuple[str, ...] = ()  # without models it draws and counts; prompts without models are an error
    makers: Mapping[str, Maker] = {**{name: each.maker for name, each in BENCHMARKS.items()}, **PEOPLE}
    settings_type = ReliabilitySettings
    importers: Mapping[str, Importer] = {"reliabilitybench": published_import.normalise}
    meanings: Mapping[str, Meaning] = meaning.MEANINGS
    read_score = staticmethod(meaning.metrics)

    @property
    def scorers(self) -> Mapping[str, Tool]:
        """The study's standalone scorer by its name; its pydantic models are loaded on first use."""
        from harness.studies.reliability.standalone.outcome import SCORERS  # noqa: PLC0415

        return SCORERS

    @property
    def analyses(self) -> Mapping[str, Tool]:
        """The study's standalone analyses by name; their pydantic models are loaded on first use."""
        from harness.studies.reliability.standalone.catalogue import ANALYSES  # noqa: PLC0415

        return ANALYSES

    def plan(self, brief: Brief) -> Plan:
        """Plan the steps of a brief: data, prompts, answers, scores, tables of labels, analyses, figures and pages.

        Without models the plan has items, gold and counts only. All analyses except those in ALWAYS are optional
        outputs. Raises InputError for a brief that `_check` rejects.
        """
        _check(brief)
        asked, places = Asked(), []
        people: Mapping[str, Source] = {}
        for dataset in brief.datasets:
            made_by = self.makers[dataset.make]
            make(asked, dataset, made_by.kind, made_by.outputs)
            if dataset.make in PEOPLE:
                people = {"items": asked.parts["items"].pop(), **dataset.files}
                continue
            if not brief.models:
                continue
            benchmark = BENCHMARKS[dataset.make]
            ask(asked, brief, dataset, benchmark.how(brief))
            places += [_labels(asked, dataset, model.name, benchmark.task) for model in brief.models]
        if not brief.models:
            drawn = {name: asked.joined(name, "rows") for name in DRAWN if asked.parts.get(name)}
            return asked.plan({**drawn, "counts": asked.merged("counts", "rows")})
        outputs = asked.tables()
        outputs["labels"] = asked.joined("labels", "analyses")
        analyses = analyse(asked, brief, outputs, tuple(places), people)
        optional = frozenset(analyses) - ALWAYS
        return asked.plan({**outputs, **analyses}, optional)


def _check(brief: Brief) -> None:
    """Raise InputError for several seeds, a malformed amount of compute, or datasets that must not be mixed.

    It also rejects prompts without models. Such a brief would otherwise fail or mislead only after every model has
    answered.
    """
    if len(brief.seeds) > 1:
        raise InputError(
            "this study asks each model once: a second seed would pass for further wordings",
            where="seeds",
            next="give one seed, and write a second manifest for another",
        )
    if brief.templates and not brief.models:
        raise InputError(
            "wordings are named, and there is no model to be asked in them",
            where="prompts",
            next="add `models`, or leave `prompts` out: then items are drawn and counted, and nobody is asked",
        )
    for model in brief.models:
        if "flops" in model.facts:
            _compute(model.facts["flops"], f"models.{model.name}.facts.flops")
    if len(people := [dataset.name for dataset in brief.datasets if dataset.make in PEOPLE]) > 1:
        raise InputError(
            f"{people[0]} and {people[1]} both hold respondents, and those of two sources are never mixed",
            where=f"datasets.{people[1]}",
            next="keep one of the two",
        )
    rendered: dict[str, bool] = {}  # by benchmark so far: whether its dataset includes the prompts
    for dataset in brief.datasets:
        benchmark = BENCHMARKS.get(dataset.make)
        if benchmark and rendered.setdefault(benchmark.task, benchmark.rendered) != benchmark.rendered:
            raise InputError(
                f"{benchmark.task} comes from the published dataset and from elsewhere, in other wordings",
                where=f"datasets.{dataset.name}",
                next="keep one of the two",
            )


def _compute(text: str, where: str) -> None:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise InputError(f"{text[:40]!r} is no amount of compute", where=where, next="write FLOPs such as 6.41e20")


def _labels(asked: Asked, dataset: Dataset, model: str, task: str) -> Ref:
    """Add the step that makes the label table of a model on a dataset; return its document of template places."""
    step = Step(
        f"{dataset.name}/labels/{model}",
        f"{HERE}.measures.labels:collect",
        "analyses",
        {"model": model, "benchmark": task},
        {
            "items": Ref(maker_step_name(dataset.name), "items"),
            "gold": Ref(maker_step_name(dataset.name), "gold"),
            "scores": tuple(asked.scores[dataset.name, model]),
        },
        ("labels", "places"),
        derive=True,
    )
    asked.add(step, "labels")
    return Ref(step.name, "places")


STUDY = Reliability()
