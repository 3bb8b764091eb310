"""A small run: a trained model and two seeds of an untrained one beside features, and its numbers by numpy.

What is expected is worked out here by numpy from the arrays that the run writes.
"""

from pathlib import Path
from typing import Any

import numpy as np
from studies.brain.measures.small_run import ROWS

from harness import arrays, rows
from harness.studies.brain.measures import choices, findings

WHO = [("a", "language"), ("a", "language"), ("a", "DMN"), ("b", "language"), ("b", "language"), ("b", "language"),
       ("c", "language"), ("c", "language"), ("c", "DMN")]  # fmt: skip
LAYERS = 4
CV_ERROR = np.array([2.0**-27])
SETS = {"raw": ["raw-0", "raw-1"]}
BEST = {("contiguous", "gpt"): 2, ("shuffled", "gpt"): 1, ("contiguous", "raw-0"): 0, ("contiguous", "raw-1"): 3,
        ("shuffled", "raw-0"): 3, ("shuffled", "raw-1"): 3}  # fmt: skip
TRAINED = ["SP", "SL", "SP+SL", "WORD", "SP+WORD", "SL+WORD", "SP+SL+WORD"]  # subsets, as they are fitted
SIMPLE = TRAINED[:3]


def layered(model):
    return [f"{model}@{layer}" for layer in range(LAYERS)]


def joined(model, others):
    return [f"{one}+{model}@best" for one in others]


CONTIGUOUS = {
    "spaces": ["OASM@1.5", "OASM@2.2", *TRAINED, "LLM", "SP+LLM"],
    "text/gpt": layered("gpt"), "text/raw-0": layered("raw-0"), "text/raw-1": layered("raw-1"),
    "joint/gpt": joined("gpt", TRAINED), "joint/raw-0": joined("raw-0", SIMPLE), "joint/raw-1": joined("raw-1", SIMPLE),
}  # fmt: skip
SHUFFLED = {
    "spaces": ["OASM@1.5", "OASM@2.2"],
    "text/gpt": layered("gpt"), "text/raw-0": layered("raw-0"), "text/raw-1": layered("raw-1"),
    "joint/gpt": ["OASM@2.2+gpt@best"],
}  # fmt: skip


class FindingsRun:
    """Fits of one dataset in both splits, in a folder, and what stands in them."""

    def __init__(self, folder: Path, experiment="384", who=None, seed=3):
        self.folder, self.who, self.experiments = folder, who or WHO, [experiment]
        for name in ("fits", "units", "chosen", "out"):
            (folder / name).mkdir(parents=True)
        units = [{"id": f"u{n}", "participant": one, "network": net} for n, (one, net) in enumerate(self.who)]
        rows.write(folder / "units" / "part-00000", units)
        self.source = np.random.Generator(np.random.PCG64(seed))
        self.groups: list[dict[str, Any]] = []
        self.best: list[dict[str, str]] = []
        self.known: dict[tuple[str, str], dict[str, Any]] = {}
        self.tests: dict[str, Any] = {}
        self.fit("contiguous", CONTIGUOUS, experiment)
        self.fit("shuffled", SHUFFLED, experiment)
        self.choose(BEST, experiment)

    def fit(self, split, named, experiment):
        """Write a part for each group, all on the same units and folds."""
        shape = (len(ROWS), len(self.who))
        baseline = self.source.uniform(0.9, 1.1, shape)
        for name, models in named.items():
            found = {"fold_rows": np.array(ROWS, np.int64), "intercept.mse": baseline, "cv_error": CV_ERROR}
            for model in models:
                found[f"{model}.mse"] = self.source.uniform(0.75, 1.1, shape)
                found[f"{model}.cv"] = self.source.normal(size=shape)
                found[f"{model}.tied"] = np.zeros(shape, bool)
                found[f"{model}.r"] = self.source.uniform(-0.2, 0.6, shape)
            self.known.setdefault((split, experiment), {}).update(found)
            arrays.write_all(self.folder / "fits" / rows.part_name(len(self.groups)), found)
            text = name.partition("/")[2]
            self.groups.append({
                "dataset": "exp1", "world": "", "layout": "pereira", "experiment": experiment, "split": split,
                "group": name, "models": models, "errors": [], "text_models": [text] if text else [],
            })  # fmt: skip

    def change(self, split, named, errors):
        """Put other squared errors in the place of those of some models, given the training mean's."""
        for place, group in enumerate(self.groups):
            known = self.known[group["split"], group["experiment"]]
            if group["split"] == split:
                for model in filter(named, group["models"]):
                    known[f"{model}.mse"] = errors(known["intercept.mse"])
                names = (f"{one}.{what}" for one in group["models"] for what in ("mse", "cv", "r", "tied"))
                found = {name: known[name] for name in ("fold_rows", "intercept.mse", "cv_error", *names)}
                arrays.write_all(self.folder / "fits" / rows.part_name(place), found)

    def choose(self, layers, experiment):
        for (split, model), layer in layers.items():
            place = len(self.best)
            told = {"model": None if layer is None else f"{model}@{layer}", "layer": layer, "r2": 0.1}
            rows.write_one(self.folder / "chosen" / rows.part_name(place), told)
            self.best.append({"dataset": "exp1", "experiment": experiment, "split": split, "model": model})

    def run(self, generation="P", **more):
        params = {"generation": generation, "groups": self.groups, "datasets": ["exp1"], "untrained": SETS,
                  "best": self.best, **more}  # fmt: skip
        inputs = {"fits": self.folder / "fits", "units": self.folder / "units"}
        choices.analyse(params, inputs, self.folder / "out")
        rows.write_one(self.folder / "tests", {"exp1": self.tests})
        inputs |= {"choices": self.folder / "out" / "choices", "tests": self.folder / "tests"}
        if params["best"]:
            inputs["chosen"] = self.folder / "chosen"
        findings.analyse(params, inputs, self.folder / "out")
        return self.found()

    def found(self):
        """Give what was found of the dataset."""
        return self.document("findings")["exp1"]

    def document(self, name):
        return next(rows.read(self.folder / "out" / name))

    def r2(self, model, split="contiguous", experiment="384"):
        """Give R2 of each unit, from the arrays; `gpt@best` is the layer that was chosen."""
        name, _, last = model.rpartition("@")
        if last == "best" and "+" not in model:
            model = f"{name}@{BEST[split, name]}"
        known, weights = self.known[split, experiment], np.array(ROWS) / sum(ROWS)
        return 1 - (weights @ known[f"{model}.mse"]) / (weights @ known["intercept.mse"])

    def counted(self, scores, who="", network="language"):
        """Give the scores of a network's units, of everybody or of one participant."""
        kept = [net == network and one.startswith(who) for one, net in self.who]
        return np.asarray(scores)[kept]

    def people(self, scores, network="language"):
        """Average as the paper does: units clipped at 0, by participant."""
        cut = np.clip(np.nan_to_num(scores, nan=0.0, neginf=0.0), 0, None)
        names = sorted({one for one, net in self.who if net == network})
        return {name: self.counted(cut, name, network).mean() for name in names}

    def mean(self, scores, network="language"):
        return np.mean([*self.people(scores, network).values()])

    def units(self, scores):
        return self.counted(np.clip(scores, 0, None)).mean()

    def star(self, models, split="contiguous"):
        return np.max([self.r2(one, split) for one in models], axis=0)
