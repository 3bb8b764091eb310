"""Plans the steps of the reanalysis for a dataset of published results: its document, figures and page."""

from __future__ import annotations

from harness.errors import InputError
from harness.kit.ask import Asked
from harness.kit.report import MANIFEST
from harness.kit.study import Brief
from harness.steps import Ref, Source, Step, maker_step_name
from harness.studies.brain.reanalysis import outputs
from harness.studies.brain.reanalysis.maker import OUTPUTS

MAKER = "brain.published"
HERE = "harness.studies.brain"
DOCUMENT, FIGURES, PAGE = "reanalysis", "reanalysis-figures", "reanalysis-page"


def reanalyse(asked: Asked, brief: Brief) -> dict[str, Ref]:
    """Add the steps that recompute results from published files; return outputs by name, empty without such a dataset.

    Raises InputError if there are two such datasets.
    """
    named = [dataset.name for dataset in brief.datasets if dataset.make == MAKER]
    if not named:
        return {}
    if len(named) > 1:
        told = f"{' and '.join(named)} are both published results"
        raise InputError(told, where=f"datasets.{named[1]}", next="name all files in one dataset")
    inputs: dict[str, Source] = {name: Ref(maker_step_name(named[0]), name) for name in OUTPUTS}
    kind = f"{HERE}.reanalysis.document:analyse"
    document = asked.add(Step(DOCUMENT, kind, "analyses", {}, inputs, (DOCUMENT,), derive=True))
    shown: dict[str, Source] = {DOCUMENT: document}
    kind = f"{HERE}.pages.reanalysis_figures:draw"
    asked.add(Step(FIGURES, kind, "analyses", {}, shown, outputs.figures(), derive=True))
    drawn = {name: Ref(FIGURES, name) for name in outputs.figures()}
    inlined: dict[str, Source] = {**shown, **{name: ref for name, ref in drawn.items() if name.endswith(".svg")}}
    kind = f"{HERE}.pages.reanalysis_report:write"
    page = asked.add(Step(PAGE, kind, "analyses", {MANIFEST: {}}, inlined, (outputs.REPORT,), derive=True))
    return {DOCUMENT: document, **drawn, outputs.REPORT: page}
