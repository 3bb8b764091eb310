"""Demo records for the task HFE (OURS): papers that state one general mean-field Hamiltonian among others.

Independent of prompts, models and scoring.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.studies.curie.data.records import TaskRecord, write
from harness.studies.curie.demo.documents import Draw, draws, place, shuffled, turn
from harness.studies.curie.demo.mean_field import FULL, MeanFieldCase, equation, vary
from harness.studies.curie.demo.mean_field_models import MODELS
from harness.studies.curie.demo.mean_field_text import (
    definitions_paragraph,
    general_paragraph,
    special_paragraph,
    write_paper,
)
from harness.studies.curie.demo.selection import written

TASK, PURPOSE = "hfe", "curie.demo_hfe"


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `count` invented papers drawn from `seed`, each with a mean-field Hamiltonian to extract."""
    write(TASK, [_record(params["seed"], draw) for draw in draws(params, PURPOSE)], out)


def drawn(seed: int, draw: Draw) -> tuple[MeanFieldCase, list[MeanFieldCase]]:
    """Draw the mean-field model of an invented paper, and the others that it quotes: two if easy, four if hard."""
    model = turn(seed, PURPOSE, draw.index, MODELS)
    case = vary(draw, model)
    rest = shuffled(draw.source, [each for each in MODELS if each is not model])
    return case, [vary(draw, other) for other in rest[: 2 + draw.rank]]


def hamiltonian(case: MeanFieldCase) -> str:
    """Return the general mean-field Hamiltonian of a model in LaTeX."""
    return equation(FULL, case.full)


def _answer(case: MeanFieldCase) -> str:
    """Return the answer in the form that the prompt asks for."""
    where = "".join(f"\nwhere\n${each}$" for each in case.definitions)
    return f"The mean-field Hamiltonian is\n${hamiltonian(case)}${where}"


def _record(seed: int, draw: Draw) -> TaskRecord:
    case, others = drawn(seed, draw)
    told = [general_paragraph(draw.source, case), definitions_paragraph(case), special_paragraph(case)]
    text = write_paper(draw, case, [part for part in told if part], others)
    truth = {
        "record_id": draw.id,
        "hamiltonian": f"${hamiltonian(case)}$",
        "definitions": [f"${each}$" for each in case.definitions],
    }
    meta = written(seed, text, place(text, hamiltonian(case)))
    return TaskRecord(draw.id, text, json.dumps(truth), _answer(case), draw.level, meta=meta)
