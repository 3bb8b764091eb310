"""Parquet is read as pyarrow writes it; what is not read is said, and damaged bytes are refused, never believed."""

from __future__ import annotations

import base64
import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from studies.questions.data.own_rows import made, refusal
from support_agents import peers_python

from harness.errors import InputError
from harness.studies.questions.data import snappy
from harness.studies.questions.data.parquet import BROKEN, ParquetFile
from harness.studies.questions.data.parquet_pages import UnreadableError
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
WRITER = """
import json, sys
import pyarrow as pa, pyarrow.parquet as pq
folder = sys.argv[1]
rows = json.load(open(folder + "/rows.json"))
kinds = {"question": pa.string(), "choices": pa.list_(pa.string()), "n": pa.int64(), "x": pa.float64(),
         "f": pa.float32(), "t": pa.bool_(), "maybe": pa.string(),
         "numbers": pa.large_list(pa.int32()), "u": pa.uint32()}
table = pa.Table.from_pylist(rows, pa.schema(list(kinds.items())))
for name, how in json.load(open(folder + "/how.json")).items():
    pq.write_table(table, f"{folder}/{name}.parquet", **how)
"""
HOW: dict[str, dict[str, Any]] = {
    "snappy": {},
    "gzip": {"compression": "gzip"},
    "none": {"compression": "none", "use_dictionary": False},
    "second": {"data_page_version": "2.0"},
    "plain-second": {"data_page_version": "2.0", "compression": "none", "use_dictionary": False},
    "small-pages": {"data_page_size": 64, "row_group_size": 7, "write_batch_size": 3},
}
OTHER = {
    "zstd": {"compression": "zstd"},
    "delta": {"use_dictionary": False, "column_encoding": {"n": "DELTA_BINARY_PACKED"}},
}


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


@pytest.mark.long
def test_every_usual_way_of_writing_gives_the_rows_that_were_written(tmp_path: Path) -> None:
    python = peers_python("pyarrow")
    rows = [
        {"question": f"What is {n}? " + "ü" * (n % 50), "choices": [f"c{n}", "same"] * (n % 3), "n": n - 50, "x": n / 7,
         "f": n / 10, "t": n % 3 == 0, "maybe": f"m{n % 5}" if n % 4 else None, "numbers": list(range(n % 6)),
         "u": 2**32 - 1 - n}
        for n in range(500)
    ]  # fmt: skip
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    (tmp_path / "how.json").write_text(json.dumps({**HOW, **OTHER}))
    subprocess.run([python, "-c", WRITER, str(tmp_path)], check=True, timeout=120)
    for name in HOW:
        assert rows_of(tmp_path / f"{name}.parquet", list(rows[0])) == rows, name
    for name in OTHER:
        with pytest.raises(UnreadableError, match="write it with"):
            rows_of(tmp_path / f"{name}.parquet", ["n"])
