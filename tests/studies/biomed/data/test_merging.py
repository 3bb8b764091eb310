"""The merge of questions with models' answers: an outer join as pandas makes it, and the checks of strict mode."""

import itertools
from importlib import import_module
from typing import Any

import pytest
from support_biomed_data import question
from support_cases import each_of

from harness.errors import InputError
from harness.studies.biomed.data import merging
from harness.studies.biomed.data.merging import COLUMNS, merge
from harness.studies.biomed.terms import STRICT


def answers(model, *ids):
    return [{**question(name), f"{model}_response": f"{model} {place}"} for place, name in enumerate(ids)]


def by_pandas(questions, by_model):
    """Merge as the description of the published function says, with pandas itself."""
    pd: Any = import_module("pandas")
    table = pd.DataFrame(questions, columns=list(COLUMNS)).dropna()
    for name in sorted(by_model):
        frame = pd.DataFrame(by_model[name]).drop(columns=list(COLUMNS[1:]))
        table = table.merge(frame, on="uuid", how="outer")
    return table.astype(object).where(table.notna(), None).to_dict("records")


CASES: dict[str, Any] = {
    "all answered": (["b", "a"], {"m": ["a", "b"]}),
    "one unanswered": (["b", "a", "c"], {"m": ["a", "b"], "k": ["c", "a"]}),
    "one that was not asked": (["b"], {"m": ["z", "b"], "k": ["b"]}),
    "ids that stand twice": (["b", "a", "b"], {"m": ["b", "a", "b", "b"], "k": ["a", "b"]}),
    "a missing id": (["b", "a"], {"m": ["b", None, None], "k": ["a", None]}),
    "order of code points": (["Q2", "Q10", "q1", "Ä"], {"m": ["Ä", "Q10", "q1", "Q2"]}),
}


@each_of(("asked", "given"), CASES.values())
def test_a_merge_is_what_pandas_gives(asked, given):
    questions, by_model = [question(name) for name in asked], {name: answers(name, *ids) for name, ids in given.items()}
    found = merge(questions, by_model)
    assert [dict(row) for row in found.rows] == by_pandas(questions, by_model)


def test_a_dropped_question_comes_back_without_its_words():
    questions: list[dict[str, Any]] = [{**question("a")}, {**question("b"), "answer": None}]
    found = merge(questions, {"m": answers("m", "a", "b")})
    assert found.rows[1] == {**dict.fromkeys(COLUMNS), "uuid": "b", "m_response": "m 1"}
    assert (found.dropped, found.returned, found.repeated) == (1, 1, 0)


def test_equal_ids_multiply_and_are_counted():
    found = merge([question("a"), question("a")], {"m": answers("m", "a", "a", "a")})
    assert (len(found.rows), found.repeated) == (6, 5)


def test_columns_beyond_the_six_are_left_out_of_the_questions():
    found = merge([{**question("a"), "extra": "x"}], {"m": answers("m", "a")})
    assert found.columns == (*COLUMNS, "m_response")


def test_without_answers_the_questions_keep_their_order():
    assert [row["uuid"] for row in merge([question("b"), question("a")], {}).rows] == ["b", "a"]


def test_ids_that_multiply_without_end_are_refused_before_they_do():
    many = {name: answers(name, *itertools.repeat("a", 1001)) for name in ("k", "m")}
    with pytest.raises(InputError, match="multiply to 1002001 rows"):
        merge([question("a")], many)
    assert merging.MOST_ROWS < 1_002_001


def test_a_column_of_two_files_is_refused():
    with pytest.raises(InputError, match="two tables have the column `m_response`"):
        merge([question("a")], {"one": answers("m", "a"), "two": answers("m", "a")})


def test_a_file_without_ids_is_refused():
    with pytest.raises(InputError, match="`uuid` is missing"):
        merge([question("a")], {"m": [{"m_response": "x"}]})


def test_another_mode_is_refused():
    with pytest.raises(InputError, match="no such mode"):
        merge([], {}, "loose")


@pytest.mark.parametrize(
    ("asked", "answered", "what", "where"),
    [
        (["a", "a"], ["a"], "stands twice", "the questions, row 2, column `uuid`"),
        (["a"], ["a", "a"], "stands twice", "m.csv, row 2, column `uuid`"),
        (["a"], ["a", "z"], "no question has", "m.csv, row 2, column `uuid`"),
        (["a"], [None], "is missing", "m.csv, row 1, column `uuid`"),
    ],
)
def test_strict_mode_refuses_ids_that_do_not_fit(asked, answered, what, where):
    with pytest.raises(InputError, match=what) as bad:
        merge([question(name) for name in asked], {"m.csv": answers("m", *answered)}, STRICT)
    assert bad.value.where == where


def test_strict_mode_leaves_answers_to_dropped_questions_out():
    questions: list[dict[str, Any]] = [{**question("a")}, {**question("b"), "answer": None}]
    found = merge(questions, {"m": answers("m", "a", "b")}, STRICT)
    assert ([row["uuid"] for row in found.rows], found.dropped, found.returned) == (["a"], 1, 0)
