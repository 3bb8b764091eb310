"""Cheap strategies that are scored beside every model (OURS): what an answer without any understanding scores.

One step answers every prompt of a shard by each strategy that makes sense for its task. The `model` of a row names the
strategy. Some strategies see the gold answer, to show how a score treats a right answer in another form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows, seeds
from harness.errors import InputError
from harness.models.provider import Completion
from harness.rowtypes import Gold, Item, Prompt
from harness.studies.curie.strategy_answers import DUMMY, LISTED, everything, one_item
from harness.studies.curie.strategy_finds import finds
from harness.studies.curie.tasks import TASKS

PREFIX = "strategy: "  # prefix of the names of strategies in the rows
RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
_LONGEST = 10_000  # most residues of the sequence that is unrelated to the gold one
WORLD = json.dumps({"W": -180, "S": -90, "E": 180, "N": 90})


@dataclass(frozen=True, slots=True)
class StrategyView:
    """What a baseline strategy may see: task, document, gold, another record's answer, and a seed of its own."""

    task: str
    document: str
    target: str
    truth: str
    other: str | None  # None if the shard has no other record
    seed: int


@dataclass(frozen=True, slots=True)
class Strategy:
    """A baseline that games the metrics: what it does, its tasks, and a function that returns its answer, if any."""

    about: str
    tasks: tuple[str, ...]
    answer: Callable[[StrategyView], str | None]


def pretty(view: StrategyView) -> str:
    """Return a ground-truth file's text as indented JSON, or unchanged if it is not JSON."""
    try:
        text = json.dumps(json.loads(view.truth), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        text = view.truth
    return text.encode("utf-8", "replace").decode()


def unrelated(view: StrategyView) -> str:
    """Return a FASTA record of random residues, as many as the gold sequence has, and at least one."""
    try:
        said = json.loads(view.truth)
    except (ValueError, RecursionError):
        said = None
    sequence = said.get("sequence") if isinstance(said, Mapping) else None
    if not isinstance(sequence, str):
        sequence = "".join(line for line in view.target.splitlines() if not line.startswith(">"))
    source = seeds.random_stream(view.seed)
    length = min(_LONGEST, max(1, len("".join(sequence.split()))))
    return ">unrelated\n" + "".join(RESIDUES[seeds.draw_below(source, len(RESIDUES))] for _ in range(length)) + "\n"


_TEXTS = tuple(name for name in TASKS if name != "biogr")  # tasks whose document is a text
STRATEGIES: Mapping[str, Strategy] = {
    "copy the document": Strategy("answers with the document itself", _TEXTS, lambda view: view.document),
    "another record's answer": Strategy(
        "answers with the ideal answer to the next record of the shard, of the last one to the first",
        tuple(TASKS),
        lambda view: view.other,
    ),
    "one catch-all item": Strategy(
        "answers with a single item whose every field lists everything plausible",
        (*LISTED, "geo"),
        lambda view: one_item(view.task, finds(view.document)),
    ),
    "a dummy and a catch-all item": Strategy(
        "the same after an item that says nothing, since the paper's rule never matches the first of a list",
        LISTED,
        lambda view: one_item(view.task, finds(view.document), DUMMY),
    ),
    "list everything": Strategy(
        "answers with every quantity, formula, equation or name that patterns find in the document",
        (*LISTED, "hfd", "hfe", "qecc", "geo"),
        lambda view: everything(view.task, finds(view.document)),
    ),
    "world box": Strategy("answers with the box of the whole world", ("biogr",), lambda _: WORLD),
    "unrelated sequence": Strategy("answers with random residues, as many as the gold has", ("pdb",), unrelated),
    "pretty-printed gold": Strategy("answers with the ground-truth file, indented", tuple(TASKS), pretty),
}


def names(task: str) -> tuple[str, ...]:
    """Return the names of the baseline strategies that make sense for a task."""
    return tuple(PREFIX + name for name, strategy in STRATEGIES.items() if task in strategy.tasks)


def respond(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `responses`: for each prompt and seed, the answer of each baseline strategy that has one.

    Raises InputError if the study does not have the task, or if the item or gold of a prompt is missing.
    """
    if params["task"] not in TASKS:
        raise InputError(f"no task is called {params['task']!r}", where="task", next=f"use: {', '.join(TASKS)}")
    documents = {row["id"]: row["input"].get("text", "") for row in rows.read(inputs["items"], Item)}
    golds = [(row["id"], row["gold"]) for row in rows.read(inputs["gold"], Gold)]
    after = golds[1:] + golds[:1] if len(golds) > 1 else []
    others = {name: gold["target"] for (name, _), (_, gold) in zip(golds, after, strict=False)}
    rows.write(out / "responses", _responses(params, inputs["prompts"], documents, dict(golds), others))


def _responses(
    params: Mapping[str, Any],
    prompts: Path,
    documents: Mapping[str, str],
    golds: Mapping[str, Mapping[str, Any]],
    others: Mapping[str, str],
) -> Iterator[Mapping[str, Any]]:
    task = params["task"]
    for row in rows.read(prompts, Prompt):
        item, template = row["item"], row["template"]
        if item not in documents or item not in golds:
            raise InputError(f"no item or no gold for item {item}", where="prompts", next="give those of all prompts")
        gold = golds[item]
        for sample, seed in enumerate(params["seeds"]):
            draw = seeds.derive_seed(seed, "curie.strategy", item, template, sample)
            view = StrategyView(task, documents[item], gold["target"], gold.get("truth", ""), others.get(item), draw)
            for name, strategy in STRATEGIES.items():
                text = strategy.answer(view) if task in strategy.tasks else None
                if text is not None:
                    yield Completion(item, template, PREFIX + name, sample, text, "stop").row()
