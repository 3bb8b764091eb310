"""What the scorers of the study `curie` cost beside what the published code calls; where values differ, it ends."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.costs import FULL, Size
from bench.curie_model import RESPONSES, SIZES
from bench.measure import Failed, Missing, ratio, spend, spend_here
from bench.peers import environment
from bench.rouge import RUN, having
from bench.table import Row

from harness import rows, seeds
from harness.studies.curie.asking import FACTS
from harness.studies.curie.grading.facts import RULES
from harness.studies.curie.scoring import boxes, boxes_strict, sequences_strict
from harness.studies.curie.scoring.alignment import align, chance, common
from harness.studies.curie.scoring.references import reference_text
from harness.studies.curie.scoring.rouge import SUM, rouge
from harness.studies.curie.scoring.sequences import compared
from harness.studies.curie.tasks import MODES, PAPER, STRICT

WORDS, VOCABULARY, LINES = 1_000, 400, 40
RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
SEQUENCES, BOXES, LENGTH = 50, 10_000, 400
CHECKED = 7  # every so many records of a whole model are scored a second time
HERE = Path(__file__).resolve().parent
Pairs = Sequence[tuple[Any, Any]]


def curie_rows(work: Path, size: Size) -> list[Row]:
    """Measure ROUGE-Lsum, identity ratios and boxes beside their references, one alignment, and a whole model."""
    measured = [*_rouge(work, size), *_identity(size), *_iou(size), _strict(size)]
    return measured + (_whole(work) if size is FULL else [])


def _draws(purpose: str) -> Callable[[int], int]:
    source = seeds.random_stream(seeds.derive_seed(5, f"bench.curie.{purpose}"))
    return lambda bound: seeds.draw_below(source, bound)


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


def _whole(work: Path) -> list[Row]:
    """Score one full model by the steps of a run, in either mode; the values are held against the rules themselves."""
    found = []
    for mode in MODES:
        folder = work / f"whole-{mode}"
        told = json.loads(
            spend([sys.executable, HERE / "whole_curie.py", folder, mode], environment(work), work).output
        )
        checked = _as_the_rules(folder, mode) if mode == STRICT else _as_the_package(folder, work)
        what = f"{RESPONSES} responses to ten tasks, {mode} mode, judged by rule, no code; {checked} values checked"
        found += [
            Row("curie", f"wall of scoring {what}", (told["scoring_s"],), 60.0, "s"),
            Row("curie", f"largest process of it, {mode} mode", (told["largest_mib"],), 1024.0, "MiB"),
        ]
    return found


def _sample(folder: Path, task: str) -> list[tuple[str, Any, dict[str, float]]]:
    """Give some records of a task: the answer, its gold, and the values by scorer."""
    values: dict[str, dict[str, float]] = {}
    for row in rows.read(folder / task / "scores"):
        values.setdefault(row["item"], {})[row["scorer"]] = row["value"]
    both = zip(rows.read(folder / task / "responses"), rows.read(folder / task / "gold"), strict=True)
    return [(row["text"], gold, values[row["item"]]) for row, gold in list(both)[::CHECKED]]


def _as_the_rules(folder: Path, mode: str) -> int:
    """Hold the values of strict mode against the rules, called apart; gives how many were."""
    rules: dict[str, tuple[str, Callable[[str, str], Any]]] = {task: ("facts", RULES[task]) for task in FACTS}
    rules |= {"biogr": ("boxes", boxes_strict.score), "pdb": ("sequence", sequences_strict.score)}
    checked = 0
    for task, (scorer, rule) in rules.items():
        for text, gold, values in _sample(folder, task):
            if rule(text, gold["gold"]["truth"])["value"] != values[scorer]:
                raise Failed(f"a value of {task} is not the one that its rule gives in {mode} mode")
            checked += 1
    return checked


def _as_the_package(folder: Path, work: Path) -> int:
    """Hold ROUGE-Lsum of paper mode against rouge-score; gives how many values were."""
    python = having()
    seen = [(text, reference_text(task, gold, PAPER), values["rouge"])
            for task in SIZES for text, gold, values in _sample(folder, task)]  # fmt: skip
    pairs = [[side.replace(" . ", " .\n") for side in both] for *both, _ in seen]
    given = work / "curie.json"
    given.write_text(json.dumps({"kinds": [SUM], "pairs": pairs}), encoding="utf-8")
    theirs = json.loads(spend([python or "", RUN, given], environment(work), work).output)
    if any(abs(100 * other[SUM][2] - own) > 1e-9 for (_, _, own), other in zip(seen, theirs["values"], strict=True)):
        raise Failed("ROUGE-Lsum of a whole model has other values than rouge-score gives")
    return len(seen)
