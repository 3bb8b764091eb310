"""The verb `images inventory`: what an image holds, package by package, with licences (SPDX)."""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field

from harness.digest import sha256
from harness.files import write_atomic
from harness.images.inventory import inventory as write
from harness.verbs.images import named
from harness.verbs.project import PathText, Project, Request, Result

FORMAT = "SPDX-2.3"


class InventoryRequest(Request):
    """Request of `images inventory`: which image, and the file that the inventory is written to, if any."""

    name: str = Field(description="An image, by the name of its recipe in images/.")
    output: PathText | None = Field(default=None, description="Write the inventory to this file.")


class InventoryResult(Result):
    """Result of `images inventory`: the path of the file it was written to, else the document itself."""

    name: str
    image_id: str
    format: str
    sha256: str  # of the document's bytes, which are the same on every machine
    packages: int
    path: str = ""
    document: dict[str, Any] = Field(default_factory=dict)


def inventory(project: Project, asked: InventoryRequest) -> InventoryResult:
    """Make the inventory of a stored image: packages, digests, and the licences they state (SPDX).

    It is written to `output` where that is given, else it stands in the result.
    """
    store = project.open()
    image = named(project, store, asked.name)
    data = write(store, project.root, image)
    document = json.loads(data)
    more: dict[str, Any] = {"document": document}
    if asked.output is not None:
        path = project.path(asked.output)
        write_atomic(path, data)
        more = {"path": str(path)}
    return InventoryResult(
        name=image.name, image_id=image.pin.image_id, format=FORMAT, sha256=sha256(data),
        packages=len(document["packages"]) - 1, **more,
    )  # fmt: skip
