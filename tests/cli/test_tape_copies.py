"""Tapes that leave their folder: written out and read back, put together, and redacted for others to see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import error_of, tree
from support_inside import inner_data, inside
from support_tape import answer, answers, body, record

from harness.models.tape.tape import Recorder, Tape, request_digest

ODD = [
    answer("plain"), b'{\n  "choices": [],\n  "id": "pretty"\n}\n', b'{"a":1,"b":[]}', b'{"half":"\\ud83d"}',
    b'{"n":1e400,"m":123456789012345678901}', b'{"a":1,"a":2}', b"\xff\x00 no text", b"[1,2]", '{"é":"ü"}'.encode(),
]  # fmt: skip
BETA = {"headers": {"anthropic-beta": "x-1"}, "path": "/v1/messages/count_tokens"}


def odd_tape(folder: Path) -> str:
    """Record answers whose bytes are easily lost, of two providers; gives the tape's digest."""
    with Recorder(folder) as recorder:
        for number, response in enumerate(ODD):
            recorder.add("openai", body(f"{number}", user="me", seed=1e21), number % 2, 200 + number % 2, response)
        recorder.add("anthropic", body("beta"), 0, 200, b'{"input_tokens":3}', BETA)
        recorder.add("anthropic", body("beta"), 0, 200, b'{"input_tokens":4}')
    with Tape.open(folder) as tape:
        return tape.digest()


def digest(folder: Path) -> str:
    with Tape.open(folder) as tape:
        return tape.digest()


def test_what_is_exported_is_imported_as_the_same_tape_byte_for_byte(tmp_path: Path) -> None:
    before = odd_tape(tmp_path / "tape")
    done = inner_data("tape", "export", "tape", "out.jsonl", cwd=tmp_path)
    assert done == {"file": "out.jsonl", "exchanges": 11, "digest": before}
    first = json.loads((tmp_path / "out.jsonl").read_bytes().splitlines()[0])
    assert first["response"] == json.loads(ODD[0]) and first["request"]["messages"][0]["content"] == "0"
    assert inner_data("tape", "import", "out.jsonl", "back", cwd=tmp_path) == {"read": 11, "added": 11, "known": 0}
    with Tape.open(tmp_path / "tape") as one, Tape.open(tmp_path / "back") as other:
        assert one.digest() == other.digest() == before and [*one.requests()] == [*other.requests()]
    assert inner_data("tape", "verify", "back", cwd=tmp_path)["verdict"] == "agreed"
    assert inner_data("tape", "import", "out.jsonl", "tape", cwd=tmp_path)["added"] == 0
    error = error_of(inside("tape", "export", "tape", "out.jsonl", "--json", cwd=tmp_path, check=2))
    assert error["where"] == "out.jsonl" and "already" in error["what"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"exact": '{"choices": [1]}'}, "does not say"), ({"exact": {"base64": "!"}}, "does not say"),
        ({"exact": ""}, "does not say"), ({"status": 500}, "`status`"), ({"at": "now"}, "`at`"),
        ({"redacted": "x"}, "`redacted`"), ({"headers": {"x-api-key": "sk-planted"}}, "looks like a key"),
        ({"headers": {"a": 1}}, "`headers`"), ({"provider": ""}, "the provider"), ({"path": 1}, "`path`"),
    ],
)  # fmt: skip
def test_an_exported_line_that_was_edited_is_refused_with_its_number(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    row = {"request": body(), "response": json.loads(answer()), "provider": "openai", "status": 200, **change}
    (tmp_path / "f.jsonl").write_text(json.dumps(row) + "\n")
    error = error_of(inside("tape", "import", "f.jsonl", "tape", "--json", cwd=tmp_path, check=2))
    assert said in error["what"] and error["where"] == "f.jsonl:1" and not (tmp_path / "tape").exists()


def test_a_merge_adds_what_is_not_there_and_again_nothing(tmp_path: Path) -> None:
    for name, texts in (("one", "ab"), ("two", "bc"), ("three", "cd")):
        record(tmp_path / name, texts)
    done = inner_data("tape", "merge", "all", "one", "two", "three", cwd=tmp_path)
    assert {name: done[name] for name in ("verdict", "read", "added", "known")} == {
        "verdict": "agreed", "read": 6, "added": 4, "known": 2,
    }  # fmt: skip
    assert answers(tmp_path / "all", "abcd") == [answer(text) for text in "abcd"]
    assert done["digest"] == digest(record(tmp_path / "whole", "abcd"))
    assert inner_data("tape", "merge", "all", "two", cwd=tmp_path)["added"] == 0
    text = inside("tape", "merge", "one", "three", cwd=tmp_path, check=0).stdout
    assert "2 exchanges read: 2 added" in text and answers(tmp_path / "one", "d") == [answer("d")]


def test_two_answers_to_one_asking_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    record(tmp_path / "one", "ab")
    with Recorder(tmp_path / "two") as recorder:
        recorder.add("openai", body("new"), 0, 200, answer("new"))
        recorder.add("openai", body("b"), 0, 200, answer("another"))
        recorder.add("openai", body("a"), 1, 200, answer("the next asking is none"))
    before = tree(tmp_path)
    for into, sources in (("one", ["two"]), ("none", ["one", "two"])):
        done = inner_data("tape", "merge", into, *sources, cwd=tmp_path, check=1)
        name = request_digest("openai", body("b"))
        assert done["conflicts"] == [{"request": name, "repeat": 0, "model": "gpt-4-0613", "tapes": ["one", "two"]}]
        assert (done["verdict"], done["conflicting"], done["added"]) == ("disagreed", 1, 0)
    said = inside("tape", "merge", "one", "two", cwd=tmp_path, check=1).stdout
    assert name[:12] in said and "nothing was written" in said and tree(tmp_path) == before


def test_a_redacted_tape_says_so_and_never_passes_for_the_original(tmp_path: Path) -> None:
    names = ["Ada Lovelace", "nobody", "call 5551234"]
    folder = record(tmp_path / "tape", names)
    with Recorder(folder) as recorder:
        recorder.add("openai", body("who", user="Ada"), 0, 200, b'{"Ada Lovelace": 5551234, "x": "caf\\u00e9 5551234"}')
    words = ("--match", "Ada( Lovelace)?", "--match", r"555\d+", "--json")
    done = json.loads(inside("tape", "redact", "tape", "out", *words, cwd=tmp_path, check=0).stdout)
    assert (done["exchanges"], done["redacted"], done["hits"]) == (4, 3, {"Ada( Lovelace)?": 2, r"555\d+": 2})
    assert done["original"] == digest(folder) != done["digest"] == digest(tmp_path / "out")
    kept = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    assert b"Ada" not in kept and b"5551234" not in kept and b"[redacted]" in kept
    said = inner_data("tape", "verify", "out", cwd=tmp_path)
    assert (said["verdict"], said["redacted"], said["exchanges"]) == ("agreed", 3, 4)
    assert "3 lines are redacted" in inside("tape", "verify", "out", cwd=tmp_path, check=0).stdout
    assert inner_data("tape", "ls", "out", cwd=tmp_path)["redacted"] == 3
    assert "redacted" not in inner_data("tape", "verify", "tape", cwd=tmp_path)
    assert answers(tmp_path / "out", [*names, "who"]) == [None, answer("nobody"), None, None]
    with Recorder(tmp_path / "beta") as recorder:
        recorder.add("anthropic", body("beta"), 0, 200, b'{"input_tokens":3}', BETA)
    for number, hides in enumerate((("--match", "x-1"), ("--field", "/headers/anthropic-beta"))):
        inside("tape", "redact", "beta", f"plain-{number}", *hides, cwd=tmp_path, check=0)
        assert all(b"x-1" not in path.read_bytes() for path in (tmp_path / f"plain-{number}").iterdir())
    marks = [line.taped.redacted for line in Tape.open(tmp_path / "out").lines()]
    assert marks == [line.own if mark else "" for line, mark in zip(Tape.open(folder).lines(), marks, strict=True)]


def test_a_pointer_is_redacted_and_redacted_tapes_survive_export(tmp_path: Path) -> None:
    folder = record(tmp_path / "tape", "ab")
    pointers = ("--field", "/response/choices/*/message/content", "--field", "/request/messages/0/content")
    inner_data("tape", "redact", "tape", "out", *pointers, cwd=tmp_path)
    for taped in Tape.open(tmp_path / "out").requests():
        assert taped.body["messages"] == [{"role": "user", "content": "[redacted]"}]
        assert json.loads(taped.response)["choices"][0]["message"]["content"] == "[redacted]" and taped.redacted
    inner_data("tape", "export", "out", "out.jsonl", cwd=tmp_path)
    inner_data("tape", "import", "out.jsonl", "back", cwd=tmp_path)
    assert digest(tmp_path / "back") == digest(tmp_path / "out") != digest(folder)
    assert inner_data("tape", "merge", "out", "tape", cwd=tmp_path)["added"] == 2
    assert answers(tmp_path / "out", "ab") == [answer("a"), answer("b")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no pattern"), (["--match", "("], "no regular expression"), (["--match", "x*"], "the empty text"),
        (["--match", "(?:Ada)++"], "misread"),
        (["--field", "messages"], "points nowhere"), (["--field", "/request"], "points nowhere"),
        (["--match", "a", "--match", "absent"], "'absent'"), (["--field", "/request/no"], "'/request/no'"),
    ],
)  # fmt: skip
def test_a_redaction_that_would_hide_nothing_is_refused_and_writes_nothing(
    words: list[str], said: str, tmp_path: Path
) -> None:
    record(tmp_path / "tape", "ab")
    error = error_of(inside("tape", "redact", "tape", "out", *words, "--json", cwd=tmp_path, check=2))
    assert said in error["what"] and error["next"] and not (tmp_path / "out").exists()


def test_a_redacted_tape_is_written_beside_nothing_else(tmp_path: Path) -> None:
    record(tmp_path / "tape", "ab")
    before = tree(tmp_path)
    error = error_of(inside("tape", "redact", "tape", "tape", "--match", "a", "--json", cwd=tmp_path, check=2))
    assert "new one" in error["what"] and error["where"] == "tape" and tree(tmp_path) == before


def test_nobody_can_lay_a_redacted_line_where_a_request_finds_it(tmp_path: Path) -> None:
    asked = request_digest("openai", body("a"))
    row = {"request": body("z"), "response": json.loads(answer("forged")), "status": 200, "redacted": asked}
    (tmp_path / "f.jsonl").write_text(json.dumps({**row, "provider": "openai"}) + "\n")
    inner_data("tape", "import", "f.jsonl", "tape", cwd=tmp_path)
    assert answers(tmp_path / "tape", ["a", "z"]) == [None, None] and len(Tape.open(tmp_path / "tape")) == 1
