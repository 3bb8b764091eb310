"""The answerers of all forty templates by id. It must never know how one of them answers."""

from __future__ import annotations

from collections.abc import Mapping

from harness.studies.biomed.templates import drugs, genetics
from harness.studies.biomed.templates.pair import Answerer

ANSWERERS: Mapping[str, Answerer] = {**drugs.ANSWERERS, **genetics.ANSWERERS}
