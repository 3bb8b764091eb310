"""The check of a GPU, run whole on the CPU: it agrees with itself, names what differs, and the page takes it in."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench import suite
from bench.gpu import read_gpu_check
from bench.measure import Failed
from gpu import check
from gpu.findings import LINES, Notes, read_side
from gpu.wheels import Lacking, complete
from needs import needs
from support_draws import drawn

needs("torch", "transformers")
pytestmark = pytest.mark.together
HERE = Path(__file__).parents[1]
ROLES = {"first": "cpu", "second": "cpu", "cpu": "cpu"}
TWICE = drawn([True], 0)  # whether the second run is made, too: at night; else it is a copy of the first
Plant = Callable[[str, Path], None]  # changes what a side of this role wrote to its folder


@dataclass(frozen=True)
class Ran:
    """A whole small run, and what its sides wrote."""

    code: int
    report: dict[str, Any]
    sides: Path


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    folder = tmp_path_factory.mktemp("gpu")
    really = check.run_side

    def keeping(place: Path, device: str, size: str, role: str, seconds: float) -> None:
        assert ROLES[role] == device and size == "small" and 0 < seconds < check.WHOLE
        if role == "second" and not TWICE:
            shutil.copytree(folder / "first", place, dirs_exist_ok=True)
        else:
            really(place, device, size, role, seconds)
        shutil.copytree(place, folder / role)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check, "run_side", keeping)
        code = check.main(["--device", "cpu", "--json", str(folder / "report.json")])
    yield Ran(code, json.loads((folder / "report.json").read_text()), folder)


@pytest.fixture
def again(ran: Ran, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Plant], tuple[int, dict[str, Any]]]:
    """Judge what the sides of the run wrote, after something was planted in it."""

    def judged(plant: Plant) -> tuple[int, dict[str, Any]]:
        def told(place: Path, device: str, size: str, role: str, seconds: float) -> None:
            shutil.copytree(ran.sides / role, place, dirs_exist_ok=True)
            plant(role, place)

        monkeypatch.setattr(check, "run_side", told)
        code = check.main(["--device", "cpu", "--json", str(tmp_path / "again.json")])
        return code, json.loads((tmp_path / "again.json").read_text())

    return judged


def altered(folder: Path, part: str, array: str, change: Callable[[Any], None]) -> None:
    """Change an array of the first finding of a part."""
    lines = [json.loads(line)["found"] for line in (folder / LINES).read_text().splitlines() if '"found"' in line]
    path = folder / f"{next(line['arrays'] for line in lines if line['part'] == part)}.npz"
    with np.load(path) as kept:
        arrays = {name: kept[name] for name in kept}
    change(arrays[array])
    np.savez(path, **arrays)


@pytest.mark.exhaustive
def test_a_small_run_on_the_cpu_agrees_with_itself_in_every_part(ran: Ran) -> None:
    report = ran.report
    assert (ran.code, report["verdict"], report["differs"], report["left_out"]) == (0, "agreed", [], [])
    labels = {one["label"] for one in report["compared"]}
    for part in ("generation", "log-likelihoods", "hidden states"):
        for model in ("tiny gpt2", "tiny gpt_neox", "wide gpt_neox"):
            assert {f"{part}, {model}, batch {batch}" for batch in ("reference", "1", "8", "32")} <= labels
    assert {"ridge, 3 bands", "himalaya, 3 bands", "architecture, llama", "architecture, bert"} <= labels
    ridge = next(one for one in report["compared"] if one["label"] == "ridge, 3 bands")
    assert ridge["items"] == ridge["of"] == ridge["decisions"] == 1400
    assert report["twice"]["alike"] == len(labels) - 1 and report["twice"]["differ"] == []
    assert all(len(one["seconds"]) == len(one["least"]) == 2 for one in report["times"])
    assert len(report["bounds"]) == 2 and all(value > 0 for one in report["bounds"] for value in one.values())
    assert set(report["flags"].values()) == {True}
    assert {"python", "torch", "transformers", "numpy"} <= report["versions"].keys() and report["took"] > 0


def turned(array: Any) -> None:
    array.flat[0] += 1


def test_a_token_that_the_cpu_would_not_choose_is_named(again: Any) -> None:
    code, report = again(lambda role, place: role == "first" and altered(place, "generation", "decisions", turned))
    assert code == 1 and report["verdict"] == "differs"
    [why] = report["differs"]
    assert why.startswith("generation, tiny gpt2, batch reference: 1 of 2") and "not the CPU's" in why


def test_a_near_tie_that_turned_is_counted_and_no_difference(again: Any) -> None:
    def plant(role: str, place: Path) -> None:
        if role == "cpu":
            altered(place, "generation", "margins", lambda array: array.fill(1e-6))
        if role == "first":
            altered(place, "generation", "decisions", turned)

    code, report = again(plant)
    assert code == 0 and sum(one["near_ties"] for one in report["compared"] if "generation" in one["label"]) == 1


@pytest.mark.parametrize(
    ("part", "array"),
    [("log-likelihoods", "value logs"), ("hidden states", "value layer 1"), ("ridge", "value scores")],
)
def test_numbers_that_lie_too_far_from_the_cpus_are_named(again: Any, part: str, array: str) -> None:
    code, report = again(lambda role, place: role == "first" and altered(place, part, array, moved))
    assert code == 1 and report["differs"][0].startswith(part)
    assert all("values lie" in why for why in report["differs"])


def moved(array: Any) -> None:
    array *= 1.01


def test_other_bytes_in_the_second_run_are_named(again: Any) -> None:
    def plant(role: str, place: Path) -> None:
        if role == "second":
            text = (place / LINES).read_text()
            digest = next(one.digest for one in read_side(place).findings if one.part == "ridge")
            (place / LINES).write_text(text.replace(digest, "0" * len(digest)))

    code, report = again(plant)
    assert (code, report["differs"]) == (1, ["ridge, 3 bands: other bytes in the second run"])


OUT_OF_LUCK, STRANGE, RANDOM = "ridge: out of luck", "mamba: too strange", "mixtral: histc is not deterministic"
TOLD: tuple[tuple[dict[str, Any], int, str, str], ...] = (
    ({"failed": OUT_OF_LUCK}, 1, "differs", f"first run failed: {OUT_OF_LUCK}"),
    ({"refused": STRANGE}, 1, "differs", f"cannot be computed: {STRANGE}"),
    ({"refused": RANDOM}, 0, "refused", RANDOM),
    ({"late": "ridge of 92,450 targets"}, 0, "left_out", "first run, no time: ridge of 92,450 targets"),
    ({"about": {"flags": {"TF32 off": False}}}, 1, "differs", "not set: TF32 off"),
)


@pytest.mark.parametrize(("line", "code", "where", "told"), TOLD)
def test_what_a_side_tells_is_told(again: Any, line: dict[str, Any], code: int, where: str, told: str) -> None:
    def plant(role: str, place: Path) -> None:
        if role == "first":
            with (place / LINES).open("a") as lines:
                lines.write(json.dumps(line) + "\n")

    found, report = again(plant)
    assert found == code and told in report[where]


def test_what_a_side_did_not_get_to_is_left_out_by_name(again: Any) -> None:
    def plant(role: str, place: Path) -> None:
        if role == "cpu":
            lines = (place / LINES).read_text().splitlines(keepends=True)
            (place / LINES).write_text("".join(line for line in lines if '"architecture"' not in line))

    code, report = again(plant)
    assert code == 0 and "architecture, bert: the CPU did not get to it" in report["left_out"]


def test_a_side_without_time_says_what_it_leaves_out(tmp_path: Path) -> None:
    command = [sys.executable, str(HERE / "side.py"), str(tmp_path), "cpu", "small", "cpu", "0"]
    subprocess.run(command, check=True, capture_output=True)
    side = read_side(tmp_path)
    assert not side.findings and not side.failed
    parts = ["tiny gpt2", "tiny gpt_neox", "ridge", "wide gpt_neox", "architectures"]
    assert [late.partition(":")[0] for late in side.late] == parts


def test_a_side_that_died_goes_on_behind_the_part_in_which_it_did(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    for part in ("bounds", "tiny gpt2", "tiny gpt_neox", "ridge", "wide gpt_neox"):
        notes.say(begun=part)
    with (tmp_path / LINES).open("a") as lines:
        lines.write('{"found": {"part": "gen\n')
    check.run_side(tmp_path, "cpu", "small", "cpu", 60.0)
    side = read_side(tmp_path)
    assert [one.label for one in side.findings] == ["architecture, llama", "architecture, bert"]
    assert side.about["ended"] and not side.failed


def test_a_side_that_dies_again_and_again_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "SIDE", tmp_path / "side.py")
    (tmp_path / "side.py").write_text("import os; os.abort()")
    check.run_side(tmp_path, "cpu", "small", "cpu", 60.0)
    assert read_side(tmp_path).failed == ["the process ended with -6"] * check.LIVES


def test_without_a_gpu_the_command_ends_with_exit_3(tmp_path: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("a GPU is here")
    command = [sys.executable, str(HERE / "check.py"), "--json", str(tmp_path / "none.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3 and "lacks a GPU" in done.stderr and not (tmp_path / "none.json").exists()


def test_a_package_that_is_lacking_is_named_with_exit_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "lacking", lambda *needed: ["rfc8785"])
    assert check.main(["--device", "cpu"]) == 3
    assert "lacks rfc8785" in capsys.readouterr().err


def test_packages_come_from_a_folder_of_wheels_beside_those_that_are_here(tmp_path: Path) -> None:
    said = {
        "toy.py": "WORD = 'found'\n",
        "toy-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\nRequires-Dist: numpy\n",
        "toy-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "toy-1.0.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(tmp_path / "toy-1.0-py3-none-any.whl", "w") as wheel:
        for name, text in said.items():
            wheel.writestr(name, text)
    python = complete(["toy"], tmp_path, tmp_path / "made", optional=["no-such-thing-here"])
    done = subprocess.run([python, "-c", "import numpy, toy; print(toy.WORD)"], capture_output=True, check=True)
    assert done.stdout == b"found\n"
    assert "include-system-site-packages = false" in (tmp_path / "made" / "pyvenv.cfg").read_text()
    with pytest.raises(Lacking, match="no-such-thing-here"):
        complete(["no-such-thing-here"], tmp_path, tmp_path / "other")


def test_the_page_takes_in_what_was_measured_on_a_card(ran: Ran, tmp_path: Path) -> None:
    card = {"name": "Some Card", "driver": "1.2.3"}
    path = tmp_path / "report.json"
    path.write_text(json.dumps({**ran.report, "device": "cuda", "size": "full", "card": card}))
    taken = read_gpu_check(path)
    assert taken.about["card"] == "Some Card, driver 1.2.3" and "torch 2" in taken.about["system"]
    assert {row.verdict for row in taken.rows} == {"", "met"}
    suite.keep({"gpu": taken}, tmp_path / "kept.json", tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert "Some Card, driver 1.2.3" in page and "| gpu | bandwidth of a copy |" in page
    assert "| gpu | wall of himalaya, 3 bands, search and refit |" in page
    assert "| gpu | wall of generation, wide gpt_neox, batch 32, to what the card allows |" in page


def test_the_page_shows_a_difference_as_a_missed_mark(ran: Ran, tmp_path: Path) -> None:
    compared = [{**ran.report["compared"][0], "differ": 3}, *ran.report["compared"][1:]]
    unlike = {**ran.report, "device": "cuda", "size": "full", "differs": ["a thing"], "compared": compared}
    (tmp_path / "report.json").write_text(json.dumps(unlike))
    rows = [row for row in read_gpu_check(tmp_path / "report.json").rows if row.verdict == "MISSED"]
    assert [row.value for row in rows] == [3.0, 1.0]


def test_the_page_takes_nothing_else(ran: Ran, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    for text in ("{", "[]", '{"schema": "else/1"}', json.dumps(ran.report)):
        other.write_text(text)
        with pytest.raises(Failed, match=r"other\.json"):
            read_gpu_check(other)
    assert suite.main(["--take", str(other)]) == 4
