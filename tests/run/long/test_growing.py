"""A project that grows: another model, another scorer, more rows; nothing that was asked is asked again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from run.own_project import OwnProject, own_project

from harness.run.service import RunTarget
from harness.store.journal import read_chain
from harness.studies.questions import study

SHARD, ROWS = 64, 75  # two shards


def rows(begin: int, end: int) -> str:
    """Write rows of questions and answers."""
    return "".join(f"q{number},a{number},n\n" for number in range(begin, end))


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Run a project with a model and a scorer once, where a few rows make several shards."""
    folder = tmp_path_factory.mktemp("growing")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "SHARD", SHARD)
        found = own_project(folder / "project", RunTarget(folder / "store"))
        found.data.write_text("question,answer,note\n" + rows(0, ROWS))
        assert asked(found) == ["capitals/responses/oracle/part-00000", "capitals/responses/oracle/part-00001"]
        yield folder


@pytest.fixture
def project(once: Path, tmp_path: Path) -> OwnProject:
    """Give a copy of that project, with its store, to let grow."""
    shutil.copytree(once, tmp_path, dirs_exist_ok=True)
    return OwnProject(tmp_path / "project", RunTarget(tmp_path / "store"))


def asked(project: OwnProject) -> list[str]:
    """Run a project and name the steps in which a model was asked, and not taken from the store."""
    run = project.run().record.run
    events = read_chain(Path(project.place.store) / "runs" / run / "journal.jsonl").events
    return sorted(event["step"] for event in events if event["event"] == "step.done" and "/responses/" in event["step"])


def test_another_scorer_asks_nobody(project: OwnProject) -> None:
    project.edit("[exact]", "[exact, match]")
    assert asked(project) == []


def test_another_model_asks_itself_alone(project: OwnProject) -> None:
    project.edit("models:\n", "models:\n  half: {provider: baseline, behaviour: coin-oracle}\n")
    assert asked(project) == ["capitals/responses/half/part-00000", "capitals/responses/half/part-00001"]


def test_rows_that_are_appended_are_asked_alone_each_time(project: OwnProject) -> None:
    text = project.data.read_text()
    for time, end in enumerate((ROWS + 10, ROWS + 10 + SHARD + 20)):
        text += rows(ROWS if time == 0 else ROWS + 10, end)
        project.data.write_text(text)
        parts = ["part-00002"] if time == 0 else ["part-00003", "part-00004"]
        assert asked(project) == [f"capitals/responses/oracle/{part}" for part in parts]
    assert project.held().of("files")["capitals"]["cuts"] == [ROWS, ROWS + 10]
    assert project.lock() == project.held()
    assert asked(project) == []


def test_a_row_that_is_edited_asks_its_own_shard_again(project: OwnProject) -> None:
    text = project.data.read_text().replace(f"q{ROWS - 3},", "another question,")
    project.data.write_text(text)
    assert asked(project) == ["capitals/responses/oracle/part-00001"]
