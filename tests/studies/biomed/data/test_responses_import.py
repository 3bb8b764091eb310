"""The importer of published answers: files of one model or of several become rows, and what is odd is counted."""

import json
import time

import pytest
from support_biomed_data import question, written
from support_pace import soon

from harness.errors import InputError
from harness.models.providers.imported import read_imported_rows
from harness.studies.biomed.data.responses_import import normalise
from harness.studies.biomed.terms import FAILED

BLOCKED = f"{FAILED} for 'x' after 3 retries. Last error: Error in g response: HARM_CATEGORY_DANGEROUS_CONTENT HIGH"
LOST = f"{FAILED} for 'x' after 3 retries. Last error: Error in g response: 503"


def laid(folder, model, texts, **more):
    """Write a model's file as the responses stage does."""
    folder.mkdir(exist_ok=True, parents=True)
    table = [{**question(name), f"{model}_response": text, **more} for name, text in texts.items()]
    return written(folder / f"{model}_responses.csv", table)


def test_an_answer_becomes_a_row_of_the_provider(tmp_path):
    rows, _ = normalise(laid(tmp_path, "gpt-4o", {"Q5.1": "No, it is not.\nNot yet."}), {})
    assert rows == [{"item": "Q5.1", "template": 1, "model": "gpt-4o", "sample": 0, "text": "No, it is not.\nNot yet."}]


def test_the_provider_takes_every_row(tmp_path):
    rows, _ = normalise(laid(tmp_path, "m", {"Q5.1": "ü", "Q5.2": "", "Q5.3": LOST}), {})
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [row for _, row in read_imported_rows(file)] == rows


def test_a_folder_gives_the_answers_of_all_its_models(tmp_path):
    laid(tmp_path, "b", {"Q5.2": "x", "Q5.1": "y"})
    laid(tmp_path, "a", {"Q5.1": "z"})
    rows, counts = normalise(tmp_path, {})
    assert [(row["model"], row["item"]) for row in rows] == [("a", "Q5.1"), ("b", "Q5.1"), ("b", "Q5.2")]
    assert {name: count["prompts"] for name, count in counts.items()} == {"a": 1, "b": 2}


def test_the_folder_of_results_is_as_good_as_the_one_in_it(tmp_path):
    laid(tmp_path / "by_model", "a", {"Q5.1": "z"})
    assert [row["model"] for row in normalise(tmp_path, {})[0]] == ["a"]


def test_one_file_may_hold_several_models(tmp_path):
    file = written(tmp_path / "compiled.csv", [{**question("Q5.1"), "a_response": "x", "b_response": "y"}])
    assert [(row["model"], row["text"]) for row in normalise(file, {})[0]] == [("a", "x"), ("b", "y")]


def test_failed_requests_stay_texts_and_are_counted(tmp_path):
    rows, counts = normalise(laid(tmp_path, "g", {"Q5.1": LOST, "Q5.2": BLOCKED, "Q5.3": "Error in"}), {})
    assert [row["text"] for row in rows] == [LOST, BLOCKED, "Error in"]
    assert not any("error" in row for row in rows)
    assert (counts["g"]["failed"], counts["g"]["blocked"]) == (2, 1)


def test_an_empty_cell_is_an_empty_text_and_nan_a_word(tmp_path):
    rows, counts = normalise(laid(tmp_path, "m", {"Q5.1": "", "Q5.2": "nan", "Q5.3": "  "}), {})
    assert [row["text"] for row in rows] == ["", "nan", "  "]
    assert counts["m"]["blank"] == 2


def test_grades_in_a_file_are_counted_and_left_out(tmp_path):
    rows, counts = normalise(laid(tmp_path, "m", {"Q5.1": "x", "Q5.2": "y"}, m_BioScore="1.0", m_BLEU="0"), {})
    assert counts["m"]["grades"] == 2
    assert {"item", "template", "model", "sample", "text"} == {*rows[0]}


def test_a_uuid_that_stands_twice_is_refused_by_file_row_and_column(tmp_path):
    table = [{**question("Q5.1"), "m_response": "x"}] * 2
    with pytest.raises(InputError, match="earlier row") as bad:
        normalise(written(tmp_path / "m_responses.csv", table), {})
    assert bad.value.where == "m_responses.csv, row 2, column `uuid`"


def test_a_missing_uuid_is_refused(tmp_path):
    with pytest.raises(InputError, match="uuid is missing"):
        normalise(laid(tmp_path, "m", {" ": "x"}), {})


def test_a_model_in_two_files_is_refused(tmp_path):
    laid(tmp_path, "m", {"Q5.1": "x"}).rename(tmp_path / "again_responses.csv")
    laid(tmp_path, "m", {"Q5.2": "x"})
    with pytest.raises(InputError, match="in an earlier file too"):
        normalise(tmp_path, {})


@pytest.mark.parametrize("how", [{"encoding": "utf-8-sig"}, {"end": "\r\n"}])
def test_a_byte_order_mark_or_crlf_changes_nothing(tmp_path, how):
    table = [{**question("Q5.1"), "m_response": "one\r\ntwo"}]
    [row] = normalise(written(tmp_path / "m_responses.csv", table, **how), {})[0]
    assert (row["item"], row["text"]) == ("Q5.1", "one\r\ntwo")


def test_a_file_in_another_encoding_is_refused(tmp_path):
    table = [{**question("Q5.1"), "m_response": "ü"}]
    with pytest.raises(InputError, match="not UTF-8"):
        normalise(written(tmp_path / "m_responses.csv", table, encoding="latin-1"), {})


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no rows"),
        ("uuid,m_response\n", "no rows"),
        ("uuid,question\na,b\n", "no column is called"),
        ("uuid,_response\na,b\n", "no column is called"),
        ("id,m_response\na,b\n", "`uuid` is missing"),
        ("uuid,m_response,m_response\na,b,c\n", "stands twice"),
        ('uuid,m_response\na,"b\n', "no well-formed CSV"),
    ],
)
def test_what_is_no_file_of_answers_is_refused(tmp_path, text, what):
    (tmp_path / "m_responses.csv").write_text(text)
    with pytest.raises(InputError, match=what):
        normalise(tmp_path, {})


def test_a_folder_without_answers_and_a_path_to_nothing_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"no file \*_responses.csv"):
        normalise(tmp_path, {})
    with pytest.raises(InputError, match="cannot be read"):
        normalise(tmp_path / "m_responses.csv", {})


def test_a_link_in_a_folder_is_no_file_of_answers(tmp_path):
    away = laid(tmp_path / "away", "m", {"Q5.1": "x"})
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / away.name).symlink_to(away)
    with pytest.raises(InputError, match="no file"):
        normalise(tmp_path / "here", {})


def test_names_of_columns_are_not_taken(tmp_path):
    with pytest.raises(InputError, match="names of their own"):
        normalise(tmp_path, {"uuid": "id"})


def test_an_endless_answer_is_refused_by_its_row_and_soon(tmp_path):
    file, begun = laid(tmp_path, "m", {"Q5.1": "x", "Q5.2": "y" * 5_000_000}), time.process_time()
    with pytest.raises(InputError, match="too long") as bad:
        normalise(file, {})
    assert bad.value.where == "m_responses.csv, row 2"
    assert soon(time.process_time() - begun, 1)
