"""Documents of a run of the study, written by hand in the shapes of its measures, and the page and figures of them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from studies.brain.pages import sample_findings
from studies.brain.pages.sample_findings import drawn_set, found, length_check

from harness import arrays, rows
from harness.studies.brain.pages import figures, outputs, report

SEEDS = sample_findings.SEEDS
DEFAULT, TOPIC = "drift", "topic-run"
WORLDS = {DEFAULT: "default", TOPIC: "topic"}
PEOPLE = ("p1", "p2", "p3", "p4")
MODELS = ("SP+SL", "WORD", "LLM", "LLMU", "SP+SL+LLM", "SP+SL+WORD", "SP+SL+WORD+LLM", "OASM@2.2+LLM")
LEVEL = {DEFAULT: {"shuffled": 0.26, "contiguous": 0.0003}, TOPIC: {"shuffled": 0.29, "contiguous": 0.0004}}
LLM = {DEFAULT: {"shuffled": 0.1, "contiguous": 0.04}, TOPIC: {"shuffled": 0.25, "contiguous": 0.17}}
HOSTILE = "<b>&\"'\u202e$x$"
TEXT_MODELS: dict[str, dict[str, Any]] = {
    "minilm": {"provider": "transformers"}, **{seed: {"provider": "transformers", "untrained": at}
                                               for at, seed in enumerate(SEEDS)},
}  # fmt: skip
GROUPS = [
    {"dataset": name, "world": WORLDS[name], "split": split, "layout": "pereira", "models": list(MODELS),
     "text_models": ["minilm"]} for name in WORLDS for split in ("contiguous", "shuffled")
]  # fmt: skip


def params(**changed: Any) -> dict[str, Any]:
    """Give the parameters of both steps as a plan gives them."""
    facts = {name: {"world": world, "layout": "pereira"} for name, world in WORLDS.items()}
    return {"generation": "P", "datasets": facts, "models": TEXT_MODELS, **changed}


def spread(value: float) -> dict[str, float]:
    return {who: value * (0.7 + 0.2 * at) for at, who in enumerate(PEOPLE)}


def scored(value: float) -> dict[str, Any]:
    people = {who: {"r2": each, "pearson": each**0.5, "units": 32} for who, each in spread(value).items()}
    networks = {name: {"r2": value, "pearson": value**0.5, "units": 128} for name in ("language", "DMN")}
    return {"r2": value, "pearson": value**0.5, "participants": people, "networks": networks, "degenerate": 0,
            "null": {"r2": 0.0011, "units": 48}, "left_out": []}  # fmt: skip


def performance() -> dict[str, Any]:
    found = {}
    for name, world in WORLDS.items():
        splits: dict[str, Any] = {}
        for split in ("contiguous", "shuffled"):
            base = LLM[name][split]
            splits[split] = {model: scored(base * (0.6 + 0.1 * at)) for at, model in enumerate(MODELS)}
            splits[split]["LLM"] = scored(base)
            splits[split] |= {f"OASM@{sigma}": scored(LEVEL[name][split]) for sigma in ("1.0", "2.2", "3.4")}
            splits[split] |= {f"minilm@{layer}": scored(base * 0.9) for layer in (0, 3, 6)}
        found[name] = {"world": world, "rows": 384, "units": 240, "splits": splits}
    return {"generation": "P", "datasets": found}


def family(text: str, places: tuple[str, ...], value: float) -> dict[str, Any]:
    line = [{"model": f"{text}@{each}", "r2": value * (0.6 + 0.2 * at), "r2_by_participant": spread(value)}
            for at, each in enumerate(places)]  # fmt: skip
    return {"published": {"chosen": line[-1]["model"], "r2": line[-1]["r2"], "near_tie": True}, "curve": line,
            "nested": {"r2": value * 0.8, "near_ties": 1,
                       "chosen": [line[1]["model"]] * 5 + [line[0]["model"]]}}  # fmt: skip


def choices() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in WORLDS:
        found[name] = {
            split: {"OASM": family("OASM", ("1.0", "2.2", "3.4"), LEVEL[name][split]),
                    "minilm": family("minilm", ("0", "3", "6"), LLM[name][split] * 0.9)}
            for split in ("contiguous", "shuffled")
        }  # fmt: skip
        both = {"points": 3, "pearson": -0.93, "spearman": -0.88, "steps_pearson": 0.74, "steps_spearman": None}
        told = {"all": both, "without_layer_0": {**both, "pearson": None}}
        found[name]["untrained"] = {split: {"u-untrained": drawn_set()} for split in ("contiguous", "shuffled")}
        tied = {"choices": 1234, "near_ties": 1, "first": [{"model": "SP+SL", "fold": 3, "unit": 17}]}
        ties = {"grid": 2.0**-13, "error": 2.0**-27, "fits": tied, "families": {"choices": 14, "near_ties": 4}}
        found[name]["near_ties"] = dict.fromkeys(("contiguous", "shuffled"), ties)
        for split, other in (("contiguous", "shuffled"), ("shuffled", "contiguous")):
            found[name][split]["minilm"]["correlation"] = {"against": other, **told}
    return found


def stars() -> dict[str, Any]:
    best = {"model": "SP+SL", "r2": 0.061}
    listed = [
        {"name": "SP+SL*", "subsets": 3, "of": 3, "r2": 0.0688, "nested": 0.0601, "best": best, "near_ties": 0},
        {
            "name": "SP+SL+LLM*",
            "subsets": 3,
            "of": 4,
            "r2": 0.0921,
            "nested": 0.0701,
            "best": best,
            "near_ties": 2,
            "gain_percent": 33.9,
            "nested_gain_percent": None,
        },
    ]
    return {name: dict.fromkeys(("contiguous", "shuffled"), listed) for name in WORLDS}


def omega() -> dict[str, Any]:
    people = {who: {"simple": 0.2, "llm": 0.1, "banded": 0.25, "omega": 69.4, "degenerate": False} for who in PEOPLE}
    row = {"simple": "OASM@2.2", "llm": "LLM", "banded": "OASM@2.2+LLM", "omega": 69.4, "participants": people,
           "clipped": 1, "without_empty": 58.2, "degenerate": 1, "left_out": ["p9"]}  # fmt: skip
    return {name: {"shuffled": [row]} for name in WORLDS}


def tests() -> dict[str, Any]:
    families = [{"participant": who, "network": "language", "units": 32, "raw": 3, "fdr": 1} for who in PEOPLE]
    level = {
        "families": families,
        "raw_share": 12 / 128,
        "fdr_share": 4 / 128,
        "null": {"units": 16, "raw": 2, "fdr": 0},
    }
    levels = {"row": level, "block": level, "fold": level}
    listed = [{"model": "SP+SL+LLM", "against": "SP+SL", "nested": True, "levels": levels},
              {"model": "LLM", "against": "WORD", "nested": False, "levels": levels}]  # fmt: skip
    listed.append({"model": "LLM", "against": "intercept", "nested": True, "levels": levels})
    return {name: {"contiguous": listed, "shuffled": listed[:1]} for name in WORLDS}


def sizes() -> dict[str, Any]:
    def measured(*raw: float) -> dict[str, Any]:
        return {level: {"raw": each, "raw_error": 0.004, "family": each / 2, "family_error": 0.02, "families": 60,
                        "units": 1600}
                for level, each in zip(("row", "block", "fold"), raw, strict=True)}  # fmt: skip

    contiguous = {"exchangeable": {"nested": measured(0.011, 0.02, 0.03), "equal": measured(0.04, 0.04, 0.097),
                  "intercept": measured(0.01, 0.01, 0.01)},
                  "autocorrelated": {"nested": measured(0.229, 0.092, 0.033), "equal": measured(0.05, 0.157, 0.1),
                  "intercept": measured(0.3, 0.02, 0.02)},
                  }  # fmt: skip
    shuffled = {null: {"nested": measured(1.0, 1.0, 1.0), "equal": measured(0.2, 0.2, 0.2)}
                for null in ("exchangeable", "autocorrelated")}  # fmt: skip
    return {"pereira": {"contiguous": contiguous, "shuffled": shuffled}}


def documents() -> dict[str, Any]:
    """Give every document of the run; a caller may change it."""
    return copy.deepcopy({
        "performance": performance(), "choices": choices(), "stars": stars(), "omega": omega(), "tests": tests(),
        "sizes": sizes(), "findings": {name: found() for name in WORLDS}, "length_check": length_check(),
    })  # fmt: skip


def laid(folder: Path, given: Mapping[str, Any]) -> dict[str, Path]:
    """Write documents as the steps find them; gives them by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in given.items():
        rows.write_one(folder / name, document)
    return {name: folder / name for name in given}


def fits(folder: Path, units: int = 400) -> Path:
    """Write a file of fits for each group: the language model helps the first half of the units, the others not.

    Of all models but two every unit is predicted worse than by the mean of the training rows.
    """
    folder.mkdir()
    for at, _ in enumerate(GROUPS):
        mean = np.ones((3, units))
        before = np.linspace(0.5, 1.1, units)[None, :].repeat(3, axis=0)
        after = before + np.where(np.arange(units) < units // 2, -0.1, 0.05)
        mean[:, -1] = 0  # a unit that does not vary
        made = {f"{model}.mse": np.full((3, units), 1.3) for model in MODELS}
        made |= {"intercept.mse": mean, "SP+SL+WORD.mse": before, "SP+SL+WORD+LLM.mse": after,
                 "fold_rows": np.array([4, 4, 8])}  # fmt: skip
        arrays.write_all(folder / rows.part_name(at), made)
    return folder


def units(folder: Path, count: int = 400, *, placed: bool = True) -> Path:
    """Write a table of units for each data set, four participants of three networks, each in its place in the grid."""
    folder.mkdir()
    for at, _ in enumerate(WORLDS):
        made: list[dict[str, Any]] = [
            {"id": f"u{unit}", "participant": PEOPLE[unit * 4 // count], "network": ("language", "DMN", "MD")[unit % 3]}
            for unit in range(count)
        ]
        for unit, row in enumerate(made if placed else ()):
            row["place"] = [unit % 79, unit % 95, unit % 69]
        rows.write(folder / rows.part_name(at), made)
    return folder


def measured(folder: Path, count: int = 400, *, placed: bool = True) -> dict[str, Path]:
    """Write fits and units; gives them as inputs of the step that draws."""
    folder.mkdir(parents=True, exist_ok=True)
    return {"fits": fits(folder / "fits", count), "units": units(folder / "units", count, placed=placed)}


def drawn(folder: Path, given: Mapping[str, Any], more: Mapping[str, Path] | None = None, **asked: Any) -> Path:
    """Run the step that draws; gives the folder of its figures."""
    out = folder / "figures"
    out.mkdir()
    figures.draw(params(**asked), {**laid(folder / "in", given), **(more or {})}, out)
    return out


def written(folder: Path, given: Mapping[str, Any], more: Mapping[str, Path] | None = None, **asked: Any) -> str:
    """Write the page; gives its HTML."""
    out = folder / "page"
    out.mkdir(parents=True)
    report.write(params(**asked), {**laid(folder / "in", given), **(more or {})}, out)
    [path] = out.iterdir()
    assert path.name == outputs.REPORT
    return path.read_text("utf-8")
