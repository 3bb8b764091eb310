"""What one manifest hides is hidden by all of its project and store: no other one shows it to an agent."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import harness
from support_questions import hub
from support_views import HIDDEN, QUESTIONS, opening, project, served

from harness import clock, verbs
from harness.attempts.codes import AttemptError
from harness.attempts.shapes import ScoreTextArgs
from harness.attempts.transcript import begin_transcript
from harness.digest import sha256
from harness.errors import DamageError, InputError
from harness.run.attempts.hidden_splits import question_digest
from harness.run.attempts.score import FAILED, SCORED, SCORING, SEALED, AttemptOutcome
from harness.run.attempts.service import ID_BYTES, LocalBackend, describe_scoring, open_attempt
from harness.store.attempts import SplitData, hidden_data, mark_hidden, transcript_path
from harness.store.store import Store

pytestmark = pytest.mark.together
PUBLIC = HIDDEN.replace("name: hidden", "name: public").replace("hidden: true, max_attempts: 2", "public: true")
OTHER_NAMES = (
    PUBLIC.replace("  owned:", "  mine:").replace("questions: owned", "questions: mine")
    .replace("private:questions", "private:exercises").replace("seed: 7, count: 4", "seed: 8, count: 2")
    .replace("templates: [1]", "items: 1, templates: [2]")
)  # fmt: skip
COPIED = b"".join(json.dumps(hub(number, id=f"9-{number}", clarity=1.0)).encode() + b"\n" for number in (3, 1, 6, 5, 2))
SAME_ROWS = PUBLIC.replace(sha256(QUESTIONS), sha256(COPIED)).replace("seed: 7, count: 4", "seed: 3, count: 5")
FOREIGN = b"".join(
    json.dumps(hub(number, question_stem=f"Which river is long {number}")).encode() + b"\n" for number in (1, 2, 3, 4)
)
APART = PUBLIC.replace(sha256(QUESTIONS), sha256(FOREIGN))


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """Give a project that hides questions, locked."""
    return project(tmp_path_factory.mktemp("hides") / "p", HIDDEN)


@pytest.fixture
def folder(first, tmp_path):
    return Path(shutil.copytree(first, tmp_path / "p"))


def attempted_as_hidden(folder):
    """Begin an attempt at the hidden split, as where root serves an agent to whom the store is closed."""
    store, attempt = Store.open(folder / ".harness"), clock.unique_stamp(ID_BYTES)
    pinned = {"manifest": (folder / "manifests").iterdir(), "lock": (folder / "lockfiles").rglob("hidden.lock.json")}
    said: Any = {
        **{name: store.blobs.put(path.read_bytes()) for name, [path] in pinned.items()},
        "attempt": attempt, "name": "hidden", "split": "test", "hidden": True, "gold_reachable": False,
        "principal": "local:1", "subset": "", "label": "", "idempotency": "one", "view": "",
    }  # fmt: skip
    begin_transcript(transcript_path(store, attempt), said, store.tree)


def write(folder, name, text, *files):
    for number, data in enumerate(files):
        (folder / f"file-{number}").write_bytes(data)
        harness("import", "data", f"file-{number}", cwd=folder, check=0)
        (folder / f"file-{number}").unlink()
    (folder / "manifests" / f"{name}.yaml").write_text(text)
    return folder / "manifests" / f"{name}.yaml"


def among_others(data):
    """Write a manifest whose public split has questions of its own, and a file among several that are published."""
    files = {"a.jsonl": FOREIGN, "b/c.jsonl": data}
    said = {path: {"url": f"https://example.org/{path}", "sha256": sha256(held)} for path, held in files.items()}
    many = f"datasets:\n  many: {json.dumps({'fetch': said, 'licence': 'none'})}\n"
    return APART.replace("datasets:\n", many).replace("{public: true", "{public: true, datasets: [asked, many]")


def lock(folder, name, text, *files):
    return verbs.lock(verbs.Project(folder), verbs.LockRequest(manifests=[write(folder, name, text, *files)]))


@pytest.mark.parametrize(
    ("text", "file"),
    [(PUBLIC, QUESTIONS), (OTHER_NAMES, QUESTIONS), (SAME_ROWS, COPIED)],
    ids=["the same file", "another name, seed, count and wording", "the same questions in another file"],
)
def test_a_split_that_shows_what_another_manifest_hides_is_not_locked(folder, text, file):
    with pytest.raises(InputError) as error:
        lock(folder, "public", text, file)
    assert "'test' of the manifest 'hidden' hides" in error.value.what
    assert "public.yaml:" in error.value.where and "data of its own" in error.value.next
    assert not (folder / "lockfiles" / "manifests" / "public.lock.json").exists()


@pytest.mark.long
def test_a_split_with_data_of_its_own_is_locked_beside_a_hidden_one(folder):
    lock(folder, "public", APART, FOREIGN)
    assert {loaded.manifest.name for loaded in served(folder).manifests} == {"hidden", "public"}
    assert open_attempt(served(folder), opening("public", "test"))


@pytest.mark.long
def test_what_was_shown_is_not_hidden_afterwards(tmp_path):
    folder = project(tmp_path / "p", PUBLIC)
    with pytest.raises(InputError, match="'test' of the manifest 'public' shows to agents"):
        lock(folder, "hidden", HIDDEN)
    open_attempt(served(folder), opening("public", "test"))
    shutil.rmtree(folder / "manifests")
    (folder / "manifests").mkdir()
    with pytest.raises(InputError, match="'test' of the manifest 'public' shows to agents"):
        lock(folder, "hidden", HIDDEN)  # the transcript of the attempt says it, though the manifest is gone


def test_a_split_that_shows_a_hidden_file_among_many_published_ones_is_not_locked(folder):
    with pytest.raises(InputError, match="'test' of the manifest 'hidden' hides"):
        lock(folder, "public", among_others(QUESTIONS), FOREIGN)
    [made] = lock(folder, "public", among_others(b"a list of rivers"), b"a list of rivers").locks
    assert made.changed and made.unresolved == {}


def test_two_projects_with_one_store_hide_for_each_other(folder, tmp_path):
    other = tmp_path / "other"
    for name in ("manifests", "lockfiles"):
        (other / name).mkdir(parents=True)
    path = write(other, "public", PUBLIC)
    done = harness("lock", path, "--store", folder / ".harness", cwd=other)
    assert done.returncode == 2 and "of the manifest 'hidden' hides" in done.stderr


@pytest.mark.long
def test_a_lock_made_elsewhere_is_not_served_against_a_hidden_split(folder, tmp_path):
    """The attack: a lock from another store, of the data that this project hides, and texts scored against it."""
    elsewhere = project(tmp_path / "elsewhere", PUBLIC)
    attempt = open_attempt(served(elsewhere), opening("public", "test"))
    for part in ("manifests", "lockfiles"):
        shutil.copytree(elsewhere / part, folder / part, dirs_exist_ok=True)
    with pytest.raises(InputError, match="'test' of the manifest 'hidden' hides"):
        verbs.AttemptDoor(verbs.Project(folder))
    [path] = (elsewhere / "manifests").glob("*.yaml")
    done = harness("serve", folder / "manifests" / path.name, cwd=folder)
    assert done.returncode == 2 and "of the manifest 'hidden' hides" in done.stderr
    with pytest.raises(AttemptError) as error:
        open_attempt(served(folder), opening("public", "test"))
    assert error.value.name == "E_HIDDEN_SPLIT" and "hidden" not in error.value.what
    assert attempt.attempt


def test_what_was_once_attempted_as_hidden_is_served_to_nobody_after_its_manifest_and_its_mark_are_gone(
    folder, tmp_path
):
    attempted_as_hidden(folder)
    elsewhere = project(tmp_path / "elsewhere", PUBLIC)
    for part in ("manifests", "lockfiles"):
        shutil.rmtree(folder / part)
        shutil.copytree(elsewhere / part, folder / part)
    shutil.rmtree(folder / ".harness" / "hidden")
    with pytest.raises(InputError, match="'test' of the manifest 'hidden' hides"):
        verbs.AttemptDoor(verbs.Project(folder))


def test_a_public_attempt_tells_nothing_once_its_data_is_hidden(tmp_path):
    folder = project(tmp_path / "p", PUBLIC)
    here = served(folder)
    attempt = open_attempt(here, opening("public", "test")).attempt
    store = Store.open(folder / ".harness")
    mark_hidden(store, SplitData("of another project", "test", frozenset({sha256(QUESTIONS)})))
    asked: ScoreTextArgs = {
        "attempt_id": attempt, "item_id": "0" * 16, "metric": "science/outcome", "prediction": "A"
    }  # fmt: skip
    backend = LocalBackend(here, folder, "local:1")
    with pytest.raises(AttemptError) as error:
        backend.score_text(asked)
    assert error.value.name == "E_HIDDEN_SPLIT"
    assert backend.status(attempt) == {"status": "sealed"}


def test_hidden_data_is_marked_by_digests_that_nobody_can_change(folder):
    store = Store.open(folder / ".harness")
    [mark] = hidden_data(store)
    assert (mark.name, mark.split, len(mark.rows)) == ("hidden", "test", 4) and mark.files == {sha256(QUESTIONS)}
    assert verbs.fsck(verbs.Project(folder)).flaws == []
    [path] = (store.root / "hidden").iterdir()
    assert b"planet" not in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(b"hidden", b"public", 1))
    with pytest.raises(DamageError, match="was changed"):
        list(hidden_data(store))
    with pytest.raises(DamageError):
        verbs.AttemptDoor(verbs.Project(folder))


def test_a_store_without_marks_learns_what_is_hidden_when_it_is_served(folder):
    shutil.rmtree(folder / ".harness" / "hidden")
    with verbs.AttemptDoor(verbs.Project(folder)):
        [mark] = hidden_data(Store.open(folder / ".harness"))
    assert mark.files == {sha256(QUESTIONS)}


@pytest.mark.parametrize("status", [SCORED, SCORING, FAILED, "open", "closed"])
def test_of_a_hidden_split_an_agent_is_told_that_it_is_sealed(tmp_path, status):
    outcome = AttemptOutcome("a" * 32, status, hidden=True, run="r", record="c" * 64, why="what an operator reads")
    assert describe_scoring(Store.make(tmp_path / "store"), outcome) == {"status": SEALED}


def test_a_question_is_known_by_what_it_asks():
    item = {"id": "a", "input": {"question": "Which  planet?"}, "options": {"A": "Mars", "B": "Venus"}}
    same = {"id": "b", "input": {"question": "which planet?"}, "options": {"A": "Venus", "B": "Mars"}}
    assert question_digest(item) == question_digest(same) != ""
    assert question_digest({**item, "attachments": [{"sha256": "0" * 64}]}) != question_digest(item)
    assert question_digest({"id": "c", "input": {"count": 3}}) == ""


def test_no_tool_of_any_profile_shows_items_or_gold():
    from harness_tools.tool_table import TOOLS

    named = {spec.name for specs in TOOLS.values() for spec in specs}
    assert not named & {"get", "show", "items", "show_items", "get_output", "get_record"}
