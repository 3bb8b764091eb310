"""The body of a judging step that measures by an encoder: BERTScore of each answer against a reference text.

The encoder is the one that the manifest names, with its own window, and its last layer unless the parameter `layer`
names another. There are no idf weights and nothing is rescaled. Values of another encoder or layer than a paper's are
never compared with the paper's values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness.kit import judged
from harness.models.local.encoder import opened_encoder
from harness.scorers.overlap.bertscore import LAST, Vectors, bertscore
from harness.scorers.overlap.ngrams import NONE

PRECISION, RECALL, F = "bert_precision", "bert_recall", "bert_f1"
LAYER = "layer"  # the parameter that names a layer: 0 is the embedding, negative ones count from the last
CUT = "cut"  # which of the two texts were longer than the encoder's window
Reference = Callable[[judged.JudgedCase], str | Mapping[str, Any]]  # a text, or a parsed reply if there is none


def judge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, reference: Reference) -> None:
    """Write the BERTScore of each answer against its reference: precision, recall, F, and which text was cut.

    If there is no reference text, the judgement is the mapping that `reference` returns. Raise InputError for a layer
    that the encoder does not have.
    """
    layer = params.get(LAYER, LAST)
    with opened_encoder(inputs["weights"], params["files"], params["dtype"]) as opened:

        def says(case: judged.JudgedCase) -> dict[str, Any]:
            text = reference(case)
            if not isinstance(text, str):
                return dict(text)
            sides = {"answer": case.response["text"].strip(), "reference": text.strip()}
            if not (sides["answer"] and sides["reference"]):
                return _parsed(NONE, [])
            seen = {side: opened.pieces(each, layer) for side, each in sides.items()}
            ours, theirs = (Vectors(found.vectors, found.own) for found in seen.values())
            return _parsed(bertscore(ours, theirs), [side for side, found in seen.items() if found.cut])

        judged.rule(params, inputs, out, says)


def _parsed(found: tuple[float, float, float], cut: list[str]) -> dict[str, Any]:
    return {**dict(zip((PRECISION, RECALL, F), found, strict=True)), CUT: cut}
