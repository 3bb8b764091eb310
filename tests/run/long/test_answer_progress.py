"""While models answer, a run tells of requests: what it tells is true at the end, and never goes back."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from models.misbehaving import Misbehaving, misbehaving
from needs import needs
from support import harness, unlocked_project

from harness.cli.terminal import show_progress
from harness.manifest.load import load_manifest
from harness.run import progress
from harness.run.executing import runner
from harness.run.progress import AnswerProgress, progress_text
from harness.run.service import FinishedRun, RunTarget, run_manifest
from harness.verbs.project import Progress, Project, Watch
from harness.verbs.requests import RunRequest
from harness.verbs.running import run as verb

needs("openai", "aiohttp")
pytestmark = pytest.mark.together  # one server and one project serve all
MANIFEST = "manifests/small.yaml"


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (AnswerProgress(120, 450, errors=2, seconds=3.43, dollars=Decimal("0.131")),
         "118 of 450 answers, 34/s, 9 s left, 2 errors, $0.13"),
        (AnswerProgress(0, 450), "0 of 450 answers"),
        (AnswerProgress(0, 450, seconds=5.0), "0 of 450 answers"),
        (AnswerProgress(1000, 5000, kept=1000, seconds=9.0), "1,000 of 5,000 answers"),
        (AnswerProgress(1100, 5000, kept=1000, seconds=40.0), "1,100 of 5,000 answers, 2.5/s, 26 min left"),
        (AnswerProgress(6, 10_000, seconds=60.0, errors=1), "5 of 10,000 answers, 5.0/min, 28 h left, 1 error"),
        (AnswerProgress(119, 2000, seconds=200.0, errors=119), "0 of 2,000 answers, 119 errors"),
        (AnswerProgress(130, 450, kept=30, errors=100, kept_errors=5, seconds=9.0), "30 of 450 answers, 33.3/min, "
         "29 s left, 100 errors"),
        (AnswerProgress(130, 450, kept=30, errors=100, seconds=9.0), "30 of 450 answers, 100 errors"),
        (AnswerProgress(450, 450, seconds=10.0, dollars=Decimal("0.004")), "450 of 450 answers, 45/s, under $0.01"),
        (AnswerProgress(450, 450, seconds=0.1, dollars=Decimal(0)), "450 of 450 answers, 4,500/s, $0.00"),
        (AnswerProgress(450, 450, seconds=450.0, dollars=Decimal("1234.5")), "450 of 450 answers, 1.0/s, $1,234.50"),
    ],
)  # fmt: skip
def test_answers_are_told_in_one_line(asked: AnswerProgress, text: str) -> None:
    assert progress_text(asked) == text


@pytest.fixture(scope="module")
def server() -> Iterator[Misbehaving]:
    with misbehaving() as one:
        yield one


@pytest.fixture(scope="module")
def folder(server: Misbehaving, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asked") / "project"
    manifest = unlocked_project(folder, count=12)
    far = f"provider: openai, model: toy-1, tape: live, base_url: {server.url}/v1, key: TOY_KEY"
    priced = "prices: {input: 1000, output: 2000}, limits: {concurrency: 8}"
    manifest.write_text(manifest.read_text().replace("models:\n", f"models:\n  far: {{{far}, {priced}}}\n"))
    harness("lock", manifest, cwd=folder, check=0)
    return folder


@pytest.fixture
def ran(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the manifest in a store, and give what was told."""
    monkeypatch.setenv("TOY_KEY", "sk-planted-4f1c9b27e8a0d3")
    for module in (progress, runner):
        monkeypatch.setattr(module, "TURN", 0.05)

    def run(store: Path) -> tuple[FinishedRun, list[AnswerProgress]]:
        told: list[AnswerProgress] = []
        return run_manifest(
            load_manifest(folder / MANIFEST), RunTarget(store), lambda *_: None, asked=told.append
        ), told

    return run


def test_counts_errors_and_money_grow_and_are_those_of_the_record(
    server: Misbehaving, ran: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.asked.clear()
    _, first = ran(tmp_path / "first")
    rows = server.asked.total()
    assert (first[-1].done, first[-1].errors) == (rows, 0)
    assert ran(tmp_path / "first")[1] == [], "a run that asks nobody tells of no answers"
    for text in list(server.asked)[:3]:
        server.plan[text] = ["400"]
    server.asked.clear()
    monkeypatch.setattr(server, "delay", 0.15)
    done, told = ran(tmp_path / "second")
    calls = done.record.body["calls"]["toy-1"]
    last = told[-1]
    assert (last.done, last.total, last.kept) == (server.asked.total(), rows, 0) == (rows, rows, 0)
    assert last.errors == done.gaps[0].errors == sum(calls["errors"].values()) == 3
    assert last.dollars == Decimal(calls["dollars"]) == (rows - 3) * (7 * 1000 + 5 * 2000) / Decimal(1_000_000)
    assert len({one.done for one in told}) > 3, "it was told while the answers came, not only at the end"
    for before, after in pairwise(told):
        assert before.done <= after.done <= after.total == rows
        assert before.errors <= after.errors and before.seconds <= after.seconds
        assert before.dollars is not None and after.dollars is not None and before.dollars <= after.dollars


def test_a_verb_tells_its_watcher_in_the_same_words(
    server: Misbehaving, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.asked.clear()
    monkeypatch.setenv("TOY_KEY", "sk-planted-4f1c9b27e8a0d3")
    told: list[Progress] = []
    verb(Project.at(folder, tmp_path / "store"), RunRequest(manifests=[MANIFEST]), Watch(told.append))
    last = [one for one in told if one.state == "answers"][-1]
    rows = server.asked.total()
    assert (last.task, last.done, last.total) == ("small", rows, rows)
    assert last.step.startswith(f"{rows} of {rows} answers, ") and last.step.endswith(
        f", ${rows * Decimal('0.017'):.2f}"
    )
    steps = [one for one in told if one.state != "answers"]
    assert steps[-1].done == steps[-1].total == len(steps)


def test_a_person_reads_answers_and_not_only_steps(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress() as watch:
        watch.progress(Progress("small", "a step", "executed", 19, 19))
        watch.progress(Progress("small", "45 of 45 answers, 28/s", "answers", 45, 45))
    assert capsys.readouterr().err == "small: 19/19 steps, a step executed\nsmall: 45 of 45 answers, 28/s\n"
