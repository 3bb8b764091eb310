"""Run as a command: a model's answers to all ten tasks of CURIE, scored by the steps of a run; prints what it took.

python tests/bench/whole_curie.py FOLDER MODE
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.curie_model import RESPONSES, SIZES, write_task

from harness import rows
from harness.studies.curie.asking import FACTS, LLMSIM
from harness.studies.curie.grading import boxes, facts, llmsim_rule, rouge, sequences
from harness.studies.curie.judging import rule
from harness.studies.curie.tasks import STRICT

SLOWEST_FIRST = ("pdb", "dft-c", "dft-s", "dft-p", "qecc", "mpv", "hfd", "geo", "hfe", "biogr")


def score(given: tuple[str, Path, str]) -> tuple[str, float]:
    """Score the answers to a task, judged by rule before where that is so; gives how long it took."""
    task, folder, mode = given
    begun = time.perf_counter()
    params = {"mode": mode, "task": task}
    inputs = {name: folder / name for name in ("items", "gold", "responses")}
    if task in LLMSIM:
        rule.judge({"judge": "rule", **params}, inputs, folder)
        llmsim_rule.score(params, {**inputs, "judgements": folder / "judgements"}, folder)
    elif task in FACTS:
        (facts if mode == STRICT else rouge).score(params, inputs, folder)
    else:
        (boxes if task == "biogr" else sequences).score(params, inputs, folder)
    return task, time.perf_counter() - begun


def main(folder: Path, mode: str) -> None:
    """Do the whole and say what it took; the scores stay in the folder."""
    for task in SIZES:
        write_task(task, folder / task)
    begun = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        took = dict(pool.imap_unordered(score, [(task, folder / task, mode) for task in SLOWEST_FIRST]))
        wall = time.perf_counter() - begun
        pool.close()
        pool.join()
    scored = sum(len({row["item"] for row in rows.read(folder / task / "scores")}) for task in SIZES)
    if scored != RESPONSES:
        raise SystemExit(f"{scored} of {RESPONSES} responses have a score")
    largest = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
    print(json.dumps({"responses": scored, "scoring_s": wall, "largest_mib": largest, "tasks_s": took}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
