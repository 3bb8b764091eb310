"""All 73 kinds of text task of our own: the twelve of the demo, and those written later, in the same eight areas.

Independent of prompts and models. The number is the paper's; its kinds are in the supplement only, so none is the
paper's kind (docs/reliability-rules.md#transforms).
"""

from __future__ import annotations

from harness import seeds
from harness.errors import InputError
from harness.studies.reliability.data import (
    transforms_code,
    transforms_demo,
    transforms_formats,
    transforms_lookups,
    transforms_office,
)
from harness.studies.reliability.data.transforms_demo import TaskInstance, TaskType

TASKS: tuple[TaskType, ...] = (
    transforms_demo.TASKS
    + transforms_formats.TASKS
    + transforms_lookups.TASKS
    + transforms_office.TASKS
    + transforms_code.TASKS
)


def draw(seed: int, task: int, index: int) -> TaskInstance:
    """Draw instance `index` of kind 1..73 of text task from the seed; kinds 1 to 12 are the demo's.

    The draws are independent of each other. Raises InputError for another task.
    """
    if not 1 <= task <= len(TASKS):
        raise InputError(f"there is no task {task}", where="task", next=f"use 1 to {len(TASKS)}")
    kind = TASKS[task - 1]
    text, target = kind.draw(seeds.random_stream(seeds.derive_seed(seed, "transforms.draw", f"{task:02d}-{index}")))
    return TaskInstance(kind.instruction, text, target, (), kind.answer_shape)
