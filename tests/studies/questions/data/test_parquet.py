"""Parquet is read as it was written, however that was; what is not read is said, and damage ends no process of ours."""

from __future__ import annotations

import base64
import datetime
import json
import random
import resource
import struct
import sys
from collections.abc import Mapping
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from needs import OnceUsed, needs
from studies.questions.data.handmade_parquet import Claims, varint
from studies.questions.data.own_rows import made, refusal
from support_draws import drawn
from support_pace import soon

from harness.errors import InputError, MissingError
from harness.studies.questions.data import parquet_entry
from harness.studies.questions.data.parquet import ParquetFile, UnreadableError
from harness.studies.questions.data.tables import SourceFile, read

needs("polars", "duckdb")
pl, duckdb = OnceUsed("polars"), OnceUsed("duckdb")
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
MANY: list[dict[str, Any]] = [
    {"text": f"What is {n}? " + "ü" * (n % 50), "list": [f"c{n}", "same"] * (n % 3), "n": n - 50, "x": n / 7,
     "spotty": None if n % 5 == 0 else [None if n % 2 else "a", f"b{n}"][: n % 3],
     "maybe": f"m{n % 5}" if n % 4 else None, "t": None if n % 11 == 0 else n % 3 == 0, "numbers": list(range(n % 6))}
    for n in range(300)
]  # fmt: skip
READ = [{**row, "spotty": row["spotty"] or []} for row in MANY]  # no list, and one of nothing, are the same here


def rows_of(path: Path, columns: list[str] | None = None) -> list[dict[str, Any]]:
    """Read all rows of a file, with some columns or with all."""
    file = ParquetFile(path)
    return list(file.rows(file.names if columns is None else columns))


def written(path: Path, cells: Any, kind: Any = None) -> Path:
    """Write a column `c` of some cells."""
    pl.DataFrame({"c": pl.Series(cells, dtype=kind)}).write_parquet(path)
    return path


def come_out(path: Path, columns: Mapping[str, tuple[list[Any], Any]]) -> dict[str, list[Any]]:
    """Write columns, each of some cells of a type, and read them at once: to start a reader costs more than to read."""
    frame = {name: pl.Series(cells, dtype=kind) for name, (cells, kind) in columns.items()}
    pl.DataFrame(frame).write_parquet(path)
    rows = rows_of(path)
    return {name: [row[name] for row in rows] for name in columns}


def source(path: Path) -> SourceFile:
    """Give a file as a manifest speaks of it."""
    return SourceFile(path, "f", "parquet", "utf-8")


def readers_time() -> float:
    """Give the seconds that processes computed which this one started, and which have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def test_texts_numbers_lists_and_nothing_come_out_as_they_were_put_in(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(SMALL)
    file = ParquetFile(tmp_path / "f")
    assert file.names == COLUMNS
    assert list(file.rows(COLUMNS)) == ROWS
    assert list(file.rows([])) == [{}, {}, {}]


@pytest.mark.exhaustive
@pytest.mark.parametrize("codec", drawn(["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4"], 1, 3))
def test_however_polars_packs_a_file_its_rows_are_those_that_were_written(tmp_path: Path, codec: str) -> None:
    pl.DataFrame(MANY).write_parquet(tmp_path / "f", compression=codec, row_group_size=70, data_page_size=200)
    assert rows_of(tmp_path / "f") == READ


@pytest.mark.exhaustive
@pytest.mark.parametrize("version", drawn(["V1", "V2"], 1, 2))  # the second has deltas, and splits streams
@pytest.mark.parametrize("codec", drawn(["uncompressed", "lz4_raw", "zstd"], 1))
def test_however_duckdb_packs_a_file_its_rows_are_those_that_were_written(
    tmp_path: Path, version: str, codec: str
) -> None:
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in MANY))
    options = f"FORMAT parquet, PARQUET_VERSION {version}, COMPRESSION {codec}, ROW_GROUP_SIZE 100"
    with duckdb.connect() as to:
        to.execute(f"COPY (FROM '{tmp_path}/rows.jsonl') TO '{tmp_path}/f' ({options}, DICTIONARY_SIZE_LIMIT 1)")
    assert rows_of(tmp_path / "f", list(MANY[0])) == READ


def test_numbers_are_those_that_a_person_wrote(tmp_path: Path) -> None:
    small = [struct.unpack("<f", draw.to_bytes(4, "little"))[0] for draw in (1, 0x3DCCCCCD, 0x7F7FFFFF, 0xBF9D70A4)]
    none = [None] * 3
    columns: dict[str, tuple[list[Any], Any]] = {
        "f32": ([*small, None], pl.Float32),
        "f64": ([0.1, 1e300, *none], pl.Float64),
        "u64": ([2**64 - 1, 0, *none], pl.UInt64),
        "i64": ([-(2**63), 2**63 - 1, *none], pl.Int64),
        "odd": ([float("-inf"), float("inf"), float("nan"), None, 0.0], pl.Float64),
    }
    found = come_out(tmp_path / "f", columns)
    endless, other, nan, *rest = found.pop("odd")
    assert (endless, other, rest) == (float("-inf"), float("inf"), [None, 0.0]) and nan != nan
    assert found.pop("f32") == [1.4013e-45, 0.1, 3.4028235e38, -1.23, None]
    assert found == {name: columns[name][0] for name in ("f64", "u64", "i64")}


def test_what_is_a_text_or_a_list_by_another_name_is_read_as_one(tmp_path: Path) -> None:
    columns: dict[str, tuple[list[Any], Any]] = {
        "words": (["b", "a", None], pl.Categorical),
        "fixed words": (["b", None, "a"], pl.Enum(["a", "b"])),
        "bytes": (["ü".encode(), None, b""], pl.Binary),
        "pairs": ([["a", "b"], None, ["c", "d"]], pl.Array(pl.String, 2)),
        "records of one": ([{"only": "x"}, None, {"only": "y"}], pl.Struct({"only": pl.String})),
        "lists of them": ([[{"only": 1.5}, None], None, []], pl.List(pl.Struct({"only": pl.Float64}))),
        "lists in them": ([{"only": ["x"]}, None, None], pl.Struct({"only": pl.List(pl.String)})),
        "nothing": ([None, None, None], pl.Null),
        "times": ([datetime.timedelta(seconds=1), None, None], pl.Duration("us")),
    }
    assert come_out(tmp_path / "f", columns) == {
        "words": ["b", "a", None],
        "fixed words": ["b", None, "a"],
        "bytes": ["ü", None, ""],
        "pairs": [["a", "b"], [], ["c", "d"]],
        "records of one": ["x", None, "y"],
        "lists of them": [[1.5, None], [], []],
        "lists in them": [["x"], [], []],
        "nothing": [None, None, None],
        "times": [1_000_000, None, None],
    }


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("cell", "why", "named"),
    drawn(
        [
            (datetime.date(2020, 1, 1), "dates, times", True),
            (datetime.datetime(2020, 1, 1), "dates, times", True),
            (datetime.time(1), "dates, times", True),
            (Decimal("1.5"), "dates, times, decimals", True),
            ([datetime.date(2020, 1, 1)], "dates, times", True),
            ({"one": 1, "other": 2}, "records", False),
            ([{"one": 1, "other": 2}], "records", False),
            ([["a"]], "lists of lists", False),
        ],
        1,
        8,
    ),
)
def test_what_is_not_read_is_said_with_what_to_write_instead(tmp_path: Path, cell: Any, why: str, named: bool) -> None:
    written(tmp_path / "f", [cell, None])
    assert ParquetFile(tmp_path / "f").names == ["c"] * named  # no field asks for a record
    with pytest.raises(InputError, match="a column is written in a way that is not read here") as bad:
        list(read(source(tmp_path / "f"), ["c"]))
    assert bad.value.where == "f" and why in bad.value.next and "write" in bad.value.next


def test_an_interval_keeps_nobody_from_the_other_columns(tmp_path: Path) -> None:
    with duckdb.connect() as to:
        to.execute(f"COPY (SELECT INTERVAL 1 DAY AS much, 'x' AS c) TO '{tmp_path}/f' (FORMAT parquet)")
    assert rows_of(tmp_path / "f", ["c"]) == [{"c": "x"}]


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    written(tmp_path / "f", [b"a", b"\xff"])
    with pytest.raises(InputError, match="a text is not UTF-8"):
        list(read(source(tmp_path / "f"), ["c"]))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", drawn(["*", "^.*$", "c", ""], 1, 2))
def test_a_column_is_found_by_its_name_alone(tmp_path: Path, name: str) -> None:
    pl.DataFrame({"left": [1], name: [2], "right": [3]}).write_parquet(tmp_path / "f")
    file = ParquetFile(tmp_path / "f")
    assert list(file.rows([name])) == [{name: 2}]
    assert list(file.rows(["right", name, "left"])) == [{"right": 3, name: 2, "left": 1}]


def test_a_path_is_one_file_whatever_it_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "s3:" / "year=2020"
    folder.mkdir(parents=True)
    written(folder / "[ab]*.parquet", ["right"])
    written(folder / "a.parquet", ["wrong"])
    monkeypatch.chdir(tmp_path)
    assert rows_of(Path("s3://year=2020/[ab]*.parquet")) == [{"c": "right"}]
    with pytest.raises(OSError):
        ParquetFile(folder)


def test_rows_keep_their_order_and_nobody_need_read_all(tmp_path: Path) -> None:
    pl.DataFrame({"c": range(24_000)}).write_parquet(tmp_path / "f", row_group_size=5_000)
    file = ParquetFile(tmp_path / "f")
    rows = file.rows(["c"])
    assert [row["c"] for row in islice(rows, 12_000)] == list(range(12_000))
    del rows  # and its reader ends
    assert list(file.rows(["c"]))[-1] == {"c": 23_999}


def test_without_polars_it_is_said_what_brings_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f").write_bytes(SMALL)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingError, match="polars") as bad:
        list(read(source(tmp_path / "f"), COLUMNS))
    assert bad.value.code == 3 and "repro-harness[tables]" in bad.value.next


@pytest.mark.long
def test_a_file_of_questions_may_be_parquet(tmp_path: Path) -> None:
    fields = {"input": "question", "options": "choices", "target": "right"}
    bad = refusal(tmp_path, SMALL, fields, format="parquet")
    assert (bad.what, bad.where) == (
        "there are 0 options, and a choice has 2 to 26",
        "data/d.csv, row 1, column 'choices'",
    )
    found = made(tmp_path, SMALL, fields, format="parquet", where=[["question", ["Q1", "Q2"]]])
    assert found.answers == ["B", "A"]


@pytest.mark.long
def test_a_column_that_a_parquet_file_lacks_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path, SMALL, format="parquet").what == "there is no column 'answer'"


NO_PARQUET = [b"", b"PAR1", b"question,answer\na,b\n", SMALL[:-1], SMALL[:200] + SMALL[-8:]]


@pytest.mark.exhaustive
@pytest.mark.parametrize("data", drawn(NO_PARQUET, 2, 5))
def test_what_is_no_parquet_file_is_refused(tmp_path: Path, data: bytes) -> None:
    assert refusal(tmp_path, data, format="parquet").what == "this is no well-formed Parquet file"


@pytest.mark.exhaustive
def test_a_file_that_was_cut_off_is_refused_wherever_it_ends(tmp_path: Path) -> None:
    for end in drawn(range(len(SMALL)), 1, 8):
        (tmp_path / "f").write_bytes(SMALL[:end])
        with pytest.raises(InputError, match="no well-formed Parquet"):
            list(read(source(tmp_path / "f"), COLUMNS))


@pytest.mark.exhaustive
def test_a_damaged_file_is_refused_or_read_and_never_a_crash(tmp_path: Path) -> None:
    pl.DataFrame(MANY).write_parquet(tmp_path / "large", compression="zstd", data_page_size=500)
    large, refused = (tmp_path / "large").read_bytes(), 0
    cases = drawn(range(600), 3, 20)
    for case in cases:
        draw, data = random.Random(case), bytearray(large if case % 2 else SMALL)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        (tmp_path / "f").write_bytes(data)
        try:
            list(read(source(tmp_path / "f"), list(MANY[0]) if case % 2 else COLUMNS))
        except InputError as bad:
            assert bad.where.startswith("f") and bad.next
            refused += 1
    assert refused or len(cases) < 20  # of a few it may be none


RUN = b"\x06\0\0\0" + b"\xfe\xff\xff\xff\x0f\x01"  # levels: two thousand million times 1
HUGE, LARGEST = 2**40, 2**31 - 1
LIES = [
    Claims(rows=HUGE),
    Claims(rows=HUGE, group=HUGE),
    Claims(rows=HUGE, group=HUGE, values=HUGE),
    Claims(rows=3),
    Claims(rows=9),
    Claims(group=3),
    Claims(group=HUGE),
    Claims(rows=10**7, group=10**7, values=10**7, page=LARGEST),
    Claims(rows=-1),
    Claims(rows=-5, group=-5, values=-5),
    Claims(packed=LARGEST),
    Claims(unpacked=-1, packed=-5),
    Claims(begin=HUGE),
    Claims(begin=-4),
    Claims(column=HUGE),
    Claims(column=-1),
    *(Claims(codec=codec, unpacked=LARGEST) for codec in (1, 3, 6)),
    Claims(optional=True, body=RUN, page=10**9),
    Claims(optional=True, body=RUN, rows=10**7, group=10**7, values=10**7, page=10**7),
    Claims(encoding=5, body=b"\x80\x01\x04\xff\xff\xff\xff\x07\x02" + bytes(40), page=10**7, rows=10**7, group=10**7),
    Claims(second={1: 5, 2: 0, 3: 5, 4: 0, 5: 10**9, 6: 10**9}),
    Claims(rows=parquet_entry.MOST_ROWS + 1, group=parquet_entry.MOST_ROWS + 1),
]


def test_a_file_spelled_by_hand_is_read_where_it_says_the_truth(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(Claims().file())
    assert rows_of(tmp_path / "f") == [{"n": number} for number in range(5)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("lie", drawn(range(len(LIES)), 1, 6))
def test_a_file_that_says_more_than_there_is_takes_neither_room_nor_time(tmp_path: Path, lie: int) -> None:
    (tmp_path / "f").write_bytes(LIES[lie].file())
    begin = readers_time()
    with pytest.raises(InputError) as bad:
        list(read(source(tmp_path / "f"), ["n"]))
    assert bad.value.where == "f" and bad.value.next
    assert soon(readers_time() - begin, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_few_bytes_that_are_many_rows_are_read_as_they_are_asked_for(tmp_path: Path) -> None:
    count, body = 10**7, varint(2 * 10**7) + b"\0"  # so many times nothing
    levels = len(body).to_bytes(4, "little") + body
    claims = Claims(optional=True, body=levels, rows=count, group=count, values=count, page=count)
    (tmp_path / "f").write_bytes(claims.file())
    assert list(islice(ParquetFile(tmp_path / "f").rows(["n"]), 1000)) == [{"n": None}] * 1000


def test_a_row_that_is_too_long_is_named(tmp_path: Path) -> None:
    written(tmp_path / "f", ["x", "y" * ((1 << 20) + 1)])
    with pytest.raises(InputError, match="the row has more than 1,048,576 characters") as bad:
        list(read(source(tmp_path / "f"), ["c"]))
    assert bad.value.where == "f, row 2"


@pytest.mark.long
def test_a_row_of_which_no_part_is_too_long_is_named_as_well(tmp_path: Path) -> None:
    written(tmp_path / "f", [["x"], ["y" * parquet_entry.LONGEST]])
    with pytest.raises(InputError, match="the row has more than 16,777,216 characters") as bad:
        list(read(source(tmp_path / "f"), ["c"]))
    assert bad.value.where == "f, row 2"


@pytest.mark.parametrize(
    ("says", "what"),
    [
        ("", "damaged, or takes too much memory"),
        ('["c", "plain"]', "damaged, or takes too much memory"),
        ('["c", "plain"]\n{"rows":', "damaged, or takes too much memory"),
        ('["c", "plain"]\n{"rows": 2}\n', "no well-formed Parquet"),
        ('["c"]\n', "no well-formed Parquet"),
        ("[" * 100_000 + "\n", "no well-formed Parquet"),
        ("no JSON\n", "no well-formed Parquet"),
        ('{"refused": ["so"]}\n', "no well-formed Parquet"),
        pytest.param("x" * (5 * parquet_entry.LONGEST), "damaged, or takes too much memory", marks=pytest.mark.long),
    ],
)
def test_a_reader_that_a_file_has_taken_over_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, what: str
) -> None:
    (tmp_path / "says").write_text(says)
    (tmp_path / "reader.py").write_text(f"import sys\nsys.stdout.write(open({str(tmp_path / 'says')!r}).read())\n")
    monkeypatch.setattr(parquet_entry, "__file__", str(tmp_path / "reader.py"))
    with pytest.raises(UnreadableError, match=what):
        ParquetFile(tmp_path / "says")
