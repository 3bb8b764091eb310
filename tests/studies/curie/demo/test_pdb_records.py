"""The demo's PDB records: biopython reads their residues, and the geometry is that of textbooks."""

from __future__ import annotations

import functools
import io
import json
import math
import re

import pytest
from Bio.PDB.PDBParser import PDBParser
from Bio.PDB.vectors import calc_angle, calc_dihedral
from Bio.SeqUtils import molecular_weight, seq1
from support_cases import each_of
from support_draws import drawn

from harness.errors import InputError
from harness.studies.curie.demo import backbone, pdb
from harness.studies.curie.demo.residues import PROTEINS

ALL = pytest.mark.parametrize("made", drawn(range(len(PROTEINS)), 4, len(PROTEINS)), indirect=True)
# Published: number of residues, average mass of the chain as it is isolated, disulfides, and an amidated end.
PUBLISHED = {
    "Insulin, A chain, human": (21, 2383.7, 0),
    "Insulin, B chain, human": (30, 3429.9, 0),
    "Crambin, Crambe abyssinica": (46, 4730.4, 3),
    "Ubiquitin, human": (76, 8564.8, 0),
    "B1 domain of protein G, Streptococcus": (56, 6195.8, 0),
    "Lysozyme C, hen": (129, 14305.1, 4),
    "Melittin, honey bee": (26, 2847.5, 0),
    "Pancreatic trypsin inhibitor, bovine": (58, 6511.5, 3),
    "Cathelicidin LL-37, human": (37, 4493.3, 0),
    "Ribonuclease A, bovine": (124, 13682.2, 4),
    "Glucagon, human": (29, 3482.8, 0),
    "Amyloid beta of 42 residues, human": (42, 4514.1, 0),
}


@functools.cache
def record(index):
    """Fold a chain when it is first looked at: to collect tests folds none."""
    return pdb.record(7, index)


def records():
    return [record(index) for index in range(len(PROTEINS))]


@pytest.fixture
def made(request):
    return record(request.param)


def residues(made):
    """Give the residues of a record's structure as biopython reads them, without water."""
    [model] = PDBParser(PERMISSIVE=False, QUIET=True).get_structure("demo", io.StringIO(made.text))
    [one] = model
    return [residue for residue in one if residue.id[0] == " "]


def gold(made):
    return json.loads(made.truth)["sequence"]


@each_of("protein", PROTEINS)
def test_a_sequence_has_the_published_length_and_mass(protein):
    length, mass, disulfides = PUBLISHED[protein.name]
    assert len(protein.sequence) == length
    assert molecular_weight(protein.sequence, "protein") - disulfides * 2 * 1.008 == pytest.approx(mass, abs=0.4)


@ALL
def test_gold_is_the_residues_that_biopython_reads(made):
    assert gold(made) == "".join(seq1(residue.resname, undef_code="X") for residue in residues(made))


@ALL
def test_bond_lengths_and_angles_are_those_of_textbooks(made):
    before = None
    for residue in residues(made):
        n, ca, c, o = (residue[name] for name in ("N", "CA", "C", "O"))
        assert (ca - n, c - ca, o - c) == pytest.approx((1.458, 1.525, 1.231), abs=0.003)
        angles = [
            math.degrees(calc_angle(*(atom.get_vector() for atom in three))) for three in ((n, ca, c), (ca, c, o))
        ]
        assert angles == pytest.approx([111.2, 120.8], abs=0.3)
        if before and before.id[1] == residue.id[1] - 1:
            vectors = [atom.get_vector() for atom in (before["CA"], before["C"], n, ca)]
            assert n - before["C"] == pytest.approx(1.329, abs=0.003)
            assert math.degrees(calc_angle(*vectors[1:])) == pytest.approx(121.7, abs=0.3)
            assert abs(math.degrees(calc_dihedral(*vectors))) == pytest.approx(180, abs=0.3)  # the bond is flat
            assert ca - before["CA"] == pytest.approx(3.8, abs=0.03)
        before = residue


@ALL
def test_residues_are_left_handed_and_glycine_has_no_side_chain(made):
    for residue in residues(made):
        assert ("CB" in residue) is (residue.resname != "GLY")
        if "CB" in residue:
            n, ca, c, cb = (residue[name].get_vector() for name in ("N", "CA", "C", "CB"))
            assert (n - ca) * ((c - ca) ** (cb - ca)) == pytest.approx(
                2.5, abs=0.2
            )  # Å³; negative for the mirror image
            assert math.degrees(calc_angle(n, ca, cb)) == pytest.approx(110.5, abs=0.4)


@ALL
def test_phi_is_that_of_helices_and_strands_of_left_handed_residues(made):
    for one, other in zip(residues(made), residues(made)[1:], strict=False):
        if other.id[1] == one.id[1] + 1:
            four = (one["C"], other["N"], other["CA"], other["C"])
            assert -125 < math.degrees(calc_dihedral(*(atom.get_vector() for atom in four))) < -50


@ALL
def test_no_chain_runs_into_itself(made):
    carbons = [residue["CA"] for residue in residues(made)]
    assert min(one - other for at, one in enumerate(carbons) for other in carbons[at + 2 :]) > 3.6


@ALL
def test_atoms_stand_in_the_columns_of_the_format(made):
    lines = [line for line in made.text.splitlines() if line.startswith(("ATOM", "HETATM"))]
    shape = re.compile(
        r"(ATOM  |HETATM)[ \d]{4}\d  [A-Z][A-Z ] [ AB][A-Z]{3} A[ \d]{3}\d    "
        r"([ \d-]{4}\.\d{3}){3} [ \d]\d\.\d{2} [ \d]\d\.\d{2} {11}[A-Z]"
    )
    assert all(shape.fullmatch(line) for line in lines)
    assert [int(line[6:11]) for line in made.text.splitlines() if line.startswith(("ATOM", "TER", "HETATM"))] == list(
        range(1, len(lines) + 2)
    )


@ALL
def test_water_and_remarks_are_there_and_tell_no_residue(made):
    assert made.text.startswith("REMARK")
    assert made.text.count("HOH") >= 4
    assert made.text.partition("ATOM")[0].count("\n") == 3  # paper mode cuts a prompt at the first such word


def test_unknown_residues_gaps_and_twofold_atoms_occur():
    assert any("X" in gold(made) for made in records())
    numbers = [[residue.id[1] for residue in residues(made)] for made in records()]
    assert any(last - first + 1 > len(each) for each in numbers for first, last in [(each[0], each[-1])])
    assert any(residue.is_disordered() for made in records() for residue in residues(made))


@ALL
def test_the_answer_is_fasta_with_the_gold_in_its_second_line(made):
    assert made.answer.splitlines() == [f">{made.id}", gold(made)]


def test_levels_go_with_length():
    lengths = {level: [len(gold(made)) for made in records() if made.level == level] for level in ("easy", "medium")}
    assert max(lengths["easy"]) <= 30 < min(lengths["medium"])
    assert min(len(gold(made)) for made in records()) >= 20 and max(len(gold(made)) for made in records()) <= 130
    assert {made.level for made in records()[:3]} == {"easy", "medium", "hard"}


def test_a_real_residue_has_the_hand_that_the_records_have():
    """The first residue of ubiquitin as the archive's entry 1UBQ has it."""
    n, ca, c, cb = (27.340, 24.430, 2.614), (26.266, 25.413, 2.842), (26.913, 26.639, 3.531), (25.112, 24.880, 3.649)
    torsion = backbone.placed(n, c, ca, backbone.CA_CB, backbone.C_CA_CB, backbone._TURN_CB)
    assert math.dist(torsion, cb) < 0.15


def test_the_fold_is_drawn_and_the_sequence_is_not():
    other = pdb.record(8, 1)
    assert other.text != record(1).text
    assert other.truth == record(1).truth


@pytest.mark.parametrize("count", [0, len(PROTEINS) + 1])
def test_more_proteins_than_there_are_is_refused(tmp_path, count):
    with pytest.raises(InputError, match="proteins"):
        pdb.make({"seed": 7, "count": count}, {}, tmp_path)
