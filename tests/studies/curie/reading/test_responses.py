"""The two files of a published response say together what the published notebook reads out of them."""

from __future__ import annotations

import json

import pytest
from support_cases import each_of

from harness.studies.curie.reading.responses import PublishedResponse, failure_path, read_response
from harness.studies.curie.reading.strict_json import Unreadable

PATH = "root/inference_outputs/hfe/prompt/model/success/r.json"
FAILED = "root/inference_outputs/hfe/prompt/model/failure/r.json"


def test_every_success_in_a_path_is_replaced() -> None:
    assert failure_path("/my-success/m/success/success_1.json") == "/my-failure/m/failure/failure_1.json"


def test_neither_file_is_an_empty_response_without_an_error() -> None:
    assert read_response(PATH, {"another.json": "{"}) == PublishedResponse("", "", "")


def test_both_files_are_told_together() -> None:
    files = {PATH: '{"response_text": "R", "prompt_text": "P"}', FAILED: '{"exception_message": "429"}'}
    assert read_response(PATH, files) == PublishedResponse("R", "429", "")


def test_pdb_anywhere_in_the_path_asks_for_the_prompt() -> None:
    path = "/data/pdb-copies/hfe/success/r.json"
    assert read_response(path, {path: '{"response_text": "R", "prompt_text": "P"}'}).prompt == "P"
    with pytest.raises(Unreadable):
        read_response(path, {path: '{"response_text": "R"}'})


def test_a_failure_of_command_r_plus_may_say_what_happened_as_a_response() -> None:
    path = PATH.replace("model", "command-r-plus")
    failed = failure_path(path)
    assert read_response(path, {failed: '{"response_text": "too long"}'}).exception == "too long"
    with pytest.raises(Unreadable):
        read_response(PATH, {FAILED: '{"response_text": "too long"}'})
    with pytest.raises(Unreadable):
        read_response(path, {failed: "{}"})


@each_of("text", ["", "[]", "{}", '{"response_text": null}', '{"response_text": ["R"]}', "{broken"])
def test_a_file_without_what_it_must_say_skips_the_record(text: str) -> None:
    with pytest.raises(Unreadable):
        read_response(PATH, {PATH: text})


def test_a_response_may_repeat_a_whole_protein() -> None:
    path = "pdb/success/r.json"
    files = {path: json.dumps({"response_text": "R", "prompt_text": "ATOM" * 1_000_000})}
    assert len(read_response(path, files).prompt) == 4_000_000
