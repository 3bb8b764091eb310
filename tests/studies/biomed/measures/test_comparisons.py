"""Paired comparisons: which answers count, how templates are resampled, and the sign-flip test."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from studies.biomed.measures.answer_rows import RULE, graded, made, score

from harness.errors import InputError
from harness.stats import holm
from harness.studies.biomed.measures import comparisons


def pairs(folder, scores, **more):
    return made(folder, comparisons.analyse, scores, **{"resamples": 200, "seed": 3, **more})["graders"][RULE]["pairs"]


def many(grades_by_model, templates=20):
    """Give each model the same grades in turn, a few a template."""
    return [row for model, grades in grades_by_model.items() for t in range(templates)
            for row in graded(f"T{t:02}", [grades[(t + i) % len(grades)] for i in range(4)], model)]  # fmt: skip


def test_an_answer_that_is_an_error_for_one_counts_for_neither(tmp_path):
    scores = [*graded("T01", [3, 3, 0, "error"], "a"), *graded("T02", [3], "a"),
              *graded("T01", ["ungraded", 0, 0, 3], "b"), *graded("T02", [0], "b")]  # fmt: skip
    [pair] = pairs(tmp_path, scores)
    assert (pair["n"], pair["n_unusable_a"], pair["n_unusable_b"]) == (3, 1, 1)
    assert pair["quantities"]["RQR"]["value"] == pytest.approx(2 / 3)


def test_a_blocked_answer_stays_in_the_comparison(tmp_path):
    scores = [*graded("T01", [3, "blocked"], "a"), *graded("T01", [3, 3], "b")]
    [pair] = pairs(tmp_path, scores)
    assert pair["n"] == 2 and pair["quantities"]["RQR"]["value"] == pytest.approx(-1 / 2)


def test_the_interval_is_that_of_the_named_generator(tmp_path):
    scores = many({"a": [3, 3, -1, 0, 2], "b": [0, 3, 0, -1, 1, 2, 0]})
    [pair] = pairs(tmp_path, scores)
    good = {model: [sum(row["value"] >= 0.6 for row in scores if row["model"] == model and
                        row["item"].startswith(f"T{t:02}.")) for t in range(20)] for model in "ab"}  # fmt: skip
    drawn = np.random.RandomState(3).randint(0, 20, size=(200, 20))
    apart = [(np.array(good["a"])[row].sum() - np.array(good["b"])[row].sum()) / 80 for row in drawn]
    assert pair["quantities"]["RQR"]["interval"] == pytest.approx(list(np.quantile(apart, [0.025, 0.975])))


def test_up_to_fourteen_templates_every_sign_is_tried(tmp_path):
    grades = {"a": lambda t: [3] * (t % 3 + 1) + [0] * 2, "b": lambda t: [3, 0, 0, -1][: t + 1]}
    scores = [row for model in "ab" for t in range(5) for row in graded(f"T{t}", grades[model](t), model)]
    [pair] = pairs(tmp_path, scores)
    shares = {}
    for row in scores:
        shares.setdefault((row["model"], row["item"].split(".")[0]), {})[row["item"]] = row["value"] >= 0.6
    differences = []
    for t in range(5):
        a, b = shares["a", f"T{t}"], shares["b", f"T{t}"]
        both = a.keys() & b.keys()
        differences.append(sum(a[each] - b[each] for each in both) / len(both))
    seen = abs(sum(differences))
    sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in product((1, -1), repeat=5)]
    assert pair["quantities"]["RQR"]["p"] == sum(each >= seen - 1e-12 for each in sums) / 32


def test_beyond_fourteen_templates_signs_are_drawn_from_the_next_seed():
    differences = list(np.linspace(-0.1, 0.3, 16))
    signs = np.random.RandomState(8).randint(0, 2, size=(10_000, 16)) * 2 - 1
    hits = (np.abs(signs @ np.array(differences)) >= abs(sum(differences)) - 1e-12).sum()
    assert comparisons.sign_flip(differences, comparisons.TemplateDraws(7, 10)) == (1 + hits) / 10_001


def test_like_models_do_not_differ(tmp_path):
    [pair] = pairs(tmp_path, many({"a": [3, 0, -1], "b": [3, 0, -1]}))
    told = pair["quantities"]["SR"]
    assert told["value"] == 0 and told["p"] == 1 and told["interval"] == [0, 0]


def test_p_values_are_corrected_over_the_pairs(tmp_path):
    found = pairs(tmp_path, many({"a": [3, 3, 2], "b": [0, 3, 0], "c": [0, 0, 3, 0]}))
    cells = [pair["quantities"]["RQR"] for pair in found]
    assert [(pair["a"], pair["b"]) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [cell["p_holm"] for cell in cells] == holm([cell["p"] for cell in cells])


def test_undefined_resamples_are_dropped_and_counted_or_end_the_interval(tmp_path):
    some = [row for model in "ab" for t in range(20) for row in graded(f"T{t:02}", [3 if t < 17 else 0], model)]
    cell = pairs(tmp_path, some)[0]["quantities"]["SR"]  # defined where one of three templates of twenty is drawn
    assert cell["dropped_resamples"] == pytest.approx(200 * 0.85**20, abs=12) and len(cell["interval"]) == 2
    few = [row for model in "ab" for t in range(20) for row in graded(f"T{t:02}", [3 if t < 19 else 0], model)]
    cell = pairs(tmp_path, few)[0]["quantities"]["SR"]
    assert "missing" in cell["interval"] and cell["value"] == 0


def test_models_without_a_common_answer_have_no_difference(tmp_path):
    [pair] = pairs(tmp_path, [score("T01.1", 3, "a"), score("T01.2", 3, "b")])
    told = pair["quantities"]["AR"]
    assert all("missing" in told[name] for name in ("value", "interval", "p")) and "p_holm" not in told


def test_few_templates_are_called_unreliable_and_one_has_neither_interval_nor_p(tmp_path):
    [pair] = pairs(tmp_path, many({"a": [3, 0], "b": [0, 0, 3]}, templates=1))
    told = pair["quantities"]["RQR"]
    assert pair["unreliable"] and "missing" in told["interval"] and "missing" in told["p"] and "p_holm" not in told
    assert "unreliable" not in pairs(tmp_path, many({"a": [3], "b": [0]}))[0]


def test_no_resamples_are_refused(tmp_path):
    with pytest.raises(InputError, match="resamples"):
        pairs(tmp_path, graded("T01", [3]), resamples=0)


def test_more_resamples_than_memory_holds_are_refused():
    with pytest.raises(InputError) as told:
        comparisons.TemplateDraws(0, 100_000).weights(1_000)
    assert told.value.where == "resamples" and "20,000" in told.value.next


@pytest.mark.parametrize("seed", [-1, 2**32 - 1, 2**53 - 1])
def test_a_seed_that_the_generator_cannot_take_is_refused(tmp_path, seed):
    with pytest.raises(InputError) as told:
        pairs(tmp_path, many({"a": [3, 0], "b": [0, 3]}), seed=seed)
    assert told.value.where == "seeds" and told.value.next


def test_the_last_seed_draws_templates_and_signs(tmp_path):
    [pair] = pairs(tmp_path, many({"a": [3, 0], "b": [0, 3, 3]}), seed=comparisons.LAST_SEED)
    assert 0 < pair["quantities"]["RQR"]["p"] <= 1
