"""The kinds of statement that the rule reads from free text and from fields: each with its near misses."""

# ruff: noqa: E501 - a wording beside its near miss

from __future__ import annotations

import pytest

from harness.studies.curie.judging import cells, settings
from harness.studies.curie.judging.asserted import alterations, asserted, identified, lacked, repudiated, settled
from harness.studies.curie.judging.methods import dispersion, functional, muffin_tin_cutoff, same_functional
from harness.studies.curie.judging.opposites import opposed
from harness.studies.curie.judging.properties import property_of, same_property
from harness.studies.curie.judging.quantities import quantity, same_quantity
from harness.studies.curie.judging.samples import dopants, given, other_electrodes, other_moments, sample
from harness.studies.curie.judging.structure_changes import chirality, sheets, sites, stretches
from harness.studies.curie.judging.structure_names import in_reverse, named_alike, structure_names
from harness.studies.curie.judging.substances import same_substance, substance


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("spin-polarised", "yes"), ("collinear, ISPIN=2", "yes"), ("AFM-II order", "yes"), ("unrestricted", "yes"),
        ("initial moments of 5 µB", "yes"), ("non-spin-polarized", "no"), ("closed shell", "no"), ("ISPIN = 1", "no"),
        ("no spin polarisation", "no"), ("nonmagnetic", "no"), ("restricted", "no"), ("4x4x4", ""),
        ("spin-polarised and nonmagnetic", ""),
    ],
)  # fmt: skip
def test_spin_is_read_from_words_and_tags(text: str, says: str) -> None:
    assert settings.spin(text) == says


@pytest.mark.parametrize(
    ("text", "nuclei", "cell"),
    [
        ("ions and cell", "yes", "yes"), ("ISIF=3", "yes", "yes"), ("fully relaxed", "yes", "yes"),
        ("vc-relax", "yes", "yes"), ("ISIF=2, ions only", "yes", "no"), ("only the atomic positions", "yes", "no"),
        ("atoms, at the fixed experimental cell", "yes", "no"), ("single-point", "no", "no"), ("none", "no", "no"),
    ],
)  # fmt: skip
def test_relaxation_is_read_for_nuclei_and_cell(text: str, nuclei: str, cell: str) -> None:
    assert settings.relaxation(text) == {"relaxed_nuclei": nuclei, "relaxed_unit_cell": cell}


def test_a_hubbard_term_is_compared_by_its_effective_value() -> None:
    both = settings.repulsion(4.0, "U = 4 eV, J = 1 eV", False)
    assert settings.same_repulsion(both, settings.repulsion(3.0, "3 eV (U 4, J 1)", True))
    assert settings.same_repulsion(both, settings.repulsion(3.0, "Ueff = 3", False))
    assert settings.same_repulsion(both, settings.repulsion(4.0, "4 eV", False))
    assert not settings.same_repulsion(both, settings.repulsion(4.0, "4 eV (U 5, J 1)", True))
    assert not settings.same_repulsion(both, settings.repulsion(4.0, "U_eff: 4", True))
    assert not settings.same_repulsion(both, settings.repulsion(3.5, "3.5 eV", False))


@pytest.mark.parametrize(
    ("one", "two", "noun"),
    [
        ("timestep: 0.5 fs", "timestep: 0.5 ps", "time step"), ("NVT at 330 K", "temperature: 330 °C", "temperature"),
        ("Gaussian smearing 0.05 eV", "smearing: Gaussian, 0.2 eV", "smearing width"), ("2 fs", "dt: 1 fs", "time step"),
        ("grid spacing 0.18 Å", "spacing: 0.25 Å", "spacing"), ("NVT, 300 K", "temperature: 300 K", ""),
        ("timestep: 1 fs", "a step of 1.0 fs", ""), ("300 K", "1 fs", ""),
    ],
)  # fmt: skip
def test_quantities_of_remarks_are_compared_by_noun(one: str, two: str, noun: str) -> None:
    assert settings.other_dynamics(one, two) == noun


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("GW0@PBE", "partially self-consistent GW on top of PBE", True), ("G0W0@PBE", "one-shot GW on PBE", True),
        ("GW0@PBE", "G0W0 on PBE", False), ("G0W0@PBE", "G0W0@HSE06", False), ("GW", "G0W0@PBE", True),
        ("PBE", "G0W0@PBE", False), ("CAM-B3LYP", "Coulomb-attenuated B3LYP", True), ("CAM-B3LYP", "B3LYP", False),
        ("PBE", "GGA", True), ("PBE", "LDA", False),
    ],
)  # fmt: skip
def test_what_is_done_on_top_of_a_functional_counts(one: str, two: str, same: bool) -> None:
    assert same_functional(functional(one), functional(two)) is same


def test_damping_and_the_muffin_tin_cutoff_are_read_in_any_wording() -> None:
    assert {dispersion(one) for one in ("D3(BJ)", "Grimme D3, Becke-Johnson damping", "DFT-D3 (BJ)")} == {"d3bj"}
    assert {dispersion(one) for one in ("D3 zero damping", "Grimme D3 dispersion, zero damping")} == {"d3zero"}
    assert dispersion("D2") == "d2" and dispersion("no correction") == ""
    for text in ("RKmax = 7", "R_MT K_max of 7", "Rmt*Kmax = 7.0", "rgkmax: 7", "R MT K max 7"):
        assert muffin_tin_cutoff(text) == (7.0,), text
    assert muffin_tin_cutoff("Kmax = 7") == ()


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("15 x 15 x 15 bohr", (7.94, 7.94, 7.94)), ("7.99 a.u.", (4.23,)), ("a = 3.2 Å, c = 0.52 nm", (3.2, None, 5.2)),
        ("cubic, edge 15 bohr", (None, 7.94)), ("15 x 15 x 15 Å^3", (15, 15, 15)), ("1.5 nm", (15,)), ("18", (18,)),
        ("a=12.45, b=3.08, c=5.88", (12.45, 3.08, 5.88)),
    ],
)  # fmt: skip
def test_lengths_of_cells_share_the_unit_behind_the_last(text: str, edges: tuple[float | None, ...]) -> None:
    found = tuple(each and round(each.value, 2) for each in cells.vector(text))
    assert found == edges


def test_every_space_group_is_known_by_symbol_and_number() -> None:
    for symbol, number in (("P4_2/nmc", "137"), ("Pmn2_1", "31"), ("I-4", "82"), ("P-421m", "113"), ("Cmce", "64")):
        assert number in cells.group(symbol), symbol
        assert cells.group(f"{symbol}, no. {number}") & cells.group(number) == {number}
    assert not cells.group("Pnma") & cells.group("Pnna")
    assert cells.group("Pbnm") == cells.group("62")


def test_what_a_text_lacks_disowns_or_calls_by_a_wrong_name_is_told_from_what_it_states() -> None:
    assert lacked("pristine, without the PMMA layer that is used later") == ("PMMA layer",)
    assert lacked("film of indium oxide, no tin") == ("tin",)
    assert lacked("binder-free electrode") == ("binder",)
    assert lacked("film with a PMMA layer") == ()
    for text in ("a literature figure that does not hold for their film", "was hoped for; the test gave less",
                 "target value of the project", "the sample itself did not reach it", "not measured here"):  # fmt: skip
        assert repudiated(text), text
    for text in ("measured on ten samples", "holds for all films", "as in the literature", "the best value reached"):
        assert not repudiated(text), text
    assert identified("zirconia ceramic, filed under alumina by mistake") == ("zirconia ceramic",)
    assert identified("phase identified as magnetite") == ("magnetite",)
    assert identified("film on glass") == ()
    assert "2x2" not in asserted("p(2x2) was given up in favour of p(2x1)")
    assert settled("450 eV was tested, 350 eV was used").startswith("350 eV")
    assert settled("4x4x4 for relaxation, 8x8x8 for DOS") == "4x4x4 for relaxation, 8x8x8 for DOS"


def test_alterations_of_a_material_are_read_and_their_denials_are_not() -> None:
    for text in ("reduced graphene oxide", "after nitrogen infusion", "ion-irradiated foil", "sulfonated membrane",
                 "filled with 5 % silica", "after thermal reduction", "fluorinated graphite"):  # fmt: skip
        assert alterations(text), text
    for text in (
        "unirradiated foil",
        "oxygen reduction catalyst",
        "grains filled with a high density of twins",
        "film",
    ):
        assert not alterations(text), text


@pytest.mark.parametrize(
    ("one", "two", "apart"),
    [
        ("notched", "un-notched", True), ("reverse scan", "forward scan", True), ("on heating", "on cooling", True),
        ("champion cell", "averaged over 24 cells", True), ("zero-field-cooled", "field-cooled", True),
        ("as built", "T6", True), ("rolling direction", "transverse direction", True), ("dry argon", "wet argon", True),
        ("suspended", "supported on SiO2", True), ("PECVD film", "thermal oxide", True), ("duplex", "lamellar", True),
        ("as deposited and annealed", "annealed", False), ("film", "powder", False), ("reverse scan", "reverse bias", False),
        ("in air", "in ambient air", False), ("tensile", "in tension", False), ("", "notched", False),
    ],
)  # fmt: skip
def test_opposites_are_told_apart(one: str, two: str, apart: bool) -> None:
    assert bool(opposed(one, two)) is apart
    assert bool(opposed(two, one)) is apart


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("superconducting Tc", "superconducting transition temperature", True), ("κ_L", "lattice thermal conductivity", True),
        ("critical temperature of superconductivity", "superconducting critical temperature", True),
        ("Fermi level", "Fermi energy", True), ("Li+ conductivity", "ionic conductivity", True), ("TMR ratio", "TMR", True),
        ("ductility", "total elongation to failure", True), ("E modulus", "Young's modulus", True),
        ("μe", "electron mobility", True), ("C/O ratio", "carbon to oxygen ratio", True),
        ("mass activity", "specific activity", False), ("κ_L", "electronic thermal conductivity", False),
        ("pitting potential", "corrosion potential", False), ("μe", "hole mobility", False),
        ("response time", "recovery time", False), ("Young's modulus along c", "Young's modulus, a axis", False),
    ],
)  # fmt: skip
def test_properties_are_one_by_symbol_family_of_words_or_head(one: str, two: str, same: bool) -> None:
    assert (same_property(property_of(one), property_of(two)) == "") is same


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("WC-12Co", "12Co-WC cermet", True), ("AlGaAs/GaAs/AlGaAs", "GaAs/AlGaAs", True), ("IN625", "Inconel 625", True),
        ("titania-silica", "SiO2-TiO2", True), ("vanadium pentoxide", "V2O5", True), ("ZIF-8", "framework ZIF-8", True),
        ("bismuth oxyselenide", "Bi2O2Se", True), ("iron(II,III) oxide", "Fe3O4", True),
        ("copper sulfate pentahydrate", "CuSO4·5H2O", True), ("potassium tetrafluoronickelate", "K2NiF4", True),
        ("WC-12Co", "WC-6Co", False), ("IN718", "Inconel 625", False), ("iron(II,III) oxide", "Fe2O3", False),
        ("vanadium pentoxide", "VO2", False), ("ZIF-67", "framework ZIF-8", False), ("Kevlar 49", "Kevlar 29", False),
    ],
)  # fmt: skip
def test_materials_are_one_by_composition_parts_or_code(one: str, two: str, same: bool) -> None:
    assert same_substance([substance(one)], [substance(two)]) is same


def test_dopants_electrodes_moments_and_named_numbers_are_read_in_any_notation() -> None:
    for text in ("Al-doped ZnO", "ZnO:Al", "Al:ZnO", "ZnO doped with Al", "(Al)-doped ZnO"):
        assert dopants(text) == {"Al"}, text
    assert dopants("LaPO4:Ce,Tb") == {"Ce", "Tb"}
    assert sample("AZO", "").dopants == sample("ZnO:Al", "").dopants
    assert sample("3Y-TZP", "").conditions != sample("8YSZ", "").conditions
    assert other_electrodes("0.85 V vs RHE", "0.85 V (Ag/AgCl)") and not other_electrodes("vs SCE", "vs. SCE")
    assert other_moments("before correction for band filling", "band filling already subtracted")
    assert dict(given("R = 0.1"))["R"] == 0.1 and dict(given("R = -1"))["R"] == -1


def test_units_of_counted_things_and_asides_do_not_hide_a_value() -> None:
    for low, unit, other, in_other in (
        ("25 Ha (i.e. 50 Ry)", "", "25", "Ha"), ("450 eV for the slabs", "", "450", "eV"), ("120", "mA/mgPt", "0.12", "A/mg"),
        ("0.43", "mmol O2/g", "430", "µmol/g"), ("1.9", "mPa s", "1.9", "cP"), ("0.31", "mm/y", "0.31", "mm/year"),
        ("1.9", "H2/s", "1.9", "s-1"),
    ):  # fmt: skip
        one, two = quantity(low, "", unit), quantity(other, "", in_other)
        assert one and two and same_quantity(one, two), (low, unit)


def test_structures_are_told_apart_by_order_strain_sheets_sites_and_tubes() -> None:
    assert in_reverse(structure_names(["Au on TiO2"]), structure_names(["TiO2 on Au"]))
    assert not in_reverse(structure_names(["Au on TiO2"]), structure_names(["Au/TiO2"]))
    assert named_alike(structure_names(["Rh(111) p(2x2)-NO"]), structure_names(["NO on Rh(111)"]))
    assert named_alike(structure_names(["graphene-supported Ir13"]), structure_names(["Ir13 on graphene"]))
    assert not named_alike(structure_names(["CO2 in Mg-MOF-74"]), structure_names(["CO2 in Zn-MOF-74"]))
    assert stretches("strain -4 % to +4 % in steps of 1 %") == stretches("strain: [-4,-2,0,2,4] %") == {(-4.0, 4.0)}
    assert stretches("strain: +4 %") == {(4.0, 4.0)} and stretches("4 % Ni") == frozenset()
    assert sheets("two stacked layers of MoS2") == {"2"} and sheets("the two bottom layers") == frozenset()
    assert sites("four-fold hollow") == sites("hollow site") != sites("short bridge")
    assert chirality("(6,6) carbon nanotube") == {(6, 6)} and chirality("(111) slab") == frozenset()
