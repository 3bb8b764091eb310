"""The page of near misses, made by scoring every row of every task's table.

Tables are `near_miss`'s, of facts that can be counted, or `within`'s, whose worth is given by bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from studies.curie.scoring.near_misses import near_miss, scored
from studies.curie.scoring.near_misses.within import NearMissWithin

from harness.studies.curie.tasks import AVERAGED, TASKS

_HEAD = """# Near misses of CURIE

This page is written by `python tests/near_misses.py`, which scores every answer on it; do not edit it by hand.

A near miss is an answer that is almost right, or right and written otherwise. All golds and answers are our own
inventions. What a scientist gives, and why, is our own judgement and no panel's: for dft-c, hfd, hfe, qecc and geo
facts counted by hand, for the others a value or bounds, laid down before strict mode had scored the answer. Where
strict mode gives something else, the row is marked **parts** and says why. Paper mode is what the published code gives.

An answer is right here if a scientist gives 1. Where the lowest value of a right answer lies below the highest of one
that is not, a score does not tell them apart: so it is with paper mode in every task, and with strict mode only where a
right answer is marked **parts**.

| task | near misses | as the scientist | strict: lowest of a right answer, highest of another | paper: the same |
| --- | ---: | ---: | --- | --- |
"""
_ITEMS = (
    "Strict: F1 of a one-to-one matching of the pairs that the rule judge (OURS) admits. Paper: ROUGE-L, 0 to 100, "
    "since LLMSim as published asks a model, and no value of it can be had without one."
)
_FACTS = "Strict: F1 of the facts (OURS). Paper: ROUGE-L, 0 to 100: words in their order, names of fields among them."
_MEASURES = {
    **dict.fromkeys(("dft-s", "dft-p", "mpv"), _ITEMS),
    "biogr": "Strict: intersection over union on the circle of longitudes. Paper: the same on a plane.",
    "pdb": (
        "Strict: identity of an alignment, corrected for chance (OURS): 0 is what shuffled residues give. Paper: "
        "identity of a longest common subsequence, which is .2 for unrelated proteins."
    ),
}


class Judged(NamedTuple):
    """A near miss with what it was given: by a scientist, strict mode and paper mode."""

    name: str
    low: float
    high: float
    strict: Any
    paper: Any
    why: str
    parts: bool  # strict mode gives something else than the scientist


@cache
def judged(task: str) -> list[Judged]:
    """Score the near misses of a task."""
    module = import_module(f"studies.curie.scoring.near_misses.{task.replace('-', '_')}")
    return [_within(task, row) if isinstance(row, NearMissWithin) else _counted(module, row) for row in module.ROWS]


def _within(task: str, row: NearMissWithin) -> Judged:
    strict, paper = scored.values(task, row)
    parts = not scored.as_given(row, strict)
    reasons = (row.why, row.paper and f"paper: {row.paper}", row.apart and f"**parts**: {row.apart}")
    return Judged(row.name, row.low, row.high, strict, paper, "; ".join(filter(None, reasons)), parts)


def _counted(module: Any, row: near_miss.NearMiss) -> Judged:
    name = module.__name__.rpartition(".")[2]
    strict, paper = (near_miss.found(name, row.answer, module.TRUTH, mode)["value"] for mode in ("strict", "paper"))
    value = float(row.value)
    return Judged(row.name, value, value, strict, paper, row.why, abs(counted(strict) - value) > 1e-9)


def counted(value: Any) -> float:
    """Give a value as the tables count it: one that cannot be had is 0."""
    return float(value) if isinstance(value, int | float) else 0.0


def page() -> str:
    """Write the page."""
    found = {task: judged(task) for task in AVERAGED}
    summary = "\n".join(_summary(task, rows) for task, rows in found.items())
    return f"{_HEAD}{summary}\n" + "".join(_section(task, rows) for task, rows in found.items())


def _summary(task: str, rows: Sequence[Judged]) -> str:
    right = [row for row in rows if row.low == 1]
    other = [row for row in rows if row.high < 1]
    agreed = sum(not row.parts for row in rows)
    cells = (_ends([getattr(row, mode) for row in right], [getattr(row, mode) for row in other])
             for mode in ("strict", "paper"))  # fmt: skip
    return f"| {task} | {len(rows)} | {agreed} | {' | '.join(cells)} |"


def _ends(right: Sequence[Any], other: Sequence[Any]) -> str:
    return f"{_spelt(min(map(counted, right)))}, {_spelt(max(map(counted, other)))}"


def _section(task: str, rows: Sequence[Judged]) -> str:
    lines = "\n".join(_lines(rows))
    return f"\n## {task}: {TASKS[task].about}\n\n{_MEASURES.get(task, _FACTS)}\n\n{lines}\n"


def _lines(rows: Sequence[Judged]) -> Iterator[str]:
    yield "| the answer | a scientist gives | strict | paper | why |"
    yield "| --- | --- | ---: | ---: | --- |"
    for row in rows:
        given = _spelt(row.low) if row.low == row.high else f"{_spelt(row.low)} to {_spelt(row.high)}"
        cells = (row.name, given, _spelt(row.strict), _spelt(row.paper), row.why)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _spelt(value: Any) -> str:
    if not isinstance(value, int | float):
        return "no value"
    text = f"{value:.1f}" if value > 1 else f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
