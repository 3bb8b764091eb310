"""How answers print numbers, names and lists."""

from __future__ import annotations

import time

import pytest
from support_cases import each_of
from support_pace import soon

from harness.studies.biomed.templates.formats import (
    bullets,
    counted,
    frequencies,
    frequency,
    listed,
    natural,
    scientific,
    shortest,
    shown,
    sources,
)


@each_of(
    ("value", "digits", "printed"),
    [
        (2.59e-8, 2, "2.59e-08"),
        (1.36e-21, 2, "1.36e-21"),
        (0.0058909, 4, "5.8909e-03"),
        (-0.2383, 4, "-2.3830e-01"),
        (4.9999e-8, 2, "5.00e-08"),
        (1e-300, 2, "1.00e-300"),
        (0.0, 2, "0.00e+00"),
    ],
)
def test_numbers_have_an_exponent(value: float, digits: int, printed: str) -> None:
    assert scientific(value, digits) == printed


def test_two_frequencies_add_up_to_one() -> None:
    for part in range(10_001):
        own, other = frequencies(part / 20_000)
        assert int(own.replace(".", "")) + int(other.replace(".", "")) == 1000


def test_a_frequency_rounds_half_to_even_as_it_prints() -> None:
    assert frequencies(0.0025) == ("0.002", "0.998")
    assert frequencies(0.0035) == ("0.004", "0.996")
    assert frequency(0.003) == "0.003"
    assert frequencies(0.5) == ("0.500", "0.500")


def test_an_unrounded_number_reads_back_the_same() -> None:
    assert float(shortest(0.1 + 0.2)) == 0.1 + 0.2


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (["a, acute", "b", "c"], "a, acute; b and c"),
    ],
)
def test_names_are_joined_as_in_a_sentence(names: list[str], sentence: str) -> None:
    assert listed(names) == sentence


def test_a_list_shows_ten_names_in_alphabetical_order() -> None:
    assert shown(["b", "A", "c", "A"]) == ["A", "b", "c"]
    assert shown(f"G{number:02d}" for number in range(12, 0, -1)) == [f"G{number:02d}" for number in range(1, 11)]


def test_bullets_and_counts() -> None:
    assert bullets(["a", "b"]) == "• a\n• b"
    assert [counted(1, "gene"), counted(2, "gene"), counted(0, "x", "xs of y")] == ["1 gene", "2 genes", "0 xs of y"]


def test_numbers_inside_ids_count_as_numbers() -> None:
    assert sorted(["t_10", "t_9", "t_09b", "s_11"], key=natural) == ["s_11", "t_9", "t_09b", "t_10"]


def test_an_id_of_a_million_digits_costs_nothing() -> None:
    start = time.process_time()
    assert sorted(["t_" + "9" * 10**6, "t_1"], key=natural)[0] == "t_1"
    assert soon(time.process_time() - start, 1)


def test_a_source_names_ten_ids_in_natural_order() -> None:
    assert sources(f"r{number}" for number in (12, *range(1, 12), 3)) == "r1, r2, r3, r4, r5, r6, r7, r8, r9, r10"
