"""The study `biomed` (CARDBiomedBench, bioRxiv 2025.01.15.633272): makers, importer, plan, scorers and analyses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from harness.kit.ask import Asked, ask, make
from harness.kit.meaning import Meaning
from harness.kit.study import OPTIONAL, Brief, Importer, Maker, Study, Switches
from harness.steps import Plan, Ref, maker_step_name
from harness.studies.biomed import meaning
from harness.studies.biomed.analyses import analyse
from harness.studies.biomed.asking import ENCODER, GRADER, how
from harness.studies.biomed.data.makers import MAKERS, TABLE_OUTPUTS
from harness.studies.biomed.data.responses_import import normalise

if TYPE_CHECKING:
    from harness.scorers.tool import Tool

ALWAYS = {"performance"}  # the analysis that costs next to nothing; others are made only if declared


@dataclass(frozen=True, kw_only=True)
class BiomedSettings(Switches):
    """The manifest settings of the study: mode `paper` counts as the published code does, `strict` as the paper says.

    `deductions` says whether a model that grades states what it takes off for irrelevant text beside its grade (OURS),
    `encoder_layer` is the layer whose vectors BERTScore compares, the last one if it is left out.
    """

    mode: Literal["paper", "strict"] = "strict"
    deductions: Literal["within", "stated"] = "within"
    encoder_layer: int | None = None


class Biomed(Study):
    """The study of questions over five biomedical tables, published by the NIH in 2025."""

    name = "biomed"
    needs: tuple[str, ...] = ("models",)  # the makers write the prompts
    makers: Mapping[str, Maker] = MAKERS
    importers: Mapping[str, Importer] = {"biomed-responses": normalise}
    meanings: Mapping[str, Meaning] = meaning.MEANINGS
    read_score = staticmethod(meaning.metrics)
    settings_type = BiomedSettings
    roles: Mapping[str, str] = {GRADER: OPTIONAL, ENCODER: OPTIONAL}

    @property
    def scorers(self) -> Mapping[str, Tool]:
        """The study's standalone scorers by their names; their pydantic models are loaded on first use."""
        from harness.studies.biomed.standalone.catalogue import SCORERS  # noqa: PLC0415

        return SCORERS

    @property
    def analyses(self) -> Mapping[str, Tool]:
        """The study's standalone analyses by their names; their pydantic models are loaded on first use."""
        from harness.studies.biomed.standalone.catalogue import ANALYSES  # noqa: PLC0415

        return ANALYSES

    def plan(self, brief: Brief) -> Plan:
        """Return the plan of a brief: data, prompts, answers, grades, scores, analyses, figures and the page."""
        asked, tables = Asked(), dict[str, Ref]()
        for dataset in brief.datasets:
            made = self.makers[dataset.make]
            make(asked, dataset, made.kind, made.outputs)
            tables |= {name: Ref(maker_step_name(dataset.name), name) for name in made.outputs if name in TABLE_OUTPUTS}
            ask(asked, brief, dataset, how(brief, made.outputs))
        outputs = asked.tables()
        analyses = analyse(asked, brief, outputs)
        return asked.plan({**outputs, **tables, **analyses}, frozenset(analyses) - ALWAYS)


STUDY = Biomed()
