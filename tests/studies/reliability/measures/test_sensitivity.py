"""The curve of each wording: against counting by hand, and against the curve of all wordings together."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_examples import examples

from harness import rows
from harness.studies.reliability.measures.proportions import proportions
from harness.studies.reliability.measures.sensitivity import analyse, curves


def test_each_wording_has_its_own_curve_and_their_spread_is_given():
    found = curves(["ci", "ca", "i-", "c-"], [3, 8], [0, 0, 1, 1], [10, 20])
    assert found["templates"]["3"] == {
        "correct": 0.75, "avoidant": 0, "incorrect": 0.25, "rises": False,
        "spearman": {"correct": -1, "avoidant": {"missing": "constant over the bins"}, "incorrect": 1},
        "bins": [
            {"difficulty": 10, "correct": 1, "avoidant": 0, "incorrect": 0},
            {"difficulty": 20, "correct": 0.5, "avoidant": 0, "incorrect": 0.5},
        ],
    }  # fmt: skip
    assert found["templates"]["8"]["avoidant"] == 0.5
    assert "missing" in found["templates"]["8"]["bins"][1]["correct"]
    assert found["spread"] == {"correct": [0, 0.75], "avoidant": [0, 0.5], "incorrect": [0.25, 0.5]}
    assert found["degenerate"] is False


def test_a_wording_that_gets_better_where_items_get_harder_is_told_from_chance_and_from_those_that_get_worse():
    falls, rises, chance = ["c" * 40 + "i" * 10, "c" * 10 + "i" * 40], ["i" * 40 + "c" * 10, "c" * 50], ["ci" * 25] * 2
    columns = [
        "".join(labels) for place in (0, 1) for labels in zip(falls[place], rises[place], chance[place], strict=True)
    ]
    found = curves(columns, ["falls", "rises", "chance"], [0] * 50 + [1] * 50, [10, 20])
    assert {name: each["rises"] for name, each in found["templates"].items()} == {
        "falls": False,
        "rises": True,
        "chance": False,
    }
    assert found["templates"]["rises"]["spearman"]["correct"] == 1
    assert found["rising"] == {"wordings": ["rises"], "of": 3}


def test_noise_alone_seldom_rises():
    draw = random.Random(5)
    columns = ["".join(draw.choice("ci") for _ in range(200)) for _ in range(300)]
    found = curves(columns, range(200), [place // 10 for place in range(300)], range(30))
    assert found["rising"]["of"] == 200 and len(found["rising"]["wordings"]) <= 10  # one in twenty


def test_samples_of_one_wording_are_one_curve():
    found = curves(["cia"], [1, 1, 2], [0], [5])
    assert found["templates"]["1"]["correct"] == 0.5 and list(found["templates"]) == ["1", "2"]


def test_one_item_one_wording_and_nothing_scored_are_defined():
    assert curves(["c"], [1], [0], [5])["degenerate"] is True
    found = curves(["-"], [1], [0], [5])
    assert all("missing" in value for value in found["spread"].values())


@pytest.fixture(scope="module")
def analysed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sensitivity")

    def run(table, **params):
        rows.write(folder / "labels", table)
        analyse(params, {"labels": folder / "labels"}, folder)
        [found] = rows.read(folder / "sensitivity")
        return found

    return run


def row(n, labels, model="m", subset="x"):
    return {"model": model, "item": f"i{n}", "benchmark": "x", "subset": subset, "difficulty": n % 7, "labels": labels}


@examples(0.2)
@given(st.lists(st.text("cai-", min_size=3, max_size=3), min_size=1, max_size=50))
def test_a_wording_by_itself_is_the_benchmark_asked_in_that_wording_alone(analysed, columns):
    found = analysed([row(n, labels) for n, labels in enumerate(columns)])["benchmarks"]["x"]["m"]
    for place in range(3):
        alone = proportions(
            {"id": f"i{n}", "difficulty": n % 7, "labels": labels[place].replace("-", "")}
            for n, labels in enumerate(columns)
        )
        told = found["templates"][str(place + 1)]
        names = ("difficulty", "correct", "avoidant", "incorrect")
        assert told["bins"] == [{name: each[name] for name in names} for each in alone["bins"]]
        assert [told[name] for name in names[1:]] == [alone[name] for name in names[1:]]


def test_models_share_their_bins_and_subsets_stand_beside(analysed):
    table = [row(n, "ci", model, "pq"[n % 2]) for n in range(8) for model in "mn"]
    found = analysed(table, bins=2)
    assert list(found["parts"]) == ["x:p", "x:q"]
    assert list(found["benchmarks"]["x"]) == ["m", "n"]
    assert len(found["benchmarks"]["x"]["m"]["templates"]["1"]["bins"]) == 2
