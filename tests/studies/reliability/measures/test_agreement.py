"""Agreement of rules and reader: the measures by hand, degenerate tables, and the hand-labelled set."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_cases import each_of

from harness import rows
from harness.errors import InputError
from harness.kit.resample import RESAMPLES, share
from harness.stats import kappa
from harness.studies.reliability.measures.agreement import agreement, table
from harness.studies.reliability.standalone.agreement import ANALYSES
from harness.studies.reliability.standalone.by_row import BENCHMARKS
from harness.studies.reliability.terms import LABELS

analyse = ANALYSES["reliability.agreement"].run
CASES = Path(__file__).parents[3] / "golden" / "cases" / "reliability"
HAND = [row for row in rows.read(CASES / "hand_labels_v2.jsonl") if row["part"] == "frozen"]
SHARED = json.loads((CASES / "hand_labels_v2_data.jsonl").read_text())
FIVE = {"addition", "anagram", "locality", "science", "transforms"}


def told(counts, **more):
    """Give rows from {(person, rules): how many}."""
    return [{"label": p, "found": f, **more} for (p, f), n in counts.items() for _ in range(n)]


def test_the_measures_of_a_small_table_are_those_worked_out_by_hand():
    found = agreement(told({("c", "c"): 20, ("c", "i"): 5, ("i", "c"): 10, ("i", "i"): 15}))["together"]
    assert found["n"] == 50 and found["degenerate"] is False
    assert found["matrix"] == {
        "c": {"c": 20, "a": 0, "i": 5}, "a": {"c": 0, "a": 0, "i": 0}, "i": {"c": 10, "a": 0, "i": 15},
    }  # fmt: skip
    assert (found["recall"]["c"]["value"], found["precision"]["c"]["value"]) == (20 / 25, 20 / 30)
    assert found["accuracy"]["value"] == 35 / 50
    assert found["kappa"]["value"] == pytest.approx(0.4)  # (0.7 - 0.5) / (1 - 0.5)
    assert (
        found["recall"]["a"]["value"]
        == found["precision"]["a"]["interval"]
        == {"missing": "no response with this label"}
    )


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [(8, 10, 0.490162, 0.943318), (0, 10, 0.0, 0.277533), (10, 10, 0.722467, 1.0), (1, 1, 0.206549, 1.0)],
)  # fmt: skip
def test_a_share_has_the_interval_of_wilson(count, of, low, high):
    assert share(count, of, "nobody") == {"value": count / of, "interval": pytest.approx([low, high], abs=1e-6)}


tables = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=40)


@given(tables)
def test_kappa_is_agreement_beyond_chance_over_what_chance_leaves(pairs):
    matrix = [[Counter(pairs)[person, rules] for rules in LABELS] for person in LABELS]
    seen = Fraction(sum(p == r for p, r in pairs), len(pairs))
    chance = sum(
        Fraction(sum(p == x for p, _ in pairs), len(pairs)) * Fraction(sum(r == x for _, r in pairs), len(pairs))
        for x in LABELS
    )
    assert kappa(matrix) == (None if chance == 1 else pytest.approx(float((seen - chance) / (1 - chance))))


@given(st.lists(st.tuples(st.sampled_from(["p", "q"]), st.sampled_from(LABELS), st.sampled_from(LABELS)), max_size=15))
def test_any_labels_in_any_order_give_values_and_benchmarks_add_up(given_rows):
    made = [{"benchmark": b, "label": p, "found": f} for b, p, f in given_rows]
    found = agreement(made)
    backwards = agreement(made[::-1])
    assert {**found, "parted": None} == {**backwards, "parted": None}
    assert sum(part["n"] for part in found["benchmarks"].values()) == found["together"]["n"] == len(made)
    for part in (*found["benchmarks"].values(), found["together"]):
        for measure in (part["accuracy"], part["kappa"], *part["recall"].values(), *part["precision"].values()):
            value, interval = measure["value"], measure["interval"]
            assert isinstance(interval, dict) or (interval[0] <= interval[1] and interval[0] >= -1 and interval[1] <= 1)
            assert isinstance(value, dict) or -1 <= value <= 1
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(
    ("given_rows", "why"),
    [([], "no responses"), (told({("c", "c"): 1}), "both gave one"), (told({("a", "a"): 9}), "both gave one")],
)
def test_where_chance_is_certain_kappa_is_missing_and_the_table_degenerate(given_rows, why):
    found = agreement(given_rows)["together"]
    assert found["degenerate"] is True
    assert why in found["kappa"]["value"]["missing"] == found["kappa"]["interval"]["missing"]


def test_a_single_disagreement_is_degenerate_and_has_no_interval():
    found = agreement(told({("c", "i"): 1}))["together"]
    assert found["degenerate"] is True and found["accuracy"]["value"] == 0
    assert found["kappa"] == {"value": 0, "interval": {"missing": "too few units to resample"}}


def test_one_response_a_benchmark_leaves_nothing_to_resample():
    found = agreement([{"benchmark": b, "label": b[0], "found": b[0]} for b in ("c1", "a1", "i1")])["together"]
    assert found["degenerate"] is True and found["kappa"]["value"] == 1
    assert "missing" in found["kappa"]["interval"]


def test_resamples_in_which_kappa_is_undefined_are_counted():
    found = agreement(told({("c", "c"): 3, ("i", "i"): 1}))["together"]["kappa"]
    # about (3/4)^4 of the resamples hold none of the i, and (1/4)^4 none of the c
    assert 0.28 < found["undefined_resamples"] / RESAMPLES < 0.37
    assert found["interval"] == [1, 1]


def test_the_interval_of_kappa_resamples_responses_and_follows_the_seed():
    import numpy

    counts = {("c", "c"): 30, ("c", "a"): 6, ("a", "a"): 14, ("i", "i"): 17, ("i", "c"): 9, ("a", "i"): 4}
    made = told(counts)
    low, high = agreement(made)["together"]["kappa"]["interval"]
    assert agreement(made)["together"]["kappa"]["interval"] == [low, high]
    assert agreement(made, 1)["together"]["kappa"]["interval"] != [low, high]
    draw = numpy.random.Generator(numpy.random.PCG64(5))
    values = []
    for _ in range(2000):
        again = Counter((made[n]["label"], made[n]["found"]) for n in draw.integers(0, len(made), len(made)))
        values.append(kappa([[again[person, rules] for rules in LABELS] for person in LABELS]))
    assert [low, high] == pytest.approx(list(numpy.percentile(values, [2.5, 97.5])), abs=0.02)


def test_together_resamples_within_benchmarks():
    sure = told({("c", "c"): 50}, benchmark="p") + told({("a", "a"): 50}, benchmark="q")
    found = agreement(sure)
    assert found["together"]["kappa"] == {"value": 1, "interval": [1, 1]}  # never one benchmark alone
    assert found["benchmarks"]["p"]["degenerate"] is True


def test_subtypes_are_compared_where_both_call_a_response_avoidant():
    made: list[dict[str, Any]] = [
        {"label": "a", "found": "a", "avoidance": "epistemic", "found_avoidance": "non_conforming"},
        {"label": "a", "found": "a", "avoidance": "ethical", "found_avoidance": "ethical"},
        {"label": "a", "found": "i", "avoidance": "ethical", "found_avoidance": None},
        {"label": "a", "found": "a"},
    ]
    found = agreement(made)["avoidance"]["together"]
    assert found["n"] == 2 and found["matrix"]["epistemic"]["non_conforming"] == 1
    assert found["recall"]["ethical"]["value"] == 1


def test_what_they_part_on_is_named_without_the_response():
    made = [{"id": "x", "benchmark": "p", "label": "c", "found": "i", "response": "secret"}]
    assert agreement(made)["parted"] == [{"id": "x", "benchmark": "p", "row": 0, "label": "c", "found": "i"}]


@each_of(
    ("given_rows", "what"),
    [
        ([{"label": "x", "found": "c"}], "`label` is none of"),
        ([{"label": "c", "found": "ca"}], "`found` is none of"),
        ([{"label": ["c"], "found": "c"}], "`label` is none of"),
        ([{"found": "c"}], "`label` is none of"),
        (["c"], "not an object"),
        ([{"label": "c", "found": "c", "benchmark": 3}], "`benchmark` is not text"),
        ([{"label": "c", "found": "c", "rule_set": ["x"]}], "`rule_set` is not text"),
        ([{"label": "a", "found": "a", "avoidance": "moral", "found_avoidance": "ethical"}], "`avoidance` is none"),
        ([{"label": "c", "found": "c", "rule_set": "x"}, {"label": "c", "found": "c"}], "several rule sets"),
        ([{"label": "c", "benchmark": "addition", "a": "1", "b": "2"}], "field `response` is missing"),
        ([{"label": "c", "benchmark": "chess", "response": ""}], "no rules for benchmark"),
        ("rows", "not a list"),
    ],
)  # fmt: skip
def test_bad_rows_are_refused_with_what_is_wrong(given_rows, what):
    with pytest.raises(InputError, match=what) as bad:
        analyse({"rows": given_rows})
    assert bad.value.where


def test_a_seed_is_a_whole_number():
    with pytest.raises(InputError, match="`seed` is not a whole number"):
        analyse({"rows": [], "seed": 1.5})


def test_rows_without_the_rules_label_are_labelled_by_the_scorer():
    row = {"benchmark": "addition", "a": "3", "b": "7", "response": "10", "label": "c", "avoidance": None}
    found = analyse({"rows": [row, {**row, "response": "I don't know", "label": "a", "avoidance": "epistemic"}]})
    assert found["together"]["accuracy"]["value"] == 1 and found["rule_set"] == "OURS-v2"
    assert found["avoidance"]["together"]["matrix"]["epistemic"]["epistemic"] == 1
    null = analyse({"rows": [{**row, "found": None}]})  # what the schema allows where there is no label yet
    assert null["together"]["accuracy"]["value"] == 1 and null["rule_set"] == "OURS-v2"


def test_the_table_shows_every_measure_and_every_cell():
    made = told({("c", "c"): 20, ("i", "c"): 10, ("i", "i"): 15}, benchmark="addition")
    head, _, first, together = table(agreement(made)).splitlines()
    assert len(head.split("|")) == len(first.split("|")) == len(together.split("|")) == 21
    assert first.startswith("| addition | 45 | 0.78 [0.64, 0.87] |")
    assert together.endswith("| 20 | 0 | 0 | 0 | 0 | 0 | 10 | 0 | 15 |") and "| - |" in together


def test_the_hand_labelled_set_is_large_distinct_and_of_all_kinds():
    assert len(HAND) >= 150 and [row["id"] for row in HAND] == sorted({row["id"] for row in HAND})
    for benchmark in FIVE:
        own = [row for row in HAND if row["benchmark"] == benchmark]
        labels = Counter(row["label"] for row in own)
        assert len(own) >= 30 and set(labels) == set(LABELS) and min(labels.values()) >= 10
        assert {row["avoidance"] for row in own} == {None, "ethical", "epistemic", "non_conforming"}
        asked = [name for name in own[0] if name not in ("id", "label", "avoidance")]
        assert len({json.dumps([row[name] for name in asked]) for row in own}) == len(own)
    assert all((row["label"] == "a") == (row["avoidance"] is not None) for row in HAND)


def test_the_hand_labelled_sums_and_anagrams_are_what_they_are_said_to_be():
    for row in HAND:
        if row["benchmark"] == "addition" and row["response"].strip().isascii() and row["label"] != "a":
            digits = "".join(char for char in row["response"] if char.isdigit())
            if digits == row["response"]:
                assert (int(digits) == int(row["a"]) + int(row["b"])) == (row["label"] == "c"), row["id"]
        if row["benchmark"] == "anagram":
            assert row["anagram"] not in row["accepted"]
            assert {"".join(sorted(word)) for word in row["accepted"]} == {"".join(sorted(row["anagram"]))}
        if row["benchmark"] == "locality":
            assert {row["city"], row["target"]} <= set(SHARED["gazetteer"])


# Just below what OURS-v2 was found to have on the frozen part: a change of the rules that loses a few rows shows here.
LEAST_KAPPA = {"addition": 0.88, "anagram": 0.92, "locality": 0.9, "science": 0.72, "transforms": 0.93}


@pytest.fixture(scope="module")
def by_hand():
    assert set(BENCHMARKS) == FIVE, "the hand-labelled set has rows of all five benchmarks"
    return analyse({"rows": HAND, "gazetteer": SHARED["gazetteer"], "common_words": SHARED["common_words"]})


def test_the_rules_agree_with_the_hand_labels_as_well_as_before(by_hand):
    found = by_hand["benchmarks"]
    assert set(found) == FIVE and by_hand["together"]["n"] == len(HAND)
    below = {name: part["kappa"] for name, part in found.items() if part["kappa"]["value"] < LEAST_KAPPA[name]}
    assert not below


def test_what_the_rules_call_correct_a_reader_nearly_always_calls_correct(by_hand):
    assert by_hand["together"]["precision"]["c"]["value"] >= 0.97
    assert all(part["precision"]["c"]["value"] >= 0.95 for part in by_hand["benchmarks"].values())


def test_a_refusal_on_ethical_grounds_is_never_called_an_answer(by_hand):
    """Its kind is told less well than its label: of six in the frozen part two are called ethical."""
    refused = [row for row in HAND if row["avoidance"] == "ethical"]
    matrix = by_hand["avoidance"]["together"]["matrix"]
    assert sum(matrix["ethical"].values()) == len(refused) >= 6 and matrix["ethical"]["ethical"] >= 2
    assert matrix["epistemic"]["ethical"] == matrix["non_conforming"]["ethical"] == 0


def test_the_set_parts_rules_and_reader_on_some_rows_of_every_benchmark(by_hand):
    """A set on which they never part would measure nothing."""
    parted = Counter(row["benchmark"] for row in by_hand["parted"])
    assert set(parted) == FIVE and min(parted.values()) >= 1
    assert len(table(by_hand).splitlines()) == 2 + 5 + 1
