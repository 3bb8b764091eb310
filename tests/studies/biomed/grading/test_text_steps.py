"""The score steps of the text metrics and of BERTScore, and texts that are too long to be compared."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from support_pace import soon

from harness import rows
from harness.studies.biomed.grading import bertscore, text
from harness.studies.biomed.grading.text_metrics import LONGEST, TOO_LONG, every_rouge, text_metrics

ABOUT: dict[str, Any] = {"item": "a", "template": 1, "model": "m", "sample": 0}
GOLD = "The drug was approved in 1987 and has one target."


def inputs_of(folder: Path, answer: str, **tables: Any) -> dict[str, Path]:
    every = {
        "items": [{"id": "a", "task": "biomed", "input": {"question": "?"}, "difficulty": None, "meta": {}}],
        "gold": [{"id": "a", "gold": {"target": GOLD}}],
        "responses": [{**ABOUT, "text": answer, "finish": "stop"}],
        **tables,
    }
    for name, table in every.items():
        rows.write(folder / name, table)
    return {name: folder / name for name in every}


@pytest.mark.parametrize(("answer", "worth"), [(GOLD, 1), ("", 0), ("\u03b1\u03b2", 0)])
def test_a_text_is_worth_rouge_l_with_bleu_and_rouge_2_beside_it(tmp_path: Path, answer: str, worth: int) -> None:
    text.score({"mode": "strict"}, inputs_of(tmp_path, answer), tmp_path)
    [row] = rows.read(tmp_path / "scores")
    assert (row["scorer"], row["value"]) == ("text", worth)
    assert row["detail"]["metrics"] == {"BLEU": worth, "ROUGE2": worth, "ROUGEL": worth}


def test_a_text_of_megabytes_has_no_value_and_takes_no_time(tmp_path: Path) -> None:
    begun = time.process_time()
    text.score({"mode": "paper"}, inputs_of(tmp_path, "a b " * 1_250_000), tmp_path)
    assert soon(time.process_time() - begun, 1)
    [row] = rows.read(tmp_path / "scores")
    assert row["value"] == {"missing": TOO_LONG}


@pytest.mark.long
@pytest.mark.parametrize("sign", ["a ", "a\n", ".", "9,", "&amp;", "\u00e9 "])
def test_the_longest_texts_are_compared_soon(sign: str) -> None:
    long, begun = (sign * LONGEST)[:LONGEST], time.process_time()
    found = text_metrics(long, long)
    every_rouge(long, long)
    assert soon(time.process_time() - begun, 4)
    assert found and set(found.metrics) == {"BLEU", "ROUGE2", "ROUGEL"}


@pytest.mark.long
def test_a_thousand_answers_are_compared_in_a_second() -> None:
    words = [f"gene{number}" for number in range(97)]
    texts = [" ".join(words[(row * 31 + place * place) % 97] for place in range(180)) for row in range(32)]
    golds = [" ".join(words[(row * 7 + place * 3) % 97] for place in range(36)) for row in range(32)]
    begun = time.process_time()
    for text_ in texts:
        for gold in golds:
            text_metrics(text_, gold)
    assert soon(time.process_time() - begun, 1.2)  # 0.8 on one quiet core


def test_the_score_of_bertscore_is_the_f_of_its_judgement(tmp_path: Path) -> None:
    said = {"bert_precision": 0.5, "bert_recall": 0.7, "bert_f1": 0.6, "cut": ["answer"]}
    told = [{**ABOUT, "judge": "encoder", "repeat": 0, "round": 0, "text": "", "parsed": said}]
    bertscore.score({"mode": "paper"}, inputs_of(tmp_path, "x", judgements=told), tmp_path)
    [row] = rows.read(tmp_path / "scores")
    assert (row["scorer"], row["value"], row["detail"]["metrics"]) == ("bertscore", 0.6, {"BERTScore": 0.6})
    assert row["detail"]["cut"] == ["answer"]
