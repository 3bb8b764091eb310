"""LMScore: rules M0 to M3, and the figures of docs/curie.md#lmscore."""

from __future__ import annotations

import math

import pytest
from support_cases import each_of
from support_curie_reading import is_missing

from harness.studies.curie.scoring.lmscore import first_token, score


def top(*shares: tuple[str, float]) -> list[dict[str, object]]:
    return [{"token": token, "logprob": math.log(share)} for token, share in shares]


OTHERS = [("a", 0.02), ("b", 0.02), ("c", 0.02), ("d", 0.02)]


def test_m0_the_first_token_that_is_not_blank_counts() -> None:
    tokens = [
        {"token": " ", "logprob": -0.1, "top": [[" ", -0.1]]},
        {"token": "\n", "logprob": -0.1, "top": [["\n", -0.1]]},
        {"token": " good", "logprob": -0.2, "top": [[" good", -0.2], ["bad", -1.8]]},
        {"token": "bad", "logprob": -0.1, "top": [["bad", -0.1]]},
    ]
    assert first_token(tokens) == [{"token": " good", "logprob": -0.2}, {"token": "bad", "logprob": -1.8}]
    assert first_token(tokens[:2]) == first_token([]) == []


def test_m1_an_absent_class_cannot_exceed_the_fifth_probability() -> None:
    assert score(top(("good", 0.3), *OTHERS))["value"] == pytest.approx((0.3 + 0.5 * 0.02) / 0.34)  # 0.912


def test_m1_an_absent_class_gets_its_part_of_what_is_left_over() -> None:
    listed = top(("good", 0.9), ("bad", 0.08), ("x", 0.01), ("y", 0.005), ("z", 0.004))
    assert score(listed)["value"] == pytest.approx((0.9 + 0.5 * 0.001) / (0.9 + 0.08 + 0.001))
    two = top(("ok", 0.9), ("x", 0.06), ("y", 0.02), ("z", 0.01), ("w", 0.006))
    assert score(two)["detail"]["metrics"]["p_bad"] == pytest.approx(0.002 / 0.904)


def test_m1_an_absent_class_has_at_least_the_floor() -> None:
    assert score(top(("good", 1.0)))["detail"]["metrics"]["p_ok"] == pytest.approx(1e-9, rel=1e-6)


def test_m1_a_class_that_is_present_keeps_what_it_has_below_the_floor() -> None:
    listed = top(("good", 0.5), ("bad", 1e-12), ("ok", 0.5))
    assert score(listed)["detail"]["metrics"]["p_bad"] == pytest.approx(1e-12)


def test_m2_the_five_likeliest_count_in_any_order() -> None:
    listed = top(*OTHERS, ("good", 0.3), ("bad", 0.019))
    assert score(listed)["value"] == score(listed[::-1])["value"] == pytest.approx(0.31 / 0.34)


def test_m2_of_fewer_than_five_the_least_is_the_cap() -> None:
    assert score(top(("good", 0.5), ("x", 0.1)))["value"] == pytest.approx((0.5 + 0.05) / 0.7)


@pytest.mark.parametrize("token", ["good", " Good", "GOOD\n", "\tgood "])
def test_m3_white_space_and_case_do_not_matter(token: str) -> None:
    assert score(top((token, 0.9), ("bad", 0.1)))["value"] == pytest.approx(0.9, abs=1e-6)


@each_of("token", ["good.", "'good'", "goo", "goodness", "okey", "o.k.", ""])
def test_m3_nothing_else_is_a_class(token: str) -> None:
    assert is_missing(score(top((token, 0.9), ("x", 0.1)))["value"])


def test_m3_ok_and_okay_are_one_class_whose_probabilities_add() -> None:
    listed = top(("ok", 0.3), ("okay", 0.2), (" OK", 0.1), ("good", 0.2), ("bad", 0.2))
    assert score(listed)["value"] == pytest.approx(0.2 + 0.5 * 0.6)


def test_none_of_the_three_is_not_scored() -> None:
    found = score(top(("The", 0.9), ("I", 0.1)))
    assert is_missing(found["value"]) and is_missing(found["detail"]["metrics"]["lmscore_project"])


@each_of("logprob", [math.nan, math.inf, 0.1, "0", None, True, 10**400])
def test_what_is_no_log_probability_is_not_scored(logprob: object) -> None:
    assert is_missing(score([{"token": "good", "logprob": logprob}])["value"])


@pytest.mark.parametrize("logprob", [-math.inf, -(10**400), -1e300])
def test_what_has_no_probability_counts_nothing(logprob: float) -> None:
    found = score([{"token": "bad", "logprob": 0.0}, {"token": "good", "logprob": logprob}])
    assert found["value"] == pytest.approx(0, abs=1e-6)


def test_the_label_of_the_metric_says_that_it_is_ours() -> None:
    assert "lmscore_project" in score(top(("good", 0.9)))["detail"]["metrics"]


def test_shares_are_added_exactly_and_so_alike_on_every_python() -> None:
    found = score(top(("bad", 0.01), ("ok", 0.02), ("good", 0.09)))
    assert found["value"] == 10 / 12 == 0.8333333333333334  # added one by one it ends in 3
