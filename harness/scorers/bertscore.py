"""The standalone scorer `bertscore`: a response against a reference, by the encoder in an installed package.

A step that has its own encoder among its inputs calls `harness.scorers.overlap.bertscore` with its vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache, lru_cache
from typing import Annotated, Any

from pydantic import Field

from harness.digest import sha256_file
from harness.models.local.encoder import DEFAULT, Encoder, opened_encoder, packaged_files
from harness.scorers.given import Row, Text, Texts, ToolOutput, one_of_words, whole_number
from harness.scorers.overlap.bertscore import LAST, Vectors, bertscore
from harness.scorers.overlap.bertscore_package import rarity_weights, weighted_bertscore
from harness.scorers.tool import Tool

NAME = f"package:{DEFAULT}"


class BertscoreInput(Row):
    """Input: a response and a reference."""

    response: Text = Field(description="what a model said")
    reference: Text = Field(description="what it is compared with")
    encoder: Annotated[str, one_of_words("the name of an encoder", NAME)] = Field(
        default=NAME, description=f"whose vectors are compared: {NAME}"
    )
    layer: Annotated[int, whole_number(-100, 100)] = Field(
        default=LAST, description="the layer whose states are compared: 0 the embedding, negative from the last"
    )
    corpus: Texts = Field(
        default=[], description="texts by which tokens are weighed, the rarer the more: all references; unset, none is"
    )


class BertscoreOutput(ToolOutput):
    """Output: BERTScore, and the encoder, weights and layer that were used."""

    precision: float = Field(description="the mean, over a response's tokens, of the likeness to the nearest one")
    recall: float = Field(description="the same over the reference's tokens")
    f1: float = Field(description="both in one; not rescaled")
    encoder: str = Field(description="the encoder; a score means nothing beside one by another encoder or layer")
    weights: str = Field(description="SHA-256 of the encoder's weights")
    layer: int = Field(description="the layer")
    cut: list[str] = Field(description="which of the two texts were longer than the encoder's window, and cut there")


@cache
def _opened() -> tuple[Encoder, str]:
    """Open the encoder once per process; it stays open until the process ends."""
    return ExitStack().enter_context(opened_encoder()), sha256_file(packaged_files() / "model.safetensors")[0]


@lru_cache(maxsize=1)
def _rarities(corpus: tuple[str, ...]) -> Mapping[int, float]:
    """Return the weights of the tokens of a corpus, cached because the corpus is usually the same for every row."""
    opened, _ = _opened()
    return rarity_weights(opened.tokens(text.strip()) for text in corpus)


def _run(row: BertscoreInput) -> Mapping[str, Any]:
    opened, weights = _opened()
    texts = {"response": row.response, "reference": row.reference}
    found = {name: opened.pieces(text.strip(), row.layer) for name, text in texts.items()}
    ours, theirs = (Vectors(each.vectors, each.own) for each in found.values())
    if row.corpus:
        rare = _rarities(tuple(row.corpus))
        mine, its = ([rare[token] for token in each.tokens] for each in found.values())
        precision, recall, f1 = weighted_bertscore(ours, theirs, (mine, its))
    else:
        precision, recall, f1 = bertscore(ours, theirs)
    cut = [name for name, each in found.items() if each.cut]
    about = {"encoder": row.encoder, "weights": weights, "layer": row.layer, "cut": cut}
    return {"precision": precision, "recall": recall, "f1": f1, **about}


SCORERS: Mapping[str, Tool] = {
    "bertscore": Tool(
        about="Compares a response with a reference token by token, by an encoder's vectors (BERTScore).",
        takes=BertscoreInput,
        gives=BertscoreOutput,
        run=_run,
    ),
}
