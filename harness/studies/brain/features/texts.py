"""What a language model reads of a dataset: a piece of text a sample, what stands before it, and how tokens are pooled.

It must never know a model, a vector or a recording.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict

from harness import rows
from harness.errors import InputError
from harness.models.local.pieces import ActivationOptions, Pool
from harness.studies.brain.rowtypes import Stimulus
from harness.studies.brain.structure.layout import Layout, layout
from harness.studies.brain.terms import BLANK, DATASETS, FEDORENKO, GENERATIONS, H, P

LIMIT = 512  # tokens of context and piece together, the last ones; a model that holds fewer cuts to its own
POOLS: Mapping[str, tuple[Pool, ...]] = {P: ("sum", "last"), H: ("sum", "last", "mean")}
_OF_THE_PAPER: Mapping[str, Pool] = {FEDORENKO: "sum", BLANK: "last"}  # whatever stands for a sentence of Pereira
_SPACES = {P: "always", H: "later"}  # before which pieces one space stands: all, or those with a context
_STOP = "."


class Piece(TypedDict):
    """A text as a model is given it, and the passage whose earlier pieces are its context."""

    id: str
    text: str
    passage: str


def pieces(dataset: str, stimuli: Iterable[Stimulus], generation: str) -> list[Piece]:
    """Give the text of each sample, in their order: as it stands, less the white space at its end.

    A passage is a block: no context goes beyond it. Generation P leaves out the full stop that ends a sentence of
    Fedorenko. Of Blank it reads the word 4 s before a scan, whose times are in no file: OURS is to take the last word
    of the scan's text, so that both generations read the same. InputError for a text without a word, an unknown
    generation, and rows that are not those of a dataset (`structure.layout`).
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
    """Give how the pieces of a dataset are read and pooled.

    `pool` is what stands for the tokens of a sentence. In generation P it is Pereira's alone: a word of Fedorenko is
    the sum of its tokens, a scan of Blank its last token. InputError for an unknown dataset or generation, and for a
    pool that a generation does not have: `mean` is H's.
    """
    _known("dataset", dataset, DATASETS)
    _known("generation", generation, GENERATIONS)
    _known("pool", pool, POOLS[generation])
    taken = _OF_THE_PAPER.get(dataset, pool) if generation == P else pool
    said = {"pool": taken, "context": "pieces", "space": _SPACES[generation], "limit": LIMIT}
    return ActivationOptions.of(said)


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the step's `pieces` from `stimuli`; params: dataset, generation; InputError as `pieces` says."""
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
    """Give the last row of each sentence."""
    return frozenset(rows_of[-1] for rows_of in where.block_rows().values())


def _known(name: str, said: str, known: Iterable[str]) -> None:
    if said not in known:
        raise InputError(f"no {name} is called {said!r:.80}", where=name, next=f"choose one of: {', '.join(known)}")
