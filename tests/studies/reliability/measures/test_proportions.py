"""Shares over bins, in all, by benchmark and by model; and what the stand-ins prove."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_cases import each_of

from harness import rows
from harness.errors import InputError
from harness.studies.reliability.measures import checks
from harness.studies.reliability.measures.proportions import analyse, proportions
from harness.studies.reliability.standalone.catalogue import ANALYSES

NONE = {"missing": "no scored responses"}
some_rows = st.lists(
    st.tuples(st.sampled_from([0, 5.5, 20, 100]), st.text("cai", max_size=4)), min_size=1, max_size=40
).map(lambda drawn: [{"id": f"i{n}", "difficulty": d, "labels": labels} for n, (d, labels) in enumerate(drawn)])


def test_shares_pool_the_scored_pairs_of_a_bin():
    given_rows = [
        {"id": "a", "difficulty": 10, "labels": "cccc"},
        {"id": "b", "difficulty": 20, "labels": ["i"]},
        {"id": "c", "difficulty": 30, "labels": "ai"},
    ]
    found = proportions(given_rows, bins=2)
    first, second = found["bins"]
    assert first == {
        "n": 2, "n_scored": 5, "difficulty": 15.0, "low": 10, "high": 20,
        "correct": 0.8, "avoidant": 0.0, "incorrect": 0.2,
    }  # fmt: skip
    assert (second["avoidant"], second["incorrect"]) == (0.5, 0.5)
    assert (found["n_items"], found["n_scored"], found["counts"]) == (3, 7, {"c": 4, "a": 1, "i": 2})
    assert found["correctness_proportion"] == pytest.approx(400 / 7)
    assert found["prudence_proportion"] == pytest.approx(500 / 7)
    assert (found["correct"], found["prudent"]) == (4 / 7, 5 / 7)
    assert found["degenerate"] is False


@given(some_rows, st.integers(1, 30))
def test_totals_are_what_all_labels_together_say_however_the_bins_are_cut(given_rows, bins):
    together = "".join(row["labels"] for row in given_rows)
    found = proportions(given_rows, bins)
    assert sum(each["n"] for each in found["bins"]) == len(given_rows)
    assert sum(each["n_scored"] for each in found["bins"]) == len(together) == found["n_scored"]
    assert max(each["n"] for each in found["bins"]) - min(each["n"] for each in found["bins"]) <= 1
    if together:
        assert found["correct"] == together.count("c") / len(together)
        assert found["prudent"] == pytest.approx(1 - together.count("i") / len(together), abs=1e-12)
    assert proportions(given_rows[::-1], bins) == found


@pytest.mark.parametrize("given_rows", [[], [{"id": "a", "difficulty": 1, "labels": ""}]])
def test_nothing_scored_is_said_and_is_no_crash(given_rows):
    found = proportions(given_rows)
    assert found["degenerate"] is True
    assert found["correct"] == found["prudent"] == found["correctness_proportion"] == NONE
    assert all(each["correct"] == NONE for each in found["bins"])


def test_one_item_is_one_bin_and_degenerate():
    found = proportions([{"id": "a", "difficulty": 1, "labels": "ci"}])
    assert (found["n_bins"], found["correct"], found["degenerate"]) == (1, 0.5, True)


@each_of(
    "row",
    [
        {"difficulty": 1, "labels": "c"},
        {"id": "a", "labels": "c"},
        {"id": "a", "difficulty": 1},
        {"id": "a", "difficulty": float("nan"), "labels": "c"},
        {"id": "a", "difficulty": None, "labels": "c"},
        {"id": "a", "difficulty": True, "labels": "c"},
        {"id": "a", "difficulty": 1, "labels": "cx"},
        {"id": "a", "difficulty": 1, "labels": ["ca"]},
        {"id": "a", "difficulty": 1, "labels": [None]},
        "a",
    ],
)
def test_a_malformed_row_is_refused(row):
    with pytest.raises(InputError):
        proportions([row])


def test_two_rows_of_one_item_are_refused():
    with pytest.raises(InputError, match="same id"):
        proportions([{"id": "a", "difficulty": 1, "labels": "c"}] * 2)


def test_the_tool_takes_rows_or_columns_and_bins_under_either_name():
    run = ANALYSES["reliability.proportions"].run
    ids, difficulty, labels = ["a", "b", "c"], [1, 2, 3], ["c", "ai", "i"]
    table = [{"id": i, "difficulty": d, "labels": x} for i, d, x in zip(ids, difficulty, labels, strict=True)]
    expected = proportions(table, 2)
    assert run({"params": {"bins": 2}, "rows": table}) == expected
    assert run({"n_bins": 2, "ids": ids, "difficulty": difficulty, "labels": labels}) == expected
    for wrong in ({}, {"rows": 3}, {"rows": [], "bins": 0}, {"rows": [], "params": 1}, {"ids": [], "difficulty": []}):
        with pytest.raises(InputError):
            run(wrong)


def label(item, labels, model="m", benchmark="addition", difficulty=10, **more):
    return {
        "model": model, "item": item, "benchmark": benchmark, "subset": benchmark, "difficulty": difficulty,
        "labels": labels, "errors": labels.count("-"), "calibrated": True, **more,
    }  # fmt: skip


@pytest.fixture
def analysed(tmp_path):
    def analyse_rows(given_rows, **params):
        rows.write(tmp_path / "labels", given_rows)
        analyse({"bins": 2, "rule_set": "OURS-v1", **params}, {"labels": tmp_path / "labels"}, tmp_path)
        [summary] = rows.read(tmp_path / "proportions")
        return summary

    return analyse_rows


def test_each_model_has_a_curve_on_each_benchmark_with_errors_beside_it(analysed):
    easy, hard = {"difficulty": 0}, {"difficulty": 10}
    found = analysed(
        [
            label("a", "ci", **easy), label("b", "--", **hard), label("a", "--", "n", **easy),
            label("b", "a-", "n", **hard), label("x", "cc", "n", "science"),
        ]
    )  # fmt: skip
    assert (found["rule_set"], found["calibrated"], found["parts"]) == ("OURS-v1", True, {})
    assert {name: sorted(models) for name, models in found["benchmarks"].items()} == {
        "addition": ["m", "n"], "science": ["n"],
    }  # fmt: skip
    m, n = found["benchmarks"]["addition"].values()
    assert (m["correct"], m["n_scored"], m["errors"]) == (0.5, 2, 2)
    assert m["bins"][1]["correct"] == NONE
    assert (n["prudent"], n["correct"], n["errors"]) == (1, 0, 3)
    expected = proportions(
        [{"id": "a", "difficulty": 0, "labels": "ci"}, {"id": "b", "difficulty": 10, "labels": ""}], 2
    )
    assert m == {**expected, "errors": 2}


def test_parts_have_curves_of_their_own(analysed):
    variants = {"target_only": "ci"}
    found = analysed([label("a", "cc", benchmark="anagram", variants=variants), label("y", "c")])
    assert list(found["parts"]) == ["anagram:target_only"]
    assert found["parts"]["anagram:target_only"]["m"]["correct"] == 0.5
    assert found["benchmarks"]["anagram"]["m"]["correct"] == 1


def test_a_model_with_errors_only_is_not_a_model_that_is_wrong(analysed):
    found = analysed([label("a", "-")])
    assert found["benchmarks"]["addition"]["m"]["correct"] == NONE


def test_results_are_calibrated_only_where_every_item_is(analysed):
    assert analysed([label("a", "c"), label("b", "c")])["calibrated"] is True
    assert analysed([label("a", "c"), label("b", "c", calibrated=False)])["calibrated"] is False
    assert analysed([])["calibrated"] is False


@pytest.fixture
def checked(analysed, tmp_path):
    def check(given_rows, **expected):
        rows.write_one(tmp_path / "summary", analysed(given_rows))
        behaviours = {model: {"expected": each, "adversarial": False} for model, each in expected.items()}
        checks.analyse({"behaviours": behaviours}, {"proportions": tmp_path / "summary"}, tmp_path)
        [summary] = rows.read(tmp_path / "checks")
        return summary["verdict"], summary["benchmarks"].get("addition", {})

    return check


def test_a_stand_in_passes_only_with_exactly_what_it_must_reach(checked):
    assert checked([label("a", "cc", "o")], o="all")[0] == "pass"
    assert checked([label("a", "ci", "o")], o="all")[0] == "fail"
    assert checked([label("a", "ii", "o")], o="none")[0] == "pass"
    verdict, found = checked([label("a", "ci", "o")], o="none")
    assert (verdict, found["o"]["verdict"]) == ("fail", "fail")


def test_one_failure_on_one_benchmark_is_a_failure(checked):
    assert checked([label("a", "cc", "o"), label("b", "ci", "o", "science")], o="all")[0] == "fail"


def test_a_stand_in_without_an_expectation_is_reported_with_its_share(checked):
    verdict, found = checked([label("a", "ci-", "l")], l=None)
    assert found["l"] == {
        "correct": 0.5, "n": 2, "errors": 1, "expected": None, "adversarial": False, "verdict": "reported",
    }  # fmt: skip
    assert verdict == "pass"


def test_a_stand_in_that_was_never_scored_proves_nothing(checked):
    verdict, found = checked([label("a", "-", "o")], o="all", f="none")
    assert (verdict, [found[name]["verdict"] for name in "of"]) == ("fail", ["fail", "fail"])
    assert found["f"]["correct"] == NONE
