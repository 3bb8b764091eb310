"""The tests of squared errors as analyses that are called alone: with arrays, with files, and with JSON."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.case import Tally
from golden.readers import readers
from support_cases import each_of

from harness import arrays
from harness.errors import InputError
from harness.scorers.tool import describe_fields
from harness.studies.brain.standalone.tests import ANALYSES
from harness.verbs.measuring import analysis_fields, plain_result

TESTS = Path(__file__).parents[3]
FIXTURE = TESTS.parents[1] / "shared" / "fixtures" / "brain" / "stats_ttest_fdr.npz"
NAMES = ("block_test", "fdr", "lowest_error")


def run(name, **given):
    return plain_result(ANALYSES[f"brain.{name}"].run(given), None)


@pytest.mark.parametrize("name", NAMES)
def test_own_golden_cases_pass_and_a_planted_value_fails(name, tmp_path):
    [reader] = [one for one in readers("brain", TESTS / "studies", []) if one.path.stem == "paired_tests"]
    path = TESTS / "golden" / "cases" / "brain" / f"{name}.json"
    tally = Tally()
    reader.read(path, tally)
    assert (tally.failed, tally.waiting) == (0, 0) and tally.passed >= 3, tally.failures
    golden = json.loads(path.read_text())
    for case in golden["cases"]:
        key = next(iter(case["expected"]))
        case["expected"][key] = [*case["expected"][key][1:], "planted"]
    (tmp_path / path.name).write_text(json.dumps(golden))
    planted = Tally()
    reader.read(tmp_path / path.name, planted)
    assert (planted.passed, planted.failed) == (0, tally.passed)


@pytest.fixture
def published():
    source = np.random.default_rng(8)
    size = (30, 6)
    models = {f"se_{name}": source.chisquare(1, size) for name in ("intercept", "simple", "llm", "full")}
    names = {"subject": ["b", "a", "b", "a", "a", "b"], "network": ["language"] * 5 + ["MD"]}
    return {**models, **names, "block_label": [row // 5 for row in range(30)]}


def test_published_tests_are_ordered_by_participant_and_then_by_unit(published):
    found = run("stats_ttest_fdr", **published)
    assert found["plain_subject"] == found["blocked_subject"] == ["a", "a", "a", "b", "b"]
    lone = run("block_test", errors=published["se_full"], against=published["se_simple"])["p"]
    assert found["plain_pval_orig"] == [lone[unit] for unit in (1, 3, 4, 0, 2)]
    assert len(found["select_lower_error"]) == 30


def test_a_file_of_arrays_gives_the_same_as_arrays(published, tmp_path):
    path = tmp_path / "errors.npz"
    arrays.write_all(path, {name: np.asarray(one) for name, one in published.items()})
    tool = ANALYSES["brain.stats_ttest_fdr"]
    assert plain_result(tool.run(analysis_fields(tool.takes, path, None, {})), None) == run(
        "stats_ttest_fdr", **published
    )


@pytest.mark.skipif(not FIXTURE.is_file(), reason="the fixtures do not lie beside this checkout")
def test_nothing_is_read_from_the_expected_arrays():
    tool = ANALYSES["brain.stats_ttest_fdr"]
    given = analysis_fields(tool.takes, FIXTURE, None, {})
    asked = {name for name in given if name.startswith(("plain", "blocked", "select"))}
    found = plain_result(tool.run({name: one for name, one in given.items() if name not in asked}), None)
    assert asked <= found.keys()
    for name in asked - {"plain_subject", "blocked_subject"}:
        assert np.array(found[name]) == pytest.approx(given[name], abs=1e-10)


def test_gaps_may_be_null_or_nan_in_json():
    for gap in (None, "nan"):
        errors = [[1.0], [gap], [2.0], [1.5]]
        found = run("block_test", errors=errors, against=[[2.0], [2.0], [2.5], [9.0]], omit=True)
        assert found["p"] == run("block_test", errors=[[1.0], [2.0], [1.5]], against=[[2.0], [2.5], [9.0]])["p"]
        assert run("block_test", errors=errors, against=[[2.0]] * 4)["p"] == [1.0]
        assert run("fdr", p=[0.01, gap], participants=["a"] * 2, networks=["MD"] * 2)["q"] == [0.02, 1.0]


def test_folds_are_compared_by_their_labels():
    source = np.random.default_rng(1)
    errors, against = source.random((8, 2)), source.random((8, 2))
    found = run("block_test", errors=errors, against=against, labels=[0, 0, 1, 1, 1, 2, 2, 2])
    means = [np.array([one[:2].mean(0), one[2:5].mean(0), one[5:].mean(0)]) for one in (errors, against)]
    assert found["p"] == pytest.approx(run("block_test", errors=means[0], against=means[1])["p"], abs=1e-12)


@each_of(
    ("name", "given"),
    [
        ("block_test", {"errors": [[1.0, 2.0]], "against": [[1.0]]}),
        ("block_test", {"errors": [[1.0], [2.0, 3.0]], "against": [[1.0]]}),
        ("block_test", {"errors": [["x"]], "against": [[1.0]]}),
        ("block_test", {"errors": "x", "against": [[1.0]]}),
        ("block_test", {"errors": [[1.0]] * 2, "against": [[1.0]] * 2, "labels": ["a"]}),
        ("block_test", {"errors": [[1.0]] * 2, "against": [[1.0]] * 2, "labels": [[1], [2]]}),
        ("block_test", {"errors": [[1.0]] * 2, "against": [[1.0]] * 2, "labels": [1, 2], "stories": ["a", "a"]}),
        ("block_test", {"errors": [[1.0]] * 2, "against": [[1.0]] * 2, "labels": [1, 2], "order": [0, 0]}),
        ("block_test", {"errors": [[1.0]] * 2, "against": [[1.0]] * 2, "stories": ["a"]}),
        ("fdr", {"p": [0.1, 2.0], "participants": ["a"] * 2, "networks": ["MD"] * 2}),
        ("fdr", {"p": [0.1], "participants": ["a"] * 2, "networks": ["MD"] * 2}),
        ("fdr", {"p": [0.1], "participants": ["a"], "networks": ["MD"], "experiments": ["1", "2"]}),
        ("fdr", {"p": [0.1], "participants": ["a"], "networks": ["MD"], "generation": "Q"}),
        ("lowest_error", {"errors": {}}),
        ("lowest_error", {"errors": {"a": [[1.0]], "b": [[1.0, 2.0]]}}),
        ("test_size", {"layout": "moon"}),
        ("test_size", {"layout": "pereira", "experiment": "385", "families": 1}),
        ("test_size", {"layout": "blank", "families": 0}),
        ("test_size", {"layout": "blank", "alphas": ["none"]}),
    ],
)
def test_what_cannot_be_tested_is_refused(name, given):
    with pytest.raises(InputError):
        run(name, **given)


@pytest.mark.parametrize("name", ["subject", "network", "block_label"])
def test_names_of_another_number_of_units_or_rows_are_refused(name, published):
    with pytest.raises(InputError):
        run("stats_ttest_fdr", **{**published, name: published[name][1:]})


def test_the_size_of_the_tests_can_be_measured_alone():
    found = run("test_size", layout="fedorenko", split="contiguous", families=2, units=5, columns=2)
    own = found["contiguous"]["exchangeable"]["nested"]
    assert own.keys() == {"row", "block", "fold"} and own["row"]["units"] == 10


def test_every_field_says_what_it_is():
    for tool in ANALYSES.values():
        assert tool.schema() and all(describe_fields(tool.takes).values())
