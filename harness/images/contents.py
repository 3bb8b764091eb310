"""Packages inside an image's layers, read from dpkg's status and wheels' metadata, with the licences these state."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.parser import HeaderParser

from harness.errors import DamageError
from harness.files import translating_os_errors
from harness.images.image import Image
from harness.images.layers.python import SITE
from harness.images.licences import Licence, of_copyright, of_metadata
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
