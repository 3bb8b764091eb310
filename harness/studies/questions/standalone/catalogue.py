"""The study's scorers and analyses that can be called alone, by name.

`rouge`, `bleu` and `bertscore` are scorers of the harness itself. Independent of manifests.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.scorers.tool import Tool
from harness.studies.questions.standalone import analyses, programs, texts, values

SCORERS: Mapping[str, Tool] = {**texts.SCORERS, **values.SCORERS, **programs.SCORERS}
ANALYSES: Mapping[str, Tool] = analyses.ANALYSES
