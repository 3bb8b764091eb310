"""What a person writes to compare two models by the samples of lm-eval: the difference of each row's scores."""

import json
import math
import sys
from pathlib import Path
from statistics import mean, stdev


def scores(model):
    [*_, newest] = sorted(Path("out", model).glob("samples_mixed_*.jsonl"))
    rows = map(json.loads, newest.read_text().splitlines())
    return {row["doc_id"]: (row["exact_match"], row["doc"]["question"], row["filtered_resps"]) for row in rows}


one, other = map(scores, sys.argv[1:])
pairs = [one[row][0] - other[row][0] for row in one]
middle, half = mean(pairs), 1.96 * stdev(pairs) / math.sqrt(len(pairs))
print(f"{len(pairs)} rows: difference {middle:.3f}, 95 % interval {middle - half:.3f} to {middle + half:.3f}")
for row in one:
    if one[row][0] != other[row][0]:
        print(one[row], other[row])
