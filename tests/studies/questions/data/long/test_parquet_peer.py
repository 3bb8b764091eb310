"""Parquet as pyarrow writes it, in every way that it can, and cut off anywhere; pyarrow is no part of this."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support_agents import peers_python
from support_draws import drawn

from harness.errors import InputError
from harness.studies.questions.data.parquet import ParquetFile
from harness.studies.questions.data.tables import SourceFile, read

WRITER = """
import json, sys
import pyarrow as pa, pyarrow.parquet as pq
folder = sys.argv[1]
rows = json.load(open(folder + "/rows.json"))
text, number = pa.string(), pa.int32()
kinds = {"question": text, "choices": pa.list_(text), "spotty": pa.list_(text), "n": pa.int64(), "x": pa.float64(),
         "f": pa.float32(), "t": pa.bool_(), "maybe": text, "numbers": pa.large_list(number), "u": pa.uint32(),
         "small": pa.int8(), "wide": pa.large_string(), "none": text, "word": pa.dictionary(number, text)}
table = pa.Table.from_pylist(rows, pa.schema(list(kinds.items())))
for name, how in json.load(open(folder + "/how.json")).items():
    pq.write_table(table, f"{folder}/{name}.parquet", **how)
"""
WAYS: list[dict[str, Any]] = [
    {"compression": packed, "use_dictionary": words, "data_page_version": version, **size}
    for packed in ("snappy", "gzip", "none", "zstd", "brotli", "lz4")
    for words in (True, False)
    for version in ("1.0", "2.0")
    for size in ({}, {"data_page_size": 64, "row_group_size": 37, "write_batch_size": 3})
]
DELTAS = {"n": "DELTA_BINARY_PACKED", "question": "DELTA_BYTE_ARRAY", "wide": "DELTA_LENGTH_BYTE_ARRAY"}
WAYS += [
    {"use_dictionary": False, "column_encoding": {**DELTAS, "x": "BYTE_STREAM_SPLIT", "f": "BYTE_STREAM_SPLIT"}},
    {"store_schema": False, "use_compliant_nested_type": False, "write_statistics": False},
    {"write_page_index": True, "write_page_checksum": True, "version": "1.0"},
]
ROWS: list[dict[str, Any]] = [
    {"question": f"What is {n}? " + "ü" * (n % 50), "choices": [f"c{n}", "same"] * (n % 3), "n": n - 50, "x": n / 7,
     "spotty": None if n % 5 == 0 else [None if n % 2 else "a", f"b{n}"][: n % 3], "f": n / 10,
     "t": None if n % 11 == 0 else n % 3 == 0, "maybe": f"m{n % 5}" if n % 4 else None, "numbers": list(range(n % 6)),
     "u": 2**32 - 1 - n, "small": n % 256 - 128, "wide": "w" * (n % 9), "none": None, "word": f"word {n % 3}"}
    for n in range(300)
]  # fmt: skip
READ = [{**row, "spotty": row["spotty"] or []} for row in ROWS]  # no list, and one of nothing, are the same here


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder in which pyarrow wrote the rows in each way."""
    python, found = peers_python("pyarrow"), tmp_path_factory.mktemp("parquet")
    (found / "rows.json").write_text(json.dumps(ROWS))
    (found / "how.json").write_text(json.dumps({str(at): how for at, how in enumerate(WAYS)}))
    subprocess.run([python, "-c", WRITER, str(found)], check=True, timeout=120)
    return found


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_every_way_of_writing_gives_the_rows_that_were_written(folder: Path, way: int) -> None:
    found = ParquetFile(folder / f"{way}.parquet")
    assert sorted(found.names) == sorted(ROWS[0])
    for row, wanted in zip(found.rows(found.names), READ, strict=True):
        assert row == wanted


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", drawn([0, 1, 9], 1))
def test_a_file_that_was_cut_off_is_refused_wherever_it_ends(folder: Path, tmp_path: Path, way: int) -> None:
    data = (folder / f"{way}.parquet").read_bytes()
    for end in drawn(range(0, len(data), len(data) // 60), 8):
        (tmp_path / "f").write_bytes(data[:end])
        with pytest.raises(InputError, match="no well-formed Parquet"):
            list(read(SourceFile(tmp_path / "f", "f", "parquet", "utf-8"), ["question"]))


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", drawn([0, 1, 9], 1))
def test_a_file_of_which_a_part_is_lost_is_refused_or_read(folder: Path, tmp_path: Path, way: int) -> None:
    data = (folder / f"{way}.parquet").read_bytes()
    for begin in drawn(range(0, len(data), len(data) // 20), 3):
        for hole in (b"", b"\xff" * 9, b"\0" * 200):
            (tmp_path / "f").write_bytes(data[:begin] + hole + data[begin + 9 :])
            try:
                list(read(SourceFile(tmp_path / "f", "f", "parquet", "utf-8"), list(ROWS[0])))
            except InputError as bad:
                assert bad.where.startswith("f") and bad.next
