"""The suite's own arithmetic, verdicts and tables; nothing here is timed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bench.measure import Cost, Failed, Missing, ratio, slope, spend, total
from bench.peers import TASK, find, write_task
from bench.project import Project
from bench.table import Row, Taken, markdown, missed, number, taken, text
from needs import OnceUsed

audits, suite = OnceUsed("bench.audits"), OnceUsed("bench.suite")
HERE = Path(__file__).parent
MET = Row("help", "one thing", (0.5, 0.7, 0.9), 0.7)
LATE = Row("unchanged", "another", (1.0, 2.1, 2.2), 2.0, "ms")
KNOWN = Row("help", "a figure", (1234.4,), unit="ms")


def test_a_slope_is_free_of_what_is_paid_once() -> None:
    once, each = 11.0, 0.25
    assert slope(once + 10 * each, once + 50 * each, 10, 50) == pytest.approx(each)
    with pytest.raises(Failed):
        slope(1.0, 2.0, 10, 10)


def test_a_ratio_refuses_a_base_that_noise_has_swallowed() -> None:
    assert ratio(1.0, 4.0) == 0.25
    for base in (0.0, -1.0):
        with pytest.raises(Failed, match="noise"):
            ratio(1.0, base)


def test_costs_of_commands_add_up_and_memory_is_that_of_the_largest() -> None:
    assert total(Cost(1.0, 2.0, 30.0), Cost(0.5, 1.0, 20.0)) == Cost(1.5, 3.0, 30.0)


def test_a_command_gives_its_output_and_a_failing_one_says_why(tmp_path: Path) -> None:
    assert spend([sys.executable, "-c", "print(7)"], {}, tmp_path).output == b"7\n"
    with pytest.raises(Failed, match="exited 1:\nout of luck"):
        spend([sys.executable, "-c", "raise SystemExit('out of luck')"], {}, tmp_path)


def test_the_median_meets_or_misses_the_mark_if_there_is_one() -> None:
    assert [row.verdict for row in (MET, LATE, KNOWN)] == ["met", "MISSED", ""]
    assert missed([MET, LATE, KNOWN]) == ["unchanged: another"]
    assert LATE.as_data() == {
        "name": "unchanged", "what": "another", "value": 2.1, "unit": "ms", "mark": 2.0, "verdict": "MISSED",
        "values": [1.0, 2.1, 2.2],
    }  # fmt: skip


@pytest.mark.parametrize(("value", "spelled"), [(0.12345, "0.123"), (12.345, "12.3"), (1234.4, "1234"), (0, "0")])
def test_a_figure_has_three_digits(value: float, spelled: str) -> None:
    assert number(value) == spelled


def test_a_table_shows_each_row_with_its_mark_beside_it() -> None:
    head, *lines = text([MET, LATE, KNOWN]).splitlines()
    assert re.split(r"  +", head) == ["measure", "what", "median", "range", "mark"]
    assert re.split(r"  +", lines[0]) == ["help", "one thing", "0.7 times", "0.5 to 0.9", "≤ 0.7 times", "met"]
    assert re.split(r"  +", lines[2]) == ["help", "a figure", "1234 ms"]


def test_the_page_says_who_wrote_it_and_names_the_machine() -> None:
    page = markdown(
        {"help": Taken((MET, KNOWN), {"CPU": "some, 2 cores"}), "unchanged": Taken((LATE,), {"date": "now"})}
    )
    marks, information = page.split("## For information")
    assert "written by `make bench`" in marks
    assert "| unchanged | another | 2.1 ms | 1 to 2.2 | ≤ 2 ms | MISSED |" in marks
    assert "| help | a figure | 1234 ms |  |" in information
    assert "| help | some, 2 cores |  |" in information and "| unchanged |  | now |" in information


def test_a_measure_taken_anew_stands_in_the_place_of_the_old_one(tmp_path: Path) -> None:
    data, page = tmp_path / "kept.json", tmp_path / "page.md"
    suite.keep({"unchanged": Taken((LATE,), {"date": "then"}), "help": Taken((MET,), {"date": "then"})}, data, page)
    suite.keep({"help": Taken((KNOWN,), {"date": "now"})}, data, page)
    kept = {name: taken(one) for name, one in json.loads(data.read_text())["measures"].items()}
    assert kept == {"help": Taken((KNOWN,), {"date": "now"}), "unchanged": Taken((LATE,), {"date": "then"})}
    assert page.read_text() == markdown(kept)


def test_the_peer_gets_as_many_rows_as_asked_and_half_of_them_right(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "task", 5)
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    assert len(rows) == 5 and [row["want"] == "lol" for row in rows] == [True, False, True, False, True]
    assert json.loads((folder / f"{TASK}.yaml").read_text())["task"] == TASK


@pytest.mark.long
def test_a_named_environment_without_the_peer_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEERS", str(tmp_path))
    with pytest.raises(Missing, match=r"pip install torch==.* && .*pip install lm-eval"):
        find(tmp_path)
    command = [sys.executable, str(HERE / "run.py"), "--only", "help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 3 and "PEERS" in done.stderr


@pytest.mark.long
def test_the_lock_says_how_many_samples_a_run_has(tmp_path: Path) -> None:
    project = Project(tmp_path, "tiny").write(["one", "two"], 12)
    project.lock()
    _, told = project.run()
    responses = next((tmp_path / ".harness" / "blobs").rglob(output(told, "responses")))
    assert project.samples() == responses.read_bytes().count(b"\n") > 0
    project.forget()
    assert not (tmp_path / ".harness").exists()


def output(told: dict[str, Any], name: str) -> str:
    """Give the digest of an output as `run --json` tells it."""
    return next(str(one["sha256"]) for one in told["outputs"] if one["name"] == name)


@pytest.mark.long
def test_the_audited_run_is_real_and_holds_the_bytes_that_are_hashed(tmp_path: Path) -> None:
    run = audits.build(tmp_path, 3, 500)
    assert len(run.files) == 3 and {Path(path).stat().st_size for path in run.files} == {500}
    run.audit()
    Path(run.files[0]).chmod(0o644)
    Path(run.files[0]).write_bytes(b"x" * 500)
    with pytest.raises(Failed, match="disagreed"):
        run.audit()
