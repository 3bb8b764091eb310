"""All standalone scorers and analyses of the study, by name.

Those with the name of a golden file are its official counterpart; the others are OURS.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.scorers.tool import Tool
from harness.studies.biomed.standalone import batches, data, figures, grades, grading_rule, performance, strict, texts

SCORERS: Mapping[str, Tool] = {**grades.SCORERS, **grading_rule.SCORERS, **texts.SCORERS}
ANALYSES: Mapping[str, Tool] = {
    **performance.ANALYSES,
    **figures.ANALYSES,
    **batches.ANALYSES,
    **data.ANALYSES,
    **strict.ANALYSES,
}
