"""The numbers behind the published box plots, donuts and token histograms, and the published statistics file.

Computes values and texts; draws nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.studies.biomed.measures.paper_columns import Columns
from harness.studies.biomed.terms import NOT_KNOWN

LABEL_HEIGHT = -0.12  # the height at which the published box plot writes the share of abstentions
BIOSCORE = "BioScore"  # the one metric whose values of -1 are removed and shown as a share
REACH = 1.5  # a count of tokens is kept within this many interquartile ranges of the quartiles
PERCENTAGES = "%1.1f%%"  # how the published donut prints a part of all labels


def boxplot(columns: Columns, order: Sequence[str], metric: str = BIOSCORE) -> dict[str, Any]:
    """Return the numbers of the published box plot: each model's scores without abstentions, and its labels.

    A share is of all rows, including those without a grade. Rows without a grade stay in the box as NaN and are not
    drawn. A model without a column has one NaN and, as published, a share of 0. Only BioScore has labels.
    """
    counts = {model: sum(value == NOT_KNOWN for value in columns.get(model, ())) for model in order}
    boxes = {model: [value for value in columns.get(model, (math.nan,)) if value != NOT_KNOWN] for model in order}
    rows = max(map(len, columns.values()), default=0)
    shares = [100 * counts[model] / rows if rows else math.nan for model in order] if metric == BIOSCORE else []
    return {"texts": [[at, LABEL_HEIGHT, f"({share:.2f}%)"] for at, share in enumerate(shares)], "per_model": boxes}


def donut(labels: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the numbers of the published donut chart: how often each label occurs, most frequent first.

    Percentages are of all occurrences.
    """
    counts = Counter(label for each in labels for label in each).most_common()
    return {
        "labels": [label for label, _ in counts],
        "sizes": [size for _, size in counts],
        "autopct": PERCENTAGES,
    }


def histogram(counts: Sequence[int]) -> dict[str, Any]:
    """Return the numbers of the published token histogram: quartiles, kept counts, their median, ticks.

    The median is printed with a half rounded to even. Raise InputError if there are no counts.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    if not counts:
        raise InputError("there are no counts of tokens", where="counts", next="give one or more")
    low, high = (float(each) for each in np.quantile(np.asarray(counts, float), (0.25, 0.75)))
    reach = REACH * (high - low)
    kept = [count for count in counts if low - reach <= count <= high + reach]
    median = float(np.median(kept))
    step = math.ceil(max(kept) / 100) * 10
    return {
        "q1": low,
        "q3": high,
        "kept": kept,
        "stat": "percent",
        "median_kept": median,
        "label": f"Median: {median:.0f}",
        "xticks": list(range(0, max(kept) + step, step)) if step else [0],
    }


def statistics_text(counts: Mapping[str, Sequence[int]], models: Sequence[str], title: str = "statistics") -> str:
    """Return the published text file: sum and median of tokens of questions, answers and each model's responses.

    Raise InputError if a column `…_token_count` is missing or empty.
    """
    named = {
        "question": "question",
        "answer": "answer",
        **{f"{model}_response": f"{model} responses" for model in models},
    }
    lines = [title, "=" * len(title)]
    for name, words in named.items():
        column = counts.get(f"{name}_token_count")
        if not column:
            raise InputError(
                f"no counts of tokens for {words}"[:200], where=f"{name}_token_count"[:200], next="give them"
            )
        lines += [f"Sum token count for {words}: {sum(column)}", f"Median token count for {words}: {_median(column)}"]
    return "".join(f"{line}\n" for line in lines)


def _median(values: Sequence[int]) -> float:
    import numpy as np  # noqa: PLC0415

    return float(np.median(np.asarray(values, float)))
