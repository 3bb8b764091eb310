"""The documents `findings` and `length_check`, and a set of seeds, by hand in the shapes of their measures."""

from __future__ import annotations

from typing import Any

SEEDS = ("u0", "u1")
ROWS = ("SP+SL", "SP+SL+WORD")


def drawn_set() -> dict[str, Any]:
    """Give what `choices` says of a model drawn from two seeds."""
    return {"seeds": [*SEEDS], "layers": [0, 3], "r2_by_seed": {"u0": 0.0411, "u1": 0.0415}, "r2": 0.0413,
            "left_out": [], "nested": {"r2": 0.0207, "left_out": ["u1"]}}  # fmt: skip


def found() -> dict[str, Any]:
    """Give what is found of a data set: a trained text model, an array, and a set of seeds with one of its models."""
    drawn = {**language_model("u0@0"), "seeds": [*SEEDS], "layers": {"0": 1, "3": 1, "6": 0}}
    return {"minilm": language_model("minilm@6"), "LLM": language_model("LLM"), "u0": language_model("u0@0"),
            "u-untrained": drawn}  # fmt: skip


def language_model(model: str) -> dict[str, Any]:
    alone = {"model": model, "r2": 0.0317, "nested": 0.0281, "pearson": 0.178, "units_mean": 0.0334,
             **({"pearson_models": {"243": "minilm@2", "384": "minilm@1"}} if model == "minilm@6" else {}),
             "r2_by_participant": {"p1": 0.03, "p2": 0.0334}}  # fmt: skip
    counts = {"units": 128, "raw": 12, "fdr": 4, "raw_percent": 9.375, "fdr_percent": 3.125}
    levels = {"all": counts, "language": {**counts, "units": 96, "fdr": 0}}
    return {
        "alone": {"contiguous": alone, "shuffled": {**alone, "r2": 0.1021}},
        "time": {"oasm": "OASM@2.2", "oasm_r2": 0.0951, "joint": "OASM@2.2+LLM", "ratio_percent": 93.14,
                 "units_ratio_percent": 114.7, "participants_above": 2, "participants": 5, "times": 0.9314,
                 "star_base": "OASM@2.2", "star_r2": 0.1382, "star_gain_percent": 45.32},
        "table": {
            "SP+SL": {"model": "SP+SL", "r2": 0.0134, "percent_of_alone": 42.27, "percent_of_full": 41.88},
            "SP+SL+WORD": {"model": "SP+WORD", "r2": 0.0248, "percent_of_alone": 78.23, "percent_of_full": 77.5},
            "SP+SL+WORD+LLM": {"model": f"WORD+{model}", "r2": 0.032, "percent_of_alone": 100.95,
                               "percent_of_full": 100.0},
            "LLM": {"model": model, "r2": 0.0317, "percent_of_alone": 100.0, "percent_of_full": None},
        },
        "starred": {row: {"without": 0.0281, "with": 0.0361, "gain_percent": 28.47, "without_units": 0.0285,
                          "with_units": 0.0362, "subsets_without": 3, "subsets_with": 4, "correlation": 0.9421,
                          "nested_without": 0.0222, "nested_with": 0.0307} for row in ROWS},
        "subsets": {"SP": 0.011, "SL": 0.003, "LLM": 0.0317, "SP+SL": 0.0134, "SP+LLM": 0.0318, "SL+LLM": 0.0319,
                    "SP+SL+LLM": 0.0311},
        "highest_subset": "SL+LLM",
        "tests": dict.fromkeys(("plain", "starred", "intercept"), levels),
    }  # fmt: skip


def length_check() -> dict[str, Any]:
    """Give the check of sentence lengths, in about the numbers that it measures."""
    measured = {"gelu": (0.911, 0.946, 0.018), "odd": (-0.02, 0.003, -0.01), "centred": (-0.01, 0.008, 0.002),
                "as_drawn": (0.947, 0.98, 0.81), "as_drawn_odd": (0.783, 0.85, 0.83)}  # fmt: skip
    variants = {
        name: {"activation": "gelu_new", "sum": {"least": least, "most": most, "shuffled": 0.01, "layers": {}},
               "mean": {"least": mean - 0.1, "most": mean, "shuffled": -0.01, "layers": {}}}
        for name, (least, most, mean) in measured.items()
    }  # fmt: skip
    account = {"spread": 0.801, "mean_expected": 0.1997, "mean_measured": 0.2002, "share_expected": 0.714,
               "share_dealt": 0.727, "share_measured": 0.408}  # fmt: skip
    return {"sizes": {"seeds": [0, 1, 2], "sentences": 240, "width": 64}, "variants": variants,
            "account": {"1": account, "2": account}}  # fmt: skip
