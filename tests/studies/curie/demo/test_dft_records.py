"""DFT records: their ground truth is read a second time from the words of the paper, and their substances are real."""

from __future__ import annotations

import ast
import json
import math
import re
from typing import Any

import pytest
from studies.curie.demo.made import made
from support_cases import each_of

from harness.studies.curie.demo.dft_structures import STRUCTURES, THEMES
from harness.studies.curie.reading.dft_items import parameters, set_aside, structures

STRUCTURE, PARAMETERS = "StructureMetadataGeneral", "DFTParametersGeneral"
COUNT = 16  # each theme once
RECORDS = made("dft-s", 0, COUNT)
EACH = each_of("record", RECORDS)
LABELS = ("cell optimisations", "geometry optimisations", "electronic-structure runs", "molecular runs")
CODES = {"VASP": "vasp", "CASTEP": "castep", "GPAW": "gpaw", "Gaussian 16": "gaussian"}
AVOGADRO = 6.02214076e23
WEIGHTS = {
    "H": 1.008, "Li": 6.94, "B": 10.81, "C": 12.011, "N": 14.007, "O": 15.999, "Mg": 24.305, "Si": 28.085, "S": 32.06,
    "K": 39.098, "Ti": 47.867, "Co": 58.933, "Ni": 58.693, "Cu": 63.546, "Zn": 65.38, "Ga": 69.723, "Sr": 87.62,
    "Mo": 95.95, "Pd": 106.42, "Ce": 140.116, "Ta": 180.948, "Pt": 195.084, "Au": 196.967,
}  # fmt: skip
CHARGES = {
    "H": (1,), "Li": (1,), "B": (3,), "C": (-4, -2, -1, 2, 4), "N": (-3, 2), "O": (-2,), "Mg": (2,), "Si": (4,),
    "S": (-2,), "K": (1,), "Ti": (4,), "Co": (3,), "Ni": (2,), "Zn": (2,), "Ga": (3,), "Sr": (2,), "Mo": (4,),
    "Ce": (4,), "Ta": (5,),
}  # fmt: skip
# Formula units in the cell, and the density in g/cm3 that handbooks give.
DENSITIES = {
    "rutile": (2, 4.23), "anatase": (4, 3.89), "magnesia": (4, 3.58), "nickel_oxide": (4, 6.8), "ceria": (4, 7.22),
    "strontium_titanate": (1, 5.12), "potassium_tantalate": (1, 7.0), "lithium_cobaltate": (3, 5.05),
    "lithia": (4, 2.01), "gallium_nitride": (2, 6.15), "zinc_oxide": (2, 5.61), "silicon": (8, 2.33),
    "silicon_carbide": (4, 3.21), "platinum": (4, 21.45), "palladium": (4, 12.02), "copper": (4, 8.96),
    "gold": (4, 19.3), "nickel": (4, 8.91), "molybdenite": (2, 5.06), "graphite": (4, 2.26),
}  # fmt: skip


def sentences(text):
    return [each for line in text.splitlines() for each in re.split(r"(?<=[.;])\s+(?=[A-Z])", line)]


def found(pattern, text):
    got = re.search(pattern, text)
    return got[1] if got else None


def settings(text, label):
    """Read the settings of one kind of runs out of the sentences that name it."""
    said = " ".join(each for each in sentences(text) if label in each)
    mesh = re.search(r"mesh of (\d+) x (\d+) x (\d+) points", said)
    numbers = {"energy_cutoff": r"cutoff of (\d+) eV", "energy_convergence": r"changed by less than (\S+) eV",
               "force_convergence": r"force was below (\S+) eV/Å"}  # fmt: skip
    moved = "nuclei were relaxed" in said or "free to move" in said
    cell = {"free as well": 1.0, "kept fixed": 0.0}
    shell = re.search(r"U = (\S+ eV) acts on the (.*?) states", said)
    got: dict[str, Any] = {name: float(value) for name, pattern in numbers.items() if (value := found(pattern, said))}
    got |= {
        "software": CODES[found(r"(?:with|rely on) (VASP|CASTEP|GPAW|Gaussian 16)", said)],
        "functional": found(r"and the (\S+) functional", said), "basis_set": found(r"runs is (\S+), and", said),
        "pseudopotentials": found(r"use (\S+) potentials", said),
        "k-points": f"[{mesh[1]},{mesh[2]},{mesh[3]}]" if mesh else None,
        "relaxed_nuclei": 1.0 if moved else 0.0 if "No nucleus was moved" in said else None,
        "relaxed_unit_cell": next((value for words, value in cell.items() if words in said), None),
        "spin": 1.0 if "Spin polarisation was switched on" in said else None,
        "hubbard_U": f"{shell[1]} on {shell[2]}" if shell else None,
    }  # fmt: skip
    return {name: value for name, value in got.items() if value is not None}


def stated(item):
    """Give an item without what is unknown in it."""
    return {key: value for key, value in item.items() if not (isinstance(value, float) and math.isnan(value))}


def items(record, kind):
    """Give the objects that the program of the ground truth reads in, by Python's own parser."""
    nodes = ast.walk(ast.parse(record.truth["no_header_code"]))
    calls: list[Any] = [node for node in nodes if isinstance(node, ast.Call)]
    read = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "parse_raw"]
    return [json.loads(call.args[0].value) for call in read if call.func.value.id == kind]


@EACH
def test_the_settings_in_the_words_of_the_paper_are_those_of_the_gold(record):
    told = [settings(record.text, label) for label in LABELS if f"The {label} comprise" in record.text]
    assert told == [stated(one) for one in items(record, PARAMETERS)]
    assert len(told) == {"easy": 1, "medium": 2, "hard": 3}[record.meta["level"]]


@EACH
def test_settings_of_other_people_are_never_those_of_the_gold(record):
    ours = items(record, PARAMETERS)
    others = " ".join(each for each in sentences(record.text) if not any(label in each for label in LABELS))
    assert re.search(r"cutoff of \d+ eV|functional", others)
    for one in ours:
        assert f"cutoff of {one['energy_cutoff']:.0f} eV" not in others
        assert not re.search(rf"\b{one['functional']} functional", others)


@EACH
def test_every_structure_of_the_gold_is_told_with_all_its_fields(record):
    models = record.text[record.text.index("\n2 Models") : record.text.index("\n3 Methods")]
    told = [each for each in sentences(models) if re.match(r"Bulk |A single molecule|A sheet|The .* surface \(", each)]
    gold = [stated(one) for one in items(record, STRUCTURE)]
    assert len(told) == len(gold)
    for sentence, item in zip(told, gold, strict=True):
        kind, whole = item.pop("type"), item.pop("crystal_or_isolated")
        assert all(value in sentence for value in item.values()), (sentence, item)
        assert (whole == "isolated") == (kind == "molecule") == ("single molecule" in sentence)


@EACH
def test_strict_reading_finds_the_same_items_and_sets_none_aside(record):
    """D1 and D2."""
    text = json.dumps(record.truth)
    for read, kind in ((structures, STRUCTURE), (parameters, PARAMETERS)):
        assert [stated(one) for one in read(text)] == [stated(one) for one in items(record, kind)]
    assert not set_aside(text)


@EACH
def test_the_truth_has_the_layout_of_the_archive(record):
    assert set(record.truth) == {"record_id", "code", "no_header_code", "graph_as_text"}
    assert record.truth["code"].endswith(record.truth["no_header_code"]) and ast.parse(record.truth["code"])
    made_names = set(re.findall(r"^(\w+) = ", record.truth["no_header_code"], re.MULTILINE))
    for node in json.loads(record.truth["graph_as_text"]):
        assert set(node["inputs"]) | set(node["outputs"]) <= made_names
    assert len(items(record, STRUCTURE)[0]) == 16
    assert len(items(record, PARAMETERS)[0]) == 15


def formula(text):
    return [(name, int(count or 1)) for name, count in re.findall(r"([A-Z][a-z]?)(\d*)", text)]


@each_of("key", sorted(STRUCTURES))
def test_every_compound_is_neutral(key):
    parts = formula(STRUCTURES[key].fields["composition"])
    totals = {0}
    if len({name for name, _ in parts}) > 1:
        for name, count in parts:
            totals = {total + count * charge for total in totals for charge in CHARGES[name]}
    assert 0 in totals


@each_of("key", sorted(DENSITIES))
def test_the_cell_of_every_crystal_has_the_density_of_the_substance(key):
    fields = STRUCTURES[key].fields
    a, *rest = (float(one) for one in re.findall(r"[\d.]+", fields["lattice_parameters"]))
    hexagonal = fields["space_group"].startswith(("P6", "R"))
    volume = a * a * (rest[0] if rest else a) * (math.sqrt(3) / 2 if hexagonal else 1)
    units, density = DENSITIES[key]
    weight = units * sum(WEIGHTS[name] * count for name, count in formula(fields["composition"]))
    assert weight / AVOGADRO / (volume * 1e-24) == pytest.approx(density, rel=0.03)


def test_every_crystal_was_weighed_and_every_theme_can_be_hard():
    assert {key for key, one in STRUCTURES.items() if one.type == "bulk crystal"} == set(DENSITIES)
    assert {key for theme in THEMES for key in theme.keys} | {"silicon"} == set(STRUCTURES)


def test_the_ideal_answers_have_the_form_that_the_wordings_ask_for():
    for s, p, c in zip(*(made(task, 0, COUNT) for task in ("dft-s", "dft-p", "dft-c")), strict=True):
        listed, sets, program = json.loads(s.answer), json.loads(p.answer), ast.parse(c.answer)
        assert [one["id"] for one in listed] == [f"structure_metadata_{at}" for at in range(1, len(listed) + 1)]
        for answers, kind, key in ((listed, STRUCTURE, "composition"), (sets, PARAMETERS, "functional")):
            assert [one[key] for one in answers] == [one[key] for one in items(s, kind)]
        assert {"main", "run"} <= {node.name for node in ast.walk(program) if isinstance(node, ast.FunctionDef)}
