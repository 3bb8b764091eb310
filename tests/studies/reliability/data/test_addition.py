"""The addition benchmark: its draws, its difficulty, its scores."""

import random
import statistics
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies.reliability.data.scoring import response, scores
from support_cases import each_of
from support_draws import drawn

from harness import rows
from harness.errors import InputError
from harness.studies.reliability.data.addition import Addends, carries, draw, facts, harmonic_digits, kept, make
from harness.studies.reliability.scoring.addition import score

positive = st.integers(1, 10**100 - 1)


def digit_sum(number):
    return sum(map(int, str(number)))


@given(positive, positive)
def test_carries_agree_with_the_digit_sums(a, b):
    assert carries(str(a), str(b)) == (digit_sum(a) + digit_sum(b) - digit_sum(a + b)) // 9
    assert carries(str(a), str(b)) == carries(str(b), str(a))


@pytest.mark.parametrize(
    ("a", "b", "f_cry", "f_hrm"),
    [("3", "7", 1, 1), ("24427", "7120", 1, 40 / 9), ("3913", "92", 2, 8 / 3), ("999", "1", 3, 1.5)],
)
def test_the_worked_values_of_the_specification(a, b, f_cry, f_hrm):
    found = facts(a, b)
    assert found["f_cry"] == f_cry
    assert found["f_hrm"] == pytest.approx(f_hrm, abs=1e-12)
    assert found["sum"] == str(int(a) + int(b))


@pytest.mark.parametrize(
    ("digits_a", "digits_b", "keep"), [(50, 50, True), (51, 50, False), (100, 33, True), (100, 34, False)]
)
def test_the_filter_looks_at_digit_counts_and_keeps_equality(digits_a, digits_b, keep):
    a, b = "1" * digits_a, "9" * digits_b
    assert kept(a, b) is keep
    assert facts(a, b)["keep"] is keep
    assert (harmonic_digits(a, b) <= 50) is keep


def test_the_filter_keeps_6308_of_the_10000_pairs_of_digit_counts():
    assert sum(kept("1" * a, "1" * b) for a in range(1, 101) for b in range(1, 101)) == 6308


@each_of("wrong", ["", "007", "-1", "1.0", "1e3", 7, None, "\u0663"])
def test_facts_refuse_what_is_no_decimal_string(wrong):
    with pytest.raises(InputError) as refused:
        facts("1", wrong)
    assert refused.value.where == "b"


@pytest.fixture
def made(tmp_path):
    def make_rows(seed, count):
        make({"seed": seed, "count": count}, {}, tmp_path)
        return [list(rows.read(tmp_path / name)) for name in ("items", "gold", "counts")]

    return make_rows


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", drawn([0, 7, 2**53 - 1], 1, 3))
def test_the_filter_keeps_as_many_as_the_published_draw_up_to_chance(made, seed):
    items, gold, [counts] = made(seed, 5000)
    assert counts["addition"] == {"drawn": 5000, "kept": len(items), "removed": 5000 - len(items)}
    assert 3040 <= len(items) <= 3270
    f_cry = [row["meta"]["raw_difficulty"]["f_cry"] for row in items]
    assert statistics.mean(f_cry) == pytest.approx(9.5, abs=0.6)
    assert len(gold) == len(items)


def test_no_item_shows_its_answer_and_gold_is_the_sum(made):
    items, gold, _ = made(7, 300)
    for item, answer in zip(items, gold, strict=True):
        a, b = item["input"]["a"], item["input"]["b"]
        assert item["id"] == answer["id"]
        assert answer["gold"] == {"target": str(int(a) + int(b)), "accepted": []}
        assert set(item["input"]) == {"a", "b"}
        assert a[0] != "0" and b[0] != "0" and not (len(a) > 50 and len(b) > 50)
        assert set(item) == {"id", "task", "input", "difficulty", "meta"}


def test_items_are_in_order_of_ids_and_draws_are_independent(made):
    few, _, _ = made(7, 50)
    many, _, _ = made(7, 200)
    assert [row["id"] for row in many] == sorted(row["id"] for row in many)
    assert [row["input"] for row in many[: len(few)]] == [row["input"] for row in few]
    assert [row["input"] for row in made(8, 50)[0]] != [row["input"] for row in few]


def test_difficulty_is_the_rank_of_the_carries_and_is_marked_uncalibrated(made):
    items, _, _ = made(7, 200)
    raw = [row["meta"]["raw_difficulty"]["f_cry"] for row in items]
    for item, value in zip(items, raw, strict=True):
        rank = sum(other < value for other in raw) + (raw.count(value) + 1) / 2
        assert item["difficulty"] == pytest.approx(100 * (rank - 0.5) / len(raw), abs=1e-9)
        assert item["meta"]["calibrated"] is False
        assert item["meta"]["calibration_id"] == "rank"
        assert item["meta"]["difficulty_function"] == "f_cry"


def test_a_draw_is_made_from_its_own_seed_by_rejection_on_raw_bits():
    """The same numbers from hashlib and random alone, so that no release moves a dataset unseen."""
    preimage = b'[7,"addition.draw","3",0,0]'
    source = random.Random(int.from_bytes(sha256(preimage).digest()[:8], "big"))

    def below(bound):
        while (value := source.getrandbits((bound - 1).bit_length())) >= bound:
            pass
        return value

    digits_a, digits_b = below(100) + 1, below(100) + 1
    a = 10 ** (digits_a - 1) + below(9 * 10 ** (digits_a - 1))
    b = 10 ** (digits_b - 1) + below(9 * 10 ** (digits_b - 1))
    assert draw(7, 3) == Addends(3, str(a), str(b))
    assert (len(str(a)), len(str(b))) == (digits_a, digits_b)


def test_no_draws_make_no_dataset(tmp_path):
    with pytest.raises(InputError):
        make({"seed": 7, "count": 0}, {}, tmp_path)


@pytest.fixture
def scored(tmp_path):
    def score_rows(responses, gold="10"):
        return scores(score, tmp_path, {"input": {"a": "3", "b": "7"}}, {"target": gold}, responses)

    return score_rows


def test_a_score_says_what_was_scored_how_and_why(scored):
    assert scored([response("10")]) == [
        {
            "item": "x", "template": 2, "model": "m", "sample": 1, "scorer": "reliability.outcome",
            "value": 1, "outcome": "c",
            "detail": {
                "avoidance": None, "rule_set": "OURS-v2", "matched_span": [0, 2], "candidates": ["10"],
                "n_candidates": 1, "finish": "stop",
            },
        }
    ]  # fmt: skip


def test_a_wrong_and_an_avoidant_response_both_have_value_0(scored):
    found = scored([response("11"), response("")])
    assert [(row["value"], row["outcome"]) for row in found] == [(0, "i"), (0, "a")]


def test_an_error_is_counted_and_never_scored(scored):
    [row] = scored([response("", error="timeout")])
    assert row["value"] == {"missing": "timeout"}
    assert "outcome" not in row


def test_gold_that_is_not_the_sum_and_unknown_items_are_refused(scored):
    with pytest.raises(InputError, match="not the sum"):
        scored([response("10")], gold="11")
    with pytest.raises(InputError, match="not in items"):
        scored([response("10", item="y")])
