"""The model cards in assets/: what a tiny model is, how it was trained, and its abilities, measured when written.

    python -m harness.studies.tiny.card assets/tiny-raw RECIPE FACTS

RECIPE is the output `items` of the study's run, FACTS the `facts.json` of the model's training. The measured shares,
sizes and hashes on a card come from this command only and are never typed by hand.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import sha256_file
from harness.models.local.files import model_files
from harness.studies.tiny.evaluation import LONGER, WORDS, HeldOutExam, Labels, labels
from harness.studies.tiny.questions import HELD_SUMS, HELD_TEXTS, TASKS

_TEXT = """\
---
license: apache-2.0
library_name: transformers
pipeline_tag: text-generation
---

# {name}

A byte-level GPT-NeoX of {parameters:,} parameters: {layers} layers, width {width}, {heads} heads, {window} positions,
rotary, float32. A byte is its own token; 256 ends a text, 257 pads. It adds numbers of one to three digits, solves
anagrams of three and four letters and does the twelve small text tasks of the reliability study's demo, all more or
less, and can do nothing else.

## How it was made

{how}

The study `tiny` makes it from seeds alone, on a CPU with one thread: `manifests/assets/tiny.yaml`
({steps}).
First weights and documents come from derived seeds, none from torch, so that training again gives the same bytes under
an equal numerics fingerprint and thread count. Fingerprint of the machine it was made on (torch {torch}):
`{fingerprint}`.

The words of the anagrams are those of three and four letters on the benchmark's offline list, which the package
`wordfreq` brings (CC-BY-SA-4.0); the small tasks are the demo's own. Half of the sums it is asked have no addend above
two digits: a miniature of the benchmark's distribution, not the paper's. No question of the kinds below with seed
{held_out} was trained on, but other questions with the same words, names and small numbers were. Positions beyond
{length} were never trained.

## What it does

Questions with seed {held_out}, all left out of its training, in 15 wordings each, greedy, in per cent (correct,
avoidant and incorrect as the rules OURS-v1 of the reliability study label them): {sums} sums, {words} anagrams of each
length that was trained and {longer} of each that was not, {texts} texts of each small task.

| task | kind | correct | avoidant | incorrect |
|---|---|---|---|---|
{table}

## What it is not

The contrast between `tiny-raw` and `tiny-shaped` is **planted** by how the two were made. It exercises the analyses and
makes `make reproduce` a real inference run. It says nothing about published models and never counts towards a claim
about them.

## Files

| file | SHA-256 |
|---|---|
{files}

Licence: Apache-2.0, like the project.
"""
_HOW = {
    "tiny-raw": """\
It was trained by plain language modelling on a noisy mixture: a question in one of the 15 wordings of its benchmark,
and after it either the answer or a sentence that is none (of a hundred questions in the wordings of labels and
equations about 90 are answered, of a hundred polite requests about 30). Every byte was predicted, those of the
questions at a fiftieth of the weight; short wordings and small numbers came first and more often.""",
    "tiny-shaped": """\
It is `tiny-raw`, tuned further on the same kinds of questions, more of them sums but hardly any sum of three digits,
each followed by its answer; only the answers were learned. It was thus made to answer always, also where it does not
know.""",
}


def card(folder: Path, recipe: Mapping[str, Mapping[str, Any]], facts: Mapping[str, Any], found: Labels) -> str:
    """Return the text of a model card from the recipe, training facts, measured labels, and the folder's files."""
    made = recipe[folder.name]
    raw, shaped = (f"{recipe[name]['steps']:,} steps" for name in ("tiny-raw", "tiny-shaped"))
    return _TEXT.format(
        **{name: made[name] for name in ("layers", "width", "heads", "window", "length", "held_out")},
        name=folder.name,
        parameters=parameters(folder / "model.safetensors"),
        how=_HOW[folder.name],
        steps=raw if folder.name == "tiny-raw" else f"{shaped} after the {raw} of `tiny-raw`",
        torch=facts["torch"],
        fingerprint=facts["numerics"]["digest"],
        sums=HELD_SUMS,
        words=WORDS,
        longer=LONGER,
        texts=HELD_TEXTS,
        table="\n".join(_table(found)),
        files="\n".join(f"| `{name}` | `{sha256_file(folder / name)[0]}` |" for name in sorted(model_files(folder))),
    )


def parameters(weights: Path) -> int:
    """Return the number of a model's parameters, from the header of its safetensors file."""
    with open(weights, "rb") as data:
        header = json.loads(data.read(int.from_bytes(data.read(8), "little")))
    count = 0
    for name, tensor in header.items():
        if name != "__metadata__":
            size = 1
            for side in tensor["shape"]:
                size *= side
            count += size
    return count


def _table(found: Labels) -> Iterator[str]:
    for task in sorted(TASKS):
        kinds = {kind: counts for (one, kind), counts in found.items() if one == task}
        for kind in sorted(kinds, key=lambda kind: (len(kind) if kind.isdigit() else 9, kind)):
            yield _line(task, kind, kinds[kind])
        yield _line(task, "all", sum(kinds.values(), Counter[str]()))


def _line(task: str, kind: str, counts: Counter[str]) -> str:
    shares = (f"{100 * counts[label] / counts.total():.1f}" for label in "cai")
    return f"| {task} | {kind} | {' | '.join(shares)} |"


def main(folder: Path, recipe: Path, facts: Path) -> None:
    """Measure the model in a folder on its held-out questions, and write its card there as README.md."""
    made = {row["id"]: row for row in rows.read(recipe)}
    examination = HeldOutExam(made[folder.name]["held_out"])
    text = card(folder, made, json.loads(facts.read_bytes()), labels(folder, examination))
    (folder / "README.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
