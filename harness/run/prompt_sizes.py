"""Sizes of the prompts of a plan before a model is asked: counted where they are written, else estimated from items.

It reads rows of a store as texts of some length; it must never know a study's wordings, nor an answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from harness.manifest.lockfile import Lock
from harness.run.closure import code_root
from harness.run.schedule import StepSchedule
from harness.run.slices import slice_sizes
from harness.steps import Pinned, Ref, Step, maker
from harness.store.store import Store

SAMPLE = 50_000  # characters of the first texts, which stand for all of them
SHOWN = ("text", "messages", "continuations", "content")  # of a prompt: what a model reads
ASKED = ("input", "options")  # of an item: what a wording may show


@dataclass(frozen=True)
class PromptSizes:
    """Sizes of the prompts of one step: how many, of how many characters, and some of their texts.

    `written` tells whether they were counted; else they are estimated from the items, and `texts` are those.
    """

    rows: int
    characters: int
    texts: tuple[str, ...] = ()
    written: bool = True
    images: int = 0
    budget: int | None = None  # the sum of the prompts' own budgets of tokens, where each has one

    @property
    def sampled(self) -> int:
        """Characters of the sample."""
        return sum(map(len, self.texts))


UNKNOWN = PromptSizes(0, 0, written=False)


@dataclass
class PromptMeasure:
    """Measures the prompts of steps, each file once: of one run's plan, by its lock, as far as a schedule has come."""

    lock: Lock
    schedule: StepSchedule
    store: Store | None
    steps: dict[str, Step] = field(init=False)  # of the plan, by name
    _files: dict[str, PromptSizes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find the steps of the plan by their names."""
        self.steps = {step.name: step for step in self.schedule.plan.steps}

    def sizes(self, prompts: Ref) -> PromptSizes:
        """Return the sizes of the prompts that a step's output is, or will be; UNKNOWN where nothing tells them."""
        digest = self.schedule.made.get((prompts.step, prompts.output))
        if digest and self.store:
            return self._file(digest, _prompt_texts)
        step = self.steps[prompts.step]
        items = step.inputs.get("items")
        if not isinstance(items, Ref) or "responses" in step.inputs:
            return UNKNOWN
        cut = self.steps[items.step]
        rows = slice_sizes(cut).get(items.output)
        whole = cut.inputs.get("rows")
        pin = self._pinned(whole) if isinstance(whole, Ref) else None
        if rows is None or pin is None:
            return UNKNOWN
        wordings = _wordings(self.schedule.plan.pinned, step)
        sample = self._file(pin, _item_texts)
        each = sample.characters / max(1, sample.rows)
        shots = 1 + int(step.params.get("shots", 0))
        return PromptSizes(
            rows * len(wordings),
            int(rows * math.fsum(length + shots * each for length in wordings)),
            sample.texts,
            False,
        )

    def _pinned(self, made: Ref) -> str | None:
        """Give the digest by which a lock knows what a dataset's maker gives; None where it is not in the store."""
        for name, pin in self.lock.pins["datasets"].items():
            if made.step == maker(name) and isinstance(part := pin.get(made.output), Mapping):
                digest = str(part.get("sha256"))
                return digest if self.store and self.store.blobs.state(digest) == "sound" else None
        return None

    def _file(self, digest: str, texts: Any) -> PromptSizes:
        """Measure a table of the store: all of its rows, and a sample of its texts."""
        if digest not in self._files:
            assert self.store
            with open(self.store.blobs.deliver(digest), "rb") as lines:
                self._files[digest] = _measured(lines, texts)
        return self._files[digest]


def _measured(lines: Any, texts: Any) -> PromptSizes:
    rows = characters = budget = budgets = images = 0
    room = SAMPLE
    sample: list[str] = []
    for line in lines:
        row = json.loads(line)
        text = "\n".join(texts(row))
        rows, characters = rows + 1, characters + len(text)
        if isinstance(most := row.get("max_tokens"), int):
            budgets, budget = budgets + 1, budget + most
        if room > 0:
            sample.append(text[:room])
            room -= len(text)
        images += len(row.get("attachments", ()))
    return PromptSizes(rows, characters, tuple(sample), budget=budget if budgets == rows else None, images=images)


def _prompt_texts(row: Mapping[str, Any]) -> Iterator[str]:
    for name in SHOWN:
        yield from _strings(row.get(name))


def _item_texts(row: Mapping[str, Any]) -> Iterator[str]:
    for name in ASKED:
        yield from _strings(row.get(name))


def _strings(value: Any) -> Iterator[str]:
    """Iterate over the texts in a value; of a message what is said, not by whom."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for name, part in value.items() if name != "role" for text in _strings(part))
    elif isinstance(value, list):
        yield from (text for part in value for text in _strings(part))


def _wordings(pinned: Mapping[str, str], step: Step) -> list[int]:
    """Give the length of each wording of a prompt step: those of a pinned file, or those in its parameters."""
    source = step.inputs.get("templates")
    if isinstance(source, Pinned) and source.sha256 in pinned:
        with open(Path(code_root()) / pinned[source.sha256], "rb") as lines:
            return [len(str(json.loads(line).get("text", ""))) for line in islice(lines, 10_000)]
    said = step.params.get("wordings")
    return [sum(map(len, _strings(one))) for one in said] if isinstance(said, list | tuple) and said else [0]
