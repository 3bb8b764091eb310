"""BERTScore by the package bert-score itself: its idf weights, its weighted matching, and its baselines.

`bertscore.py` does not need the package. The functions here take token numbers and vectors, and load no encoder.
"""

from __future__ import annotations

import csv
import importlib.util
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.errors import InputError, MissingError
from harness.scorers.overlap.bertscore import Vectors
from harness.scorers.overlap.ngrams import NONE, Overlap

PACKAGE = "bert_score"
# Owners to which the hub moved the encoders that have no owner in the package's names.
OWNERS = ("FacebookAI", "albert", "distilbert", "google-bert", "xlnet")
_TAKEN_FOR_NONE = 2  # tokens: the package takes these for two special tokens, and the text for an empty one
Baseline = tuple[str, str, str]  # for precision, recall and F, as spelled in the package's file


def rarity_weights(texts: Iterable[Sequence[int]]) -> Mapping[int, float]:
    """Return the weight of each token by how few of the texts contain it, as in the package's `get_idf_dict`.

    The texts are token numbers. The mapping has a weight for every token; a token that no text contains has the
    greatest weight. A special token that is in every text has weight 0.
    """
    try:
        from bert_score.utils import get_idf_dict  # noqa: PLC0415 - heavy, and rarely wanted
    except ModuleNotFoundError as bad:
        raise _lacking("weights of rarity are counted by", "idf", bad.name) from bad
    found: Mapping[int, float] = get_idf_dict([list(text) for text in texts], None, nthreads=0)
    return found


def weighted_bertscore(
    response: Vectors, reference: Vectors, weights: tuple[Sequence[float], Sequence[float]]
) -> Overlap:
    """Return precision, recall and F of two texts by the package's matching, each token counting by its weight.

    `weights` are those of the response's tokens and of the reference's. A text with only special tokens scores 0, and
    so does a side whose tokens all have weight 0, for which the package returns nan.
    """
    if all(response.own) or all(reference.own):
        return NONE
    import torch  # noqa: PLC0415
    from bert_score.utils import greedy_cos_idf  # noqa: PLC0415

    def side(text: Vectors, its: Sequence[float]) -> tuple[Any, Any, Any]:
        states = torch.tensor(text.vectors, dtype=torch.float32)[None]  # a copy: the package works in place
        weighed = torch.tensor(its, dtype=torch.float32)[None]
        if len(its) == _TAKEN_FOR_NONE:  # a repeated token with weight 0 changes no value
            states, weighed = torch.cat((states, states[:, :1]), 1), torch.cat((weighed, weighed[:, :1] * 0), 1)
        return states, torch.ones(weighed.shape, dtype=torch.long), weighed

    ours, theirs = weights
    found = greedy_cos_idf(*side(reference, theirs), *side(response, ours))
    return Overlap(*(0.0 if math.isnan(value := float(one[0])) else value for one in found))


def rescale_values(found: Overlap, baseline: Baseline) -> Overlap:
    """Rescale each value so that its baseline becomes 0 and 1 stays 1, as the package does."""
    values = ((value - base) / (1 - base) for value, base in zip(found, map(float, baseline), strict=True))
    return Overlap(*values)


def find_baseline(language: str, encoder: str, layer: int, where: str) -> Baseline:
    """Return the package's baseline for an encoder at a layer, by the encoder's name on the hub.

    A negative layer counts from the last. Raises InputError if the package has no baseline for this encoder, language
    and layer. The package is not imported.
    """
    folder = _baselines()
    languages = sorted(each.name for each in folder.iterdir() if each.is_dir())
    if language not in languages:
        raise InputError(
            f"bert-score has no baselines for the language {language!r}",
            where=where,
            next=f"write one of {', '.join(languages)}, or take `rescale` out",
        )
    known = {path.relative_to(folder / language).as_posix()[:-4]: path for path in (folder / language).rglob("*.tsv")}
    owner, _, bare = encoder.partition("/")
    path = known.get(encoder) or (known.get(bare) if owner in OWNERS else None)
    if path is None:
        raise InputError(
            f"bert-score has no baseline in {language!r} for this encoder, {encoder or 'which is pinned from no hub'}",
            where=where,
            next=f"take `rescale` out, or pin one of these by `source: hf:…`: {', '.join(sorted(known))}",
        )
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(row["P"], row["R"], row["F"]) for row in csv.DictReader(file)]
    if not -len(rows) <= layer < len(rows):
        raise InputError(
            f"bert-score has no baseline of {encoder} for layer {layer}",
            where=where,
            next=f"write a layer from 0 to {len(rows) - 1}, or take `rescale` out",
        )
    return rows[layer]


def _baselines() -> Path:
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise _lacking("baselines lie in", "rescale")
    return Path(found.origin).parent / "rescale_baseline"


def _lacking(what: str, where: str, package: str | None = None) -> MissingError:
    other = (package or "").partition(".")[0]  # a dependency of the package
    which = f"which needs {other}, which" if other not in ("", "bert_score") else "which"
    return MissingError(
        f"BERTScore's {what} the package bert-score, {which} is not installed beside this Python",
        where=where,
        next="pip install 'repro-harness[science]'",
    )
