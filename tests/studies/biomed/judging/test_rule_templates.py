"""The rule grader on generated pairs of all templates: gold right, its denial 0, another pair's answer not good."""

from __future__ import annotations

import pytest

from harness.studies.biomed.judging.rule import grade
from harness.studies.biomed.sources.synthetic import SMALL, tables
from harness.studies.biomed.templates.catalogue import TEMPLATES
from harness.studies.biomed.templates.generating import generate
from harness.studies.biomed.templates.pair import Rules
from harness.studies.biomed.terms import STRICT


@pytest.mark.long
def test_gold_is_right_and_its_denial_is_not_on_pairs_of_all_templates():
    lazy = {name: frame.lazy() for name, frame in tables(1, SMALL).items()}
    made = {one.template.id: list(one.pairs.values()) for one in generate(lazy, Rules(STRICT), 1, most=20)}
    assert made.keys() == TEMPLATES.keys()
    good = others = 0
    for pairs in made.values():
        for number, pair in enumerate(pairs):
            other = pairs[(number + 7) % len(pairs)]
            for facts in (pair.facts, None):
                assert grade(pair.question, pair.answer, pair.answer, facts).grade == "3.0", pair
                assert grade(pair.question, pair.answer, f"It is false that {pair.answer}", facts).grade == "0.0", pair
                if other.answer != pair.answer:
                    others += 1
                    good += grade(pair.question, pair.answer, other.answer, facts).label != "bad"
    assert good <= 0.01 * others  # two drugs of one target, or of one disease, by names that nobody can tell apart
