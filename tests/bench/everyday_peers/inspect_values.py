"""Read what the logs of Inspect AI hold, as JSON: the measure holds it against what the server's answers are worth."""

import json
import sys

from inspect_ai.log import list_eval_logs, read_eval_log

found = []
for info in list_eval_logs(sys.argv[1]):
    log = read_eval_log(info, header_only=True)
    for score in log.results.scores if log.results else []:
        [value, *_] = [one.value for name, one in score.metrics.items() if name in ("accuracy", "mean")]
        done = [log.status, log.results.completed_samples, log.eval.config.epochs]
        found.append([log.eval.task.rpartition("/")[2], log.eval.model.rpartition("/")[2], score.name, *done, value])
print(json.dumps(found))
