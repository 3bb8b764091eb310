"""The benchmarks that a mean may cover: the same for all models compared (docs/reliability-rules.md#aggregation).

Means over different benchmarks can reverse findings: a model is not better for having fewer values. Works on names and
on which values are defined; sees no values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

IsDefined = Callable[[str, str], bool]  # arguments: a benchmark and a model


@dataclass(frozen=True)
class CommonSet:
    """The benchmarks over which a mean is taken, and the models and benchmarks that are left out."""

    over: tuple[str, ...]  # the benchmarks on which all of `models` are defined
    models: tuple[str, ...]  # the models that have a mean
    dropped: dict[str, int]  # a model defined on fewer than half of the benchmarks -> their number
    lacking: dict[str, tuple[str, ...]]  # a benchmark left out -> the models that are undefined there


def of_table(benchmarks: Sequence[str], models: Iterable[str], is_defined: IsDefined) -> CommonSet:
    """Return the benchmarks for the means of a table of models: those on which every model has a value.

    A model defined on fewer than half of the benchmarks is dropped first, since it could leave the others without any.
    """
    counted = {model: sum(is_defined(each, model) for each in benchmarks) for model in models}
    dropped = {model: count for model, count in counted.items() if 2 * count < len(benchmarks)}
    found = of_members(benchmarks, [model for model in counted if model not in dropped], is_defined)
    over = () if dropped and not found.models else found.over
    return CommonSet(over, found.models, dropped, found.lacking)


def of_members(benchmarks: Sequence[str], models: Iterable[str], is_defined: IsDefined) -> CommonSet:
    """Return the benchmarks for the means of some models: those on which each has a value; no model is dropped."""
    members = tuple(models)
    undefined = {each: tuple(model for model in members if not is_defined(each, model)) for each in benchmarks}
    over = tuple(name for name, models_there in undefined.items() if not models_there)
    return CommonSet(over, members, {}, {name: there for name, there in undefined.items() if there})
