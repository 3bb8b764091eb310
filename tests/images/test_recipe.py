"""Recipes and package locks: what is written there is meant, or it is refused by file, line and mend."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import REPOSITORY, error_of
from support_inside import inside

from harness.errors import InputError
from harness.images.recipe import DEBS, load_recipe, read_debs, read_wheels, recipe_lineage, recipe_names

GOOD = """\
image: 1
name: mine
about: For a test.
base: debian/bookworm
packages: [python3]
epoch: 1767225600
user: 65534:65534
"""
HASH = "--hash=sha256:" + "0" * 64


def recipe(folder: Path, text: str, name: str = "mine") -> Path:
    (folder / "images" / name).mkdir(parents=True)
    (folder / "lockfiles").mkdir(exist_ok=True)
    (folder / "images" / name / "image.yaml").write_text(text)
    return folder


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("base: debian/bookworm", "base: python:3.11", 4, "a tag pins nothing"),
        ("base: debian/bookworm", "base: debian:12", 4, "a tag pins nothing"),
        ("base: debian/bookworm", f"base: python@sha256:{'0' * 64}", 4, "images of others are not supported"),
        ("base: debian/bookworm", "base: debian/sid", 4, "the Debian suites are bookworm"),
        ("packages: [python3]", "packges: [python3]", 5, "unknown key `packges`"),
        ("packages: [python3]", "packages: [python3=3.11.2-1]", 5, "`packages.0` is wrong"),
        ("packages: [python3]", "packages: ['-o', python3]", 5, "`packages.0` is wrong"),
        ("epoch: 1767225600", "epoch: today", 6, "`epoch` is wrong"),
        ("user: 65534:65534", "user: root", 7, "`user` is wrong"),
        ("epoch: 1767225600\n", "", 1, "`epoch` is missing"),
        ("name: mine", "name: other", 2, "is called 'other'"),
        ("name: mine", "name: mine\nname: mine", 3, "stands twice"),
        ("image: 1", "image: 2", 1, "`image` is wrong"),
        ("packages: [python3]\n", "", 1, "names its packages"),
        ("user:", "heavy: [torch]\nuser:", 1, "heavy wheels need `requirements`"),
    ],
)
def test_a_wrong_recipe_is_refused_by_its_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    with pytest.raises(InputError) as bad:
        load_recipe(recipe(tmp_path, GOOD.replace(old, new)), "mine")
    assert words in bad.value.what
    assert bad.value.where == f"images/mine/image.yaml:{line}"
    assert bad.value.next


def test_a_nearly_right_key_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as bad:
        load_recipe(recipe(tmp_path, GOOD.replace("packages:", "package:")), "mine")
    assert bad.value.next == "did you mean `packages`?"


def test_the_command_line_refuses_a_tag_with_exit_2_and_leaves_no_store(tmp_path: Path) -> None:
    recipe(tmp_path, GOOD.replace("debian/bookworm", "python:3.11-slim"))
    error = error_of(inside("images", "build", "mine", "--json", cwd=tmp_path, check=2))
    assert error["where"] == "images/mine/image.yaml:4"
    assert "tag" in error["what"]
    assert not (tmp_path / ".harness").exists()


def test_an_image_must_stand_on_one_that_exists_and_not_on_itself(tmp_path: Path) -> None:
    recipe(tmp_path, GOOD.replace("debian/bookworm", "nowhere").replace("packages: [python3]\n", ""))
    with pytest.raises(InputError, match="names no image of this project"):
        recipe_lineage(tmp_path, "mine")
    for one, other in (("left", "right"), ("right", "left")):
        text = GOOD.replace("packages: [python3]\n", "").replace("debian/bookworm", other).replace("mine", one)
        recipe(tmp_path, text, one)
    with pytest.raises(InputError, match="is based on itself"):
        recipe_lineage(tmp_path, "left")


def test_requirements_stay_inside_the_project(tmp_path: Path) -> None:
    recipe(tmp_path, GOOD.replace("user:", "requirements: ../lock.txt\nuser:"))
    with pytest.raises(InputError, match="stays inside the project"):
        load_recipe(tmp_path, "mine")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("numpy==2.4.6", "numpy has no hash"),
        (f"numpy>=2 {HASH}", "pins no wheel"),
        (f"numpy {HASH}", "pins no wheel"),
        (f"numpy==2.4.6 {HASH} {HASH}", "numpy has 2 hashes"),
        ("numpy==2.4.6 --hash=md5:00", "no SHA-256"),
        ("numpy==2.4.6 --hash=sha256:00", "no SHA-256"),
        (f"numpy @ https://example.org/numpy.whl {HASH}", "pins no wheel"),
        (f"./numpy.tar.gz {HASH}", "pins no wheel"),
        ("-r other.txt", "pins no wheel"),
        (f"Scipy==1.0 {HASH}", "scipy stands twice"),
    ],
)
def test_a_line_that_pins_no_single_wheel_is_refused_by_its_number(tmp_path: Path, line: str, words: str) -> None:
    lock = tmp_path / "lock.txt"
    lock.write_text(f"# a comment\nscipy==1.17.1 {HASH}\n{line}\n")
    with pytest.raises(InputError) as bad:
        read_wheels(lock, "lockfiles/lock.txt")
    assert words in bad.value.what
    assert bad.value.where == "lockfiles/lock.txt:3"


def test_the_recipes_of_the_project_and_their_locks_are_sound() -> None:
    found = {name: recipe_lineage(REPOSITORY, name) for name in recipe_names(REPOSITORY)}
    assert {"base", "cpu", "cuda", "sandbox"} <= set(found)
    for line in found.values():
        assert line[0].recipe.name == "base"
        assert {one.recipe.user for one in line} == {"65534:65534"}
    packages = read_debs(load_recipe(REPOSITORY, "base")).packages
    assert len({(deb.name, deb.arch) for deb in packages}) == len(packages) > 50
    locks = {}
    for name in ("cpu", "cuda", "sandbox"):
        path = found[name][-1].requirements
        assert path
        locks[name] = {wheel.name: wheel.version for wheel in read_wheels(path, path.name)}
        assert set(found[name][-1].recipe.heavy) <= set(locks[name])
    assert (locks["cpu"]["torch"], locks["cuda"]["torch"]) == ("2.13.0+cpu", "2.13.0")
    for name in ("cuda", "sandbox"):
        both = (set(locks[name]) & set(locks["cpu"])) - {"torch"}
        assert {one: locks[name][one] for one in both} == {one: locks["cpu"][one] for one in both}


def test_versions_of_the_images_are_those_of_the_local_environment() -> None:
    local = {}
    for line in (REPOSITORY / "lockfiles" / "requirements.txt").read_text().splitlines():
        name, found, version = line.partition(" ")[0].partition("==")
        if found and not line.startswith((" ", "#")):
            local[name] = version
    path = REPOSITORY / "lockfiles" / "image-cpu.txt"
    image = {wheel.name: wheel.version for wheel in read_wheels(path, path.name)}
    both = local.keys() & image.keys()
    assert {"pydantic", "pyyaml", "rfc8785", "typer"} <= both
    assert {name: local[name] for name in both} == {name: image[name] for name in both}


def test_a_debian_lock_that_answers_another_recipe_is_refused(tmp_path: Path) -> None:
    recipe(tmp_path, GOOD)
    with pytest.raises(InputError, match="has no lock of its Debian packages"):
        read_debs(load_recipe(tmp_path, "mine"))
    lock = tmp_path / "images" / "mine" / DEBS
    text = (REPOSITORY / "images" / "base" / DEBS).read_text()
    lock.write_text(text.replace('"asked":["python3"]', '"asked":["perl"]'))
    with pytest.raises(InputError) as bad:
        read_debs(load_recipe(tmp_path, "mine"))
    assert "answers bookworm ['perl']" in bad.value.what
    assert "--relock" in bad.value.next
    lock.write_text(text.replace('"name":"apt"', '"name":"../apt"'))
    with pytest.raises(InputError, match="not a lock of Debian packages"):
        read_debs(load_recipe(tmp_path, "mine"))


@pytest.mark.parametrize("name", ["cpu", "sandbox"])
def test_a_containerfile_installs_the_same_lock_and_names_no_base(name: str) -> None:
    text = (REPOSITORY / "images" / name / "Containerfile").read_text()
    assert "NOT bit-stable" in text.splitlines()[0]
    assert "\nARG BASE\nFROM ${BASE}\n" in text
    assert f"COPY lockfiles/image-{name}.txt" in text
    assert "--require-hashes" in text
