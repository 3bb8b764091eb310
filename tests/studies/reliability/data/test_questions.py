"""Published questions that are not what they must be: refused by row and field, and never quoted."""

from typing import Any

import pytest
from support_questions import GPQA, SECRET, hub, json_lines, record, table

from harness.errors import InputError
from harness.studies.reliability.data.science import make_gpqa, make_openbookqa


@pytest.fixture
def obqa(tmp_path):
    def make(given):
        make_openbookqa({"seed": 1, "count": 1}, {"questions": json_lines(tmp_path / "q", given)}, tmp_path)

    return make


@pytest.fixture
def gpqa(tmp_path):
    def make(given, columns=GPQA):
        make_gpqa({"seed": 1}, {"questions": table(tmp_path / "q", given, columns)}, tmp_path)

    return make


TWO = {"text": ["a", "b"], "label": ["A", "B"]}
WRONG: dict[str, dict[str, Any]] = {
    "no id": {"id": None}, "empty id": {"id": " "}, "no stem": {"question_stem": None},
    "stem a number": {"question_stem": 3},
    "no choices": {"choices": None}, "two choices": {"choices": TWO}, "choices a text": {"choices": "ABCD"},
    "labels of another kind": {"choices": {"text": list("wxyz"), "label": list("1234")}},
    "labels twice": {"choices": {"text": list("wxyz"), "label": list("AABC")}},
    "a text less": {"choices": {"text": list("wxy"), "label": list("ABCD")}},
    "labels a text": {"choices": {"text": "wxyz", "label": "ABCD"}},
    "an empty option": {"choices": {"text": ["w", "", "y", "z"], "label": list("ABCD")}},
    "key E": {"answerKey": "E"}, "no key": {"answerKey": None}, "key in small": {"answerKey": "a"},
    "no score": {"humanScore": None}, "score a word": {"humanScore": "high"}, "score a truth": {"humanScore": True},
    "score beyond": {"humanScore": 10**400}, "a lone surrogate": {"question_stem": "x\ud800"},
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_faulty_openbookqa_row_is_refused_by_number_and_never_quoted(obqa, name):
    with pytest.raises(InputError) as refused:
        obqa([hub(1), hub(2, **WRONG[name])])
    assert refused.value.where == "questions, row 2"
    assert SECRET not in str(refused.value) and "second" not in str(refused.value)


@pytest.mark.parametrize("name", ["id", "question_stem", "choices", "answerKey", "humanScore"])
def test_a_missing_field_of_openbookqa_is_named(obqa, name):
    with pytest.raises(InputError, match=f"`{name}`"):
        obqa([{key: value for key, value in hub(1).items() if key != name}])


DAMAGE = {
    "not UTF-8": b'{"id": "\xff"}\n', "no JSON": b'{"id": "' + SECRET.encode() + b"\n", "a list": b"[]\n",
    "10 MB": b'{"id": "' + SECRET.encode() + b"x" * 10_000_000 + b'"}\n', "a byte-order mark": b"\xef\xbb\xbf{}\n",
    "deep": b"[" * 100_000 + b"]" * 100_000 + b"\n",
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_line_is_refused_by_its_number_and_never_quoted(tmp_path, name):
    path = json_lines(tmp_path / "q", [hub(1)])
    path.write_bytes(path.read_bytes() + DAMAGE[name])
    with pytest.raises(InputError) as refused:
        make_openbookqa({"seed": 1, "count": 1}, {"questions": path}, tmp_path)
    assert refused.value.where == "questions, row 2"
    assert SECRET not in str(refused.value) and len(str(refused.value)) < 300
    assert refused.value.__cause__ is None


def test_two_rows_of_one_id_are_refused(obqa, gpqa):
    with pytest.raises(InputError, match="7-3"):
        obqa([hub(3), hub(4), hub(3)])
    with pytest.raises(InputError, match="rec003"):
        gpqa([record(3), record(4), record(3), record(5)])


BAD = {name: {name: ""} for name in GPQA if name in GPQA[:6] or name == "Non-Expert Validator Accuracy"}


@pytest.mark.parametrize("name", BAD)
def test_an_empty_or_missing_gpqa_column_is_named_and_nothing_quoted(gpqa, name):
    with pytest.raises(InputError) as refused:
        gpqa([record(1), record(2, **BAD[name]), record(3)])
    assert refused.value.where == "questions, row 2" and name in refused.value.what
    assert SECRET not in str(refused.value) and "right" not in str(refused.value)
    with pytest.raises(InputError, match=name):
        gpqa([record(1), record(2), record(3)], columns=[column for column in GPQA if column != name])


@pytest.mark.parametrize(
    "damage",
    [b"\xff\xfe", b'"' + SECRET.encode(), b'rec9,"' + b"x" * 10_000_000 + b'"\n', b'"a"b\n', b"rec9\n"],
    ids=["not UTF-8", "open quote", "10 MB", "bad quote", "short row"],
)
def test_a_damaged_table_is_refused_and_never_quoted(tmp_path, damage):
    path = table(tmp_path / "q", [record(1), record(2), record(3)])
    path.write_bytes(path.read_bytes() + damage)
    with pytest.raises(InputError) as refused:
        make_gpqa({"seed": 1}, {"questions": path}, tmp_path)
    assert refused.value.where.startswith("questions")
    assert SECRET not in str(refused.value) and len(str(refused.value)) < 300


def test_two_questions_of_gpqa_are_too_few(gpqa):
    with pytest.raises(InputError):
        gpqa([record(1), record(2)])
    gpqa([record(1), record(2), record(3)])
