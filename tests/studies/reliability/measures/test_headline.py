"""Headline means: which benchmarks they are over, worked out again from labels alone; and what degenerate values do."""

import json
from functools import cache
from pathlib import Path

import pytest
from studies.reliability import slow
from support import REPOSITORY

from harness import rows
from harness.kit.resample import multiplicities
from harness.studies.reliability.measures.indicators import analyse

FIVE = ("addition", "anagram", "locality", "science", "transforms")
SHARES = {"correct": "c", "avoidant": "a", "incorrect": "i"}
WHAT = ("proportion", "stability", "concordance")
INDICATORS = [f"{kind}_{what}" for kind in ("correctness", "prudence") for what in WHAT]
FACTS = {
    "raw": {"family": "tiny", "shaped": "false"},
    "shaped": {"family": "tiny", "shaped": "true", "raw_twin": "raw"},
    "other": {"family": "else"},
    "oracle": {"family": "stand-ins", "stand_in": True},
    "refuser": {"family": "stand-ins", "provider": "baseline"},
}
# What the labels of an item are, from the easiest item on: falling, rising in avoidance, flat, and all alike.
FALLING = ["ccccc", "cccca", "ccaci", "caaii", "aciia", "iaiii", "iiiia", "iaiii"]
SLOWLY = ["cccci", "ccicc", "ccaca", "cciia", "aciic", "ciaii", "iicia", "iaiii"]
WAVERING = ["caica", "iccai", "aicca", "ciaic", "accii", "icaca", "ciiac", "aicci"]
WRONG, RIGHT, SILENT, PRUDENT = ["iiiii"] * 8, ["ccccc"] * 8, ["aaaaa"] * 8, ["cacac", "aacca"] * 4


def table(given, at):
    """Lay out label texts, by model and benchmark and from the easiest item on, as rows of `labels`."""
    return [
        {
            "model": model, "item": f"{place:03}", "benchmark": benchmark, "subset": benchmark, "labels": text,
            "difficulty": at[benchmark][place] if benchmark in at else 100 * place / len(texts), "avoidance": {},
            "truncated": 0, "errors": 0, "calibrated": False,
        }
        for model, benchmarks in given.items() for benchmark, texts in benchmarks.items()
        for place, text in enumerate(texts)
    ]  # fmt: skip


@pytest.fixture
def analysed(tmp_path):
    def written(given, facts=FACTS, at=(), **params):
        rows.write(tmp_path / "labels", table(given, at))
        asked = {"bins": 30, "resamples": 60, "seed": 0, "discount": {"science": "0.25"}, "rule_set": "x"}
        analyse({**asked, "models": facts, **params}, {"labels": tmp_path / "labels"}, tmp_path)
        [summary] = rows.read(tmp_path / "indicators")
        return summary

    return written


DEMO = {
    "raw": dict(zip(FIVE, (FALLING, WRONG, SLOWLY, WAVERING, RIGHT), strict=True)),
    "shaped": dict(zip(FIVE, (SLOWLY, WAVERING, FALLING, SLOWLY, WAVERING), strict=True)),
    "other": dict(zip(FIVE, (WAVERING, SLOWLY, PRUDENT, FALLING, SLOWLY), strict=True)),
    "oracle": dict.fromkeys(FIVE, RIGHT),
    "refuser": dict.fromkeys(FIVE, SILENT),
}


def by_hand(benchmark, texts, difficulty=None):
    """Work out one model's values on a benchmark from its labels, without those that all-alike labels make empty."""
    at = difficulty or [100 * place / len(texts) for place in range(len(texts))]
    return dict(_by_hand(benchmark == "science", tuple(texts), tuple(at)))


@cache
def _by_hand(is_science, texts, difficulty):
    """Work them out once: slowly, and for each of nine means the same."""
    ids, discount = [f"{place:03}" for place in range(len(texts))], 0.25 if is_science else 0
    found = slow.indicators(ids, list(difficulty), list(texts), 30, discount)
    together, six = "".join(texts), found["indicators"]
    for kind, label in (("correctness", "c"), ("prudence", "i")):
        if together.count(label) in (0, len(together)):
            six[f"{kind}_stability"] = None
        if set(found[f"psi_{kind}"]) in ({0}, {1}):
            six[f"{kind}_concordance"] = None
    return six | {name: together.count(label) / len(together) for name, label in SHARES.items()}


def mean_by_hand(name, model, members, given, at=()):
    """Average over the benchmarks on which every one of `members` has the value; gives the benchmarks, too."""
    placed = {each: at[each] if at else None for each in FIVE}
    known = {each: {who: by_hand(each, given[who][each], placed[each])[name] for who in members} for each in FIVE}
    over = [each for each in FIVE if None not in known[each].values()]
    return over, sum(known[each][model] for each in over) / len(over)


def test_means_are_what_the_labels_give_by_hand(analysed):
    summary = analysed(DEMO)
    models = ("raw", "shaped", "other")
    for name in (*INDICATORS, *SHARES):
        for model in models:
            over, mean = mean_by_hand(name, model, models, DEMO)
            assert summary["means"][name]["over"] == over, name
            entry = summary["models"][model][name]
            assert (entry["value"], entry["benchmarks"]) == (pytest.approx(mean), len(over)), name
            low, high = entry["interval"]
            assert low <= high, name
        for one, other in (("raw", "shaped"), ("shaped", "raw")):
            over, mean = mean_by_hand(name, one, (one, other), DEMO)
            entry = summary["pairs"][one][other][name]
            assert (entry["over"], entry["value"]) == (over, pytest.approx(mean)), name


def test_sets_differ_by_name_and_each_says_what_was_left_out(analysed):
    means = analysed(DEMO)["means"]
    assert {name: means[name]["left_out"] for name in INDICATORS} == {
        "correctness_proportion": {},
        "correctness_stability": {"anagram": {"raw": "never correct"}, "transforms": {"raw": "always correct"}},
        "correctness_concordance": {"anagram": {"raw": "never correct"}, "transforms": {"raw": "always correct"}},
        "prudence_proportion": {},
        "prudence_stability": {
            "anagram": {"raw": "never prudent"}, "locality": {"other": "always prudent"},
            "transforms": {"raw": "always prudent"},
        },
        "prudence_concordance": {
            "anagram": {"raw": "never prudent"}, "locality": {"other": "always prudent"},
            "transforms": {"raw": "always prudent"},
        },
    }  # fmt: skip
    assert means["correctness_proportion"]["over"] == means["ultracrepidarianism"]["over"] == list(FIVE)


def test_u_is_the_ratio_of_means_over_all_that_was_scored(analysed):
    entry = analysed(DEMO)["models"]["raw"]
    values = [by_hand(each, DEMO["raw"][each]) for each in FIVE]
    avoidant, incorrect = (sum(each[share] for each in values) for share in ("avoidant", "incorrect"))
    assert entry["ultracrepidarianism"]["value"] == pytest.approx(incorrect / (avoidant + incorrect))


def demo_labels(name):
    """Read the labels of the demo's two models, and how difficult the items are, benchmark by benchmark."""
    demo = json.loads(Path(__file__).with_name(name).read_text())
    given = {name: {each: found[f"tiny-{name}"].split() for each, found in demo.items()} for name in ("raw", "shaped")}
    return given, {each: found["difficulty"] for each, found in demo.items()}


def test_means_in_the_record_of_the_demo_are_those_of_its_labels():
    """The labels were cut out of a run that agreed with the record (`demo_labels.py` here says how)."""
    given, at = demo_labels("demo_labels_v2.json")
    record = json.loads((REPOSITORY / "lockfiles" / "manifests" / "reliability-demo.expect.json").read_text())
    said = {place: json.loads(value) for place, value in record["outputs"]["indicators"]["values"].items()}
    for name in (*INDICATORS, *SHARES):
        hand = {model: mean_by_hand(name, model, ("raw", "shaped"), given, at) for model in given}
        for model, other in (("raw", "shaped"), ("shaped", "raw")):
            over, mean = hand[model]
            assert [each for place, each in said.items() if place.startswith(f"/means/{name}/over/")] == over, name
            means = [f"/models/tiny-{model}/{name}/value", f"/pairs/tiny-{model}/tiny-{other}/{name}/value"]
            assert [said[place] for place in means] == pytest.approx([mean, mean], rel=1e-9), name
        apart = said[f"/pairs/tiny-raw/tiny-shaped/{name}/difference/value"]
        assert apart == pytest.approx(hand["raw"][1] - hand["shaped"][1], rel=1e-9), name
        if name == "correctness_stability":  # all-alike labels would count as 100 and put raw before shaped
            assert hand["raw"][0] == hand["shaped"][0] == ["addition", "anagram", "transforms"]
            assert [round(hand[model][1], 1) for model in ("raw", "shaped")] == [48.9, 74.1]


def test_in_the_record_of_the_demo_the_geographer_is_right_on_locality():
    record = json.loads((REPOSITORY / "lockfiles" / "manifests" / "reliability-demo.expect.json").read_text())
    said, where = record["outputs"]["indicators"]["values"], "/benchmarks/locality/geographer/correctness_proportion"
    assert {said[f"{where}/{name}"] for name in ("value", "interval/0", "interval/1")} == {"100"}


def test_the_finding_of_the_demo_is_not_turned_round_by_degenerate_values(analysed):
    """Labels of the two models of the demo by OURS-v1: counted as 100, all-alike labels put raw before shaped."""
    given, at = demo_labels("demo_labels.json")
    summary = analysed(given, at=at)
    name, shared = "correctness_stability", ["addition", "anagram", "transforms"]
    stated = {model: [summary["benchmarks"][each][model][name]["value"] for each in FIVE] for model in given}
    assert {model: round(sum(values) / 5, 1) for model, values in stated.items()} == {"raw": 69.3, "shaped": 65.8}
    hand = {model: {each: by_hand(each, given[model][each], at[each])[name] for each in FIVE} for model in given}
    assert [each for each in FIVE if None not in (hand["raw"][each], hand["shaped"][each])] == shared
    assert all(hand["shaped"][each] > hand["raw"][each] for each in shared)
    pair = summary["pairs"]["raw"]["shaped"][name]
    other = summary["pairs"]["shaped"]["raw"][name]
    for model, entry in (("raw", pair), ("shaped", other)):
        mean = sum(hand[model][each] for each in shared) / 3
        assert entry["value"] == summary["models"][model][name]["value"] == pytest.approx(mean)
        assert entry["over"] == summary["means"][name]["over"] == shared
    assert (round(pair["value"], 1), round(other["value"], 1)) == (48.9, 74.1)
    assert pair["difference"]["value"] == pytest.approx(pair["value"] - other["value"])
    assert pair["difference"]["interval"][1] < 0
    never = "never correct"
    assert pair["left_out"] == {"locality": {"raw": never, "shaped": never}, "science": {"raw": never}}


def test_stand_ins_choose_no_benchmark_and_stand_apart(analysed):
    summary = analysed(DEMO)
    alone = analysed({model: DEMO[model] for model in ("raw", "shaped", "other")})
    for part in ("means", "models", "pairs"):
        assert summary[part] == alone[part]
    assert set(summary["models"]) == {"raw", "shaped", "other"} and alone["stand_ins"] == {}
    assert set(summary["stand_ins"]) == {"oracle", "refuser"}
    oracle = summary["stand_ins"]["oracle"]
    assert (oracle["correctness_proportion"]["value"], oracle["correctness_proportion"]["benchmarks"]) == (100, 5)
    assert oracle["correctness_stability"]["value"] == {"missing": "undefined on addition, locality, science"}


def test_a_stand_in_has_a_mean_over_the_benchmarks_of_the_models(analysed):
    noisy = dict(zip(FIVE, (FALLING, RIGHT, WAVERING, SLOWLY, WRONG), strict=True))
    entry = analysed({**DEMO, "oracle": noisy})["stand_ins"]["oracle"]["correctness_stability"]
    _, mean = mean_by_hand(
        "correctness_stability", "oracle", ("oracle", "raw", "shaped", "other"), {**DEMO, "oracle": noisy}
    )
    assert (entry["value"], entry["benchmarks"]) == (pytest.approx(mean), 3)


def test_a_model_defined_on_fewer_than_half_leaves_before_all_else(analysed):
    silent = dict(zip(FIVE, (SILENT, WRONG, FALLING, RIGHT, SLOWLY), strict=True))
    summary = analysed({**DEMO, "silent": silent}, {**FACTS, "silent": {}})
    without = analysed(DEMO)
    name = "correctness_stability"
    assert summary["means"][name]["dropped"] == {"silent": "defined on 2 of 5 benchmarks, fewer than half"}
    assert summary["means"][name]["over"] == without["means"][name]["over"] == ["addition", "locality", "science"]
    entry = summary["models"]["silent"][name]
    assert entry["value"] == entry["interval"] == {"missing": "defined on 2 of 5 benchmarks, fewer than half"}
    assert summary["models"]["raw"][name] == without["models"]["raw"][name]
    assert summary["models"]["silent"]["correctness_proportion"]["benchmarks"] == 5
    assert summary["pairs"].keys() == {"raw", "shaped"}  # a finding is about two models of one family


def test_models_that_share_no_benchmark_have_no_mean(analysed):
    halves = {
        "raw": {"addition": FALLING, "anagram": WRONG}, "shaped": {"addition": RIGHT, "anagram": SLOWLY},
    }  # fmt: skip
    summary = analysed(halves)
    nowhere = {"missing": "no benchmark where all models are defined"}
    for name in ("correctness_stability", "prudence_concordance"):
        assert summary["means"][name]["over"] == summary["pairs"]["raw"]["shaped"][name]["over"] == []
        assert summary["means"][name]["dropped"] == {}
        for entry in (summary["models"]["raw"][name], summary["pairs"]["shaped"]["raw"][name]):
            assert entry["value"] == entry["interval"] == nowhere
        assert summary["pairs"]["raw"]["shaped"][name]["difference"]["value"] == nowhere
    assert summary["models"]["raw"]["correctness_proportion"]["value"] == pytest.approx(35 / 2)


def test_resamples_without_a_value_are_counted_and_enter_no_interval(analysed):
    texts = [*["iiiii"] * 6, "iciii", "iicci"]  # without one of the last two nothing is correct
    summary = analysed({"raw": {"addition": texts, "anagram": FALLING}}, resamples=400)
    drawn = multiplicities(0, 400, {"addition/addition": range(8)})
    empty = int((drawn[:, 6:].sum(axis=1) == 0).sum())
    for entry in (summary["benchmarks"]["addition"]["raw"], summary["models"]["raw"]):
        for name in ("correctness_stability", "correctness_concordance"):
            assert entry[name]["undefined_resamples"] == empty > 20
            assert entry[name]["interval"][1] < 100
    assert "undefined_resamples" not in summary["models"]["raw"]["correctness_proportion"]


def test_where_most_resamples_are_undefined_there_is_a_count_alone(analysed):
    entry = analysed({"raw": {"addition": WRONG}})["benchmarks"]["addition"]["raw"]["correctness_stability"]
    assert (entry["value"], entry["degenerate"]) == (100, True)
    assert entry["interval"] == {"missing": "undefined in 60 of 60 resamples"}


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["ciiia", "aiici"] * 4, "never correct beyond guessing"), (["c", "i"] * 4, "one wording"),
        (["ccai"], "one item"), (["-----"] * 8, "no scored responses"),
    ],
)  # fmt: skip
def test_each_reason_to_leave_a_benchmark_out_is_said(analysed, texts, why):
    means = analysed({"raw": {"science": texts, "addition": FALLING}})["means"]
    said = {each for mean in means.values() for who in mean["left_out"].values() for each in who.values()}
    assert said == {why}


def test_one_difficulty_is_a_reason_and_one_model_makes_no_pair(analysed):
    summary = analysed(
        {"raw": {"addition": FALLING, "anagram": SLOWLY}}, at={"addition": [50] * 8, "anagram": [*range(8)]}
    )
    said = {"addition": {"raw": "one difficulty"}}
    assert {name for name, mean in summary["means"].items() if mean["left_out"] == said} == {
        "correctness_concordance", "prudence_concordance",
    }  # fmt: skip
    assert summary["pairs"] == {}


def test_without_models_the_set_of_stand_ins_is_all_that_was_asked(analysed):
    summary = analysed({"oracle": DEMO["oracle"]})
    assert summary["models"] == {} and summary["means"]["correctness_proportion"]["over"] == list(FIVE)
    assert summary["stand_ins"]["oracle"]["correctness_proportion"]["value"] == 100
