"""The scorers of LLMSim and LMScore and the analyses of reading, by their names: fields, modes, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.studies.curie.standalone import llmsim, lmscore, reading

TOOLS = {**llmsim.SCORERS, **lmscore.SCORERS, **reading.ANALYSES}
TRUTH = json.dumps(
    [{"index": place, "low_value": "1", "property_name": name} for place, name in enumerate(("Eg", "mass"))]
)
MPV = {"ground_truth_text": TRUTH, "model_response": '[{"a": 1}, {"a": 2}]'}
PROGRAM = 'structure_metadata_1 = StructureMetadata.parse_raw(\'{"a": "it\\\'s"}\')\n'
DFT = {
    "ground_truth_file_text": json.dumps({"no_header_code": PROGRAM}),
    "prompt": "extract_structure_data_1_shot",
    "model_response": '[{"a": 1}, {"a": 2}]',
}


def run(name: str, given: Mapping[str, Any], **more: Any) -> Mapping[str, Any]:
    """Run a tool and hold what it gives against its model."""
    tool = TOOLS[name]
    found = tool.run({**given, **more})
    tool.gives.model_validate(found)
    return found


def index(place: int) -> str:
    return json.dumps({"json_extracted_index": place})


def test_paper_is_the_mode_unless_strict_is_said_and_both_name_themselves() -> None:
    outputs = [index(0), index(1)]
    paper, strict = (run("curie.llmsim_mpv", MPV, judge_outputs=outputs, **mode) for mode in ({}, {"mode": "strict"}))
    assert (paper["value"], strict["value"]) == (0.5, 1)
    assert (paper["detail"]["mode"], strict["detail"]["mode"]) == ("paper", "strict")
    assert strict["judge_errors"] == 0 and "judge_errors" not in paper


def test_strict_knows_the_task_of_band_gaps() -> None:
    given = {"mode": "strict", "task": "mpv-specific", "judge_outputs": [index(0)]}
    assert run("curie.llmsim_mpv", MPV, **given)["detail"]["metrics"]["num_ground_truth"] == 1


def test_a_share_of_nothing_is_spelled_as_a_text() -> None:
    assert run("curie.llmsim_mpv", MPV, model_response="", judge_outputs=["{}", "{}"])["value"] == "nan"


def test_the_first_output_repairs_a_ground_truth_that_cannot_be_read() -> None:
    outputs = ["[{'a': 1}]", index(1)]
    assert run("curie.llmsim_dft", DFT, judge_outputs=outputs)["value"] == pytest.approx(2 / 3)
    with pytest.raises(InputError, match="a repair has no reply"):
        run("curie.llmsim_dft", DFT)
    strict = run("curie.llmsim_dft", DFT, judge_outputs=outputs[1:], mode="strict")
    assert strict["value"] == pytest.approx(2 / 3)  # JSON as written needs no model


@each_of(
    ("name", "given", "field"),
    [
        ("curie.llmsim_mpv", {**MPV, "judge_outputs": "none"}, "judge_outputs"),
        ("curie.llmsim_mpv", {**MPV, "mode": "lenient"}, "mode"),
        ("curie.llmsim_mpv", {**MPV, "task": "dft-s"}, "task"),
        ("curie.llmsim_mpv", {"model_response": ""}, "ground_truth_text"),
        ("curie.llmsim_dft", {**DFT, "prompt": "write_code_for_paper_0_shot"}, "prompt"),
        ("curie.llmsim_mpv", MPV, "judge_outputs"),
        ("curie.lmscore", {"top_logprobs": [{"token": "good", "logprob": "high"}]}, "top_logprobs[0]/logprob"),
        ("curie.lmscore", {"top_logprobs": [{"token": "good", "logprob": 0.5}]}, "top_logprobs[0]/logprob"),
        ("curie.lmscore", {"top_logprobs": [{"logprob": -1}]}, "top_logprobs[0]/token"),
        ("curie.llmsim_parse", {"text": "[]", "reader": "xml"}, "reader"),
        ("curie.preprocess", {"ground_truth_file_text": "[]", "task": "hfe"}, "prompt"),
    ],
)
def test_a_field_that_is_wrong_is_named(name: str, given: Mapping[str, Any], field: str) -> None:
    with pytest.raises(InputError) as bad:
        run(name, given)
    assert bad.value.where == field


def test_lmscore_takes_a_logarithm_of_nothing() -> None:
    given = [{"token": "good", "logprob": 0}, {"token": "bad", "logprob": "-inf"}]
    assert run("curie.lmscore", {"top_logprobs": given})["value"] == pytest.approx(1, abs=1e-6)
    assert set(run("curie.lmscore", {"top_logprobs": []})["value"]) == {"missing"}


def test_what_the_notebook_raises_at_is_missing() -> None:
    given = {"ground_truth_file_text": "{", "task": "hfe", "prompt": "derivation_prompt"}
    assert set(run("curie.preprocess", given)["result"]) == {"missing"}
    assert set(run("curie.llmsim_parse", {"text": "x", "reader": "mpve"})["result"]) == {"missing"}
    assert set(
        run("curie.read_response", {"task": "pdb", "files": {"success": '{"response_text": "x"}'}})["prompt"]
    ) == {"missing"}
    both = run("curie.mpv_ground_truth", {"ground_truth_text": '[{"property_name": "Eg"}]'})
    assert set(both["parse"]) == {"missing"} and both["filter"] == []


def test_numbers_that_are_none_are_spelled_as_texts() -> None:
    assert run("curie.llmsim_parse", {"text": "[{a: NaN}, -Infinity]", "reader": "mpve"})["result"] == [
        {"a": "nan"},
        "-inf",
    ]


def test_a_repair_of_an_answer_is_used_and_counted() -> None:
    given = {"text": "prose", "reader": "dft"}
    assert run("curie.llmsim_parse", given, repair="[{'a': 1}]") == {"result": [{"a": 1}], "repairs": 1}
    assert set(run("curie.llmsim_parse", given)["result"]) == {"missing"}


HOSTILE = [
    "[" * 10_000,
    "x" * 5_000_000,
    "1" * 1_000_000,
    f"[{{a: 0x{'f' * 200_000}}}]",
    "\ud800",
    "[NaN, Infinity]",
    "{}",
]


@each_of("text", HOSTILE)
@each_of("mode", ["paper", "strict"])
def test_hostile_answers_and_replies_have_a_finding(text: str, mode: str) -> None:
    found = run("curie.llmsim_mpv", MPV, model_response=text, judge_outputs=[text, text], mode=mode)
    assert json.dumps(found, allow_nan=False)
    assert run("curie.llmsim_mpv", MPV, judge_outputs=[text, text], mode=mode)["outcome"] == "valid"
    given = {"ground_truth_text": text, "model_response": text, "judge_outputs": [text, text]}
    assert run("curie.llmsim_mpv", given, mode=mode)["outcome"] == "gold_invalid" or text == "{}"
