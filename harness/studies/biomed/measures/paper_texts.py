"""The published table of text metrics: mean and normal interval of each metric of each model.

Rule: docs/biomed.md#paper-texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.studies.biomed.measures.paper_performance import NOT_THERE, Estimate, bioscore
from harness.studies.biomed.terms import NOT_KNOWN

METRICS = ("BLEU", "ROUGE2", "ROUGEL", "BERTScore")


def column_name(model: str, metric: str) -> str:
    """Return the name of the column of a model's metric in the published tables."""
    return f"{model}_{metric}"


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of a metric and its normal interval; values of -1 are left out, as published (none occurs)."""
    import numpy as np  # noqa: PLC0415 - heavy

    column = np.asarray(values, float)
    return bioscore(column[column != NOT_KNOWN])


def text_table(
    columns: Mapping[str, Sequence[float]], models: Sequence[str], metrics: Sequence[str] = METRICS
) -> list[dict[str, str]]:
    """Return the printed table: one row per model, one cell per metric, `N/A` if there is no such column."""
    return [{"Model": model, **{metric: _cell(columns, model, metric) for metric in metrics}} for model in models]


def _cell(columns: Mapping[str, Sequence[float]], model: str, metric: str) -> str:
    values = columns.get(column_name(model, metric))
    return NOT_THERE if values is None else str(estimate(values))
