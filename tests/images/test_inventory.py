"""An inventory lists what an image's layers hold, as its locks name it, and knows nothing that was not read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support_images import change
from support_inside import inside
from support_inventory import DEBIAN, SOURCES, WHEELS, handmade, project

from harness.digest import sha256
from harness.errors import DamageError
from harness.images.image import inventory_path, keep_inventory, make_inventory
from harness.images.layers.python import SITE
from harness.images.recipe import copyright_licences
from harness.store.store import Store
from harness.verbs.images import inventory as verb
from harness.verbs.project import Project
from harness.verbs.requests import InventoryRequest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return project(tmp_path / "project")


@pytest.fixture
def store(root: Path) -> Store:
    return Store.make(root / ".harness")


def packages(data: bytes) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in json.loads(data)["packages"]}


def test_every_package_stands_with_its_version_address_digest_and_licence(root: Path, store: Store) -> None:
    image = handmade(store)
    found = packages(make_inventory(store, root, image))
    assert set(found) == {"sandbox", "bash", "libstdc++6", "numpy", "rfc-8785", "gt-all"}
    told = {
        name: (one["versionInfo"], one["externalRefs"][0]["referenceLocator"], one["licenseDeclared"])
        for name, one in found.items()
    }
    distro = "arch=amd64&distro=bookworm"
    own = "LicenseRef-Own-Words"
    assert told["bash"] == (
        "1:5.2+b1~x", f"pkg:deb/debian/bash@1%3A5.2%2Bb1~x?{distro}", "GPL-3.0-or-later AND MIT"
    )  # fmt: skip
    assert told["libstdc++6"] == ("12.2.0-14", f"pkg:deb/debian/libstdc%2B%2B6@12.2.0-14?{distro}", "NOASSERTION")
    assert found["libstdc++6"]["licenseComments"] == "The package says: a copyright file in free words"
    assert told["numpy"] == ("2.4.6", "pkg:pypi/numpy@2.4.6", "BSD-3-Clause AND Zlib")
    assert told["gt-all"] == ("1.0+cpu", "pkg:pypi/gt-all@1.0%2Bcpu", own)
    assert told["rfc-8785"][2] == "NOASSERTION" and "Apache Software License" in found["rfc-8785"]["licenseComments"]
    assert found["numpy"]["checksums"] == [{"algorithm": "SHA256", "checksumValue": SOURCES["numpy-2.4.6.whl"]}]
    assert found["sandbox"]["versionInfo"] == image.pin.image_id
    assert image.pin.manifest in found["sandbox"]["comment"]


def test_the_document_describes_the_image_which_contains_every_package(root: Path, store: Store) -> None:
    document = json.loads(make_inventory(store, root, handmade(store)))
    related = {(one["spdxElementId"], one["relationshipType"]) for one in document["relationships"]}
    assert related == {("SPDXRef-DOCUMENT", "DESCRIBES"), ("SPDXRef-Image", "CONTAINS")}
    contained = {one["relatedSpdxElement"] for one in document["relationships"]}
    assert contained == {one["SPDXID"] for one in document["packages"]}
    [own] = document["hasExtractedLicensingInfos"]
    assert own["licenseId"] == "LicenseRef-Own-Words" and "gt-all" in own["extractedText"]


def test_inventory_bytes_follow_from_the_image_and_name_its_content(root: Path, store: Store) -> None:
    image = handmade(store)
    first = make_inventory(store, root, image)
    (root / "images" / "sandbox" / "image.yaml").touch()
    assert make_inventory(store, root, image) == first
    other = make_inventory(store, root, replace(image, sources={**SOURCES, "numpy-2.4.6.whl": sha256(b"other")}))
    assert json.loads(other)["documentNamespace"] != json.loads(first)["documentNamespace"]


@pytest.mark.parametrize(
    ("sources", "debian", "wheels"),
    [
        ({name: digest for name, digest in SOURCES.items() if not name.startswith("numpy")}, DEBIAN, WHEELS),
        ({**SOURCES, "scipy-1.0.whl": "a" * 64}, DEBIAN, WHEELS),
        (SOURCES, {**DEBIAN, "var/lib/dpkg/status": DEBIAN["var/lib/dpkg/status"].replace("12.2", "12.3")}, WHEELS),
        (SOURCES, DEBIAN, {**WHEELS, f"{SITE}/new-1.dist-info/METADATA": ""}),
        ({}, DEBIAN, WHEELS),  # an image that was fetched: its layers are not what the locks say
    ],
)
def test_an_image_with_other_packages_than_its_locks_gets_no_inventory(
    root: Path, store: Store, sources: Any, debian: Any, wheels: Any
) -> None:
    image = handmade(store, debian, wheels, sources)
    with pytest.raises(DamageError, match="the list of what it was made of differ: "):
        make_inventory(store, root, image)


def test_an_image_that_was_fetched_is_held_against_the_locks(root: Path, store: Store) -> None:
    from support_inventory import SOURCES as LISTED

    lock = root / "lockfiles" / "image-sandbox.txt"
    wheels = {name: digest for name, digest in LISTED.items() if name.endswith(".whl")}
    pairs = [(name.removesuffix(".whl").rpartition("-"), digest) for name, digest in wheels.items()]
    lock.write_text("".join(f"{name}=={version} --hash=sha256:{digest}\n" for (name, _, version), digest in pairs))
    debs = root / "images" / "base" / "debs.json"
    body = json.loads(debs.read_text())
    split = [name.removesuffix(".deb").replace("%3a", ":").split("_") for name in LISTED if name.endswith(".deb")]
    body["packages"] = [
        {"arch": arch, "name": name, "sha256": digest, "size": 1, "version": version}
        for (name, version, arch), digest in zip(split, LISTED.values(), strict=False)
    ]
    debs.write_text(json.dumps(body, sort_keys=True, separators=(",", ":")) + "\n")
    fetched, made = handmade(store, sources={}), handmade(store)
    assert make_inventory(store, root, fetched) == make_inventory(store, root, made)


def test_a_damaged_layer_is_named(root: Path, store: Store) -> None:
    image = handmade(store)
    change(store, image.layers[0], 5)
    with pytest.raises(DamageError, match="a layer of sandbox is changed"):
        make_inventory(store, root, image)


def test_the_inventory_lies_beside_the_image_and_goes_with_it(root: Path, store: Store) -> None:
    image = handmade(store)
    keep_inventory(store, root, image)
    kept = inventory_path(store, image).read_bytes()
    assert inside("images", "inventory", "sandbox", cwd=root, check=0).stdout.encode() == kept
    assert inside("fsck", cwd=root).returncode == inside("gc", cwd=root).returncode == 0
    inside("images", "rm", "sandbox", cwd=root, check=0)
    assert not inventory_path(store, image).exists()


def test_the_verb_gives_the_document_or_writes_it(root: Path, store: Store) -> None:
    image = handmade(store)
    given = verb(Project.at(root), InventoryRequest(name="sandbox"))
    assert (given.packages, given.image_id, given.format) == (5, image.pin.image_id, "SPDX-2.3")
    done = inside("images", "inventory", "sandbox", "-o", "list.json", "--json", cwd=root, check=0)
    written = json.loads(done.stdout)
    data = (root / "list.json").read_bytes()
    assert written["sha256"] == given.sha256 == sha256(data)
    assert json.loads(data) == given.document and "document" not in written
    missing = inside("images", "inventory", "cpu", cwd=root)
    assert "no image 'cpu' in this store" in missing.stderr


@pytest.mark.parametrize(
    ("text", "expression", "said"),
    [
        ("Format: x\n\nLicense: GPL-2+\n\nLicense: LGPL-2.1\n x\n", "GPL-2.0-or-later AND LGPL-2.1-only", "GPL-2+"),
        ("Format: x\n\nLicense: GPL-2+\n\nLicense: public-domain\n", "", "copyright file: GPL-2+, public-domain"),
        ("Format: x\n\nLicense: GPL-2+ or Artistic\n", "", "GPL-2+ or Artistic"),
        ("Format: x\nno names\n", "", ""),
        ("License: GPL-2\n", "", "free words"),
    ],
)
def test_a_copyright_file_is_read_as_far_as_its_names_mean_one_licence(text: str, expression: str, said: str) -> None:
    found = copyright_licences(text)
    assert found.expression == expression and said in found.said
