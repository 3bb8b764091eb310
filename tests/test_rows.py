"""Rows are read as `json.loads` reads them, however a line is spelled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import rows

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
SPELLED = (
    b'{"a": 1}\n',
    b'  {"a": 1}\n',
    b'{"a": 1}\r\n',
    b'{"a": 1}',
    b'\xef\xbb\xbf{"a": 1}\n',
    b'{"a": "\xc3\xa9"} \n',
)


def _read(folder: Path, data: bytes) -> list[object]:
    file = folder / "rows.jsonl"
    file.write_bytes(data)
    return list(rows.read(file))


@given(VALUES)
def test_a_line_is_what_the_standard_library_makes_of_it(value: object) -> None:
    line = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
    assert rows._parse(line) == json.loads(line)


@pytest.mark.parametrize("line", SPELLED)
def test_other_spellings_are_rows_too(line: bytes, tmp_path: Path) -> None:
    assert _read(tmp_path, b'{"b": 2}\n' + line) == [{"b": 2}, json.loads(line)]


@pytest.mark.parametrize("line", [b'{"a": 1} {"b": 2}\n', b"\n", b"{\n", b'{"a": \xff}\n', b'{"a": 1}x', b"1\n2\n\n"])
def test_what_is_no_row_is_refused(line: bytes, tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        _read(tmp_path, line)


def test_parts_are_read_in_their_order(tmp_path: Path) -> None:
    for index in (1, 0, 2):
        (tmp_path / rows.part_name(index)).write_bytes(b"%d\n" % index)
    assert [str(row) for row in rows.read(tmp_path)] == ["0", "1", "2"]
