"""A first manifest is written from a file of questions, reads back as what is meant, and is locked where it lies."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from studies.questions.data.handmade_parquet import Claims
from support import data_of, error_of, harness
from support_draws import drawn

from harness.errors import InputError
from harness.manifest.load import parse_manifest
from harness.verbs.question_sources import FileSample, guess_fields
from harness.verbs.starting import FirstManifest, write_manifest

MODELS = {"oracle": {"provider": "baseline", "behaviour": "oracle"}}
CAPITALS = "question,answer,continent\nOf France?,Paris,Europe\nOf Italy?,Rome,Europe\nOf Peru?,Lima,America\n"
WIDE = b",".join(b"c%d" % at for at in range(3000)) + b"\n1" + b"," * 2999 + b"\n"


def written(rows: list[dict[str, Any]], **given: list[str]) -> tuple[str, Any]:
    """Write the manifest of some rows; gives its text and what it is read as."""
    sample = FileSample.of("mine.csv", rows)
    first = FirstManifest(
        "mine", "harness new mine", "mine.csv", sample, guess_fields(sample, given), MODELS, "Who is asked."
    )
    text = write_manifest(first)
    return text, parse_manifest(text.encode(), "mine.yaml")[0].intent()


@pytest.mark.parametrize(
    ("row", "score", "asked"),
    [
        ({"question": "Which?", "answer": "Paris"}, ["exact", "match"], "Question: {question}\nAnswer:"),
        ({"problem": "6 x 7", "answer": "42"}, ["number", "exact"], "Question: {problem}\nAnswer:"),
        ({"prompt": "Say it.", "target": "it"}, ["exact", "match"], "{prompt}\nAnswer:"),
        ({"question": "Why?", "answer": "so and so and so and so"}, ["f1", "match"], "Question: {question}\nAnswer:"),
        ({"question": "Which?", "answer": '{"a": [1]}'}, ["json"], "Question: {question}\nAnswer:"),
        ({"text": "Good!", "label": "yes"}, ["match", "exact"], "Text: {text}\nAnswer with one of: yes.\nAnswer:"),
        ({"passage": "Ago.", "question": "When?", "answer": "ago"}, ["exact", "match"],
         "{passage}\n\nQuestion: {question}\nAnswer:"),
        ({"question": "Which?", "A": "p", "B": "q", "answer": "B"}, [{"choice": {"from": "options", "by": "letter"}}],
         "Question: {question}\n{options}\nAnswer with the letter of the right option.\nAnswer:"),
    ],
)  # fmt: skip
def test_scorers_and_wording_follow_from_the_rows(row: dict[str, str], score: list[Any], asked: str) -> None:
    _, meant = written([row, row])
    assert meant["settings"]["score"] == score
    assert meant["prompts"]["text"] == asked


@pytest.mark.parametrize("name", ["a: b", "# not a comment", "null", "- x", "'", '"', "a, b", " x ", "*a", "[q]", "y"])
def test_any_name_of_a_column_is_read_back_as_it_is(name: str) -> None:
    _, meant = written([{name: "Which?", "answer": "x"}], input=[name])
    assert meant["datasets"]["mine"]["fields"]["input"] == name


@pytest.mark.parametrize("name", ["", "a\nb", "é\u2028x", "{x}", "x" * 201])
def test_a_column_that_no_manifest_could_name_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="cannot name the column"):
        written([{name: "Which?", "answer": "x"}], input=[name])


def test_no_cell_or_name_ends_a_comment() -> None:
    text, meant = written([{"question": "Which?", "answer": "x", "evil\nharness: 1\n#": "1\n2"}])
    assert meant["harness"] == "2" and "\nharness: 1" not in text


def test_a_line_without_its_sign_of_a_comment_adds_the_page() -> None:
    text, meant = written([{"question": "Which?", "answer": "x"}])
    assert "report.html" not in meant["outputs"] and "\n# outputs: {report.html: exact}\n" in text
    more = parse_manifest(text.replace("# outputs: ", "outputs: ").encode(), "mine.yaml")[0].intent()
    assert more["outputs"] == {"report.html": "exact"}


def test_outside_any_project_one_is_made_and_the_next_command_runs(tmp_path: Path) -> None:
    (tmp_path / "capitals.csv").write_text(CAPITALS)
    words = ["new", "capitals", "--from", "capitals.csv", "-m", "oracle=baseline/oracle", "-m", "baseline/echo"]
    done = data_of(*words, cwd=tmp_path)
    assert (done["made_project"], done["file"], done["copied"], done["rows"]) == (True, "capitals.csv", False, 3)
    assert done["models"] == ["oracle", "echo"] and done["unresolved"] == {}
    assert done["next"] == "harness run manifests/capitals.yaml"
    assert {"input: 'question' (by its name)", "target: 'answer' (by its name)"} <= set(done["guesses"])
    lock = json.loads((tmp_path / "lockfiles" / "manifests" / "capitals.lock.json").read_text())
    assert lock["pins"]["images"]["cpu"]["image_id"].startswith("sha256:")
    again = error_of(harness(*words, "--json", cwd=tmp_path, check=2))
    assert "already" in again["what"] and "--replace" in again["next"]
    assert data_of(*words, "--replace", cwd=tmp_path)["lock"] == done["lock"]


@pytest.mark.long
def test_a_file_from_elsewhere_is_copied_once(tmp_path: Path) -> None:
    project = tmp_path / "project"
    harness("init", project, cwd=tmp_path, check=0)
    (tmp_path / "capitals.csv").write_text(CAPITALS)
    words: list[str | Path] = ["new", "--from", tmp_path / "capitals.csv", "-m", "baseline/oracle"]
    assert data_of(*words, "one", cwd=project)["copied"]
    second = data_of(*words, "two", cwd=project / "manifests")
    assert (second["file"], second["copied"], second["next"]) == ("data/capitals.csv", False, "harness run two.yaml")
    (tmp_path / "capitals.csv").write_text(CAPITALS + "Of Cuba?,Havana,America\n")
    refused = error_of(harness(*words, "three", "--json", cwd=project, check=2))
    assert "another file of that name" in refused["what"]
    assert not (project / "manifests" / "three.yaml").exists()


REFUSED = [
    ("mine", "mine.csv", b"left,right\n1,2\n", "which column is the input"),
    ("mine", "mine.csv", b"question;answer\nWhich?;x\n", "one column"),
    ("mine", "mine.csv", b"question\tanswer\nWhich?\tx\n", "one column"),
    ("mine", "mine.csv", b"question,answer\n", "no rows"),
    ("mine", "mine.csv", b"", "no rows"),
    ("mine", "mine.csv", b"question,answer\nWhich?,caf\xe9\n", "not UTF-8"),
    ("mine", "mine.csv", b"question,answer\n" + b"x" * (3 << 20) + b",y\n", "more than 1,048,576 characters"),
    ("mine", "mine.csv", WIDE, "2,000 columns"),
    ("mine", "mine.jsonl", b'{"question": 1, "question": 2}\n', "a key stands twice"),
    ("mine", "mine.parquet", b"PAR1PAR1", "no well-formed Parquet"),
    ("mine", "mine.parquet", Claims(rows=2**40).file(), "no well-formed Parquet"),
    ("mine", "mine.parquet", Claims(codec=6, unpacked=2**31 - 1).file(), "damaged, or takes too much memory"),
    ("mine", "mine.txt", b"question,answer\nWhich?,x\n", "not told by its name"),
    ("mine", "other.csv", b"question,answer\nWhich?,x\n", "no such file"),
    ("My Name", "mine.csv", b"question,answer\nWhich?,x\n", "no name of a manifest"),
]


@pytest.mark.parametrize(("name", "file", "data", "what"), drawn(REFUSED, 4, len(REFUSED)))
def test_what_is_refused_leaves_nothing_behind(tmp_path: Path, name: str, file: str, data: bytes, what: str) -> None:
    if file.endswith(".parquet") and not find_spec("polars"):
        pytest.skip("polars is not installed here")
    (tmp_path / file).write_bytes(data)
    asked = "mine.csv" if file == "other.csv" else file
    done = harness("new", name, "--from", asked, "--json", cwd=tmp_path, check=2)
    refused = error_of(done)
    assert what in refused["what"] and refused["next"] and "panicked" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [file]


@pytest.mark.parametrize("form", ["tsv", "jsonl", pytest.param("parquet", marks=pytest.mark.long)])
def test_files_of_other_formats_are_read_too(tmp_path: Path, form: str) -> None:
    rows = [{"question": f"Is it {one}?", "answer": one, "options": ["x", "y"]} for one in "xy"]
    if form == "tsv":
        text = "question\tanswer\toption_a\toption_b\nWhich?\tx\tx\ty\nWhat?\ty\tx\ty\n"
        (tmp_path / "mine.tsv").write_text(text)
    elif form == "jsonl":
        (tmp_path / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        polars = pytest.importorskip("polars")
        polars.DataFrame(rows).write_parquet(tmp_path / "mine.parquet")
    done = data_of("new", "mine", "--from", f"mine.{form}", "-m", "baseline/oracle", cwd=tmp_path)
    assert done["rows"] == 2 and any(line.startswith("options: ") for line in done["guesses"])


@pytest.mark.long
def test_an_encoding_is_said_as_an_option(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_bytes(b"question,answer\nWhich?,caf\xe9\n")
    words = ["new", "mine", "--from", "mine.csv", "-m", "baseline/oracle"]
    assert "--encoding" in error_of(harness(*words, "--json", cwd=tmp_path, check=2))["next"]
    assert data_of(*words, "--encoding", "cp1252", cwd=tmp_path)["rows"] == 1
    assert "encoding: cp1252" in (tmp_path / "manifests" / "mine.yaml").read_text()


@pytest.mark.long
def test_a_row_that_cannot_be_locked_is_named_and_the_manifest_stays(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("question,answer\nWhich?,x\nWhat?,\n")
    words = ["new", "mine", "--from", "mine.csv", "-m", "baseline/oracle"]
    done = harness(*words, cwd=tmp_path, check=2)
    assert "mine.csv, row 2, column 'answer'" in done.stderr and "written and not locked" in done.stderr
    (tmp_path / "mine.csv").write_text("question,answer\nWhich?,x\nWhat?,y\n")
    harness("lock", "manifests/mine.yaml", cwd=tmp_path, check=0)
