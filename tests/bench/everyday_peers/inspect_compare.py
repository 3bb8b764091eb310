"""What a person writes to compare two models by the logs of Inspect AI: the difference of each row's scores."""

import math
import sys
from statistics import mean, stdev

from inspect_ai.log import list_eval_logs, read_eval_log

scores = {}
for info in list_eval_logs(sys.argv[1]):
    log = read_eval_log(info)
    for sample in log.samples or []:
        for name, score in (sample.scores or {}).items():
            if name in ("choice", "exact"):
                value = {"C": 1.0, "I": 0.0}.get(score.value, score.value)
                scores.setdefault(log.eval.model.rpartition("/")[2], {})[log.eval.task, sample.id] = float(value)
one, other = (scores[name] for name in sys.argv[2:])
pairs = [one[row] - other[row] for row in one if row in other]
middle, half = mean(pairs), 1.96 * stdev(pairs) / math.sqrt(len(pairs))
print(f"{len(pairs)} rows: difference {middle:.3f}, 95 % interval {middle - half:.3f} to {middle + half:.3f}")
for row in one:
    if row in other and one[row] != other[row]:
        print(*row, one[row], other[row])
