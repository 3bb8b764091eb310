"""Activations (hidden states) of a local model for pieces of text: a vector per piece or word, one file per layer.

Texts are read one at a time at batch `reference`, which is the bit-exact level, or N side by side. Whatever the number
of pieces, memory holds one batch and one passage.

If the options ask for context, a piece follows the earlier text of its passage. Both are cut from the left to the
context window, with special tokens around them unless left out. A table of pieces can be cut into parts of whole
passages, so that a separate step reads each part.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from harness import rows
from harness.arrays import stream_writer
from harness.errors import InputError
from harness.models.local.load import LoadedModel, batch_size, hold_encoder, open_encoder, step_model, with_batch_policy
from harness.models.local.torch_setup import fingerprint_torch, out_of_memory, release_memory
from harness.steps import FACTS

Pool = Literal["sum", "mean", "last", "word-sum", "word-mean", "word-last"]
Context = Literal["none", "pieces", "words", "tokens"]
Space = Literal["later", "always", "never"]
CHOICES = {"pool": get_args(Pool), "context": get_args(Context), "space": get_args(Space)}
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, kw_only=True)
class ActivationOptions:
    """Options of activations: how a piece's tokens are pooled, how much context precedes them, and their limit."""

    pool: Pool  # `word-…` makes a vector for each word, split at white space
    context: Context = "none"  # the unit in which context is counted: pieces, words or tokens of the passage
    most: int | None = None  # the largest number of these units; None: all of the passage
    space: Space = "later"  # which pieces get a leading space: those with a context, all, or none
    limit: int | None = None  # the largest number of tokens, cut from the left; None: the context window
    signs: bool = True  # whether the tokenizer's special tokens surround a text; no vector includes them

    def __post_init__(self) -> None:
        """Raise InputError for unknown choices and meaningless combinations."""
        for name, known in CHOICES.items():
            if (said := getattr(self, name)) not in known:
                raise InputError(f"no {name} is called {said!r}", where=name, next=f"use one of: {', '.join(known)}")
        for name in ("most", "limit"):
            if (bound := getattr(self, name)) is not None and bound < 1:
                raise InputError(f"`{name}` is {bound}", where=name, next="write 1 or more, or leave it out")
        if self.most is not None and self.context == "none":
            raise InputError("`most` of no context", where="most", next=f"say of what: {', '.join(CHOICES['context'])}")

    @property
    def by_word(self) -> bool:
        """Whether each word has a vector of its own."""
        return self.pool.startswith("word-")

    def params(self) -> dict[str, Any]:
        """Return the options as step parameters, without options that are None."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> ActivationOptions:
        """Parse step parameters; raises InputError for an unknown name."""
        if strangers := sorted(set(params) - {each.name for each in fields(cls)}):
            raise InputError(
                f"`{strangers[0]}` says nothing of activations",
                where="how",
                next=f"use: {', '.join(each.name for each in fields(cls))}",
            )
        return cls(**params)


class TokenizedPiece(NamedTuple):
    """A tokenized piece: its tokens with context, the positions that each vector pools, and what was cut."""

    id: str
    tokens: list[int]
    places: list[list[int]]  # for each vector, the positions of its tokens
    own: int  # tokens of the piece that are kept
    before: int  # tokens of its context that are kept
    cut: int  # tokens of both that were cut
    lost: int  # tokens of the piece itself that were cut


@dataclass(frozen=True)
class PieceTokenizer:
    """A tokenizer of pieces: it adds context and special tokens, and cuts to the window."""

    loaded: LoadedModel
    how: ActivationOptions

    @cached_property
    def around(self) -> tuple[list[int], list[int]]:
        """The special tokens that the tokenizer puts before and after a text; none if the option `signs` is False."""
        if not self.how.signs:
            return [], []
        found = self.loaded.tokenizer("a", return_special_tokens_mask=True, verbose=False)
        tokens, own = found["input_ids"], [not sign for sign in found["special_tokens_mask"]]
        if not any(own):
            raise InputError("the tokenizer makes no token of a letter", where="tokenizer.json")
        return tokens[: own.index(True)], tokens[len(own) - own[::-1].index(True) :]

    @property
    def limit(self) -> int | None:
        """The largest number of tokens of context and piece together, without special tokens; None: no limit."""
        room = [] if self.loaded.window is None else [self.loaded.window - sum(map(len, self.around))]
        return min([*room, *([] if self.how.limit is None else [self.how.limit])], default=None)

    def pieces(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[TokenizedPiece]:
        """Tokenize rows `{id, text}` in order, each alone, within a text, or after the earlier ones of its passage.

        Without `context` in the options, a row with `span` is that part of its text. With `context`, a row has a
        `passage`, and the rows of a passage must be consecutive.
        """
        earlier: list[str] = []
        begun: set[str] = set()
        passage = None
        for row in rows:
            if self.how.context == "none":
                yield self._within(row) if "span" in row else self._behind(row, [])
                continue
            if row["passage"] != passage:
                earlier, passage = [], row["passage"]
                if passage in begun:
                    raise InputError(
                        f"passage {passage!r} goes on after another began",
                        where=_where(row),
                        next="give the pieces of a passage one after the other",
                    )
                begun.add(passage)
            if "span" in row:
                raise InputError(
                    "a piece within a text has its context there",
                    where=_where(row),
                    next="leave `span` out, or the context",
                )
            yield self._behind(row, earlier)
            earlier.append(row["text"])

    def _behind(self, row: Mapping[str, Any], earlier: Sequence[str]) -> TokenizedPiece:
        """Tokenize a piece and its context separately."""
        context = self._context(earlier)
        text = self._spaced(row["text"], later=bool(context))
        tokens, spans = self._cut(text)
        return self._read(row, context, tokens, self._groups(text, (0, len(text)), spans))

    def _within(self, row: Mapping[str, Any]) -> TokenizedPiece:
        """Tokenize a text and select the tokens that overlap the piece's characters."""
        text, (first, last) = row["text"], row["span"]
        if not 0 <= first < last <= len(text):
            raise InputError(f"the text has no characters {first} to {last}", where=_where(row), next="correct `span`")
        tokens, spans = self._cut(text, needed=True)
        return self._read(row, [], tokens, self._groups(text, (first, last), spans, always=True))

    def _context(self, earlier: Sequence[str]) -> list[int]:
        how, most = self.how, self.how.most or 0
        if how.context == "pieces":
            earlier = earlier[-most:]
        text = "".join(self._spaced(piece, later=number > 0) for number, piece in enumerate(earlier))
        if how.context == "words" and most:
            text = self._spaced(" ".join(text.split()[-most:]), later=False) if text else ""
        tokens = self._cut(text)[0] if text else []
        return tokens[-most:] if how.context == "tokens" else tokens

    def _spaced(self, text: str, *, later: bool) -> str:
        return f" {text}" if self.how.space == "always" or (later and self.how.space == "later") else text

    def _cut(self, text: str, *, needed: bool = False) -> tuple[list[int], list[tuple[int, int]]]:
        """Tokenize a text, with the character offsets of each token if they are needed."""
        asked: dict[str, Any] = {"add_special_tokens": False, "verbose": False}
        if needed or self.how.by_word:
            if not self.loaded.tokenizer.is_fast:
                raise InputError(
                    "this tokenizer does not say which characters a token holds",
                    where="tokenizer.json",
                    next="give the model's tokenizer.json, or pool over the whole piece",
                )
            found = self.loaded.tokenizer(text, return_offsets_mapping=True, **asked)
            return list(found["input_ids"]), list(found["offset_mapping"])
        return list(self.loaded.tokenizer(text, **asked)["input_ids"]), []

    def _groups(
        self, text: str, piece: tuple[int, int], spans: Sequence[tuple[int, int]], *, always: bool = False
    ) -> list[list[int]] | None:
        """Group the tokens by vector; None if one vector takes all tokens."""
        if self.how.by_word:
            return [_holding(spans, span) for span in word_spans(text, piece)]
        return [_holding(spans, piece)] if always else None

    def _read(
        self, row: Mapping[str, Any], context: list[int], tokens: list[int], groups: list[list[int]] | None
    ) -> TokenizedPiece:
        """Join context and piece, cut from the left to the limit, with special tokens around them."""
        head, tail = self.around
        whole = [*context, *tokens]
        gone = 0 if self.limit is None else max(0, len(whole) - self.limit)
        shift = len(head) + len(context) - gone
        groups = [list(range(len(tokens)))] if groups is None else groups
        own = {token for group in groups for token in group}
        places = [[token + shift for token in group if token + shift >= len(head)] for group in groups]
        if not places or not all(places):
            raise InputError(
                f"a {'word' if self.how.by_word else 'piece'} has no token{' that is left' if gone else ''}",
                where=_where(row),
                next="leave empty texts out, or cut the text into shorter pieces",
            )
        lost = sum(token + shift < len(head) for token in own)
        seen = [*head, *whole[gone:], *tail]
        return TokenizedPiece(str(row["id"]), seen, places, len(own) - lost, max(0, len(context) - gone), gone, lost)


def word_spans(text: str, piece: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the spans of the words in a part of a text, split at white space."""
    return [found.span() for found in _WORD.finditer(text, *piece)]


def count_vectors(row: Mapping[str, Any], how: ActivationOptions) -> int:
    """Return the number of vectors of a row without tokenizing it: one, or one per word if the options pool by word."""
    first, last = row.get("span", (0, len(row["text"])))
    return len(word_spans(row["text"], (first, last))) if how.by_word else 1


def _holding(spans: Sequence[tuple[int, int]], piece: tuple[int, int]) -> list[int]:
    return [number for number, (first, last) in enumerate(spans) if first < piece[1] and last > piece[0]]


def _where(row: Mapping[str, Any]) -> str:
    return f"piece {row.get('id')!r:.80}"


MOST = 10_000  # parts of one table


def require_part(part: Sequence[int]) -> tuple[int, int]:
    """Parse which of how many parts of a table is wanted; raise InputError unless it is a part that exists."""
    if len(part) != 2 or not all(type(each) is int for each in part) or not 0 <= part[0] < part[1] <= MOST:
        told = f"there is no part {[*part]!r:.60}"
        raise InputError(told, where="part", next=f"give its number from 0, and how many there are, at most {MOST:,}")
    return part[0], part[1]


@dataclass(frozen=True)
class PiecePart:
    """The pieces of the passages `first` to `last` (exclusive) of a table, which may be read several times."""

    path: Path
    how: ActivationOptions
    first: int
    last: int

    @property
    def empty(self) -> bool:
        """Whether the part has no passages."""
        return self.first == self.last

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the pieces of these passages."""
        for number, row in number_pieces(rows.read(self.path), self.how):
            if number >= self.last:
                return
            if number >= self.first:
                yield row

    @classmethod
    def of(cls, path: Path, how: ActivationOptions, part: Sequence[int]) -> PiecePart:
        """Return a part of a table; parts differ by at most one passage, and some are empty if passages are too few.

        Raises InputError for a passage whose pieces are not consecutive, if the options ask for context.
        """
        which, parts = require_part(part)
        passages = 0
        for number, _ in number_pieces(rows.read(path), how):
            passages = number + 1
        return cls(path, how, which * passages // parts, (which + 1) * passages // parts)


def number_pieces(pieces: Iterable[Mapping[str, Any]], how: ActivationOptions) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each piece with the number of its passage; a piece that names none is a passage of its own.

    Raises InputError for a passage that continues after another began, if the options ask for context.
    """
    number, passage, begun = -1, None, set[str]()
    for row in pieces:
        own = row.get("passage")
        if own is None or own != passage:
            number, passage = number + 1, own
            if how.context != "none":
                if own in begun:
                    raise InputError(
                        f"passage {own!r} goes on after another began",
                        where=f"piece {row.get('id')!r:.80}",
                        next="give the pieces of a passage one after the other",
                    )
                begun.add(str(own))
        yield number, dict(row)


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
