"""A pattern of the user's in a hostile answer: what it finds, what is refused before, what stops it at last."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support_answer_scores import entry, scores, values
from support_cases import each_of

from harness.errors import InputError
from harness.studies.questions.scoring import pattern, search

SLOW = "(?=(a*)(a*)(a*)b)"


@pytest.mark.parametrize(
    ("told", "answers", "found"),
    [
        ({"pattern": r"#### (-?\d+)"}, ["so #### 42", "42", "#### 43 #### 42", ""], [1, 0, 0, 0]),
        ({"pattern": r"#### (-?\d+)", "take": "last"}, ["#### 43 #### 42", "#### 42 #### 43"], [1, 0]),
        ({"pattern": r"\d+"}, ["it is 42.", "x"], [1, 0]),
        ({"pattern": r"(\d)(\d)", "group": "0"}, ["42"], [1]),
        ({"pattern": r"(4)?(\d+)", "group": "2"}, ["442"], [1]),
        ({"pattern": r"(x)?\d+"}, ["42"], [0]),
        ({"pattern": r"the (\w+) one", "normalised": "true"}, ["the 42 one", "the 4_2 one"], [1, 1]),
        ({"pattern": "(?i)yes", "matches": "true"}, ["YES", "no", "I said yes."], [1, 0, 1]),
        ({"pattern": "", "matches": "true"}, ["", "x"], [1, 1]),
    ],
)
def test_what_a_pattern_finds_is_compared_with_the_target(tmp_path: Path, told: Any, answers: Any, found: Any) -> None:
    assert values(tmp_path, pattern.score, {"regex": told}, answers, {"target": "42"}) == found


@each_of(
    "text",
    [
        "(a+)+b", "(a|a)*b", "(?:ab|c){5,}d", "(?:(?:a{1000}){1000}){1000}", "a{100000}", "(?:foo){e<=1}",
        "[[:alpha:]]",
        "a(", r"\p{L}", "(?R)", "x" * 2001, "(?<=a+)b", "a{",
    ],
)  # fmt: skip
def test_a_pattern_without_bound_or_with_two_meanings_is_refused_at_once(text: str) -> None:
    with pytest.raises(ValueError, match=r"regex\.pattern"):
        entry({"regex": {"pattern": text}})


@each_of(
    "text",
    [
        r"answer:\s*(\w+)", r"\{\"a\": (\d+)\}", r"[\[\](){}]", r"a{2,3}?b", r"(?P<x>\d)-(?P=x)", r"(?i)straße",
        r"^\s*([A-D])\b",
        r"(?m)^(\S+)$", r"(?s)<a>(.*?)</a>", r"\bK\b", r"[^\W\d_]+", r"(?<![0-9])7", r"a++b", r"(?>ab|a)c", r"[a&&b]",
    ],
)  # fmt: skip
def test_the_two_engines_read_a_pattern_that_is_taken_alike(text: str) -> None:
    assert search.refused(text) == ""
    answers = [
        "Answer: answer: yes", '{"a": 12}', "[x]", "aab aaab", "4-4 5-6", "STRASSE strasse Straße", "  B) it",
        "one\ntwo\n",
        "<a>x\ny</a>", "k K \u212a", "naïve_9", "17 7", "aaab", "abc ac", "a&b", "",
    ]  # fmt: skip
    for answer in answers:
        expected = [found.group() for found in re.finditer(text, answer)]
        assert search.find(text, answer, "first", 0) == expected[:1]
        assert search.find(text, answer, "last", 0) == expected[-1:]


def test_a_search_that_runs_out_of_time_has_no_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SECONDS", 0.05)
    written = {"regex": {"pattern": SLOW, "matches": "true"}}
    assert values(tmp_path, pattern.score, written, ["a" * 2000, "aab"], {"target": ""}) == [
        {"missing": search.OUT_OF_TIME}, 1,
    ]  # fmt: skip
    with pytest.raises(InputError, match="ran out of time in 13 answers"):
        scores(tmp_path, pattern.score, written, ["a" * 2000] * 20, {"target": ""})


def test_an_answer_without_bounds_is_not_searched(tmp_path: Path) -> None:
    [row] = scores(tmp_path, pattern.score, {"regex": {"pattern": "a"}}, ["a" * 200_001], {"target": "a"})
    assert row["value"] == {"missing": search.TOO_LONG}


def test_a_group_that_the_pattern_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="the pattern has 1 groups, and not 2"):
        entry({"regex": {"pattern": "(a)", "group": "2"}})
