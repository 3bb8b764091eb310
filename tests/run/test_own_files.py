"""Files of one's own are pinned by digest, and whatever does not fit is told at `lock` with its place."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from run.own_project import CAPITALS, OwnProject, own_project

from harness import rows
from harness.digest import sha256
from harness.errors import InputError
from harness.manifest.datasets import made_tables
from harness.manifest.load import load_manifest
from harness.rowtypes import Item
from harness.run.lock import changed_pins, require_fitting_lock
from harness.run.scores.table import RunTables
from harness.run.service import RunTarget, plan_locked
from harness.store.store import Store

FIELDS = "{input: question, target: answer}"
AGENTS = "agents: {splits: {all: {hidden: true}}, budget: {calls: 1, seconds: 1}}"
TEXT = '{text: "Question: {question}\\nAnswer:"}'


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> RunTarget:
    return RunTarget(tmp_path_factory.mktemp("store") / "store")


@pytest.fixture
def project(tmp_path: Path, place: RunTarget) -> OwnProject:
    return own_project(tmp_path / "project", place)


@pytest.mark.long
def test_a_lock_pins_the_file_by_its_bytes_and_the_same_elsewhere(project: OwnProject, tmp_path: Path) -> None:
    held = project.lock()
    assert held.of("files") == {"capitals": {"file": "data/capitals.csv", "sha256": sha256(CAPITALS.encode())}}
    assert held.of("datasets")["capitals"]["items"]["rows"] == 2
    assert changed_pins(load_manifest(project.path), held) == []
    other = own_project(tmp_path / "other", RunTarget(tmp_path / "fresh"))
    assert other.lock().data == held.data == project.lock().data


def test_a_file_that_changed_since_is_named_and_nothing_runs(project: OwnProject) -> None:
    held = project.lock()
    project.data.write_text(CAPITALS.replace("Rome", "Roma"))
    assert changed_pins(load_manifest(project.path), held) == ["pins/files/capitals/sha256"]
    with pytest.raises(InputError, match=r"data/capitals\.csv has changed since") as error:
        plan_locked(load_manifest(project.path))
    assert "harness lock manifests/capitals.yaml" in error.value.next
    project.data.unlink()
    with pytest.raises(InputError, match="there is no file") as error:
        require_fitting_lock(load_manifest(project.path), held)
    assert error.value.where == f"{project.path}:8"


def test_a_file_that_is_a_way_out_of_the_project_is_refused(project: OwnProject) -> None:
    outside = project.root.parent / "secret.csv"
    outside.write_text(CAPITALS)
    project.data.unlink()
    project.data.symlink_to(outside)
    assert "leaves the project" in project.refused().what
    project.data.unlink()
    os.mkfifo(project.data)
    assert "there is no file" in project.refused().what


@pytest.mark.long
def test_of_ten_thousand_columns_those_are_read_that_the_manifest_names(project: OwnProject) -> None:
    names, cells = ([f"{word} {at}" for at in range(10_000)] for word in ("column", "cell"))
    wide = [
        ["question", *names, "answer"],
        ["Capital of France?", *cells, "Paris"],
        ["Capital of Italy?", *cells, "Rome"],
    ]
    project.data.write_text("".join(",".join(row) + "\n" for row in wide))
    ran = project.run()
    tables = RunTables.of(Store.open(project.place.store), ran.record.run)
    assert [row["input"] for row in tables.rows("items", Item)] == [{"question": row[0]} for row in wide[1:]]
    project.edit("target: answer", "target: anwser")
    told = project.refused()
    assert "there is no column 'anwser'" in told.what and "'question', 'column 0'" in told.next and len(told.next) < 500


@pytest.mark.long
def test_what_the_file_does_not_hold_is_told_by_file_row_and_column(project: OwnProject) -> None:
    for text, what, where in (
        (CAPITALS.replace("Rome", " "), "the target is empty", "data/capitals.csv, row 2, column 'answer'"),
        (CAPITALS.replace("answer", "anwser"), "there is no column 'answer'", "data/capitals.csv, its first line"),
        (CAPITALS.replace("Rome,y", "Rome"), "the row has 2 cells", "data/capitals.csv, row 2"),
    ):
        project.data.write_text(text)
        error = project.refused()
        assert isinstance(error, InputError)
        assert error.what.startswith(what) and error.where == where


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("{question}", "{answer}", 9, "shows {answer}, which is the target"),
        ("{question}", "{note}", 9, "{note} names no column that is shown"),
        ("{question}", "{question.x}", 9, "reaches into nothing"),
        ("{question}", "{options}", 9, "shows {options}, and a dataset has none"),
        (TEXT, '{texts: ["{question}", "{answer}"]}', 9, "shows {answer}, which is the target"),
        (TEXT, '{turns: [{user: "{answer}"}]}', 9, "shows {answer}, which is the target"),
        (TEXT, '{text: "{question}", shot: "{question} {note}"}', 9, "{note} names no column that is shown"),
        (TEXT, "{set: reliability/addition@1}", 9, "study questions has no set of wordings"),
        (f"prompts: {TEXT}\n", "", 1, "nothing says how a question is asked"),
        (FIELDS, "{input: question}", 8, "the scorer 'exact' needs `target`"),
        (f"{FIELDS}}}", "{input: question}, shots: {count: 1}}", 8, "needs `target`"),
        ("[exact]", "[{choice: {by: letter}}]", 8, "needs `options`"),
        (f"file: data/capitals.csv, fields: {FIELDS}", "make: questions.file", 8, "study questions makes no"),
        ("settings:", f"{AGENTS}\nsettings:", 11, "cannot hide dataset 'capitals'"),
        ("settings:", "generation: {max_tokens: benchmark}\nsettings:", 11, "brings no budget of tokens"),
        ("study: questions", "study: reliability", 8, "study reliability reads no file of one's own"),
    ],
)
def test_what_a_manifest_cannot_ask_is_told_with_its_line(
    project: OwnProject, old: str, new: str, line: int, what: str
) -> None:
    project.edit(old, new)
    error = project.refused()
    assert what in error.what
    assert error.where == f"{project.path}:{line}"


def test_wordings_of_ones_own_are_refused_by_a_study_that_has_sets(project: OwnProject) -> None:
    project.edit("study: questions", "study: reliability")
    project.edit(f"file: data/capitals.csv, fields: {FIELDS}", "make: reliability.addition, seed: 1, count: 3")
    project.edit("settings: {score: [exact]}\n", "")
    error = project.refused()
    assert error.what == "study reliability takes no wordings of one's own"
    assert error.where == f"{project.path}:9" and "reliability/addition@1" in error.next


def wordings_file(project: OwnProject, *rows: object) -> None:
    """Write a file of wordings, and name it."""
    (project.root / "mine.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    project.path.write_text(project.path.read_text().replace(TEXT, "{file: mine.jsonl}"))


def test_a_file_of_wordings_is_pinned_and_every_one_is_asked(project: OwnProject) -> None:
    wordings_file(project, {"id": 2, "text": "{question}"}, {"id": 7, "turns": [{"user": "Say: {question}"}]})
    held = project.lock()
    data = (project.root / "mine.jsonl").read_bytes()
    assert held.of("prompts") == {"file": {"file": "mine.jsonl", "sha256": sha256(data), "rows": 2}}
    _, planned = plan_locked(load_manifest(project.path))
    [render] = [step for step in planned.steps if step.name.startswith("capitals/prompts/")]
    assert [source.sha256 for source in (render.inputs["templates"],)] == [sha256(data)]
    assert sha256(data) not in planned.pinned
    (project.root / "mine.jsonl").write_bytes(data + b"\n")
    with pytest.raises(InputError, match=r"mine\.jsonl has changed since"):
        plan_locked(load_manifest(project.path))


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({"id": 1, "text": "{answer}"}, "shows {answer}, which is the target"),
        ({"id": 1, "text": "{question.x}"}, "reaches into nothing"),
        ({"id": 0, "text": "{question}"}, "two wordings have the same id"),
        ({"text": "{question}"}, "a wording is {id, text or turns, shot}"),
        ([], "a wording is {id, text or turns, shot}"),
    ],
)
def test_what_a_file_of_wordings_may_not_show_is_told_at_lock(project: OwnProject, row: object, what: str) -> None:
    wordings_file(project, {"id": 0, "text": "{question}"}, row)
    error = project.refused()
    assert what in error.what
    assert error.where.startswith("mine.jsonl, wording")


def test_a_file_of_wordings_that_is_none_is_refused(project: OwnProject) -> None:
    wordings_file(project)
    (project.root / "mine.jsonl").write_text('{"id": 0, "text": "x"}\n{')
    assert project.refused().where == "mine.jsonl:2"
    (project.root / "mine.jsonl").write_text(" " * (1 << 20) + "x")
    assert "at most 1 MiB" in project.refused().what
    (project.root / "mine.jsonl").write_text("\n")
    assert "there is no wording" in project.refused().what


CHOICES = 'question,answer,options\nCapital of France?,Paris,"[""Rome"", ""Paris""]"\n'


def test_a_choice_names_the_column_of_its_options_where_no_field_does(project: OwnProject) -> None:
    project.data.write_text(CHOICES)
    project.edit("[exact]", "[exact, {choice: {from: options}}]")
    held, store = made_tables(project.lock().of("datasets")["capitals"]), Store(project.place.store)
    [gold] = rows.read(store.blobs.deliver(held["gold"]["sha256"]))
    assert gold["gold"] == {"target": "B", "accepted": ["Paris"]}


@pytest.mark.parametrize(
    ("fields", "score", "what"),
    [
        (FIELDS, "[{choice: {from: answer}}]", "tells what is right"),
        (FIELDS, "[{choice: {from: one}}, {choice: {from: two, as: other}}]", "others are too"),
        ("{input: question, target: answer, options: options}", "[{choice: {from: note}}]", "others are too"),
    ],
)
def test_options_of_two_columns_or_of_the_answers_are_refused(
    project: OwnProject, fields: str, score: str, what: str
) -> None:
    project.edit(FIELDS, fields)
    project.edit("[exact]", score)
    with pytest.raises(InputError, match=what) as bad:
        project.lock()
    assert bad.value.where.endswith("capitals.yaml:11")
