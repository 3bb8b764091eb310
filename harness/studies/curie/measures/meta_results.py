"""Aggregated results as the published notebooks read them: one row per metric, and zeros for what a model lacks.

Rule: docs/curie.md#paper-averages. Handles domains, prompts, models, records and metrics by name. Independent of tables
and figures.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.stats import is_number

RENAMED: Mapping[str, str] = {"mpve": "mpv", "qecc_85": "qecc_65"}
NOT_FINITE = ("nan", "inf", "-inf")
NAN = ("__nan__", *NOT_FINITE[:1])  # spellings of NaN in a JSON text: in the golden values, and in this project
MOST = 2_000_000  # rows after filling; the published study has 49,000


class MetaRow(NamedTuple):
    """One metric of one model's answer to one record, from published results; texts are 0, and NaN is still NaN."""

    task: str  # the domain, renamed as in the notebook
    prompt: str
    model: str
    record: str
    metric: str
    value: float


def read(given: Any) -> list[MetaRow]:
    """Read published results, nested by domain, prompt, model and record, as rows in the order given.

    An empty object yields no row. Raises InputError for another shape, a number above 1e15, and a domain given twice.
    """
    found, seen = [], set[str]()
    for domain, prompts in _within(given, "meta_results"):
        task = RENAMED.get(domain, domain)
        if task in seen:
            raise InputError("two domains are one and the same", where=f"meta_results/{domain}", next="keep one")
        seen.add(task)
        for prompt, models in _within(prompts, domain):
            for model, records in _within(models, prompt):
                for record, metrics in _within(records, model):
                    for metric, value in _within(metrics, record):
                        found.append(MetaRow(task, prompt, model, record, metric, _number(value, record)))
    return found


def _within(given: Any, where: str) -> Iterable[tuple[str, Any]]:
    if not isinstance(given, Mapping):
        raise InputError(
            "not an object", where=where[:80], next="give domain -> prompt -> model -> record -> {metric: value}"
        )
    return given.items()


def _number(value: Any, where: str) -> float:
    """Read one value: a text is 0 (the notebooks' rule) unless it spells a number JSON cannot hold; null is NaN."""
    if value is None:
        return math.nan
    if isinstance(value, str):
        return math.nan if value in NAN else float(value) if value in NOT_FINITE else 0.0
    if isinstance(value, float) and not math.isfinite(value):
        return value
    if not is_number(value):
        raise InputError("a metric is no number and no text", where=where[:80], next="give texts, or numbers to 1e15")
    return float(value)


def models(rows: Iterable[MetaRow]) -> list[str]:
    """List the models that have any row, sorted."""
    return sorted({row.model for row in rows})


def fill(rows: Sequence[MetaRow], every: Sequence[str]) -> list[MetaRow]:
    """Add a 0 for each model that lacks a value that another model has for the same task, prompt, record and metric.

    A row that no model has stays absent. Raises InputError if there would be more than two million rows.
    """
    met: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for row in rows:
        met[row.task, row.prompt, row.record, row.metric].add(row.model)
    return [*rows, *(_zero(key, model, key[3]) for key, model in _lacking(met, every))]


def fill_records(rows: Sequence[MetaRow], every: Sequence[str], metrics: Sequence[str]) -> list[MetaRow]:
    """Add zeros in all of `metrics` for each model that lacks every row of a record which another model has (Table 7).

    A model that has one of the metrics of a record gets no zeros for the others. Raises InputError as `fill` does.
    """
    met: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for row in rows:
        met[row.task, row.prompt, row.record].add(row.model)
    return [*rows, *(_zero(key, model, name) for key, model in _lacking(met, every) for name in metrics)]


def _lacking(met: Mapping[tuple[str, ...], set[str]], every: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    if len(met) * len(every) > MOST:
        what = f"{len(met)} values for each of {len(every)} models are too many"
        raise InputError(what, where="meta_results", next="give the results of fewer models")
    return ((key, model) for key, having in met.items() for model in every if model not in having)


def _zero(key: tuple[str, ...], model: str, metric: str) -> MetaRow:
    return MetaRow(key[0], key[1], model, key[2], metric, 0.0)


def mean(values: Iterable[float]) -> float:
    """Return the mean of the values that are not NaN; NaN if there are none.

    The sum is compensated (Kahan) in the order given, as the notebook's library sums groups. For a mean on a rounding
    boundary, the last digit decides how it is rounded.
    """
    total = carried = 0.0
    count = 0
    for value in values:
        if math.isnan(value):
            continue
        count += 1
        step = value - carried
        raised = total + step
        carried = raised - total - step
        if math.isnan(carried):  # an infinity; from here on a plain sum
            carried = 0.0
        total = raised
    return total / count if count else math.nan


def deviation(values: Iterable[float]) -> float:
    """Return the sample standard deviation (n - 1) of values that are not NaN; 0 if undefined, as in the notebook."""
    known = [value for value in values if not math.isnan(value)]
    if len(known) < 2 or not all(map(math.isfinite, known)):
        return 0.0
    centre = math.fsum(known) / len(known)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in known) / (len(known) - 1))


def percentiles(values: Sequence[float], points: Sequence[int]) -> list[float]:
    """Return interpolated percentiles of one or more numbers without NaN; NaN between infinities."""
    import numpy as np  # noqa: PLC0415

    with np.errstate(invalid="ignore"):
        found: list[float] = np.percentile(values, list(points)).tolist()
    return found
