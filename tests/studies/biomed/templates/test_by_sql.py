"""Every answer of every template once more, by SQL over the raw tables: which questions there are, and their facts.

The queries in `sql/` are written from the rules in words (docs/biomed.md#formats and what follows it); no rule of a
template is called here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support_biomed_sql import Database, Expected, Key, made_raw, said, slots_of, values_of
from support_draws import drawn

from harness.studies.biomed.sources.reading import read_tables
from harness.studies.biomed.sources.synthetic import Sizes, write_tables
from harness.studies.biomed.templates.catalogue import TEMPLATES
from harness.studies.biomed.templates.generating import Generated, generate
from harness.studies.biomed.templates.pair import Pair, Rules
from harness.studies.biomed.terms import MODES, PAPER, STRICT

pytestmark = pytest.mark.together  # one worker makes the tables
SMALL = Sizes(genes=30, drugs=160, diseases=12, snps=300, smr=600)
ALL = 10**9  # pairs of a template: all there are
SEED = 11
DRAWN = ("T01", "T05", "T09", "T18", "T22", "T25", "T36", "T40")  # of all kinds


class World:
    """Raw tables, the pairs that the templates make of them, and what SQL expects."""

    def __init__(self, folder: Path, seed: int, sizes: Sizes | None = None) -> None:
        (folder / "made").mkdir()
        given = write_tables(seed, folder / "made", *([sizes] if sizes else []))
        self.tables = read_tables(made_raw(given, folder / "raw"))
        self._sql = Database(folder / "raw")
        self.answers = cache(self._sql.answers)
        self.generated = cache(self._generated)

    def _generated(self, template: str, mode: str, most: int = ALL) -> Generated:
        """Give the pairs of one template."""
        (made,) = generate(self.tables, Rules(mode), SEED, most=most, only=[template])
        return made


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"), SEED, SMALL)


def keys_of(pairs: Sequence[Pair], expected: Mapping[Key, Expected]) -> list[Key | None]:
    known = values_of(expected)
    return [slots_of(pair.question, known) for pair in pairs]


def holds(world: World, template: str, mode: str) -> int:
    """Hold every pair of a template against SQL, and the questions that SQL knows against the pairs; count them."""
    made, expected = world.generated(template, mode), world.answers(template, mode)
    pairs = list(made.pairs.values())
    assert keys_of(pairs, expected) == list(expected), "other questions, or in another order"
    for pair, (key, right) in zip(pairs, expected.items(), strict=True):
        assert said(pair.facts) == right.facts, key
        assert pair.yes == right.yes, key
        assert all(number in pair.answer for number in right.printed), key
    assert made.candidates == len(expected)
    assert made.yes == (sum(one.yes is True for one in expected.values()) if TEMPLATES[template].yes_no else None)
    return len(pairs)


@pytest.mark.exhaustive
@pytest.mark.parametrize("template", drawn(TEMPLATES, 4, 40))
def test_sql_finds_the_same_questions_and_facts(world: World, template: str) -> None:
    assert all(holds(world, template, mode) for mode in MODES)


PARTS = 8  # of the templates


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The demo's own tables; those of seeds 1 to 4 agreed when this was written."""
    return World(tmp_path_factory.mktemp("large"), 7)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("part", drawn(range(PARTS), 1))
def test_sql_finds_them_in_tables_of_the_demos_size(large: World, part: int) -> None:
    for template in list(TEMPLATES)[part::PARTS]:
        assert all(holds(large, template, mode) for mode in MODES), template


@pytest.mark.long
def test_tables_of_the_demos_size_give_most_templates_more_questions_than_are_drawn(large: World) -> None:
    counts = {template: len(large.generated(template, STRICT).pairs) for template in TEMPLATES}
    assert sum(min(count, 2000) for count in counts.values()) > 40_000, counts


@pytest.mark.long
def test_the_modes_part_only_where_the_page_says_so(world: World) -> None:
    apart = {name for name in TEMPLATES if world.answers(name, PAPER) != world.answers(name, STRICT)}
    assert apart == {"T24", "T25", "T30"}
    made = {name for name in TEMPLATES if world.generated(name, PAPER).pairs != world.generated(name, STRICT).pairs}
    assert made == apart


def drawn_keys(expected: Mapping[Key, Expected], most: int) -> list[Key]:
    """Draw by the words of docs/biomed.md#drawing, in another way: the first places of a permutation."""
    keys = list(expected)
    if len(keys) <= most:
        return keys
    source = np.random.RandomState(SEED)
    sides = [[place for place, key in enumerate(keys) if expected[key].yes is side] for side in (True, False)]
    if not any(sides):
        sides = [list(range(len(keys))), []]
        shares = [most, 0]
    else:
        yes, no = map(len, sides)
        shares = [yes, most - yes] if yes < most * 3 // 4 else [most - min(no, most // 4), min(no, most // 4)]
    kept: list[int] = []
    for places, share in zip(sides, shares, strict=True):
        whole = share == len(places)
        kept += places if whole else [places[at] for at in source.permutation(len(places))[:share]]
    return [keys[place] for place in sorted(kept)]


def fewer(count: int) -> int:
    """Give a bound below the number of candidates that three quarters of can be taken of."""
    return max(count * 5 // 6 // 4 * 4, 4)


def draws(world: World, template: str) -> None:
    """Hold the kept questions of a template, and their numbers, against those of the rule."""
    expected = world.answers(template, STRICT)
    most = fewer(len(expected))
    made = world.generated(template, STRICT, most)
    assert keys_of(list(made.pairs.values()), expected) == drawn_keys(expected, most)
    assert list(made.pairs) == [f"{template}.{number}" for number in range(1, most + 1)]


@pytest.mark.parametrize("template", DRAWN)
def test_the_kept_questions_are_those_that_the_rule_draws(world: World, template: str) -> None:
    draws(world, template)


@pytest.mark.long
def test_so_are_those_of_every_template(world: World) -> None:
    for template in set(TEMPLATES) - {"T39"}:  # has five candidates
        draws(world, template)


def test_the_drawn_templates_meet_all_cases_of_the_rule(world: World) -> None:
    cases = set()
    for template in DRAWN:
        answers = [one.yes for one in world.answers(template, STRICT).values()]
        yes, no, most = answers.count(True), answers.count(False), fewer(len(answers))
        rich = yes >= most * 3 // 4
        cases.add("no kind" if not yes + no else "few yes" if not rich else "few no" if no < most // 4 else "both")
    assert cases == {"no kind", "few yes", "few no", "both"}


@pytest.mark.long
def test_the_rows_that_an_answer_names_are_rows_of_its_tables(world: World) -> None:
    ids = {name: set(table.select("UUID").collect()["UUID"]) for name, table in world.tables.items()}
    for template in TEMPLATES.values():
        known = set().union(*(ids[name] for name in template.tables))
        for pair in world.generated(template.id, STRICT).pairs.values():
            named = pair.source.split(", ")
            assert 1 <= len(named) <= 10
            assert known.issuperset(named)
            assert len(set(named)) == len(named)
