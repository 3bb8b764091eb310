"""A wording names columns in braces and nothing else: no attribute, no answer, no format; other braces are braces."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_cases import each_of

from harness.errors import InputError
from harness.studies.questions.asking.rendering import fill, read_wordings
from harness.studies.questions.asking.wordings import Known, wordings, words

FIELDS = {
    "input": ["question", "Some context"], "target": "gold", "accepted": "also", "group": "topic",
    "options": ["a", "b", "c"], "show": ["größe"], "id": "key", "cluster": "paper",
}  # fmt: skip
KNOWN = Known.of(FIELDS)


@each_of(
    ("text", "names"),
    [
        ("{question} {Some context} {topic} {a} {größe} {key}", "question|Some context|topic|a|größe|key"),
        ("{options}{shots}{question}", "options|shots|question"),
        ("plain", ""),
        ('{"a": 1} {} {1} {-} { question } \\frac{1}{2} {a b} {:>10} {a, b}', ""),
        ("{{question}} {{nothing}}", ""),
        ("{{{question}}}", "question"),
        ("{{{nothing at all}}}", ""),
    ],
)
def test_names_of_columns_are_found_and_other_braces_stay(text: str, names: str) -> None:
    found = words(text, KNOWN, "prompts")
    assert "|".join(found.names) == names
    if not names and "{{" not in text:
        assert found.pieces == (text,)


def test_braces_written_twice_are_the_text_with_one() -> None:
    assert words("{{question}} {{x}} {{ 1 }}", KNOWN, "p").pieces == ("{question} {x} {{ 1 }}",)


@each_of(
    ("text", "said"),
    [
        ("{gold}", "the target"),
        ("Answer {also}", "the accepted"),
        ("{question.__class__}", "reaches into"),
        ("{question[0]}", "reaches into"),
        ("{question!r}", "reaches into"),
        ("{x .y}", "reaches into"),
        ("{paper}", "names no column that is shown"),
        ("{answer}", "names no column that is shown"),
        ("{__import__}", "names no column that is shown"),
        ("{self}", "names no column that is shown"),
    ],
)
def test_what_a_wording_may_not_show_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        words(text, KNOWN, "prompts.text")
    assert error.value.next
    assert error.value.where == "prompts.text"


def test_an_example_may_show_its_answer_and_no_more() -> None:
    for text in ("{question} {answer}", "{question} {gold}"):
        assert words(text, KNOWN, "p", example=True).names == ("question", "answer")
    for text in ("{also}", "{shots}"):
        with pytest.raises(InputError):
            words(text, KNOWN, "p", example=True)


def test_names_with_a_meaning_of_their_own_are_not_taken_from_columns() -> None:
    assert words("{options}", Known.of({"input": "q", "options": "options"}), "p").names == ("options",)
    for fields, text in (
        ({"input": "options"}, "{options}"),
        ({"input": "shots"}, "{shots}"),
        ({"input": "q"}, "{options}"),
    ):
        with pytest.raises(InputError):
            words(text, Known.of(fields), "p")


def test_a_million_braces_are_text() -> None:
    for text in ("{" * 1_000_000, "}" * 1_000_000, "{}" * 500_000, "{{" * 500_000 + "}}", "{a " * 300_000):
        assert "".join(words(text, KNOWN, "p").pieces) == text


@pytest.mark.long
@given(st.text(st.sampled_from("{}ab.[]!:q \n"), max_size=60), st.text(max_size=20))
def test_no_cell_is_ever_read_as_a_wording(text: str, cell: str) -> None:
    known = Known.of({"input": ["a", "b"]})
    try:
        found = words(text, known, "p")
    except InputError:
        return
    filled = fill(found, {"a": "{b}" + cell, "b": "B"})
    assert filled == "".join("{b}" + cell if piece == "a" and place % 2 else "B" if place % 2 else piece
                             for place, piece in enumerate(found.pieces))  # fmt: skip


NO_TURNS: list[Any] = [
    [], "x", [{"assistant": "x"}], [{"tool": "x"}], [{"user": "x", "system": "y"}], [{"user": "x"}, {"user": "y"}],
    [{"user": "x"}, {"system": "y"}], [{"user": "x"}, {"assistant": "y"}],
]  # fmt: skip


@each_of(
    "row",
    [
        {"text": "x"}, {"id": 0}, {"id": -1, "text": "x"}, {"id": True, "text": "x"}, {"id": 0, "text": ""},
        {"id": 0, "text": " "}, {"id": 0, "text": 1}, {"id": 0, "text": "x", "more": 1}, [], None,
        {"id": 0, "text": "x" * 100_001}, {"id": 0, "text": "{shots}{shots}"}, {"id": 0, "text": "x", "turns": []},
        *({"id": 0, "turns": turns} for turns in NO_TURNS),
        {"id": 0, "turns": [{"user": "{question}"}], "shot": "{question}"},
    ],
)  # fmt: skip
def test_what_is_no_wording_is_refused(row: Any) -> None:
    with pytest.raises(InputError) as error:
        wordings([row], KNOWN, "prompts")
    assert error.value.where == "prompts.0" and error.value.next


def test_wordings_are_told_apart_and_lines_of_a_file_named() -> None:
    with pytest.raises(InputError, match="same id"):
        wordings([{"id": 1, "text": "x"}, {"id": 1, "text": "y"}], KNOWN, "prompts")
    with pytest.raises(InputError, match="no wording"):
        wordings([], KNOWN, "prompts")
    assert read_wordings(b'\xef\xbb\xbf{"id": 0}\r\n\n{"id": 1}', "f") == [{"id": 0}, {"id": 1}]
    for line in (b"{", b"\xff", b"[" * 100_000):
        with pytest.raises(InputError) as error:
            read_wordings(b'{"id": 0}\n' + line, "f.jsonl")
        assert error.value.where == "f.jsonl:2"
