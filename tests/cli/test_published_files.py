"""Published data of forty files: one that is absent is counted, one that is changed is named, and neither is used."""

import json
import os
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest
from support import journals
from support_files import downloaded, manifest, published, shelf
from support_inside import inner_data, inside

from harness.digest import sha256

LAST = "sub/f39.csv"
MANIFEST = "manifests/shelf.yaml"
CLAIMS = """\
claims:
  - {of: "f00#/value", published: "0", within: "0", where: first}
  - {of: "sub-f39#/value", published: "39", within: "0", where: last}
  - {of: "counts#/here", published: "40", within: "1", where: all}
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    with shelf(tmp_path_factory.mktemp("code")) as folder:
        yield folder


@pytest.fixture(scope="module")
def partial(code, tmp_path_factory):
    """A project that was locked and run without one file of forty."""
    root = tmp_path_factory.mktemp("partial")
    manifest(root, more=CLAIMS)
    inside("import", "data", downloaded(root / "down", [LAST]), cwd=root, check=0)
    inside("lock", MANIFEST, cwd=root, check=0)
    inside("run", MANIFEST, cwd=root, check=0)
    return root


def value(root: Path, output: str) -> Any:
    return json.loads(inside("get", "last", output, cwd=root, check=0).stdout)


def copied(partial: Path, folder: Path) -> Path:
    return Path(shutil.copytree(partial, folder / "p", symlinks=True))


def test_one_absent_file_of_forty_is_counted_and_named_in_every_output(partial):
    told = inside("lock", MANIFEST, cwd=partial, check=0).stderr
    assert f"published: 39 of 40 files are here; missing: {LAST}" in told
    assert f"published at https://localhost:1/{LAST}" in told and "harness import data FOLDER" in told
    locked = inner_data("lock", MANIFEST, cwd=partial)["locks"][0]["data"]["published"]
    assert (locked["files"], locked["here"], locked["absent"], list(locked["why"])) == (40, 39, [LAST], [LAST])
    assert f"published: 39 of 40 files (missing: {LAST})" in inside("show", MANIFEST, cwd=partial, check=0).stdout
    ran, run = inside("run", MANIFEST, cwd=partial, check=0).stdout, inner_data("run", MANIFEST, cwd=partial)["runs"][0]
    assert run["data"] == {"published": {"files": 40, "here": 39, "absent": [LAST]}}
    assert f"data: published 39 of 40 files (missing: {LAST})" in ran
    record = json.loads((partial / ".harness/runs" / run["run"] / "record.json").read_text())
    assert record["data"] == {"published": {"files": 40, "absent": [LAST]}}


def test_what_is_there_is_used_and_what_needs_the_absent_file_says_so(partial):
    assert value(partial, "counts") == {"absent": [LAST], "here": 39}
    assert value(partial, "f00")["value"] == 0
    assert value(partial, "sub-f39")["missing"] == f"needs {LAST}"
    claims = inner_data("claims", MANIFEST, cwd=partial)["claims"]
    assert [one["verdict"].partition(":")[0] for one in claims] == ["met", "not run", "met"]
    assert f"needs {LAST}" in claims[1]["verdict"]
    assert [one.get("without") for one in claims] == [None, None, [LAST]], "a count of all files rests on partial data"
    assert f"made without {LAST}" in inside("claims", MANIFEST, cwd=partial).stdout


def test_an_audit_agrees_and_says_the_coverage_and_so_does_the_expectation(partial, tmp_path, monkeypatch):
    root = copied(partial, tmp_path)
    inside("lock", "--accept", "last", cwd=root, check=0)
    expected = json.loads((root / "lockfiles/manifests/shelf.expect.json").read_text())
    assert expected["partial"] == {"published": {"files": 40, "absent": [LAST]}}
    assert "accepted on partial data: published 39 of 40" in inside("show", MANIFEST, cwd=root, check=0).stdout
    audited = inside("audit", MANIFEST, cwd=root, check=0).stdout
    assert "agreed" in audited and f"data: published 39 of 40 files (missing: {LAST})" in audited


def test_a_file_that_arrives_later_reruns_exactly_the_steps_that_read_it(partial, tmp_path):
    root = copied(partial, tmp_path)
    inside("import", "data", downloaded(tmp_path / "all"), cwd=root, check=0)
    assert inner_data("run", MANIFEST, cwd=root)["runs"][0]["steps"]["executed"] == 0, "a run is what its lock says"
    assert "40 of 40 files are here" in inside("lock", MANIFEST, cwd=root, check=0).stderr
    run = inner_data("run", MANIFEST, cwd=root)["runs"][0]["run"]
    [events] = [events for events in journals(root / ".harness") if events[0]["run"] == run]
    assert {event["step"] for event in events if event["event"] == "step.cached"} == {"f00"}
    assert value(root, "sub-f39")["value"] == 39
    assert events[0]["data"] == {"published": {"files": 40, "absent": []}}
    assert "params/data/absent" in inside("explain", run, "sub-f39", cwd=root, check=0).stdout


@pytest.mark.long
def test_claims_made_on_request_use_the_files_that_are_here_and_miss_nothing_for_want_of_one(code, tmp_path):
    manifest(tmp_path, more=CLAIMS.replace('"40", within: "1"', '"40", within: "0"'))
    files = downloaded(tmp_path / "down", [LAST])
    nothing = inside("claims", "--run", cwd=tmp_path, check=0)
    assert "3 claims: 0 met, 0 missed, 3 not run" in nothing.stdout
    assert (
        "published data that is not here" in nothing.stderr and "harness claims manifests/shelf.yaml" in nothing.stderr
    )
    assert "3 by `harness import data FOLDER`, `harness claims --run manifests/shelf.yaml`" in nothing.stdout
    inside("import", "data", files, cwd=tmp_path, check=0)
    first, last, every = inner_data("claims", "--run", cwd=tmp_path)["claims"]
    assert (first["verdict"], first["kind"], first["computed"], first["run"]) == ("met", "counts", True, None)
    assert last["verdict"].startswith("not run: needs a value at sub-f39#/value")
    assert every["verdict"] == f"not run: needs 1 published files that are not here, such as {LAST}"
    (tmp_path / "whole").mkdir()
    inside("import", "data", downloaded(tmp_path / "whole" / "down", []), cwd=tmp_path, check=0)
    found = inner_data("claims", "--run", cwd=tmp_path)["claims"]
    assert [one["verdict"] for one in found] == ["met"] * 3 and not any("without" in one for one in found)


def test_a_maker_that_needs_every_file_runs_no_step_without_one(code, tmp_path):
    manifest(tmp_path, "shelf.whole")
    inside("import", "data", downloaded(tmp_path / "down", [LAST]), cwd=tmp_path, check=0)
    inside("lock", MANIFEST, cwd=tmp_path, check=0)
    done = inside("run", MANIFEST, cwd=tmp_path, check=3)
    assert f"it needs every file of published, and has 39 of 40 files (missing: {LAST})" in done.stderr
    assert f"https://localhost:1/{LAST}" in done.stderr and "harness import data FOLDER" in done.stderr
    assert not list(journals(tmp_path / ".harness"))


def test_where_a_locked_file_is_gone_the_run_names_it_before_any_step(partial, tmp_path):
    root = copied(partial, tmp_path)
    digest = sha256(published()["f07.csv"])
    (root / ".harness/blobs/sha256" / digest[:2] / digest).unlink()
    done = inside("run", MANIFEST, cwd=root, check=3)
    assert "lacks 1 of the 39 files that the lock has: f07.csv" in done.stderr


def test_one_changed_file_is_named_with_both_digests_and_refused(code, tmp_path):
    manifest(tmp_path)
    folder = downloaded(tmp_path / "down")
    (folder / "f07.csv").write_text("value 8000\n")
    brought = inner_data("import", "data", folder, cwd=tmp_path, check=1)
    found, wanted = sha256(b"value 8000\n"), sha256(published()["f07.csv"])
    assert brought["changed"] == [
        {
            "file": "f07.csv",
            "dataset": "published",
            "path": "f07.csv",
            "manifests": ["shelf"],
            "wanted": wanted,
            "found": found,
        }
    ]
    assert (len(brought["matched"]), brought["missing"]) == (39, [])
    assert not (tmp_path / ".harness/blobs/sha256" / found[:2] / found).exists()
    told = inside("import", "data", folder, "--manifest", MANIFEST, cwd=tmp_path, check=1).stdout
    assert f"f07.csv is not the published: f07.csv that is pinned by shelf: wanted {wanted}, found {found}" in told
    assert "39 of 40 files are here; missing: f07.csv" in inside("lock", MANIFEST, cwd=tmp_path, check=0).stderr


@pytest.mark.parametrize(
    ("called", "pinned"),
    [
        ("elsewhere/f07.csv", "f07.csv"),
        ("copies/shelf_f07.csv", "f07.csv"),
        ("sub_f39.csv", "sub/f39.csv"),
        ("sub-f39.csv", "sub/f39.csv"),
    ],
)
def test_a_changed_file_is_known_by_a_name_that_a_copy_would_have(code, tmp_path, called, pinned):
    manifest(tmp_path)
    folder = downloaded(tmp_path / "down", [pinned])
    (folder / called).parent.mkdir(exist_ok=True)
    (folder / called).write_text("value 8000\n")
    (folder / "notes.csv").write_text("mine")
    brought = inner_data("import", "data", folder, cwd=tmp_path, check=1)
    assert [(one["file"], one["path"]) for one in brought["changed"]] == [(called, pinned)]
    assert (brought["missing"], brought["others"]) == ([], ["notes.csv"])


def test_of_two_files_called_as_a_pinned_one_neither_is_held_against_it(code, tmp_path):
    manifest(tmp_path)
    folder = downloaded(tmp_path / "down", ["f07.csv"])
    for name in ("a_f07.csv", "b_f07.csv"):
        (folder / name).write_text("mine")
    brought = inner_data("import", "data", folder, cwd=tmp_path)
    assert [one["path"] for one in brought["missing"]] == ["f07.csv"] and len(brought["others"]) == 2


def test_a_single_file_called_as_a_pinned_one_is_kept_and_named(code, tmp_path):
    manifest(tmp_path)
    (tmp_path / "f07.csv").write_text("value 8000\n")
    found, wanted = sha256(b"value 8000\n"), sha256(published()["f07.csv"])
    done = inside("import", "data", "f07.csv", cwd=tmp_path, check=1)
    assert f"f07.csv is in the store: 11 bytes, sha256 {found}" in done.stdout
    assert f"it is not the published: f07.csv that is pinned by shelf: wanted {wanted}, found {found}" in done.stdout
    assert (tmp_path / ".harness/blobs/sha256" / found[:2] / found).read_bytes() == b"value 8000\n"
    (tmp_path / "f07.csv").write_bytes(published()["f08.csv"])
    assert inner_data("import", "data", "f07.csv", cwd=tmp_path).get("other") is None, "it is pinned, as another"
    (tmp_path / "unlike.csv").write_text("mine")
    assert inner_data("import", "data", "unlike.csv", cwd=tmp_path).get("other") is None


def test_folder_import_follows_no_links_and_finds_files_by_their_digest(code, tmp_path):
    manifest(tmp_path)
    folder = downloaded(tmp_path / "down", ["f00.csv", "f01.csv", LAST])
    secret = tmp_path / "secret"
    secret.write_bytes(published()["f00.csv"])
    (folder / "f00.csv").symlink_to(secret)
    (folder / "elsewhere").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(folder / "f01.csv")
    (folder / "renamed").write_bytes(published()[LAST])
    (folder / "notes.txt").write_text("mine")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(folder / "s"))
        brought = inner_data("import", "data", folder, cwd=tmp_path)
    skipped = {"f00.csv": "a link", "elsewhere": "a link", "f01.csv": "a FIFO", "s": "a socket"}
    assert brought["skipped"] == skipped
    assert [one["path"] for one in brought["missing"]] == ["f00.csv", "f01.csv"]
    assert [one["path"] for one in brought["matched"] if one["file"] == "renamed"] == [LAST]
    assert brought["others"] == ["notes.txt"]


def test_two_pinned_files_of_the_same_bytes_are_each_found_once(code, tmp_path):
    files = {"a.csv": b"same", "b.csv": b"same", "c.csv": b"same"}
    manifest(tmp_path, files=files)
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_bytes(files[name])
    brought = inner_data("import", "data", tmp_path, cwd=tmp_path)
    assert [(one["file"], one["path"]) for one in brought["matched"]] == [
        ("a.csv", "a.csv"), ("b.csv", "b.csv"), ("a.csv", "c.csv"),
    ]  # fmt: skip


def test_what_cannot_be_imported_as_a_folder_is_told(code, tmp_path):
    (tmp_path / "lockfiles").mkdir()
    folder = downloaded(tmp_path / "down")
    assert "no manifest here pins published data" in inside("import", "data", folder, cwd=tmp_path, check=2).stderr
    words = ("import", "data", folder / "f00.csv", "--manifest", "x.yaml")
    assert "goes with a folder" in inside(*words, cwd=tmp_path, check=2).stderr
    assert not (tmp_path / ".harness").exists()


def test_a_changed_table_of_the_plan_makes_the_lock_stale(code, partial, tmp_path):
    root = copied(partial, tmp_path)
    lock = json.loads((root / "lockfiles/manifests/shelf.lock.json").read_text())
    assert list(lock["pins"]["tables"]) == ["shelf/words@1"], "and no table that nothing reads"
    (code / "tables/unread@1.json").write_text("[]\n")
    assert "fits" in inside("show", MANIFEST, cwd=root, check=0).stdout
    words = (code / "tables/words@1.csv").read_text()
    (code / "tables/words@1.csv").write_text("one,three\n")
    try:
        done = inside("run", MANIFEST, cwd=root, check=2)
        assert "pins/tables/shelf~1words@1/sha256" in done.stderr
        inside("lock", MANIFEST, cwd=root, check=0)
        inside("run", MANIFEST, cwd=root, check=0)
        assert value(root, "f00") == {"value": 0, "words": "one,three\n"}
    finally:
        (code / "tables/words@1.csv").write_text(words)


def test_a_table_of_a_manifest_is_pinned_and_a_missing_one_named_with_line(code, tmp_path):
    manifest(tmp_path, more="tables: [shelf/unread@1]\n")
    inside("lock", MANIFEST, cwd=tmp_path, check=0)
    lock = json.loads((tmp_path / "lockfiles/manifests/shelf.lock.json").read_text())
    assert list(lock["pins"]["tables"]) == ["shelf/unread@1", "shelf/words@1"]
    manifest(tmp_path, more="tables: [shelf/unred@1]\n")
    done = inside("lock", MANIFEST, cwd=tmp_path, check=2)
    assert "has no table 'shelf/unred@1'" in done.stderr and "shelf.yaml:8" in done.stderr
