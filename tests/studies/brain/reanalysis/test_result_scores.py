"""Tables by participant held against scores of units: exact, not derivable, different or swapped; ratios of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studies.brain.reanalysis.made_results import (
    ELECTRODES,
    OMEGAS,
    PEREIRA,
    SIZES,
    archive,
    cut,
    participants,
    reanalysed,
    table,
)

from harness.digest import canonical

UNITS = "source_data/figure2/simple_combined-sp_pereira_out_of_sample_r2.npz"
TABLE = "source_data/figure1/pereira_out_of_sample_r2_shuffled.csv"


def means(units: Any) -> dict[str, float]:
    """Average the units of each participant by numpy, clipped at 0."""
    return {who: max(float(np.nanmean(own)), 0.0) for who, own in zip(PEREIRA, cut(units, SIZES), strict=True)}


@pytest.fixture
def units() -> Any:
    drawn = np.random.default_rng(3).normal(0.05, 0.1, sum(SIZES))
    drawn[[0, 5000, 9000]] = np.nan
    drawn[1358:2716] -= 0.3  # participant 199 falls below 0
    return drawn


def held(folder: Path, units: Any, own: dict[str, float]) -> Any:
    archive(folder, UNITS, {"": units})
    participants(folder, TABLE, {"OASM": own})
    return reanalysed(folder)["participants"]["figure1"]["pereira"]["out_of_sample_r2"]["shuffled"]["OASM"]


def test_means_of_units_are_the_table(units: Any, tmp_path: Path) -> None:
    found = held(tmp_path, units, means(units))
    assert found["mean"] == pytest.approx(np.mean([*means(units).values()]), abs=1e-15) and means(units)["199"] == 0
    assert (found["recomputed"]["verdict"], found["recomputed"]["exact"]) == ("exact", 10)
    assert found["recomputed"]["difference"] < 1e-15


def test_who_did_both_experiments_is_not_derivable_and_the_difference_told(units: Any, tmp_path: Path) -> None:
    theirs = means(units)
    found = held(tmp_path, units, {**theirs, "018": theirs["018"] + 6.5e-4})["recomputed"]
    assert (found["verdict"], found["exact"], list(found["not_derivable"])) == ("not derivable", 9, ["018"])
    assert found["not_derivable_difference"] == pytest.approx(6.5e-4) and found["difference"] < 1e-15


@pytest.mark.parametrize(("who", "by"), [("343", 6.5e-4), ("018", 0.02)])
def test_one_experiment_or_a_large_difference_is_no_excuse(who: str, by: float, units: Any, tmp_path: Path) -> None:
    theirs = means(units)
    found = held(tmp_path, units, {**theirs, who: theirs[who] + by})["recomputed"]
    assert (found["verdict"], found["differs"], found["swapped"]) == ("differs", [who], [])


def test_two_participants_whose_values_are_exchanged_are_named(units: Any, tmp_path: Path) -> None:
    units[:1358] += 0.2
    theirs = means(units)
    found = held(tmp_path, units, {**theirs, "343": theirs["018"], "018": theirs["343"]})["recomputed"]
    assert (found["verdict"], found["swapped"]) == ("differs", ["018", "343"])


def test_an_endless_score_counts_as_0_and_an_undefined_one_not(units: Any, tmp_path: Path) -> None:
    spoilt = units.copy()
    spoilt[-1] = -np.inf
    theirs = means(np.where(np.isinf(spoilt), 0, spoilt))
    assert held(tmp_path, spoilt, theirs)["recomputed"]["verdict"] == "exact"


def test_a_participant_without_a_defined_unit_is_told_and_no_other_moves(units: Any, tmp_path: Path) -> None:
    theirs = means(units)
    units[1358:2716] = np.nan
    found = held(tmp_path, units, theirs)["recomputed"]
    assert (found["verdict"], found["differs"], found["exact"]) == ("differs", ["199"], 9)


def test_participants_are_matched_by_place_where_names_are_numbers(tmp_path: Path) -> None:
    drawn = np.random.default_rng(7).normal(0.1, 0.1, 97)
    own = {str(who): float(part.mean()) for who, part in enumerate(cut(drawn, ELECTRODES))}
    archive(tmp_path, "figure2/gpt2xl_combined-lt_fedorenko_out_of_sample_r2.npz", {"": drawn})
    participants(tmp_path, "figure1/fedorenko_out_of_sample_r2_shuffled.csv", {"GPT2-XL": own})
    told = reanalysed(tmp_path)["participants"]["figure1"]["fedorenko"]["out_of_sample_r2"]["shuffled"]["GPT2-XL"]
    assert told["recomputed"]["verdict"] == "exact" and list(told["recomputed"]["participants"]) == [*"01234"]


def test_arrays_without_an_end_give_a_document_all_the_same(tmp_path: Path) -> None:
    least, endless = np.full(97, -1e308), np.full(97, -np.inf)
    for name, units in (("simple", least), ("gpt2xl", endless), ("other", np.full(97, np.nan))):
        archive(tmp_path, f"figure2/{name}_combined-lt_fedorenko_out_of_sample_r2.npz", {"": units})
    archive(tmp_path, "figure2/simple_combined-sp_fedorenko_out_of_sample_r2.npz", {"": endless})
    omegas = [(at, "-lt", "fedorenko", 50) for at in range(5)]
    table(tmp_path, "figure2/oasm_omega_values.csv", OMEGAS, omegas)
    found = reanalysed(tmp_path)
    assert canonical(found) and found["omegas"]["figure2-oasm"]["fedorenko"]["lt"]["empty"] == [*"12345"]


def test_a_table_of_another_split_is_not_held_against_the_units(units: Any, tmp_path: Path) -> None:
    archive(tmp_path, UNITS, {"": units})
    participants(tmp_path, TABLE.replace("shuffled", "contig"), {"OASM": means(units)})
    found = reanalysed(tmp_path)
    assert "recomputed" not in found["participants"]["figure1"]["pereira"]["out_of_sample_r2"]["contiguous"]["OASM"]
    assert {one["verdict"] for one in found["files"].values()} == {"nothing to hold it against"}


def test_ratios_by_participants_by_clipped_units_and_by_units_part(tmp_path: Path) -> None:
    source = np.random.default_rng(5)
    simple, model = source.normal(0.06, 0.1, 97), source.normal(0.08, 0.1, 97)
    simple[:47] += 0.08
    for name, units in (("simple", simple), ("gpt2xl", model)):
        archive(tmp_path, f"figure2/{name}_combined-lt_fedorenko_out_of_sample_r2.npz", {"": units})
    found = reanalysed(tmp_path)["compared_units"]["figure2"]["fedorenko"]["out_of_sample_r2"]["gpt2xl-lt"]
    own, other = ([max(one.mean(), 0) for one in cut(units, ELECTRODES)] for units in (simple, model))
    assert found["by_participants"] == pytest.approx(np.mean(own) / np.mean(other), abs=1e-12)
    assert found["by_units"] == pytest.approx(simple.mean() / model.mean(), abs=1e-12)
    clipped = [np.mean([one.clip(0).mean() for one in cut(units, ELECTRODES)]) for units in (simple, model)]
    assert found["clip_then_mean"] == pytest.approx(clipped[0] / clipped[1], abs=1e-12)
    assert found["participants_above"] == sum(a > b for a, b in zip(own, other, strict=True))


def test_a_ratio_of_tables_is_told_by_model_and_split(tmp_path: Path) -> None:
    oasm, model = {str(who): 0.1 + who / 50 for who in range(5)}, {str(who): 0.14 - who / 100 for who in range(5)}
    participants(tmp_path, "figure1_blank_out_of_sample_r2_shuffled.csv", {"OASM": oasm, "GPT2-XL": model})
    found = reanalysed(tmp_path)["compared"]["figure1"]["blank"]["out_of_sample_r2"]["shuffled"]["GPT2-XL"]
    assert found["by_participants"] == pytest.approx(sum(oasm.values()) / sum(model.values()))
    assert (found["participants"], found["participants_above"]) == (5, 3)


def test_a_model_that_scores_nothing_has_no_ratio(tmp_path: Path) -> None:
    nothing, oasm = dict.fromkeys(map(str, range(5)), 0.0), dict.fromkeys(map(str, range(5)), 0.1)
    participants(tmp_path, "figure1_blank_out_of_sample_r2_contig.csv", {"OASM": oasm, "GPT2-XL": nothing})
    found = reanalysed(tmp_path)["compared"]["figure1"]["blank"]["out_of_sample_r2"]["contiguous"]["GPT2-XL"]
    assert found["by_participants"] is None


def test_equal_columns_of_two_figures_are_found_and_unequal_ones_told(tmp_path: Path) -> None:
    scores = {str(who): who / 10 for who in range(5)}
    participants(tmp_path, "figure1_blank_pearson_r_contig.csv", {"GPT2-XL-sp": scores})
    participants(tmp_path, "figure5_blank_pearson_r_gpt2xl.csv", {"gpt2xl-sp": scores, "Simple": scores})
    participants(tmp_path, "figure6_blank_pearson_r.csv", {"Simple": {**scores, "3": 0.31}})
    found = reanalysed(tmp_path)["agreements"]["columns"]
    assert {name.partition(": ")[2]: (one["verdict"], round(one["difference"], 12)) for name, one in found.items()} == {
        "GPT2-XL-sp of figure1, gpt2xl-sp of figure5-gpt2xl": ("exact", 0),
        "Simple of figure5-gpt2xl, Simple of figure6": ("another simple model", 0.01),
    }
