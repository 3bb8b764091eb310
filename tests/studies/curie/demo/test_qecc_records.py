"""The demo's QECC records: real codes, whose facts are computed again from the generators that the paper prints."""

from __future__ import annotations

import cmath
import json
import math
import re

import pytest
import yaml
from studies.curie.demo import stabilisers
from support_cases import each_of

from harness import rows
from harness.errors import InputError
from harness.studies.curie.demo import qecc
from harness.studies.curie.demo.qecc_codes import CODES

RECORDS = [qecc.record(7, index) for index in range(len(CODES))]
BY_ID = {json.loads(each.truth)["code_id"]: each for each in RECORDS}
ALL = each_of("made", RECORDS)


def printed(made):
    """Give the generators as they stand in the record's paper."""
    [listed] = re.findall(r"generators read: ([^.]+)\.", made.text)
    return listed.split("; ")


def said(made):
    return json.loads(made.truth)


def leaves(value):
    if isinstance(value, dict):
        return [leaf for key, each in value.items() if key != "record_id" for leaf in leaves(each)]
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, list) else [value]


@ALL
def test_the_generators_in_the_paper_have_the_parameters_of_the_gold(made):
    generators = stabilisers.read(printed(made))
    assert all(stabilisers.commute(one, other) for one in generators for other in generators)
    n, k, d = stabilisers.parameters(generators)
    assert said(made)["Code_parameter"] == f"[[{n},{k},{d}]]"
    assert len(generators) == n - k


@ALL
def test_the_rate_is_logical_by_physical_qubits(made):
    n, k, _ = map(int, re.findall(r"\d+", said(made)["Code_parameter"]))
    [rate] = re.findall(r"Its rate is ([0-9.]+)%", said(made)["description"])
    assert float(rate) == round(100 * k / n, 1)


@ALL
def test_what_a_code_protects_against_follows_from_its_distance(made):
    d = int(said(made)["Code_parameter"].rstrip("]").rsplit(",", 1)[1])
    begins = {2: "It detects every error on one qubit", 5: "It corrects every pair of errors"}
    assert said(made)["protection"].startswith(begins.get(d, "It corrects every error on one qubit"))


@ALL
def test_the_document_tells_every_fact_of_the_gold(made):
    gold = said(made)
    body, _, references = made.text.partition("References\n")
    listed = dict(re.findall(r"\[(\d+)\] (\S+)", references))
    for leaf in leaves(gold):
        for source in re.findall(r"\\cite\{([^}]+)\}", leaf):
            [number] = [number for number, each in listed.items() if each == source]
            assert f"[{number}]" in body
        plain = re.sub(r"\s*\\cite\{[^}]+\}", "", leaf)
        for share in re.findall(r"[0-9.]+%", plain):
            assert share in body
    relations = [one["code_id"] for kind in gold["relations"].values() for one in kind]
    assert all(f"`{name}`" in body for name in (gold["code_id"], *relations))


@ALL
def test_the_answer_is_the_gold_in_yaml(made):
    gold = said(made)
    assert gold.pop("record_id") == made.id
    assert yaml.safe_load(made.answer) == gold


@ALL
def test_a_harder_paper_tells_the_parameters_later_and_less_plainly(made):
    parameter = said(made)["Code_parameter"]
    abstract = made.text.split("\n\n")[2]
    assert (parameter in abstract) is (made.level == "easy")
    assert (parameter in made.text) is (made.level != "hard")
    assert len(set(re.findall(r"\[\[\d+,\d+,\d+\]\]", made.text)) - {parameter}) >= 2  # other codes are mentioned


def test_the_five_qubit_code_meets_the_quantum_hamming_bound():
    assert 2 ** (5 - 1) == 1 + 3 * 5
    assert "meets the quantum Hamming bound" in said(BY_ID["stab_5_1_3"])["description"]


def test_the_thresholds_of_distillation_are_those_of_its_formulas():
    [five] = re.findall(r"below ([0-9.]+)%", BY_ID["stab_5_1_3"].text)
    assert float(five) == round(50 * (1 - math.sqrt(3 / 7)), 1)  # Bravyi and Kitaev 2005, T type

    def better(p):  # … and H type: the output error of fifteen states that err with p
        q = 1 - 2 * p
        return (1 - 15 * q**7 + 15 * q**8 - q**15) / (2 * (1 + 15 * q**8)) < p

    low, high = 0.05, 0.3
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if better(middle) else (low, middle)
    [fifteen] = re.findall(r"below ([0-9.]+)%", BY_ID["stab_15_1_3"].text)
    assert float(fifteen) == round(100 * low, 1)


def test_t_on_four_corners_of_the_cube_is_a_logical_ccz():
    def phase(corners):
        turn = cmath.exp(1j * math.pi / 4)
        return math.prod(
            (turn if at.bit_count() % 2 == 0 else turn.conjugate()) for at in range(8) if corners >> at & 1
        )

    z_checks = [sum(1 << qubit - 1 for qubit in map(int, each.split(" on ")[1].split()))
                for each in printed(BY_ID["stab_8_3_2"]) if each.startswith("Z")]  # fmt: skip
    allowed = [word for word in range(256) if all((word & check).bit_count() % 2 == 0 for check in z_checks)]
    classes = {frozenset((word, word ^ 255)) for word in allowed}
    assert len(classes) == 8
    for one in classes:
        assert len({round(phase(word).real, 9) for word in one}) == 1  # both halves turn alike
    assert sorted(round(phase(min(one)).real) for one in classes) == [-1, 1, 1, 1, 1, 1, 1, 1]


def test_codes_with_transversal_clifford_gates_are_self_dual():
    for name in ("steane", "triangular_color"):
        by_kind = {kind: {each[2:] for each in printed(BY_ID[name]) if each[0] == kind} for kind in "XZ"}
        assert by_kind["X"] == by_kind["Z"]
    assert {len(each.split(" on ")[1].split()) % 4 for each in printed(BY_ID["steane"])} == {0}


def test_the_reed_muller_code_is_longer_against_bit_flips():
    generators = stabilisers.read(printed(BY_ID["stab_15_1_3"]))
    x, z = [x for x, _ in generators if x], [z for _, z in generators if z]
    assert (stabilisers.least(15, x, z), stabilisers.least(15, z, x)) == (7, 3)


def test_families_hold_the_codes_that_are_said_to_belong_to_them():
    assert said(BY_ID["toric"])["Code_parameter"] == f"[[{2 * 3**2},2,3]]"
    assert said(BY_ID["stab_8_3_3"])["Code_parameter"] == f"[[{2**3},{2**3 - 3 - 2},3]]"


def test_papers_have_600_to_1500_words_and_all_levels():
    assert all(600 <= len(made.text.split()) <= 1500 for made in RECORDS)
    assert {made.level for made in RECORDS[:3]} == {"easy", "medium", "hard"}


def test_a_record_depends_on_its_seed_and_on_no_other_record(tmp_path):
    for count in (3, 8):
        (tmp_path / str(count)).mkdir()
        qecc.make({"seed": 7, "count": count}, {}, tmp_path / str(count))
    few, more = (list(rows.read(tmp_path / each / "items")) for each in ("3", "8"))
    assert few == more[:3]
    assert qecc.record(8, 0).text != RECORDS[0].text
    assert qecc.record(8, 0).truth == RECORDS[0].truth
    assert len({qecc.record(seed, 0).meta["told_at"] for seed in range(12)}) > 3


@pytest.mark.parametrize("count", [0, len(CODES) + 1])
def test_more_codes_than_there_are_is_refused(tmp_path, count):
    with pytest.raises(InputError, match="codes"):
        qecc.make({"seed": 7, "count": count}, {}, tmp_path)
