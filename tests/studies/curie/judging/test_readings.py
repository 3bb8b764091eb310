"""What the rule judge reads in texts, kind by kind: units, values, what is asserted, mixtures, defects, settings."""

# ruff: noqa: E501, RUF001 - a row a pair; signs of print that look like ours are the point

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import pytest
from support_cases import each_of
from support_draws import drawn
from support_pace import soon

from harness.answers.units import read_unit
from harness.studies.curie.judging import asserted, methods, series, structure_changes, substances
from harness.studies.curie.judging.forms import states
from harness.studies.curie.judging.properties import property_of, same_property
from harness.studies.curie.judging.property_reading import PropertyItem
from harness.studies.curie.judging.quantities import quantity, same_quantity
from harness.studies.curie.judging.samples import conditions, contradicted, given, lacks, other_agents, other_moments


@each_of(
    ("one", "two"),
    [
        ("W/mK", "W m^-1 K^-1"), ("W/m-K", "W/(m·K)"), ("W m⁻¹ K⁻¹", "W/mK"), ("W/m°C", "W/(m K)"), ("MPa√m", "MPa m^0.5"),
        ("MPa m1/2", "MPa m^(1/2)"), ("J/kgK", "J kg-1 K-1"), ("mAh/g", "mA h g−1"), ("µΩ·cm", "uOhm cm"),
        ("V/√Hz", "V Hz^-1/2"), ("per cent", "%"), ("N/m", "J/m²"), ("emu/cc", "kA/m"), ("mV per decade", "mV/dec"),
        ("10^-6/°C", "ppm/K"), ("V vs RHE", "V (RHE)"), ("GPa", "kN/mm²"), ("cm² per V per s", "cm2/(V s)"), ("lx", "lm/m2"),
    ],
)  # fmt: skip
def test_a_unit_has_many_spellings(one: str, two: str) -> None:
    mine, theirs = read_unit(one), read_unit(two)
    assert mine and theirs and mine.powers == theirs.powers and mine.share == theirs.share
    assert mine.factor == pytest.approx(theirs.factor, rel=1e-6)


@each_of(
    ("one", "two"),
    [("W/mK", "W/m"), ("mK", "m K"), ("V vs RHE", "V vs SHE"), ("MPa m", "MPa√m"), ("wt%", "at.%"), ("eV", "eV/K")],
)
def test_these_units_only_look_alike(one: str, two: str) -> None:
    mine, theirs = read_unit(one), read_unit(two)
    assert mine and theirs and (mine.powers, mine.share) != (theirs.powers, theirs.share)


@each_of(
    ("one", "two", "alike"),
    [
        (("(2.00 ± 0.04)x10^-3", "", "m"), ("1.96e-3", "2.04e-3", "m"), True), (("3", "1", "eV"), ("1", "3", "eV"), True),
        (("9 down to 4", "", "K"), ("4", "9", "K"), True), (("<5", "", "K"), (">5", "", "K"), False),
        (("≤ 5", "", "K"), ("up to 5", "", "K"), True), (("2.000", "", "eV"), ("619.9", "", "nm"), True),
        (("2.000", "", "eV"), ("650.0", "", "nm"), False), (("1", "", "T"), ("10", "", "kOe"), True),
        (("1", "", "T"), ("1", "", "kOe"), False),
    ],
)  # fmt: skip
def test_values_in_other_words(one: Any, two: Any, alike: bool) -> None:
    first, second = quantity(*one), quantity(*two)
    assert first and second
    assert same_quantity(first, second) is same_quantity(second, first) is alike


@each_of(
    ("text", "kept", "gone"),
    [
        ("a film, unlike the bulk crystal", "film", "bulk"), ("not bulk but film", "film", "bulk"),
        ("dots of 4 nm compared with dots of 9 nm, and it is the latter that glow", "9 nm", "4 nm"),
        ("film of 300 nm; films of 900 nm were made as well", "300", "900"),
        ("bilayer (called a monolayer by mistake)", "bilayer", "monolayer"), ("not only cubic", "cubic", "nothing"),
        ("a layer without gallium, 2.5 nm thick", "2.5 nm", "gallium"),
    ],
)  # fmt: skip
def test_only_what_a_text_asserts_is_kept(text: str, kept: str, gone: str) -> None:
    assert kept in asserted.asserted(text) and gone not in asserted.asserted(text)


def test_a_text_says_what_its_subject_really_is_and_what_it_is_not() -> None:
    assert asserted.identified("sold as rutile, i.e. TiO2") == ("TiO2",)
    assert asserted.identified("identified as Mn3O4 (called MnO)") == ("Mn3O4",)
    assert asserted.denied("a remanence, not the saturation") == "not the saturation"
    assert asserted.corrected("printed 3; should read 4.2 eV") == ("4.2 eV",)


@each_of(
    ("one", "two", "same"),
    [
        ("NCM523", "LiNi0.5Co0.2Mn0.3O2", True), ("NCM523", "LiNi0.5Mn0.2Co0.3O2", False), ("BST 60/40", "Ba0.6Sr0.4TiO3", True),
        ("SRO", "SrRuO3", True), ("SRO", "SrTiO3", False), ("GO", "graphene oxide", True), ("PMMA:PS", "PS:PMMA", True),
        ("CIGS", "CuIn0.7Ga0.3Se2", True), ("PbS", "lead sulfide", True), ("epoxy resin", "epoxy", True),
        ("NiFe LDH", "NiFe layered double hydroxide", True), ("316L", "304", False), ("MOF-5", "MOF-74", False),
        ("CuO", "Cu2O", False), ("NdFeB", "Nd2Fe14B", True), ("FeO", "Fe3O4", False), ("InGaAs", "GaAs", False),
    ],
)  # fmt: skip
def test_materials_by_other_names(one: str, two: str, same: bool) -> None:
    assert substances.same_substance([substances.substance(one)], [substances.substance(two)]) is same


def test_a_mixture_has_keys_in_the_order_of_its_name() -> None:
    assert substances.parts_of("PCBM:P3HT") == substances.parts_of("poly(3-hexylthiophene):PC61BM")[::-1]
    assert substances.agents("CO2 and carbon monoxide in air") == {"CO2", "CO", "air"}


@each_of(
    ("one", "two", "same"),
    [
        ("lattice thermal conductivity", "phonon part of the thermal conductivity", True), ("KIC", "fracture toughness", True),
        ("lattice thermal conductivity", "electronic thermal conductivity", False), ("Eb of the exciton", "Eb", True),
        ("(BH)max", "maximum energy product", True), ("CO2 uptake", "N2 uptake", False), ("CTE", "thermal expansion", True),
        ("in-plane modulus", "through-plane modulus", False), ("Vickers hardness", "microhardness", True),
        ("charge capacity", "discharge capacity", False), ("strength in compression", "compressive strength", True),
    ],
)  # fmt: skip
def test_properties_by_other_names(one: str, two: str, same: bool) -> None:
    assert (same_property(property_of(one), property_of(two)) == "") is same


def test_conditions_of_one_kind_stand_against_each_other() -> None:
    assert contradicted(conditions("dots, 8 nm"), conditions("dots of 10 nm width"))
    assert not contradicted(conditions("8 nm thick on 500 µm glass"), conditions("10 nm grains, 2 µm long"))
    assert not contradicted(conditions("cycled at 0.5C"), conditions("cycled at C/2"))
    assert contradicted(conditions("cycled at 0.5C"), conditions("cycled at 5C"))
    assert lacks(conditions("at 80 °C"), conditions("pressed")) and not lacks(conditions("at 300 K"), conditions(""))
    assert given("GGI = 0.25, x=0.1") == (("ga/(ga+in)", 0.25), ("x", 0.1))
    assert other_agents("in 1 M KOH", "in 0.5 M H2SO4") and not other_agents("in air", "")
    assert other_moments("before etching", "after etching in HF") and not other_moments(
        "after etching", "after etching"
    )


@each_of(
    ("text", "missing", "between", "placed"),
    [
        ("V_O in MgO", {"O"}, set(), set()), ("As_Ga, neutral", set(), set(), {("As", "Ga")}), ("Li_i", set(), {"Li"}, set()),
        ("gallium on an arsenic site", set(), set(), {("Ga", "As")}), ("a missing oxygen", {"O"}, set(), set()),
        ("one carbon is replaced by nitrogen", set(), set(), {("N", "C")}), ("interstitial Mn", set(), {"Mn"}, set()),
        ("CO on a top site", set(), set(), set()),
    ],
)  # fmt: skip
def test_point_defects_in_notation_and_words(
    text: str, missing: set[str], between: set[str], placed: set[tuple[str, str]]
) -> None:
    found = structure_changes.defects(text)
    assert [set(found.missing), set(found.between), set(found.placed)] == [missing, between, placed]


def test_arrangements_of_surfaces() -> None:
    assert structure_changes.surface_cells("p(2x2) and 2×1 reconstruction, 3x3 grid") == {"2x2", "2x1"}
    assert structure_changes.terminations("O-terminated, or terminated by hydrogen") == {"O", "H"}
    assert structure_changes.sites("in the fcc site") == structure_changes.sites("fcc hollow") == {"fcc"}
    assert structure_changes.charges("neutral") == {0} and structure_changes.charges("q = -1") == {-1}
    assert structure_changes.coverages("1/4 ML") == structure_changes.coverages("0.25 monolayer") == {0.25}
    assert structure_changes.layers("a four-layer slab") == {4}
    assert states("α-Fe2O3")["letter"] == states("alpha-iron(III) oxide")["letter"] and "letter" not in states("α = 3")


@each_of(
    ("one", "two", "same"),
    [
        ("U(Co)=3.3 eV, U(Ni)=6.0 eV", "Ni 6.0, Co 3.3 (eV)", True), ("U(Co)=3.3 eV, U(Ni)=6.0 eV", "Co 6.0, Ni 3.3", False),
        ("4.2 eV (V)", "V: 4200 meV", True), ("4", "U = 4 eV (Ti 3d)", True), ("Mn 3.9", "magnesium 3.9 eV", False),
        ("Fe-3d: U-J = 3.5 eV", "3.5 eV for Fe 3d", True),
    ],
)  # fmt: skip
def test_hubbard_terms_belong_to_elements(one: str, two: str, same: bool) -> None:
    assert methods.same_hubbard(methods.hubbard(one), methods.hubbard(two)) is same


def test_sentences_name_methods_by_whole_words() -> None:
    assert methods.functional_among("relaxed with separate cells").names == frozenset()
    assert methods.functional_among("the HSE06 hybrid").names == {"hse06"}
    assert (
        methods.program_among("Gaussian smearing was used") == "" and methods.program_among("run with VASP") == "vasp"
    )
    assert methods.by_role("2x2x2 for relaxation, 4x4x4 for DOS") == (("relaxation", "2x2x2"), ("dos", "4x4x4"))
    assert methods.by_role("[2, 2, 2]") == ()
    assert methods.cutoff_among("plane waves up to 400 eV") == "400 eV" and methods.basis_named(
        "double-zeta plus polarisation"
    ) == {"dzp"}


READERS: list[Callable[[str], Any]] = [
    asserted.asserted, asserted.denied, asserted.identified, asserted.corrected, conditions, given, states,
    substances.substance, substances.agents, substances.formulas_in, structure_changes.defects, structure_changes.charges,
    structure_changes.surface_cells, methods.hubbard, methods.by_role, methods.cutoff_among, property_of, read_unit,
]  # fmt: skip
PIECES = [
    "not ", "i.e. ", "compared with ", "A/", "C/", "1x", "As_Ga", "vacancy on ", "x=1 ", "(by mistake", "p(2x", "mK", "√",
    "; also", "Pb1", "zeta plus ", "10:", "and ",
]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("read", drawn(READERS, 2, 9), ids=lambda read: read.__name__)
def test_a_long_text_is_read_in_no_time(read: Callable[[str], Any]) -> None:
    for piece in PIECES:
        begun = process_time()
        read(piece * (60_000 // len(piece)))
        assert soon(process_time() - begun, 2), piece


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("25 °C: 410; 100 °C: 470", [("410", "25 °C"), ("470", "100 °C")]),
        ("T (K) | S\n300 | 90\n400 | 110", [("90", "300 K"), ("110", "400 K")]),
        ("12, 15, 19", [("12", ""), ("15", ""), ("19", "")]),
        ("1,000", []),
        ("2.02 ± 0.04", []),
    ],
)
def test_several_values_of_a_field_are_read_with_their_labels(text: str, said: list[tuple[str, str]]) -> None:
    assert [(one.text, one.label) for one in series.values(text)] == said


@pytest.mark.parametrize("text", ["1, " * 20_000, "(" * 60_000, "a: " * 20_000, "1 | " * 20_000, "1 cycle " * 9_000])
def test_hostile_fields_with_several_values_are_read_in_no_time(text: str) -> None:
    started = process_time()
    found = PropertyItem({"material": text, "property_name": text, "low_value": text, "property_descriptor": text})
    assert len(found.each) <= series.MOST
    assert process_time() - started < 2
