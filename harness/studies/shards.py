"""How the tables of a dataset are cut into shards, the unit of progress: plan values alone.

It must never know what a row means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.rows import part_name
from harness.steps import Ref, Step, maker
from harness.studies.study import Dataset


def cut_steps(dataset: Dataset, tables: Sequence[str], size: int) -> list[Step]:
    """Give the steps that cut tables of a dataset into shards of at most a size; their outputs are the shards.

    Where rows were appended a shard begins, so that those before stay what they were.
    """
    ends = [*(end for end in dataset.cuts if end < dataset.rows), dataset.rows]
    sizes = [-(-(end - start) // size) for start, end in zip([0, *ends], ends, strict=False)]
    slices = tuple(part_name(index) for index in range(sum(sizes)))
    kind, shape = "harness.rows:cut", dict[str, Any](size=size, rows=dataset.rows)
    if len(ends) > 1:
        kind, shape = "harness.studies.segments:cut", dict[str, Any](size=size, ends=ends)
    return [
        Step(f"{dataset.name}/{table}", kind, "rows", shape, {"rows": Ref(maker(dataset.name), table)}, slices)
        for table in tables
    ]
