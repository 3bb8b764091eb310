"""Writes the tables of docs/brain.md: the demo's scores, the measured sizes of its tests, the simulation's weights.

`python tests/brain_tables.py [PERFORMANCE SIZES]`, in a checkout; PERFORMANCE and SIZES are the documents of a run of
the demo, without which its tables stay as they are. It must never know a rule.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "brain.md"
SPLITS = ("shuffled", "contiguous")
LEVELS = ("row", "block", "fold")
SHOWN = ("OASM@2.2", "LLM", "LLMU", "SP+SL", "OASM@2.2+LLM", "SP+SL+WORD", "SP+SL+LLM", "SP+SL+WORD+LLM")


def demo(performance: Mapping[str, Any]) -> Iterator[str]:
    """Yield the table of the demo: mean R2 of each model, by world and split; of a text model its best layer."""
    datasets = performance["datasets"]
    columns = [(name, split) for name in datasets for split in SPLITS]
    yield "| model | " + " | ".join(f"{name}, {split}" for name, split in columns) + " |"
    yield "| --- |" + " ---: |" * len(columns)
    for model in SHOWN:
        yield _row(f"`{model}`", [datasets[name]["splits"][split].get(model) for name, split in columns])
    texts = sorted({model.partition("@")[0] for model in _models(datasets) if re.fullmatch(r"[a-z][^+]*@\d+", model)})
    for text in texts:
        yield _row(f"`{text}`, best layer", [_best(datasets[name]["splits"][split], text) for name, split in columns])


def sizes(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the table of measured sizes: the share of units of pure noise with p < .05, of families with an FDR hit."""
    yield "| split | noise | models | " + " | ".join(LEVELS) + " |"
    yield "| --- | --- | --- | ---: | ---: | ---: |"
    for split, worlds in next(iter(document.values())).items():
        for world, pairs in worlds.items():
            for pair, levels in pairs.items():
                found = [levels[level] for level in LEVELS]  # a document's own names stand in their alphabet's order
                cells = [f"{100 * one['raw']:.1f} % / {100 * one['family']:.0f} %" for one in found]
                yield f"| {split} | {world} | {pair} | " + " | ".join(cells) + " |"


def weights() -> Iterator[str]:
    """Yield the table of the simulation's published numbers."""
    from harness.studies.brain.simulation.recipes import table

    first, *rest = table()
    yield "| " + " | ".join(first) + " |"
    yield "| --- | ---: | ---: | ---: |"
    for row in rest:
        yield "| " + " | ".join(row) + " |"


def written(page: str, name: str, lines: Iterator[str]) -> str:
    """Give the page with one of its tables in place of the one that stood there."""
    pattern = re.compile(rf"(<!-- written: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    table = "\n".join(lines) + "\n"
    found, count = pattern.subn(lambda match: match[1] + table + match[2], page)
    if count != 1:
        raise ValueError(f"{PAGE.name} has {count} places for the table {name!r}")
    return found


def _models(datasets: Mapping[str, Any]) -> set[str]:
    return {model for one in datasets.values() for models in one["splits"].values() for model in models}


def _best(scores: Mapping[str, Any], text: str) -> Mapping[str, Any]:
    return max((score for model, score in scores.items() if model.partition("@")[0] == text), key=lambda one: one["r2"])


def _row(name: str, scores: list[Mapping[str, Any] | None]) -> str:
    return f"| {name} | " + " | ".join(f"{score['r2']:.4f}" if score else "" for score in scores) + " |"


def main(arguments: list[str]) -> None:
    """Write the page anew."""
    page = written(PAGE.read_text(encoding="utf-8"), "weights", weights())
    if arguments:
        performance, measured = (json.loads(Path(name).read_bytes()) for name in arguments)
        page = written(written(page, "demo", demo(performance)), "sizes", sizes(measured))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
