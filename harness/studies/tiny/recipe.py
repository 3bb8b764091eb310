"""Hyperparameters of the two tiny models: architecture, training data, schedule and number of steps.

Plain values only, with decimals as text, since they are part of a step's key. Independent of how a model is trained.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows

SHAPE: Mapping[str, Any] = {"places": "turned", "layers": 3, "heads": 4, "width": 128, "window": 512}
TASKS: Mapping[str, int] = {"addition": 50, "anagram": 20, "transforms": 30}  # parts of the documents by task
MORE_SUMS: Mapping[str, int] = {"addition": 70, "anagram": 12, "transforms": 18}  # sums are learned most slowly


def raw(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the training parameters of the model `raw`: on noisy documents, at first mostly short questions."""
    return {
        **SHAPE,
        "seed": params["seed"],
        "mixture": "raw",
        "steps": params["raw_steps"],
        "noisy": True,
        "tasks": TASKS,
        "held_out": params["held_out"],
        "rows": 5,
        "length": 288,
        "rate": "0.003",
        "warmup": 100,
        "prompt_weight": "0.02",
        "short": [95, 35],
        "small": [95, 50],
    }


def shaped(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the training parameters of the model `shaped`: on answered questions, with a loss on the answers only.

    The study starts this training from the raw model. Hardly any sum of three digits is among the questions: the model
    learns to answer always, and does not learn sums that it could not do before.
    """
    return {
        **raw(params),
        "mixture": "shaped",
        "steps": params["shaped_steps"],
        "noisy": False,
        "rate": "0.0015",
        "prompt_weight": "0",
        "tasks": MORE_SUMS,
        "short": [60, 30],
        "small": [92, 92],
    }


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `items`, two rows with the training parameters of the models tiny-raw and tiny-shaped."""
    stages = (("tiny-raw", raw(params)), ("tiny-shaped", shaped(params)))
    rows.write(out / "items", ({"id": name, **stage} for name, stage in stages))
