"""The table of labels: a row for an item and a model, a label in the place of its template, errors never scored."""

import pytest

from harness import rows
from harness.errors import InputError
from harness.studies.reliability.measures.labels import collect, templates


def item(name, **more):
    return {"id": name, "task": "anagram", "input": {}, "difficulty": 5, "meta": {"calibrated": False}, **more}


def score(name, template, outcome="c", sample=0, **detail):
    row = {"item": name, "template": template, "model": "m", "sample": sample, "scorer": "reliability.outcome"}
    if outcome == "-":
        return {**row, "value": {"missing": "timeout"}, "detail": {"error": "timeout"}}
    told = {"avoidance": detail.pop("avoidance", None), "rule_set": "OURS-v1", "finish": "stop", **detail}
    return {**row, "value": int(outcome == "c"), "outcome": outcome, "detail": told}


@pytest.fixture
def collected(tmp_path):
    def run(scores, items=None, golds=None, benchmark="anagram"):
        items = items or [item("a"), item("b")]
        golds = golds or [{"id": each["id"], "gold": {"target": "x"}} for each in items]
        for name, given in (("items", items), ("gold", golds), ("scores", scores)):
            rows.write(tmp_path / name, given)
        inputs = {name: tmp_path / name for name in ("items", "gold", "scores")}
        collect({"model": "m", "benchmark": benchmark}, inputs, tmp_path)
        return list(rows.read(tmp_path / "labels")), next(rows.read(tmp_path / "places"))

    return run


def test_labels_are_in_order_of_template_and_sample_not_of_scores(collected):
    scores = [score("a", 7, "i"), score("a", 2, "c", 1), score("a", 2, "a", 0, avoidance="ethical")]
    [row], places = collected(scores)
    assert (row["labels"], row["avoidance"]["ethical"], row["errors"]) == ("aci", 1, 0)
    assert places == {"model": "m", "benchmark": "anagram", "rule_set": "OURS-v1", "templates": [2, 2, 7]}


def test_an_error_and_a_score_that_is_not_there_are_no_labels(collected):
    found, _ = collected([score("a", 1, "c"), score("a", 2, "-"), score("b", 2, "i", finish="length")])
    assert [(row["item"], row["labels"], row["errors"], row["truncated"]) for row in found] == [
        ("a", "c-", 1, 0), ("b", "-i", 0, 1),
    ]  # fmt: skip


def test_a_word_that_is_not_the_target_counts_in_one_variant_only(collected):
    scores = [score("a", 1, "c", alternate_used=True), score("a", 2, "c", alternate_used=False), score("b", 1, "-")]
    found, _ = collected(scores)
    assert [row["variants"]["target_only"] for row in found] == ["ic", "--"]
    assert found[0]["labels"] == "cc"


def test_what_depends_on_the_answer_comes_from_the_gold(collected):
    gold = {"id": "a", "difficulty": 77.5, "gold": {"target": "x", "true_target_filtered": True}}
    found, _ = collected([score("a", 1)], [item("a", difficulty=None, input={"subset": "demo"})], [gold])
    assert (found[0]["difficulty"], found[0]["subset"]) == (77.5, "demo")
    assert found[0]["flags"] == {"true_target_filtered": True}


def test_scores_of_two_rule_sets_or_of_no_label_are_refused(collected):
    with pytest.raises(InputError, match="several rule sets"):
        collected([score("a", 1), score("a", 2, rule_set="THEIRS")])
    with pytest.raises(InputError, match="none of c, a, i"):
        collected([score("a", 1, "x")])


def test_the_templates_of_a_benchmark_are_the_same_for_all_models(tmp_path):
    def run(*told):
        rows.write(tmp_path / "places", ({"model": "m", "rule_set": "OURS-v1", **one} for one in told))
        templates({"rule_set": "OURS-v1"}, {"places": tmp_path / "places"}, tmp_path)
        return next(rows.read(tmp_path / "templates"))

    same = {"benchmark": "anagram", "templates": [1, 2]}
    assert run(same, same, {"benchmark": "science", "templates": [1]}) == {"anagram": [1, 2], "science": [1]}
    with pytest.raises(InputError, match="other wordings"):
        run(same, {**same, "templates": [1, 3]})
    with pytest.raises(InputError, match="not OURS-v1"):
        run({**same, "rule_set": "THEIRS"})
