"""Models of the GPU check, made from fixed seeds, in every pass of the product: answers, log-likelihoods, states."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gpu.bounds import Bounds
from gpu.findings import Clock, Finding, digest_of

from harness import seeds
from harness.models.local.activations import ActivationOptions, Activations
from harness.models.local.decode import DecodeRequest, answer_all
from harness.models.local.likelihood import LikelihoodModel
from harness.models.local.load import REFERENCE, LoadedModel, batch_size, open_causal, open_encoder
from harness.models.provider import CompletionRequest
from harness.models.providers.transformers import LocalModel
from harness.rowtypes import Prompt
from harness.studies.tiny.corpus import EOS
from harness.studies.tiny.shape import LEARNED, TURNED, shape

Array = Any  # of numpy
WINDOW = 256
BATCHES = (REFERENCE, "1", "8", "32")
NEAR = 1e-4  # nats, or of a cosine: what float32 is not asked to tell apart
PERMITTED = 2e-5  # of the largest value: another order of sums in float32 makes 4e-7 of it, TF32 hundreds
OPTIONS = (" yes", " no", " it depends on what was said", " nobody knows")
WORDS = (
    "one",
    "two",
    "three",
    "plus",
    "times",
    "less",
    "equals",
    "many",
    "sums",
    "of",
    "small",
    "numbers",
    "are",
    "right",
)


@dataclass(frozen=True)
class Shape:
    """A model: how it knows its places, its width, layers and heads, and how many texts it reads."""

    name: str
    places: str
    width: int
    layers: int
    heads: int
    prompts: int
    new: int  # tokens of an answer

    def write(self, folder: Path) -> Path:
        """Write configuration and tokenizer as the study `tiny` does; weights are drawn when it is opened."""
        folder.mkdir(exist_ok=True)
        params = {"window": WINDOW, **{name: getattr(self, name) for name in ("places", "width", "layers", "heads")}}
        shape(params, {}, folder)
        config = folder / "config.json"
        told = {**json.loads(config.read_text()), "initializer_range": self.width**-0.5}  # logits of a spread near 1
        config.write_text(json.dumps(told))
        return folder

    def texts(self) -> list[str]:
        """Make up texts of different lengths, all within the window."""
        source = seeds.random_stream(seeds.derive_seed(7, "gpu", self.name))
        counts = [2 + seeds.draw_below(source, 20) for _ in range(self.prompts)]
        return [" ".join(WORDS[seeds.draw_below(source, len(WORDS))] for _ in range(count)) for count in counts]


def tiny_and_wide(width: int, layers: int, prompts: int, new: int) -> tuple[Shape, ...]:
    """Give the models: two tiny ones of both kinds of places, and a wide one, which copying its weights bounds."""
    return (
        Shape("tiny gpt2", LEARNED, 64, 2, 4, prompts, new),
        Shape("tiny gpt_neox", TURNED, 64, 2, 4, prompts, new),
        Shape("wide gpt_neox", TURNED, width, layers, max(1, width // 128), prompts, new),
    )


@dataclass(frozen=True)
class Timer:
    """How the work on texts is timed: all of them, or as many as a share of the time that is left allows."""

    clock: Clock
    share: float | None  # None: all

    def timed(self, work: Callable[[int], Any], count: int) -> tuple[Any, float]:
        """Do a little of the work first, so that libraries are loaded and the pace is known, then give all of it."""
        few, begun = min(count, 2), time.perf_counter()
        work(few)
        if self.share is not None:
            each = (time.perf_counter() - begun) / few
            count = max(few, min(count, int(self.share * self.clock.left() / each)))
        begun = time.perf_counter()
        found = work(count)
        return found, time.perf_counter() - begun


def model_findings(one: Shape, batches: Sequence[str], folder: Path, bounds: Bounds, timer: Timer) -> Iterator[Finding]:
    """Give what a model answers, how likely it finds options, and its states of texts, for each batch in turn.

    With a share of the time margins of tokens are measured, too, and there may be fewer texts: the CPU's side.
    """
    timer.clock.require(f"all of {one.name}")
    place, texts = one.write(folder / one.name), one.texts()
    kinds = ([each for each in batches if each == REFERENCE], [each for each in batches if each != REFERENCE])
    for some in filter(None, kinds):  # eager attention, and torch's own
        causal = open_causal(place, {"batch": some[0], "untrained": 1})
        cost = _Cost(causal, texts, one.new, bounds)
        for batch in some:
            timer.clock.require(f"batch {batch}, and what follows")
            yield _generated(one, causal, texts, batch, cost, timer)
            yield _likely(one, causal, texts, batch, cost, timer)
        del causal
        encoder = open_encoder(place, {"batch": some[0], "untrained": 1})
        for batch in some:
            timer.clock.require(f"hidden states, batch {batch}, and what follows")
            yield _states(one, encoder, texts, batch, cost, timer)
        del encoder


class _Cost:
    """What a model's passes take at least: its weights are read once a batch, and twice multiplied a token."""

    def __init__(self, loaded: LoadedModel, texts: Sequence[str], new: int, bounds: Bounds) -> None:
        self.numbers, self.bounds, self.new = int(loaded.facts["parameters"]), bounds, new
        self.lengths = [len(text.encode()) for text in texts]  # a byte is a token

    def least(self, batch: str, steps: int, tokens: float) -> float:
        """Give the seconds of so many passes a batch, over so many tokens in all."""
        passes = steps * -(-len(self.lengths) // batch_size(batch))
        return self.bounds.least(4.0 * self.numbers * passes, 2.0 * self.numbers * tokens)


def _generated(one: Shape, loaded: LoadedModel, texts: Sequence[str], batch: str, cost: _Cost, timer: Timer) -> Finding:
    """Answer greedily: a decision is a token; the margin is the log-probability by which it led."""
    margins = timer.share is not None
    model = LocalModel(one.name, loaded, batch_size(batch), logprobs=2 if margins else None)
    given = {"temperature": "0", "max_tokens": one.new}
    asks = [model.ask(CompletionRequest(str(at), 0, 0, text, 0, given)) for at, text in enumerate(texts)]
    sound = [ask for ask in asks if isinstance(ask, DecodeRequest)]
    (answers, _), seconds = timer.timed(lambda count: answer_all(loaded, sound[:count], model.size), len(sound))
    chosen = np.full((len(answers), one.new), -1, np.int64)
    ahead = np.full((len(answers), one.new), np.inf)
    for row, answer in enumerate(answers):
        tokens = [] if answer is None else [*answer.tokens, *[EOS] * (answer.finish == "stop")]
        chosen[row, : len(tokens)] = tokens
        for at, logged in enumerate([] if answer is None else answer.logprobs):
            (_, first), (_, second) = logged["top"]
            ahead[row, at] = first - second
    made = int((chosen >= 0).sum())
    return Finding(
        "generation", one.name, batch, chosen, ahead if margins else np.zeros(0), near=NEAR, seconds=seconds,
        least=cost.least(batch, one.new, sum(cost.lengths) + made), digest=digest_of(chosen),
    )  # fmt: skip


def _likely(one: Shape, loaded: LoadedModel, texts: Sequence[str], batch: str, cost: _Cost, timer: Timer) -> Finding:
    """Score options: the decision is the likeliest, the margin what it leads by."""
    asked: list[Prompt] = [
        {"item": str(at), "template": 0, "text": text, "continuations": [*OPTIONS]} for at, text in enumerate(texts)
    ]
    reader = LikelihoodModel(one.name, loaded, batch_size(batch))
    scored, seconds = timer.timed(lambda count: [*reader.rows(asked[:count])], len(asked))
    logs = np.array([[each["logprob"] for each in row["continuations"]] for row in scored])
    ranked = np.sort(logs, axis=1)
    tokens = sum(cost.lengths) + len(texts) * sum(len(each) for each in OPTIONS)
    return Finding(
        "log-likelihoods", one.name, batch, logs.argmax(axis=1), ranked[:, -1] - ranked[:, -2], {"logs": logs}, NEAR,
        PERMITTED, seconds=seconds, least=cost.least(batch, 2, tokens), digest=digest_of(logs),
    )  # fmt: skip


def _states(one: Shape, loaded: LoadedModel, texts: Sequence[str], batch: str, cost: _Cost, timer: Timer) -> Finding:
    """Read states of every layer: the decision is which other text is nearest in the last, by the cosine."""
    looked = Activations(loaded, ActivationOptions(pool="mean"), size=batch_size(batch))
    pieces = [{"id": str(at), "text": text} for at, text in enumerate(texts)]
    found, seconds = timer.timed(lambda count: [each.vectors for each in looked.of(pieces[:count])], len(pieces))
    states = np.concatenate(found, axis=1)  # [layer, text, width]
    last = states[-1].astype(np.float64)
    last = last - last.mean(axis=0)
    last /= np.linalg.norm(last, axis=1, keepdims=True)
    near = last @ last.T - 3 * np.eye(len(last))
    ranked = np.sort(near, axis=1)
    values = {f"layer {at}": layer for at, layer in enumerate(states)}
    return Finding(
        "hidden states", one.name, batch, near.argmax(axis=1), ranked[:, -1] - ranked[:, -2], values, NEAR, PERMITTED,
        seconds=seconds, least=cost.least(batch, 1, sum(cost.lengths)), digest=digest_of(states),
    )  # fmt: skip
