"""What the scorers of the study `curie` cost beside what the published code calls; where values differ, it ends."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.costs import FULL, Size
from bench.measure import Failed, Missing, ratio, spend, spend_here
from bench.peers import environment
from bench.rouge import RUN, having
from bench.table import Row

from harness import seeds
from harness.studies.curie.scoring import boxes
from harness.studies.curie.scoring.alignment import align, chance, common
from harness.studies.curie.scoring.rouge import SUM, rouge
from harness.studies.curie.scoring.sequences import compared

WORDS, VOCABULARY, LINES = 1_000, 400, 40
RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
SEQUENCES, BOXES, LENGTH = 50, 10_000, 400
Pairs = Sequence[tuple[Any, Any]]


def curie_rows(work: Path, size: Size) -> list[Row]:
    """Measure ROUGE-Lsum, identity ratios and boxes beside their references, and one alignment with its shuffles."""
    return [*_rouge(work, size), *_identity(size), *_iou(size), _strict(size)]


def _draws(purpose: str) -> Callable[[int], int]:
    source = seeds.stream(seeds.derive(5, f"bench.curie.{purpose}"))
    return lambda bound: seeds.below(source, bound)


def _rouge(work: Path, size: Size) -> list[Row]:
    """Hold ROUGE-Lsum against the package, by the reference's shape: a mark is the share of its cost to stay below."""
    python = having()
    if not python:
        raise Missing("rouge-score is not here\n  next: the measure `rouge` installs it, or PEERS=DIR names it")
    shapes = {"a line": (1, 1 / 20), f"{LINES} lines": (LINES, 1 / 12)}
    rows = []
    for name, (lines, mark) in shapes.items():
        below = _draws(f"rouge {lines}")
        pairs = [(_text(below, LINES), _text(below, lines)) for _ in range(10 if size is FULL else 3)]
        costs = [_against_package(python, work, pairs) for _ in range(size.repeats)]
        what = f"CPU of ROUGE-Lsum, {LINES} lines of {WORDS:,} words against a reference in {name}, to rouge-score"
        rows.append(Row("curie", what, tuple(costs), mark))
    return rows


def _text(below: Callable[[int], int], lines: int) -> str:
    return "\n".join(" ".join(f"w{below(VOCABULARY)}" for _ in range(WORDS // lines)) for _ in range(lines))


def _against_package(python: Path, work: Path, pairs: Pairs) -> float:
    given = work / "curie.json"
    given.write_text(json.dumps({"kinds": [SUM], "pairs": pairs}), encoding="utf-8")
    begun = time.process_time()
    ours = [rouge(*pair)[SUM] for pair in pairs]  # with rouge1 and rouge2, which the package is not asked for
    cost = time.process_time() - begun
    theirs: dict[str, Any] = json.loads(spend([python, RUN, given], environment(work), work).output)
    if ours != [100 * each[SUM][2] for each in theirs["values"]]:
        raise Failed("ROUGE-Lsum has other values than rouge-score gives")
    return ratio(cost, theirs["cpu"])


def _identity(size: Size) -> list[Row]:
    """Hold identity ratios against biopython with the gap scores that it had until 1.85."""
    from Bio.Align import PairwiseAligner

    below = _draws("identity")
    pairs = [(_protein(below), _protein(below)) for _ in range(SEQUENCES)]
    found = [compared(*pair)["identity_ratio"] for pair in pairs]
    aligner = PairwiseAligner(mode="global", open_gap_score=0, extend_gap_score=0)
    for (left, right), value in zip(pairs, found, strict=True):
        most = int(aligner.score(left, right))
        if most != common(left, right) or value != most / (len(left) + len(right) - most):
            raise Failed("an identity ratio is not the one that biopython 1.85 gives")
    costs = _costs(size, lambda: [compared(*pair) for pair in pairs])
    what = f"CPU of {SEQUENCES} identity ratios of {LENGTH} residues, edit distances included"
    return [Row("curie", what, costs, 0.05, "s")]


def _protein(below: Callable[[int], int]) -> str:
    return "".join(RESIDUES[below(len(RESIDUES))] for _ in range(LENGTH))


def _iou(size: Size) -> list[Row]:
    """Hold IoU against the notebook's way of computing it, on arrays of four."""
    below = _draws("boxes")
    pairs = [(_box(below), _box(below)) for _ in range(BOXES)]
    theirs = [_by_arrays(*pair) for pair in pairs]
    if [boxes.iou(*pair) for pair in pairs] != theirs:
        raise Failed("an IoU is not the one that arrays give")
    costs = _costs(size, lambda: [boxes.iou(*pair) for pair in pairs])
    return [Row("curie", f"CPU of IoU of {BOXES:,} pairs of boxes", costs, 0.05, "s")]


def _box(below: Callable[[int], int]) -> list[float]:
    west, south = below(3_000) / 100 - 15, below(3_000) / 100 - 15
    return [west, south, west + below(2_000) / 100 + 0.01, south + below(2_000) / 100 + 0.01]


def _by_arrays(box: Sequence[float], gold: Sequence[float]) -> float:
    import numpy as np

    left, right = np.array(box), np.array(gold)
    low, high = np.maximum(left[:2], right[:2]), np.minimum(left[2:], right[2:])
    shared = 0.0 if (high < low).any() else float(np.prod(high - low))
    areas = [float(np.prod(each[2:] - each[:2])) for each in (left, right)]
    return shared / (areas[0] + areas[1] - shared)


def _strict(size: Size) -> Row:
    """Take the time of one record of strict mode: an alignment, and those of a hundred shuffles."""
    below = _draws("strict")
    gold, predicted = _protein(below), _protein(below)
    chance(gold, predicted)  # digests are drawn once a process
    costs = _costs(size, lambda: (align(gold, predicted), chance(gold, predicted)))
    return Row("curie", f"CPU of an alignment of {LENGTH} residues and of its 100 shuffles", costs, 1.0, "s")


def _costs(size: Size, work: Callable[[], object]) -> tuple[float, ...]:
    return tuple(spend_here(work).cpu for _ in range(size.repeats))
