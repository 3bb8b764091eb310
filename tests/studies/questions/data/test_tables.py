"""A person's file is read as it is written, whatever its separators and encoding; else its place is said."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies.questions.data.own_rows import CAPITALS, QA, made, refusal, texts
from support_examples import examples

CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20).filter(str.strip)


def quoted(rows: list[tuple[str, str]], **how: str) -> str:
    """Spell rows as Python's own writer of CSV does."""
    file = io.StringIO()
    csv.writer(file, **how).writerows([("question", "answer"), *rows])  # type: ignore[arg-type]
    return file.getvalue()


@examples(0.2)
@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8))
def test_every_cell_of_a_csv_comes_out_as_it_was_put_in(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("csv")
    for format, delimiter in (("csv", ","), ("tsv", "\t")):
        found = made(folder, quoted(rows, delimiter=delimiter), format=format)
        assert list(zip(texts(found.items), found.answers, strict=True)) == rows
    lines = "\n".join(json.dumps({"question": one, "answer": two}) for one, two in rows)
    assert texts(made(folder, lines, format="jsonl").items) == [one for one, _ in rows]


@pytest.mark.parametrize(
    "data",
    [
        CAPITALS.encode(),
        b"\xef\xbb\xbf" + CAPITALS.encode(),
        CAPITALS.replace("\n", "\r\n").encode(),
        CAPITALS.rstrip("\n").encode(),
        CAPITALS.replace("\n", "\n\n").encode(),
        b"\n\n" + CAPITALS.encode(),
    ],
)
def test_a_bom_other_line_ends_and_empty_lines_change_nothing(tmp_path: Path, data: bytes) -> None:
    found = made(tmp_path, data)
    assert found.answers == ["Paris", "Rome", "Tokyo"]
    assert texts(found.items)[0] == "Capital of France?"


def test_quotes_hold_separators_line_ends_and_quotes(tmp_path: Path) -> None:
    text = 'question,answer\r\n"one, ""two""\r\nthree",x\r\n'
    assert texts(made(tmp_path, text).items) == ['one, "two"\nthree']


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "cp1252", "latin-1", "gb18030", "shift-jis"])
def test_another_encoding_is_read_where_the_manifest_says_it(tmp_path: Path, encoding: str) -> None:
    text = "question,answer\nwhat is 'ue'?,{}\n".format("漢" if encoding in ("gb18030", "shift-jis") else "ü")
    found = made(tmp_path, text.encode(encoding), encoding=encoding)
    assert found.answers == [text[-2]]


def test_an_encoding_that_is_not_said_is_told_with_the_row(tmp_path: Path) -> None:
    rows = "".join(f"q{number},a\n" for number in range(3000))
    bad = refusal(tmp_path, f"question,answer\n{rows}Zürich?,a\n".encode("cp1252"))
    assert (bad.what, bad.where) == ("the file is not UTF-8", "data/d.csv, row 3001")
    assert "encoding: cp1252" in bad.next
    for wide in ("utf-16", "utf-32"):
        assert f"`encoding: {wide}`" in refusal(tmp_path, CAPITALS.encode(wide)).next


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("question,anwser\na,b\n", "its first line", "there is no column 'answer'"),
        ("question,answer,answer\na,b,c\n", "its first line", "the column 'answer' stands 2 times"),
        ("question,answer\na,b\na\n", "row 2", "the row has 1 cells, and there are 2 columns"),
        ("question,answer\na,b,c\n", "row 1", "the row has 3 cells, and there are 2 columns"),
        ('question,answer\na,b\n"a,b\n', "row 2", "the row is no well-formed CSV"),
        ('question,answer\na,"b"c\n', "row 1", "the row is no well-formed CSV"),
        (f"question,answer\na,b\na,{'x' * (1 << 20)}\n", "row 2", "the row has more than 1,048,576 characters"),
        ("", "its first line", "there is no column 'question'"),
        ("question,answer\n", "data/d.csv", "no row is left to ask"),
        ("question,answer\na,b\nc,\n", "row 2, column 'answer'", "the target is empty"),
        ("question,answer\na,b\n , c\n", "row 2, column 'question'", "the input is empty"),
    ],
)
def test_what_a_csv_must_not_hold_is_told_with_its_place(tmp_path: Path, text: str, where: str, what: str) -> None:
    bad = refusal(tmp_path, text)
    assert (bad.what, bad.where.removeprefix("data/d.csv, ")) == (what, where)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"question": "a", "answer": "b", "answer": "c"}', "a key stands twice"),
        ('{"question": "a", "answer": NaN}', "the line is no JSON"),
        ('{"question": "a"', "the line is no JSON"),
        ("[" * 100_000, "the line is no JSON"),
        ('["a"]', "the line holds no JSON object of at most 2,000 keys"),
        ('{"question": "a"}', "there is no column 'answer'"),
        ('{"question": "a", "answer": ["b"]}', "this is a list, and a text is asked for"),
        ('{"question": "a", "answer": "\\ud800"}', "this is no Unicode text: it holds half of a surrogate pair"),
        ('{"question": "a", "answer": null}', "the target is empty"),
        ('{"question": "a", "answer": ' + "9" * 5000 + "}", "the line is no JSON"),
    ],
)
def test_what_json_lines_must_not_hold_is_told_with_the_row(tmp_path: Path, line: str, what: str) -> None:
    bad = refusal(tmp_path, '{"question": "x", "answer": "y"}\n\n' + line + "\n", format="jsonl")
    assert bad.what == what
    assert bad.where.startswith("data/d.csv, row 3")


@pytest.mark.parametrize(
    ("value", "text"),
    [("0.10", "0.10"), ("1e5", "1e5"), ("7", "7"), ("true", "true"), ('{"b": 1, "a": 0.50}', '{"a": 0.5, "b": 1}')],
)
def test_values_of_json_become_the_texts_that_stand_there(tmp_path: Path, value: str, text: str) -> None:
    found = made(tmp_path, f'{{"question": "x", "answer": {value}}}', format="jsonl")
    assert found.answers == [text]


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl"])
def test_a_file_of_noise_is_refused_and_never_a_crash(tmp_path: Path, format: str) -> None:
    for seed in range(20):
        noise = bytes((seed * 31 + place * 17 + place * place) % 256 for place in range(3000))
        assert refusal(tmp_path, noise, QA, format=format).where
