"""Texts, quantities and dates in the form in which facts are compared (rule F0)."""

from __future__ import annotations

import math
import time

import pytest
from support_cases import each_of
from support_pace import soon

from harness.studies.curie.reading.dates import iso
from harness.studies.curie.reading.quantities import quantities
from harness.studies.curie.reading.texts import fenced, leaves, norm


@each_of(
    ("text", "plain"),
    [
        ("  Sea\n\tSurface  TEMPERATURE ", "sea surface temperature"),
        ("&#916;T &amp; more", "δt & more"),
        ("H\u2082O \ufb01lm", "h2o film"),
        ("“Boston” (MA).", "boston” (ma"),
        ("-5", "-5"),
        ("- a bullet", "a bullet"),
        ("50%", "50%"),
        ("\u00a0...\u00a0", ""),
        ("half \ud800 pair", "half ? pair"),
    ],
)
def test_f0_spelling_of_the_same_words_is_set_aside(text: str, plain: str) -> None:
    assert norm(text) == plain


@each_of(
    ("text", "found"),
    [
        ("0.25° grid", [("0.25", "°")]),
        ("5 MV and 5 mV", [("5", "MV"), ("5", "mV")]),
        ("\u22125.0 °C", [("-5", "°C")]),
        ("10-20 m, x-3", [("10", ""), ("20", "m"), ("3", "")]),
        ("10 \u2013 20 m", [("10", ""), ("20", "m")]),
        ("1,234.50 km", [("1234.5", "km")]),
        ("4x10<sup>8</sup> Ω", [("400000000", "Ω")]),
        (r"\(1.5\times 10^{-5}\) m/s", [("0.000015", "m s^-1")]),
        ("10⁻⁵", [("0.00001", "")]),
        ("2e-3 Pa", [("0.002", "Pa")]),
        ("5 W m-2", [("5", "W m^-2")]),
        ("5 W/m² per year", [("5", "W m^-2 yr^-1")]),
        ("3 um", [("3", "μm")]),
        ("0.3\\%", [("0.3", "%")]),
        ("12 percent, 12 stations", [("12", "%"), ("12", "")]),
        ("7 Days", [("7", "d")]),
        ("x_3 and k^2 and v2 and 2^r", []),
        ("2^5 states", [("2^5", "")]),
        ("1" * 41, []),
        ("", []),
    ],
)
def test_f0_a_quantity_is_a_signed_decimal_and_a_unit(text: str, found: list[tuple[str, str]]) -> None:
    assert quantities(text) == found


def test_f0_nothing_is_converted() -> None:
    assert quantities("1 km") != quantities("1000 m")


@each_of(
    ("text", "day"),
    [
        ("2001-02-03", "2001-02-03"),
        ("2001/2/3", "2001-02-03"),
        ("2001-02-03T10:00:00Z", "2001-02-03"),
        ("98-02-03", "1998-02-03"),
        ("17-02-03", "2017-02-03"),
        ("2001-02", "2001-02"),
        ("2001", "2001"),
        ("3 February 2001", "2001-02-03"),
        ("Feb. 3rd, 2001", "2001-02-03"),
        ("FEBRUARY 2001", "2001-02"),
        ("25/12/2001", "2001-12-25"),
        ("12/25/2001", "2001-12-25"),
        ("03/04/2001", "03/04/2001"),
        ("04/04/2001", "2001-04-04"),
        ("2001-02-30", "2001-02-30"),
        ("Present", "present"),
        ("12", "12"),
        ("3 Wombat 2001", "3 wombat 2001"),
    ],
)
def test_geo_dates_become_iso_with_the_precision_they_have(text: str, day: str) -> None:
    assert iso(text) == day


def test_leaves_are_texts_and_numbers_in_their_order() -> None:
    value = {"a": ["x", 2, None], "b": {"c": True, "d": math.nan, "e": " "}, "f": 0.5, "g": 10**5000}
    assert list(leaves(value)) == ["x", "2", "true", "0.5", "long"]


def test_fences_are_found_whatever_language_they_name() -> None:
    assert fenced("a\n```py\nx\n```\nb\n```\ny") == ["x\n", "y"]
    assert fenced("no `code` here") == []


@pytest.mark.parametrize(
    "text", ["1," * 2_000_000, "10^" * 1_000_000, "5 m·" * 1_000_000, "<sup>" * 400_000, "-" * 5_000_000]
)
def test_texts_of_megabytes_end_soon(text: str) -> None:
    begun = time.process_time()
    quantities(text)
    norm(text)
    iso(text)
    assert soon(time.process_time() - begun, 1)
