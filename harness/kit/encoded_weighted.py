"""The body of a judging step of BERTScore with options: a layer, inverse document frequency weights, a baseline.

It is separate from `encoded.py`, so that a step with the defaults does not load the package bert-score and is not keyed
by it. Weights are counted over the references of the whole dataset, so that no score depends on how answers are cut
into shards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.kit import judged
from harness.kit.encoded import CUT, PRECISION, RECALL, F
from harness.models.local.encoder import Encoder, TokenVectors, opened_encoder
from harness.rowtypes import Gold, Item
from harness.scorers.overlap.bertscore import LAST, Vectors, bertscore
from harness.scorers.overlap.bertscore_package import rarity_weights, rescale_values, weighted_bertscore
from harness.scorers.overlap.ngrams import NONE, Overlap

Target = Callable[[Item, Gold], str]


def judge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, target: Target) -> None:
    """Write the weighted BERTScore of each answer: precision, recall, F, and which text was cut.

    params: layer, idf, baseline (of precision, recall and F); the 0 of a blank text is rescaled like any other value.
    """
    layer, base = int(params.get("layer", LAST)), params.get("baseline")
    with opened_encoder(inputs["weights"], params["files"], params["dtype"]) as opened:
        weights = rarity_weights(map(opened.tokens, _references(inputs, target))) if params.get("idf") else None

        def says(case: judged.JudgedCase) -> dict[str, Any]:
            texts = {"answer": case.response["text"].strip(), "reference": target(case.item, case.gold).strip()}
            found, cut = _compared(opened, texts, layer, weights) if all(texts.values()) else (NONE, [])
            found = rescale_values(found, (base[0], base[1], base[2])) if base else found
            return {**dict(zip((PRECISION, RECALL, F), found, strict=True)), CUT: cut}

        judged.rule(params, inputs, out, says)


def _compared(
    opened: Encoder, texts: Mapping[str, str], layer: int, weights: Mapping[int, float] | None
) -> tuple[Overlap, list[str]]:
    seen = {side: opened.pieces(text, layer) for side, text in texts.items()}
    cut = [side for side, found in seen.items() if found.cut]
    ours, theirs = (Vectors(found.vectors, found.own) for found in seen.values())
    if weights is None:
        return bertscore(ours, theirs), cut
    mine, its = (_weights(found, weights) for found in seen.values())
    return weighted_bertscore(ours, theirs, (mine, its)), cut


def _weights(found: TokenVectors, weights: Mapping[int, float]) -> list[float]:
    return [weights[token] for token in found.tokens]


def _references(inputs: Mapping[str, Path], target: Target) -> Iterator[str]:
    items = {row["id"]: row for row in rows.read(inputs["items"], Item)}
    return (target(items[row["id"]], row).strip() for row in rows.read(inputs["gold"], Gold))
