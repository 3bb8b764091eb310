"""The real published results, which are never part of this project: what a second reader found in them is found."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from studies.brain.reanalysis.made_results import REAL, read
from support import REPOSITORY
from support_draws import drawn

from harness.manifest.load import load_manifest
from harness.manifest.schema import split_pointer
from harness.studies.brain.pages.reanalysis_report import page
from harness.studies.brain.reanalysis.document import document

MANIFEST = REPOSITORY / "manifests" / "reanalysis" / "brain-H.yaml"

if not (REAL / "published").is_dir():
    pytest.skip("the published results are not here", allow_module_level=True)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [row for row in read(REAL) if not row["path"].startswith("stimuli/")]


@pytest.fixture(scope="module")
def found(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return document(rows, {"files": len(rows), "unknown": [], "absent": []})


def test_every_published_file_is_of_a_known_kind(rows: list[dict[str, Any]]) -> None:
    paths = {row["path"] for row in rows}
    assert len(paths) == 39 and not any(row["unread"] for row in rows)


@pytest.mark.parametrize(
    ("metric", "split", "model", "mean"),
    [
        ("out_of_sample_r2", "shuffled", "OASM", 0.1766), ("out_of_sample_r2", "shuffled", "GPT2-XL", 0.1539),
        ("out_of_sample_r2", "shuffled", "GPT2-XL-mp", 0.1161), ("out_of_sample_r2", "shuffled", "GPT2-XL-sp", 0.1200),
        ("out_of_sample_r2", "contiguous", "OASM", 0.0), ("out_of_sample_r2", "contiguous", "GPT2-XL", 0.0232),
        ("out_of_sample_r2", "contiguous", "GPT2-XL-mp", 0.0220),
        ("out_of_sample_r2", "contiguous", "GPT2-XL-sp", 0.0266),
        ("pearson_r", "shuffled", "OASM", 0.4511), ("pearson_r", "shuffled", "GPT2-XL", 0.3981),
        ("pearson_r", "contiguous", "OASM", 0.0), ("pearson_r", "contiguous", "GPT2-XL", 0.1402),
        ("pearson_r", "contiguous", "GPT2-XL-sp", 0.1470),
    ],
)  # fmt: skip
def test_means_over_participants(metric: str, split: str, model: str, mean: float, found: dict[str, Any]) -> None:
    told = found["participants"]["figure1"]["pereira"][metric][split][model]
    assert told["mean"] == pytest.approx(mean, abs=5e-5) and told["participants"] == 10


def test_merged_units_give_back_six_participants_of_ten(found: dict[str, Any]) -> None:
    tables = found["participants"]["figure1"]["pereira"]["out_of_sample_r2"]["shuffled"]
    told = tables["GPT2-XL-sp"]["recomputed"]
    assert told["verdict"] == "not derivable" and [*told["not_derivable"]] == ["018", "288", "289", "296"]
    assert told["not_derivable_difference"] == pytest.approx(6.5e-4, abs=5e-6) and told["difference"] < 1e-15
    assert [round(told["participants"][who], 6) for who in ("343", "366", "407")] == [0.132881, 0.137139, 0.138251]


@pytest.mark.exhaustive
@pytest.mark.parametrize("who", drawn([("018", "199"), ("018", "288"), ("289", "343")], 1, 3))
def test_units_of_two_participants_that_changed_places_are_found(
    who: tuple[str, str], rows: list[dict[str, Any]]
) -> None:
    names = {"figure2_gpt2xl_combined-sp_pereira", "figure2_simple_combined-sp_pereira", "figure1_pereira_out_of"}
    given = copy.deepcopy([row for row in rows if any(name in row["path"] for name in names)])
    [units] = [row["rows"][0] for row in given if "gpt2xl_combined" in row["path"]]
    first, second = ([at for at, one in enumerate(units["participants"]) if one == each] for each in who)
    count = min(len(first), len(second))
    for one, other in zip(first[:count], second[:count], strict=True):
        units["scores"][one], units["scores"][other] = units["scores"][other], units["scores"][one]
    tables = document(given, {})["participants"]["figure1"]["pereira"]["out_of_sample_r2"]["shuffled"]
    held = {model: tables[model]["recomputed"] for model in ("GPT2-XL-sp", "OASM")}
    assert (held["GPT2-XL-sp"]["verdict"], held["GPT2-XL-sp"]["swapped"]) == ("differs", list(who))
    assert (held["OASM"]["verdict"], held["OASM"]["swapped"]) == ("not derivable", [])


def test_blank_is_exact_by_participant_and_in_figure_6(found: dict[str, Any]) -> None:
    for figure in ("figure5-gpt2xl", "figure6"):
        for one in found["participants"][figure]["blank"]["pearson_r"]["contiguous"].values():
            assert one["recomputed"]["verdict"] == "exact" and one["recomputed"]["exact"] == 5


def test_the_correlation_over_layers_hangs_on_layer_0(found: dict[str, Any]) -> None:
    curves = found["curves"]["figure2"]["pereira"]["384"]
    r2, r = (curves[metric]["GPT2-XL"]["correlations"] for metric in ("out_of_sample_r2", "pearson_r"))
    assert [round(r2[part]["pearson"], 3) for part in ("all", "without_layer_0")] == [-0.665, -0.961]
    assert [round(r[part]["pearson"], 3) for part in ("all", "without_layer_0")] == [-0.463, -0.960]
    assert round(r2["all"]["steps_pearson"], 2) == 0.74
    summed, mean = (curves["out_of_sample_r2"][f"GPT2-XL-{one}"]["correlations"] for one in ("sp", "mp"))
    assert round(summed["all"]["pearson"], 4) == -0.9404 and round(mean["all"]["pearson"], 3) == -0.923


def test_every_curve_has_its_best_layer_where_it_was_published(found: dict[str, Any]) -> None:
    for metric in found["curves"]["figure2"]["pereira"]["384"].values():
        for model in metric.values():
            told = [one["verdict"] for split in ("shuffled", "contiguous") for one in model[split]["chosen"].values()]
            assert told == ["exact"] * 3


@pytest.mark.parametrize(
    ("figure", "omegas"), [("figure2-oasm", [86.98, 84.36, 80.62]), ("figure5-gpt2xl", [81.04, 80.95, 81.30])]
)
def test_omegas_of_pereira(figure: str, omegas: list[float], found: dict[str, Any]) -> None:
    assert [round(found["omegas"][figure]["pereira"][one]["mean"], 2) for one in ("lt", "mp", "sp")] == omegas


def test_one_participant_of_blank_has_no_score_and_all_of_omega(found: dict[str, Any]) -> None:
    told = found["omegas"]["figure5-gpt2xl"]["blank"]["sp"]
    assert told["empty"] == ["4"] and told["published"]["4"] == 100
    assert (round(told["mean"], 1), round(told["without_empty"], 1), told["at_100"]) == (94.4, 93.0, 3)


def test_omegas_of_pereira_are_of_other_scores_than_the_table(found: dict[str, Any]) -> None:
    told = {one: found["omegas"]["figure5-gpt2xl"]["pereira"][one]["above_bound"] for one in ("lt", "mp", "sp")}
    assert told == {"lt": ["343", "366", "407"], "mp": ["215", "343", "366"], "sp": ["215", "343"]}
    assert not any(one.get("above_bound") for one in found["omegas"]["figure2-oasm"]["pereira"].values())


def test_p_values_were_corrected_within_each_participant(found: dict[str, Any]) -> None:
    told = [one for figure in found["tests"].values() for splits in figure.values() for levels in splits.values()
            for poolings in levels.values() for tests in poolings.values() for one in tests.values()
            if isinstance(one, dict) and "verdict" in one]  # fmt: skip
    assert len(told) == 18 and {(one["family"], one["verdict"]) for one in told} == {("participant", "exact")}


def test_fedorenko_by_participants_and_by_electrodes(found: dict[str, Any]) -> None:
    told = found["compared_units"]["figure2"]["fedorenko"]["out_of_sample_r2"]["gpt2xl-lt"]
    values = [round(told[name], 3) for name in ("by_participants", "clip_then_mean", "by_units")]
    assert values == [0.931, 0.924, 1.147] and (told["participants_above"], told["participants"]) == (2, 5)


def test_numbers_called_glove_are_scores(found: dict[str, Any]) -> None:
    told = found["choices"]["best_layer_other_pereira.npz"]
    assert {key for key, one in told.items() if one["is"] == "score"} == {
        key for key in told if key.startswith("Glove_")
    }


def test_two_files_of_syntax_features_part_in_four_layers(found: dict[str, Any]) -> None:
    told = found["agreements"]["choices"]["best_layer_other_pereira.npz and gpt2xl-syntax.npz"]
    assert (told["shared"], len(told["differ"]), told["verdict"]) == (12, 4, "differs")
    assert found["agreements"]["choices"]["best_gpt2xl_layer.npz and gpt2-xl.npz"]["verdict"] == "exact"


def test_of_44_models_of_2021_43_were_scored_on_pereira(found: dict[str, Any]) -> None:
    told = found["neural_nlp"]
    assert told["models"] == 44
    assert {name: (own["models"], own["scores"]) for name, own in told["datasets"].items()} == {
        "pereira": (43, 1444), "fedorenko": (43, 1452), "blank": (44, 1476)
    }  # fmt: skip


def test_every_claim_of_the_manifest_is_met_by_the_document(found: dict[str, Any]) -> None:
    claims = load_manifest(MANIFEST).manifest.claims
    for claim in claims:
        for pointer in claim.pointers:
            value: Any = found
            for name in split_pointer(pointer)[1]:
                value = value[name]
            if claim.at_most is not None:
                assert value <= float(claim.at_most), pointer
            else:
                assert abs(value - float(claim.published or "nan")) <= float(claim.within or 0), pointer
    asked = {split_pointer(pointer)[1][0] for claim in claims for pointer in claim.pointers}
    assert asked == {"participants", "compared_units", "curves", "omegas", "tests"}


def test_any_one_file_alone_gives_a_document_and_a_page(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        alone = document([row], {"files": 1, "unknown": [], "absent": ["other.csv"]})
        assert list(alone["files"]) == [row["path"]] and b"other.csv" in page(alone, {})
