"""Run one task as `lm_eval run --model dummy --log_samples` does; the peer's own Python runs this.

The one difference: the task is read by itself, without lm-eval's index of its own fourteen thousand tasks, which is
paid once a run, costs more than all the rest, and would drown the cost of a sample in its noise.
"""

from __future__ import annotations

import sys

from lm_eval import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager


def main(folder: str, task: str, out: str) -> None:
    """Evaluate, and write the results and every sample."""
    tracker = EvaluationTracker(output_path=out)
    manager = TaskManager(include_path=folder, include_defaults=False)
    results = simple_evaluate(
        model="dummy", tasks=[task], task_manager=manager, log_samples=True, evaluation_tracker=tracker
    )
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    tracker.save_results_samples(task_name=task, samples=samples[task])


if __name__ == "__main__":
    main(*sys.argv[1:])
