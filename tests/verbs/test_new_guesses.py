"""What the columns of a person's file are is told from their names, then from their cells, and never by chance."""

from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.verbs.question_sources import FileSample, guess_fields

NONE: dict[str, list[str]] = {}


def sample(columns: str, *rows: str) -> FileSample:
    names = columns.split(",")
    return FileSample.of("mine.csv", [dict(zip(names, row.split(","), strict=True)) for row in rows])


@pytest.mark.parametrize(
    ("columns", "row", "meant"),
    [
        ("question,answer", "How many?,3", {"input": ["question"], "target": ["answer"]}),
        ("Prompt,GOLD,Topic", "Say it,it,a", {"input": ["Prompt"], "target": ["GOLD"], "group": ["Topic"]}),
        ("text,label", "so good,yes", {"input": ["text"], "target": ["label"]}),
        ("qid,Question Text,Ground Truth", "7,Why?,so",
         {"id": ["qid"], "input": ["Question Text"], "target": ["Ground Truth"]}),
        ("question,A,B,C,D,answer", "Which?,p,q,r,s,B",
         {"input": ["question"], "target": ["answer"], "options": ["A", "B", "C", "D"]}),
        ("question,option_1,option_2,correct", "Which?,p,q,1",
         {"input": ["question"], "target": ["correct"], "options": ["option_1", "option_2"]}),
        ("question,Choice B,Choice A,label", "Which?,q,p,A",
         {"input": ["question"], "target": ["label"], "options": ["Choice A", "Choice B"]}),
        ("passage,question,answer", "Long ago.,When?,long ago",
         {"input": ["question"], "context": ["passage"], "target": ["answer"]}),
        ("frage,antwort", "Wer ist da?,ich", {"input": ["frage"], "target": ["antwort"]}),
        ("q,a", "Where?,here", {"input": ["q"], "target": ["a"]}),
    ],
)  # fmt: skip
def test_columns_are_known_by_their_names(columns: str, row: str, meant: dict[str, list[str]]) -> None:
    found = guess_fields(sample(columns, row), NONE)
    assert {what: list(one.columns) for what, one in found.said.items()} == meant
    assert all(one.why for one in found.said.values())


@pytest.mark.parametrize(
    ("columns", "row", "word"),
    [
        ("left,right", "one,two", "which column is the input"),
        ("one,two,three", "Is it?,Was it?,no", "which column is the input"),
        ("question,reply,remark", "Is it?,no,so so", "which column is the target"),
        ("question,Question,answer", "Is it?,Was it?,no", "'question', 'Question' may both be"),
        ("question", "Is it?", "which column is the target"),
    ],
)
def test_what_cannot_be_told_is_refused_with_what_settles_it(columns: str, row: str, word: str) -> None:
    with pytest.raises(InputError) as refused:
        guess_fields(sample(columns, row), NONE)
    assert word in refused.value.what and refused.value.where == "mine.csv"
    assert "--input COLUMN --target COLUMN" in refused.value.next
    assert all(name in refused.value.what + refused.value.next for name in columns.split(","))


def test_columns_that_were_named_need_no_guess_and_must_be_there() -> None:
    here = sample("left,right,question", "one,two,three?")
    found = guess_fields(here, {"input": ["left"], "target": ["right"]})
    assert found.columns("input") == ("left",) and found.columns("target") == ("right",)
    with pytest.raises(InputError, match="no column 'up'"):
        guess_fields(here, {"input": ["up"]})


def test_cells_speak_against_a_name() -> None:
    """An id that stands twice is none; nor is a topic of which every row has another."""
    rows = [f"Is it {number}?,no,{number // 2},topic {number}" for number in range(100)]
    found = guess_fields(sample("question,answer,id,topic", *rows), NONE)
    assert set(found.said) == {"input", "target"}


def test_a_column_whose_short_cells_come_again_is_the_group() -> None:
    rows = [f"Is it {number}?,no {number},{'east' if number % 2 else 'west'}" for number in range(10)]
    found = guess_fields(sample("question,answer,side", *rows), NONE)
    assert found.columns("group") == ("side",) and "again" in found.said["group"].why


@pytest.mark.parametrize(
    ("values", "asked"),
    [(("train", "test"), "test"), (("train", "Validation"), "Validation"), (("a", "b"), ""), (("test", "test"), "")],
)
def test_of_splits_the_one_for_tests_is_asked(values: tuple[str, str], asked: str) -> None:
    rows = [f"Is it {number}?,no,{values[number % 2]}" for number in range(4)]
    assert guess_fields(sample("question,answer,split", *rows), NONE).split == asked


def test_lists_in_cells_are_the_options_of_a_choice() -> None:
    rows = [{"question": "Which?", "choices": ["p", "q"], "answer": 0} for _ in range(3)]
    assert guess_fields(FileSample.of("mine.jsonl", rows), NONE).columns("options") == ("choices",)
