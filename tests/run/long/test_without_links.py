"""On a disk where no file can have a second name all is done as elsewhere: what is linked there is copied here."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from support import outputs_of, small_project
from support_inside import inner_data, inside

PROGRAMS = "/usr/sbin:/usr/bin:/sbin:/bin"


def test_a_project_is_run_accepted_and_audited_where_nothing_can_be_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    small_project(project)
    elsewhere = inner_data("run", "manifests/small.yaml", "--store", "linked", cwd=project)
    tried = list[object]()

    def refused(*given: object, **_: object) -> NoReturn:
        tried.append(given)
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refused)
    here = inner_data("run", "manifests/small.yaml", cwd=project)
    assert tried and outputs_of(here) == outputs_of(elsewhere)
    inside("lock", "--accept", "last", cwd=project, check=0)
    assert inner_data("audit", "last", cwd=project)["verdict"] == "agreed"


@pytest.fixture
def exfat(tmp_path: Path) -> Iterator[Path]:
    """Give a folder on a real file system that has neither hard links nor links nor owners."""
    programs = ("mkfs.exfat", "mount.exfat-fuse", "losetup")
    if os.geteuid() or any(shutil.which(one, path=PROGRAMS) is None for one in programs):
        pytest.skip(f"root alone mounts one, with {', '.join(programs)}")
    image, place = tmp_path / "exfat.img", tmp_path / "exfat"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(256 * 2**20)
    subprocess.run(["mkfs.exfat", image], check=True, capture_output=True)
    device = subprocess.run(["losetup", "-f", "--show", image], capture_output=True, text=True, check=False)
    if device.returncode or not Path("/dev/fuse").exists():
        pytest.skip(f"this machine mounts no image: {device.stderr.strip() or 'no /dev/fuse'}")
    loop = device.stdout.strip()
    try:
        subprocess.run(["mount.exfat-fuse", loop, place], check=True, capture_output=True)
        try:
            yield place
        finally:
            subprocess.run(["umount", "-l", place], check=True)  # what the tests hold open goes with them
    finally:
        subprocess.run(["losetup", "-d", loop], check=True)


def test_a_store_lies_on_a_mounted_file_system_without_links(tmp_path: Path, exfat: Path) -> None:
    with pytest.raises(PermissionError):
        (exfat / "first").touch()
        os.link(exfat / "first", exfat / "second")
    project, store = tmp_path / "project", str(exfat / "store")
    small_project(project)
    elsewhere = inner_data("run", "manifests/small.yaml", cwd=project)
    ran = inner_data("run", "manifests/small.yaml", "--store", store, "--isolation", "process", cwd=project)
    assert outputs_of(ran) == outputs_of(elsewhere)
    assert inner_data("audit", "last", "--store", store, cwd=project)["verdict"] == "agreed"


def test_roots_steps_are_refused_where_folders_have_no_owners_in_words_that_say_so(tmp_path: Path, exfat: Path) -> None:
    project = tmp_path / "project"
    small_project(project)
    said = inside("run", "manifests/small.yaml", "--store", str(exfat / "store"), cwd=project, check=3).stderr
    assert "keeps no owners" in said and "ordinary user" in said
