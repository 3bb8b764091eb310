"""Images of a store: config, manifest and layers as blobs, the list of images, and the project's image pins.

`lockfiles/images.json` pins the images of the project; a store's own list has the images in that store.
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

from harness.digest import canonical_json, document_digest, encode_document, parse_document, sha256
from harness.errors import DamageError, HarnessError, InputError, MissingError
from harness.files import translating_os_errors, write_atomic
from harness.images.layers.python import SITE
from harness.images.recipe import (
    OTHERS,
    Licence,
    LocatedRecipe,
    Recipe,
    combine_licences,
    copyright_licences,
    metadata_licence,
    read_debs,
    read_wheels,
    recipe_lineage,
)
from harness.manifest.documents import ImagePin
from harness.store.blobs import is_digest
from harness.store.store import Store
from harness.store.sweep import image_files, read_image

MOVED = "+moved"  # suffix of an image made of newer packages than the locked ones
PINS = "lockfiles/images.json"


@dataclass(frozen=True)
class Pin:
    """Digests that pin an image (OCI, `sha256:` and 64 hex digits); a tag is not a pin."""

    image_id: str
    manifest: str
    diff_ids: tuple[str, ...]

    def as_data(self) -> ImagePin:
        """Return the pin as plain data, as in images.json and locks."""
        return {"image_id": self.image_id, "manifest": self.manifest, "diff_ids": list(self.diff_ids)}


@dataclass(frozen=True)
class Image:
    """Image in a store: config, manifest and uncompressed layers are digests of blobs, layers lowest first."""

    name: str
    config: str
    manifest: str
    layers: tuple[str, ...]
    sources: Mapping[str, str]  # file name of each .deb and wheel in it → digest of its blob

    @property
    def pin(self) -> Pin:
        """The pin of this image, as in images.json; the image ID is the digest of its config."""
        return Pin(f"sha256:{self.config}", f"sha256:{self.manifest}", tuple(f"sha256:{one}" for one in self.layers))


def read_image_pins(root: Path) -> dict[str, Pin]:
    """Return the image pins of a project; empty if it has no images.json."""
    path = root / PINS
    if not path.is_file():
        return {}
    try:
        with translating_os_errors(path):
            body = parse_document(path.read_bytes(), "images/1", str(path))
        found = {
            name: Pin(one["image_id"], one["manifest"], tuple(one["diff_ids"])) for name, one in body["images"].items()
        }
        for pin in found.values():
            if not all(_is_oci(text) for text in (pin.image_id, pin.manifest, *pin.diff_ids)):
                raise ValueError
    except (LookupError, TypeError, AttributeError, ValueError) as bad:
        raise InputError(
            "this file is not what `harness images build` writes", where=str(path), next="restore it from git"
        ) from bad
    return found


def save_pins(root: Path, found: Mapping[str, Pin]) -> None:
    """Write the image pins of a project to `lockfiles/images.json`."""
    body = {"type": "images/1", "images": {name: pin.as_data() for name, pin in sorted(found.items())}}
    write_atomic(root / PINS, encode_document(body) + b"\n")


def _is_oci(text: object) -> bool:
    return isinstance(text, str) and text.startswith("sha256:") and is_digest(text.removeprefix("sha256:"))


def add_image(store: Store, image: Image) -> None:
    """Write an image's entry to the store's list; its blobs must be in the store, and `gc` keeps them."""
    body = {
        "type": "image/1",
        "name": image.name,
        "config": image.config,
        "manifest": image.manifest,
        "layers": list(image.layers),
        "sources": dict(image.sources),
    }
    store.tree.write_file(store.images / f"{image.config}.json", encode_document(body) + b"\n", mode=0o444)


def inventory_path(store: Store, image: Image) -> Path:
    """Return the path of the file in which a store keeps an image's inventory (its packages and licences)."""
    return store.images / "inventories" / f"{image.config}.spdx.json"


def remove_image(store: Store, image: Image) -> None:
    """Remove an image and its inventory from the store's list; the next `gc` deletes blobs that nothing else needs."""
    path = store.images / f"{image.config}.json"
    store.tree.remove(path)
    store.tree.remove(inventory_path(store, image))
    store.tree.sync_folder(path.parent)


def list_images(store: Store) -> list[Image]:
    """List the images of a store, sorted by name."""
    return sorted((_read(store, path) for path in image_files(store)), key=lambda image: (image.name, image.config))


def find_image(store: Store, image_id: str) -> Image | None:
    """Return an image by its ID, or None."""
    path = store.images / f"{image_id.removeprefix('sha256:')}.json"
    return _read(store, path) if _is_oci(image_id) and store.tree.facts(path) else None


def require_image(store: Store, image_id: str, name: str) -> Image:
    """Return an image by its ID, or raise a MissingError that says how to build or fetch it."""
    image = find_image(store, image_id)
    if image is None:
        raise MissingError(
            f"image {name} ({image_id[:19]}…) is not in this store",
            where=str(store.images),
            next=f"`harness images build {name}` makes it; `harness images pull {name} --from REGISTRY` fetches it",
        )
    return image


def _read(store: Store, path: Path) -> Image:
    """Read an entry of the list of images; its file name must be the image's ID."""
    try:
        body = read_image(store, path)
        image = Image(body["name"], body["config"], body["manifest"], tuple(body["layers"]), dict(body["sources"]))
        if image.config == path.stem and all(map(is_digest, (image.manifest, *image.layers, *image.sources.values()))):
            return image
    except (LookupError, TypeError, ValueError, HarnessError):
        pass
    raise MissingError(
        "this entry of an image cannot be read", where=str(path), next="remove it and `harness images build` again"
    )


CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"
PATH = "/usr/local/bin:/usr/bin:/bin"
STANDARD = "org.opencontainers.image"
LOCK = "llm-harness.image.lock"  # the harness's former name: the label is in the bytes of pinned images


def image_labels(line: Sequence[Recipe], sources: Mapping[str, str], found: Sequence[Licence]) -> dict[str, str]:
    """Return the labels of an image, which come from recipes and locks alone, because they are part of the image ID.

    The revision is that of the recipes, not of the repository, because a commit that does not change an image must not
    change its ID. A recipe's description (`about`) and the location of its lock do not change the ID either; the lock's
    packages do.
    """
    recipes = [
        one.model_dump(mode="json", exclude_defaults=True, exclude={"about", "requirements"})
        | {"heavy": sorted(one.heavy), "packages": sorted(one.packages)}
        for one in line
    ]
    source = next((one.source for one in reversed(line) if one.source), "")
    debian = [Licence()] if any(one.suite for one in line) else []  # licences as texts, not as expressions
    return {
        f"{STANDARD}.revision": f"sha256:{document_digest({'type': 'image-recipe/1', 'recipes': recipes})}",
        f"{STANDARD}.licenses": combine_licences([*debian, *found]) or OTHERS,
        LOCK: f"sha256:{document_digest({'type': 'image-lock/1', 'packages': dict(sources)})}",
        **({f"{STANDARD}.source": source} if source else {}),
    }


def encode_config(
    name: str, epoch: int, user: str, layers: Sequence[tuple[str, str]], more: Mapping[str, str] | None = None
) -> bytes:
    """Encode an image's config from its layers (title and SHA-256, lowest first); its digest is the image ID."""
    created = datetime.datetime.fromtimestamp(epoch, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    said = {f"{STANDARD}.created": created, f"{STANDARD}.title": name, **(more or {})}
    return canonical_json(
        {
            "architecture": "amd64",
            "os": "linux",
            "created": created,
            "config": {
                "Cmd": ["python3"],
                "Env": [f"PATH={PATH}", "PYTHONDONTWRITEBYTECODE=1"],
                "Labels": said,
                "User": user,
                "WorkingDir": "/",
            },
            "history": [{"created": created, "created_by": f"harness images build: {title}"} for title, _ in layers],
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}" for _, digest in layers]},
        }
    )


def encode_manifest(config: tuple[str, int], layers: Sequence[tuple[str, int]]) -> bytes:
    """Encode an image's manifest from the digests and sizes of its config and its uncompressed layers."""

    def refer(kind: str, digest: str, size: int) -> dict[str, str | int]:
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": size}

    return canonical_json(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": refer(CONFIG, *config),
            "layers": [refer(LAYER, *layer) for layer in layers],
        }
    )


STATUS = "var/lib/dpkg/status"
_COPYRIGHT = re.compile(r"usr/share/doc/([^/]+)/copyright")
_FOLDER = re.compile(r"usr/share/doc/([^/]+)")
_METADATA = re.compile(rf"{re.escape(SITE)}/([^/-]+)-([^/-]+)\.dist-info/METADATA")


@dataclass(frozen=True)
class LayerPackage:
    """Package found in an image: its kind, name and version, and its declared licence."""

    kind: str  # deb, pypi
    name: str
    version: str
    arch: str
    licence: Licence


def list_packages(store: Store, image: Image) -> list[LayerPackage]:
    """Return the packages of an image from its layers; each layer is read once, and only its small files."""
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
            yield LayerPackage("pypi", name, version, "", metadata_licence(_text(tar, member)))
    yield from _of_status(status, texts, links)


def _of_status(status: str, texts: Mapping[str, str], links: Mapping[str, str]) -> Iterator[LayerPackage]:
    """Yield the packages that dpkg's status file calls installed.

    A package's documentation folder may be a link to another package's folder.
    """
    for stanza in filter(None, status.split("\n\n")):
        fields = HeaderParser().parsestr(stanza)
        if str(fields["Status"]).endswith(" installed"):
            name = str(fields["Package"])
            text = texts.get(links.get(name, name))
            licence = copyright_licences(text) if text is not None else Licence(said="no copyright file")
            yield LayerPackage("deb", name, str(fields["Version"]), str(fields["Architecture"]), licence)


def _text(tar: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    file = tar.extractfile(member) if member.isreg() else None
    return file.read().decode("utf-8", errors="replace") if file else ""


UNKNOWN = "NOASSERTION"
_WHOLE = "SPDXRef-Image"
_REFERENCE = re.compile(r"LicenseRef-[A-Za-z0-9.-]+")


def make_inventory(store: Store, root: Path, image: Image) -> bytes:
    """Return the inventory of a stored image; raises DamageError if its layers have other packages than its locks."""
    line = recipe_lineage(root, image.name.removesuffix(MOVED))
    recipe = line[-1].recipe
    packages = [_package(one, digest, line[0].recipe.suite) for one, digest in _held(store, image, line)]
    created = datetime.datetime.fromtimestamp(recipe.epoch, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    body = _document(image, recipe, packages, created)
    name = uuid.uuid5(uuid.NAMESPACE_URL, sha256(canonical_json(body)))  # other contents get another name
    return canonical_json({**body, "documentNamespace": f"urn:uuid:{name}"}) + b"\n"


def keep_inventory(store: Store, root: Path, image: Image) -> None:
    """Write the inventory of an image beside the image's entry in the store."""
    store.tree.write_file(inventory_path(store, image), make_inventory(store, root, image), mode=0o444)


def _locked(line: Sequence[LocatedRecipe]) -> Iterator[tuple[str, str]]:
    """Yield the files and SHA-256 digests in the locks."""
    for one in line:
        if one.recipe.suite:
            yield from ((deb.file, deb.sha256) for deb in read_debs(one).packages)
        if path := one.requirements:
            wheels = read_wheels(path, path.relative_to(one.root).as_posix())
            yield from ((wheel.label, wheel.sha256) for wheel in wheels)


def _held(store: Store, image: Image, line: Sequence[LocatedRecipe]) -> Sequence[tuple[LayerPackage, str]]:
    """Match every package in the layers with its locked file; raises DamageError if the two lists differ.

    An image that was built here lists its files itself. One that was fetched is compared with the current locks.
    """
    listed = image.sources.items() or _locked(line)
    named = {file.lower() if file.endswith(".whl") else file: digest for file, digest in listed}
    found = {_file(one): one for one in list_packages(store, image)}
    if strange := sorted(named.keys() ^ found.keys()):
        raise DamageError(
            f"the layers of {image.name} and the list of what it was made of differ: {', '.join(strange[:5])}",
            where=str(store.images / f"{image.config}.json"),
            next=f"`harness images build {image.name}` makes it from its locks",
        )
    return [(package, named[file]) for file, package in sorted(found.items())]


def _file(package: LayerPackage) -> str:
    """Return the file name of a package as an image lists its sources."""
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
    """Return the SPDX fields that were not determined: files, concluded licence, copyright, download location."""
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
            "creators": ["Tool: repro-harness"],
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
    """Return the SPDX entries of licences outside the SPDX list, whose texts are in the packages."""
    users: dict[str, list[str]] = {}
    for package in packages:
        for one in _REFERENCE.findall(package["licenseDeclared"]):
            users.setdefault(one, []).append(package["name"])
    told = [
        {"licenseId": one, "extractedText": f"Named, without its text, by the metadata of {', '.join(names)}."}
        for one, names in sorted(users.items())
    ]
    return {"hasExtractedLicensingInfos": told} if told else {}
