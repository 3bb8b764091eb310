"""Columns become items, golds and options as the manifest maps them; draws keep examples and questions apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from studies.questions.data.own_rows import CAPITALS, QA, made, refusal, texts

CHOICE = "question,a,b,c,right,kind\nx,red,green,blue,{},k1\ny,one,two,three,{},k2\n"
OPTIONS = {"input": "question", "target": "right", "options": ["a", "b", "c"]}
MANY = "question,answer,split\n" + "".join(f"q{n},a{n},{'train' if n % 4 == 0 else 'test'}\n" for n in range(1, 41))


def test_items_tell_nothing_of_what_is_right_and_keep_the_files_order(tmp_path: Path) -> None:
    text = (
        'id,question,answer,also,topic,paper,note\nq9,Who?,Zed,Zee|Z,people,p1,n1\nq1,Where?,Ys,["Y|s"],places,p1,n2\n'
    )
    text = text.replace('["Y|s"]', '"[""Y|s""]"')
    fields = {**QA, "accepted": "also", "group": ["topic"], "cluster": "paper", "id": "id", "show": "note"}
    found = made(tmp_path, text, fields)
    assert found.items == [
        {"id": "d:q9", "task": "d", "input": {"question": "Who?", "note": "n1"}, "difficulty": None,
         "meta": {"row": 1, "group": {"topic": "people"}, "cluster": "p1"}},
        {"id": "d:q1", "task": "d", "input": {"question": "Where?", "note": "n2"}, "difficulty": None,
         "meta": {"row": 2, "group": {"topic": "places"}, "cluster": "p1"}},
    ]  # fmt: skip
    assert found.gold == [
        {"id": "d:q9", "gold": {"target": "Zed", "accepted": ["Zee", "Z"]}},
        {"id": "d:q1", "gold": {"target": "Ys", "accepted": ["Y|s"]}},
    ]
    assert [row["id"] for row in made(tmp_path).items] == ["d-000001", "d-000002", "d-000003"]


@pytest.mark.parametrize(("one", "two"), [("B", "c"), ("green", "three"), ("1", "2")])
def test_the_right_option_is_known_by_letter_text_or_number(tmp_path: Path, one: str, two: str) -> None:
    found = made(tmp_path, CHOICE.format(one, two), OPTIONS)
    assert found.answers == ["B", "C"]
    assert found.items[0]["options"] == {"A": "red", "B": "green", "C": "blue"}
    assert [row["gold"]["accepted"] for row in found.gold] == [["green"], ["three"]]


def test_targets_that_can_be_read_in_two_ways_are_refused_until_it_is_said(tmp_path: Path) -> None:
    text = "question,a,b,c,right\nx,0,1,2,1\ny,2,1,0,2\n"
    bad = refusal(tmp_path, text, OPTIONS)
    assert "text or as index" in bad.what and "`target_is: text`" in bad.next
    assert made(tmp_path, text, {**OPTIONS, "target_is": "index"}).answers == ["B", "C"]
    assert made(tmp_path, text, {**OPTIONS, "target_is": "text"}).answers == ["B", "A"]
    same = "question,a,b,c,right\nx,A,B,C,B\n"
    assert made(tmp_path, same, OPTIONS).answers == ["B"]


@pytest.mark.parametrize(("one", "two", "row"), [("D", "A", 1), ("B", "two", 2), ("3", "0", 1), ("red ", "TWO", 2)])
def test_a_target_that_is_no_option_is_told_with_its_row(tmp_path: Path, one: str, two: str, row: int) -> None:
    bad = refusal(tmp_path, CHOICE.format(one, two), OPTIONS)
    assert bad.where == f"data/d.csv, row {row}, column 'right'"


def test_options_may_be_fewer_in_a_row_or_stand_in_one_column_as_a_list(tmp_path: Path) -> None:
    text = "question,a,b,c,right\nx,red,green,,A\ny,one,two,three,C\n"
    assert [len(row["options"]) for row in made(tmp_path, text, OPTIONS).items] == [2, 3]
    fields = {**OPTIONS, "options": "choices"}
    text = json.dumps({"question": "x", "choices": ["u", "v"], "right": 1})
    assert made(tmp_path, text, fields, format="jsonl").items[0]["options"] == {"A": "u", "B": "v"}
    listed = 'question,choices,right\nx,"[""u"", ""v""]",v\n'
    assert made(tmp_path, listed, fields).answers == ["B"]
    for cell in ("u", "", "[1", '"[""u""]"', '"[]"'):
        assert refusal(tmp_path, f"question,choices,right\nx,{cell},v\n", fields).where.endswith("'choices'")
    assert "option B is empty" in refusal(tmp_path, "question,a,b,c,right\nx,r,,s,A\n", OPTIONS).what


@pytest.mark.parametrize("cell", ["q1", '"a\nb"', "x" * 201, "\x1b[2J", " "])
def test_an_id_that_stands_twice_or_in_no_line_is_told_with_its_row(tmp_path: Path, cell: str) -> None:
    text = f"question,answer,id\na,b,q1\nc,d,{cell}\n"
    bad = refusal(tmp_path, text, {**QA, "id": "id"})
    assert bad.where == "data/d.csv, row 2, column 'id'"


def test_only_rows_of_the_values_that_were_named_are_asked(tmp_path: Path) -> None:
    found = made(tmp_path, MANY, where=[["split", ["train"]]])
    assert found.answers == [f"a{n}" for n in range(4, 41, 4)]
    assert [row["meta"]["row"] for row in found.items] == list(range(4, 41, 4))
    assert made(tmp_path, MANY, where=[["split", ["train", "test"]]]).counts == {"rows": 40, "asked": 40}
    assert "no row is left" in refusal(tmp_path, MANY, where=[["split", ["dev"]]]).what
    assert "no column 'part'" in refusal(tmp_path, MANY, where=[["part", ["a"]]]).what


def test_a_draw_depends_on_its_seed_alone_and_keeps_the_order_of_the_file(tmp_path: Path) -> None:
    drawn = [made(tmp_path, MANY, count=10, seed=seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] and drawn[0].items != drawn[2].items
    for one in drawn:
        rows = [row["meta"]["row"] for row in one.items]
        assert rows == sorted(set(rows)) and len(rows) == 10
    every = [made(tmp_path, MANY), made(tmp_path, MANY, count=40), made(tmp_path, MANY, count=40, seed=9)]
    assert every[0] == every[1] == every[2]
    assert "lower `count`" in refusal(tmp_path, MANY, count=41).next


@pytest.mark.parametrize(
    ("more", "shown_from"),
    [
        ({}, set(range(1, 41))),
        ({"where": [["split", ["train"]]]}, set(range(4, 41, 4))),
    ],
)
def test_examples_are_drawn_by_seed_and_never_asked(tmp_path: Path, more: dict[str, Any], shown_from: set[int]) -> None:
    sets = []
    for seed in (1, 1, 2):
        found = made(tmp_path, MANY, shots={"count": 5, "seed": seed, **more})
        shown = [row["meta"]["row"] for row in found.shots]
        asked = {row["meta"]["row"] for row in found.items}
        assert len(set(shown)) == 5 and set(shown) <= shown_from and not asked & set(shown)
        assert asked == set(range(1, 41)) - (shown_from if more else set(shown))
        assert [row["answer"] for row in found.shots] == [f"a{number}" for number in shown]
        sets.append(shown)
    assert sets[0] == sets[1] != sets[2]
    bad = refusal(tmp_path, MANY, shots={"count": 41, "seed": 0, **more})
    assert "41 examples" in bad.what


def test_no_question_is_shown_and_asked_though_it_stands_in_two_rows(tmp_path: Path) -> None:
    twice = "question,answer\n" + "".join(f"q{n % 5},a\n" for n in range(20))
    for seed in range(5):
        found = made(tmp_path, twice, shots={"count": 2, "seed": seed})
        assert not set(texts(found.items)) & set(texts(found.shots))
        assert len(set(texts(found.shots))) == 2
        assert found.counts == {"rows": 20, "examples": 2, "left_out": 8, "asked": 12}
    other = "question,answer\nq1,a\nq2,a\nnew,b\n"
    shots = {"count": 1, "seed": 0, "file": "data/s.csv", "format": "csv"}
    found = made(tmp_path, twice, shots_text=other, shots=shots)
    assert texts(found.shots) == ["new"] and len(found.items) == 20


def test_a_question_spaced_otherwise_is_not_asked_beside_its_example(tmp_path: Path) -> None:
    spaced = 'question,answer\nWhich one?,a\n Which  one? ,b\n"Which\none?",c\nAnother?,d\n'
    for seed in range(5):
        found = made(tmp_path, spaced, shots={"count": 1, "seed": seed})
        shown, asked = ({" ".join(text.split()) for text in texts(rows)} for rows in (found.shots, found.items))
        assert len(shown) == len(asked) == 1 and shown != asked


def test_rows_appended_later_leave_the_draws_of_most_others(tmp_path: Path) -> None:
    before = made(tmp_path / "a", MANY, count=20)
    after = made(tmp_path / "b", MANY + "q41,a41,test\n", count=20)
    assert len({row["id"] for row in before.items} & {row["id"] for row in after.items}) >= 19


def test_a_file_without_a_target_has_golds_that_say_nothing(tmp_path: Path) -> None:
    found = made(tmp_path, CAPITALS, {"input": "question"})
    assert [row["gold"] for row in found.gold] == [{"target": "", "accepted": []}] * 3
