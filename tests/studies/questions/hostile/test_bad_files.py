"""Files as people and spreadsheets write them, through the command line: read as they are meant, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from studies.questions.hostile.file_project import PLAIN, QUESTIONS, FileProject
from support_draws import drawn

ROW = "What is the capital of France?,Paris\n"
READ_ALIKE = {
    "a byte order mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "CRLF": PLAIN.replace("\n", "\r\n").encode(),
    "quotes": "".join(
        f'"{question}","{answer}"\n' for question, answer in [("question", "answer"), *QUESTIONS]
    ).encode(),
    "empty rows": PLAIN.replace("\n", "\n\n,\n").encode(),
    "no line break at the end": PLAIN.strip().encode(),
}


@pytest.mark.long
@pytest.mark.parametrize("form", READ_ALIKE)
def test_a_file_is_read_as_it_is_meant(tmp_path: Path, form: str) -> None:
    assert FileProject(tmp_path, READ_ALIKE[form]).asked() == QUESTIONS


@pytest.mark.long
def test_quotes_over_lines_are_one_cell_with_its_line_breaks(tmp_path: Path) -> None:
    text = 'question,answer\r\n"Which land,\r\n""the"" one?","Sol,\r\nthe sun"\r\n'
    assert FileProject(tmp_path, text).asked() == [('Which land,\n"the" one?', "Sol,\nthe sun")]


@pytest.mark.long
@pytest.mark.parametrize(
    ("codec", "said"), [("latin-1", "latin-1"), ("utf-16", "utf-16"), ("cp1252", "cp1252"), ("shift_jis", "shift-jis")]
)
def test_another_encoding_is_read_where_it_is_said_and_else_refused(tmp_path: Path, codec: str, said: str) -> None:
    word = "東京" if codec == "shift_jis" else "Zürich"
    project = FileProject(tmp_path, (PLAIN + f"The largest town?,{word}\n").encode(codec))
    error = project.refused()
    assert "mine.csv" in error["where"] and "encoding:" in error["next"]
    assert codec == "utf-16" or "row 3" in error["where"]
    assert project.write(more=f"encoding: {said}").asked()[-1] == ("The largest town?", word)


REFUSED = {
    "a missing column": (PLAIN.replace("answer", "reply"), "answer", "first line", "'reply'"),
    "a doubled column": ("question,answer,answer\nWho?,a,b\n", "stands 2 times", "first line", "rename"),
    "an empty target": (
        PLAIN + "What is the capital of Peru?,\n",
        "target is empty",
        "row 3, column 'answer'",
        "where",
    ),
    "a target of blanks": (PLAIN + "Peru?, \t \n", "target is empty", "row 3, column 'answer'", "fill it in"),
    "an empty question": (PLAIN + ",Lima\n", "input is empty", "row 3, column 'question'", "fill it in"),
    "a quote that is never closed": (PLAIN + '"Who?,Lima\n', "well-formed", "row 3", "quote"),
    "a quote inside of a cell": (PLAIN + '"Who"?,Lima\n', "well-formed", "row 3", "quote"),
    "a cell too many": (PLAIN + "Who?,Lima,Peru\n", "3 cells", "row 3", "quotes"),
    "a cell too few": (PLAIN + "Who?\n", "1 cell", "row 3", "quotes"),
    "no row": ("question,answer\n", "no row", "mine.csv", ""),
    "nothing": ("", "no column", "mine.csv", "empty"),
    "NUL bytes": ("\0" * 9000, "no column", "mine.csv", ""),
    "no table": ("\x89PNG\r\n\x1a\n" + "x" * 99, "no column", "mine.csv", ""),
}


@pytest.mark.long
@pytest.mark.parametrize("form", REFUSED)
def test_a_file_that_cannot_be_meant_is_refused_by_its_place(tmp_path: Path, form: str) -> None:
    data, what, where, advice = REFUSED[form]
    error = FileProject(tmp_path, data).refused()
    assert what in error["what"] and "mine.csv" in error["where"] and where in error["where"], error
    assert advice in error["next"], error


@pytest.mark.long
def test_doubled_ids_are_refused_with_both_rows(tmp_path: Path) -> None:
    project = FileProject(tmp_path, "key,question,answer\n7,Who?,a\n8,Why?,b\n7,When?,c\n")
    error = project.write(fields="{input: question, target: answer, id: key}").refused()
    assert "row 1" in error["what"] and "row 3, column 'key'" in error["where"]


@pytest.mark.long
def test_the_same_ids_in_two_files_are_two_items_each(tmp_path: Path) -> None:
    project = FileProject(tmp_path, "key,question,answer\n7,Who?,a\n8,Why?,b\n")
    fields = "{input: question, target: answer, id: key}"
    more = f"}}, other: {{file: data/mine.csv, fields: {fields}"
    ran = project.write(fields=fields, more=more).run()
    assert len({row["id"] for row in project.rows(ran, "items")}) == 4
    assert [line["n"] for line in ran["runs"][0]["scores"]] == [2, 2]


@pytest.mark.long
@pytest.mark.parametrize("name", ["\x1b[31mred\x1b[0m", "a\nb", "x" * 201, "\u202eabc"])
def test_an_id_that_no_line_can_hold_is_refused(tmp_path: Path, name: str) -> None:
    project = FileProject(tmp_path, f'key,question,answer\n"{name}",Who?,a\n')
    error = project.write(fields="{input: question, target: answer, id: key}").refused()
    assert "row 1, column 'key'" in error["where"] and name not in str(error)


JSONL = {
    "no JSON": ('{"question": "Who?", "answer": "x"}\n{"question":\n', "row 2"),
    "no object": ('["question", "answer"]\n', "row 1"),
    "a key twice": ('{"question": "Who?", "answer": "x", "answer": "y"}\n', "row 1"),
    "half of a surrogate pair": ('{"question": "\\ud800", "answer": "x"}\n', "row 1, column 'question'"),
    "a list where a text is asked for": ('{"question": "Who?", "answer": ["x"]}\n', "row 1, column 'answer'"),
    "brackets without end": ('{"question": ' + "[" * 100_000 + "\n", "row 1"),
    "a field that lacks": ('{"question": "Who?", "answer": "x"}\n{"question": "Why?"}\n', "row 2"),
    "a null": ('{"question": "Who?", "answer": null}\n', "row 1, column 'answer'"),
    "NaN": ('{"question": "Who?", "answer": NaN}\n', "row 1"),
}


@pytest.mark.long
@pytest.mark.parametrize("form", JSONL)
def test_bad_json_lines_are_refused_by_row(tmp_path: Path, form: str) -> None:
    data, where = JSONL[form]
    error = FileProject(tmp_path, data, "mine.jsonl").refused()
    assert "mine.jsonl" in error["where"] and where in error["where"], error


@pytest.mark.long
def test_no_message_quotes_a_cell(tmp_path: Path) -> None:
    secret = "The-secret-answer"
    for data in drawn([f"{PLAIN}Who?,{secret},{secret}\n", f'{PLAIN}"{secret}"?,x\n'], 1, 2):
        error = FileProject(tmp_path, data).refused()
        assert secret not in str(error)


def test_a_file_that_changed_since_it_was_locked_is_named(tmp_path: Path) -> None:
    project = FileProject(tmp_path)
    project.lock()
    project.path.write_text(PLAIN.replace("Rome", "Milan"))
    error = project.refused("run")
    assert "mine.csv" in str(error) and "harness lock" in error["next"]


def test_a_file_outside_of_the_project_is_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "secret.csv"
    outside.write_text(PLAIN)
    project = FileProject(tmp_path / "project")
    project.path.unlink()
    project.path.symlink_to(outside)
    assert "mine.csv" in str(project.refused())
    project.file = "../../secret.csv"
    assert "q.yaml" in project.write().refused()["where"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", drawn(["folder", "nothing there"], 1, 2))
def test_what_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    project = FileProject(tmp_path)
    project.path.unlink()
    if kind == "folder":
        project.path.mkdir()
    assert "mine.csv" in str(project.refused())
