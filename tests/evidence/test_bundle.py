"""A bundle holds a run whole, has the same bytes each time, and whatever is changed in it is named and never used."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
from collections import Counter
from pathlib import Path

import pytest
from evidence.bundle_zoo import BAD, Animal, Laid, header
from evidence.forger import forged
from support import error_of, finished_project
from support_draws import drawn
from support_inside import inner_data, inside

from harness.errors import DamageError
from harness.evidence.bundle import unpack_bundle
from harness.store.store import Store

pytestmark = pytest.mark.together  # one run serves all
CHECKS = ("blob", "entry", "key", "chain", "record", "output", "unaccounted")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a run of a few steps."""
    folder = tmp_path_factory.mktemp("bundled") / "project"
    finished_project(folder, count=20, models=("oracle",))
    return folder


@pytest.fixture(scope="module")
def sound(project: Path) -> bytes:
    """The bytes of the bundle of that run."""
    inside("export", "last", "-o", "sound.tar", cwd=project, check=0)
    return (project / "sound.tar").read_bytes()


def audited(data: bytes, folder: Path) -> tuple[str, set[str]]:
    """Give the verdict of an audit of a bundle in an empty folder, and the checks that did not pass."""
    (folder / "one.tar").write_bytes(data)
    done = inside("audit", "one.tar", "--json", cwd=folder)
    if not done.stdout:
        assert done.returncode == 1
        return "refused", {error_of(done)["what"]}
    body = json.loads(done.stdout)
    return body["verdict"], {one["id"] for one in body["checks"] if one["verdict"] != "pass"}


def test_a_bundle_has_the_same_bytes_each_time_and_is_audited_where_no_store_is(
    project: Path, sound: bytes, tmp_path: Path
) -> None:
    inside("export", "last", "-o", "again.tar", cwd=project, check=0)
    assert (project / "again.tar").read_bytes() == sound
    assert audited(sound, tmp_path) == ("agreed", set())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.tar"]
    said = inner_data("audit", "one.tar", "--level", "full", cwd=tmp_path)
    assert (said["verdict"], said["coverage"]["again"]) == ("agreed", said["coverage"]["steps"])
    assert said["judged"]["bundle"] == str(tmp_path / "one.tar") and not said["judged"]["store"]


def test_other_software_reads_it_as_an_archive_of_plain_files(sound: bytes, tmp_path: Path) -> None:
    (tmp_path / "one.tar").write_bytes(sound)
    with tarfile.open(tmp_path / "one.tar") as archive:
        kinds = Counter((one.type, one.mode, one.uid, one.mtime) for one in archive)
        names = archive.getnames()
    assert list(kinds) == [(b"0", 0o644, 0, 0)] and names[1:] == sorted(names[1:])
    if tar := shutil.which("tar"):
        listed = subprocess.run([tar, "tf", "one.tar"], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert listed.stdout.splitlines() == names and not listed.stderr


def test_a_second_run_brings_the_log_of_the_run_that_executed_its_steps(project: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(project, tmp_path / "p", symlinks=True)
    first = inner_data("runs", cwd=folder)["runs"][0]["run"]
    inside("run", "manifests/small.yaml", cwd=folder)
    inside("export", "last", "-o", "second.tar", cwd=folder, check=0)
    laid = Laid.of((folder / "second.tar").read_bytes())
    assert laid.run != first and f"runs/{first}/journal.jsonl" in laid.members
    assert audited((folder / "second.tar").read_bytes(), tmp_path) == ("agreed", set())
    inside("export", first, "-o", "first.tar", cwd=folder, check=0)
    data = (folder / "first.tar").read_bytes()
    assert laid.run not in "".join(Laid.of(data).members) and audited(data, tmp_path) == ("agreed", set())


@pytest.mark.parametrize("share", drawn(range(200), 8, 40))
def test_no_byte_of_a_bundle_can_be_another(sound: bytes, share: int, tmp_path: Path) -> None:
    data = bytearray(sound)
    data[(len(data) * share + share) // 200] ^= 1 << share % 8
    (tmp_path / "one.tar").write_bytes(data)
    (tmp_path / "store").mkdir()
    with pytest.raises(DamageError, match="this bundle is damaged or no bundle"):
        unpack_bundle(tmp_path / "one.tar", tmp_path / "store")


@pytest.mark.parametrize("animal", drawn(BAD, 24, len(BAD)), ids=lambda one: one.name)
def test_a_bad_bundle_is_named_by_the_check_that_finds_it(animal: Animal, sound: bytes, tmp_path: Path) -> None:
    verdict, said = audited(animal.make(Laid.of(sound)), tmp_path)
    if animal.check == "bundle":
        assert verdict == "refused" and "this bundle is damaged or no bundle" in min(said)
    else:
        assert verdict == animal.verdict and animal.check in {one.partition(".")[0] for one in said}, said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.tar"]


def test_the_zoo_has_five_of_each_check() -> None:
    counts = Counter(one.check for one in BAD)
    assert len(BAD) >= 60 and all(counts[check] >= 5 for check in ("bundle", *CHECKS))
    assert len({one.name for one in BAD}) == len(BAD)


def test_what_is_not_a_plain_file_is_no_bundle(sound: bytes, tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(sound)
    (tmp_path / "link.tar").symlink_to("real")
    os.mkfifo(tmp_path / "pipe.tar")
    with open(tmp_path / "hollow.tar", "wb") as file:
        file.write(header("bundle.json", 1 << 20))
        file.truncate(1 << 40)
    (tmp_path / "folder.tar").mkdir()
    for name in ("link.tar", "pipe.tar", "hollow.tar", "folder.tar", "nothing.tar"):
        done = inside("audit", name, "--json", cwd=tmp_path)
        assert done.returncode in (1, 2, 3, 4) and not done.stdout and error_of(done)["next"], name


def test_a_file_that_is_there_is_not_overwritten(project: Path, sound: bytes) -> None:
    done = inside("export", "last", "-o", "sound.tar", "--json", cwd=project, check=2)
    assert error_of(done)["what"] == "this file is there already"
    assert (project / "sound.tar").read_bytes() == sound
    assert "a bundle is a file *.tar" in inside("export", "last", "-o", "sound.zip", cwd=project, check=2).stderr


def test_a_bundle_of_damaged_bytes_is_not_begun(project: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(project, tmp_path / "p", symlinks=True)
    files = [path for path in (folder / ".harness/blobs/sha256").rglob("*") if path.is_file()]
    blob = next(path for path in files if b"addition" in path.read_bytes())
    blob.chmod(0o644)
    blob.write_bytes(blob.read_bytes()[:-1] + b"!")
    done = inside("export", "last", "-o", "new.tar", cwd=folder)
    assert done.returncode == 1 and not list(folder.glob("*new*"))


@pytest.mark.long
def test_a_history_that_was_written_anew_is_not_the_one_that_was_anchored(project: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(project, tmp_path / "p", symlinks=True)
    (folder / "anchors").write_text(f"published, of today: {inside('anchor', cwd=folder, check=0).stdout}")
    inside("run", "manifests/small.yaml", cwd=folder)
    inside("export", "last", "-o", "later.tar", cwd=folder, check=0)
    words = ("--level", "hashes", "--anchor", "anchors")
    for subject in ("last", "later.tar"):
        inside("audit", subject, *words, cwd=folder, check=0)

    def found(subject: str) -> set[str]:
        said = inner_data("audit", subject, *words, cwd=folder, check=1)
        return {one["id"] for one in said["checks"] if one["verdict"] == "fail"}

    forged(Store(folder / ".harness"), lambda one: one.started["facts"].update(kernel="another"))
    assert found("last") == {"anchor.differs"}
    inside("export", "last", "-o", "forged.tar", cwd=folder, check=0)
    assert found("forged.tar") == {"anchor.differs"}
    shutil.copytree(project / ".harness", folder / "short", symlinks=True)
    (folder / "anchors").write_text(f"harness-anchor/1 7 {'0' * 64}\n")
    said = inner_data("audit", "last", "--store", "short", *words, cwd=folder, check=1)
    assert [one["detail"] for one in said["checks"] if one["verdict"] == "fail"] == [
        "the list of runs has 2 lines, and 7 were anchored"
    ]
