"""Text metrics and boxes of a run, lengths in words, and what answers cost at the published prices."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
from studies.biomed.measures.answer_rows import RULE, gold, graded, item, made

import harness
from harness.errors import InputError
from harness.studies.biomed.measures import costs, texts, tokens

TABLE = Path(harness.__file__).parent / "studies" / "biomed" / "tables" / "published@1.csv"
VALUES: dict[str, Any] = {"T01.1": 0.1, "T01.2": 0.4, "T02.1": 0.3, "T02.2": {"missing": "HTTP 500"}}


def text_rows(mode="strict"):
    rows = [{"item": uuid, "template": 1, "model": "m", "sample": 0, "scorer": "text", "value": value,
             "detail": {"mode": mode, "metrics": {} if isinstance(value, dict) else {"BLEU": value / 2}}}
            for uuid, value in VALUES.items()]  # fmt: skip
    encoder = {**rows[0], "scorer": "bertscore", "value": 0.8, "detail": {"mode": mode, "metrics": {"BERTScore": 0.8}}}
    return [*rows, encoder]


def response(uuid, text, model="m", **more):
    return {"item": uuid, "template": 1, "model": model, "sample": 0, "text": text, "finish": "stop", **more}


def test_a_metric_has_its_mean_its_missing_values_and_both_intervals(tmp_path):
    found = made(tmp_path, texts.analyse, text_rows())["metrics"]
    told = found["ROUGEL"]["m"]
    assert (told["value"], told["n"], told["n_missing"]) == (pytest.approx(0.8 / 3), 3, 1)
    own = np.array([0.1, 0.4, 0.3])
    assert told["rows"]["interval"] == pytest.approx(scipy.stats.t.interval(0.95, 2, own.mean(), scipy.stats.sem(own)))
    assert told["templates"]["n_templates"] == 2
    assert found["BLEU"]["m"]["value"] == pytest.approx(0.4 / 3) and found["BERTScore"]["m"]["value"] == 0.8


def test_paper_mode_has_the_published_normal_interval(tmp_path):
    told = made(tmp_path, texts.analyse, text_rows("paper"), mode="paper")["metrics"]["ROUGEL"]["m"]
    own = np.array([0.1, 0.4, 0.3])
    expected = scipy.stats.norm.interval(0.95, own.mean(), scipy.stats.sem(own))
    assert told["official"]["interval"] == pytest.approx(expected) and "rows" not in told


def test_the_box_of_bioscore_leaves_abstentions_out_and_says_their_share(tmp_path):
    found = made(tmp_path, texts.analyse, graded("T01", [3, 3, 0, 3, -1, "error"]))["bioscore"][RULE]["m"]
    assert found["abstained"] == 1 / 6 and found["box"]["n"] == 4 and found["box"]["median"] == 1
    assert found["box"]["n_outside"] == 1 and found["box"]["low"] == 1  # 0 lies beyond the whisker


def test_lengths_are_words_between_white_space_and_say_so(tmp_path):
    items, golds = [item("T01.1", question="Is  it\nso?")], [gold("T01.1", target="Yes it is")]
    rows = [response("T01.1", "no"), response("T01.1", "a b c", "n"), response("T01.1", "", "n", error="HTTP 500")]
    tables = {"gold": golds, "responses": rows}
    found = made(tmp_path, tokens.analyse, [], items=items, tables=tables, models=["m", "n"])
    assert "white space" in found["counter"] and "not the paper's" in found["counter"]
    assert [found[name]["sum"] for name in ("question", "answer")] == [3, 3]
    assert found["responses"]["n"]["n_errors"] == 1 and found["responses"]["n"]["n"] == 1
    assert "Sum token count for n responses: 3\n" in found["statistics"]
    paper = made(tmp_path, tokens.analyse, [], items=items, tables=tables, models=["m", "n"], mode="paper")
    assert paper["responses"]["n"]["sum"] == 4  # a missing text reads as one word


def test_the_histogram_leaves_outliers_out_and_counts_every_kept_length():
    counts = [*range(10, 60), 5000]
    found = tokens.described(counts)
    assert (found["n"], found["histogram"]["n_kept"]) == (51, 50) and sum(found["histogram"]["counts"]) == 50
    assert found["median"] == 35 and found["histogram"]["median_kept"] == 34.5
    assert "missing" in tokens.described([])["histogram"]


def test_a_cost_is_exact():
    prices = costs.PriceList(Decimal("0.0025"), Decimal("0.01"), Decimal("0.005"))
    assert costs.cost(costs.CountedTokens(1000, 1000, 3000, 2), prices) == Decimal("0.045")


def test_a_runs_cost_counts_the_system_turn_once_a_template_in_paper_mode(tmp_path):
    items = [item("T01.1", question="a b"), item("T01.2", question="c d")]
    turns = [{"role": "system", "content": "one two three"}, {"role": "user", "content": "a b"}]
    tables = {"rendered": [{"item": each["id"], "template": 1, "messages": turns} for each in items],
              "responses": [response("T01.1", "x y"), response("T01.2", "z")], "published": TABLE}  # fmt: skip
    given = {"models": ["m"], "prices": {"m": "gpt-4o"}}
    strict, paper = (made(tmp_path, costs.analyse, [], items=items, tables=tables, mode=mode, **given)["models"]["m"]
                     for mode in ("strict", "paper"))  # fmt: skip
    assert (strict["system"], paper["system"]) == (6, 3)
    assert (strict["question"], strict["response"], strict["requests"]) == (4, 3, 2)
    assert strict["usd"] == pytest.approx(10 * 0.0025 / 1000 + 3 * 0.01 / 1000)


def test_without_a_published_price_there_is_no_cost_and_a_name_is_refused(tmp_path):
    tables = {"rendered": [], "responses": [response("T01.1", "x")], "published": TABLE}
    found = made(tmp_path, costs.analyse, [], items=[item("T01.1")], tables=tables, models=["m"])
    assert "missing" in found["models"]["m"]["usd"]
    with pytest.raises(InputError, match="prices"):
        made(tmp_path, costs.analyse, [], items=[item("T01.1")], tables=tables, models=["m"], prices={"m": "x"})


def test_what_stands_before_the_question_of_one_text_is_the_system_part(tmp_path):
    tables = {"rendered": [{"item": "T01.1", "template": 1, "text": "be brief. Is it?"}],
              "responses": [response("T01.1", "x")], "published": TABLE}  # fmt: skip
    found = made(tmp_path, costs.analyse, [], items=[item("T01.1")], tables=tables, models=["m"])["models"]["m"]
    assert (found["system"], found["question"]) == (2, 2)
