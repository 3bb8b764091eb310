"""The study `curie` (arXiv 2503.13517): its makers, importers, plan, scorers and analyses.

Handles names of steps and of their inputs, not items, responses or results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from harness.errors import InputError
from harness.kit.ask import Asked, ask, make
from harness.kit.meaning import Meaning
from harness.kit.study import OPTIONAL, Brief, Dataset, Importer, Maker, Study, Switches
from harness.steps import Plan
from harness.studies.curie import meaning
from harness.studies.curie.analyses import analyse
from harness.studies.curie.asking import ENCODER, GRADER, JUDGE, how
from harness.studies.curie.data import makers as published
from harness.studies.curie.data.makers import RENDERED
from harness.studies.curie.data.responses_import import normalise
from harness.studies.curie.demo import makers_rest, makers_text
from harness.studies.curie.strategy_model import NAME, strategy_model
from harness.studies.curie.tasks import TASKS, Task

if TYPE_CHECKING:
    from harness.scorers.tool import Tool

ALWAYS = {"means"}  # analyses that cost next to nothing; the others are made only if they are declared


@dataclass(frozen=True, kw_only=True)
class CurieSettings(Switches):
    """The manifest settings of the study: mode `paper` scores as published, `strict` as the paper describes.

    `areas` adds a score of BIOGR's answers that takes polygons and several boxes too, beside that of one box (OURS).
    `encoder_layer` is the layer whose vectors BERTScore compares, the last one if it is left out.
    """

    mode: Literal["paper", "strict"] = "strict"
    areas: bool = False
    encoder_layer: int | None = None


class Curie(Study):
    """The study of ten scientific tasks over long contexts, published at ICLR 2025."""

    name = "curie"
    needs: tuple[str, ...] = ("models",)  # a dataset may bring the published prompts
    makers: Mapping[str, Maker] = {**published.MAKERS, **makers_text.MAKERS, **makers_rest.MAKERS}
    importers: Mapping[str, Importer] = {"curie-responses": normalise}
    settings_type = CurieSettings
    roles: Mapping[str, str] = {JUDGE: OPTIONAL, GRADER: OPTIONAL, ENCODER: OPTIONAL}
    meanings: Mapping[str, Meaning] = meaning.MEANINGS
    read_score = staticmethod(meaning.metrics)

    @property
    def scorers(self) -> Mapping[str, Tool]:
        """The study's standalone scorers by name; their pydantic models are loaded on first use."""
        from harness.studies.curie.standalone.catalogue import SCORERS  # noqa: PLC0415

        return SCORERS

    @property
    def analyses(self) -> Mapping[str, Tool]:
        """The study's standalone analyses by name; their pydantic models are loaded on first use."""
        from harness.studies.curie.standalone.catalogue import ANALYSES  # noqa: PLC0415

        return ANALYSES

    def plan(self, brief: Brief) -> Plan:
        """Plan the steps of a brief: data, prompts, answers, judgements, scores, analyses, figures and the page.

        The cheap strategies are asked beside every model. Raises InputError if two datasets have the same task, if a
        dataset has no wordings, or if a model has the name of the strategies.
        """
        if any(model.name == NAME for model in brief.models):
            raise InputError(
                f"a model is called {NAME!r}, as are the cheap strategies",
                where=f"models.{NAME}",
                next="give it another name",
            )
        asked, tasks = Asked(), dict[str, Dataset]()
        for dataset in brief.datasets:
            task, maker = self._task(dataset), self.makers[dataset.make]
            if task.name in tasks:
                raise InputError(
                    f"{tasks[task.name].name} and {dataset.name} both hold records of {task.name}",
                    where=f"datasets.{dataset.name}",
                    next="keep one of the two",
                )
            tasks[task.name] = dataset
            make(asked, dataset, maker.kind, maker.outputs)
            beside = replace(brief, models=(*brief.models, strategy_model(task.name)))
            ask(asked, beside, dataset, how(task, brief, rendered=RENDERED in maker.outputs))
        outputs = asked.tables()
        analyses = analyse(asked, brief, outputs, tuple(tasks))
        return asked.plan({**outputs, **analyses}, frozenset(analyses) - ALWAYS)

    def _task(self, dataset: Dataset) -> Task:
        """Return the task of a dataset: its `task` parameter, its maker's task, or the end of its maker's name."""
        name = dataset.params.get("task") or self.makers[dataset.make].fixed.get("task")
        return TASKS[str(name or dataset.make.rpartition("_")[2])]


STUDY = Curie()
