"""Demo records for the MPV tasks (OURS): papers on real materials whose constants are handbook values.

The truth of mpv-specific is unfiltered, as in the archive, since its filter is part of the scoring. The truth of
mpv-non-trivial lacks the geometry that the prompt excludes. Independent of prompts, models and scoring.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import seeds
from harness.errors import InputError
from harness.studies.curie.data.records import TaskRecord, write
from harness.studies.curie.demo.documents import Draw, draws, one, place, shuffled, turn
from harness.studies.curie.demo.mpv_constants import CONSTANTS, THEMES, Constant
from harness.studies.curie.demo.mpv_text import THICKNESS, Stated, drawn_only, state, thickness, write_paper
from harness.studies.curie.demo.selection import written

PURPOSE = "curie.demo_mpv"
_SIZES = ((2, 4), (3, 7), (5, 11))  # numbers of materials and constants in an easy, a medium and a hard paper
_BLANK = " "  # what the archive writes for an empty field
_WANTED: Mapping[str, Callable[[Stated], bool]] = {
    "mpv": lambda each: True,
    "mpv-non-trivial": lambda each: each.constant.name != THICKNESS,
    "mpv-specific": lambda each: each.constant.optical,
}


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `count` invented papers for one of three material-property tasks, by `seed`; InputError for other tasks.

    With the same seed, the three tasks have the same papers.
    """
    task = params["task"]
    if task not in _WANTED:
        raise InputError(f"no MPV task is called {task!r}", where="task", next=f"use one of: {', '.join(_WANTED)}")
    write(task, [_record(params["seed"], draw, task) for draw in draws(params, PURPOSE)], out)


def _record(seed: int, draw: Draw, task: str) -> TaskRecord:
    title, stated = drawn(seed, draw)
    text = write_paper(draw, title, stated)
    stated.sort(key=lambda each: text.index(each.passage))
    kept = [each for each in stated if task != "mpv-non-trivial" or _WANTED[task](each)]
    wanted = [each for each in kept if _WANTED[task](each) and each.constant.low]
    truth = [_item(draw.id, at, each) for at, each in enumerate(kept, 1)]
    meta = written(seed, text, place(text, wanted[0].passage))
    answer = json.dumps([_answer(each) for each in wanted], ensure_ascii=False)
    return TaskRecord(draw.id, text, json.dumps(truth, ensure_ascii=False), answer, draw.level, meta=meta)


def drawn(seed: int, draw: Draw) -> tuple[str, list[Stated]]:
    """Draw an invented paper's title and the material properties that it states, among them an optical one."""
    title = turn(seed, PURPOSE, draw.index, tuple(THEMES))
    materials, count = _SIZES[draw.rank]
    chosen = _constants(draw.source, THEMES[title], materials, count)
    stated = state(draw, chosen)
    if draw.rank:
        about, other = chosen[0], chosen[-1]
        stated += [thickness(draw.source, about.material, about.formula), drawn_only(other.material, other.formula)]
    return title, shuffled(draw.source, stated)


def _constants(source: seeds.Stream, names: Sequence[str], materials: int, count: int) -> list[Constant]:
    """Draw `count` constants of some materials, one of them optical; fewer if the materials do not have as many."""
    optical = [name for name in names if any(each.optical for each in CONSTANTS[name])]
    first = one(source, optical)
    others = shuffled(source, [name for name in names if name != first])[: materials - 1]
    pool = [each for name in (first, *others) for each in CONSTANTS[name]]
    lead = one(source, [each for each in CONSTANTS[first] if each.optical])
    firsts = [lead, *(one(source, CONSTANTS[name]) for name in others)]
    rest = shuffled(source, [each for each in pool if each not in firsts])
    return shuffled(source, [*firsts, *rest[: count - len(firsts)]])


def _html(formula: str) -> str:
    """Return a formula as the archive writes it, with digits as subscripts."""
    return "".join(f"<sub>{letter}</sub>" if letter.isdigit() else letter for letter in formula)


def _source(stated: Stated, blank: str) -> tuple[str, str]:
    """Return the passage and the table that a value comes from."""
    return (blank, stated.table) if stated.table else (stated.passage, blank)


def _item(record: str, index: int, stated: Stated) -> dict[str, Any]:
    """Return an item with the archive's seventeen keys."""
    constant, (passage, table) = stated.constant, _source(stated, _BLANK)
    figure = not constant.low
    return {
        "paper_id": record,
        "material": constant.material,
        "synonyms": _html(constant.formula),
        "material_descriptor": _BLANK,
        "material_source_passage": passage,
        "material_source_table": table,
        "property_name": stated.called,
        "property_descriptor": constant.condition or _BLANK,
        "property_source_passage": passage,
        "property_source_table": "Figure 2" if figure else table,
        "low_value": constant.low or _BLANK,
        "high_value": constant.high or _BLANK,
        "value_units": constant.unit or _BLANK,
        "value_source_passage": _BLANK if figure else passage,
        "value_source_table": table,
        "index": index,
        "record_id": record,
    }


def _answer(stated: Stated) -> dict[str, str]:
    """Return an item with the thirteen keys that the prompt asks for."""
    constant, (passage, table) = stated.constant, _source(stated, "")
    found = {
        "material": constant.material,
        "material_descriptor": constant.formula,
        "property_name": stated.called,
        "property_descriptor": constant.condition,
        "low_value": constant.low,
        "high_value": constant.high,
        "value_units": constant.unit,
    }
    for what in ("material", "property", "value"):
        found |= {f"{what}_source_passage": passage, f"{what}_source_table": table}
    return found
