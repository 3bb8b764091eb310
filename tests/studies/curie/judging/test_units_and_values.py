"""Units as factors of SI, and values with the precision they state (L7: the table is ours, and versioned)."""

# ruff: noqa: RUF001 - signs of print that look like ours are the point

from __future__ import annotations

import pytest
from support_cases import each_of

from harness.answers.units import DIMENSIONLESS, PREFIXED, read_unit
from harness.studies.curie.judging.normal import plain
from harness.studies.curie.judging.quantities import among, number, quantity, reading, same_quantity
from harness.studies.curie.judging.rule import VERSION

SAME = [
    ("meV", "0.001 eV"), ("Å", "0.1 nm"), ("kJ/mol", "0.0103642697 eV"), ("Ry", "13.6056931 eV"),
    ("Ha", "27.2113862 eV"),
    ("Ω cm", "0.01 Ω m"), ("ohm-cm", "0.01 ohm m"), ("S/cm", "100 S m^-1"), ("emu/g", "1 A m^2 kg^-1"),
    ("g/cm3", "1000 kg/m3"),
    ("cm^2 V^-1 s^-1", "1 cm2/Vs"), ("W/(m·K)", "1 W m-1 K-1"), ("Torr", "133.322368 Pa"), ("bar", "100 kPa"),
    ("atm", "101325 Pa"),
    ("cm<sup>-2</sup>", "10000 m-2"), ("μB/f.u.", "9.2740100783e-24 A m2"), ("kOe", "1000 Oe"), ("eV/atom", "1 eV"),
    ("ppm", "1e-6"),
    ("Ha/Bohr", "51.4220675 eV/Å"), ("mA h g-1", "3.6 A s g-1"), ("cm−1", "100 m-1"), ("nanometers", "1 nm"),
    ("℃/min", "0.0166666667 K/s"),
    ("µm", "1000 nm"), ("Ohm/sq", "1 Ω"), ("GPa", "1e9 N/m2"), ("1/K", "1 K^-1"), ("10^18 cm^-3", "1e24 m^-3"),
    ("THz", "1e12 s-1"),
]  # fmt: skip


@each_of(("unit", "value"), SAME)
def test_one_of_a_unit_is_so_much_of_another(unit, value) -> None:
    one, other = quantity("1", "", plain(unit)), quantity(plain(value), "", "")
    assert one and other and one.powers == other.powers
    assert one.low.value == pytest.approx(other.low.value, rel=1e-8)


@each_of("unit", ["", "dimensionless", "-", "none", "N/A", "unitless"])
def test_no_unit_has_many_names(unit) -> None:
    assert read_unit(unit) == DIMENSIONLESS


@each_of("unit", ["foo", "bar foo", "m" * 100, "(((", "m^^", "Tmol9" * 5, "🙂"])
def test_what_is_no_unit_is_none(unit) -> None:
    assert read_unit(unit) is None


def test_temperatures_are_moved_where_the_unit_stands_alone() -> None:
    celsius, slope = read_unit("°C"), read_unit("W/°C")
    assert celsius and celsius.offset == 273.15
    assert slope and slope.offset == 0


def test_the_rule_names_its_table_of_units() -> None:
    assert "units-2" in VERSION and "eV" in PREFIXED


@each_of(
    ("text", "low", "high"),
    [
        ("3.4", 3.4, 3.4), ("~3.4", 3.4, 3.4), ("3.4 ± 0.1", 3.4, 3.4), ("4x10<sup>8</sup>", 4e8, 4e8),
        ("4×10⁸", 4e8, 4e8),
        ("10^-5", 1e-5, 1e-5), ("1.0E-05", 1e-5, 1e-5), ("2.2-2.5", 2.2, 2.5), ("2.2 – 2.5", 2.2, 2.5),
        ("between 2.2 and 2.5", 2.2, 2.5), ("1,000", 1000, 1000), ("−0.5", -0.5, -0.5), ("3.4(2)", 3.4, 3.4),
        (">5", 5, 5),
        ("approximately 60 meV", 60, 60), (".5", 0.5, 0.5), ("-3--1", -3, -1),
    ],
)  # fmt: skip
def test_values_are_read_as_papers_write_them(text, low, high) -> None:
    found = reading(plain(text))
    assert found and [found.low.value, found.high.value] == pytest.approx([low, high])


@each_of("text", ["", "abc", "1" * 500, "9e999", "--", "1.2.3.4e5.6", "x10^8"])
def test_what_is_no_value_is_none(text) -> None:
    found = reading(text)
    assert found is None or found.low.value in (1.2,)
    assert number("e5") is None


@each_of(
    ("one", "two", "alike"),
    [
        ("5.64", "5.6", True), ("5.64", "5.7", False), ("1.12", "1.1", True), ("3.3", "3", False),
        ("450", "453", False),
        ("2.70", "2.7", True), ("0.69", "0.70", False), ("2.2-2.5", "2.2", False), ("2.4 ± 0.1", "2.3-2.5", True),
        ("2.4 ± 0.1", "2.4", True), ("1e-5", "1e-6", False), ("0", "0.0", True), ("-170", "170", False),
    ],
)  # fmt: skip
def test_two_values_are_one_as_far_as_their_digits_go(one, two, alike) -> None:
    first, second = quantity(one, "", "eV"), quantity(two, "", "eV")
    assert first and second
    assert same_quantity(first, second) is same_quantity(second, first) is alike


def test_percentages_of_atoms_and_of_weight_are_two_things() -> None:
    atoms, weight, plainly = (quantity("5", "", unit) for unit in ("at.%", "wt%", "%"))
    assert atoms and weight and plainly
    assert not same_quantity(atoms, weight)
    assert same_quantity(atoms, plainly)


def test_quantities_stand_among_words() -> None:
    [[first, *_], [second, *_]] = among("annealed at 400 °C for 2 h in 3 steps as samples")
    assert (first.low.value, second.low.value) == (673.15, 7200)
