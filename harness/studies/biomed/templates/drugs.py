"""The answerers of the drug templates by template id."""

from __future__ import annotations

from collections.abc import Mapping

from harness.studies.biomed.templates import (
    drugs_actions,
    drugs_genes,
    drugs_names,
    drugs_status,
    drugs_targets,
    drugs_trades,
    indications_patents,
    indications_targets,
    indications_uses,
)
from harness.studies.biomed.templates.pair import Answerer

ANSWERERS: Mapping[str, Answerer] = {
    **drugs_genes.ANSWERERS,
    **drugs_status.ANSWERERS,
    **drugs_targets.ANSWERERS,
    **drugs_names.ANSWERERS,
    **drugs_trades.ANSWERERS,
    **drugs_actions.ANSWERERS,
    **indications_uses.ANSWERERS,
    **indications_targets.ANSWERERS,
    **indications_patents.ANSWERERS,
}
