"""Inventory of an image (SBOM, SPDX 2.3): every locked package, as found in its layers, with its licence.

Its bytes follow from the image and its recipe alone: no time of day, no machine, and nothing that was looked up.
"""

from __future__ import annotations

import datetime
import re
import tarfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

from harness.digest import canonical, sha256
from harness.errors import DamageError
from harness.files import translating_os_errors
from harness.images.image import MOVED, Image, inventory_path
from harness.images.layers.python import SITE
from harness.images.recipe import (
    Licence,
    LocatedRecipe,
    Recipe,
    lineage,
    of_copyright,
    of_metadata,
    read_debs,
    read_wheels,
)
from harness.store.store import Store

STATUS = "var/lib/dpkg/status"
_COPYRIGHT = re.compile(r"usr/share/doc/([^/]+)/copyright")
_FOLDER = re.compile(r"usr/share/doc/([^/]+)")
_METADATA = re.compile(rf"{re.escape(SITE)}/([^/-]+)-([^/-]+)\.dist-info/METADATA")


@dataclass(frozen=True)
class LayerPackage:
    """Package found in an image: its kind, name and version, and the licence it states."""

    kind: str  # deb, pypi
    name: str
    version: str
    arch: str
    licence: Licence


def contents(store: Store, image: Image) -> list[LayerPackage]:
    """List the packages of an image from its layers; each layer is read once, and only its small files."""
    found: list[LayerPackage] = []
    for digest in image.layers:
        path = store.blobs.path(digest)
        if (state := store.blobs.state(digest)) != "sound":
            raise DamageError(
                f"a layer of {image.name} is {state}",
                where=str(path),
                next=f"`harness images build {image.name}` makes it again",
            )
        with translating_os_errors(path), tarfile.open(path, "r:") as tar:
            found += _of_layer(tar)
    return sorted(found, key=lambda one: (one.kind, one.name, one.version, one.arch))


def _of_layer(tar: tarfile.TarFile) -> Iterator[LayerPackage]:
    status = ""
    texts: dict[str, str] = {}
    links: dict[str, str] = {}
    for member in tar:
        if member.name == STATUS:
            status = _text(tar, member)
        elif match := _COPYRIGHT.fullmatch(member.name):
            texts[match[1]] = _text(tar, member)
        elif (match := _FOLDER.fullmatch(member.name)) and member.issym():
            links[match[1]] = member.linkname
        elif match := _METADATA.fullmatch(member.name):
            name, version = re.sub(r"[-_.]+", "-", match[1]).lower(), match[2].replace("_", "+").lower()
            yield LayerPackage("pypi", name, version, "", of_metadata(_text(tar, member)))
    yield from _of_status(status, texts, links)


def _of_status(status: str, texts: Mapping[str, str], links: Mapping[str, str]) -> Iterator[LayerPackage]:
    """Find the packages that dpkg's status file calls installed; documentation may be a link to another's folder."""
    for stanza in filter(None, status.split("\n\n")):
        fields = HeaderParser().parsestr(stanza)
        if str(fields["Status"]).endswith(" installed"):
            name = str(fields["Package"])
            text = texts.get(links.get(name, name))
            licence = of_copyright(text) if text is not None else Licence(said="no copyright file")
            yield LayerPackage("deb", name, str(fields["Version"]), str(fields["Architecture"]), licence)


def _text(tar: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    file = tar.extractfile(member) if member.isreg() else None
    return file.read().decode("utf-8", errors="replace") if file else ""


UNKNOWN = "NOASSERTION"
_WHOLE = "SPDXRef-Image"
_REFERENCE = re.compile(r"LicenseRef-[A-Za-z0-9.-]+")


def inventory(store: Store, root: Path, image: Image) -> bytes:
    """Make the inventory of a stored image; one whose layers hold other packages than its locks is refused."""
    line = lineage(root, image.name.removesuffix(MOVED))
    recipe = line[-1].recipe
    packages = [_package(one, digest, line[0].recipe.suite) for one, digest in _held(store, image, line)]
    created = datetime.datetime.fromtimestamp(recipe.epoch, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    body = _document(image, recipe, packages, created)
    name = uuid.uuid5(uuid.NAMESPACE_URL, sha256(canonical(body)))  # another content has another name
    return canonical({**body, "documentNamespace": f"urn:uuid:{name}"}) + b"\n"


def keep(store: Store, root: Path, image: Image) -> None:
    """Make the inventory of an image and write it beside the image's entry in the store."""
    store.tree.write_file(inventory_path(store, image), inventory(store, root, image), mode=0o444)


def _locked(line: Sequence[LocatedRecipe]) -> Iterator[tuple[str, str]]:
    """List the files and SHA-256 that the locks name."""
    for one in line:
        if one.recipe.suite:
            yield from ((deb.file, deb.sha256) for deb in read_debs(one).packages)
        if path := one.requirements:
            wheels = read_wheels(path, path.relative_to(one.root).as_posix())
            yield from ((wheel.label, wheel.sha256) for wheel in wheels)


def _held(store: Store, image: Image, line: Sequence[LocatedRecipe]) -> Sequence[tuple[LayerPackage, str]]:
    """Match every package in the layers with the locked file it came from; refuse where the two lists differ.

    An image that was built here names its files itself; one that was fetched is held against the locks as they are.
    """
    listed = image.sources.items() or _locked(line)
    named = {file.lower() if file.endswith(".whl") else file: digest for file, digest in listed}
    found = {_file(one): one for one in contents(store, image)}
    if strange := sorted(named.keys() ^ found.keys()):
        raise DamageError(
            f"the layers of {image.name} and the list of what it was made of differ: {', '.join(strange[:5])}",
            where=str(store.images / f"{image.config}.json"),
            next=f"`harness images build {image.name}` makes it from its locks",
        )
    return [(package, named[file]) for file, package in sorted(found.items())]


def _file(package: LayerPackage) -> str:
    """File name of a package as an image lists its sources."""
    if package.kind == "pypi":
        return f"{package.name}-{package.version}.whl"
    return f"{package.name}_{package.version.replace(':', '%3a')}_{package.arch}.deb"


def _package(one: LayerPackage, digest: str, suite: str) -> dict[str, Any]:
    if one.kind == "deb":
        where = f"pkg:deb/debian/{quote(one.name)}@{quote(one.version)}?arch={one.arch}&distro={suite}"
    else:
        where = f"pkg:pypi/{one.name}@{quote(one.version)}"
    said = one.licence.said
    return {
        "SPDXID": f"SPDXRef-{one.kind}-{re.sub(r'[^a-z0-9.-]', '-', one.name)}-{digest[:12]}",
        "name": one.name,
        "versionInfo": one.version,
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
        "externalRefs": [_purl(where)],
        "licenseDeclared": one.licence.expression or UNKNOWN,
        **({"licenseComments": f"The package says: {said}"} if said else {}),
        **_unread(),
    }


def _purl(where: str) -> dict[str, str]:
    return {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": where}


def _unread() -> dict[str, Any]:
    """SPDX fields that nobody determined: single files, concluded licence, copyright, download location."""
    return {"filesAnalyzed": False, "licenseConcluded": UNKNOWN, "copyrightText": UNKNOWN, "downloadLocation": UNKNOWN}


def _document(image: Image, recipe: Recipe, packages: Sequence[Mapping[str, Any]], created: str) -> dict[str, Any]:
    whole = {
        "SPDXID": _WHOLE,
        "name": image.name,
        "versionInfo": image.pin.image_id,
        "summary": recipe.about,
        "comment": f"Image ID (the SHA-256 of its config) {image.pin.image_id}, manifest {image.pin.manifest}.",
        "checksums": [{"algorithm": "SHA256", "checksumValue": image.config}],
        "externalRefs": [_purl(f"pkg:oci/{quote(image.name)}@{quote(image.pin.manifest)}?arch=amd64")],
        "primaryPackagePurpose": "CONTAINER",
        "licenseDeclared": UNKNOWN,
        **_unread(),
    }
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{image.name}-{image.config[:12]}",
        "creationInfo": {
            "created": created,
            "creators": ["Tool: llm-harness"],
            "comment": "The time is the epoch of the recipe, so that equal images have equal inventories.",
        },
        "packages": [whole, *packages],
        "relationships": [_related("SPDXRef-DOCUMENT", "DESCRIBES", _WHOLE)]
        + [_related(_WHOLE, "CONTAINS", one["SPDXID"]) for one in packages],
        **_extracted(packages),
    }


def _related(one: str, how: str, other: str) -> dict[str, str]:
    return {"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other}


def _extracted(packages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """SPDX entry of a licence outside the SPDX list: its text lies in the package."""
    users: dict[str, list[str]] = {}
    for package in packages:
        for one in _REFERENCE.findall(package["licenseDeclared"]):
            users.setdefault(one, []).append(package["name"])
    told = [
        {"licenseId": one, "extractedText": f"Named, without its text, by the metadata of {', '.join(names)}."}
        for one, names in sorted(users.items())
    ]
    return {"hasExtractedLicensingInfos": told} if told else {}
