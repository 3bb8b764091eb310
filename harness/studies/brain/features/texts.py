"""The texts that a language model reads of a dataset: one piece per sample, its context, and the pooling of its tokens.

Independent of models, vectors and recordings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict

from harness import rows
from harness.errors import InputError
from harness.models.local.activations import ActivationOptions, Pool
from harness.studies.brain.rowtypes import Stimulus
from harness.studies.brain.structure.layout import Layout, layout
from harness.studies.brain.terms import BLANK, DATASETS, FEDORENKO, GENERATIONS, H, P

LIMIT = 512  # keep the last 512 tokens of context and piece, fewer if the model's limit is lower
POOLS: Mapping[str, tuple[Pool, ...]] = {P: ("sum", "last"), H: ("sum", "last", "mean")}
_OF_THE_PAPER: Mapping[str, Pool] = {FEDORENKO: "sum", BLANK: "last"}  # whatever the pool for a sentence of Pereira
_SPACES = {P: "always", H: "later"}  # which pieces get a leading space: all, or those with a context
_STOP = "."


class Piece(TypedDict):
    """A text that a language model reads, and the passage whose earlier texts are its context."""

    id: str
    text: str
    passage: str


def pieces(dataset: str, stimuli: Iterable[Stimulus], generation: str) -> list[Piece]:
    """Return the texts that a language model reads, one per sample in order, without trailing white space.

    A passage is a block; context does not cross its bounds. Generation P removes the full stop that ends a sentence of
    Fedorenko. For Blank, generation P reads the word 4 s before a scan, but no file has the times. OURS is to take the
    last word of the scan's text, so both generations read the same. Raises InputError for a text without a word, an
    unknown generation, and rows that are not those of a dataset (`structure.layout`).
    """
    _known("generation", generation, GENERATIONS)
    found = list(stimuli)
    where = layout(dataset, found)
    ends = _ends(where) if (dataset, generation) == (FEDORENKO, P) else frozenset()
    return [
        {"id": row["id"], "text": _text(row, end=place in ends), "passage": row["block"]}
        for place, row in enumerate(found)
    ]


def options(dataset: str, generation: str, pool: str = "sum") -> ActivationOptions:
    """Return how a language model reads a dataset's texts: context, layer space, and pooling of tokens.

    `pool` says how the tokens of a sentence are combined. In generation P it applies to Pereira only: a word of
    Fedorenko is the sum of its tokens, and a scan of Blank is its last token. Raises InputError for an unknown dataset
    or generation, and for a pool that the generation does not have: only H has `mean`.
    """
    _known("dataset", dataset, DATASETS)
    _known("generation", generation, GENERATIONS)
    _known("pool", pool, POOLS[generation])
    taken = _OF_THE_PAPER.get(dataset, pool) if generation == P else pool
    said = {"pool": taken, "context": "pieces", "space": _SPACES[generation], "limit": LIMIT}
    return ActivationOptions.of(said)


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the step's output `pieces`, the texts for language models to read, from `stimuli`; raises as `pieces`."""
    found = pieces(params["dataset"], rows.read(inputs["stimuli"], Stimulus), params["generation"])
    rows.write(out / "pieces", _plain(found))


def _plain(found: Iterable[Piece]) -> Iterator[dict[str, str]]:
    for piece in found:
        yield {"id": piece["id"], "passage": piece["passage"], "text": piece["text"]}


def _text(row: Stimulus, *, end: bool) -> str:
    text = row["text"].rstrip()
    text = text.removesuffix(_STOP) if end else text
    if not text.strip():
        raise InputError(
            "the sample has no text that a model could read", where=row["id"][:80], next="give it a text, or no model"
        )
    return text


def _ends(where: Layout) -> frozenset[int]:
    """Return the last row of each sentence."""
    return frozenset(rows_of[-1] for rows_of in where.block_rows().values())


def _known(name: str, said: str, known: Iterable[str]) -> None:
    if said not in known:
        raise InputError(f"no {name} is called {said!r:.80}", where=name, next=f"choose one of: {', '.join(known)}")
