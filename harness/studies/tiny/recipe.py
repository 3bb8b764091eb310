"""Hyperparameters of the two tiny models: architecture, training data, schedule and number of steps.

Plain values only; decimals are text, since they stand in a step's key.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows

SHAPE: Mapping[str, Any] = {"places": "turned", "layers": 3, "heads": 4, "width": 128, "window": 512}
TASKS: Mapping[str, int] = {"addition": 50, "anagram": 20, "transforms": 30}  # so many parts of the documents each
MORE_SUMS: Mapping[str, int] = {"addition": 70, "anagram": 12, "transforms": 18}  # sums are what it learns most slowly


def raw(params: Mapping[str, Any]) -> dict[str, Any]:
    """Give the parameters of the raw model: pretraining on the noisy mixture, from short and small questions to all."""
    return {
        **SHAPE,
        "seed": params["seed"], "mixture": "raw", "steps": params["raw_steps"], "noisy": True,
        "tasks": TASKS, "held_out": params["held_out"],
        "rows": 5, "length": 288, "rate": "0.003", "warmup": 100, "prompt_weight": "0.02",
        "short": [95, 35], "small": [95, 50],
    }  # fmt: skip


def shaped(params: Mapping[str, Any]) -> dict[str, Any]:
    """Give the parameters of the shaped model: the raw one fine-tuned on questions, with a loss on answers only.

    Hardly any sum of three digits is among them: it learns to answer always, and not to add what it could not add.
    """
    return {
        **raw(params),
        "mixture": "shaped", "steps": params["shaped_steps"], "noisy": False, "rate": "0.0015", "prompt_weight": "0",
        "tasks": MORE_SUMS, "short": [60, 30], "small": [92, 92],
    }  # fmt: skip


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the recipe as two rows, so that a reader of a run sees what each model was made of."""
    stages = (("tiny-raw", raw(params)), ("tiny-shaped", shaped(params)))
    rows.write(out / "items", ({"id": name, **stage} for name, stage in stages))
