"""Arrays held against expected ones: how far an element may be off, what never agrees, and which strays furthest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness import arrays
from harness.digest import sha256_file
from harness.errors import InputError
from harness.evidence.compare import (
    MAX_ARRAY,
    array_form,
    compare_outputs,
    describe_first_deviation,
    deviation_text,
    json_leaves,
)
from harness.evidence.record import Record
from harness.manifest.lockfile import Expect
from harness.rows import write_one
from harness.texts import validate_tolerance

F32 = np.float32


def put(path: Path, value: Any) -> Path:
    if isinstance(value, Mapping):
        arrays.write_all(path, {name: np.asarray(one) for name, one in value.items()})
    elif isinstance(value, np.ndarray):
        np.save(path.with_suffix(".npy"), value)  # in the order it has
        path.with_suffix(".npy").rename(path)
    else:
        arrays.write(path, np.asarray(value))
    return path


@pytest.fixture
def held(tmp_path: Path) -> Any:
    """Hold one array against another, each given as it is; gives what is said of them."""
    return lambda within, one, two: deviation_text(within, put(tmp_path / "one", one), put(tmp_path / "two", two))


@pytest.mark.parametrize(
    ("within", "expected", "found"),
    [
        ("0.5", [1.0, 2.0], [1.5, 1.5]),
        ("0", [1, 2], [1, 2]),
        ("0.01 relative", [100.0, -200.0], [101.0, -198.0]),
        ("1e-6", [np.nan, np.inf, -np.inf], [np.nan, np.inf, -np.inf]),
        ("1e-6 relative", [np.nan, np.inf, -np.inf, 0.0], [np.nan, np.inf, -np.inf, -0.0]),
        ("2", np.array([2**63 - 1, -(2**63)]), np.array([2**63 - 3, -(2**63) + 2])),
        ("1e-3", np.array([1 + 1j, complex(np.nan, 0)]), np.array([1 + 1.0005j, complex(np.nan, 0)])),
        ("0.1", np.array(3.0), np.array(3.1 - 1e-12)),
        ("0.1", np.zeros((0, 3)), np.zeros((0, 3))),
        ("0.1", ["a", "b"], ["a", "b"]),
        ("0", {"a": [1.0], "b": [[2]]}, {"b": [[2]], "a": [1.0]}),
        ("0", np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(2, 3)),
    ],
)
def test_elements_that_keep_the_tolerance_agree(held: Any, within: str, expected: Any, found: Any) -> None:
    assert held(within, expected, found) == ""


@pytest.mark.parametrize(
    ("within", "expected", "found", "told"),
    [
        ("0.5", [[1.0, 2.0], [3.0, 4.0]], [[1.0, 3.0], [1.0, 4.0]],
         "[1, 0] is 1.0, expected 3.0 within 0.5 (2 of 4 elements stray)"),
        ("0.01 relative", [1.0, 1000.0], [1.5, 1100.0],
         "[0] is 1.5, expected 1.0 within 0.01 relative (2 of 2 elements stray)"),
        ("0.5", np.array([0.1], F32), np.array([1.1], F32),
         "[0] is 1.1, expected 0.1 within 0.5 (1 of 1 elements stray)"),
        ("1e300", [1.0, 2.0], [np.nan, 2.0], "[0] is nan, expected 1.0 within 1e300 (1 of 2 elements stray)"),
        ("1e300", [np.inf], [-np.inf], "[0] is -inf, expected inf within 1e300 (1 of 1 elements stray)"),
        ("1e300 relative", [np.inf], [1.0], "[0] is 1.0, expected inf within 1e300 relative (1 of 1 elements stray)"),
        ("1 relative", [0.0], [1e-300], "[0] is 1e-300, expected 0.0 within 1 relative (1 of 1 elements stray)"),
        ("1", np.array([2**63 - 1]), np.array([-(2**63)]),
         f"[0] is {-(2**63)}, expected {2**63 - 1} within 1 (1 of 1 elements stray)"),
        ("1", np.array([2**53]), np.array([2**53 + 2]),
         f"[0] is {2**53 + 2}, expected {2**53} within 1 (1 of 1 elements stray)"),
        ("9", [True, False], [True, True], "[1] is True, expected False within 9 (1 of 2 elements stray)"),
        ("9", ["a"], ["b"], "[0] is b, expected a within 9 (1 of 1 elements stray)"),
        ("0.1", np.array(3.0), np.array(4.0), "[] is 4.0, expected 3.0 within 0.1 (1 of 1 elements stray)"),
        ("0", {"a": [1.0], "b": [1.0]}, {"a": [2.0], "b": [9.0]},
         "b[0] is 9.0, expected 1.0 within 0 (1 of 1 elements stray)"),
        ("9", [1.0], [[1.0]], "the array is float64 [1, 1], expected float64 [1]"),
        ("9", np.ones(1, F32), np.ones(1), "the array is float64 [1], expected float32 [1]"),
        ("9", {"a": [1.0]}, {"a": np.ones(1, F32)}, "a is float32 [1], expected float64 [1]"),
        ("9", {"a": [1.0]}, {"a": [1.0], "b": [1.0]}, "b is there, expected absent"),
        ("9", {"a": [1.0]}, [1.0], "the output is npy, expected npz"),
    ],
)  # fmt: skip
def test_what_strays_is_named_by_its_worst_element(
    held: Any, within: str, expected: Any, found: Any, told: str
) -> None:
    assert held(within, expected, found) == told


def test_the_worst_of_many_blocks_is_found_where_it_lies(held: Any) -> None:
    one = np.zeros((3000, 200))
    two = one.copy()
    two[17, 3], two[2998, 199] = 1.0, -2.0
    assert held("0.5", one, two) == "[2998, 199] is -2.0, expected 0.0 within 0.5 (2 of 600000 elements stray)"


def test_an_output_that_became_no_sound_array_disagrees_and_says_why(tmp_path: Path) -> None:
    one, two = put(tmp_path / "one", [1.0]), put(tmp_path / "two", [1.0])
    two.write_bytes(two.read_bytes()[:-1])
    assert "it is cut short: float64 [1] has 8 bytes, 7 are there" in deviation_text("1", one, two)
    two.write_bytes(b'{"a":1}\n')
    assert deviation_text("1", one, two) == "the output is no array, expected npy"


def test_only_a_small_array_compared_by_numbers_is_kept_beside_it(tmp_path: Path) -> None:
    small, large = put(tmp_path / "a", np.zeros(3)), put(tmp_path / "b", np.zeros(MAX_ARRAY // 8))
    named = put(tmp_path / "c", {"a": [1.0]})
    assert [array_form({"within": "1"}, path) for path in (small, named)] == ["npy", "npz"]
    assert array_form("exact", large) == ""
    with pytest.raises(InputError, match="an array of 10,000,128 bytes; at most 10,000,000 lie beside"):
        array_form({"within": "1"}, large)
    with pytest.raises(InputError, match="an array, and no statistics"):
        array_form({"interval": "0.95"}, small)
    np.savez_compressed(tmp_path / "d.npz", x=np.zeros(10**7))
    with pytest.raises(InputError, match="an array of 80,000,000 bytes"):
        array_form({"within": "1"}, tmp_path / "d.npz")


def test_a_relative_tolerance_means_the_same_for_the_numbers_of_a_document(tmp_path: Path) -> None:
    write_one(tmp_path / "one", {"a": 100, "b": 0})
    expected = json_leaves(tmp_path / "one")
    for value, agrees in ((101, True), (101.5, False), (99, True)):
        write_one(tmp_path / "two", {"a": value, "b": 0})
        assert (describe_first_deviation({"within": "0.01 relative"}, expected, tmp_path / "two") == "") is agrees
    write_one(tmp_path / "two", {"a": 100, "b": 1e-9})
    assert describe_first_deviation({"within": "0.01 relative"}, expected, tmp_path / "two").startswith("/b is ")


@pytest.mark.parametrize("text", ["-1", "1e301", "1e-6  relative", "1e-6relative", "relative", "1% relative", "nan"])
def test_a_tolerance_is_a_number_or_a_share_and_nothing_else(text: str) -> None:
    with pytest.raises(ValueError, match="write a"):
        validate_tolerance(text)


def test_nothing_agrees_with_an_expected_array_that_was_touched_or_lost(tmp_path: Path) -> None:
    beside, made = put(tmp_path / "out.npy", [1.0, 2.0]), put(tmp_path / "made", [1.001, 2.0])
    level = {"within": "0.01"}
    outputs: Any = {"out": {"sha256": sha256_file(beside)[0], "level": level, "array": "npy"}}
    expect = Expect("a" * 64, "b" * 64, outputs, {}, {}, folder=tmp_path)
    body: Any = {"status": "done", "outputs": {"out": {"sha256": sha256_file(made)[0]}}}
    record = Record("r", body)

    def verdict() -> tuple[str, str]:
        [one] = compare_outputs(record, expect, "a" * 64, {"out": level}, lambda _digest: made)
        return one.verdict, one.detail

    assert verdict() == ("agreed", "agreed within 0.01, bytes differ")
    told = f"{tmp_path.name}/out.npy is not the array that the expectation pins: restore it from git"
    put(beside, [1.0, 2.001])
    assert verdict() == ("disagreed", told), "though what came out is near to the touched one, too"
    beside.unlink()
    assert verdict() == ("disagreed", told)
