"""Indicator 2, prompting stability: whether another wording of the same instance gets the same kind of answer.

Rule: docs/reliability-rules.md#stability. Works on the number of prompts of each instance that are in a group;
independent of which group or label it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Any

from harness.errors import InputError

NOTHING = dict.fromkeys(
    ("s_pos", "s_neg", "stability", "scaled", "mean", "between_instance_variance", "noise_floor", "corrected")
)


def stability(positives: Sequence[int], prompts: Sequence[int]) -> dict[str, Any]:
    """Return prompting stability, 0 to 100, as the paper defines it, and the value that random labels would have.

    For each instance `positives` is the number of its scored prompts in the group, and `prompts` the number of all its
    scored prompts. Two prompts are drawn with replacement, so noise alone reaches 100 / P; `corrected` removes that. An
    instance without prompts is left out. Raises InputError for impossible counts.
    """
    _check(positives, prompts)
    cells = [(k, p) for k, p in zip(positives, prompts, strict=True) if p]
    inside, total = sum(k for k, _ in cells), sum(p for _, p in cells)
    if not total:
        return {**NOTHING, "degenerate": True}
    outside = total - inside
    s_pos = fsum(k * k / p for k, p in cells) / inside if inside else None
    s_neg = fsum((p - k) ** 2 / p for k, p in cells) / outside if outside else None
    mean = inside / total
    # OURS: if all or none are in the group, nothing can be unstable; flagged as degenerate.
    value = 1.0 if s_pos is None or s_neg is None else (s_pos + s_neg) / 2
    scaled = min(100.0, max(0.0, 200 * (value - 0.5)))  # only rounding could exceed the bounds
    return {
        "s_pos": s_pos,
        "s_neg": s_neg,
        "stability": value,
        "scaled": scaled,
        "degenerate": s_pos is None or s_neg is None,
        "mean": mean,
        "between_instance_variance": fsum(p * (k / p - mean) ** 2 for k, p in cells) / total,
        **_beside_noise(scaled, total / len(cells)),
    }


def _beside_noise(scaled: float, prompts: float) -> dict[str, float | None]:
    """Return the noise floor and the corrected value for a (mean) number of prompts; None for one prompt or fewer."""
    corrected = (prompts * scaled - 100) / (prompts - 1) if prompts > 1 else None
    return {"noise_floor": 100 / prompts, "corrected": corrected}


def _check(positives: Sequence[int], prompts: Sequence[int]) -> None:
    if len(positives) != len(prompts):
        raise InputError(
            f"{len(positives)} counts of positives but {len(prompts)} of prompts",
            where="prompts_per_instance",
            next="give one of each an instance",
        )
    for place, (k, p) in enumerate(zip(positives, prompts, strict=True)):
        if not 0 <= k <= p:
            raise InputError(
                f"instance {place} has {k} positives of {p} prompts",
                where="positives_per_instance",
                next="count from 0 up to the prompts of the instance",
            )
