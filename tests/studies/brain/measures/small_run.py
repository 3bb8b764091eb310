"""Fits of a small run as a fit step writes them: numbers that look like errors, the same on every machine."""

from pathlib import Path
from typing import Any

import numpy as np
from studies.brain.measures.slow_scores import wave

from harness import arrays, rows

ROWS = (6, 4, 5)
MODELS = ("OASM@1.5", "OASM@2.2", "LLM", "SP", "SL", "SP+SL", "SP+SL+LLM", "SP+LLM", "SL+LLM", "mini@0", "mini@1",
          "mini@2", "mini@3")  # fmt: skip
WHO = [("a", "language"), ("a", "language"), ("b", "language"), ("b", "language"), ("b", "DMN"), ("c", "language")]

UNITS = len(WHO)


def errors(start, units, low=0.7):
    """Give mean squared errors [fold, unit] around 1, somewhat below."""
    values = wave(len(ROWS) * units, start, 0.3)
    return np.array([round(low + 0.2 + value, 4) for value in values]).reshape(len(ROWS), units)


def part(models=MODELS, seed=0, units=UNITS, **changed):
    """Give the arrays of one part of `fits`; `changed` replaces or adds arrays by name."""
    found = {
        "fold_rows": np.array(ROWS, np.int64),
        "intercept.mse": errors(7000, units, 0.9),
        "cv_error": np.array([2.0**-27]),
    }
    for model in models:
        start = seed + 100 * MODELS.index(model)
        found[f"{model}.mse"] = errors(start, units)
        found[f"{model}.cv"] = np.array(wave(len(ROWS) * units, start + 31)).reshape(len(ROWS), units)
        found[f"{model}.tied"] = np.zeros((len(ROWS), units), bool)
        found[f"{model}.r"] = np.array(wave(len(ROWS) * units, start + 67, 0.5)).reshape(len(ROWS), units)
    return {**found, **changed}


def group(split="contiguous", models=MODELS, **more):
    """Say what a part holds, as the plan does."""
    return {"dataset": "exp1", "world": "", "split": split, "layout": "pereira", "models": list(models),
            "text_models": ["mini"], **more}  # fmt: skip


class SmallRun:
    """A folder with the inputs of a step of measures."""

    def __init__(self, folder: Path):
        self.folder = folder
        (folder / "fits").mkdir(parents=True)
        (folder / "units").mkdir()
        (folder / "out").mkdir()
        self.groups: list[dict[str, Any]] = []
        self.units()

    def units(self, who=WHO, signal=None):
        given = [{"id": f"u{number}", "participant": one, "network": net} for number, (one, net) in enumerate(who)]
        for number, planted in enumerate(signal or ()):
            given[number]["signal"] = planted
        rows.write(self.folder / "units" / "part-00000", given)

    def add(self, said=None, found=None):
        arrays.write_all(self.folder / "fits" / rows.part_name(len(self.groups)), part() if found is None else found)
        self.groups.append(said or group())
        return self

    def run(self, step, name, generation="P"):
        params = {"generation": generation, "groups": self.groups, "datasets": ["exp1"]}
        step(params, {"fits": self.folder / "fits", "units": self.folder / "units"}, self.folder / "out")
        return next(rows.read(self.folder / "out" / name))
