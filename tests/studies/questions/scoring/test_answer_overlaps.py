"""Overlap of an answer with its targets by ROUGE, BLEU and BERTScore: the ends of each scale, and their bounds."""

from __future__ import annotations

from pathlib import Path

import pytest
from support_answer_scores import scores, values

from harness.studies.questions.scoring import bertscore, bleu, rouge

TEXT = "the quick brown fox jumps over the lazy dog"


def test_the_same_text_is_1_and_strange_or_empty_ones_are_0(tmp_path: Path) -> None:
    answers = [TEXT, "", "completely unrelated words stand here", "\u4e1c\u4eac"]
    for kind in ("rouge1", "rouge2", "rougeL", "rougeLsum"):
        assert values(tmp_path, rouge.score, {"rouge": {"kind": kind}}, answers, {"target": TEXT}) == [1, 0, 0, 0]
    assert values(tmp_path, bleu.score, "bleu", answers, {"target": TEXT}) == pytest.approx([1, 0, 0, 0])


def test_rouge_by_hand_has_every_kind_beside_the_main_one(tmp_path: Path) -> None:
    [row] = scores(tmp_path, rouge.score, "rouge", ["the dog ran home"], {"target": "the brown dog ran"})
    assert row["value"] == row["detail"]["metrics"]["rougeL"] == pytest.approx(3 / 4)
    assert row["detail"]["metrics"] == pytest.approx(
        {"rouge1": 3 / 4, "rouge2": 1 / 3, "rougeL": 3 / 4, "rougeLsum": 3 / 4}
    )


def test_stems_are_compared_where_the_manifest_says_so(tmp_path: Path) -> None:
    gold = {"target": "dogs running"}
    assert values(tmp_path, rouge.score, {"rouge": {"stem": "true"}}, ["dogs runs"], gold) == [1]
    assert values(tmp_path, rouge.score, "rouge", ["dogs runs"], gold) == [0.5]


def test_the_nearest_of_what_is_accepted_counts(tmp_path: Path) -> None:
    gold = {"target": "nothing of it", "accepted": ["no", TEXT]}
    assert values(tmp_path, rouge.score, "rouge", [TEXT], gold) == [1]
    assert values(tmp_path, bleu.score, "bleu", [TEXT], gold) == pytest.approx([1])


def test_texts_and_lines_without_bounds_have_no_rouge(tmp_path: Path) -> None:
    long, lines = "a " * 150_000, "a\n" * 5_000
    assert values(tmp_path, rouge.score, "rouge", [long], {"target": TEXT}) == [{"missing": rouge.TOO_LONG}]
    assert values(tmp_path, rouge.score, "rouge", [TEXT], {"target": long}) == [{"missing": rouge.TOO_LONG}]
    [row] = scores(tmp_path, rouge.score, "rouge", [lines], {"target": lines})
    assert row["value"] == 1 and set(row["detail"]["metrics"]) == {"rouge1", "rouge2", "rougeL"}
    written = {"rouge": {"kind": "rougeLsum"}}
    assert values(tmp_path, rouge.score, written, [lines], {"target": lines}) == [{"missing": rouge.TOO_LONG}]


def test_bertscore_is_what_the_encoders_judgement_says(tmp_path: Path) -> None:
    said = {"bert_precision": 0.5, "bert_recall": 0.75, "bert_f1": 0.6, "cut": ["answer"]}
    about = {
        "item": "i0",
        "template": 1,
        "model": "m",
        "sample": 0,
        "judge": "encoder",
        "repeat": 0,
        "round": 0,
        "text": "",
    }
    more = {"judgements": [{**about, "parsed": said}]}
    [row] = scores(tmp_path, bertscore.score, "bertscore", ["x"], {"target": "y"}, more)
    assert row["value"] == 0.6 and row["detail"]["cut"] == ["answer"]
    assert row["detail"]["metrics"] == {"precision": 0.5, "recall": 0.75}
