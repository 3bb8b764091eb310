"""Run as a command: millions of answers to labels, labels to six indicators; prints what it took.

python tests/bench/whole_study.py FOLDER MODELS ITEMS_DIVISOR
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.answers import SIZES, answers, questions

from harness import rows
from harness.studies.reliability.measures.indicators import analyse

PROMPTS = 15


def label(task: tuple[Path, int, int]) -> int:
    """Write the labels of one model on all benchmarks; gives how many answers were labelled."""
    folder, model, divisor = task

    def table() -> list[rows.Row]:
        found = []
        for benchmark, size in SIZES.items():
            for item, question in enumerate(questions(benchmark, size // divisor)):
                said = [question.label(text) for text in answers(question, model, item, PROMPTS)]
                found.append(
                    {
                        "model": f"model-{model:02d}", "item": f"{benchmark}-{item:05d}", "benchmark": benchmark,
                        "subset": benchmark, "difficulty": item % 97, "calibrated": True,
                        "labels": "".join(each.label for each in said), "truncated": 0, "errors": 0,
                        "avoidance": {"ethical": 0, "epistemic": 0, "non_conforming": 0},
                    }
                )  # fmt: skip
        return found

    return PROMPTS * rows.write(folder / "labels" / f"part-{model:05d}", table())


def main(folder: Path, models: int, divisor: int) -> None:
    """Do the whole and say what it took."""
    (folder / "labels").mkdir(parents=True)
    begun = time.perf_counter()
    with multiprocessing.Pool(2) as pool:
        labelled = sum(pool.map(label, [(folder, model, divisor) for model in range(models)], chunksize=1))
    scored = time.perf_counter()
    params = {"bins": 30, "rule_set": "OURS-v1", "discount": {"science": "0.25"}, "resamples": 2000, "seed": 0}
    analyse(params, {"labels": folder / "labels"}, folder)
    ended = time.perf_counter()
    largest = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
    told = {"responses": labelled, "labels_s": scored - begun, "indicators_s": ended - scored, "largest_mib": largest}
    print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
