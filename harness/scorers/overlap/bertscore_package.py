"""BERTScore by the package bert-score itself: its weights of rarity, its matching by them, and its baselines.

What `bertscore.py` counts needs none of it. It must never know an encoder: tokens are numbers, and vectors are given.
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
# Owners to which the hub moved the encoders that the package knows by a bare name.
OWNERS = ("FacebookAI", "albert", "distilbert", "google-bert", "xlnet")
_TAKEN_FOR_NONE = 2  # tokens: the package takes them for an encoder's own two signs, and the text for an empty one
Baseline = tuple[str, str, str]  # of precision, recall and F, as the package's file spells them


def rarities(texts: Iterable[Sequence[int]]) -> Mapping[int, float]:
    """Weigh each token by how few of the texts hold it, as the package does (`get_idf_dict`); texts are token numbers.

    The mapping has a weight for every token: one that no text holds is the rarest. A sign of the encoder's own that
    stands in every text weighs nothing.
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
    """Give precision, recall and F of two texts by the package's matching, each token counting by its weight.

    `weights` are those of the response's tokens and of the reference's. A text of only an encoder's own signs scores 0,
    and so does a side whose tokens all weigh nothing, for which the package has no number.
    """
    if all(response.own) or all(reference.own):
        return NONE
    import torch  # noqa: PLC0415
    from bert_score.utils import greedy_cos_idf  # noqa: PLC0415

    def side(text: Vectors, its: Sequence[float]) -> tuple[Any, Any, Any]:
        states = torch.tensor(text.vectors, dtype=torch.float32)[None]  # a copy: the package works in place
        weighed = torch.tensor(its, dtype=torch.float32)[None]
        if len(its) == _TAKEN_FOR_NONE:  # a token that comes again and weighs nothing changes no value
            states, weighed = torch.cat((states, states[:, :1]), 1), torch.cat((weighed, weighed[:, :1] * 0), 1)
        return states, torch.ones(weighed.shape, dtype=torch.long), weighed

    ours, theirs = weights
    found = greedy_cos_idf(*side(reference, theirs), *side(response, ours))
    return Overlap(*(0.0 if math.isnan(value := float(one[0])) else value for one in found))


def rescaled(found: Overlap, baseline: Baseline) -> Overlap:
    """Stretch each value so that its baseline becomes 0 and 1 stays 1, as the package does."""
    values = ((value - base) / (1 - base) for value, base in zip(found, map(float, baseline), strict=True))
    return Overlap(*values)


def find_baseline(language: str, encoder: str, layer: int, where: str) -> Baseline:
    """Read the package's baseline for an encoder at a layer, by the encoder's name on the hub.

    A negative layer counts from the last. InputError where the package has none for that very encoder, language and
    layer; nothing of the package is loaded.
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
    other = (package or "").partition(".")[0]  # one that it needs itself
    which = f"which needs {other}, which" if other not in ("", "bert_score") else "which"
    return MissingError(
        f"BERTScore's {what} the package bert-score, {which} is not installed beside this Python",
        where=where,
        next="pip install 'llm-harness[science]'",
    )
