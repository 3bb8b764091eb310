"""The pairs of all templates from the source tables: candidates, the drawn ones, and their pairs with stable ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from harness.studies.biomed.templates.catalogue import TEMPLATES, QuestionTemplate
from harness.studies.biomed.templates.drawing import MOST, drawn
from harness.studies.biomed.templates.every import ANSWERERS
from harness.studies.biomed.templates.pair import YES, Pair, Rules, Tables


@dataclass(frozen=True, slots=True)
class Generated:
    """The questions kept of one template, by their stable ids, and how many candidates there were."""

    template: QuestionTemplate
    pairs: Mapping[str, Pair]  # by id: TEMPLATE.N, N from 1 in the natural order of the source
    candidates: int
    yes: int | None  # candidates answered yes; None if the questions are not yes/no ones


def generate(
    tables: Tables, rules: Rules, seed: int, *, most: int = MOST, only: Iterable[str] = TEMPLATES
) -> Iterator[Generated]:
    """Yield the questions of each template in `only`, in the catalogue's order, including templates without any."""
    wanted = frozenset(only)
    for template in TEMPLATES.values():
        if template.id in wanted:
            yield _generated(template, tables, rules, seed, most)


def _generated(template: QuestionTemplate, tables: Tables, rules: Rules, seed: int, most: int) -> Generated:
    answerer = ANSWERERS[template.id]
    frame = answerer.candidates(tables, rules)
    answers = frame[YES].to_numpy() if template.yes_no else None
    places = drawn(answers, frame.height, seed, most)
    chosen = frame if len(places) == frame.height else frame[places]
    pairs = answerer.pairs(tables, chosen, rules)
    named = {f"{template.id}.{number}": pair for number, pair in enumerate(pairs, 1)}
    return Generated(template, named, frame.height, int(answers.sum()) if answers is not None else None)
