"""`harness analyse -i FILE.npz`: members are fields, a second file fills what says so, and a large result is a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import clean_env
from support_inside import inside

from harness import arrays, verbs

FIT = ("analyse", "columns.fit")
SOURCE = np.random.default_rng(5)
TARGETS, GOOD, BAD = (SOURCE.normal(size=(12, 3)).astype(np.float32) for _ in range(3))


@pytest.fixture
def here(tmp_path: Path) -> Path:
    arrays.write_all(tmp_path / "one.npz", {"targets": TARGETS, "predictions": GOOD, "fold_sizes": np.array([6, 6])})
    arrays.write_all(tmp_path / "two.npz", {"predictions": BAD, "targets": TARGETS + 1})
    return tmp_path


def given(*words: str | Path, here: Path, check: int = 0) -> Any:
    done = inside(*FIT, *words, cwd=here, check=check)
    return json.loads(done.stdout) if check == 0 else done.stderr


def test_the_members_of_a_file_are_the_fields_as_lists_would_be(here: Path) -> None:
    found = given("-i", "one.npz", here=here)
    lists = {"targets": TARGETS.tolist(), "predictions": GOOD.tolist(), "fold_sizes": [6, 6]}
    (here / "one.json").write_text(json.dumps(lists))
    assert found == given("-i", "one.json", here=here) and len(found["r2"]) == 3
    assert verbs.analyse(verbs.AnalyseRequest(analysis="columns.fit", file=here / "one.npz")).result == found


@pytest.mark.long
def test_a_pipe_given_as_a_file_loses_nothing_to_the_look_at_how_it_begins(here: Path) -> None:
    lists = json.dumps({"targets": TARGETS.tolist(), "predictions": GOOD.tolist(), "fold_sizes": [6, 6]})
    words = [sys.executable, "-m", "harness.cli.main", *FIT, "-i", "/dev/stdin"]
    done = subprocess.run(words, input=lists, cwd=here, env=clean_env(), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == given("-i", "one.npz", here=here)


def test_a_second_file_fills_the_fields_that_say_so_and_no_others(here: Path) -> None:
    found = given("-i", "one.npz", "--with", "two.npz", here=here)
    arrays.write_all(here / "three.npz", {"targets": TARGETS, "predictions": BAD, "fold_sizes": np.array([6, 6])})
    alone = given("-i", "three.npz", here=here)
    assert found["others"] == alone and found["r2"] == given("-i", "one.npz", here=here)["r2"]


def test_arrays_of_a_result_go_to_a_file_whose_bytes_do_not_change(here: Path) -> None:
    told = given("-i", "one.npz", "--with", "two.npz", "-o", "out.npz", here=here)
    assert told["r2"] == {"member": "r2", "array": "float64 [3]"} and isinstance(told["better"], int)
    assert told["others"]["mse"] == {"member": "others.mse", "array": "float64 [3]"}
    listed = given("-i", "one.npz", "--with", "two.npz", here=here)
    assert arrays.read(here / "out.npz", "others.mse").tolist() == listed["others"]["mse"]
    before = (here / "out.npz").read_bytes()
    given("-i", "one.npz", "--with", "two.npz", "-o", "out.npz", here=here)
    assert (here / "out.npz").read_bytes() == before


def test_what_is_no_finite_number_is_given_by_its_name(here: Path) -> None:
    flat = np.ones((4, 2))
    arrays.write_all(here / "a.npz", {"targets": flat, "predictions": np.array([[1.0, 2.0]] * 4)})
    assert given("-i", "a.npz", here=here)["r2"] == ["nan", "-inf"]


def test_a_result_too_large_to_read_asks_for_a_file(here: Path) -> None:
    wide = np.ones((2, 30_000))
    arrays.write_all(here / "a.npz", {"targets": wide, "predictions": wide})
    told = given("-i", "a.npz", here=here, check=2)
    assert "120,000 elements are more than the 100,000 that are listed" in told and "-o FILE.npz" in told
    assert given("-i", "a.npz", "-o", "out.npz", here=here)["mse"]["array"] == "float64 [30000]"


@pytest.mark.parametrize(
    ("files", "words", "told"),
    [
        ({"a.npz": {"targets": TARGETS}}, ["-i", "a.npz"], "the field `predictions` is missing"),
        ({"a.npz": {"target": TARGETS, "predictions": GOOD}}, ["-i", "a.npz"], "did you mean `targets`?"),
        ({"a.npz": {"others": GOOD, "predictions": GOOD, "targets": GOOD}},
         ["-i", "a.npz", "--with", "two.npz"], "the field `others` is given twice"),
        ({"a.npz": {"scores": GOOD}}, ["-i", "one.npz", "--with", "a.npz"], "it takes: `predictions` (for `others`)"),
        ({}, ["-i", "one.npz", "--with", "three.npz"], "this file cannot be read"),
        ({}, ["-i", "three.npz"], "this file cannot be read"),
        ({}, ["-i", "one.npz", "-o", "nowhere/out.npz"], "this file cannot be read"),
    ],
)  # fmt: skip
def test_what_a_file_lacks_or_says_twice_is_told(here: Path, files: Any, words: list[str], told: str) -> None:
    for name, members in files.items():
        arrays.write_all(here / name, members)
    assert told in given(*words, here=here, check=2)


def test_a_lone_array_and_a_refused_one_are_told_by_name(here: Path) -> None:
    arrays.write(here / "a.npy", TARGETS)
    assert "this array has no name, and fields have one" in given("-i", "a.npy", here=here, check=2)
    np.savez(here / "b.npz", targets=np.array([None]))
    told = given("-i", "b.npz", here=here, check=2)
    assert "Python objects, which are pickles" in told and "b.npz: targets" in told


def test_an_analysis_that_takes_lists_takes_members_as_plain_values(here: Path) -> None:
    members = {"ids": np.array(["a", "b", "c"]), "difficulty": np.array([3.0, 1.0, 2.0]), "n_bins": np.array(2)}
    arrays.write_all(here / "bins.npz", members)
    (here / "bins.json").write_text(json.dumps({name: array.tolist() for name, array in members.items()}))
    found = [inside("analyse", "reliability.bins", "-i", f"bins.{kind}", cwd=here, check=0) for kind in ("npz", "json")]
    assert found[0].stdout == found[1].stdout
    np.savez(here / "bins.npz", **{**members, "ids": np.frombuffer(b"\xff" * 4, "<U1")})
    assert "what is no letter" in inside("analyse", "reliability.bins", "-i", "bins.npz", cwd=here, check=2).stderr
    arrays.write_all(here / "bins.npz", {**members, "difficulty": np.zeros(200_000)})
    told = inside("analyse", "reliability.bins", "-i", "bins.npz", cwd=here, check=2).stderr
    assert "`difficulty` takes no array, and 200,000 elements" in told


def test_what_has_no_use_for_a_second_file_or_for_one_to_write_says_so(here: Path) -> None:
    (here / "bins.json").write_text('{"ids": ["a"], "difficulty": [1], "n_bins": 1}')
    asked = {"--with": ("two.npz", "takes nothing from a second file"), "-o": ("o.npz", "no array to write")}
    for option, (file, told) in asked.items():
        done = inside("analyse", "reliability.bins", "-i", "bins.json", option, file, cwd=here, check=2)
        assert told in done.stderr
