"""All templates about drugs over the synthetic tables: unambiguous questions, facts that stand in answers, speed."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest
from support_biomed_drugs import INDICATIONS, TARGETS, drug, pairs, use
from support_draws import drawn
from support_pace import soon

from harness.studies.biomed.facts import Fact
from harness.studies.biomed.sources.synthetic import Sizes, tables
from harness.studies.biomed.templates.catalogue import TEMPLATES
from harness.studies.biomed.templates.drugs import ANSWERERS
from harness.studies.biomed.templates.formats import natural
from harness.studies.biomed.templates.pair import Pair, Rules, Tables

SIZES = Sizes(drugs=600, snps=2000, smr=2000)
ABOUT_DRUGS = {template.id for template in TEMPLATES.values() if {"drug_targets", "indications"} & {*template.tables}}


@pytest.fixture(scope="module")
def lazy() -> Tables:
    return {name: frame.lazy() for name, frame in tables(7, SIZES).items()}


@pytest.fixture(scope="module")
def made(lazy: Tables) -> Mapping[str, list[Pair]]:
    rules = Rules("strict")
    return {id: one.pairs(lazy, one.candidates(lazy, rules), rules) for id, one in ANSWERERS.items()}


def test_every_template_about_drugs_is_answered(made: Mapping[str, list[Pair]]) -> None:
    assert ANSWERERS.keys() == ABOUT_DRUGS
    assert all(made.values())


def test_no_question_is_asked_twice(made: Mapping[str, list[Pair]]) -> None:
    questions = [pair.question for id in made for pair in made[id]]
    assert len(set(questions)) == len(questions)


def test_a_verdict_stands_first_where_it_is_asked_for(made: Mapping[str, list[Pair]]) -> None:
    for id, found in made.items():
        for pair in found:
            assert (pair.yes is not None) == TEMPLATES[id].yes_no
            if pair.yes is not None:
                assert pair.facts[0]["value"] == ("yes" if pair.yes else "no")
                assert pair.answer.startswith("Yes, " if pair.yes else "No, ")


def test_answers_state_their_facts(made: Mapping[str, list[Pair]]) -> None:
    missing = {id for id in made for pair in made[id] for fact in pair.facts if not _stated(fact, pair.answer)}
    assert missing == set()


def test_slots_and_what_they_are_of_tell_facts_apart(made: Mapping[str, list[Pair]]) -> None:
    for pair in (pair for found in made.values() for pair in found):
        roles = [(fact["slot"], fact["of"]) for fact in pair.facts]
        assert len(set(roles)) == len(roles)


def test_pairs_follow_the_rows_that_they_are_asked_for() -> None:
    rows = [drug(name, phase=2.0) for name in "CAB"]
    assert [pair.question[-13:] for pair in pairs("T34", *rows)] == [f" {name} has reached?"[-13:] for name in "CAB"]


def test_sources_are_ids_in_natural_order(made: Mapping[str, list[Pair]]) -> None:
    for pair in (pair for found in made.values() for pair in found):
        ids = pair.source.split(", ")
        assert ids == sorted(ids, key=natural)
        assert 1 <= len(ids) <= 10


def test_empty_tables_give_no_questions() -> None:
    for id in sorted(ANSWERERS):
        empty = use(None, None) if "indications" in TEMPLATES[id].tables else drug(None)
        assert pairs(id, empty) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "cell", drawn(["[" * 10_000, "G, " * 20_000, "x" * 500_000, "{a}\\n%s\x00", "1" * 10**5], 1, 5)
)
def test_a_hostile_cell_costs_little(cell: str) -> None:
    start = time.process_time()
    for id in sorted(ANSWERERS):
        targeted = "drug_targets" in TEMPLATES[id].tables
        row = drug("A") if targeted else use("A", "gout", 4.0)
        schema = TARGETS if targeted else INDICATIONS
        columns = [name for name in schema if name.endswith(("_string", "_list", "_no", "Type", "Action"))]
        pairs(id, {**row, **dict.fromkeys(columns, cell)})
    assert soon(time.process_time() - start, 4)


@pytest.mark.long
def test_all_templates_are_answered_quickly(lazy: Tables) -> None:
    start = time.process_time()
    for one in ANSWERERS.values():
        one.pairs(lazy, one.candidates(lazy, Rules("paper")), Rules("paper"))
    assert soon(time.process_time() - start, 3)


def _stated(fact: Fact, answer: str) -> bool:
    value = fact["value"]
    if fact["kind"] == "verdict":
        return True
    if fact["slot"] == "status":
        return any(word in answer for word in ("approved", "trial"))
    if fact["kind"] == "number":
        return "early phase 1" in answer
    if value == 0:
        return "no known" in answer or "not approved" in answer or "no approved" in answer or "neither" in answer
    if value == 1 and fact["slot"] == "number of targets":
        return "1 gene" in answer
    values = value if isinstance(value, list) else [str(value)]
    return all(text in answer for text in values)
