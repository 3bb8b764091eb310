"""Facts of DFT-C (rule DFT-C): what gold items and programs state, and which values are equal."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
import support
from support_cases import each_of

from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.scoring.facts_code import facts, facts_of, near, score

RECORDS = support.REPOSITORY.parent / "shared" / "data" / "curie" / "records" / "dft" / "ground_truth"


def gold(kind: str, item: str) -> Counter[Any]:
    """Give the facts of a ground truth with one item, written as JSON."""
    return facts(json.dumps({"no_header_code": f"x = {kind}.parse_raw('{item}')\n"}))


STRUCTURE, PARAMETERS = "StructureMetadataGeneral", "DFTParametersGeneral"


def test_dft_c_fields_of_the_gold_that_are_said_are_facts() -> None:
    assert gold(STRUCTURE, '{"composition": "H2O", "type": NaN, "vacuum": null, "notes": ""}') == Counter(
        {("composition", "text", "h2o"): 1}
    )


def test_dft_c_the_golds_fields_are_renamed_by_the_table_of_l7() -> None:
    old = gold("StructureMetadata", '{"name": "water", "vacuum_x": 8, "vacuum_y": 9, "space group": "P1"}')
    assert old == Counter({
        ("common_name", "text", "water"): 1, ("vacuum", "number", (8.0,)): 1, ("vacuum", "number", (9.0,)): 1,
        ("space_group", "text", "p1"): 1,
    })  # fmt: skip
    assert gold("VaspParameters", '{"xc": "PBE", "encut": 500}') == gold(
        PARAMETERS, '{"functional": "PBE", "energy_cutoff": 500.0}'
    )


def test_dft_c_other_classes_state_no_fact_and_equal_items_count_twice() -> None:
    assert not gold("Eos", '{"eos_name": "Murnaghan"}')
    twice = "x = DFTParametersGeneral.parse_raw('{\"spin\": 1}')\n" * 2
    assert facts(json.dumps({"no_header_code": twice})).total() == 2


@each_of(
    ("program", "found"),
    [
        ("Vasp(xc='PBE', ismear=0)", [("functional", "text", "pbe")]),
        ("d = {'encut': 500, 'colour': 'red'}", [("energy_cutoff", "number", (500.0,))]),
        ("kpts = (4, 4, 1)", [("k-points", "list", (4.0, 4.0, 1.0))]),
        ("basis: str = 'DZP'", [("basis_set", "text", "dzp")]),
        ("self.encut = 500\nencut, fmax = 1, 2\nx[0] = 3", []),
        ("Vasp(encut=cutoff, fmax=1 + x)", []),
        ("ase.build.bulk('Cu', 'fcc', a=3.6)", [("composition", "text", "cu")]),
        ("Atoms(symbols='CO2')", [("composition", "text", "co2")]),
        ("molecule(name='H2O')", [("composition", "text", "h2o")]),
        ("add_adsorbate(slab, 'O', 1.5)", [("composition", "text", "o")]),
        ("add_adsorbate(slab, Atoms('OH'), 1.5)", [("composition", "text", "oh")]),
        ("fcc111('Al', size=(2, 2, 3), vacuum=10.0)", [("vacuum", "number", (10.0,))]),
        ("# xc = 'PBE'\n'xc = PBE'", []),
    ],
)
def test_dft_c_what_a_program_states(program: str, found: list[Any]) -> None:
    assert sorted(facts_of(program).elements()) == found


def test_dft_c_a_field_that_only_the_gold_has_counts_in_both() -> None:
    truth = json.dumps({"no_header_code": "x = Wien2kParameters.parse_raw('{\"rkmax\": 7}')\n"})
    assert score("run(rkmax=7)", truth)["value"] == 1
    assert not facts_of("run(rkmax=7)")


@each_of(
    ("one", "other"),
    [
        ("encut=500", "encut=500.0"),
        ("encut='500'", "encut=500"),
        ("kpts='[4, 4, 1]'", "kpts=(4.0, 4, 1)"),
        ("kpts='4 x 4 x 1'", "kpts=[4, 4, 1]"),
        ("spin=True", "spin=1.0"),
        ("xc='PBE'", "xc=' pbe. '"),
        ("fmax=1e-2", "fmax=0.0100000001"),
        ("kpts=[0.3333333, 1]", "kpts=[0.33333333, 1]"),
    ],
)
def test_dft_c_equal_values(one: str, other: str) -> None:
    left, right = (facts_of(f"f({text})") for text in (one, other))
    assert near(left, right).shared == left.total() == right.total() == 1


@each_of(
    ("one", "other"),
    [
        ("ediff=1e-8", "ediff=1e-7"),
        ("encut=500", "encut=500.01"),
        ("kpts=[4, 4, 1]", "kpts=[4, 4]"),
        ("xc='PBE'", "xc='PBEsol'"),
        ("encut=500", "ediff=500"),
        ("encut=-1", "encut=1"),
        ("kpts=[4, 4, 1]", "kpts=[1, 4, 4]"),
        ("xc=1", "xc='1a'"),
    ],
)
def test_dft_c_values_that_differ(one: str, other: str) -> None:
    assert near(facts_of(f"f({one})"), facts_of(f"f({other})")).shared == 0


def test_dft_c_no_number_is_paired_twice() -> None:
    compared = near(facts_of("f(encut=500); f(encut=500.0000001)"), facts_of("f(encut=500.00000005)"))
    assert (compared.shared, compared.missed.total(), compared.extra.total()) == (1, 1, 0)


def test_dft_c_static_measures_stand_beside() -> None:
    program = "def a():\n  pass\ndef b():\n  '''Do.'''\n  ...\nasync def c():\n  raise NotImplementedError('later')\n"
    program += "def d(x):\n  return None\ndef e():\n  return 1\ndef f():\n  raise ValueError\n"
    metrics = score(program, json.dumps({"no_header_code": "x = VaspParameters.parse_raw('{\"xc\": 1}')"}))["detail"][
        "metrics"
    ]
    assert {name: metrics[name] for name in ("parses", "n_functions", "n_placeholders")} == {
        "parses": 1, "n_functions": 6, "n_placeholders": 4,
    }  # fmt: skip
    assert metrics["placeholder_share"] == 4 / 6


def test_dft_c_what_is_no_python_parses_not_and_is_unreadable() -> None:
    found = score("define f(x):", json.dumps({"no_header_code": "x = VaspParameters.parse_raw('{\"xc\": 1}')"}))
    assert found["detail"]["metrics"]["parses"] == 0 and found["outcome"] == "invalid"
    assert "missing" in found["detail"]["metrics"]["placeholder_share"]
    with pytest.raises(Unreadable):
        facts_of("define f(x):")


@pytest.mark.long
@pytest.mark.skipif(not RECORDS.is_dir(), reason="the real records are not here")
def test_dft_c_real_programs_state_their_own_gold_and_little_of_others() -> None:
    paths = sorted(RECORDS.glob("*.json"))
    truths = [path.read_text(encoding="utf-8") for path in paths]
    programs = [json.loads(truth)["no_header_code"] for truth in truths]
    own = [score(program, truth) for program, truth in zip(programs, truths, strict=True)]
    python = [found for found in own if found["outcome"] == "valid"]
    assert len(own) - len(python) == 3  # sources that are no Python
    assert all(found["detail"]["metrics"]["facts_recall"] == 1 for found in python)
    others = [score(program, truth)["value"] for program, truth in zip(programs, truths[1:], strict=False)]
    assert sum(others) / len(others) < 0.15  # type: ignore[arg-type]
