"""A folder becomes a project with everything that locks pin by a project's own files, and loses nothing it had."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import REPOSITORY, data_of, error_of, harness

from harness.images import recipe
from harness.images.image import read_image_pins


def test_a_new_folder_has_the_pins_of_the_repository(tmp_path: Path) -> None:
    done = data_of("init", "mine", cwd=tmp_path)
    root = tmp_path / "mine"
    assert {"README.md", ".gitignore", "lockfiles/images.json", "images/base/debs.json"} <= set(done["written"])
    assert done["kept"] == []
    assert read_image_pins(root) == read_image_pins(REPOSITORY)
    for name in recipe.recipe_names(REPOSITORY):
        assert [one.recipe for one in recipe.recipe_lineage(root, name)] == [
            one.recipe for one in recipe.recipe_lineage(REPOSITORY, name)
        ]
        for path in recipe.package_locks(root, name).values():
            assert path.read_bytes() == (REPOSITORY / path.relative_to(root)).read_bytes()
    assert (root / ".gitignore").read_text() == ".harness/\n"
    assert data_of("list", cwd=root)["manifests"] == []


def test_what_is_there_is_kept_and_said(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine\n")
    (tmp_path / "lockfiles").mkdir()
    (tmp_path / "lockfiles" / "images.json").write_text("older\n")
    done = data_of("init", cwd=tmp_path)
    assert sorted(done["kept"]) == ["README.md", "lockfiles/images.json"]
    assert (tmp_path / "README.md").read_text() == "mine\n"
    assert (tmp_path / "lockfiles" / "images.json").read_text() == "older\n"
    assert data_of("init", cwd=tmp_path)["written"] == []


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "README.md").symlink_to(tmp_path / "elsewhere")
    assert data_of("init", "mine", cwd=tmp_path)["kept"] == ["README.md"]
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["file", "project/inside"])
def test_a_file_and_a_folder_inside_another_project_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "project" / "lockfiles").mkdir(parents=True)
    refused = error_of(harness("init", name, "--json", cwd=tmp_path, check=2))
    assert refused["what"] and refused["where"] and refused["next"]
    assert not (tmp_path / "project" / "inside").exists()


def test_a_folder_that_cannot_be_written_is_said_to_be_so(tmp_path: Path) -> None:
    refused = error_of(harness("init", "/proc/self/mine", "--json", cwd=tmp_path, check=3))
    assert "nothing can be written" in refused["what"] and "/proc" in refused["where"]
