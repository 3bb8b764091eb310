"""Sequences in both modes: the paper's line rule and ratio, rules P2 to P6, and what stands for no answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.studies.curie.scoring import sequences, sequences_strict
from harness.studies.curie.scoring.alignment import align, chance

GOLD = "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ"
TRUTH = json.dumps({"record_id": "1ABC", "sequence": GOLD})
NONE = "Can not parse model response"


def strict(sequence: str, truth: str = TRUTH) -> Any:
    return sequences_strict.score(f">p\n{sequence}\n", truth)


def test_paper_a_prediction_is_the_one_line_behind_the_first_header() -> None:
    half = sequences.score(f">p\n{GOLD[:10]}\n{GOLD[10:]}", TRUTH)
    assert half["value"] == pytest.approx(10 / len(GOLD))
    assert sequences.score(f">p\n{GOLD.lower()}", TRUTH)["value"] == 0
    assert sequences.score(f"> see below\n>p\n{GOLD}", TRUTH)["detail"]["metrics"]["n_identities"] == 0


@pytest.mark.parametrize("answer", ["", GOLD, f"text\n>{GOLD}", f" >p\n{GOLD}", f"\\u003Ep\n{GOLD}"])
def test_paper_without_a_sequence_all_eight_metrics_are_a_text_and_count_0(answer: str) -> None:
    found = sequences.score(answer, TRUTH)
    assert found["detail"]["metrics"] == dict.fromkeys(sequences.OF_NONE, NONE) and len(sequences.OF_NONE) == 8
    assert (found["value"], found["outcome"]) == (0, "invalid" if answer else "missing")


def test_paper_an_empty_line_counts_as_one_blank() -> None:
    found = sequences.score(">p\n\nMKT", TRUTH)["detail"]["metrics"]
    assert (found["n_gaps"], found["n_identities"], found["normalized_levenshtein_distance"]) == (34, 0, 1)


@pytest.mark.parametrize("truth", ["{}", "[1]", '{"sequence": null}', "", "{" * 5000])
def test_a_ground_truth_without_a_sequence_gives_no_value_in_both_modes(truth: str) -> None:
    for rules in (sequences, sequences_strict):
        told: list[Any] = [rules.score(">p\nMKT", truth), rules.score("", truth), rules.failed("why", truth)]
        for found in told:
            assert found["outcome"] == "gold_invalid" and "missing" in found["value"]


def test_paper_lines_too_long_to_be_compared_have_no_metric() -> None:
    found: Any = sequences.score(">p\n" + "M" * 5_000_000, TRUTH)
    assert found["outcome"] == "invalid" and "missing" in found["value"]


@pytest.mark.parametrize(("answer", "outcome"), [("", "missing"), (GOLD, "invalid"), (">p\nnothing", "invalid")])
def test_p2_without_a_record_the_value_is_0_and_there_is_no_chance_level(answer: str, outcome: str) -> None:
    found = sequences_strict.score(answer, TRUTH)
    assert (found["value"], found["outcome"]) == (0, outcome)
    assert "missing" in found["detail"]["metrics"]["chance_level"]


def test_p4_the_value_is_the_identity_above_chance_and_may_be_negative() -> None:
    found = strict(GOLD[:20] + "WWWW")
    level, identity = chance(GOLD, GOLD[:20] + "WWWW"), align(GOLD, GOLD[:20] + "WWWW").identity
    assert found["detail"]["metrics"]["chance_level"] == pytest.approx(level)
    assert found["detail"]["metrics"]["identity_ratio"] == pytest.approx(identity)
    assert found["value"] == pytest.approx((identity - level) / (1 - level))
    assert strict("W" * 30 + "M", json.dumps({"sequence": "MW" + "A" * 30}))["value"] < 0


def test_p4_a_perfect_answer_is_worth_1_wrapped_or_in_small_letters() -> None:
    assert strict(f"{GOLD[:10]}\n{GOLD[10:]}*")["value"] == 1 == strict(GOLD.lower())["value"]
    metrics = strict(GOLD)["detail"]["metrics"]
    assert (metrics["n_gaps"], metrics["n_mismatches"], metrics["n_identities"]) == (0, 0, len(GOLD))


def test_p6_where_chance_is_1_only_an_equal_sequence_is_worth_1() -> None:
    assert strict("A", '{"sequence": "A"}')["value"] == 1
    assert strict("AAA", '{"sequence": "AAA"}')["detail"]["metrics"]["chance_level"] == 1
    assert strict("XX", '{"sequence": "UU"}')["value"] == 1


def test_a_sequence_too_long_to_be_counted_is_worth_0_such_a_gold_nothing() -> None:
    long = strict("MKT" * 4000)
    assert (long["value"], long["outcome"]) == (0, "invalid") and "8,191" in long["detail"]["why"]
    assert strict("MKT", json.dumps({"sequence": "M" * 8192}))["outcome"] == "gold_invalid"


def test_an_unrelated_sequence_is_near_0_in_strict_mode_alone() -> None:
    other = "GSHMASMTGGQQMGRDPNSSSVDKLAAALEHHH"
    paper: Any = sequences.score(f">p\n{other}", TRUTH)
    assert abs(strict(other)["value"]) < 0.1 < paper["value"]
