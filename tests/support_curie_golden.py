"""What golden readers of the study `curie` share: a finding as the published code would have told it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from golden.agree import Within

NEAR = Within(absolute=1e-12, relative=1e-9)  # another numpy changes last digits; a value of 0 is 0
RAISES = "raises"  # the published code raises, or a rule of ours has no metric for the same reason


def official(told: Mapping[str, Any]) -> Any:
    """Give the metrics of a golden block, or of a finding, or RAISES where there is none at all."""
    if "exception" in told:
        return RAISES
    metrics = told["result"] if "result" in told else told["detail"]["metrics"]
    had = {name: value for name, value in metrics.items() if not isinstance(value, Mapping)}
    return had or RAISES


def unbounded_as_text(values: Mapping[str, Any]) -> dict[str, Any]:
    """Spell what is not finite as golden files do."""
    odd = {name: str(value) for name, value in values.items() if isinstance(value, float) and not math.isfinite(value)}
    return {**values, **odd}
