"""Study S1: the record, the choice of a difficulty function, its calibration, and what people think of themselves."""

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.studies.reliability.measures.calibration import fit
from harness.studies.reliability.people.expectations import summary
from harness.studies.reliability.people.ratings import Rating, ratings


def rated(person, item, label="c", confidence=50, expected=50):
    return Rating(person, "x", item, label, confidence, expected)


def row(**change):
    return {
        "participant_id": "p", "benchmark": "x", "instance_id": "1", "answer_label": "c", "confidence": 50,
        "expected_failure": 20.5, **change,
    }  # fmt: skip


def test_a_row_is_the_record_of_the_specification_and_comes_back_as_it_was():
    [found] = ratings([row(comment="is not read")])
    assert found.row() == row()


@each_of(
    "change",
    [
        {"participant_id": 7}, {"benchmark": None}, {"instance_id": None}, {"answer_label": "u"},
        {"answer_label": None}, {"answer_label": ["c"]}, {"confidence": 101}, {"confidence": "50"},
        {"confidence": True}, {"expected_failure": -1}, {"expected_failure": float("nan")}, {"expected_failure": None},
    ],
)  # fmt: skip
def test_a_row_that_is_not_is_named_by_its_number_and_field(change):
    with pytest.raises(InputError) as bad:
        ratings([row(instance_id="0"), row(**change)])
    assert bad.value.where == "s1 row 2" and f"`{next(iter(change))}`" in bad.value.what


def test_nobody_rates_an_item_twice():
    with pytest.raises(InputError, match="twice"):
        ratings([row(), row()])
    with pytest.raises(InputError):
        ratings(["text"])


def panel(expected, people=5):
    """Everybody expects nearly the same of each item."""
    return [
        rated(f"p{who}", f"i{n}", "c" if value < 50 else "i", 100 - value, max(0, min(100, value + who - 2)))
        for who in range(people)
        for n, value in enumerate(expected)
    ]


EXPECTED = [5, 12, 20, 35, 55, 60, 80, 95]


def values(*each):
    return {f"i{n}": value for n, value in enumerate(each)}


def test_the_function_that_correlates_best_in_either_direction_is_chosen():
    found = summary(
        panel(EXPECTED),
        {
            "noisy": values(1, 3, 2, 4, 6, 5, 8, 7),
            "falling": values(*[-each**3 for each in EXPECTED]),
            "constant": values(*[7] * 8),
        },
        None, 0, 200,
    )["selection"]  # fmt: skip
    assert found["selected"] == "falling"
    assert found["candidates"]["falling"]["spearman"]["value"] == pytest.approx(-1)
    assert 0.8 < found["candidates"]["noisy"]["spearman"]["value"] < 1
    assert "missing" in found["candidates"]["constant"]["spearman"]["value"]


def test_a_function_is_judged_on_the_items_it_has_and_having_none_is_said():
    found = summary(panel(EXPECTED), {"some": {"i0": 1, "i7": 9, "i9": 3}}, None, 0, 50)
    assert found["selection"]["candidates"]["some"]["n_items"] == 2 and found["selection"]["selected"] == "some"
    none = summary(panel(EXPECTED), {}, None, 0, 50)
    assert "missing" in none["selection"]["selected"] and "missing" in none["calibration"]


def test_the_calibration_weighs_items_by_their_ratings():
    uneven = [each for n, each in enumerate(panel(EXPECTED)) if n % 3]
    f = dict(zip(values(*EXPECTED), range(8), strict=True))
    found = summary(uneven, {"f": f}, None, 0, 300)["calibration"]
    means, counts = [], []
    for item in f:
        mine = [each.expected / 100 for each in uneven if each.item == item]
        means.append(sum(mine) / len(mine))
        counts.append(len(mine))
    expected = fit(list(f.values()), means, counts)
    assert (found["alpha"]["value"], found["beta"]["value"]) == (
        pytest.approx(expected.alpha),
        pytest.approx(expected.beta),
    )
    low, high = found["beta"]["interval"]
    assert low <= expected.beta <= high and found["inverted"] is False
    assert float(found["block"]["beta"]) == found["beta"]["value"]
    assert (found["block"]["n_items"], found["block"]["n_ratings"]) == (8, len(uneven))


def test_the_block_names_the_data_and_not_their_order():
    def digest(given):
        return summary(given, {"f": values(*range(8))}, None, 0, 20)["calibration"]["block"]["data_sha256"]

    given = panel(EXPECTED)
    assert digest(given) == digest(given[::-1]) != digest(given[1:])


def test_expectations_without_a_best_curve_are_said_to_be_separable():
    given = [rated(who, item, expected=100 * (item > "i1")) for who in "pq" for item in ("i0", "i1", "i2", "i3")]
    found = summary(given, {"f": values(0, 1, 2, 3)}, None, 0, 50)
    assert "separable" in found["calibration"]["missing"]
    assert found["selection"]["selected"] == "f"


def test_perceived_and_actual_difficulty_and_confidence_by_hand():
    given = [
        rated("p", "1", "c", 90, 10), rated("q", "1", "c", 70, 20),
        rated("p", "2", "i", 80, 60), rated("q", "2", "a", 20, 70),
    ]  # fmt: skip
    found = summary(given, {}, {"1": 10, "2": 90}, 0, 200)
    assert found["perceived"]["expected_failure"]["value"] == 40
    assert found["perceived"]["actual_failure"] == {"value": 50, "interval": [50, 50]}
    assert found["perceived"]["difference"]["value"] == -10
    assert found["perceived"]["spearman"]["value"] == 1
    confidence = found["confidence"]
    assert confidence["when_correct"]["value"] == 80 and confidence["when_not_correct"]["value"] == 50
    assert confidence["overconfidence"]["value"] == 65 - 50
    assert confidence["spearman_with_correctness"]["value"] == 1
    assert confidence["spearman_with_expected_failure"]["value"] == -1
    # over people: only p, or only q, or both
    assert found["perceived"]["expected_failure"]["interval"] == [35, 45]
    first, second = found["curve"]
    assert (first["expected_failure"]["value"], first["actual_failure"]["value"], first["n"]) == (15, 0, 2)
    assert (second["low"], second["confidence"]["value"]) == (90, 50)


def test_an_item_that_a_resample_does_not_hold_is_left_out_of_it():
    given = [*panel(EXPECTED, 3), rated("only", "i8", expected=99), rated("only", "i9", expected=1)]
    found = summary(given, {"f": values(*range(10))}, None, 0, 300)["selection"]["candidates"]["f"]["spearman"]
    low, high = found["interval"]
    assert (low, high) == (found["value"], pytest.approx(1))  # without "only" the rest are in perfect order


def test_one_person_one_item_and_nobody_are_defined():
    found = summary([rated("p", "1")], {"f": {"1": 3}}, {"1": 4}, 0, 50)
    assert found["degenerate"] is True
    assert found["perceived"]["expected_failure"]["value"] == 50
    assert "missing" in found["perceived"]["expected_failure"]["interval"]
    assert "missing" in found["calibration"] and "missing" in found["confidence"]["when_not_correct"]["value"]
    assert "missing" in summary([], {}, None, 0, 50)


def test_people_who_all_agree_have_no_variance_and_no_warning():
    same = [rated(who, item, "c", 100, 30) for who in "pqr" for item in "123"]
    found = summary(same, {"f": {"1": 1, "2": 2, "3": 3}}, {"1": 5, "2": 5, "3": 5}, 0, 100)
    assert "missing" in found["perceived"]["spearman"]["value"]
    assert "missing" in found["selection"]["selected"]
    assert found["confidence"]["overconfidence"] == {"value": 0, "interval": [0, 0]}
