"""The makers of the transforms demo and of all kinds of our own, and f_w+l (docs/reliability-rules.md#transforms).

Works on the tasks' inputs and answers; independent of prompts, models and scoring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.studies.reliability.data import transforms_demo, transforms_own
from harness.studies.reliability.data.budget import token_budget
from harness.studies.reliability.data.difficulty import calibrated
from harness.studies.reliability.data.ids import ids
from harness.studies.reliability.data.transforms_demo import TaskInstance, TaskType
from harness.studies.reliability.data.words_distance import f_wl, levenshtein, word_count

TASK = "transforms"
LONGEST = 20_000  # characters of a text whose distance the command line computes


def facts(given: str, answer: str) -> dict[str, Any]:
    """Return a text task's difficulty f_w+l (words of input and output, edit distance), and the three terms of the sum.

    Raises InputError for texts of more than LONGEST characters.
    """
    for name, value in (("input", given), ("output", answer)):
        if not isinstance(value, str) or len(value) > LONGEST:
            raise InputError(
                f"`{name}` is not a text of at most {LONGEST} characters", where=name, next=f"give `{name}` as a string"
            )
    return {
        "words_in": word_count(given),
        "words_out": word_count(answer),
        "levenshtein": levenshtein(given, answer),
        "f_wl": f_wl(given, answer),
    }


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write text tasks (items without answers, gold, budgets, counts): `count` instances of each of twelve kinds.

    Raises InputError for a count below one.
    """
    _write("transforms-demo", transforms_demo.TASKS, transforms_demo.draw, params, out)


def make_own(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write text tasks as `make` does, but of all 73 kinds of our own, of which the first twelve are the demo's.

    Raises InputError for a count below one.
    """
    _write("transforms-own", transforms_own.TASKS, transforms_own.draw, params, out)


def _write(
    source: str,
    tasks: Sequence[TaskType],
    draw: Callable[[int, int, int], TaskInstance],
    params: Mapping[str, Any],
    out: Path,
) -> None:
    seed, count = params["seed"], params["count"]
    if count < 1:
        raise InputError("no instances make no dataset", where="count", next="ask for at least one instance a task")
    numbers = range(1, len(tasks) + 1)
    names = [name for task in numbers for name in ids(f"{TASK}-{task:02d}", count)]
    kinds = [kind for kind in tasks for _ in range(count)]
    instances = [draw(seed, task, index) for task in numbers for index in range(count)]
    raw = [f_wl(each.text, each.target) for each in instances]
    scale = calibrated(raw, params.get("calibration"))
    meta = {
        "source": source,
        "raw_difficulty": {},  # f_w+l reveals the answer, so it is in the gold
        "difficulty_function": "f_w+l",
        **scale.meta(),
        "seed": seed,
        "generator_version": transforms_demo.GENERATOR_VERSION,
        "licence": "Apache-2.0",
    }
    items: Iterator[Item] = (
        {
            "id": name,
            "task": TASK,
            "difficulty": None,
            "input": {"task_id": kind.name, "instruction": each.instruction, "text": each.text},
            "meta": {**meta, "area": kind.area},
        }
        for name, kind, each in zip(names, kinds, instances, strict=True)
    )
    rows.write(out / "items", items)
    rows.write(out / "gold", map(_gold, names, instances, raw, scale.values))
    rows.write(
        out / "budgets",
        (
            {"id": name, "max_tokens": token_budget(TASK, chars=len(each.target))}
            for name, each in zip(names, instances, strict=True)
        ),
    )
    counts = {"drawn": len(instances), "kept": len(instances), "removed": 0, "tasks": len(tasks)}
    rows.write_one(out / "counts", {TASK: counts})


def _gold(name: str, each: TaskInstance, raw: int, difficulty: float) -> Gold:
    return {
        "id": name,
        "gold": {"target": each.target, "accepted": list(each.accepted), "answer_shape": each.answer_shape},
        "difficulty": difficulty,
        "raw_difficulty": {"f_w+l": raw, "chars_in": len(each.text), "chars_out": len(each.target)},
    }
