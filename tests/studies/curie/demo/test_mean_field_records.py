"""The Hamiltonians of HFE and HFD are what mean-field theory gives: computed in matrices from the paper's own model."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from studies.curie.demo.latex_operators import Node, System, factors, terms
from studies.curie.demo.made import made
from studies.curie.demo.mean_field_states import SPINFUL, SYSTEMS, fermions
from support_cases import each_of
from support_draws import drawn

COUNT, STEP = 28, 1e-3  # each of the fourteen models twice
HFE, HFD = made("hfe", 0, COUNT), made("hfd", 0, 16)
PAIRING = "the reduced pairing Hamiltonian"
OF_A_MODEL = [one for one in HFE if PAIRING not in one.text.splitlines()[0]]


def each(records, at_once):
    """Give records as parameters of a test: the first at once, the others in a long run alone."""
    marks = ((), pytest.mark.long)
    return [pytest.param(one, id=one.id, marks=marks[place >= at_once]) for place, one in enumerate(records)]


def subject(record):
    return record.text.splitlines()[0].removeprefix("On ")


def bare(record):
    """Give the Hamiltonian that the paper begins with, out of its text."""
    [found] = re.findall(r"The Hamiltonian reads\n\\begin\{equation\}\n(.*)\.\n", record.text)
    return found


def definitions(record):
    return re.findall(r"The order parameter is defined as\n\\begin\{equation\}\n(.*)\.\n", record.text)


def energies(record, *formulas):
    """Give the mean of each formula's matrix in a state in which averages factorise, and in one a small step away.

    Averages within a formula are those of the first state.
    """
    operators, state = SYSTEMS[subject(record)]()
    here = System(operators, state(1, 0.0), definitions(record))
    there = System(operators, state(1, STEP))
    matrices = [here.formula(formula) for formula in formulas]
    return np.array([[system.mean(matrix).real for system in (here, there)] for matrix in matrices])


@pytest.mark.long
@pytest.mark.parametrize("record", each(OF_A_MODEL, 9))
def test_the_gold_is_the_mean_field_form_of_the_papers_own_model(record):
    """It has the model's energy, and to first order changes as the model does: the variational definition."""
    model, mean_field = energies(record, bare(record), record.truth["hamiltonian"])
    assert abs(model[0] - mean_field[0]) < 1e-10
    assert abs(model[1] - mean_field[1]) < 20 * STEP**2


@pytest.mark.parametrize("record", each(OF_A_MODEL[:13], 2))
def test_with_another_sign_of_any_term_it_would_be_another(record):
    text = record.truth["hamiltonian"].strip("$").partition("= ")[2]
    for term in energies(record, *re.split(r" [-+] ", text.removeprefix("-"))):
        assert 2 * max(abs(term[0]), abs(term[1] - term[0])) > 100 * STEP**2


@pytest.mark.parametrize("record", [one for one in HFE if one not in OF_A_MODEL], ids=lambda record: record.id)
def test_the_pairing_hamiltonian_leaves_out_the_square_of_a_fluctuation(record):
    operators = fermions(SPINFUL)
    root = np.random.default_rng(3).normal(size=(64, 64))
    state = root @ root.T
    system = System(operators, state / np.trace(state), definitions(record))
    pair = system.formula(r"\sum_{k} c_{-k,\downarrow} c_{k,\uparrow}")
    rest = pair - system.mean(pair) * system.one
    strength = system.formula("g")[0, 0]
    gap = system.formula(bare(record)) - system.formula(record.truth["hamiltonian"])
    assert abs(system.mean(pair)) > 1e-6
    assert np.allclose(gap, -strength * rest.conj().T @ rest)


@each_of("record", HFE)
def test_the_gold_stands_in_the_paper_beside_other_hamiltonians(record):
    gold = record.truth["hamiltonian"].strip("$")
    assert record.text.count(gold) == 1 and gold in record.answer
    others = set(re.findall(r"^(H_\{\\mathrm\{(?:other|s)\}\} = .*)\.$", record.text, re.MULTILINE))
    assert len(others) >= 2 and all(gold.partition(" = ")[2] != other.partition(" = ")[2] for other in others)
    assert [one.strip("$") for one in record.truth["definitions"]] == definitions(record)


def steps(record):
    return [step["answer"] for step in record.truth["steps"]]


@pytest.mark.parametrize("record", drawn(HFD, 3, len(HFD)), ids=lambda record: record.id)
def test_the_first_two_steps_are_the_papers_model(record):
    operators, state = SYSTEMS[subject(record)]()
    system = System(operators, state(1, 0.0))
    single, interaction, *_ = map(system.formula, steps(record)[:2])
    assert np.allclose(single + interaction, system.formula(bare(record)))
    assert np.trace(interaction @ interaction).real > 0.1


@pytest.mark.long
@pytest.mark.parametrize("record", each(HFD, 8))
def test_the_last_step_is_the_mean_field_form_and_adds_constants_only(record):
    model, mean_field = energies(record, bare(record), steps(record)[4])
    assert abs(model[0] - mean_field[0]) < 1e-10 and abs(model[1] - mean_field[1]) < 20 * STEP**2
    operators, state = SYSTEMS[subject(record)]()
    system = System(operators, state(1, 0.0), definitions(record))
    single, _, direct, exchange, whole = map(system.formula, steps(record))
    rest = whole - single - direct - exchange
    assert np.allclose(rest, rest[0, 0] * system.one) and abs(rest[0, 0]) > 1e-6


def densities(parts):
    """Give the two pairs of operators of an interaction that belong to one particle each, and what stands before."""
    operators = [one for one in parts if not isinstance(one, Node) and one.base in "abcn"]
    before = [one for one in parts if one not in operators]
    if len(operators) == 2:
        return before, [[operators[0]], [operators[1]]]
    first, second, third, fourth = operators
    if second.above:  # two creators, then two annihilators: the outer ones belong together
        return before, [[first, fourth], [second, third]]
    return before, [[first, second], [third, fourth]]


@pytest.mark.parametrize("record", drawn(each(HFD, 8), 2, len(HFD)))
def test_the_third_step_has_twice_the_energy_of_classical_charges(record):
    operators, state = SYSTEMS[subject(record)]()
    system = System(operators, state(1, 0.0))
    energy = 0.0
    for sign, parts in terms(steps(record)[1]):
        before, pairs = densities(parts)
        averaged = [Node("average", tuple(pair)) for pair in pairs]
        energy += sign * system.product([*before, *averaged], {})[0, 0].real
    assert 2 * energy == pytest.approx(system.mean(system.formula(steps(record)[2])).real, rel=1e-9)


@each_of("record", HFD)
def test_the_answer_has_five_steps_that_the_paper_does_not_all_spell_out(record):
    answer = json.loads(record.answer)
    assert [(step["Step"], step["answer"]) for step in answer] == [
        (str(at), text) for at, text in enumerate(steps(record), 1)
    ]
    assert steps(record)[4].strip("$").partition(" = ")[2] not in record.text
    if record.meta["level"] == "hard":
        assert steps(record)[2].strip("$").partition(" = ")[2] not in record.text


def test_the_reader_of_formulas_knows_one_by_hand():
    operators, _ = SYSTEMS["spinless fermions with neighbour interaction"]()
    a, b, c = operators.values()
    system = System(operators, np.eye(8) / 8)
    got = system.formula(r"\frac{1}{2} \sum_{\langle i,j \rangle} n_{i} n_{j} - 3 \sum_{i} \langle n_{i} \rangle n_{i}")
    first, second, third = (one.conj().T @ one for one in (a, b, c))
    wanted = first @ second + first @ third + second @ third - 1.5 * (first + second + third)
    assert np.allclose(got, wanted)
    assert [type(one).__name__ for one in factors(r"\frac{1}{2 V} c_{k+q,\sigma}^{\dagger}")] == ["Node", "Symbol"]
