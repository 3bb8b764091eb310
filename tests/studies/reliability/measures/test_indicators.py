"""The six indicators from labels to the document: the plain definition against a slow one, and what the step writes."""

import json
import math

import pytest
import support
from hypothesis import given
from hypothesis import strategies as st
from studies.reliability import slow

from harness import rows
from harness.errors import InputError
from harness.studies.reliability.measures.bins import cut
from harness.studies.reliability.measures.indicators import analyse
from harness.studies.reliability.measures.values import measures
from harness.studies.reliability.terms import LABELS, SIX

FIXTURE = support.FIXTURES / "reliability" / "indicators_end_to_end.json"
OWN = sorted((support.REPOSITORY / "tests" / "golden" / "cases" / "reliability").glob("indicators_*.json"))
PARAMS = {"bins": 30, "resamples": 60, "seed": 0, "discount": {"science": "0.25"}, "rule_set": "OURS-v1"}
NOTHING = {"missing": "no scored responses"}


def plain(ids, difficulty, labels, n_bins=30, discount=0.0):
    counts = [[text.count(label) for label in LABELS] for text in labels]
    return measures(cut(ids, difficulty, n_bins), difficulty, counts, discount)


def agree(expected, found, within=1e-9):
    if isinstance(expected, dict):
        return expected.keys() <= found.keys() and all(agree(expected[name], found[name], within) for name in expected)
    if isinstance(expected, list):
        return len(expected) == len(found) and all(map(agree, expected, found, [within] * len(found)))
    return found is None if expected is None else found == pytest.approx(expected, abs=within)


@pytest.mark.skipif(not FIXTURE.is_file(), reason="the fixtures do not lie beside this checkout")
def test_the_shared_case_from_end_to_end_with_and_without_the_discount():
    case = json.loads(FIXTURE.read_text())
    given_case = {name: case[name] for name in ("ids", "difficulty", "labels", "n_bins")}
    assert agree(case["expected_plain"], plain(**given_case))
    assert agree(case["expected_with_science_discount"], plain(**given_case, discount=0.25))


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_our_own_golden_cases_are_what_the_slow_computation_gives(path):
    cases = json.loads(path.read_text())["cases"]
    for case in cases:
        given_case = {name: case[name] for name in ("ids", "difficulty", "labels", "n_bins")}
        for name, discount in (("expected_plain", 0), ("expected_with_science_discount", 0.25)):
            assert agree(case[name], slow.indicators(**given_case, discount=discount))
            assert agree(case[name], plain(**given_case, discount=discount))
    assert len(OWN) == 3


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 5.0, 12.5, 33.3, 60.0, 100.0]), st.text("cai", max_size=5)), min_size=1),
    st.integers(1, 31),
    st.sampled_from([0, 0.25]),
)
def test_the_measures_equal_a_slow_computation_from_the_definitions(items, bins, discount):
    ids = [f"i{len(items) - place:03}" for place in range(len(items))]
    difficulty, labels = [item[0] for item in items], [item[1] for item in items]
    found = plain(ids, difficulty, labels, bins, discount)
    assert agree(slow.indicators(ids, difficulty, labels, bins, discount), found, 1e-6)
    over_items = {label: slow.spearman_of_items(difficulty, labels, label) for label in LABELS}
    assert agree(over_items, found["spearman_difficulty_vs_item_rate"])


def test_the_discount_belongs_to_the_concordance_alone():
    ids, difficulty = [f"i{n}" for n in range(6)], [10, 20, 30, 40, 50, 60]
    labels = ["cccc", "ccca", "ccii", "caii", "iiia", "iiii"]
    without, discounted = plain(ids, difficulty, labels), plain(ids, difficulty, labels, discount=0.25)
    differing = {name for name in SIX if without["indicators"][name] != discounted["indicators"][name]}
    assert differing == {"correctness_concordance", "prudence_concordance"}
    for name in ("spearman_difficulty_vs_rate", "ultracrepidarianism", "stability", "bin_rate", "correct"):
        assert without[name] == discounted[name]


@pytest.mark.parametrize(
    ("labels", "psi_correct", "psi_prudent"),
    [("ccccciaiii", 0.275, 0.375), ("ccccccccca", 0.675, 0.775), ("cciiiiiiii", 0, 0), ("caaiiiiiii", 0, 0.1)],
)
def test_the_discounts_of_the_specification(labels, psi_correct, psi_prudent):
    found = plain(["a"], [50], [labels], discount=0.25)
    assert (found["psi_correctness"], found["psi_prudence"]) == (
        [pytest.approx(psi_correct)],
        [pytest.approx(psi_prudent)],
    )


def test_a_model_that_never_answers_is_entirely_prudent():
    found = plain(["a", "b"], [10, 90], ["aaa", "aaa"])
    assert found["indicators"]["prudence_proportion"] == 100
    assert found["indicators"]["correctness_proportion"] == 0
    assert found["ultracrepidarianism"] == 0


def test_a_flat_curve_is_what_the_value_beside_it_says():
    found = plain(["a", "b"], [0, 100], ["ci", "ci"])["concordance"]["correctness"]
    assert found["flat_curve"] == pytest.approx(100 / 1.5)
    assert found["indicator"] == pytest.approx(found["flat_curve"])
    assert found["difficulty_range"] == [0, 1]


@pytest.mark.parametrize("difficulty", [-0.1, 100.1])
def test_difficulties_that_were_not_calibrated_are_refused(difficulty):
    with pytest.raises(InputError, match="calibrate"):
        plain(["a"], [difficulty], ["c"])


def label(item, labels, model="m", benchmark="addition", subset=None, difficulty=10, **more):
    return {
        "model": model, "item": item, "benchmark": benchmark, "subset": subset or benchmark, "difficulty": difficulty,
        "labels": labels, "avoidance": {}, "truncated": 0, "errors": labels.count("-"), "calibrated": False, **more,
    }  # fmt: skip


@pytest.fixture
def analysed(tmp_path):
    def written(given_rows, **params):
        rows.write(tmp_path / "labels", given_rows)
        analyse({**PARAMS, **params}, {"labels": tmp_path / "labels"}, tmp_path)
        [summary] = rows.read(tmp_path / "indicators")
        return summary

    return written


def many(benchmark="addition", model="m", count=40, **more):
    """Give labels that fall with difficulty, the same for whoever asks."""
    for place in range(count):
        correct = max(0, 4 - place * 5 // count)
        labels = ("c" * correct + "aiii")[: 4 - place % 2] + "-" * (place % 2)
        yield label(f"{place:03}", labels, model, benchmark, difficulty=100 * place / count, **more)


def numbers(value):
    if isinstance(value, dict):
        return [number for each in value.values() for number in numbers(each)]
    if isinstance(value, list):
        return [number for each in value for number in numbers(each)]
    return [value] if isinstance(value, int | float) else []


def test_the_document_holds_values_intervals_and_what_they_rest_on(analysed):
    summary = analysed([*many(), *many(model="n")])
    assert (summary["rule_set"], summary["calibrated"], summary["difficulty_scale"]) == ("OURS-v1", False, "unit")
    assert summary["discount"] == {"science": 0.25}
    assert (summary["ci"]["level"], summary["ci"]["resamples"]) == ("0.95", 60)
    found = summary["benchmarks"]["addition"]
    assert found["m"] == found["n"]
    entry = found["m"]
    assert (entry["n_items"], entry["n_scored"], entry["errors"], entry["prompts"]) == (40, 140, 20, 4)
    intervals = [entry[name] for name in (*SIX, "ultracrepidarianism", "correct", "avoidant", "incorrect")]
    intervals += entry["spearman"]["items"].values()
    for each in intervals:
        low, high = each["interval"]
        assert low < each["value"] < high
    assert all(each["value"] and "moves" in each["interval"]["missing"] for each in entry["spearman"]["bins"].values())
    assert not any(entry[name]["degenerate"] for name in SIX)
    assert entry["correctness_stability"]["noise_floor"] == pytest.approx(100 / 3.5)
    assert entry["correctness_concordance"]["difficulty_range"] == [pytest.approx(0.0125), 0.975]
    assert all(map(math.isfinite, numbers(summary)))


def test_analyses_agree_bit_for_bit_and_a_seed_moves_intervals_alone(analysed, tmp_path):
    given_rows = [*many(), *many("anagram", count=7)]
    first = analysed(given_rows)
    before = (tmp_path / "indicators").read_bytes()
    analysed(given_rows[::-1])
    assert (tmp_path / "indicators").read_bytes() == before
    again = analysed(given_rows, seed=1)
    one, other = (each["benchmarks"]["addition"]["m"]["correct"] for each in (first, again))
    assert one["value"] == other["value"]
    assert one["interval"] != other["interval"]


def test_what_one_model_gets_does_not_depend_on_who_stands_beside_it(analysed):
    alone = analysed(many())["benchmarks"]["addition"]["m"]
    beside = analysed([*many(), *many(model="a"), *many("science", "a")])["benchmarks"]["addition"]["m"]
    assert beside == alone


def test_a_part_that_is_a_subset_is_that_subset_alone(analysed):
    gpqa = list(many("science", subset="gpqa"))
    obqa = [{**row, "item": f"o{row['item']}", "subset": "obqa"} for row in many("science", count=30)]
    summary = analysed([*gpqa, *obqa])
    assert list(summary["parts"]) == ["science:gpqa", "science:obqa"]
    alone = analysed(gpqa)["benchmarks"]["science"]
    assert summary["parts"]["science:gpqa"] == alone


def test_the_discount_is_of_its_benchmark_and_of_the_parts_of_it(analysed):
    given_rows = [*many("science", subset="gpqa"), label("x", "ccii", benchmark="science", subset="obqa"), *many()]
    with_it, without = analysed(given_rows), analysed(given_rows, discount={})
    assert without["discount"] == {}
    assert with_it["benchmarks"]["addition"] == without["benchmarks"]["addition"]
    for place in (("benchmarks", "science"), ("parts", "science:gpqa")):
        one, other = (summary[place[0]][place[1]]["m"] for summary in (with_it, without))
        assert one["correctness_concordance"] != other["correctness_concordance"]
        assert one["correctness_proportion"] == other["correctness_proportion"]
        assert one["spearman"] == other["spearman"]


def test_where_nothing_was_scored_every_value_says_so(analysed):
    summary = analysed([*many(), *(label(f"t{n}", "--", benchmark="transforms", difficulty=n) for n in range(3))])
    failed = summary["benchmarks"]["transforms"]["m"]
    for name in (*SIX, "correct", "ultracrepidarianism"):
        assert (failed[name]["value"], failed[name]["interval"]) == (NOTHING, NOTHING)
    assert all(failed[name]["degenerate"] for name in SIX)
    assert (failed["n_scored"], failed["errors"]) == (0, 6)


@pytest.mark.parametrize("labels", ["cccc", "iiii", "aaaa"])
def test_all_alike_keeps_its_marked_value_and_has_no_interval(analysed, labels):
    entry = analysed([label(f"{n}", labels, difficulty=n) for n in range(40)])["benchmarks"]["addition"]["m"]
    for kind in ("correctness", "prudence"):
        for what in ("stability", "concordance"):
            found = entry[f"{kind}_{what}"]
            assert (found["value"], found["degenerate"]) == (100, True)
            assert found["interval"] == {"missing": "undefined in 60 of 60 resamples"}
        assert entry[f"{kind}_proportion"]["degenerate"] is False
    assert entry["spearman"]["bins"]["c"]["value"] == {"missing": "difficulty or rate is constant"}
    overreach = entry["ultracrepidarianism"]["value"]
    assert overreach == (
        {"missing": "neither avoidant nor incorrect responses"} if labels == "cccc" else labels == "iiii"
    )


def test_one_instance_has_values_and_no_intervals(analysed):
    summary = analysed([label("a", "ccai", difficulty=25)])
    entry = summary["benchmarks"]["addition"]["m"]
    assert all(entry[name]["degenerate"] for name in SIX)
    assert entry["correctness_proportion"]["value"] == 50
    assert "missing" in entry["correctness_proportion"]["interval"]
    assert summary["models"]["m"]["correctness_proportion"]["value"] == {
        "missing": "defined on 0 of 1 benchmarks, fewer than half"
    }


def test_one_template_is_always_stable_and_says_so(analysed):
    entry = analysed([label(f"{n}", "ci"[n % 2], difficulty=n) for n in range(8)])["benchmarks"]["addition"]["m"]
    found = entry["correctness_stability"]
    assert (found["value"], found["noise_floor"], found["degenerate"]) == (100, 100, True)
    assert "missing" in found["corrected"]


def test_one_difficulty_has_no_correlation_and_a_degenerate_concordance(analysed):
    given_rows = [label(f"{n}", labels, difficulty=50) for n, labels in enumerate(["ccii", "cccc", "aiii"])]
    entry = analysed(given_rows)["benchmarks"]["addition"]["m"]
    for over in ("bins", "items"):
        assert all("missing" in entry["spearman"][over][each]["value"] for each in LABELS)
    assert entry["correctness_concordance"]["degenerate"] is True
    assert entry["correctness_concordance"]["difficulty_range"] == [0.5, 0.5]


def test_no_labels_at_all_give_an_empty_document(analysed):
    summary = analysed([])
    assert (summary["benchmarks"], summary["parts"], summary["models"]) == ({}, {}, {})


@pytest.mark.parametrize("params", [{"discount": {"science": "1.5"}}, {"resamples": 0}, {"bins": 0}])
def test_parameters_that_make_no_sense_are_refused(analysed, params):
    with pytest.raises(InputError):
        analysed(many(), **params)
