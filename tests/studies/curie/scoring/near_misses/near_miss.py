"""Near misses: answers that are nearly a gold, or look unlike it and are not, with the value a scientist would give.

All texts are our own. `table()` prints strict mode's value beside the paper's ROUGE-L of the same answer:
`python -c "from studies.curie.scoring.near_misses.near_miss import table; print(table())"`.
"""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from typing import Any, NamedTuple

TASKS = ("geo", "qecc", "hfe", "hfd", "dft_c")


class NearMiss(NamedTuple):
    """An answer to the gold of its table: what it is worth, in facts that can be counted by hand, and why."""

    name: str
    answer: str
    value: Fraction
    why: str
    outcome: str = "valid"


def of(task: str) -> tuple[str, list[NearMiss]]:
    """Give the ground-truth text of a task's table, and its rows."""
    module = import_module(f"studies.curie.scoring.near_misses.{task}")
    return module.TRUTH, module.ROWS


def found(task: str, answer: str, truth: str, mode: str) -> Any:
    """Score an answer as a caller does."""
    from harness.studies.curie.standalone.facts import SCORERS  # for whoever wants the tables alone, too heavy

    row = {"model_response": answer, "ground_truth_text": truth, "mode": mode}
    return SCORERS[f"curie.{task}"].run(row)


def table() -> str:
    """Give the near misses of all tasks as a Markdown table."""
    lines = ["| task | answer | facts F1 | ROUGE-L (paper) | why |", "|---|---|---:|---:|---|"]
    for task in TASKS:
        truth, rows = of(task)
        for row in rows:
            values = (found(task, row.answer, truth, mode)["value"] for mode in ("strict", "paper"))
            strict, paper = values
            lines.append(f"| {task} | {row.name} | {strict:.3f} | {paper:.1f} | {row.why} |")
    return "\n".join(lines)
