"""The rows' fields are said once: the page of the architecture has them as `rowtypes` does; a reader changes no row."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NotRequired, get_origin, get_type_hints

import pytest

from harness import rows, rowtypes

PAGE = Path(__file__).resolve().parents[1] / "docs" / "architecture.md"


@pytest.mark.parametrize("name", ["Item", "Gold", "Prompt", "Response", "Judgement", "Score"])
def test_the_page_has_the_fields_of_every_row(name: str) -> None:
    said = re.search(rf"\nRows: [^#]*?`{name}`\s+\{{(.*?)\}}", PAGE.read_text(), re.DOTALL)
    assert said
    either_or = said.group(1).replace("text | messages", "text?, messages?")
    fields = get_type_hints(getattr(rowtypes, name), include_extras=True)
    optional = {field for field, kind in fields.items() if get_origin(kind) is NotRequired}
    assert set(re.split(r",\s+", either_or)) == {f"{field}?" if field in optional else field for field in fields}


def test_a_typed_reader_gives_the_rows_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "items").write_bytes(b'{"id":"a","more":1}\n{"id":"b"}\n')
    assert list(rows.read(tmp_path / "items", rowtypes.Item)) == [{"id": "a", "more": 1}, {"id": "b"}]
