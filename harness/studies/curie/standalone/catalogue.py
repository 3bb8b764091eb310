"""All standalone scorers and analyses of the study, by name.

Tools that read a ground truth or an answer are both: `harness score` runs them row by row, `harness analyse` on one
object.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.scorers.tool import Tool
from harness.studies.curie.standalone import (
    areas,
    biogr,
    experts,
    facts,
    intervals,
    llmsim,
    llmsim_rule,
    lmscore,
    pdb,
    reading,
    rouge,
    tables,
)

SCORERS: Mapping[str, Tool] = {
    **biogr.SCORERS,
    **areas.SCORERS,
    **pdb.SCORERS,
    **facts.SCORERS,
    **llmsim.SCORERS,
    **llmsim_rule.SCORERS,
    **lmscore.SCORERS,
    **rouge.SCORERS,
    **reading.ANALYSES,
}
ANALYSES: Mapping[str, Tool] = {**tables.ANALYSES, **reading.ANALYSES, **intervals.ANALYSES, **experts.ANALYSES}
