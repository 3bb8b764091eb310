"""The maker of the locality benchmark: which place near a city is the most populous.

Rule: docs/reliability-rules.md#locality. Chooses the generation of the maker; uses the newest if none is named.
Independent of prompts, models and scoring.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.studies.reliability.data import locality_v1, locality_v2
from harness.studies.reliability.data.locality_draw import FIRST, NEWEST


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the locality benchmark (largest city within a distance) by `rules`, or the newest; old runs name OURS-v1.

    Raises InputError if `per_bin` is below one, or if no city has a target.
    """
    if params["per_bin"] < 1:
        raise InputError("no instances make no dataset", where="per_bin", next="ask for at least one a bin")
    made = locality_v1.make if params.get("rules", NEWEST) == FIRST else locality_v2.make
    made(params, inputs, out)
