"""Simulated interviews for S1 and S2: which items participants see and what they answer, as real survey rows.

Works on simulated participants, label tables and item difficulties; independent of the analyses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness import seeds
from harness.studies.reliability.measures.table import Table
from harness.studies.reliability.people import simulate
from harness.studies.reliability.rowtypes import Expected, VerdictRow
from harness.studies.reliability.terms import UNSCORED

MOST = 30  # items per participant and study
POOL = 30  # items of a benchmark that the participants share, so that an item has several ratings


def pools(tables: Mapping[str, Table], seed: int) -> dict[str, list[str]]:
    """Draw at most POOL item ids of each benchmark: the pool that both simulated human studies share."""
    return {
        name: sorted(
            seeds.draw_sample(seeds.random_stream(seeds.derive_seed(seed, "people.pool", name)), table.ids, POOL)
        )
        for name, table in tables.items()
    }


def _drawn(
    who: simulate.SimulatedPerson, study: str, pool: Mapping[str, Sequence[str]], seed: int
) -> Iterator[tuple[str, list[str], seeds.Stream]]:
    """Yield one participant's items of each benchmark, about MOST in all, as (benchmark, ids, random stream)."""
    for name, items in pool.items():
        source = seeds.random_stream(seeds.derive_seed(seed, f"people.{study}", f"{who.id}/{name}"))
        yield name, seeds.draw_sample(source, items, max(1, MOST // len(pool))), source


def s1(
    people: Sequence[simulate.SimulatedPerson],
    tables: Mapping[str, Table],
    pool: Mapping[str, Sequence[str]],
    seed: int,
) -> Iterator[Expected]:
    """Simulate study S1 (expected failures): write one survey row for each item that a participant is given.

    A row holds the label of the participant's own answer, the confidence in it, and the failure expected of others.
    """
    for who in people:
        for name, items, _ in _drawn(who, "s1", pool, seed):
            for item in items:
                said = simulate.expects(who, item, tables[name].items[item].difficulty, seed)
                yield {"participant_id": who.id, "benchmark": name, "instance_id": item, **said}


def s2(
    people: Sequence[simulate.SimulatedPerson],
    tables: Mapping[str, Table],
    pool: Mapping[str, Sequence[str]],
    models: Sequence[str],
    templates: Mapping[str, Sequence[Any]],
    seed: int,
) -> Iterator[VerdictRow]:
    """Simulate study S2 (verdicts on outputs): write one survey row for each model output that a participant judges.

    The output is drawn among those of a model and a wording with a label. An item without labels yields no row.
    """
    for who in people:
        for name, items, source in _drawn(who, "s2", pool, seed):
            table = tables[name]
            for item in items:
                shown = [
                    (model, place)
                    for model in models
                    for place, label in enumerate(table.labels.get(model, {}).get(item, ""))
                    if label != UNSCORED
                ]
                if not shown:
                    continue
                model, place = shown[seeds.draw_below(source, len(shown))]
                label, difficulty = table.labels[model][item][place], table.items[item].difficulty
                output = f"{item}/{model}/{place}"
                yield {
                    "participant_id": who.id,
                    "benchmark": name,
                    "instance_id": item,
                    "model": model,
                    "template": templates[name][place],
                    "verdict": simulate.verdict(who, output, label, difficulty, seed),
                }
