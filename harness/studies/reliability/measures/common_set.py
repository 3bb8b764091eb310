"""The benchmarks that a mean may run over: the same for all whom it is about (docs/reliability-rules.md#aggregation).

Means over different benchmarks turn findings round: a model is not better for having fewer values. It knows names and
which values are defined; it must never know a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

IsDefined = Callable[[str, str], bool]  # of a benchmark and a model


@dataclass(frozen=True)
class CommonSet:
    """The benchmarks of a mean, and who and what was left out before it."""

    over: tuple[str, ...]  # the benchmarks where each of its models is defined
    models: tuple[str, ...]  # whose means there are
    dropped: dict[str, int]  # a model defined on fewer than half of the benchmarks -> on how many
    lacking: dict[str, tuple[str, ...]]  # a benchmark left out -> the models that are undefined there


def of_table(benchmarks: Sequence[str], models: Iterable[str], is_defined: IsDefined) -> CommonSet:
    """Choose the benchmarks of a table of models: where every one is defined.

    A model that is defined on fewer than half of them leaves first, or it would empty everybody's set.
    """
    counted = {model: sum(is_defined(each, model) for each in benchmarks) for model in models}
    dropped = {model: count for model, count in counted.items() if 2 * count < len(benchmarks)}
    found = of_members(benchmarks, [model for model in counted if model not in dropped], is_defined)
    over = () if dropped and not found.models else found.over
    return CommonSet(over, found.models, dropped, found.lacking)


def of_members(benchmarks: Sequence[str], models: Iterable[str], is_defined: IsDefined) -> CommonSet:
    """Choose the benchmarks of a finding about some models: where each of them is defined; nobody leaves."""
    members = tuple(models)
    undefined = {each: tuple(model for model in members if not is_defined(each, model)) for each in benchmarks}
    over = tuple(name for name, models_there in undefined.items() if not models_there)
    return CommonSet(over, members, {}, {name: there for name, there in undefined.items() if there})
