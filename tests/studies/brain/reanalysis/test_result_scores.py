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

from harness.digest import canonical_json

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


def test_a_large_difference_is_not_derivable_either(units: Any, tmp_path: Path) -> None:
    theirs = means(units)
    for by in (6.5e-4, 5e-3, 0.2):
        found = held(tmp_path, units, {**theirs, "018": theirs["018"] + by})["recomputed"]
        assert (found["verdict"], found["differs"], found["swapped"]) == ("not derivable", [], [])
        assert found["not_derivable"] == {"018": pytest.approx(by)}


def test_one_experiment_is_no_excuse(units: Any, tmp_path: Path) -> None:
    theirs = means(units)
    found = held(tmp_path, units, {**theirs, "343": theirs["343"] + 6.5e-4})["recomputed"]
    assert (found["verdict"], found["differs"], found["swapped"]) == ("differs", ["343"], [])


def test_a_table_of_one_experiment_is_derivable_for_everybody(tmp_path: Path) -> None:
    sizes = {who: size for who, size in zip(PEREIRA, SIZES, strict=True) if who != "215"}
    drawn = np.random.default_rng(5).normal(0.1, 0.1, sum(sizes.values()))
    parts = zip(sizes, cut(drawn, [*sizes.values()]), strict=True)
    own = {who: float(part.mean()) for who, part in parts}
    archive(tmp_path, "figure2/simple_combined_pereira_384_out_of_sample_r2.npz", {"": drawn})
    name = "figure1/pereira_out_of_sample_r2_shuffled_384.csv"
    participants(tmp_path, name, {"OASM": own, "shifted": own})

    def found() -> Any:
        tables = reanalysed(tmp_path)["participants"]["figure1"]["pereira-384"]["out_of_sample_r2"]
        return tables["shuffled"]["OASM"]["recomputed"]

    assert (found()["verdict"], found()["exact"]) == ("exact", 9)
    participants(tmp_path, name, {"OASM": {**own, "018": own["018"] + 1e-4}})
    assert (found()["verdict"], found()["differs"]) == ("differs", ["018"])


def test_two_participants_whose_values_are_exchanged_are_named(units: Any, tmp_path: Path) -> None:
    units[:1358] += 0.2
    theirs = means(units)
    found = held(tmp_path, units, {**theirs, "343": theirs["018"], "018": theirs["343"]})["recomputed"]
    assert (found["verdict"], found["swapped"]) == ("differs", ["018", "343"])


@pytest.mark.parametrize("who", [("018", "199"), ("018", "288"), ("018", "288", "296")])
def test_participants_who_changed_places_are_found_in_spite_of_merging(
    who: tuple[str, ...], units: Any, tmp_path: Path
) -> None:
    own = means(units + np.repeat(np.arange(10) / 20, SIZES))
    theirs = {one: value + 6e-4 if one in ("018", "288", "296") else value for one, value in own.items()}
    moved = {**theirs, **dict(zip(who, (theirs[one] for one in (*who[1:], who[0])), strict=True))}
    found = held(tmp_path, units + np.repeat(np.arange(10) / 20, SIZES), moved)["recomputed"]
    assert (found["verdict"], found["swapped"], found["differs"]) == ("differs", list(who), list(who))
    assert not {*who} & found["not_derivable"].keys()


def test_values_that_happen_to_be_equal_are_no_exchange(units: Any, tmp_path: Path) -> None:
    theirs = means(units)
    found = held(tmp_path, units, {**theirs, "343": theirs["199"], "407": theirs["366"]})["recomputed"]
    assert (found["swapped"], found["differs"]) == ([], ["343", "407"])


def test_two_networks_of_one_file_are_two_arrays(tmp_path: Path) -> None:
    drawn = np.random.default_rng(9).normal(0.1, 0.05, (2, 60))
    rows = [(value, at // 12, network, "GPT2XLU-lt") for network, own in zip(("language", "DMN"), drawn, strict=True)
            for at, value in enumerate(own)]  # fmt: skip
    table(tmp_path, "figure6/results_combined_blank_pearson_r.csv", ("perf", "subjects", "Network", "Model"), rows)
    scores = [(who, network, "GPT2XLU-lt", own[12 * who : 12 * who + 12].mean())
              for network, own in zip(("language", "DMN"), drawn, strict=True) for who in range(5)]  # fmt: skip
    table(tmp_path, "figure6/blank_pearson_r.csv", ("subjects", "Network", "Model", "perf"), scores)
    found = reanalysed(tmp_path)
    arrays = found["units"]["figure6"]["blank"]["pearson_r"]
    assert {name: own["units"] for name, own in arrays.items()} == {"GPT2XLU-lt": 60, "GPT2XLU-lt in DMN": 60}
    assert arrays["GPT2XLU-lt in DMN"]["units_mean"] == pytest.approx(drawn[1].mean())
    tables = found["participants"]["figure6"]["blank"]["pearson_r"]["contiguous"]
    assert [one["recomputed"]["verdict"] for one in tables.values()] == ["exact", "exact"]


def test_an_omega_is_held_against_the_simple_scores_of_its_own_pooling(tmp_path: Path) -> None:
    level = {"lt": 0.1, "sp": 0.05}
    for pooling, value in level.items():
        archive(tmp_path, f"figure2/simple_combined-{pooling}_fedorenko_out_of_sample_r2.npz", {"": np.full(97, value)})
        key = "" if pooling == "lt" else "-sp"
        archive(tmp_path, f"figure2/gpt2xl_combined-{pooling}_fedorenko_out_of_sample_r2.npz", {key: np.full(97, 0.2)})
    omegas = [(at, f"-{one}", "fedorenko", 20) for at, one in enumerate(["lt"] * 5 + ["sp"] * 5)]
    table(tmp_path, "figure2/oasm_omega_values.csv", OMEGAS, omegas)
    found = reanalysed(tmp_path)["omegas"]["figure2-oasm"]["fedorenko"]
    assert {one: found[one]["bound"]["1"] for one in level} == {"lt": pytest.approx(50), "sp": pytest.approx(25)}
    assert {one: found[one]["held_against"]["simple"] for one in level} == {"lt": "simple-lt", "sp": "simple-sp"}


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
    assert canonical_json(found) and found["omegas"]["figure2-oasm"]["fedorenko"]["lt"]["empty"] == [*"12345"]


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
