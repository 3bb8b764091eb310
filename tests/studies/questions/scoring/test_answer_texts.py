"""Texts beside their targets: exact, normalised, and by words in common as SQuAD counts them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support_answer_scores import scores, values

from harness.studies.questions.scoring import exact, f1, match

PARIS = {"target": "Paris", "accepted": ["Paname"]}
LONG = "word " * 200_000


def test_exact_is_the_target_letter_by_letter_but_for_space_around(tmp_path: Path) -> None:
    answers = ["Paris", " Paris\n", "Paname", "paris", "Paris.", "", "Par is", "\u200bParis", LONG, "Pari\u0301s"]
    assert values(tmp_path, exact.score, "exact", answers, PARIS) == [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]


def test_an_answer_that_failed_has_no_score_and_keeps_its_reason(tmp_path: Path) -> None:
    failed = {
        "item": "i0",
        "template": 1,
        "model": "m",
        "sample": 0,
        "text": "",
        "finish": "error",
        "error": "HTTP 500",
    }
    [row] = scores(tmp_path, exact.score, "exact", ["Paris"], PARIS, {"responses": [failed]})
    assert row["value"] == {"missing": "HTTP 500"} and row["detail"]["error"] == "HTTP 500"


def test_rows_go_by_the_manifests_name_and_show_what_was_read(tmp_path: Path) -> None:
    [row] = scores(tmp_path, match.score, {"match": {"as": "loose"}}, ["The  PARIS! " + "x" * 900], PARIS)
    assert row["scorer"] == "loose" and row["value"] == 0
    assert row["detail"]["answer"].startswith("paris xxx") and len(row["detail"]["answer"]) < 250


def test_what_parts_behind_what_is_shown_is_not_read_alike(tmp_path: Path) -> None:
    one, other = "x" * 900 + "1", "x" * 900 + "2"
    read = [row["detail"]["answer"] for row in scores(tmp_path, exact.score, "exact", [one, other, one], PARIS)]
    assert read[0] == read[2] != read[1]


@pytest.mark.parametrize(
    ("answer", "target", "right"),
    [
        ("the PARIS!", "Paris", 1), ("\u201cParis\u201d", "Paris", 1), ("P.a.r.i.s", "Paris", 1), ("Paris, France",
        "Paris", 0),
        ("Straße", "STRASSE", 1), ("\uff50\uff41\uff52\uff49\uff53", "Paris", 1), ("कि", "का", 0),
        ("東京。", "東京", 1), ("", "Paris", 0),
        ("3.14", "314", 0), ("3.14", "3,14", 0), ("-5", "5", 0), ("\u20135", "5", 0),
        ("\u20135", "-5", 1), ("\u22125", "-5", 1), ("\u20115", "-5", 1), ("3\u20135", "3-5", 1), ("-.5", ".5", 0),
        ("-$5", "$5", 0),
        ("-$5", "-5", 1), ("-.5", "\u2212.5", 1), ("5.", "5", 1), ("10:30", "1030", 0), ("a", "b", 0),
        ("A", "A", 1), ("an", "A", 0), ("?", "?", 1), ("!", "?", 0), ("", "?", 0), ("$5", "5", 1), ("Paris",
        "Paris 1", 0),
        ("can't", "cant", 1), ("well-known", "wellknown", 1), ("\u2212", "-", 0), ("New\n\nYork", "new york", 1),
    ],
)  # fmt: skip
def test_match_forgives_what_its_switches_say(tmp_path: Path, answer: str, target: str, right: int) -> None:
    assert values(tmp_path, match.score, "match", [answer], {"target": target}) == [right]


@pytest.mark.parametrize(
    ("switch", "answer", "target"),
    [
        ("case", "paris ON the Seine.", "Paris on The Seine."), ("space", "Paris\ton  the Seine.",
        "Paris on the Seine."),
        ("punctuation", "Paris, on the Seine!", "Paris on the Seine."), ("articles", "Paris on a Seine.",
        "The Paris on Seine."),
    ],
)  # fmt: skip
def test_each_switch_of_match_forgives_one_thing_alone(tmp_path: Path, switch: str, answer: str, target: str) -> None:
    for forgiven in ("case", "space", "punctuation", "articles"):
        switches = {name: str(name == forgiven).lower() for name in ("case", "space", "punctuation", "articles")}
        found = values(tmp_path, match.score, {"match": switches}, [answer], {"target": target})
        assert found == [int(forgiven == switch)]


@pytest.mark.parametrize(
    ("where", "found"),
    [("whole", [1, 0, 0, 0, 0]), ("begin", [1, 1, 0, 0, 0]), ("end", [1, 0, 1, 0, 0]), ("within", [1, 1, 1, 1, 0])],
)
def test_match_finds_the_target_in_whole_words_where_it_is_told(tmp_path: Path, where: str, found: list[int]) -> None:
    answers = ["Rome", "Rome, of course", "It is Rome.", "I say Rome now", "Romeo and chrome"]
    assert values(tmp_path, match.score, {"match": {"where": where}}, answers, {"target": "Rome"}) == found


def test_scripts_without_blanks_are_found_within_a_sentence(tmp_path: Path) -> None:
    assert values(tmp_path, match.score, {"match": {"where": "within"}}, ["答えは東京です"], {"target": "東京"}) == [1]


@pytest.mark.parametrize(
    ("answer", "target", "hits", "said", "wanted"),
    [
        ("the cat sat", "The cat sat.", 2, 2, 2), ("Cat!", "cat", 1, 1, 1), ("cat cat cat sat", "cat", 1, 4, 1),
        ("cat cat", "cat the cat cat", 2, 2, 3), ("Don't, can't", "dont cant 35", 2, 2, 3), ("cat\N{EM DASH}sat",
        "cat", 0, 1, 1),
        ("sat the cat on a mat", "The cat sat.", 2, 4, 2), ("\uff23\uff21\uff34", "cat", 0, 1, 1), ("3.5 cats",
        "35 dogs", 1, 2, 2),
        ("ca\u0301t", "cát", 0, 1, 1), ("dog", "cat", 0, 1, 1), (LONG, "word", 1, 200_000, 1), ("", "cat", 0, 0, 1),
    ],
)  # fmt: skip
def test_f1_is_the_harmonic_mean_of_shared_words(
    tmp_path: Path, answer: str, target: str, hits: int, said: int, wanted: int
) -> None:
    [found] = values(tmp_path, f1.score, "f1", [answer], {"target": target})
    assert found == pytest.approx(2 * hits / (said + wanted), abs=1e-12)


def test_f1_of_no_words_is_1_beside_no_words_and_0_beside_any(tmp_path: Path) -> None:
    assert values(tmp_path, f1.score, "f1", ["", "a", "!", "x"], {"target": "the"}) == [1, 1, 1, 0]


def test_f1_takes_the_nearest_of_what_is_accepted(tmp_path: Path) -> None:
    gold = {"target": "nothing alike", "accepted": ["cat on a mat", "cat"]}
    [row] = scores(tmp_path, f1.score, "f1", ["the cat"], gold)
    assert row["value"] == 1 and row["detail"]["metrics"] == {"precision": 1, "recall": 1}
