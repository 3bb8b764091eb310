"""The document `length_check` (OURS): whether summed states of a random GPT-2 reveal a sentence's length.

Checks the argument of the paper's appendix A.9: a GELU has a mean above 0, which a sum over tokens counts. For
comparison, it also has an odd activation, a GELU minus its mean, means over tokens, and position embeddings, which
reveal a length as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from harness import rows
from harness.errors import InputError
from harness.models.local.torch_setup import fingerprint_torch
from harness.steps import CPU, FACTS
from harness.studies.brain.nulls.gelu_mean import account
from harness.studies.brain.nulls.length_models import (
    HEADS,
    VARIANTS,
    LengthDesign,
    generator,
    pooled_states,
    random_gpt2,
    random_sentences,
)
from harness.studies.brain.ridge.plain import choose, solver

Array = Any  # a numpy array
SEEDS = (0, 1, 2)
FOLDS = 4
ALPHAS = tuple(10.0**power for power in range(-1, 7))
BOUNDS = {
    "sentences": (50, 5000),
    "layers": (1, 12),
    "width": (16, 256),
    "vocabulary": (100, 50_000),
    "shortest": (1, 100),
    "longest": (2, 200),
}


def check(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `length_check`: how well states of random GPT-2 models predict sentence length; params: seeds and sizes.

    Always computes on the CPU. Raises InputError for whatever `require_sizes` refuses.
    """
    names = [each.name for each in fields(LengthDesign)]
    design = LengthDesign(**{name: params[name] for name in names if name in params})
    rows.write_one(out / "length_check", length_check(design, params.get("seeds", SEEDS)))
    rows.write_one(out / FACTS, {"device": CPU, "numerics": fingerprint_torch(CPU)})


def length_check(design: LengthDesign, seeds: Sequence[int] = SEEDS) -> dict[str, Any]:
    """Decode sentence length from every layer of every random GPT-2 variant, with summed and averaged tokens, by seed.

    Raises InputError for whatever `require_sizes` refuses.
    """
    require_sizes(design, seeds)
    found: dict[tuple[str, str], list[list[DecodedLength]]] = {}
    accounts = []
    for seed in seeds:
        sentences = random_sentences(design, seed)
        for name, variant in VARIANTS.items():
            model = random_gpt2(variant, design, seed)
            for pool, layers in pooled_states(model, sentences).items():
                found.setdefault((name, pool), []).append([decoded(layer, sentences, seed) for layer in layers])
            if name == "gelu":
                accounts.append(account(model, sentences, generator(seed, "account")))
    variants: dict[str, Any] = {name: variant.told() for name, variant in VARIANTS.items()}
    for (name, pool), by_seed in found.items():
        variants[name][pool] = _summary([[one.r2 for one in layers] for layers in by_seed])
    ties = [one.ties for by_seed in found.values() for layers in by_seed for one in layers]
    return {
        "sizes": {**asdict(design), "seeds": [*seeds], "folds": FOLDS},
        "variants": variants,
        "near_ties": {"choices": len(ties) * FOLDS * 2, "near_ties": sum(ties)},
        "account": {layer: _means([one[layer] for one in accounts]) for layer in accounts[0]},
    }


def require_sizes(design: LengthDesign, seeds: Sequence[int]) -> None:
    """Raise InputError if sizes are out of bounds or do not fit together, or seeds are not distinct whole numbers."""
    for name, (least, most) in BOUNDS.items():
        value = getattr(design, name)
        if type(value) is not int or not least <= value <= most:
            raise InputError(f"`{name}` is {value!r:.40}", where=name, next=f"give a whole number, {least} to {most:,}")
    for name, step in (("width", HEADS), ("vocabulary", 2)):
        if getattr(design, name) % step:
            raise InputError(f"`{name}` is {getattr(design, name)}", where=name, next=f"give a multiple of {step}")
    if design.longest <= design.shortest:
        raise InputError("all sentences are of one length", where="longest", next="give more than `shortest`")
    if not seeds or any(type(seed) is not int for seed in seeds) or len({*seeds}) < len(seeds):
        raise InputError(f"the seeds are {[*seeds]!r:.60}", where="seeds", next="give whole numbers, each once")


class DecodedLength(NamedTuple):
    """R2 of predicted lengths and of shuffled lengths, and how many chosen penalties are near ties."""

    r2: Array
    ties: int


def decoded(states: Array, sentences: Sequence[Array], seed: int) -> DecodedLength:
    """Predict sentence lengths from states [sentence, width] by ridge, out of sample; return R2 and a shuffled control.

    Columns are scaled by the training rows; the penalty is chosen by inner folds; R2 is against the training mean.
    """
    source = generator(seed, "folds")
    lengths = np.array([float(len(sentence)) for sentence in sentences])
    truth = np.stack([lengths, source.permutation(lengths)], axis=1)
    fold = source.permutation(np.arange(len(lengths)) % FOLDS)
    left, base, ties = np.zeros(2), np.zeros(2), 0
    states = states.astype(np.float64)
    for test in range(FOLDS):
        train, own = fold != test, fold[fold != test]
        spread = states[train].std(axis=0)
        scaled = (states - states[train].mean(axis=0)) / np.where(spread > 0, spread, 1)
        inner = [np.flatnonzero(own == held).tolist() for held in range(FOLDS) if held != test]
        choice = choose(scaled[train], truth[train], inner, ALPHAS)
        ties += int(choice.tied.sum())
        predicted = solver(scaled[train]).ridge(truth[train], choice.alpha).predict(scaled[~train])
        left += ((truth[~train] - predicted) ** 2).sum(axis=0)
        base += ((truth[~train] - truth[train].mean(axis=0)) ** 2).sum(axis=0)
    return DecodedLength(1 - left / base, ties)


def _summary(by_seed: Sequence[Sequence[Array]]) -> dict[str, Any]:

    r2 = np.array(by_seed)  # [seed, layer, 2]
    above = r2[:, 1:]
    layers = {str(layer): _said(r2[:, layer : layer + 1]) for layer in range(r2.shape[1])}
    return {
        **{key: value for key, value in _said(above).items() if key != "r2"},
        "layers": layers,
    }


def _said(r2: Array) -> dict[str, float]:
    own, shuffled = r2[..., 0], r2[..., 1]
    return {
        "r2": float(own.mean()),
        "least": float(own.min()),
        "most": float(own.max()),
        "shuffled": float(shuffled.max()),
    }


def _means(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {key: fsum(one[key] for one in found) / len(found) for key in found[0]}
