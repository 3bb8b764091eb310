"""Study S2: the matrix, its five shares, the curve over difficulty, and intervals over people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_cases import each_of

from harness.errors import InputError
from harness.studies.reliability.people.supervision import curve, errors, matrix, summary
from harness.studies.reliability.people.verdicts import HumanVerdict

pairs = st.lists(st.tuples(st.sampled_from("cai"), st.sampled_from("caiu")), max_size=60)


def verdicts(*each):
    """person, item, model's label, verdict; the item's number is its difficulty."""
    return [HumanVerdict(person, "x", f"i{item:02d}", "m", outcome, said, item) for person, item, outcome, said in each]


@given(pairs)
def test_every_record_is_in_one_cell_and_unsure_stays_in_every_denominator(records):
    counts, total = matrix(records), len(records)
    assert sum(sum(row.values()) for row in counts.values()) == total
    found = errors(counts)
    if total:
        assert found["unsure_rate"] == sum(h == "u" for _, h in records) / total
        assert found["supervision_accuracy"] == sum(m == h for m, h in records) / total
    wrong = [h for m, h in records if m == "i"]
    if wrong:
        assert found["incorrect_to_correct_over_incorrect"] == wrong.count("c") / len(wrong)
    else:
        assert "missing" in found["incorrect_to_correct_over_incorrect"]
    shown = [(m, h) for m, h in records if m != "a"]
    if shown:
        assert found["incorrect_to_correct_over_nonavoidant"] == shown.count(("i", "c")) / len(shown)


def test_the_dangerous_error_and_its_opposite_are_not_mixed_up():
    found = errors(matrix([("i", "c"), ("i", "i"), ("c", "c"), ("c", "c"), ("c", "c"), ("c", "i")]))
    assert found["incorrect_to_correct_over_incorrect"] == 1 / 2
    assert found["correct_to_incorrect_over_correct"] == 1 / 4


@pytest.mark.parametrize(
    ("records", "degenerate"),
    [([], True), ([("c", "c")], True), ([("i", "c"), ("a", "a")], True), ([("c", "c"), ("i", "u")], False)],
)
def test_a_share_over_nothing_makes_a_matrix_degenerate(records, degenerate):
    assert errors(matrix(records))["degenerate"] is degenerate


@each_of("record", [["u", "c"], ["c", "x"], ["c"], "ci", ["c", "a", "i"], None, [1, 2], [["c"], "c"]])
def test_what_is_no_record_is_named_by_its_place(record):
    with pytest.raises(InputError) as bad:
        matrix([["c", "c"], record])
    assert bad.value.where == "records[1]"


def test_people_are_resampled_with_all_they_said():
    # one person gets everything right, the other everything wrong: the interval spans all there is between
    given_all = verdicts(*[("p", n, "i", "i") for n in range(20)], *[("q", n, "i", "c") for n in range(20)])
    found = summary(given_all, 0, 500)
    assert found["incorrect_to_correct_over_incorrect"] == {"value": 0.5, "interval": [0, 1]}
    assert (found["participants"], found["items"], found["n"], found["degenerate"]) == (2, 20, 40, False)


def test_one_person_is_no_sample_of_people():
    found = summary(verdicts(("p", 1, "i", "c"), ("p", 2, "c", "c")), 0, 100)
    assert found["degenerate"] is True
    assert found["unsure_rate"]["value"] == 0 and "missing" in found["unsure_rate"]["interval"]
    assert "missing" in summary([], 0, 100)


def test_the_order_of_verdicts_does_not_matter_and_the_seed_does():
    given_all = verdicts(*[(f"p{n % 7}", n % 11, "cai"[n % 3], "caiu"[n % 4]) for n in range(77)])
    assert summary(given_all, 0, 200) == summary(given_all[::-1], 0, 200) != summary(given_all, 1, 200)


def test_the_curve_shows_non_avoidant_outputs_over_equal_size_bins():
    given_all = verdicts(
        ("p", 1, "c", "c"), ("p", 2, "i", "c"), ("q", 2, "i", "u"), ("q", 3, "c", "i"), ("p", 4, "i", "i"),
        ("q", 9, "a", "c"),
    )  # fmt: skip
    first, second = curve(given_all, 0, 100, bins=2)
    assert (first["low"], first["high"], first["items"], first["n"], first["difficulty"]) == (1, 2, 2, 3, 1.5)
    assert set(first["shares"]) == {"c->c", "c->a", "c->i", "c->u", "i->c", "i->a", "i->i", "i->u"}
    told = {name: share["value"] for name, share in first["shares"].items() if share["value"]}
    assert told == {"c->c": pytest.approx(1 / 3), "i->c": pytest.approx(1 / 3), "i->u": pytest.approx(1 / 3)}
    assert second["shares"]["c->i"]["value"] == second["shares"]["i->i"]["value"] == 0.5
    assert (second["low"], second["high"]) == (3, 4)  # the avoided item is in no bin


def test_a_bin_that_few_people_saw_says_so():
    [only] = curve(verdicts(("p", 1, "c", "c"), ("q", 1, "a", "a")), 0, 100)
    assert "missing" in only["shares"]["c->c"]["interval"]
    assert curve(verdicts(("p", 1, "a", "a")), 0, 100) == []
