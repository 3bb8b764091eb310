"""Somebody else's reader of SPDX finds nothing wrong with an inventory, and reads out of it what went in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support_inventory import SOURCES, handmade, project

from harness.images.image import make_inventory
from harness.store.store import Store

needs("spdx_tools")


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from spdx_tools.spdx.parser.parse_anything import parse_file

    root = project(tmp_path_factory.mktemp("project"))
    store = Store.make(root / ".harness")
    path = Path(root / "list.spdx.json")
    path.write_bytes(make_inventory(store, root, handmade(store)))
    return parse_file(str(path))


def test_the_validator_has_nothing_to_say(document: Any) -> None:
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

    assert [found.validation_message for found in validate_full_spdx_document(document)] == []


def test_the_reader_finds_every_package_by_its_digest(document: Any) -> None:
    found = {one.checksums[0].value for one in document.packages if one.name != "sandbox"}
    assert found == set(SOURCES.values())


def test_the_validator_would_have_spoken(document: Any) -> None:
    from copy import deepcopy

    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

    broken = deepcopy(document)
    broken.packages[1].spdx_id = "no id"
    broken.extracted_licensing_info = []
    assert validate_full_spdx_document(broken)
