"""The golden run: green over the shared fixtures, red over anything planted in a folder of our own."""

import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from golden.every import main

HERE = Path(__file__).parent
FIXTURES = HERE.parents[2] / "shared" / "fixtures"


def command(folder):
    words = [sys.executable, HERE / "run.py", folder]
    return subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture
def golden():
    """The same command in this process: what it prints, and its exit code."""

    def run(folder):
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main(Path(folder))
        return subprocess.CompletedProcess(["run.py", folder], code, out.getvalue(), err.getvalue())

    return run


@pytest.mark.long
@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the fixtures do not lie beside this checkout")
def test_the_shared_fixtures_pass_and_every_file_of_them_is_listed():
    done = command(FIXTURES)
    assert done.returncode == 0, done.stdout + done.stderr
    *every, total = done.stdout.splitlines()
    lines = [line for line in every if not line.startswith(("study ", "  "))]
    files = {str(p.relative_to(FIXTURES)) for p in FIXTURES.rglob("*") if p.suffix in (".json", ".npz", ".csv")}
    assert {line.split(": ")[0] for line in lines} == files
    counts = [tuple(map(int, re.findall(r"(\d+) (?:passed|failed|waiting)", line))) for line in lines]
    assert "study reliability: 156 passed, 0 failed, 0 waiting" in every
    assert all(sum(each) >= 1 or line.endswith(" (an input)") for line, each in zip(lines, counts, strict=True))
    found = tuple(map(sum, zip(*counts, strict=True)))
    assert total == f"total: {found[0]} passed, {found[1]} failed, {found[2]} waiting"
    assert "reliability/equal_size_bins.json: 1 passed, 0 failed, 0 waiting" in lines


def test_our_own_cases_pass_and_none_of_them_waits(golden):
    done = golden(HERE / "cases")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(r"total: \d{2,} passed, 0 failed, 0 waiting", done.stdout.splitlines()[-1])


@pytest.fixture
def study(tmp_path, golden):
    """A small sound folder, its values worked out by hand, and a way to change it."""
    files = {
        "addition_difficulty.json": {
            "cases": [
                {"a": "3", "b": "7", "sum": "10", "digits_a": 1, "digits_b": 1, "f_cry": 1, "f_hrm": 1.0, "keep": True},
                {"a": "999", "b": "1", "sum": "1000", "digits_a": 3, "digits_b": 1, "f_cry": 3, "f_hrm": 1.5,
                 "keep": True},
            ]
        },
        "equal_size_bins.json": {
            "n_bins": 2, "ids": ["b", "a", "c"], "difficulty": [1, 1, 5], "bin_of_item": [0, 0, 1],
            "bin_sizes": [2, 1], "bin_mean_difficulty": [1.0, 5.0],
        },
        "scoring_cases_own.json": {
            "addition": [{"a": "3", "b": "7", "response": "10", "label": "c", "avoidance": None}],
            "anagram": [
                {"anagram": "tinsle", "accepted": ["listen"], "response": "Listen", "label": "c", "avoidance": None},
            ],
        },
        "later.json": {"cases": [1, 2, 3]},
    }  # fmt: skip
    (tmp_path / "reliability").mkdir()

    def run(**changed):
        for name, value in {**files, **{f"{key}.json": value for key, value in changed.items()}}.items():
            text = value if isinstance(value, str) else json.dumps(value)
            (tmp_path / "reliability" / name).write_text(text)
        return golden(tmp_path)

    run.files, run.folder = files, tmp_path  # type: ignore[attr-defined]
    return run


def test_a_sound_folder_passes_and_what_has_no_reader_waits(study):
    (study.folder / "brain" / "deep").mkdir(parents=True)
    (study.folder / "brain" / "deep" / "x.npz").write_bytes(b"\0")
    (study.folder / "brain" / "README.md").write_text("no data")
    done = study()
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "brain/deep/x.npz: 0 passed, 0 failed, 1 waiting",
        "reliability/addition_difficulty.json: 2 passed, 0 failed, 0 waiting",
        "reliability/equal_size_bins.json: 1 passed, 0 failed, 0 waiting",
        "reliability/later.json: 0 passed, 0 failed, 3 waiting",
        "reliability/scoring_cases_own.json: 2 passed, 0 failed, 0 waiting",
        "study brain: 0 passed, 0 failed, 1 waiting",
        "  without a reader in studies/brain/golden: deep/x.npz",
        "study reliability: 5 passed, 0 failed, 3 waiting",
        "  without a reader in studies/reliability/golden: later.json",
        "total: 5 passed, 0 failed, 4 waiting",
    ]


@pytest.mark.parametrize(
    ("field", "wrong"),
    [("sum", "11"), ("sum", 10), ("digits_b", 2), ("f_cry", 0), ("f_cry", True), ("f_hrm", 1.00001), ("keep", False),
     ("keep", 1), ("b", "8"), ("f_new", 3)],
)  # fmt: skip
def test_any_planted_value_of_a_pair_fails_with_expected_and_found(study, field, wrong):
    cases = study.files["addition_difficulty.json"]["cases"]
    done = study(addition_difficulty={"cases": [{**cases[0], field: wrong}, cases[1]]})
    assert done.returncode == 1
    assert "reliability/addition_difficulty.json: 1 passed, 1 failed, 0 waiting" in done.stdout
    assert re.search(r"FAILED cases\[0\]: .*expected .*, found ", done.stdout)


@pytest.mark.parametrize("field", ["a", "sum", "f_cry", "keep"])
def test_a_case_that_lacks_a_field_fails(study, field):
    cases = [dict(case) for case in study.files["addition_difficulty.json"]["cases"]]
    del cases[1][field]
    done = study(addition_difficulty={"cases": cases})
    assert done.returncode == 1
    assert f"cases[1]: malformed: lacks {field}" in done.stdout


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"cases": []}', '{"cases": [7]}', '{"cases": {}}', "{"])
def test_a_finished_file_that_cannot_be_read_fails(study, content):
    for name in ("addition_difficulty", "equal_size_bins", "scoring_cases_own"):
        done = study(**{name: content})
        assert done.returncode == 1, name
        assert re.search(rf"{name}.json: 0 passed, 1 failed", done.stdout)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [("bin_of_item", [0, 1, 1]), ("bin_of_item", [0, 0]), ("bin_sizes", [1, 2]), ("bin_mean_difficulty", [1.0, 5.1]),
     ("n_bins", 3), ("difficulty", [1, 1, None])],
)  # fmt: skip
def test_any_planted_value_of_the_bins_fails(study, field, wrong):
    done = study(equal_size_bins={**study.files["equal_size_bins.json"], field: wrong})
    assert done.returncode == 1
    assert "equal_size_bins.json: 0 passed, 1 failed, 0 waiting" in done.stdout


@pytest.mark.parametrize(
    "change", [{"label": "i"}, {"avoidance": "epistemic"}, {"response": "11"}, {"response": None}, {"label": None}]
)
def test_any_planted_label_fails(study, change):
    case = study.files["scoring_cases_own.json"]["addition"][0]
    done = study(scoring_cases_own={"addition": [{**case, **change}, case]})
    assert done.returncode == 1
    assert "scoring_cases_own.json: 1 passed, 1 failed, 0 waiting" in done.stdout


def test_an_empty_list_of_a_benchmark_fails_and_so_does_an_invalid_case(study):
    assert study(scoring_cases_own={"addition": []}).returncode == 1
    done = study(scoring_cases_own={"science": [1]})
    assert done.returncode == 1
    assert "scoring_cases_own.json: 0 passed, 1 failed, 0 waiting" in done.stdout


def test_a_tolerance_cannot_be_used_to_pass_anything(study):
    wide = {**study.files["addition_difficulty.json"], "tolerance": 1000}
    assert study(addition_difficulty=wide).returncode == 1


def test_a_folder_that_is_not_there_is_told_apart_from_a_failure(tmp_path):
    done = command(tmp_path / "nowhere")
    assert done.returncode == 2 and "there is no folder" in done.stderr
    assert "next: make golden FIXTURES=DIR" in done.stderr
