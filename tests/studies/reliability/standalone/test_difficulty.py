"""Raw difficulties and the scale as a caller meets them: one case or many, and errors that say which case and field."""

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.studies.reliability.standalone.difficulty import ANALYSES
from harness.studies.reliability.standalone.raw_difficulty import ANALYSES as RAW

SUM, WORD, TASK = {"a": "3", "b": "7"}, {"word": "listen", "anagram": "silent"}, {"input": "a", "output": "b"}


def run(**given):
    return ANALYSES["reliability.difficulty"].run(given)


def test_the_fields_say_whose_difficulty_is_meant_or_its_name_does():
    names = ("addition_difficulty", "anagram_validity", "transforms_difficulty")
    expected = [RAW[f"reliability.{name}"].run(case) for name, case in zip(names, (SUM, WORD, TASK), strict=True)]
    assert [run(**SUM), run(**WORD), run(**TASK)] == expected == run(cases=[SUM, WORD, TASK])["cases"]
    assert run(benchmark="anagram", **WORD, **SUM) == expected[1]


@each_of(
    ("given", "where"),
    [
        ({}, "benchmark"), ({"benchmark": "locality"}, "benchmark"), ({"benchmark": ["addition"], **SUM}, "benchmark"),
        ({"a": "3"}, "b"), ({"benchmark": "anagram", **SUM}, "word"), ({"a": 3, "b": "7"}, "a"),
        ({"cases": SUM}, "cases"), ({"cases": [SUM, 3]}, "cases[1]"), ({"cases": [SUM, {"a": "3"}]}, "cases[1]/b"),
        ({"raw": 3}, "raw"), ({"raw": [1, "2"]}, "raw"), ({"raw": [1], "calibration": 3}, "calibration"),
        ({"raw": [1], "calibration": {"kind": "logistic2"}}, "calibration"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_by_its_case_and_field(given, where):
    with pytest.raises(InputError) as refused:
        run(**given)
    assert refused.value.where == where


def test_every_tool_says_what_it_takes_and_gives():
    for tool in (*ANALYSES.values(), *RAW.values()):
        assert tool.about.endswith(".") and tool.takes and tool.gives
