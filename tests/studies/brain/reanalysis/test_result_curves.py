"""Published curves, omegas, p-values and choices: what follows from them, by numpy and scipy and by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
from studies.brain.reanalysis.made_results import (
    CURVED,
    OMEGAS,
    PEREIRA,
    TESTED,
    archive,
    participants,
    reanalysed,
    table,
)

BOTH, FIRST, SECOND = ("018", "288", "289", "296", "426"), ("199", "343", "366", "407"), ("215",)


def curve(folder: Path, experiment: str, values: Any, split: str = "", metric: str = "pearson_r") -> Path:
    name = f"figure2/pereira_{metric}_{split}{'_' if split else ''}{experiment}.csv"
    rows = [(3 * at, value, "GPT2-XL-sp", split, at, experiment) for at, value in enumerate(values)]
    return table(folder, name, CURVED, rows)


def test_curves_go_together_with_and_without_layer_0_and_by_steps(tmp_path: Path) -> None:
    source = np.random.default_rng(8)
    shuffled, contiguous = source.random(12), source.random(12) / 3
    curve(tmp_path, "384", shuffled, "shuffled")
    curve(tmp_path, "384", contiguous)
    found = reanalysed(tmp_path)["curves"]["figure2"]["pereira"]["384"]["pearson_r"]["GPT2-XL-sp"]
    told = found["correlations"]
    assert told["all"]["pearson"] == pytest.approx(np.corrcoef(shuffled, contiguous)[0, 1])
    assert told["without_layer_0"]["pearson"] == pytest.approx(np.corrcoef(shuffled[1:], contiguous[1:])[0, 1])
    steps = np.corrcoef(np.diff(shuffled), np.diff(contiguous))[0, 1]
    assert told["all"]["steps_pearson"] == pytest.approx(steps) and "p" not in told["all"]
    assert (found["shuffled"]["best"], found["contiguous"]["best"]) == (shuffled.argmax(), contiguous.argmax())


def test_a_best_layer_is_held_against_the_published_choice(tmp_path: Path) -> None:
    curve(tmp_path, "384", [0.1, 0.3, 0.2])
    key = "pereira_384_pearson_r_contig-sp"
    archive(tmp_path, "best_layer_sigma/gpt2-xl.npz", {key: 1, key.replace("384", "243"): 2})
    archive(tmp_path, "best_layer_sigma/best_gpt2xl_layer.npz", {key: 2})
    found = reanalysed(tmp_path)
    chosen = found["curves"]["figure2"]["pereira"]["384"]["pearson_r"]["GPT2-XL-sp"]["contiguous"]["chosen"]
    assert {name: one["verdict"] for name, one in chosen.items()} == {
        "gpt2-xl.npz": "exact", "best_gpt2xl_layer.npz": "differs"
    }  # fmt: skip
    [both] = found["agreements"]["choices"].values()
    assert both == {"shared": 1, "differ": {key: [2, 1]}, "verdict": "differs"}


@pytest.fixture
def scores() -> tuple[dict[str, float], dict[str, float]]:
    """Give scores of the participants of either experiment, in the best layer of each."""
    drawn = np.random.default_rng(1).random(15).tolist()
    first = dict(zip((*BOTH, *FIRST), drawn[:9], strict=True))
    return first, dict(zip((*BOTH, *SECOND), drawn[9:], strict=True))


def test_a_table_follows_from_the_best_layers_of_both_experiments(scores: Any, tmp_path: Path) -> None:
    first, second = scores
    own = {who: float(np.mean([one[who] for one in scores if who in one])) for who in PEREIRA}
    participants(tmp_path, "figure1/pereira_pearson_r_contig.csv", {"GPT2-XL-sp": own})
    best = {"384": float(np.mean([*first.values()])), "243": float(np.mean([*second.values()]))}
    curve(tmp_path, "384", [0, best["384"], best["384"] / 2])

    def found() -> Any:
        return reanalysed(tmp_path)["both_experiments"]["figure1"]["pearson_r"]["contiguous"]["GPT2-XL-sp"]

    assert found()["implied_best"]["243"] == pytest.approx(best["243"])
    path = curve(tmp_path, "243", [0, best["243"] / 2, best["243"]])
    assert found()["verdict"] == "exact" and found()["mean"] == pytest.approx(np.mean([*own.values()]))
    path.unlink()
    curve(tmp_path, "243", [0, best["243"] / 2, best["243"] - 1e-6])
    assert found()["verdict"] == "differs"


@pytest.mark.parametrize(
    ("weight", "rule"), [(0.5, "mean of the two experiments"), (0.6, "mean over the participants of both")]
)
def test_a_combined_curve_is_one_of_two_averages_or_not_derivable(weight: float, rule: str, tmp_path: Path) -> None:
    first, second = np.random.default_rng(2).random((2, 5))
    curve(tmp_path, "384", first)
    curve(tmp_path, "243", second)
    curve(tmp_path, "Combined", weight * first + (1 - weight) * second)

    def found() -> Any:
        curves = reanalysed(tmp_path)["curves"]["figure2"]["pereira"]["combined"]["pearson_r"]
        return curves["GPT2-XL-sp"]["contiguous"]["from_experiments"]

    assert (found()["rule"], found()["verdict"]) == (rule, "exact")
    curve(tmp_path, "Combined", 0.7 * first + 0.3 * second)
    assert found()["verdict"] == "not derivable"


def omega_table(folder: Path, values: Any) -> None:
    table(
        folder, "figure5/gpt2xl_omega_values.csv", OMEGAS, [(at, "-lt", "blank", one) for at, one in enumerate(values)]
    )


def test_omegas_are_averaged_with_and_without_participants_of_no_score(tmp_path: Path) -> None:
    simple, model = [0.1, 0.05, 0.2, 0.1, 0.1], [0.2, 0.1, 0.1, 0.3, 0.0]
    columns = {"Simple": simple, "gpt2xl-lt": model}
    participants(tmp_path, "figure5/blank_pearson_r_gpt2xl.csv",
                 {name: dict(zip("01234", own, strict=True)) for name, own in columns.items()})  # fmt: skip
    omega_table(tmp_path, [40, 50, 100, 30, 100])
    found = reanalysed(tmp_path)["omegas"]["figure5-gpt2xl"]["blank"]["lt"]
    assert (found["mean"], found["at_100"], found["empty"], found["without_empty"]) == (64, 2, ["4"], 55)
    assert found["above_bound"] == [] and found["verdict"] == "not derivable: B was not published"
    # B is what the formula gives back: 40 = 100 (1 - (B - .1) / .2).
    assert found["implied_banded"]["0"] == pytest.approx(0.22)
    omega_table(tmp_path, [40, 51, 100, 30, 100])  # of participant 1: S / L is 50 %
    found = reanalysed(tmp_path)["omegas"]["figure5-gpt2xl"]["blank"]["lt"]
    assert found["above_bound"] == ["1"] and "other scores" in found["verdict"]


def test_omegas_are_computed_again_where_the_banded_score_is_published(tmp_path: Path) -> None:
    simple, model, banded = ([0.1, 0.05, 0.2, 0.1, 0.1], [0.2, 0.1, 0.1, 0.3, 0.0], [0.24, 0.02, 0.21, 0.37, 0.1])
    columns = {"Simple": simple, "gpt2xl-lt": model, "Simple+gpt2xl-lt": banded}
    participants(tmp_path, "figure5/blank_pearson_r_gpt2xl.csv",
                 {name: dict(zip("01234", own, strict=True)) for name, own in columns.items()})  # fmt: skip
    omega_table(tmp_path, [30, 50, 90, 10, 100])
    found = reanalysed(tmp_path)["omegas"]["figure5-gpt2xl"]["blank"]["lt"]
    assert found["recomputed"]["mean"] == pytest.approx(56) and found["verdict"] == "exact"


@pytest.mark.parametrize("family", ["participant", "all participants"])
def test_the_family_of_a_correction_is_found(family: str, tmp_path: Path) -> None:
    raw = np.random.default_rng(4).random(60) ** 3
    raw[7] = 1.0
    cuts = [raw] if "all" in family else np.split(raw, 5)
    q = np.concatenate([scipy.stats.false_discovery_control(one, method="bh") for one in cuts])
    rows = [(at, "-sp", at // 12, q[at], "" if at == 7 else raw[at], "language") for at in range(60)]
    table(tmp_path, "figure5/pvalues_blank_gpt2xl.csv", TESTED, rows)
    found = reanalysed(tmp_path)["tests"]["figure5-gpt2xl"]["blank"]["contiguous"]["row"]["sp"]["with_model"]
    assert (found["family"], found["verdict"], found["undefined"]) == (family, "exact", 1)
    assert (found["raw"], found["fdr"]) == ((raw < 0.05).sum(), (q < 0.05).sum())
    assert found["participants"]["0"]["raw"] == (raw[:12] < 0.05).sum()


def test_a_correction_of_no_family_differs(tmp_path: Path) -> None:
    rows = [(at, "", at // 12, 0.5, 0.01 * at, "language") for at in range(60)]
    table(tmp_path, "figure2/blocked_pvalues_blank.csv", TESTED, rows)
    found = reanalysed(tmp_path)["tests"]["figure2"]["blank"]["shuffled"]["block"]["lt"]["with_model"]
    assert found["verdict"] == "differs" and found["difference"] > 0.1


def test_the_order_of_layers_is_held_against_the_table_of_2021(tmp_path: Path) -> None:
    source = np.random.default_rng(6)
    ours, theirs = source.random(6), source.random(6)
    curve(tmp_path, "384", ours)
    names = ["drop", *(f"encoder.h.{at}" for at in range(5))]
    rows = [(name, "Pereira2018-encoding", "gpt2-xl", one, 0.1) for name, one in zip(names, theirs, strict=True)]
    more = [("projection", "Pereira2018-encoding", "glove", 0.1, ""), ("drop", "glue-cola", "gpt2-xl", "x", ""),
            ("drop", "Blank2014fROI-encoding", "xlnet", "", "")]  # fmt: skip
    table(tmp_path, "precomputed-scores.csv", ("layer", "benchmark", "model", "score", "error"), [*rows, *more],
          mark="\N{ZERO WIDTH NO-BREAK SPACE}")  # fmt: skip
    found = reanalysed(tmp_path)["neural_nlp"]
    told = found["layers"]["pereira-384"]["pearson_r"]["GPT2-XL-sp"]["contiguous"]
    assert told["all"]["spearman"] == pytest.approx(scipy.stats.spearmanr(ours, theirs).statistic)
    assert told["without_layer_0"]["spearman"] == pytest.approx(scipy.stats.spearmanr(ours[1:], theirs[1:]).statistic)
    assert found["models"] == 3 and "no p-value" in found["note"]


def test_printed_percentages_divide_rounded_numbers(tmp_path: Path) -> None:
    curve(tmp_path, "384", [0.1, 0.2])
    found = reanalysed(tmp_path)["rounded"]
    told = {(one["of"], one["experiment"]): round(one["unrounded"], 1) for one in found["percentages"]}
    assert told["SP+SL+WORD against GPT2-XL", "384"] == 78.8
    assert told["with SENSE and SYNT against GPT2-XL", "384"] == 85.1
    assert told["with SENSE and SYNT against all", "243"] == 94.6
    assert [(one["row"], one["printed"]) for one in found["not_so_rounded"]] == [
        ("SP+SL+WORD", 0.024),
        ("GPT2-XL", 0.036),
    ]
