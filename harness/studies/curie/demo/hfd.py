"""Demo records for the task HFD (OURS): papers that state a model and the averages to keep, which fix five steps.

The results of the steps are certain, because mean-field theory leaves no choice once the averages to keep are named.
Independent of prompts, models and scoring.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.studies.curie.data.records import TaskRecord, write
from harness.studies.curie.demo.documents import Draw, draws, place, shuffled, turn
from harness.studies.curie.demo.mean_field import (
    BARE,
    DIRECT,
    EXCHANGE,
    FULL,
    INTERACTION,
    SINGLE,
    MeanFieldCase,
    equation,
    vary,
)
from harness.studies.curie.demo.mean_field_models import MODELS, WITH_EXCHANGE
from harness.studies.curie.demo.mean_field_text import (
    definitions_paragraph,
    hartree_paragraph,
    special_paragraph,
    write_paper,
)
from harness.studies.curie.demo.selection import written

TASK, PURPOSE = "hfd", "curie.demo_hfd"


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `count` invented papers drawn from `seed`, each with a five-step derivation of a mean-field Hamiltonian."""
    write(TASK, [_record(params["seed"], draw) for draw in draws(params, PURPOSE)], out)


def drawn(seed: int, draw: Draw) -> tuple[MeanFieldCase, list[MeanFieldCase]]:
    """Draw the mean-field model of an invented paper, and the others that it quotes: one if easy, three if hard."""
    model = turn(seed, PURPOSE, draw.index, WITH_EXCHANGE)
    case = vary(draw, model)
    rest = shuffled(draw.source, [each for each in MODELS if each is not model])
    return case, [vary(draw, other) for other in rest[: 1 + draw.rank]]


def steps(case: MeanFieldCase) -> list[dict[str, str]]:
    """Return the five steps of a Hartree-Fock derivation, each with its task and its result."""
    found = (
        ("the terms that stay as they are", equation(SINGLE, case.single)),
        ("the interaction", equation(INTERACTION, case.interaction)),
        ("the direct terms of the decoupled interaction", equation(DIRECT, case.direct)),
        ("its exchange and pairing terms", equation(EXCHANGE, case.exchange)),
        ("the whole mean-field Hamiltonian", equation(FULL, case.full)),
    )
    return [{"Step": str(at), "task": task, "answer": f"${result}$"} for at, (task, result) in enumerate(found, 1)]


def _told(case: MeanFieldCase, rank: int) -> list[str]:
    """Return paragraphs that reveal parts of the result: several in easy papers, only abbreviations in hard ones."""
    helps = [[hartree_paragraph(case), special_paragraph(case)], [special_paragraph(case)], []][rank]
    return [part for part in (definitions_paragraph(case), *helps) if part]


def _record(seed: int, draw: Draw) -> TaskRecord:
    case, others = drawn(seed, draw)
    text = write_paper(draw, case, _told(case, draw.rank), others)
    truth = {"record_id": draw.id, "steps": steps(case)}
    meta = written(seed, text, place(text, equation(BARE, case.bare)))
    return TaskRecord(draw.id, text, json.dumps(truth), json.dumps(steps(case)), draw.level, meta=meta)
