"""Outputs of steps that are known before they are made: what a lock pins of a dataset, and the slices cut from it.

It computes digests of rows that lie in a store; it must never know what a row means, and writes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from harness.digest import sha256
from harness.manifest.lockfile import Lock
from harness.steps import Ref, Step, maker
from harness.store.store import Store

CUT = ":cut"  # what the kinds of the steps end with that cut a table into slices


def slice_sizes(cut: Step) -> dict[str, int]:
    """Count the rows of each slice by the parameters of the step that cuts; empty where they do not tell."""
    size, ends = cut.params.get("size"), cut.params.get("ends", [cut.params.get("rows")])
    if not isinstance(size, int) or size < 1 or not all(isinstance(end, int) for end in ends):
        return {}
    pieces = ((start, end) for first, end in zip([0, *ends], ends, strict=False) for start in range(first, end, size))
    return dict(zip(cut.outputs, (min(size, end - start) for start, end in pieces), strict=False))


def foreseen_outputs(step: Step, made: Mapping[tuple[str, str], str], lock: Lock, store: Store) -> dict[str, str]:
    """Return the digests that a step's outputs will have, where lock and store tell all of them; else nothing."""
    for name, pin in lock.pins["datasets"].items():
        if step.name == maker(name):
            pinned = {output: pin.get(output) for output in step.outputs}
            found = {output: str(part["sha256"]) for output, part in pinned.items() if isinstance(part, Mapping)}
            sound = all(store.blobs.state(digest) == "sound" for digest in found.values())
            return found if sound and len(found) == len(step.outputs) else {}
    rows = step.inputs.get("rows")
    if step.kind.endswith(CUT) and isinstance(rows, Ref) and len(sizes := slice_sizes(step)) == len(step.outputs):
        return _digests(made[rows.step, rows.output], sizes, store)
    return {}


def _digests(table: str, sizes: Mapping[str, int], store: Store) -> dict[str, str]:
    if store.blobs.state(table) != "sound":
        return {}
    with store.blobs.open(table) as lines:
        return {part: sha256(b"".join(islice(lines, size))) for part, size in sizes.items()}
