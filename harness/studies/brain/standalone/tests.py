"""The paired tests as standalone analyses: the published set, blocks, false discovery rates, measured sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

from harness.errors import InputError
from harness.scorers.tool import Tool
from harness.studies.brain.measures.blocks import block_means, in_order, scan_blocks
from harness.studies.brain.measures.families import corrected, counted, families
from harness.studies.brain.measures.levels import labelled_p
from harness.studies.brain.measures.ttest import lowest_error, paired_p
from harness.studies.brain.nulls import sizes
from harness.studies.brain.standalone.given_tests import (
    BlockTestInput,
    BlockTestOutput,
    FdrInput,
    FdrOutput,
    LowestErrorInput,
    LowestErrorOutput,
    PublishedTestsInput,
    PublishedTestsOutput,
    SizeOfTestInput,
    SizeOfTestOutput,
)
from harness.studies.brain.standalone.locating import located
from harness.studies.brain.structure.others import blank, fedorenko
from harness.studies.brain.structure.pereira import pereira
from harness.studies.brain.terms import FEDORENKO, LANGUAGE, PEREIRA, SPLITS, H

Array = Any  # a numpy array


def published(given: PublishedTestsInput) -> dict[str, Any]:
    """Return the paired tests of the authors' repository: language model against simple features and against the mean.

    The units are those of the language network, sorted by participant. The result has raw (`_orig`) and corrected
    p-values of rows (`plain_`) and of block means (`blocked_`), and the errors of the best of mean, language model and
    both (`select_lower_error`).
    """
    found: dict[str, Any] = {}
    _require_names(given.subject)
    grouped = families(given.subject, given.network, H)
    units = [unit for family in grouped for unit in family.units]
    pairs = {"pval": (given.se_full, given.se_simple), "pval_LLM_sig": (given.se_llm, given.se_intercept)}
    for way, labels in (("plain", None), ("blocked", given.block_label)):
        for name, (errors, against) in pairs.items():
            with located({"labels": "block_label"}):
                p = labelled_p(errors, against, labels, omit=True)
            _require_units(given.subject, p, "subject")
            q = corrected(p.tolist(), grouped)
            found[f"{way}_{name}_orig"] = p[units]
            found[f"{way}_{name}"] = _array([q[unit] for unit in units])
        found[f"{way}_subject"] = [given.subject[unit] for unit in units]
    models = {"intercept": given.se_intercept, "llm": given.se_llm, "full": given.se_full}
    return {**found, "select_lower_error": lowest_error(models.items())[1]}


def _require_units(names: Sequence[Any], p: Array, where: str) -> None:
    if len(names) != len(p):
        raise InputError(f"{len(names)} participants stand beside {len(p)} units", where=where, next="give one each")


def _require_names(names: Sequence[Any]) -> None:
    """Raise InputError unless all participants are texts or all are numbers, because they are sorted."""
    texts = sum(isinstance(one, str) for one in names)
    wrong = [one for one in names if not isinstance(one, str | int | float) or (isinstance(one, float) and isnan(one))]
    if wrong or texts not in (0, len(names)):
        told = "the participants are not all texts, nor all numbers"
        raise InputError(told, where="subject", next="name each by a text, or each by a number")


def _array(values: Sequence[Any]) -> Array:
    import numpy as np  # noqa: PLC0415

    return np.array(values, np.float64)


def block_test(given: BlockTestInput) -> dict[str, Any]:
    """Test two models' errors over rows, or over the means of blocks or folds.

    Raises InputError if tables have different shapes, if labels do not fit the rows, if both labels and stories are
    given, or if the order is not valid.
    """
    if given.labels is not None and given.stories is not None:
        raise InputError("both `labels` and `stories` are given", where="stories", next="give one of the two")
    labels = scan_blocks(given.stories, given.scans) if given.stories is not None else given.labels
    if labels is None and given.order is not None:
        raise InputError("`order` permutes labels, and there are none", where="order", next="give labels or stories")
    if labels is None:
        return {"p": paired_p(given.errors, given.against, omit=given.omit)}
    own = labels if given.order is None else in_order(labels, given.order.tolist())
    with located({"labels": "labels" if given.stories is None else "stories"}):
        blocks, means = block_means(given.errors, own, omit=given.omit)
    found = {
        "p": labelled_p(given.errors, given.against, own, omit=given.omit),
        "blocks": blocks,
        "means": means,
        "means_against": block_means(given.against, own, omit=given.omit)[1],
    }
    if given.order is None:
        return found
    return {**found, "misaligned_p": labelled_p(given.errors, given.against, labels, omit=given.omit)}


def fdr(given: FdrInput) -> dict[str, Any]:
    """Correct p-values within families; raise InputError for a p-value outside 0 to 1, or lists of unequal lengths."""
    _require_units(given.participants, given.p, "participants")
    grouped = families(given.participants, given.networks, given.generation, given.experiments or ())
    p = [1.0 if isnan(one) else one for one in given.p.tolist()]
    return {"q": corrected(p, grouped), **counted(p, grouped)}


def best(given: LowestErrorInput) -> dict[str, Any]:
    """Return the model with the lowest mean squared error of each unit, and its errors."""
    chosen, lowest = lowest_error(given.errors.items())
    return {"chosen": chosen, "lowest": lowest}


def measured_size(given: SizeOfTestInput) -> dict[str, Any]:
    """Measure how often the tests find something on noise with a dataset's rows: by split, world, pair and level."""
    if given.layout == PEREIRA:
        rows = pereira(given.experiment)
    else:
        rows = fedorenko() if given.layout == FEDORENKO else blank()
    design = sizes.NullDesign(given.seed, given.families, given.units, given.columns, tuple(given.alphas))
    return sizes.sizes(rows, design, [given.split] if given.split else SPLITS)


ANALYSES: Mapping[str, Tool] = {
    "brain.stats_ttest_fdr": Tool(
        f"Tests squared errors of the {LANGUAGE} network as generation H does: rows and blocks, raw and corrected.",
        PublishedTestsInput,
        PublishedTestsOutput,
        published,
    ),
    "brain.block_test": Tool(
        "Tests whether one model's squared errors lie below another's: over rows, blocks or folds (OURS).",
        BlockTestInput,
        BlockTestOutput,
        block_test,
    ),
    "brain.fdr": Tool("Corrects p-values within the families of a generation (OURS).", FdrInput, FdrOutput, fdr),
    "brain.lowest_error": Tool(
        "Takes, unit by unit, the model with the lowest mean squared error (OURS).",
        LowestErrorInput,
        LowestErrorOutput,
        best,
    ),
    "brain.test_size": Tool(
        "Measures on simulated noise how often the paired tests find something (OURS).",
        SizeOfTestInput,
        SizeOfTestOutput,
        measured_size,
    ),
}
