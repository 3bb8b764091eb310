"""What names and formulas say of a material: composition, elements, form, dopants; texts in one spelling (L7)."""

# ruff: noqa: RUF001 - signs of print that look like ours are the point

from __future__ import annotations

import pytest
from support_cases import each_of

from harness.studies.curie.judging.cells import grid, group, miller, vector
from harness.studies.curie.judging.forms import contradiction, states, without_states
from harness.studies.curie.judging.formulas import counts, elements, same_counts, same_ratio, with_share
from harness.studies.curie.judging.normal import plain, stated, words, written
from harness.studies.curie.judging.samples import dopants, sample, without_dopants, without_substrate
from harness.studies.curie.judging.substances import same_substance, substance


@each_of(
    ("text", "same"),
    [
        ("CuInSe<sub>2</sub>", "CuInSe2"), ("$CuInSe_2$", "CuInSe2"), ("CuInSe₂", "CuInSe2"),
        ("4x10<sup>8</sup>", "4x10^8"),
        ("&#937; cm", "Ω cm"), ("cm⁻²", "cm^-2"), ("E<sub>g</sub>", "Eg"), (r"$\mathrm{TiO}_{2}$", "TiO2"),
        ("refractive_index", "refractive index"), ("3.4 − 0.1", "3.4 - 0.1"), ("500 ℃", "500 °C"), ("5 µm", "5 μm"),
        (r"5 $\mu$m", "5 μm"), ("ﬁlm", "film"), ("a\u200bb", "a b"),
        ("(HfO<sub>2</sub>)<sub>0</sub>.<sub>8</sub>", "(HfO2)0.8"),
    ],
)  # fmt: skip
def test_texts_are_spelt_in_one_way(text, same) -> None:
    assert plain(text) == same


@each_of("value", [None, float("nan"), "NaN", "None", "UNKNOWN", " ", "not specified", [], {}, "[,,]", [None]])
def test_these_state_nothing(value) -> None:
    assert not stated(value) and written(value) == ""


@each_of("value", [0, 0.0, False, "Na", "no", "0", [0], {"a": "b"}])
def test_these_state_something(value) -> None:
    assert stated(value) and written(value)


def test_words_are_american_and_in_the_singular() -> None:
    assert words("Zinc-sulphide thin films, refractive indices") == (
        "zinc",
        "sulfide",
        "thin",
        "film",
        "refractive",
        "index",
    )


@each_of(
    ("one", "two"),
    [
        ("Cd8S8", "CdS"), ("CoFe2O4", "Fe2CoO4"), ("(CH3)2NCH2CH2N(CH3)2", "C6H16N2"), ("CuSO4·5H2O", "CuSO9H10"),
        ("C7H7+", "C7H7"), ("SO4^2-", "SO4"), ("Tio2", "TiO2"), ("MAPbI3", "CH3NH3PbI3"), ("Cs0.33WO3", "CsW3O9"),
        ("[Fe(CN)6]", "FeC6N6"), ("In-Ga-Zn-O", "InGaZnO"),
    ],
)  # fmt: skip
def test_formulas_of_one_composition(one, two) -> None:
    mine, theirs = counts(one), counts(two)
    assert mine and theirs and same_ratio(mine, theirs)


@pytest.mark.parametrize(
    ("one", "two"), [("Fe2O3", "Fe3O4"), ("CuO", "Cu2O"), ("La0.7Sr0.3MnO3", "La0.67Sr0.33MnO3"), ("NaCl", "KCl")]
)
def test_formulas_of_two_compositions(one, two) -> None:
    mine, theirs = counts(one), counts(two)
    assert mine and theirs and not same_ratio(mine, theirs)


def test_molecules_of_one_ratio_differ_by_their_number_of_atoms() -> None:
    assert not same_counts(counts("C2H2") or (), counts("C6H6") or ())
    assert same_ratio(counts("C2H2") or (), counts("C6H6") or ())


@each_of("text", ["", "cobalt", "U(12TC4)2", "GaN film", "((((Si", "Si))", "x" * 500, "5a", "3"])
def test_what_is_no_formula_has_no_composition(text) -> None:
    assert counts(text) is None


def test_a_formula_with_letters_for_numbers_says_its_elements() -> None:
    assert elements("La1-xSrxMnO3") == {"La", "Sr", "Mn", "O"}
    assert counts(with_share("AlxGa1-xN", 0.3)) == counts("Al0.3Ga0.7N")


@each_of(
    ("one", "two", "same"),
    [
        ("gallium nitride", "GaN", True), ("titanium dioxide", "TiO2", True), ("copper(I) oxide", "Cu2O", True),
        ("copper(I) oxide", "CuO", False), ("copper oxide", "CuO", True), ("ferric oxide", "hematite", True),
        ("cobalt ferrite", "CoFe2O4", True), ("strontium titanate", "STO", True), ("PVC", "poly(vinyl chloride)", True),
        ("molybdenum disulphide", "MoS2", True), ("hafnium silicate", "HfSiOx", True), ("water", "heavy water", False),
    ],
)  # fmt: skip
def test_names_and_formulas_of_substances(one, two, same) -> None:
    assert same_substance([substance(one)], [substance(two)]) is same


def test_the_form_is_told_from_the_name_of_a_material() -> None:
    text = "wurtzite GaN nanowires on sapphire substrates"
    assert without_states(without_substrate(text)) == "GaN"
    assert states(text)["polymorph"] == {"wurtzite"} and states(text)["shape"] == {"wire"}


@each_of(
    ("one", "two", "apart"),
    [
        ("thin film", "quantum dots", True), ("thin film", "buffer layer", False), ("film", "", False),
        ("amorphous", "polycrystalline", True), ("crystalline", "single crystal", False), ("α-Fe2O3", "γ-Fe2O3", True),
        ("nanopowder", "nanoparticles", False), ("2H-MoS2", "1T-MoS2", True), ("p-type", "n-type", True),
    ],
)  # fmt: skip
def test_forms_that_cannot_be_of_one_sample(one, two, apart) -> None:
    assert (contradiction(states(one), states(two)) is not None) is apart


@each_of(
    ("text", "found"),
    [
        ("Al-doped ZnO", {"Al"}), ("ZnO:Al", {"Al"}), ("graphene doped with boron", {"B"}),
        ("sulfur-hyperdoped silicon", {"S"}),
        ("(Al, Ga) co-doped ZnO", {"Al", "Ga"}), ("ZnO doped with 2 at.% Al and Ga", {"Al", "Ga"}),
        ("heavily doped Si", set()),
        ("p-doped GaN", set()), ("undoped ZnO", set()),
    ],
)  # fmt: skip
def test_dopants_are_read_from_names(text, found) -> None:
    assert dopants(text) == found
    assert not found or not dopants(without_dopants(text))


def test_a_sample_is_told_by_its_conditions_substrate_and_label() -> None:
    found = sample(
        "CdS films (sample 2)", "Thickness 200 nm\ngrown on glass substrate\nsubstrate temperature 450 °C", "at 550 nm"
    )
    assert [noun for noun, _ in found.conditions] == ["thickness", "growth", "wavelength"]
    assert found.substrates == {"glass"} and found.labels == {"2"}


@pytest.mark.parametrize(
    ("one", "two"),
    [("Fm-3m", "225"), ("P2_1/n", "P21/c"), ("R3m", "R-3m"), ("I4/mmm (139)", "No. 139"), ("Pnma", "pbnm")],
)
def test_space_groups_by_symbol_and_number(one, two) -> None:
    assert group(plain(one)) & group(plain(two))


@pytest.mark.parametrize(("one", "two"), [("Immm", "I4/mmm"), ("P1", "P-1"), ("Fm-3m", "Fd-3m")])
def test_other_space_groups(one, two) -> None:
    assert not group(one) & group(two)


def test_planes_grids_and_vectors_are_read_as_they_are_written() -> None:
    assert miller("Au(111)") == miller("[1,1,1]") == (1, 1, 1)
    assert miller("(10-10)") == miller("[1,0,0]") == miller("100", bare=True) == (1, 0, 0)
    assert grid("4 × 4 × 1 Monkhorst-Pack") == grid("[4,4,1]") == (4, 4, 1)
    assert grid("Gamma") == (1, 1, 1) and grid("0.03 2π/Å") == ()
    assert [each and each.value for each in vector("[3.61,,]")] == [3.61, None, None]
    assert [each and round(each.value, 6) for each in vector("a = b = 0.32 nm, c = 5.2 Å")] == [3.2, 3.2, 5.2]
