"""A reader is found by the name of its file, reads any shape of golden file, and cannot hide that it is broken."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.agree import Within, agree, differences
from golden.case import SMALL, tolerance
from golden.every import main
from golden.files import arrays, listed, table
from support_cases import each_of

DOUBLES = """
from golden.case import check, Within
from golden.files import listed

def read(path, tally):
    for name, case in listed(path):
        check(tally, name, case, lambda given: {"twice": given["x"] * 2}, ("x",), ("twice",), within=Within(0, 0.5))
"""
ARRAYS = """
import numpy as np
from golden.case import check, Within
from golden.files import arrays, table

INPUTS = ("weights.csv",)

def read(path, tally):
    weights = [float(row["w"]) for row in table(path.with_name("weights.csv"))]
    run = lambda given: {"y": (given["x"] * weights).tolist(), "fits": True}
    check(tally, "the file", {**arrays(path), "fits": True}, run, ("x",), ("y",), within={"y": Within(1e-6, 1e-6)})
"""


@pytest.fixture
def made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, list[str]]]:
    """A study of our own: its readers, its files, and what the run says of them."""

    def run(readers: dict[str, str], **files: Any) -> tuple[int, list[str]]:
        golden, given = tmp_path / "studies" / "own" / "golden", tmp_path / "given" / "own"
        golden.mkdir(parents=True, exist_ok=True)
        given.mkdir(parents=True, exist_ok=True)
        for name, text in readers.items():
            (golden / f"{name}.py").write_text(text)
        for name, value in files.items():
            stem, _, kind = name.rpartition("_")
            path = given / f"{stem}.{kind}"
            if kind == "npz":
                np.savez(path, **value)
            else:
                path.write_text(value if isinstance(value, str) else json.dumps(value))
        return main(tmp_path / "given", tmp_path / "studies"), capsys.readouterr().out.splitlines()

    return run


def test_a_file_named_after_a_fixture_is_its_reader_and_no_list_is_edited(made: Any) -> None:
    files = {"pairs_json": [{"x": 2, "twice": 4}, {"x": 3, "twice": 6}], "other_json": [1, 2, 3]}
    code, lines = made({}, **files)
    assert (code, lines[-1]) == (0, "total: 0 passed, 0 failed, 5 waiting")
    code, lines = made({"pairs": DOUBLES}, **files)
    assert lines == [
        "own/other.json: 0 passed, 0 failed, 3 waiting",
        "own/pairs.json: 2 passed, 0 failed, 0 waiting",
        "study own: 2 passed, 0 failed, 3 waiting",
        "  without a reader in studies/own/golden: other.json",
        "total: 2 passed, 0 failed, 3 waiting",
    ]
    assert code == 0


def test_a_top_level_list_is_compared_case_by_case_within_a_tolerance(made: Any) -> None:
    code, lines = made({"pairs": DOUBLES}, pairs_json=[{"x": 2.0, "twice": 7.9}, {"x": 2.0, "twice": 8.1}])
    assert code == 1
    assert lines[0] == "own/pairs.json: 1 passed, 1 failed, 0 waiting"
    assert lines[1] == "  FAILED [1]: twice: expected 8.1, found 4.0"


def test_arrays_compare_with_lists_and_inputs_alone_do_not_wait(made: Any) -> None:
    good = {"x": np.array([[1.0, 2.0], [3.0, 4.0]]), "y": np.array([[2.0, 6.0], [6.0, 12.0]], dtype=np.float32)}
    code, lines = made({"product": ARRAYS}, product_npz=good, weights_csv="w\n2\n3\n", table_inputs_csv="a\n1\n")
    assert lines == [
        "own/product.npz: 1 passed, 0 failed, 0 waiting",
        "own/table_inputs.csv: 0 passed, 0 failed, 0 waiting (an input)",
        "own/weights.csv: 0 passed, 0 failed, 0 waiting (an input)",
        "study own: 1 passed, 0 failed, 0 waiting",
        "total: 1 passed, 0 failed, 0 waiting",
    ]
    code, lines = made({}, product_npz={**good, "y": np.array([[2.0, 6.0], [6.0, 12.1]])})
    assert code == 1 and lines[1] == "  FAILED the file: y[1][1]: expected 12.1, found 12.0"
    code, lines = made({}, product_npz={**good, "y": np.zeros((2, 3))})
    assert code == 1 and "expected 3 values, found 2" in lines[1]


@pytest.mark.parametrize(
    "text", ["x = (", "import nothing_of_that_name", "FILES = ('pairs.json',)", "read = 3", "raise SystemError('no')"]
)
def test_a_reader_that_cannot_be_loaded_fails_and_its_file_is_named(made: Any, text: str) -> None:
    code, lines = made({"pairs": text, "triples": DOUBLES}, pairs_json=[1], triples_json=[{"x": 1, "twice": 2}])
    assert code == 1
    assert lines[0].startswith("  FAILED the reader own/golden/pairs.py: ")
    assert "own/triples.json: 1 passed, 0 failed, 0 waiting" in lines
    assert lines[-1] == "total: 1 passed, 1 failed, 1 waiting"


def test_the_reader_of_a_files_own_name_comes_first_and_two_others_fail(made: Any) -> None:
    broad = 'FILES = ("pairs*.json",)\n' + DOUBLES
    case = [{"x": 1, "twice": 2}]
    code, lines = made({"pairs": broad, "pairs_more": DOUBLES}, pairs_more_json=case, pairs_json=case)
    assert (code, lines[-1]) == (0, "total: 2 passed, 0 failed, 0 waiting")
    code, lines = made({"wide": 'FILES = ("p*.json",)\n' + DOUBLES}, pairs_new_json=case)
    assert code == 1
    assert "  FAILED the file: unreadable: more than one reader claims it: pairs.py, wide.py" in lines


@pytest.mark.parametrize("content", ["", "{}", "[]", "7", "[", '[{"x": 1}]', "[3]", '[{"x": 1, "twice": "2"}]'])
def test_a_list_that_cannot_be_read_fails(made: Any, content: str) -> None:
    code, lines = made({"pairs": DOUBLES}, pairs_json=content)
    assert (code, lines[0]) == (1, "own/pairs.json: 0 passed, 1 failed, 0 waiting")


def test_arrays_with_objects_are_not_unpickled_and_no_archive_is_told(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.array([{"b": 1}], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle"):
        arrays(tmp_path / "x.npz")
    for data in (b"", b"PK\3\4 no archive", b"[1]", pickle.dumps({"a": 1})):
        (tmp_path / "y.npz").write_bytes(data)
        with pytest.raises(ValueError):
            arrays(tmp_path / "y.npz")


@pytest.mark.parametrize("text", ["", "a,b\n", "a,a\n1,2\n", "a,b\n1\n", 'a\n"x"y\n'])
def test_a_table_that_is_none_is_malformed(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(ValueError):
        table(tmp_path / "x.csv")


def test_cells_keep_line_breaks_and_quotes(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b'a,b\r\n"1\n2","say ""so"""\r\n,\r\n')
    assert table(tmp_path / "x.csv") == [{"a": "1\n2", "b": 'say "so"'}, {"a": "", "b": ""}]


@each_of(
    ("expected", "found", "within", "says"),
    [
        (1000.0, 1001.0, Within(0, 1e-3), True),
        (1000.0, 1001.1, Within(0, 1e-3), False),
        (1e-12, 2e-12, Within(0, 0.5), False),
        (0.0, 250.0, Within(250), True),
        (1, 2, Within(10), False),  # counts are exact
        (1, 1.5, Within(10), True),
        (float("nan"), float("nan"), Within(), True),
        (float("-inf"), float("-inf"), Within(), True),
        (float("-inf"), float("inf"), Within(1e9), False),
        (float("inf"), 1e308, Within(1e308), False),
        (1.0, None, Within(1e9), False),
        (None, 0.0, Within(1e9), False),
        ([1.0], (1.0,), Within(), False),
        (np.float32(0.1), 0.1, Within(1e-8), True),
        (np.array([True]), [1], Within(), False),
        (np.array([[1.0, 2.0]]), [1.0, 2.0], Within(9), False),
        (np.array(["a"]), ["a"], Within(), True),
        ({"a": [1.0]}, {"a": [1.0], "b": 2}, Within(), False),
    ],
)
def test_values_agree_as_data(expected: Any, found: Any, within: Within, says: bool) -> None:
    assert agree(expected, found, within) is says


def test_the_places_where_two_values_part_are_named() -> None:
    expected = {"rows": [{"x": 1}, {"x": [2, 3]}], "gone": 1}
    found = {"rows": [{"x": 1}, {"x": [2, 4]}], "new": 2}
    assert set(differences(expected, found, Within())) == {
        "gone: expected 1, found nothing",
        "new: expected nothing, found 2",
        "rows[1].x[1]: expected 3, found 4",
    }


def test_a_file_asks_for_a_small_tolerance_only_and_a_reader_for_any() -> None:
    assert tolerance({"tolerance": {"absolute": 1e-6, "relative": 1e-6}}) == Within(1e-6, 1e-6)
    assert tolerance({}, Within(0.5, 3.0)) == Within(0.5, 3.0)
    assert tolerance({"tolerance": 0.5}, most=1.0) == Within(0.5)
    for wrong in (SMALL * 2, -1, True, "1e-9", None, {"absolute": 1e-9}, {"absolute": 1, "relative": 0}, []):
        with pytest.raises(ValueError):
            tolerance({"tolerance": wrong})


def test_the_numbers_of_a_list_keep_their_names(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[NaN, 2]")
    assert [name for name, _ in listed(tmp_path / "x.json")] == ["[0]", "[1]"]
