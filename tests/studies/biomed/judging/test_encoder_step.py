"""The judging step of BERTScore: which texts the encoder sees, and what is not compared at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness import rows
from harness.kit import encoded
from harness.models.local.encoder import TokenVectors
from harness.studies.biomed.judging.encoder import judge

ABOUT: dict[str, Any] = {"template": 1, "model": "m", "sample": 0}
SPACE = {"gene": (1.0, 0.0), "drug": (0.0, 1.0)}


class WordEncoder:
    """An encoder of two words, whose window is three of them; on layer 17 all words are one."""

    def pieces(self, text: str, layer: int) -> TokenVectors:
        words = text.split() if layer != 17 else ["gene"] * len(text.split())
        return TokenVectors(np.array([SPACE[word] for word in words[:3]]), [False] * len(words[:3]), len(words) > 3)


@contextmanager
def opened(*given: Any) -> Iterator[WordEncoder]:
    yield WordEncoder()


def judged(folder: Path, monkeypatch: pytest.MonkeyPatch, answers: list[str], **params: Any) -> list[dict[str, Any]]:
    """Judge answers to questions whose gold answer is one gene."""
    monkeypatch.setattr(encoded, "opened_encoder", opened)
    ids = [f"q{place}" for place in range(len(answers))]
    tables: dict[str, list[dict[str, Any]]] = {
        "items": [{"id": id, "task": "biomed", "input": {}, "difficulty": None, "meta": {}} for id in ids],
        "gold": [{"id": id, "gold": {"target": "gene"}} for id in ids],
        "responses": [
            {**ABOUT, "item": id, "text": text, "finish": "stop"} for id, text in zip(ids, answers, strict=True)
        ],
    }
    for name, table in tables.items():
        rows.write(folder / name, table)
    inputs = {**{name: folder / name for name in tables}, "weights": folder}
    judge({"judge": "encoder", "files": [], "dtype": "float32", "mode": "paper", **params}, inputs, folder)
    return [row["parsed"] for row in rows.read(folder / "judgements")]


def test_an_answer_is_compared_with_its_gold_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    same, half, other = judged(tmp_path, monkeypatch, ["gene", "gene drug", "drug"])
    assert (same["bert_f1"], other["bert_f1"]) == (1, 0)
    assert (half["bert_precision"], half["bert_recall"]) == (0.5, 1)


def test_a_text_beyond_the_window_says_that_it_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(tmp_path, monkeypatch, ["gene gene gene drug"])[0]["cut"] == ["answer"]


def test_a_blank_answer_is_worth_nothing_as_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(tmp_path, monkeypatch, [" \n"]) == [{"bert_precision": 0, "bert_recall": 0, "bert_f1": 0, "cut": []}]


def test_a_layer_that_the_settings_name_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(tmp_path, monkeypatch, ["drug"], layer=17)[0]["bert_f1"] == 1
    assert judged(tmp_path, monkeypatch, ["drug"], layer=-1)[0]["bert_f1"] == 0
