"""The scores of one model on one dataset by one scorer, prompt by prompt, and means of values derived from them.

Works on scores; independent of how they are made. Of an answer it sees only the text that a scorer read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.kit.meaning import Meaning
from harness.kit.score_intervals import MetricColumn, intervals_of
from harness.kit.score_lines import number
from harness.rowtypes import Score
from harness.studies.questions.measures.samples import SampledAnswer
from harness.studies.questions.measures.scored_items import ScoredItems

READ = "answer"  # the field of a score's detail that says what was read
Place = tuple[str, str, str]  # model, dataset, scorer
Prompt = tuple[str, int]  # item and wording


@dataclass
class ScoredPrompts:
    """The scored answers of one model, dataset and scorer by prompt, and the clusters of the items."""

    bounds: tuple[float | None, float | None] | None
    clusters: dict[str, str] = field(default_factory=dict)
    samples: dict[Prompt, list[SampledAnswer]] = field(default_factory=dict)
    votes: bool = False  # at least one score says what was read

    def add(self, row: Score, value: float, cluster: str) -> None:
        """Add one score."""
        read = row["detail"].get(READ)
        self.votes |= read is not None
        sample = SampledAnswer(None if read is None else str(read), value)
        self.samples.setdefault((row["item"], row["template"]), []).append(sample)
        if cluster:
            self.clusters[row["item"]] = cluster

    @property
    def wordings(self) -> list[int]:
        """The numbers of the prompt wordings that have a score."""
        return sorted({wording for _, wording in self.samples})

    @property
    def most(self) -> int:
        """The largest number of scored answers to one prompt."""
        return max(map(len, self.samples.values()))

    def column(self, dataset: str, values: Mapping[Prompt, Sequence[float]]) -> MetricColumn:
        """Return values of prompts as a column of numbers by item."""
        by_item: dict[str, list[float]] = {}
        for (item, _), numbers in values.items():
            by_item.setdefault(item, []).extend(numbers)
        return MetricColumn(dataset, by_item, self.bounds, self.clusters)


def gathered(found: ScoredItems, meanings: Mapping[str, Meaning]) -> dict[Place, ScoredPrompts]:
    """Group numeric scores by model, dataset and scorer, sorted by these names.

    Empty if every item has one answer only.
    """
    places: dict[Place, ScoredPrompts] = {}
    several = len({(answer.row["template"], answer.row["sample"]) for answer in found.answers}) > 1
    for answer in found.answers if several else ():
        row, value = answer.row, number(answer.row["value"])
        if value is not None:
            meaning = meanings.get(row["scorer"])
            bounds = (meaning.floor, meaning.ceiling) if meaning else None
            place = (row["model"], answer.dataset, row["scorer"])
            places.setdefault(place, ScoredPrompts(bounds)).add(row, value, answer.cluster)
    return dict(sorted(places.items()))


class PendingMeans:
    """A collection of means whose confidence intervals are computed together, so that they share resamples."""

    def __init__(self) -> None:
        self._told: list[tuple[MetricColumn, dict[str, Any]]] = []

    def add(self, column: MetricColumn) -> dict[str, Any]:
        """Return a column's mean as plain data, to which `close` later adds the interval."""
        told: dict[str, Any] = {"n": column.n, "items": len(column.by_item), "value": column.mean()}
        self._told.append((column, told))
        return told

    def close(self) -> None:
        """Add the intervals to all means that `add` returned."""
        found = intervals_of([column for column, _ in self._told])
        for (_, told), interval in zip(self._told, found, strict=True):
            told.update(interval.document())
