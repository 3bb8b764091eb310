"""The notebooks' arithmetic on aggregated results: zeros filled in, tables as printed, figures in numbers.

Rule: docs/curie.md#paper-averages.
"""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from support import FIXTURES
from support_cases import each_of

from harness.errors import InputError
from harness.studies.curie.measures.meta_results import MOST, MetaRow, deviation, fill, mean, read
from harness.studies.curie.standalone.tables import ANALYSES, TablesOutput

tables = ANALYSES["curie.tables"].run
GPT, MIXTRAL = "gpt-4o", "mixtral-gcp"
BOXES, HFE = "georeference_image_0_shot", "extract_hamiltonian_0_shot"
MPV, CODE = "mat_paper_to_property_1_shot", "write_code_for_paper_0_shot"
UNREAD = "Can not parse model response"


def hfe(**models: dict[str, Any]) -> dict[str, Any]:
    """Give results of one task: model -> record -> ROUGE-L or a whole object."""
    return {"hfe": {HFE: {
        name.replace("_", "-"): {record: said if isinstance(said, dict) else {"rougeLsum": said}
                                 for record, said in records.items()}
        for name, records in models.items()
    }}}  # fmt: skip


def group(found: Any, table: int, model: str, task: str, metric: str) -> list[Any]:
    [row] = [row for row in found[f"table{table}_group_mean_std"] if row[:3] == [model, task, metric]]
    return list(row[3:])


def test_a_text_counts_as_zero_and_a_nan_is_skipped():
    found = tables({"meta_results": hfe(gpt_4o={"a": 30, "b": UNREAD, "c": "__nan__", "d": "nan"})})
    assert group(found, 1, GPT, "hfe", "rougeLsum") == [15, pytest.approx(30 / math.sqrt(2))]


def test_a_model_without_a_row_has_zero_where_another_has_one():
    found = tables({"meta_results": hfe(gpt_4o={"a": 30, "b": 10}, m={"a": 8})})
    assert group(found, 1, "m", "hfe", "rougeLsum")[0] == 4
    assert group(found, 1, GPT, "hfe", "rougeLsum")[0] == 20


def test_a_record_that_no_model_has_a_row_of_never_appears():
    found = tables({"meta_results": hfe(gpt_4o={"a": 30, "b": {}}, m={"a": 8, "b": {}})})
    assert group(found, 1, "m", "hfe", "rougeLsum")[0] == 8


def test_an_empty_object_is_no_row():
    found = tables({"meta_results": hfe(gpt_4o={"a": 30, "b": {}}, m={"a": 8, "b": 4})})
    assert group(found, 1, GPT, "hfe", "rougeLsum")[0] == 15


def test_the_deviation_is_of_a_sample_and_zero_for_one_record():
    assert deviation([1, 2, 4]) == pytest.approx(math.sqrt(7 / 3))
    assert deviation([5]) == deviation([5, math.nan]) == deviation([]) == 0


def test_a_mean_of_nothing_is_nan_and_an_infinity_stays():
    assert math.isnan(mean([])) and math.isnan(mean([math.nan]))
    assert mean([1, math.inf]) == math.inf


def test_a_mean_on_the_edge_rounds_as_the_notebook_has_it():
    assert mean([0.2565, 0.377, 0.4042, 0.9773]) == 0.5037499999999999  # printed as 50.37; a plain sum gives 50.38


def boxes(**models: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {"biogr": {BOXES: {name.replace("_", "-"): records for name, records in models.items()}}}


def test_table_7_fills_records_without_a_box_and_no_unread_distance():
    whole = {"iou": 0.6, "normalized_distance_error": 2.0, "relative_box_size": 1.0}
    given = boxes(gpt_4o={"a": whole, "b": {"iou": UNREAD}}, m={"a": whole, "b": whole, "c": whole})
    found = tables({"meta_results": given})["biogr_means"]
    mine = {metric: value for model, metric, value in found if model == GPT}
    assert mine == {"iou": pytest.approx(0.2), "normalized_distance_error": 1.0, "relative_box_size": 0.5}


def test_a_model_without_boxes_is_in_table_1_with_zero_and_not_in_table_7():
    given = {**boxes(gpt_4o={"a": {"iou": 0.6}}), **hfe(mixtral_gcp={"a": 5})}
    found = tables({"meta_results": given})
    assert group(found, 1, MIXTRAL, "biogr", "iou")[0] == 0
    assert {model for model, *_ in found["biogr_means"]} == {GPT}
    assert "Gemini 1.0 Pro & - & - & -" in found["table7_printed_rows"]


def test_table_1_pools_the_dft_prompts_and_takes_the_first_of_mpv():
    given = {
        "dft": {CODE: {GPT: {"a": {"rougeLsum": 10}}}, "extract_dft_metadata_1_shot": {GPT: {"a": {"rougeLsum": 40}}}},
        "mpve": {MPV: {GPT: {"a": {"rougeLsum": 10}}}, f"{MPV}_exclude_trivia": {GPT: {"a": {"rougeLsum": 90}}}},
    }
    found = tables({"meta_results": given})
    assert group(found, 1, GPT, "dft", "rougeLsum")[0] == 25
    assert group(found, 1, GPT, "mpv", "rougeLsum")[0] == 10


def test_absent_models_are_dashes_in_table_1_and_a_lone_mark_in_table_2():
    found = tables({"meta_results": hfe(gpt_4o={"a": 1})})
    assert found["table1_printed_rows"].count("& - & -") == 8
    assert found["table2_printed_rows"] == ["&"] * 9


def test_table_7_keeps_two_digits_where_the_others_lose_zeros():
    whole = {"iou": 0.5, "normalized_distance_error": 1.4, "relative_box_size": 2}
    found = tables({"meta_results": boxes(gpt_4o={"a": whole})})
    assert "GPT-4o & 0.50 & 1.40 & 2.00" in found["table7_printed_rows"]
    assert found["table1_printed_rows"][4].endswith(" & 0.5 & -")


def test_figures_alone_leave_geo_records_out_for_their_licence():
    prompt = "extract_dataset_from_geo_papers_0_shot"
    given = {"geo": {prompt: {GPT: {"a": {"rougeLsum": 20}, "b": {"rougeLsum": 60}}}}}
    found = tables({"meta_results": given, "excluded_geo": ["b"]})
    assert group(found, 1, GPT, "geo", "rougeLsum")[0] == 40
    assert found["figure5_task_means"]["GPT-4o"]["geo"] == pytest.approx(0.2)


def test_the_average_is_the_mean_of_task_means_and_says_of_how_many():
    given = {**hfe(gpt_4o={"a": 30, "b": 10}), **boxes(gpt_4o={"a": {"iou": 0.6}})}
    found = tables({"meta_results": given})
    assert found["figure5_task_means"]["GPT-4o"]["Average Score"] == pytest.approx((0.2 + 0.6) / 2)
    assert found["tasks_averaged"] == 2


def test_levels_are_pooled_over_records_and_averaged_over_domains():
    dft = {"rougeLsum": 90}, {"LMSim-F1": 0.3}
    given = {
        "dft": {CODE: {GPT: {"a": dft[0]}}, "extract_dft_metadata_1_shot": {GPT: {"a": dft[1]}}},
        **hfe(gpt_4o={"x": 30}),
    }
    levels = {"dft": {"a": "Hard"}, "hfe": {"x": "hard"}}
    found = tables({"meta_results": given, "difficulty_levels": levels})
    assert found["figure7_pooled"] == [["GPT-4o", "Hard", pytest.approx((0.9 + 0.3 + 0.3) / 3)]]
    assert found["difficulty_macro_hard"] == {"GPT-4o": pytest.approx((0.6 + 0.3) / 2)}
    assert found["difficulty_macro_easy"] == {}


def test_a_record_without_a_level_is_refused_as_the_notebook_fails():
    with pytest.raises(InputError, match="no level"):
        tables({"meta_results": hfe(gpt_4o={"a": 1}), "difficulty_levels": {"hfe": {"b": "Easy"}}})


def test_the_domains_old_names_are_renamed_in_results_and_levels():
    given = {"qecc_85": {"describe_code_in_paper": {GPT: {"a": {"rougeLsum": 50}}}}}
    found = tables({"meta_results": given, "difficulty_levels": {"qecc_85": {"a": "Easy"}}})
    assert group(found, 1, GPT, "qecc_65", "rougeLsum")[0] == 50
    assert found["difficulty_macro_easy"] == {"GPT-4o": 0.5}


def test_what_the_analysis_gives_is_what_its_schema_says():
    TablesOutput.model_validate(tables({"meta_results": hfe(gpt_4o={"a": "inf"})}))
    found = tables({"meta_results": {}, "difficulty_levels": {}})
    TablesOutput.model_validate(found)
    assert found["figure_rows"] == 0 and found["table1_printed_rows"] == ["& - & -"] * 9


@each_of(
    "given",
    [[], {"hfe": 3}, {"hfe": {HFE: {GPT: {"a": [1]}}}}, {"hfe": {HFE: {GPT: {"a": {"rougeLsum": True}}}}},
     {"hfe": {HFE: {GPT: {"a": {"rougeLsum": 10**400}}}}}, {"mpv": {}, "mpve": {}}],
)  # fmt: skip
def test_results_of_another_shape_are_refused(given):
    with pytest.raises(InputError):
        read(given)


def test_filling_for_too_many_models_is_refused_at_once():
    rows = [MetaRow("hfe", HFE, f"m{place}", str(place), "rougeLsum", 1.0) for place in range(2000)]
    assert len(rows) ** 2 > MOST
    with pytest.raises(InputError, match="too many"):
        fill(rows, [row.model for row in rows])


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared golden values are not here")
def test_the_golden_means_and_printed_rows_are_met_to_the_last_digit():
    golden = json.loads((FIXTURES / "curie" / "tables.json").read_text())
    found = tables({name: golden[name] for name in ("meta_results", "difficulty_levels")})
    for name in ("table1_printed_rows", "table2_printed_rows", "table7_printed_rows", "biogr_means", "figure7_pooled"):
        assert found[name] == golden["official"][name]
    for name in ("table1_group_mean_std", "table2_group_mean_std"):
        assert [row[:4] for row in found[name]] == [row[:4] for row in golden["official"][name]]
