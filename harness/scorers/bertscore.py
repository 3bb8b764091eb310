"""The standalone scorer `bertscore`: a response against a reference, by the encoder that an installed package holds.

It knows the names and fields a caller uses; it must never know where rows come from or where results go. A step that
has an encoder of its own among its inputs calls `harness.scorers.overlap.bertscore` with its vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from typing import Annotated, Any

from pydantic import Field

from harness.digest import sha256_file
from harness.models.local.encoder import DEFAULT, Encoder, encoder, packaged_files
from harness.scorers.given import Row, Text, ToolOutput, one_of, whole
from harness.scorers.overlap.bertscore import Vectors, bertscore
from harness.scorers.tool import Tool

NAME = f"package:{DEFAULT}"


class BertscoreInput(Row):
    """Input: a response and a reference."""

    response: Text = Field(description="what a model said")
    reference: Text = Field(description="what it is compared with")
    encoder: Annotated[str, one_of("the name of an encoder", NAME)] = Field(
        default=NAME, description=f"whose vectors are compared: {NAME}"
    )
    layer: Annotated[int, whole(-100, 100)] = Field(
        default=-1, description="the layer whose states are compared: 0 the embedding, negative from the last"
    )


class BertscoreOutput(ToolOutput):
    """Output: BERTScore, and the encoder, weights and layer it was made with."""

    precision: float = Field(description="the mean, over a response's tokens, of the likeness to the nearest one")
    recall: float = Field(description="the same over the reference's tokens")
    f1: float = Field(description="both in one; without weights of rarity, and not rescaled")
    encoder: str = Field(description="the encoder; a score means nothing beside one by another encoder or layer")
    weights: str = Field(description="SHA-256 of the encoder's weights")
    layer: int = Field(description="the layer")
    cut: list[str] = Field(description="which of the two texts were longer than the encoder's window, and cut there")


@cache
def _opened() -> tuple[Encoder, str]:
    """Open the encoder once in a process: it lives as long as that does."""
    return ExitStack().enter_context(encoder()), sha256_file(packaged_files() / "model.safetensors")[0]


def _run(row: BertscoreInput) -> Mapping[str, Any]:
    opened, weights = _opened()
    texts = {"response": row.response, "reference": row.reference}
    found = {name: opened.pieces(text.strip(), row.layer) for name, text in texts.items()}
    precision, recall, f1 = bertscore(*(Vectors(each.vectors, each.own) for each in found.values()))
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
