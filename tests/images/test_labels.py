"""What an image says of itself follows from its recipes and locks alone, and moves with nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support import REPOSITORY
from support_images import put, wheel_bytes

from harness.errors import InputError
from harness.images.image import LOCK, STANDARD, encode_config, image_labels
from harness.images.recipe import OTHERS, Licence, combine_licences, metadata_licence, recipe_lineage, wheel_licence
from harness.store.store import Store

SOURCES = {"bash_5.2_amd64.deb": "a" * 64, "numpy-2.4.6.whl": "b" * 64}
SAID = [Licence("MIT", "License-Expression: MIT", exact=True)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(REPOSITORY / "images", tmp_path / "images")
    return tmp_path


def told(root: Path, sources: dict[str, str] = SOURCES) -> dict[str, str]:
    return image_labels([one.recipe for one in recipe_lineage(root, "sandbox")], sources, SAID)


def edit(root: Path, name: str, old: str, new: str) -> Path:
    path = root / "images" / name / "image.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return root


def test_labels_name_recipe_lock_and_licences_and_invent_no_source(root: Path) -> None:
    found = told(root)
    assert set(found) == {f"{STANDARD}.revision", f"{STANDARD}.licenses", LOCK}
    assert found[f"{STANDARD}.licenses"] == f"{OTHERS} AND MIT"
    config_of = json.loads(encode_config("sandbox", 0, "1:1", [("debian", "c" * 64)], found))
    assert config_of["config"]["Labels"].items() > found.items()


def test_a_comment_and_words_for_people_move_no_label(root: Path) -> None:
    before = told(root)
    assert told(edit(root, "sandbox", "about: ", "about: Small. ")) == before
    assert told(edit(root, "base", "image: 1", "# a word\nimage: 1")) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("sandbox", "epoch: 1767225600", "epoch: 1767225601"), ("sandbox", "user: 65534:65534", "user: 1:1"),
     ("base", "packages: [python3]", "packages: [python3, git]")],
)  # fmt: skip
def test_what_a_recipe_or_its_base_asks_for_is_its_revision(root: Path, name: str, old: str, new: str) -> None:
    before, after = told(root), told(edit(root, name, old, new))
    assert {key for key in before if before[key] != after[key]} == {f"{STANDARD}.revision"}


def test_another_package_is_another_lock_under_the_same_revision(root: Path) -> None:
    before, after = told(root), told(root, {**SOURCES, "numpy-2.4.6.whl": "c" * 64})
    assert {key for key in before if before[key] != after[key]} == {LOCK}


def test_the_source_is_what_the_nearest_recipe_says(root: Path) -> None:
    edit(root, "base", "image: 1", "image: 1\nsource: https://example.org/base")
    assert told(root)[f"{STANDARD}.source"] == "https://example.org/base"
    edit(root, "sandbox", "image: 1", "image: 1\nsource: https://example.org/own")
    assert told(root)[f"{STANDARD}.source"] == "https://example.org/own"


@pytest.mark.parametrize(
    ("metadata", "expression", "said"),
    [
        ("License-Expression: MIT and (BSD-2-Clause or Apache-2.0)", "MIT AND (BSD-2-Clause OR Apache-2.0)", None),
        ("License-Expression: MIT; see (there", "", None),
        ("Classifier: License :: OSI Approved :: MIT License\nLicense: mine", "MIT", None),
        ("Classifier: License :: OSI Approved :: BSD", "", "Classifier: License :: OSI Approved :: BSD"),
        ("Classifier: License :: OSI Approved :: MIT License\nClassifier: License :: OSI Approved :: Apache Software "
         "License", "", None),
        ("License: Copyright somebody\n        a text", "", "License: Copyright somebody"),
        ("Summary: nothing\n\nLicense-Expression: MIT", "", ""),
    ],
)  # fmt: skip
def test_a_licence_is_read_and_never_guessed(metadata: str, expression: str, said: str | None) -> None:
    found = metadata_licence(f"Metadata-Version: 2.4\nName: x\n{metadata}\n")
    assert found.expression == expression
    assert said is None or found.said == said


def test_licences_of_an_image_are_all_that_are_stated_and_one_for_the_rest() -> None:
    exact = [Licence(text, exact=True) for text in ("MIT AND 0BSD", "Apache-2.0 OR BSD-2-Clause", "MIT")]
    assert combine_licences(exact) == "(Apache-2.0 OR BSD-2-Clause) AND 0BSD AND MIT"
    assert combine_licences([*exact, Licence("ISC", "Classifier: …"), Licence()]).count(OTHERS) == 1
    assert "ISC" not in combine_licences([Licence("ISC", "Classifier: …")])


def test_a_kept_wheel_is_asked_and_one_without_metadata_is_refused(store: Store) -> None:
    assert wheel_licence(store.blobs, put(store.blobs, wheel_bytes("a", "1.0", {}), "a")) == Licence()
    with pytest.raises(InputError, match="no metadata that can be read"):
        wheel_licence(store.blobs, put(store.blobs, b"no zip", "b"))
