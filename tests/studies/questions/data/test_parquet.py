"""Parquet is read as pyarrow writes it; what is not read is said, and damaged bytes are refused, never believed."""

from __future__ import annotations

import base64
import random
from pathlib import Path
from typing import Any

import pytest
from studies.questions.data.own_rows import made, refusal

from harness.errors import InputError
from harness.studies.questions.data import snappy
from harness.studies.questions.data.parquet import BROKEN, ParquetFile
from harness.studies.questions.data.parquet_pages import BYTES, Leaf, pages
from harness.studies.questions.data.tables import SourceFile, read
from harness.studies.questions.data.thrift import MalformedError

# Three rows with a list in each but the first, written by pyarrow 26 with Snappy and dictionaries.
SMALL = base64.b64decode(
    "UEFSMRUEFSQVKEwVBhUAEgAAEkQCAAAAUTACAAAAUTECAAAAUTIVABUUFRgsFQYVEBUGFQYcAAAACiQCAAAABgECAyQAFQQVIhUmTBUGFQASAA"
    "ARQAEAAAB1AgAAAHYxAgAAAHYyFQAVIhUmLBUKFRAVBhUGHAAAABFAAgAAAAMUAwAAAAP8AwIDhAAVBBUQFRRMFQQVABIAAAgcAAAAAAEAAAAV"
    "ABUSFRYsFQYVEBUGFQYcAAAACSACAAAABgEBAwIVBBUKFQ5MFQIVABIAAAUQAQAAAG0VABUSFRYsFQYVEBUGFQYcAAAACSACAAAAAwEBAgAVBB"
    "l8NQAYBnNjaGVtYRUIABUMJQIYCHF1ZXN0aW9uJQBMHAAAADUCGAdjaG9pY2VzFQIVBkw8AAAANQQYBGxpc3QVAgAVDCUCGAdlbGVtZW50JQBM"
    "HAAAABUCJQIYBXJpZ2h0ABUMJQIYBW1heWJlJQBMHAAAABYGGRwZTCYAHBUMGTUABhAZGAhxdWVzdGlvbhUCFgYWehaCASZMJggpLBUEFQAVAg"
    "AVABUQFQIAPBYMGQYZJgAGAAAAJgAcFQwZNQAGEBk4B2Nob2ljZXMEbGlzdAdlbGVtZW50FQIWChaGARaOASbMASaKASksFQQVABUCABUAFRAV"
    "AgA8FgwZJgYEGUYCAAAIAAAAJgAcFQIZNQAGEBkYBXJpZ2h0FQIWBhZkFmwmyAImmAIpLBUEFQAVAgAVABUQFQIAPCkGGSYABgAAACYAHBUMGT"
    "UABhAZGAVtYXliZRUCFgYWXhZmJq4DJoQDKSwVBBUAFQIAFQAVEBUCADwWAhkGGSYEAgAAABbCAxYGJggW4gMAKCBwYXJxdWV0LWNwcC1hcnJv"
    "dyB2ZXJzaW9uIDI2LjAuMRlMHAAAHAAAHAAAHAAAAL4BAABQQVIx"
)
COLUMNS = ["question", "choices", "right", "maybe"]
ROWS: list[dict[str, Any]] = [
    {"question": "Q0", "choices": [], "right": 0, "maybe": "m"},
    {"question": "Q1", "choices": ["u", "v1"], "right": 1, "maybe": None},
    {"question": "Q2", "choices": ["u", "v2"], "right": 0, "maybe": None},
]


def rows_of(path: Path, columns: list[str]) -> list[dict[str, Any]]:
    """Read all rows of a file with some columns."""
    return list(ParquetFile(path).rows(columns))


def test_texts_numbers_lists_and_nothing_come_out_as_they_were_put_in(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(SMALL)
    assert ParquetFile(tmp_path / "f").names == COLUMNS
    assert rows_of(tmp_path / "f", COLUMNS) == ROWS
    assert rows_of(tmp_path / "f", ["maybe"]) == [{"maybe": row["maybe"]} for row in ROWS]


def test_a_file_of_questions_may_be_parquet(tmp_path: Path) -> None:
    fields = {"input": "question", "options": "choices", "target": "right"}
    bad = refusal(tmp_path, SMALL, fields, format="parquet")
    assert (bad.what, bad.where) == (
        "there are 0 options, and a choice has 2 to 26",
        "data/d.csv, row 1, column 'choices'",
    )
    found = made(tmp_path, SMALL, fields, format="parquet", where=[["question", ["Q1", "Q2"]]])
    assert found.answers == ["B", "A"]
    assert refusal(tmp_path, SMALL, format="parquet").what == "there is no column 'answer'"


@pytest.mark.parametrize("data", [b"", b"PAR1", b"question,answer\na,b\n", SMALL[:-1], SMALL[:200] + SMALL[-8:]])
def test_what_is_no_parquet_file_is_refused(tmp_path: Path, data: bytes) -> None:
    assert refusal(tmp_path, data, format="parquet").what == "this is no well-formed Parquet file"


def test_a_damaged_file_is_refused_or_read_and_never_a_crash(tmp_path: Path) -> None:
    draw, refused = random.Random(7), 0
    for _ in range(600):
        data = bytearray(SMALL)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        (tmp_path / "f").write_bytes(data)
        try:
            list(read(SourceFile(tmp_path / "f", "f", "parquet", "utf-8"), COLUMNS))
        except InputError:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize(
    ("packed", "plain"),
    [
        (b"\x00", b""),
        (b"\x05\x10hello", b"hello"),
        (b"\x0a\x04ab\x1e\x02\x00", b"ab" * 5),  # a copy that reaches into itself
        (b"\x46\xf0\x45" + b"x" * 70, b"x" * 70),
        (b"\x08\x0cabcd\x01\x04", b"abcdabcd"),
    ],
)
def test_snappy_is_unpacked_as_its_format_says(packed: bytes, plain: bytes) -> None:
    assert snappy.unpack(packed, len(plain)) == plain
    for length in (len(plain) + 1, 1 << 40):
        with pytest.raises(MalformedError):
            snappy.unpack(packed, length)
    for cut in range(len(packed)):
        with pytest.raises(BROKEN):
            snappy.unpack(packed[:cut], len(plain))


def message(fields: dict[int, Any]) -> bytes:
    """Write numbers and structs as Thrift's compact protocol does."""
    out, last = b"", 0
    for number, value in fields.items():
        kind = 12 if isinstance(value, dict) else 5
        out += bytes([(number - last) << 4 | kind])
        out += message(value) if isinstance(value, dict) else number_bytes(value)
        last = number
    return out + b"\0"


def number_bytes(value: int) -> bytes:
    """Write a signed number in groups of seven bits."""
    left, out = (value << 1) ^ (value >> 63), b""
    while left > 127:
        out, left = out + bytes([left & 127 | 128]), left >> 7
    return out + bytes([left])


RUN = b"\x06\0\0\0" + b"\xfe\xff\xff\xff\x0f\x01"  # definition levels: two thousand million times 1


@pytest.mark.parametrize(
    "head",
    [
        {1: 0, 2: len(RUN), 3: len(RUN), 5: {1: 10**9, 2: 0}},
        {1: 0, 2: 10**11, 3: len(RUN), 5: {1: 5, 2: 0}},
        {1: 0, 2: len(RUN), 3: 10**11, 5: {1: 5, 2: 0}},
        {1: 0, 2: -1, 3: -5, 5: {1: 5, 2: 0}},
        {1: 0, 2: len(RUN), 3: len(RUN), 5: {1: -1, 2: 0}},
        {1: 0, 2: len(RUN), 3: len(RUN), 5: {1: 4_000_000, 2: 0}},
        {1: 3, 2: len(RUN), 3: len(RUN), 8: {1: 5, 4: 0, 5: 10**9, 6: 10**9}},
        {1: 2, 2: len(RUN), 3: len(RUN), 7: {1: 10**9, 2: 0}},
        {},
    ],
)
def test_a_page_that_says_more_than_there_is_takes_neither_room_nor_time(head: dict[int, Any]) -> None:
    with pytest.raises(BROKEN):
        list(pages(message(head) + RUN, Leaf(BYTES, 1, 0), 0, 10**12))
