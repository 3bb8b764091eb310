"""The graded answers of a run, read once: by grader and model, with what the measures need of their items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from harness import rows
from harness.errors import InputError
from harness.rowtypes import Gold, Item, Score
from harness.stats import is_number
from harness.studies.biomed.measures.states import CountedAnswer, StateTally, by_template, read_answer
from harness.studies.biomed.terms import KINDS, MODES, PAPER


class AskedItem(NamedTuple):
    """What the measures need of an item: its template, whether its gold answer is yes or no, and its labels by kind."""

    template: str
    yes: bool | None
    labels: Mapping[str, tuple[str, ...]]


@dataclass
class RunAnswers:
    """All graded answers of a run, by grader and model, counted in one mode (paper or strict)."""

    mode: str
    models: tuple[str, ...]
    graders: tuple[str, ...]
    items: dict[str, AskedItem]
    answers: dict[tuple[str, str], list[CountedAnswer]] = field(default_factory=dict)  # by grader and model
    scores: dict[tuple[str, str], list[float | None]] = field(default_factory=dict)  # the values of the same answers

    def add(self, scores: Iterable[Score]) -> None:
        """Add the scores of the graders that were asked for; scores of another mode are skipped.

        Raise InputError for a model that is not named, an unknown item, and two scores of one answer by one grader.
        """
        met = set()
        for row in scores:
            if row["scorer"] not in self.graders or row["detail"].get("mode", self.mode) != self.mode:
                continue
            if row["model"] not in self.models:
                what = f"a score of the model {row['model'][:80]!r}, which is not named"
                raise InputError(what, where="models", next="name it")
            if row["item"] not in self.items:
                raise InputError(f"a score of {row['item']}, which is not in items", where="scores")
            place = (row["scorer"], row["model"], row["item"], row["template"], row["sample"])
            if place in met:
                raise InputError(f"two scores of one answer to {row['item']} by {row['scorer']}", where="scores")
            met.add(place)
            answer = read_answer(row, self.items[row["item"]].template, self.mode)
            self.answers.setdefault(place[:2], []).append(answer)
            value = row["value"]
            self.scores.setdefault(place[:2], []).append(float(value) if is_number(value) else None)

    def of(self, grader: str, model: str) -> Sequence[CountedAnswer]:
        """Return a model's answers with the grades of one grader, in the order of the scores."""
        return self.answers.get((grader, model), [])

    @property
    def whole(self) -> bool:
        """Whether rates are over all answers, failed ones included, as in the published code."""
        return self.mode == PAPER

    def tallies(self, grader: str, model: str) -> dict[str, StateTally]:
        """Count a model's answers by template."""
        return by_template(self.of(grader, model), whole=self.whole)


def asked_items(items: Iterable[Item], golds: Iterable[Gold]) -> dict[str, AskedItem]:
    """Return each item's template, labels and yes/no answer by its id, in the order of items."""
    yes = {row["id"]: row["gold"].get("yes") for row in golds}
    return {
        row["id"]: AskedItem(
            str(row["meta"]["template"]),
            yes.get(row["id"]),
            {kind: tuple(row["meta"].get(kind, ())) for kind in KINDS},
        )
        for row in items
    }


def read(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> RunAnswers:
    """Read a run's graded answers from `items`, `gold` and `scores`, for a step's `mode`, `models` and `graders`.

    Raise InputError for an unknown mode, and as `RunAnswers.add` and `states.read_answer` do.
    """
    if params["mode"] not in MODES:
        raise InputError(f"the mode {params['mode']!r}", where="mode", next=f"write {' or '.join(MODES)}")
    known = asked_items(rows.read(inputs["items"], Item), rows.read(inputs["gold"], Gold))
    found = RunAnswers(params["mode"], tuple(params["models"]), tuple(params["graders"]), known)
    found.add(rows.read(inputs["scores"], Score))
    return found
