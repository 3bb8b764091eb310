"""Data sets of the hub are read by name and revision: pinned by commit and digests, and refused with the next step."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from run.own_project import OwnProject, own_project
from support_draws import drawn
from support_hub import COMMIT, OLD, TOKEN, Hub, HubDataset, hub_at_loopback

from harness.digest import sha256
from harness.errors import HarnessError, InputError, MissingError
from harness.evidence.explain import accepted_run
from harness.evidence.trail import pinned_files, read_trail
from harness.manifest.load import load_manifest
from harness.run.lock import changed_pins
from harness.run.scores.table import RunTables, WordsOfRun, require_showable
from harness.run.service import RunTarget, plan_locked, run_manifest
from harness.store.store import Store

FILE = "file: data/capitals.csv"
CSV = b"question,answer\nCapital of France?,Paris\nCapital of Italy?,Rome\n"
MORE = b"question,answer\nCapital of Peru?,Lima\n" + b"\n" * 300  # large, as the stand-in has it
CARD = {
    "configs": [
        {"config_name": "all", "data_files": [{"split": "train", "path": "all/train-*.csv"},
                                              {"split": "test", "path": ["all/test-*.csv"]}]},
        {"config_name": "small", "data_dir": "small", "data_files": {"test": "*.csv"}},
    ]
}  # fmt: skip


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with hub_at_loopback() as served:
        monkeypatch.setenv("HF_ENDPOINT", served.address + "/")
        monkeypatch.delenv("HF_TOKEN", raising=False)
        yield served


@pytest.fixture
def project(tmp_path: Path) -> OwnProject:
    return own_project(tmp_path / "project", RunTarget(tmp_path / "store"))


def ask(project: OwnProject, source: str, more: str = "") -> None:
    """Have the project ask a data set of the hub."""
    project.edit(FILE, f'file: "{source}"{more}')


def serve(
    hub: Hub, files: dict[str, bytes], card: Mapping[str, Any] | None = None, *, gated: bool = False
) -> HubDataset:
    """Have the hub serve a data set `me/capitals` with two commits; `v1` is the newer."""
    commits, tags = {COMMIT: files, OLD: {"old.csv": CSV}}, {"v1": COMMIT, "main": COMMIT}
    hub.datasets["me/capitals"] = HubDataset(commits, tags, card or {}, gated)
    return hub.datasets["me/capitals"]


@pytest.mark.long
def test_a_lock_pins_the_commit_and_each_file_and_a_run_needs_the_hub_no_more(hub: Hub, project: OwnProject) -> None:
    served = serve(hub, {"README.md": b"#", "data/test-0.csv": CSV, "data/test-1.csv": MORE, "data/train.csv": b"x"})
    ask(project, "hf:me/capitals@v1", ", part: test")
    held = project.lock()
    assert held.of("files")["capitals"] == {
        "file": "hf:me/capitals@v1", "commit": COMMIT,
        "files": [["data/test-0.csv", sha256(CSV)], ["data/test-1.csv", sha256(MORE)]],
    }  # fmt: skip
    assert held.of("datasets")["capitals"]["items"]["rows"] == 3
    served.tags["v1"] = OLD  # a tag that moves changes nothing that is locked
    hub.asked.clear()
    assert changed_pins(load_manifest(project.path), held) == []
    ran = run_manifest(load_manifest(project.path), project.place, lambda *_: None)
    assert ran.record.body["status"] == "done" and hub.asked == []
    accepted = accepted_run(read_trail(Store.open(project.place.store), ran.record.run))
    assert "hf:me/capitals@v1" in accepted.inputs
    assert pinned_files(held.pins)[sha256(MORE)] == "data/test-1.csv"


@pytest.mark.long
def test_a_fresh_store_fetches_the_files_of_the_commit_and_holds_them_against_their_digests(
    hub: Hub, project: OwnProject, tmp_path: Path
) -> None:
    served = serve(hub, {"data/test-0.csv": CSV, "data/test-1.csv": MORE})
    ask(project, "hf:me/capitals@v1")
    project.lock()
    hub.asked.clear()
    ran = run_manifest(load_manifest(project.path), RunTarget(tmp_path / "fresh"), lambda *_: None)
    assert ran.record.body["status"] == "done"
    assert [path for path in hub.asked if "stored" not in path] == [
        f"/datasets/me/capitals/resolve/{COMMIT}/data/test-{at}.csv" for at in (0, 1)
    ]
    served.commits[COMMIT]["data/test-0.csv"] = CSV.replace(b"Rome", b"Roma")
    with pytest.raises(MissingError, match="not what the manifest pins"):
        run_manifest(load_manifest(project.path), RunTarget(tmp_path / "third"), lambda *_: None)


def test_a_commit_that_is_locked_is_locked_again_without_the_hub(
    hub: Hub, project: OwnProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(hub, {"data/test-0.csv": CSV})
    ask(project, f"hf:me/capitals@{COMMIT}")
    first = project.lock()
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert project.lock().data == first.data


@pytest.mark.long
def test_parquet_of_the_hub_is_read_by_polars(hub: Hub, project: OwnProject) -> None:
    polars = pytest.importorskip("polars")
    data = io.BytesIO()
    polars.DataFrame({"question": ["Capital of Chad?"] * 50, "answer": ["N'Djamena"] * 50}).write_parquet(data)
    serve(hub, {"data/train-0000-of-0001.parquet": data.getvalue()})
    ask(project, "hf:me/capitals@v1")
    assert project.lock().of("datasets")["capitals"]["items"]["rows"] == 50


@pytest.mark.parametrize(
    ("source", "part", "files"),
    drawn([
        ("@v1", "all/test", ["all/test-0.csv"]), ("@v1", "small", ["small/a.csv"]),
        ("@v1", "small/test", ["small/a.csv"]),
        ("@v1", "train", ["all/train-0.csv"]), ("@v1/all/*.csv", "", ["all/test-0.csv", "all/train-0.csv"]),
        ("@v1/small/a.csv", "", ["small/a.csv"]),
    ], 2, 6),
)  # fmt: skip
def test_a_part_or_a_pattern_says_which_files_are_read(
    hub: Hub, project: OwnProject, source: str, part: str, files: list[str]
) -> None:
    serve(hub, {"all/test-0.csv": CSV, "all/train-0.csv": CSV, "small/a.csv": CSV}, card=CARD)
    ask(project, f"hf:me/capitals{source}", f", part: {part}" if part else "")
    assert [path for path, _ in project.lock().of("files")["capitals"]["files"]] == files


@pytest.mark.parametrize(
    ("source", "part", "what", "next"),
    [
        ("hf:me/capitals@v1", "", "has several parts", "all/test, all/train, small/test"),
        ("hf:me/capitals@v1", "test", "has several parts", "all/test, small/test"),
        ("hf:me/capitals@v1", "dev", "has no part 'dev'", "all/test, all/train, small/test"),
        ("hf:me/capitals@v1/x/*.csv", "", "no file of the data set is called 'x/*.csv'", "all/test-0.csv"),
        ("hf:me/capitals@v2", "", "has no revision 'v2'", "/datasets/me/capitals/commits/main"),
        ("hf:you/capitals@v1", "", "has another name now: me/capitals", "write `hf:me/capitals@v1`"),
    ],
)
def test_what_the_hub_does_not_have_is_told_with_the_line_and_the_next_step(
    hub: Hub, project: OwnProject, source: str, part: str, what: str, next: str
) -> None:
    serve(hub, {"all/test-0.csv": CSV, "all/train-0.csv": CSV, "small/a.csv": CSV}, card=CARD)
    hub.renamed["you/capitals"] = "me/capitals"
    ask(project, source, f", part: {part}" if part else "")
    error = project.refused()
    assert isinstance(error, InputError) and what in error.what and next in error.next
    assert error.where == f"{project.path}:8"


def test_a_name_without_a_revision_pins_nothing(project: OwnProject) -> None:
    ask(project, "hf:me/capitals")
    error = project.refused()
    assert "a name alone pins nothing" in error.what and "hf:me/capitals@REVISION" in error.what


def test_an_absent_data_set_is_told_so_where_the_hub_says_it(
    hub: Hub, project: OwnProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    ask(project, "hf:me/nothing@v1")
    error = project.refused()
    assert "the hub has no data set me/nothing" in error.what and "check the name" in error.next


def unresolved(project: OwnProject) -> HarnessError:
    """Lock the project with data that cannot be had; gives the error by which its run is refused."""
    assert "unresolved" in project.lock().of("datasets")["capitals"]
    with pytest.raises(HarnessError) as error:
        plan_locked(load_manifest(project.path))
    assert error.value.code == MissingError.code
    return error.value


def test_a_gated_data_set_says_where_to_agree_and_which_variable_takes_the_token(
    hub: Hub, project: OwnProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(hub, {"a.csv": CSV, "b.csv": MORE}, gated=True)
    ask(project, "hf:me/capitals@v1/*.csv")
    told = unresolved(project).what
    assert "agreed to its terms (HTTP 401)" in told and f"{hub.address}/datasets/me/capitals" in told
    assert "HF_TOKEN" in told
    monkeypatch.setenv("HF_TOKEN", "another")
    assert "HTTP 403" in unresolved(project).what
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert project.lock().of("datasets")["capitals"]["items"]["rows"] == 3
    assert not [path for path, _ in hub.tokens if path.startswith("/stored")]  # no other address sees the token


@pytest.mark.long
def test_the_items_of_a_gated_data_set_are_not_shown_whoever_may_read_it(
    hub: Hub, project: OwnProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(hub, {"a.csv": CSV}, gated=True)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    ask(project, f"hf:me/capitals@{COMMIT}")
    (project.root / "data" / "open.csv").write_bytes(MORE)
    project.edit("prompts:", "  open: {file: data/open.csv, fields: {input: question, target: answer}}\nprompts:")
    project.edit("settings:", "outputs: {report.html: exact}\nsettings:")
    held = project.lock()
    assert held.of("files")["capitals"]["gated"] is True
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert project.lock().data == held.data, "a lock that holds it needs no hub to know"
    ran = run_manifest(load_manifest(project.path), project.place, lambda *_: None)
    assert ran.record.body["status"] == "done"
    tables = RunTables.of(Store.open(project.place.store), ran.record.run)
    with pytest.raises(InputError, match="'capitals' are not shown: it is gated"):
        require_showable(tables)
    assert WordsOfRun(tables).closed.keys() == {"capitals"}, "`diff` and `compare` show no words of it"
    page = tables.store.blobs.read(tables.record.outputs["report.html"]["sha256"], 1 << 20).decode()
    assert "Capital of Peru?" in page and "Lima" in page, "an open data set is shown"
    assert not any(word in page for word in ("France", "Paris", "Rome"))
    assert "shown items: none of 2; the data set is gated, and who uses it promised not to show its items" in page
    assert "1 of 1" in page and "2 gated items are not shown" in page


@pytest.mark.long
def test_a_page_of_nothing_but_gated_data_says_what_it_leaves_out(
    hub: Hub, project: OwnProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(hub, {"a.csv": CSV}, gated=True)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    ask(project, f"hf:me/capitals@{COMMIT}")
    project.edit("settings:", "outputs: {report.html: exact}\nsettings:")
    ran = project.run()
    page = Store.open(project.place.store).blobs.read(ran.record.outputs["report.html"]["sha256"], 1 << 20).decode()
    assert "none of 2; the data set is gated" in page and "Paris" not in page and "Items and answers" not in page


def test_a_private_or_absent_one_without_a_token_says_that_it_is_one_of_these(hub: Hub, project: OwnProject) -> None:
    ask(project, "hf:me/nothing@v1")
    told = unresolved(project).what
    assert "private, gated, or not there" in told and "HF_TOKEN is not set" in told


def test_a_hub_that_does_not_answer_leaves_the_data_unresolved(
    project: OwnProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    ask(project, "hf:me/capitals@v1")
    told = unresolved(project).what
    assert "the hub does not answer" in told and "file: data/rows.parquet" in told


def test_an_address_that_is_no_hub_is_refused(project: OwnProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "file:///etc")
    ask(project, "hf:me/capitals@v1")
    assert "no address of a hub" in project.refused().what
