"""The judging step of BERTScore: an answer beside its reference, by the vectors of the encoder that a manifest names.

The encoder's own layer and window hold; one that is not the paper's gives values that are never compared with the
paper's. It must never know who answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.models.local.encoder import encoder
from harness.scorers.overlap.bertscore import Vectors, bertscore
from harness.studies import judged
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.scoring.found import GOLD_INVALID
from harness.studies.curie.scoring.references import reference_text

NAMES = ("bert_precision", "bert_recall", "bert_f1")
LAST = -1  # the layer whose states are compared


def judge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the judgement of each answer: precision, recall and F, and which of the two texts were cut."""
    with encoder(inputs["weights"], params["files"], params["dtype"]) as opened:

        def says(case: judged.JudgedCase) -> dict[str, Any]:
            try:
                reference = reference_text(params["task"], case.gold, params["mode"]).strip()
            except Unreadable as bad:
                return {GOLD_INVALID: str(bad)}
            texts = {"answer": case.response["text"].strip(), "reference": reference}
            if not all(texts.values()):
                return {**dict.fromkeys(NAMES, 0), "cut": []}
            found = {name: opened.pieces(text, LAST) for name, text in texts.items()}
            values = bertscore(*(Vectors(each.vectors, each.own) for each in found.values()))
            return {**dict(zip(NAMES, values, strict=True)), "cut": [name for name in found if found[name].cut]}

        judged.rule(params, inputs, out, says)
