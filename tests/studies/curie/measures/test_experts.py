"""Experts' ratings, precision and recall beside scorers: values counted by hand, and what is refused."""

from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.studies.curie.measures.experts import task_of
from harness.studies.curie.standalone.experts import ANALYSES

TOOL = ANALYSES["curie.experts"]


def told(**given):
    return TOOL.run(given)


def rated(*rows):
    return [dict(zip(("item", "model", "rater", "rating"), row, strict=True)) for row in rows]


def scores(scorer, **values):
    return [{"item": f"hfe-{item}", "model": "m", "scorer": scorer, "value": value} for item, value in values.items()]


RATED = rated(
    ("hfe-a", "m", "ann", "good"), ("hfe-a", "m", "bob", "good"), ("hfe-b", "m", "ann", "okay"),
    ("hfe-b", "m", "bob", "bad"), ("hfe-c", "m", "ann", "bad"), ("hfe-c", "m", "bob", "bad"),
    ("mpv-specific-x", "n", "ann", "good"),
)  # fmt: skip


def test_ratings_are_weighed_as_lmscore_weighs_its_labels():
    found = told(ratings=RATED)["ratings"]
    assert (found["n"], found["answers"], found["raters"]) == (7, 4, 2)
    assert found["counts"] == {"good": 3, "okay": 1, "bad": 3}
    assert found["by_task"]["hfe"]["m"] == {"n": 3, "mean": pytest.approx((1 + 0.25 + 0) / 3)}
    assert found["by_task"]["mpv-specific"] == {"n": {"n": 1, "mean": 1}}


def test_two_raters_agree_by_their_common_answers():
    [pair] = told(ratings=RATED)["raters"]
    assert (pair["a"], pair["b"], pair["n"]) == ("ann", "bob", 3)
    assert pair["agreement"]["matrix"]["okay"] == {"good": 0, "okay": 0, "bad": 1}
    assert pair["agreement"]["accuracy"]["value"] == 2 / 3
    assert pair["agreement"]["kappa"]["value"] == pytest.approx((2 / 3 - 3 / 9) / (1 - 3 / 9))


def test_raters_without_a_common_answer_have_no_agreement():
    [pair] = told(ratings=rated(("hfe-a", "m", "ann", "good"), ("hfe-b", "m", "bob", "good")))["raters"]
    assert pair["n"] == 0 and "missing" in pair["agreement"]


def test_a_scorer_stands_beside_the_ratings_of_the_answers_that_it_scored():
    given = [*scores("facts", a=0.9, b=0.5, c=0.1), *scores("rouge", a=10, b=10, c=10), *scores("few", a=1)]
    found = told(ratings=RATED, scores=[*given, *scores("facts", d={"missing": "x"})])
    assert found["scorers"]["facts"]["spearman"] == 1 and found["scorers"]["facts"]["n"] == 3
    assert found["scorers"]["facts"]["by_task"] == {"hfe": {"n": 3, "spearman": 1}}
    assert found["scorers"]["facts"]["mean_by_rating"]["good"] == {"n": 1, "value": 0.9}
    assert found["scorers"]["facts"]["mean_by_rating"]["bad"] == {"n": 1, "value": 0.1}, "b is a tie and left out"
    assert found["scorers"]["rouge"]["spearman"] == {"missing": "one of the two is constant"}
    assert "missing" in found["scorers"]["few"]["spearman"] and found["without_value"] == 1


def test_several_samples_of_an_answer_are_one_value():
    given = [*scores("boxes", a=1, b=0.5, c=0), *scores("boxes", a=0.5, b=0.5, c=0.25)]
    found = told(ratings=RATED, scores=given)["scorers"]["boxes"]
    assert found["n"] == 3 and found["mean_by_rating"]["good"]["value"] == 0.75


def counted(item, rater, *counts):
    names = ("predicted", "right", "gold", "found")
    return {"item": item, "model": "m", "rater": rater, **dict(zip(names, counts, strict=True))}


def llmsim(item, precision, recall, f1):
    metrics = {"precision": precision, "recall": recall, "f1": f1}
    return {"item": item, "model": "m", "scorer": "llmsim-judge", "value": f1, "detail": {"metrics": metrics}}


def test_a_judges_precision_and_recall_stand_beside_the_experts():
    asked = [
        counted("mpv-a", "ann", 4, 2, 5, 2),
        counted("mpv-a", "bob", 4, 4, 5, 4),
        counted("mpv-b", "ann", 0, 0, 3, 0),
    ]
    found = told(
        counted=asked, scores=[llmsim("mpv-a", 1, 0.8, 8 / 9), llmsim("mpv-b", 0, 0, 0), *scores("facts", a=1)]
    )
    experts = found["retrieval"]["experts"]
    assert experts["precision"] == pytest.approx((0.75 + 0) / 2) and experts["recall"] == pytest.approx((0.6 + 0) / 2)
    assert found["retrieval"]["n"] == 2 and set(found["retrieval"]["scorers"]) == {"llmsim-judge"}
    judge = found["retrieval"]["scorers"]["llmsim-judge"]
    assert judge["precision"]["less"] == pytest.approx(0.125) and judge["precision"]["size"] == pytest.approx(0.125)
    assert judge["recall"]["value"] == pytest.approx(0.4) and judge["recall"]["less"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"ratings": [*RATED, RATED[0]]}, "2 rows about the answer"),
        ({"ratings": rated(("xyz-a", "m", "ann", "good"))}, "no item of a task"),
        ({"counted": [counted("mpv-a", "ann", 1, 2, 3, 1)]}, "more is right than there is"),
        ({"counted": [counted("mpv-a", "ann", 1, 1, 0, 0)]}, "there is no gold item"),
        ({"counted": [counted("mpv-a", "ann", 1, 1, 1, 2)]}, "more is right than there is"),
        ({"scores": scores("facts", a=1)}, "nothing that experts said"),
        ({"ratings": RATED, "scores": [{"item": "hfe-a"}]}, "no `model`"),
        ({"ratings": rated(("hfe-a", "m", "ann", "fine"))}, "a rating"),
    ],
)
def test_what_cannot_be_is_refused_by_name(given, why):
    with pytest.raises(InputError, match=why):
        told(**given)


def test_the_task_of_an_item_is_the_longest_that_its_id_begins_with():
    assert (task_of("mpv-x"), task_of("mpv-specific-x"), task_of("dft-s-1")) == ("mpv", "mpv-specific", "dft-s")
