"""An image made by hand whose layers hold what a real one holds of its packages: dpkg's list, texts and metadata."""

from __future__ import annotations

import io
import shutil
import tarfile
from collections.abc import Mapping
from pathlib import Path

from support import REPOSITORY

from harness.digest import sha256
from harness.images.image import Image, add_image
from harness.images.layers.python import SITE
from harness.store.store import Store

STATUS = """Package: bash
Status: install ok installed
Architecture: amd64
Version: 1:5.2+b1~x

Package: libstdc++6
Status: install ok installed
Architecture: amd64
Version: 12.2.0-14
Description: shared
 with a line

Package: removed
Status: deinstall ok config-files
Architecture: all
Version: 1
"""
DEBIAN = {
    "var/lib/dpkg/status": STATUS,
    "usr/share/doc/bash/copyright": "Format: https://x\n\nFiles: *\nLicense: GPL-3+\n\nFiles: a\nLicense: Expat\n",
    "usr/share/doc/gcc-12-base/copyright": "This is the GNU C++ library.\n",
    "usr/share/doc/libstdc++6": "-> gcc-12-base",
}
WHEELS = {
    f"{SITE}/numpy-2.4.6.dist-info/METADATA": "Metadata-Version: 2.4\nLicense-Expression: BSD-3-Clause AND Zlib\n",
    f"{SITE}/Gt_All-1.0+cpu.dist-info/METADATA": "License-Expression: LicenseRef-Own-Words\n",
    f"{SITE}/rfc_8785-0.1.4.dist-info/METADATA": "Classifier: License :: OSI Approved :: Apache Software License\n",
    f"{SITE}/rfc_8785/METADATA": "License-Expression: MIT\n",
}
SOURCES = {
    name: sha256(name.encode())
    for name in (
        "bash_1%3a5.2+b1~x_amd64.deb", "libstdc++6_12.2.0-14_amd64.deb", "numpy-2.4.6.whl", "rfc-8785-0.1.4.whl",
        "Gt-All-1.0+cpu.whl",
    )
}  # fmt: skip


def layer(store: Store, files: Mapping[str, str]) -> str:
    """Keep a layer that holds these files; a text that begins with an arrow is a link."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            if text.startswith("-> "):
                info.type, info.linkname = tarfile.SYMTYPE, text.removeprefix("-> ")
                tar.addfile(info)
            else:
                info.size = len(text.encode())
                tar.addfile(info, io.BytesIO(text.encode()))
    return store.blobs.put(buffer.getvalue())


def handmade(
    store: Store, debian: Mapping[str, str] = DEBIAN, wheels: Mapping[str, str] = WHEELS,
    sources: Mapping[str, str] = SOURCES,
) -> Image:  # fmt: skip
    """Shelve an image under the name `sandbox`."""
    layers = (layer(store, debian), layer(store, wheels))
    image = Image("sandbox", store.blobs.put(b"a config"), store.blobs.put(b"a manifest"), layers, sources)
    add_image(store, image)
    return image


def project(folder: Path) -> Path:
    """Copy the recipes and their locks into a project that pins no image."""
    shutil.copytree(REPOSITORY / "images", folder / "images")
    (folder / "lockfiles").mkdir()
    shutil.copy(REPOSITORY / "lockfiles" / "image-sandbox.txt", folder / "lockfiles")
    return folder
