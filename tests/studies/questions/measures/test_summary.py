"""The summary of a run of `questions`, made by its step, beside numbers worked out by hand or by another path."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest
from studies.questions.measures.question_rows import error, item, score, summed

from harness import stats
from harness.errors import InputError
from harness.kit import score_intervals


def test_a_share_has_wilsons_interval_and_its_errors_beside_it(tmp_path: Path) -> None:
    names = [f"i{place}" for place in range(10)]
    rows = [score(name, int(place < 7)) for place, name in enumerate(names)] + [error("i0", wording=2)]
    found = summed(tmp_path, [item(name) for name in names], rows)
    line = found["scores"]["m"]["d"]["exact"]
    assert (line["n"], line["items"], line["value"], line["errors"], line["by"]) == (10, 10, 0.7, 1, "wilson")
    assert line["interval"] == pytest.approx(stats.wilson(7, 10))
    assert line["at_worst"] == pytest.approx(7 / 11)
    assert found["states"]["m"]["d"]["exact"] == {
        "scored": 10, "missing": 0, "error": 1, "judge_error": 0, "cut_off": 0,
    }  # fmt: skip
    assert found["datasets"] == {"d": {"items": 10, "groups": {}}}
    assert (found["wordings"], found["samples"], found["perplexity"], found["groups"]) == ({}, {}, {}, {})


def test_nobody_right_is_a_share_too_though_no_answer_shows_the_scale(tmp_path: Path) -> None:
    found = summed(tmp_path, [item("a"), item("b")], [score("a", 0), score("b", 0)])
    line = found["scores"]["m"]["d"]["exact"]
    assert line["interval"] == pytest.approx(stats.wilson(0, 2))


def test_a_renamed_scorer_keeps_the_bounds_of_its_kind(tmp_path: Path) -> None:
    rows = [score("a", 1, scorer="strictly"), error("b", scorer="strictly")]
    line = summed(tmp_path, [item("a"), item("b")], rows, {"strictly": "exact"})["scores"]["m"]["d"]["strictly"]
    assert line["at_worst"] == 0.5


def test_clusters_widen_the_interval_of_a_share(tmp_path: Path) -> None:
    items = [item(f"i{place:02}", cluster=f"text {place // 10}") for place in range(60)]
    rows = [score(f"i{place:02}", int(place // 10 % 2)) for place in range(60)]
    found = summed(tmp_path, items, rows)
    line = found["scores"]["m"]["d"]["exact"]
    assert (line["by"], line["clusters"], found["datasets"]["d"]["clusters"]) == ("clusters", 6, 6)
    assert line["interval"] == pytest.approx(score_intervals.share_interval([(10, 0.0), (10, 10.0)] * 3))
    alone = stats.wilson(30, 60)
    assert line["interval"][1] - line["interval"][0] > 2 * (alone[1] - alone[0])


def test_an_item_without_a_cluster_stands_for_itself(tmp_path: Path) -> None:
    items = [item("a", cluster="b"), item("b"), item("c", cluster="b")]
    line = summed(tmp_path, items, [score("a", 0.5), score("b", 0.75), score("c", 0.0)])["scores"]["m"]["d"]["exact"]
    assert line["clusters"] == 2
    low, high = score_intervals.mean_interval([(2, 0.5), (1, 0.75)])
    assert line["interval"] == pytest.approx([max(low, 0), min(high, 1)])


def test_one_cluster_alone_has_no_interval(tmp_path: Path) -> None:
    items = [item("a", cluster="x"), item("b", cluster="x")]
    line = summed(tmp_path, items, [score("a", 1), score("b", 0)])["scores"]["m"]["d"]["exact"]
    assert (line["no_interval"], line["clusters"], "interval" in line) == ("one cluster alone", 1, False)


def test_groups_are_told_by_column_and_value(tmp_path: Path) -> None:
    items = [item("a", group={"continent": "Asia", "size": "big"}), item("b", group={"continent": "Asia", "size": ""}),
             item("c", group={"continent": "Europe", "size": "big"})]  # fmt: skip
    found = summed(tmp_path, items, [score("a", 1), score("b", 0), score("c", 1)])["groups"]["d"]
    asia = found["continent"]["values"]["Asia"]["m"]["exact"]
    assert (asia["n"], asia["value"], asia["interval"]) == (2, 0.5, pytest.approx(stats.wilson(1, 2)))
    sizes = found["size"]["values"]
    assert (sizes["big"]["m"]["exact"]["value"], sizes["(empty)"]["m"]["exact"]["value"]) == (1, 0)


def test_a_group_that_nobody_was_scored_in_is_there_and_empty(tmp_path: Path) -> None:
    items = [item("a", group={"g": "x"}), item("b", group={"g": "y"})]
    found = summed(tmp_path, items, [score("a", 1)])["groups"]["d"]["g"]["values"]
    assert found["x"]["m"]["exact"]["value"] == 1 and found["y"] == {}


def test_a_column_of_ever_new_values_is_no_grouping(tmp_path: Path) -> None:
    items = [item(f"i{place}", group={"g": str(place)}) for place in range(201)]
    found = summed(tmp_path, items, [score(f"i{place}", 1) for place in range(201)])["groups"]["d"]
    assert found == {"g": {"missing": "201 different values, more than 200"}}


def test_names_of_groups_that_begin_alike_for_long_stay_apart(tmp_path: Path) -> None:
    items = [item("a", group={"g": "x" * 200 + "1"}), item("b", group={"g": "x" * 200 + "2"})]
    found = summed(tmp_path, items, [score("a", 1), score("b", 0)])["groups"]["d"]["g"]["values"]
    assert sorted(values["m"]["exact"]["value"] for values in found.values()) == [0, 1]
    assert all(len(name) < 120 for name in found)


def test_wordings_are_told_apart_with_their_spread(tmp_path: Path) -> None:
    values = {1: [1, 1, 1, 0], 2: [1, 0, 0, 0], 3: [1, 1, 0, 0]}
    rows = [score(f"i{place}", value, wording=wording)
            for wording, known in values.items() for place, value in enumerate(known)]  # fmt: skip
    found = summed(tmp_path, [item(f"i{place}") for place in range(4)], rows)["wordings"]["m"]["d"]["exact"]
    assert [found["by_wording"][name]["value"] for name in "123"] == [0.75, 0.25, 0.5]
    assert found["by_wording"]["1"]["interval"] == pytest.approx(stats.wilson(3, 4))
    assert found["spread"] == pytest.approx({"low": 0.25, "high": 0.75, "range": 0.5, "deviation": 0.25})


def sampled(said: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Give the scores of several answers to each item, of which `A` is right; `-` could not be read, `!` failed."""
    return [
        error(name, sample=place)
        if one == "!"
        else score(name, int(one == "A"), sample=place, answer=None if one == "-" else one)
        for name, answers in said.items()
        for place, one in enumerate(answers)
    ]


def test_samples_give_pass_at_k_and_the_majority(tmp_path: Path) -> None:
    said = {"a": list("AABC"), "b": list("ABBB"), "c": list("BCD-"), "d": list("AB!!")}
    found = summed(tmp_path, [item(name) for name in said], sampled(said))["samples"]["m"]["d"]["exact"]
    assert (found["prompts"], found["most"]) == (4, 4)
    assert found["pass_at"]["1"]["value"] == pytest.approx((0.5 + 0.25 + 0 + 0.5) / 4)
    assert found["pass_at"]["2"]["value"] == pytest.approx((5 / 6 + 1 / 2 + 0 + 1) / 4)
    assert found["pass_at"]["4"]["value"] == pytest.approx(2 / 3) and found["pass_at"]["4"]["left_out"] == 1
    assert found["majority"]["value"] == pytest.approx((1 + 0 + 0 + 0.5) / 4)
    assert (found["majority"]["ties"], found["majority"]["unread"]) == (2, 1)
    low, high = found["majority"]["interval"]
    assert low <= found["majority"]["value"] <= high


def test_scores_between_right_and_wrong_pass_nothing(tmp_path: Path) -> None:
    found = summed(tmp_path, [item("a")], [score("a", 0.5, sample=0), score("a", 1, sample=1)])["samples"]
    assert found["m"]["d"]["exact"]["pass_at"] == {"missing": "a score says more than right or wrong"}
    assert found["m"]["d"]["exact"]["majority"] == {"missing": "the scorer read nothing of any answer"}


def test_perplexity_is_of_all_texts_together(tmp_path: Path) -> None:
    texts = {"a": (-10.0, 4, 3, 15), "b": (-100.0, 20, 12, 80), "c": (-1.0, 2, 1, 4)}
    rows = [
        score(name, -logprob / tokens, scorer="perplexity", logprob=logprob, tokens=tokens, words=words, bytes=size,
              metrics={"word_perplexity": math.exp(-logprob / words)})
        for name, (logprob, tokens, words, size) in texts.items()
    ]  # fmt: skip
    found = summed(tmp_path, [item(name) for name in texts], [*rows, error("a", scorer="perplexity", wording=2)])
    told = found["perplexity"]["m"]["d"]["perplexity"]
    assert told["word_perplexity"]["value"] == pytest.approx(math.exp(111 / 16))
    assert told["byte_perplexity"]["value"] == pytest.approx(math.exp(111 / 99))
    assert told["bits_per_byte"]["value"] == pytest.approx(111 / 99 / math.log(2))
    assert told["token_perplexity"]["value"] == pytest.approx(math.exp(111 / 26))
    low, high = told["token_perplexity"]["interval"]
    assert 1 <= low < told["token_perplexity"]["value"] < high
    line = found["scores"]["m"]["d"]["perplexity"]
    assert line["value"] == pytest.approx((2.5 + 5 + 0.5) / 3) and "at_worst" not in line
    assert line["metrics"]["word_perplexity"]["n"] == 3


def test_a_perplexity_beyond_every_number_is_a_text(tmp_path: Path) -> None:
    detail: dict[str, Any] = {
        "logprob": -1e6,
        "tokens": 2,
        "words": 1,
        "bytes": 4,
        "metrics": {"word_perplexity": "inf"},
    }
    rows = [score(name, 5e5, scorer="perplexity", **detail) for name in "ab"]
    told = summed(tmp_path, [item("a"), item("b")], rows)["perplexity"]["m"]["d"]["perplexity"]
    assert told["word_perplexity"]["value"] == "inf" and told["byte_perplexity"]["value"] == "inf"


def test_a_score_of_an_item_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not in items"):
        summed(tmp_path, [item("a")], [score("b", 1)])


def test_the_order_of_the_rows_changes_nothing(tmp_path: Path) -> None:
    draw = random.Random(1)
    names = [f"i{place}" for place in range(12)]
    items = [item(name, group={"g": name[-1]}, cluster=name[1]) for name in names]
    rows = [score(name, draw.random(), wording=wording, sample=sample, answer=draw.choice("AB"))
            for name in names for wording in (1, 2) for sample in (0, 1)]  # fmt: skip
    once = summed(tmp_path, items, rows)
    draw.shuffle(rows)
    assert summed(tmp_path, items, rows) == once


def test_bootstrapped_means_of_two_models_share_their_resamples(tmp_path: Path) -> None:
    names = [f"i{place}" for place in range(20)]
    values = [place / 20 for place in range(20)]
    rows = [score(name, value, model=model, scorer="f1")
            for model in ("m", "n") for name, value in zip(names, values, strict=True)]  # fmt: skip
    found = summed(tmp_path, [item(name) for name in names], rows)["scores"]
    assert found["m"]["d"]["f1"]["by"] == "bootstrap"
    assert found["m"]["d"]["f1"]["interval"] == found["n"]["d"]["f1"]["interval"]
