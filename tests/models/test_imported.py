"""Somebody else's answers: a prompt gets the row of its key or an error, and what is no answer is named by its line."""

import json

import pytest

from harness import rows
from harness.errors import InputError
from harness.manifest.models import settings_class
from harness.models.providers.imported import (
    MISSING,
    MOST_LINE,
    TWICE,
    ImportedSettings,
    account,
    gather_rows,
    read_imported_rows,
    respond,
)

ANSWER = {"item": "a", "template": 1, "sample": 0, "text": "42"}


def write(path, *lines):
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


@pytest.fixture
def join(tmp_path):
    """Join rows with the prompts of two items in two wordings; gives the responses and the count."""

    def joined(*lines, seeds=(0,), **params):
        rows.write(tmp_path / "prompts", ({"item": item, "template": t, "text": "?"} for item in "ab" for t in (1, 2)))
        inputs = {"prompts": tmp_path / "prompts", "imported": write(tmp_path / "theirs.jsonl", *lines)}
        given = {"model": "theirs", "seeds": list(seeds), **params}
        respond(given, inputs, tmp_path)
        account(given, inputs, tmp_path)
        [counts] = rows.read(tmp_path / "imported")
        return list(rows.read(tmp_path / "responses")), counts["theirs"]

    return joined


def test_each_prompt_gets_the_row_of_its_key_in_the_order_of_the_prompts(join):
    given = [
        {**ANSWER, "item": i, "template": t, "sample": s, "text": f"{i}{t}{s}"}
        for s in (1, 0)
        for t in (2, 1)
        for i in "ba"
    ]
    found, counts = join(*given, seeds=(7, 8))
    assert [row["text"] for row in found] == ["a10", "a11", "a20", "a21", "b10", "b11", "b20", "b21"]
    assert {(row["model"], row["imported"], row["finish"]) for row in found} == {("theirs", True, "imported")}
    assert (counts["rows"], counts["taken"], counts["missing"]) == (8, 8, 0)


def test_prompts_of_each_part_are_accounted_for_as_often_as_they_are_asked(tmp_path):
    for place, item in enumerate("ab"):
        (tmp_path / "prompts").mkdir(exist_ok=True)
        rows.write(tmp_path / "prompts" / rows.part_name(place), [{"item": item, "template": 1, "text": "?"}])
    given = [{**ANSWER, "item": item, "sample": sample} for item in "ab" for sample in (0, 1)]
    inputs = {"prompts": tmp_path / "prompts", "imported": write(tmp_path / "theirs.jsonl", *given)}
    account({"model": "theirs", "seeds": [0], "samples": [3, 1]}, inputs, tmp_path)
    [counts] = rows.read(tmp_path / "imported")
    assert (counts["theirs"]["taken"], counts["theirs"]["missing"]) == (3, 1)
    assert counts["theirs"]["refused"]["no_prompt"] == {"keys": 1, "first": ["b (template 1, sample 1)"]}


def test_a_row_keeps_the_fields_of_an_answer_and_no_others(join):
    more = {"finish": "stop", "usage": {"tokens": 3}, "reasoning": "so", "logprobs": [{"token": "4"}], "score": 1}
    found, _ = join({**ANSWER, **more, "model": "gpt", "imported": False, "sees_gold": True})
    said = {**ANSWER, **more, "model": "theirs", "imported": True}
    assert found[0] == {name: value for name, value in said.items() if name != "score"}


def test_a_prompt_without_a_row_is_an_error_row_and_no_empty_answer(join):
    found, counts = join(ANSWER, {**ANSWER, "item": "b", "text": ""})
    assert [row.get("error") for row in found] == [None, MISSING, None, MISSING]
    assert counts["missing"] == 2 and counts["taken"] == 2


def test_of_two_rows_for_one_prompt_neither_is_taken(join):
    found, counts = join(ANSWER, {**ANSWER, "text": "43"}, {**ANSWER, "template": 2})
    assert [row.get("error") for row in found] == [TWICE, None, MISSING, MISSING]
    assert found[0]["text"] == "" and counts["taken"] == 1
    assert counts["refused"]["twice"] == {"keys": 1, "first": ["a (template 1, sample 0)"]}


def test_rows_of_no_prompt_are_refused_counted_and_the_first_are_named(join):
    strange = [{**ANSWER, "item": f"x{number}"} for number in range(9)]
    _, counts = join(ANSWER, *strange, {**ANSWER, "template": 3}, {**ANSWER, "sample": 1})
    assert counts["refused"]["no_prompt"]["keys"] == 11 and counts["taken"] == 1
    assert counts["refused"]["no_prompt"]["first"][0] == "a (template 1, sample 1)"


def test_of_a_file_with_rows_by_several_models_those_of_one_are_taken(join):
    found, counts = join({**ANSWER, "model": "one"}, {**ANSWER, "model": "two", "text": "43"}, of="two")
    assert (found[0]["text"], counts["other_models"], counts["rows"]) == ("43", 1, 2)


def test_an_error_of_their_run_stays_one(join):
    found, counts = join({"item": "a", "template": 1, "sample": 0, "error": "timeout"})
    assert (found[0]["error"], found[0]["text"], counts["errors"]) == ("timeout", "", 1)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "this is not JSON"),
        ('{"item": "a", "item": "b"}', "a name stands twice"),
        ('{"usage": NaN}', "NaN is no number"),
        ("[" * 100_000, "this is not JSON"),
        ("\xff", "this is not JSON"),
        ("[1]", "a JSON object is needed"),
        ({"item": "a", "template": 1, "sample": 0}, "`text` is missing"),
        ({"item": "a", "sample": 0, "text": "x"}, "`template` is missing"),
        ({**ANSWER, "item": 7}, "`item` is not a text"),
        ({**ANSWER, "item": " "}, "`item` is not a text that is not empty"),
        ({**ANSWER, "template": "1"}, "`template` is not a whole number"),
        ({**ANSWER, "template": True}, "`template` is not a whole number"),
        ({**ANSWER, "sample": -1}, "`sample` is not a whole number"),
        ({**ANSWER, "sample": 0.0}, "`sample` is not a whole number"),
        ({**ANSWER, "text": ["x"]}, "`text` is not a text"),
        ({**ANSWER, "text": "\ud800"}, "no canonical JSON"),
        ({**ANSWER, "usage": {"tokens": "3"}}, "`usage` is not an object of whole numbers"),
        ({**ANSWER, "usage": {"tokens": 2**60}}, "no canonical JSON"),
        ({**ANSWER, "logprobs": {"a": 1}}, "`logprobs` is not a list of objects"),
        ({**ANSWER, "error": ""}, "`error` is not a text that is not empty"),
        ({**ANSWER, "error": {"code": 3}}, "`error` is not a text"),
    ],
)
def test_what_is_no_answer_is_named_by_its_line(tmp_path, join, line, what):
    with pytest.raises(InputError, match=what) as bad:
        join(ANSWER, line)
    assert bad.value.where == "the imported answers:2"
    with pytest.raises(InputError, match=what):
        gather_rows(tmp_path / "theirs.jsonl")


def test_a_line_that_is_too_long_is_refused_before_it_is_read_whole(tmp_path):
    with open(tmp_path / "long.jsonl", "wb") as file:
        file.truncate(MOST_LINE + 2)
    with pytest.raises(InputError, match="at most 64 MiB") as bad:
        list(read_imported_rows(tmp_path / "long.jsonl"))
    assert bad.value.where == "long.jsonl:1"


def test_a_folder_is_one_table_and_a_duplicate_key_names_both_files(tmp_path):
    write(tmp_path / "one.jsonl", {**ANSWER, "item": "b"}, "")
    (tmp_path / "more").mkdir()
    write(tmp_path / "more" / "two.jsonl", ANSWER, {**ANSWER, "model": "other"})
    write(tmp_path / "notes.txt", "no rows")
    assert [(row.get("model"), row["item"]) for row in gather_rows(tmp_path)] == [
        (None, "a"),
        (None, "b"),
        ("other", "a"),
    ]
    write(tmp_path / "three.jsonl", ANSWER)
    with pytest.raises(InputError, match=r"two rows are of a \(template 1, sample 0\)") as bad:
        gather_rows(tmp_path)
    assert bad.value.where == "more/two.jsonl:1 and three.jsonl:1"


def test_a_folder_or_a_file_without_rows_is_none(tmp_path):
    write(tmp_path / "none.jsonl", "", " ")
    for place in (tmp_path, tmp_path / "none.jsonl"):
        with pytest.raises(InputError, match="there are no rows"):
            gather_rows(place)


def test_settings_pin_rows_by_a_digest_or_by_a_file_of_the_project():
    assert settings_class({"provider": "imported"}) is ImportedSettings
    named = ImportedSettings(provider="imported", source="the run of 3 May, ../elsewhere", sha256="0" * 64)
    assert named.imported.sha256 == "0" * 64 and named.answer_params() == {}
    with pytest.raises(ValueError, match="stays inside the project"):
        ImportedSettings(provider="imported", source="../elsewhere.jsonl")
    assert named.unsupported({"reasoning_effort": "high"}) is None and named.stand_in is None
