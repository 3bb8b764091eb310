"""Kinds of avoidance, cut answers and the easiest items, counted by hand on small tables."""

import pytest

from harness import rows
from harness.errors import InputError
from harness.studies.reliability.measures.breakdowns import analyse


def row(n, labels, model="m", benchmark="addition", subset="", kinds=(0, 0, 0), truncated=0, **more):
    return {
        "model": model, "item": f"i{n:02d}", "benchmark": benchmark, "subset": subset or benchmark, "difficulty": n,
        "labels": labels, "avoidance": dict(zip(("ethical", "epistemic", "non_conforming"), kinds, strict=True)),
        "truncated": truncated, "errors": labels.count("-"), **more,
    }  # fmt: skip


@pytest.fixture
def analysed(tmp_path):
    def run(table, **params):
        rows.write(tmp_path / "labels", table)
        analyse(params, {"labels": tmp_path / "labels"}, tmp_path)
        [found] = rows.read(tmp_path / "breakdowns")
        return found

    return run


def test_kinds_of_avoidance_are_counted_by_benchmark_and_model(analysed):
    found = analysed(
        [row(1, "aac", kinds=(1, 0, 1)), row(2, "a-i", kinds=(0, 1, 0)), row(1, "ccc", "n"), row(2, "---", "n")]
    )
    m, n = found["avoidance"]["addition"]["m"], found["avoidance"]["addition"]["n"]
    assert (m["ethical"], m["epistemic"], m["non_conforming"], m["n"], m["n_scored"]) == (1, 1, 1, 3, 5)
    assert m["shares"]["ethical"] == pytest.approx(1 / 3)
    assert n["n"] == 0 and "missing" in n["shares"]["ethical"]


def test_raw_and_shaped_models_are_pooled_and_stand_ins_left_out(analysed):
    models = {"raw": {"shaped": "false"}, "tuned": {"shaped": "true"}, "other": {"shaped": "true"}, "oracle": {}}
    table = [
        row(1, "aa", "raw", kinds=(0, 0, 2)), row(1, "aa", "tuned", kinds=(1, 1, 0)),
        row(1, "aa", "other", "anagram", kinds=(1, 1, 0)), row(1, "aa", "oracle", kinds=(2, 0, 0)),
    ]  # fmt: skip
    found = analysed(table, models=models)["avoidance_by_group"]
    assert found["raw"]["shares"] == {"ethical": 0, "epistemic": 0, "non_conforming": 1}
    assert (found["shaped"]["ethical"], found["shaped"]["n"], found["shaped"]["models"]) == (2, 4, ["other", "tuned"])
    assert analysed(table)["avoidance_by_group"]["raw"]["n"] == 0


@pytest.mark.parametrize("stand_in", [{"stand_in": True}, {"provider": "baseline"}])
def test_a_stand_in_is_in_no_group_whatever_its_facts_say(analysed, stand_in):
    models = {"oracle": {"shaped": "true", **stand_in}, "tuned": {"shaped": "True"}, "odd": {"shaped": "maybe"}}
    table = [row(1, "aa", name, kinds=(2, 0, 0)) for name in models]
    found = analysed(table, models=models)["avoidance_by_group"]
    assert (found["shaped"]["models"], found["shaped"]["n"], found["raw"]["models"]) == (["tuned"], 2, [])


def test_cut_answers_are_counted_among_the_scored(analysed):
    found = analysed([row(1, "aa-", truncated=2), row(2, "ccc", truncated=1)])
    assert found["truncations"]["addition"]["m"] == {"truncated": 3, "n": 5}


def test_the_easiest_bin_and_how_far_nothing_is_wrong(analysed):
    table = [row(1, "cc"), row(2, "ca"), row(3, "cc"), row(4, "ca"), row(5, "ci"), row(6, "aa")]
    found = analysed(table, bins=3)["easiest_bin"]["addition"]["m"]
    assert (found["difficulty"], found["correct"], found["avoidant"]) == ([1, 2], 0.75, 0.25)
    assert (found["safe"], found["safe_bins"], found["safe_up_to"]) == (True, 2, 4)
    assert [each["incorrect"] for each in found["curve"]] == [0, 0, 0.25]
    assert found["correct_discounted"] == 0.75  # no discount outside science


def test_an_incorrect_answer_among_the_easiest_is_no_safe_region(analysed):
    found = analysed([row(1, "ci"), row(2, "cc")])["easiest_bin"]["addition"]["m"]
    assert (found["safe"], found["safe_bins"]) == (False, 0) and "missing" in found["safe_up_to"]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [("cccccaiiii", 0.275), ("cccccccc" + "ca", 0.675), ("cc" + "i" * 8, 0), ("caa" + "i" * 7, 0)],
)
def test_science_is_discounted_for_guessing_and_never_below_zero(analysed, labels, expected):
    """(c, a, i) = (.5, .1, .4), (.9, .1, 0), (.2, 0, .8), (.1, .2, .7): docs/reliability-rules.md#discount."""
    asked = [row(1, labels, benchmark="science", subset="obqa")]
    found = analysed(asked, discount={"science": "0.25"})["easiest_bin"]["science"]["m"]
    assert found["correct_discounted"] == pytest.approx(expected)
    assert analysed(asked)["easiest_bin"]["science"]["m"]["correct_discounted"] == pytest.approx(found["correct"])


def test_subsets_stand_beside_their_benchmark(analysed):
    table = [
        row(1, "ca", benchmark="science", subset="obqa", kinds=(0, 1, 0)),
        row(2, "ii", benchmark="science", subset="gpqa", truncated=1),
    ]
    found = analysed(table)
    assert found["parts"]["avoidance"]["science:obqa"]["m"]["epistemic"] == 1
    assert found["parts"]["truncations"]["science:gpqa"]["m"] == {"truncated": 1, "n": 2}
    assert found["parts"]["easiest_bin"]["science:gpqa"]["m"]["safe"] is False
    assert analysed([row(1, "cc")])["parts"] == {"avoidance": {}, "truncations": {}, "easiest_bin": {}}


def test_nothing_scored_is_no_proof_of_safety(analysed):
    found = analysed([row(1, "--"), row(2, "--")])["easiest_bin"]["addition"]["m"]
    assert (found["safe"], found["degenerate"], found["n_scored"]) == (False, True, 0)
    assert "missing" in found["correct"] and "missing" in found["correct_discounted"]


@pytest.mark.parametrize(
    "change", [{"avoidance": None}, {"avoidance": {"ethical": -1}}, {"truncated": None}, {"truncated": True}]
)
def test_counts_that_are_no_counts_are_refused(analysed, change):
    with pytest.raises(InputError, match="count"):
        analysed([{**row(1, "ca"), **change}])
