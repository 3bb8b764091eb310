"""Activations (hidden states) of a local model for pieces of text: a vector per piece or word, one file per layer.

Texts are read one at a time at batch `reference`, which is the bit-exact level, or N side by side. Whatever the number
of pieces, memory holds one batch and one passage.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from harness import rows
from harness.arrays import stream_writer
from harness.errors import InputError
from harness.models.local.load import LoadedModel, batch_size, hold_encoder, open_encoder, step_model, with_batch_policy
from harness.models.local.pieces import ActivationOptions, PiecePart, PieceTokenizer, TokenizedPiece, count_vectors
from harness.models.local.torch_setup import fingerprint_torch, out_of_memory, release_memory
from harness.steps import FACTS

WARM = hold_encoder


def hidden_states(loaded: LoadedModel, texts: Sequence[str], layers: Sequence[int] | None = None) -> Any:
    """Return the mean hidden states of each text over its tokens: float32 [text, layer, width].

    Layer 0 is the embedding; negative layers count from the last; None means all layers. Raises InputError for a text
    without tokens, or longer than the context window.
    """
    import numpy as np  # noqa: PLC0415

    found = [_states(loaded, text, layers).mean(axis=1, dtype=np.float64).astype(np.float32) for text in texts]
    return np.stack(found) if found else np.zeros((0, 0, 0), np.float32)


def _states(loaded: LoadedModel, text: str, layers: Sequence[int] | None) -> Any:
    """Return [layer, token, width] of one text; a text beyond the context window is refused, never cut."""
    tokens = loaded.tokenizer(text, verbose=False)["input_ids"]
    if not tokens:
        raise InputError("a text has no tokens", where=f"{text!r:.60}", next="leave empty texts out")
    if loaded.window is not None and len(tokens) > loaded.window:
        raise InputError(
            f"a text has {len(tokens)} tokens, the window holds {loaded.window}",
            where=f"{text!r:.60}",
            next="cut the text into shorter ones",
        )
    return token_states(loaded, tokens, layers)


def token_states(loaded: LoadedModel, tokens: Sequence[int], layers: Sequence[int] | None) -> Any:
    """Return the states of one tokenized text: float32 [layer, token, width]; layers as for `hidden_states`."""
    import torch  # noqa: PLC0415

    states = forward_batch(loaded, [tokens])
    wanted = range(len(states)) if layers is None else layers
    for layer in wanted:
        if not -len(states) <= layer < len(states):
            raise InputError(
                f"there is no layer {layer}", where="layers", next=f"use 0 to {len(states) - 1}, 0 the embedding"
            )
    return torch.stack([states[layer][0].float().cpu() for layer in wanted]).numpy()


def forward_batch(loaded: LoadedModel, texts: Sequence[Sequence[int]]) -> Any:
    """Run a batch of tokenized texts through the model, and return the states of every layer, [text, token, width].

    Shorter texts are padded on the right, and masked if the model takes an attention mask.
    """
    import torch  # noqa: PLC0415

    longest = max(map(len, texts))
    pad = loaded.tokenizer.pad_token_id
    padded = [[*text, *[0 if pad is None else int(pad)] * (longest - len(text))] for text in texts]
    given: dict[str, Any] = {"input_ids": torch.tensor(padded, device=loaded.model.device)}
    if any(len(text) < longest for text in texts):
        mask = [[place < len(text) for place in range(longest)] for text in texts]
        if "attention_mask" in inspect.signature(loaded.model.forward).parameters:
            given["attention_mask"] = torch.tensor(mask, device=loaded.model.device).long()
    with torch.inference_mode():
        return loaded.model(**given, output_hidden_states=True).hidden_states


INDEX = "vectors"  # the table that describes each row of the arrays


def layer_file(layer: int) -> str:
    """Return the file name of a layer's array; layer 0 is the embedding."""
    return f"layer-{layer:02d}.npy"


class PieceVectors(NamedTuple):
    """The vectors of one piece: float32 [layer, vector, width]."""

    read: TokenizedPiece
    vectors: Any


@dataclass
class Activations:
    """An extractor of activations, `size` pieces at a time; it counts the pieces that were cut, and drops none."""

    loaded: LoadedModel
    how: ActivationOptions
    layers: Sequence[int] | None = None  # None: all of them
    size: int = 1
    every: bool = False  # require that `layers` are all layers of the model
    told: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("pieces", "cut", "pieces_cut", "redone"), 0))

    def __post_init__(self) -> None:
        """Raise InputError for layers that are negative, repeated, unordered or empty, or of an encoder-decoder."""
        if getattr(self.loaded.model.config, "is_encoder_decoder", False):
            raise InputError(
                f"a model of type {self.loaded.model.config.model_type!r} has two stacks of layers",
                where="source",
                next="use a model with one: an encoder, or one that continues a text",
            )
        if self.layers is not None and sorted(set(self.layers)) != [layer for layer in self.layers if layer >= 0]:
            raise InputError("layers go up, each once", where="layers", next="name them so; 0 is the embedding")
        if self.layers is not None and not self.layers:
            raise InputError("no layer is wanted", where="layers", next="name some, or leave `layers` out for all")

    def of(self, pieces: Iterable[Mapping[str, Any]]) -> Iterator[PieceVectors]:
        """Yield the vectors of rows `{id, text}` (with `passage` or `span`, by the options) lazily, in order."""
        reads = PieceTokenizer(self.loaded, self.how).pieces(pieces)
        while some := list(islice(reads, self.size)):
            yield from self._tried(some)

    def _tried(self, reads: Sequence[TokenizedPiece]) -> Iterator[PieceVectors]:
        """Compute some pieces in one batch, in halves if memory runs out."""
        try:
            found = self._looked(reads)
        except (RuntimeError, MemoryError) as bad:
            if not out_of_memory(bad) or len(reads) == 1:
                raise
            found = None
        if found is None:
            release_memory()
            self.told["redone"] += 1
            half = -(-len(reads) // 2)
            yield from self._tried(reads[:half])
            yield from self._tried(reads[half:])
            return
        for read, vector in zip(reads, found, strict=True):
            self.told["pieces"] += 1
            self.told["cut"] += read.cut > 0
            self.told["pieces_cut"] += read.lost > 0
            yield PieceVectors(read, vector)

    def _looked(self, reads: Sequence[TokenizedPiece]) -> list[Any]:
        import numpy as np  # noqa: PLC0415

        states = forward_batch(self.loaded, [read.tokens for read in reads])
        layers = range(len(states)) if self.layers is None else self.layers
        if self.every and len(layers) != len(states):
            raise InputError(
                f"the model has {len(states) - 1} layers above its embedding, not {len(layers) - 1}",
                where="layers",
                next=f'say `layers: "{len(states) - 1}"` of the model',
            )
        found: list[list[Any]] = [[] for _ in reads]
        for layer in layers:
            if not 0 <= layer < len(states):
                raise InputError(
                    f"there is no layer {layer}", where="layers", next=f"use 0 to {len(states) - 1}, 0 the embedding"
                )
            block = states[layer].float().cpu().numpy()
            for read, of_piece, one in zip(reads, found, block, strict=True):
                of_piece.append(np.stack([pool_vectors(one[places], self.how.pool) for places in read.places]))
        return [np.stack(of_piece) for of_piece in found]


def pool_vectors(tokens: Any, pool: str) -> Any:
    """Pool the token vectors of a piece or word by the method `pool`: sum, mean or last; float32 [width]."""
    import numpy as np  # noqa: PLC0415

    if pool.endswith("last"):
        return tokens[-1]
    whole = tokens.sum(axis=0, dtype=np.float64)
    return (whole / len(tokens) if pool.endswith("mean") else whole).astype(np.float32)


def extract(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write a step's outputs: an array file per layer, the index of their rows, and facts.

    An array has a row per vector, in the order of `pieces`; the index `vectors` describes each row.

    params: model, files, dtype, batch, untrained, as in the settings; how: `ActivationOptions`; layers, if not all;
    all_layers, if `layers` must be all layers of the model (InputError with their number if they are not); part, as
    [number from 0, number of parts], if only this slice of the passages is read. A part without passages writes its
    layers without rows, and opens no model.
    """
    params = with_batch_policy(params)
    how, total = ActivationOptions.of(params["how"]), 0
    for row in rows.read(inputs["pieces"]):
        total += count_vectors(_sound(row, how), how)
    if not total:
        raise InputError("there are no pieces", where="pieces", next="give rows `{id, text}`")
    pieces: Iterable[Mapping[str, Any]] = rows.read(inputs["pieces"])
    if "part" in params:
        pieces = part = PiecePart.of(inputs["pieces"], how, params["part"])
        if part.empty:
            _write_nothing(params, out)
            return
        total = sum(count_vectors(row, how) for row in part)
    with step_model(open_encoder, inputs, params) as loaded:
        size, every = batch_size(params["batch"]), bool(params.get("all_layers"))
        looked = Activations(loaded, how, params.get("layers"), size, every)
        shape = _write(looked, pieces, total, out)
    told = {
        "batch": params["batch"],
        "model": params["model"],
        "numerics": fingerprint_torch(),
        "window": loaded.window,
    }
    facts = {"limit": PieceTokenizer(loaded, how).limit, "vectors": total, **shape}
    rows.write_one(out / FACTS, {**loaded.facts, **looked.told, **facts, **told})


def _write_nothing(params: Mapping[str, Any], out: Path) -> None:
    """Write the files of a part without passages: no rows, and an unknown width written as 0."""
    for layer in params.get("layers", ()):
        with stream_writer(out / layer_file(layer), "<f4", (0, 0)):
            pass
    rows.write(out / INDEX, ())
    rows.write_one(out / FACTS, {"batch": params["batch"], "model": params["model"], "pieces": 0, "vectors": 0})


def _write(looked: Activations, pieces: Iterable[Mapping[str, Any]], total: int, out: Path) -> dict[str, int]:
    """Write each vector to its layer's file as it is computed, and return the number of layers and their width."""
    shape: dict[str, int] = {}
    with ExitStack() as files:
        add: list[Any] = []

        def index() -> Iterator[dict[str, Any]]:
            for read, found in looked.of(pieces):
                if not shape:
                    shape.update(layers=len(found), width=found.shape[2])
                    for layer in range(len(found)) if looked.layers is None else looked.layers:
                        form = (total, found.shape[2])
                        add.append(files.enter_context(stream_writer(out / layer_file(layer), "<f4", form)))
                for put, block in zip(add, found, strict=True):
                    put(block)
                yield from _lines(read, looked.how)

        rows.write(out / INDEX, index())
    return shape


def _lines(read: TokenizedPiece, how: ActivationOptions) -> Iterator[dict[str, Any]]:
    """Yield the index rows of a piece's vectors: id, number of tokens, of context tokens, and of tokens cut off."""
    for number, places in enumerate(read.places):
        line: dict[str, Any] = {"id": read.id, "tokens": len(places), "before": read.before}
        if how.by_word:
            line["word"] = number
        yield {**line, "cut": read.cut} if read.cut else line


def _sound(row: Mapping[str, Any], how: ActivationOptions) -> Mapping[str, Any]:
    """Return a row of `pieces` after validation, before a model is opened."""
    needed = ("id", "text", *(("passage",) if how.context != "none" else ()))
    for name in needed:
        if not isinstance(row.get(name), str):
            raise InputError(f"a piece has no `{name}`", where=f"piece {row.get('id')!r:.80}", next=f"give `{name}`")
    span = row.get("span", [0, 1])
    if not (isinstance(span, list) and len(span) == 2 and all(type(place) is int for place in span)):
        raise InputError("`span` is two numbers of characters", where=f"piece {row['id']!r:.80}", next="correct it")
    return row
