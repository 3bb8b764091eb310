"""The verbs of tapes as a person or a script uses them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import error_of
from support_inside import inner_data, inside
from support_tape import answer, answers, body, record

from harness.models.tape.tape import Tape, request_digest


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def exchange(text: str = "a", said: str = "1", **more: Any) -> dict[str, Any]:
    return {"request": body(text), "response": json.loads(answer(said)), **more}


def test_ls_counts_by_model_and_names_the_tape(tmp_path: Path) -> None:
    folder = record(tmp_path / "tape", ["a", "b", "c"])
    said = inner_data("tape", "ls", "tape", cwd=tmp_path)
    [model] = said["models"]
    assert (model["provider"], model["model"], model["exchanges"]) == ("openai", "gpt-4-0613", 3)
    assert model["first"] <= model["last"] and model["bytes"] == sum(len(answer(text)) for text in "abc")
    assert said["digest"] == Tape.open(folder).digest() and said["exchanges"] == 3
    assert "gpt-4-0613" in inside("tape", "ls", "tape", cwd=tmp_path, check=0).stdout
    (tmp_path / "empty").mkdir()
    assert "empty" in inside("tape", "ls", "empty", cwd=tmp_path, check=0).stdout


def test_tape_verify_names_segment_and_line_of_damage_and_exits_1(tmp_path: Path) -> None:
    folder = record(tmp_path / "tape", ["a", "b", "c"])
    assert "sound" in inside("tape", "verify", "tape", cwd=tmp_path, check=0).stdout
    path = folder / "segment-00000.jsonl"
    path.write_bytes(path.read_bytes() + b'{"at":')
    assert inner_data("tape", "verify", "tape", cwd=tmp_path)["torn"].startswith("segment-00000.jsonl line 4")
    path.write_bytes(path.read_bytes().replace(b'"content":"b"', b'"content":"B"'))
    said = inner_data("tape", "verify", "tape", cwd=tmp_path, check=1)
    assert said["verdict"] == "disagreed"
    assert [(flaw["file"], flaw["line"]) for flaw in said["flaws"]] == [("segment-00000.jsonl", 2)]
    assert "segment-00000.jsonl  2" in inside("tape", "verify", "tape", cwd=tmp_path, check=1).stdout


def test_import_tapes_what_a_file_holds_and_again_adds_nothing(tmp_path: Path) -> None:
    other = {"request": {"model": "claude"}, "response": {"stop_reason": "end_turn"}, "repeat": 4}
    lines(tmp_path / "f.jsonl", exchange("a", "1"), exchange("b", "2"), exchange("a", "3"), other)
    words = ("tape", "import", "f.jsonl", "tape", "--provider", "openai")
    assert inner_data(*words, cwd=tmp_path) == {"read": 4, "added": 4, "known": 0}
    size = (tmp_path / "tape" / "segment-00000.jsonl").stat().st_size
    assert inner_data(*words, cwd=tmp_path) == {"read": 4, "added": 0, "known": 4}
    assert (tmp_path / "tape" / "segment-00000.jsonl").stat().st_size == size
    [one] = answers(tmp_path / "tape", ["a"], repeat=1)
    assert one and json.loads(one) == json.loads(answer("3"))
    assert Tape.open(tmp_path / "tape").find(request_digest("openai", {"model": "claude"}), 4)
    assert "4 exchanges read: 0 taped" in inside(*words, cwd=tmp_path, check=0).stdout


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "not a line of JSON"), ("", "not a line of JSON"), ("[" * 100_000, "not a line of JSON"),
        ("[]", "no exchange"), ({"request": {}}, "no exchange"),
        (exchange(more=1), "no field 'more'"), (exchange(repeat=-1), "repeat"), (exchange(repeat=True), "repeat"),
        ('{"request": {}, "request": {}, "response": {}}', "twice"), ({"request": {}, "response": {"x": 1}}, "neither"),
        ({"request": {}, "response": {"error": {"code": 429}}}, "it is an error"),
        ({"request": {}, "response": {"choices": [{"finish_reason": None}]}}, "no finish_reason"),
        ({"request": {}, "response": {"choices": []}}, "neither"),
        ({"request": {"api_key": "sk-planted"}, "response": {"stop_reason": "x"}}, "looks like a key"),
        ('{"request": {"x": "\\ud800"}, "response": {"stop_reason": "x"}}', "canonical"),
        ('{"request": {"x": NaN}, "response": {"stop_reason": "x"}}', "canonical"),
    ],
)  # fmt: skip
def test_an_import_error_names_the_line_and_nothing_is_taped(row: Any, said: str, tmp_path: Path) -> None:
    lines(tmp_path / "f.jsonl", exchange("a"), row, exchange("b"))
    done = inside("tape", "import", "f.jsonl", "tape", "--provider", "openai", "--json", cwd=tmp_path, check=2)
    error = error_of(done)
    assert said in error["what"] and error["where"] == "f.jsonl:2" and error["next"]
    assert not (tmp_path / "tape").exists() and "sk-planted" not in done.stderr


def test_an_answer_that_contradicts_the_tape_is_refused_with_its_line(tmp_path: Path) -> None:
    record(tmp_path / "tape", ["a"])
    lines(tmp_path / "f.jsonl", exchange("b"), exchange("a", "another"))
    done = inside("tape", "import", "f.jsonl", "tape", "--provider", "openai", "--json", cwd=tmp_path, check=2)
    assert error_of(done)["where"] == "f.jsonl:2" and "another answer" in done.stderr
    assert answers(tmp_path / "tape", ["a"]) == [answer("a")]


def test_a_tape_or_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    for words in (("ls", "no"), ("verify", "no"), ("import", "no.jsonl", "tape", "--provider", "p")):
        error = error_of(inside("tape", *words, "--json", cwd=tmp_path, check=2))
        assert error["what"] and error["where"].startswith("no") and error["next"]
    assert not (tmp_path / "no").exists() and not (tmp_path / "tape").exists()
    assert "verify" in inside("tape", cwd=tmp_path, check=0).stdout
    done = inside("tape", "import", "f.jsonl", cwd=tmp_path, check=2)
    assert "harness tape import --help" in done.stderr
