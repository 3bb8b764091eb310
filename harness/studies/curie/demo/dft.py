"""Demo records for the three DFT tasks (OURS): papers whose settings are certain, since the papers are made from them.

The three tasks share their papers and their ground truth, as in the archive. Independent of prompts and models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.studies.curie.data.records import TaskRecord, write
from harness.studies.curie.demo.dft_answers import ANSWERS
from harness.studies.curie.demo.dft_settings import DftPaper, project
from harness.studies.curie.demo.dft_structures import CRYSTAL, THEMES, Structure
from harness.studies.curie.demo.dft_text import write_paper
from harness.studies.curie.demo.dft_truth import truth
from harness.studies.curie.demo.documents import Draw, draws, one, place, turn
from harness.studies.curie.demo.selection import written

PURPOSE = "curie.demo_dft"


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `count` invented papers for the task dft-s, dft-p or dft-c from `seed`; InputError for another task.

    With the same seed, the three tasks have the same papers and ground truth, but different ideal answers.
    """
    task = params["task"]
    if task not in ANSWERS:
        raise InputError(f"no DFT task is called {task!r}", where="task", next=f"use one of: {', '.join(ANSWERS)}")
    write(task, [_record(params["seed"], draw, task) for draw in draws(params, PURPOSE)], out)


def drawn(seed: int, draw: Draw) -> DftPaper:
    """Draw the structures and calculations of an invented paper; for a crystal it may omit the space group."""
    found = project(draw, turn(seed, PURPOSE, draw.index, THEMES))
    return replace(found, structures=tuple(_partly(draw, each) for each in found.structures))


def _partly(draw: Draw, structure: Structure) -> Structure:
    """Leave out fields of a crystal that this paper does not state."""
    unsaid = one(draw.source, ("", "space_group")) if structure.type == CRYSTAL else ""
    return replace(structure, fields={key: value for key, value in structure.fields.items() if key != unsaid})


def _record(seed: int, draw: Draw, task: str) -> TaskRecord:
    found = drawn(seed, draw)
    text = write_paper(draw, found)
    meta = written(seed, text, place(text, "comprise"))
    return TaskRecord(draw.id, text, truth(draw.id, found), ANSWERS[task](found), draw.level, meta=meta)
