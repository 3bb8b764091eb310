"""Agreement between a grader's labels and reference labels: confusion matrix, precision, recall, accuracy, kappa.

A confusion matrix has a row for each reference label and a column for each of the grader's labels. The functions are
independent of what was labelled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.kit.resample import FEWEST, RESAMPLES, absent, beside, generator, ratio, share
from harness.stats import kappa

Matrix = list[list[int]]
UNSEEN = "no response with this label"
NOBODY = "no responses"
UNDEFINED = "both gave one and the same label throughout, so agreement by chance is certain"


def measures(strata: Mapping[str, Matrix], classes: Sequence[str], seed: int) -> dict[str, Any]:
    """Return a summed confusion matrix with recall, precision, accuracy and Cohen's kappa, and their 95 % intervals.

    `strata` has a matrix for each benchmark. For kappa's interval, each benchmark is resampled separately. An undefined
    figure is a missing value with its reason.
    """
    size = range(len(classes))
    whole = [[sum(each[row][column] for each in strata.values()) for column in size] for row in size]
    hits, by_person = [whole[place][place] for place in size], [sum(row) for row in whole]
    by_rules = [sum(row[place] for row in whole) for place in size]
    found, units = kappa(whole), max((sum(sum(row) for row in own) for own in strata.values()), default=0)
    return {
        "n": sum(by_person),
        "matrix": {name: dict(zip(classes, row, strict=True)) for name, row in zip(classes, whole, strict=True)},
        "recall": {classes[place]: share(hits[place], by_person[place], UNSEEN) for place in size},
        "precision": {classes[place]: share(hits[place], by_rules[place], UNSEEN) for place in size},
        "accuracy": share(sum(hits), sum(by_person), NOBODY),
        "kappa": absent(UNDEFINED if sum(by_person) else NOBODY)
        if found is None
        else beside(found, _resampled_kappa(strata, seed), units, UNDEFINED),
        "degenerate": units < FEWEST or found is None,
    }


def _resampled_kappa(strata: Mapping[str, Matrix], seed: int) -> Any:
    """Return kappa of each bootstrap resample; a resample draws each benchmark's cell counts from a multinomial."""
    import numpy as np  # noqa: PLC0415 - heavy, and the command line loads this module

    size = len(next(iter(strata.values())))
    total: Any = np.zeros((RESAMPLES, size, size), dtype=np.int64)
    for name, own in strata.items():
        cells = np.array(own, dtype=np.int64).reshape(-1)
        source = generator(seed, "agreement.bootstrap", name)
        total += source.multinomial(cells.sum(), cells / cells.sum(), size=RESAMPLES).reshape(total.shape)
    return kappas(total)


def kappas(total: Any) -> Any:
    """Return Cohen's kappa of each matrix of an array, all of one total; nan if agreement by chance is certain."""
    import numpy as np  # noqa: PLC0415

    n = int(total[0].sum())
    seen = n * np.trace(total, axis1=1, axis2=2)
    chance = (total.sum(axis=1) * total.sum(axis=2)).sum(axis=1)
    return ratio(seen - chance, n * n - chance)
