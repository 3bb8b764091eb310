"""The answerers of all forty templates by template id."""

from __future__ import annotations

from collections.abc import Mapping

from harness.studies.biomed.templates.drugs import ANSWERERS as ABOUT_DRUGS
from harness.studies.biomed.templates.genetics import ANSWERERS as ABOUT_GENETICS
from harness.studies.biomed.templates.pair import Answerer

ANSWERERS: Mapping[str, Answerer] = {**ABOUT_DRUGS, **ABOUT_GENETICS}
