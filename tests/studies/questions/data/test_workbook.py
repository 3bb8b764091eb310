"""A sheet of a workbook is read as its CSV export is: texts, numbers, dates, formulas by value, merged cells filled."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from studies.questions.data.handmade_xlsx import MAIN, formula, number, shared, text, write_xlsx
from support_draws import drawn

from harness.errors import InputError
from harness.studies.questions.data.tables import SourceFile, read

QUESTIONS: list[list[str | None]] = [["question", "answer"], ["Of France?", "Paris"], ["Of Italy?", "Rome"]]


def told(path: Path, columns: Sequence[str] = ("question", "answer"), sheet: str = "") -> list[tuple[int, Any]]:
    """Give the rows of a workbook with their numbers."""
    return [
        (at, tuple(row[name] for name in columns))
        for at, row in read(SourceFile(path, "d.xlsx", "xlsx", "utf-8", sheet), columns)
    ]


def refused(path: Path, columns: Sequence[str] = ("question", "answer"), sheet: str = "") -> InputError:
    """Give the error by which a workbook is refused."""
    with pytest.raises(InputError) as error:
        told(path, columns, sheet)
    assert error.value.next and "d.xlsx" in error.value.where
    return error.value


def test_rows_are_numbered_below_the_names_and_empty_ones_are_skipped(tmp_path: Path) -> None:
    rows: list[list[str | None]] = [[], *QUESTIONS[:2], ["", "  "], [], QUESTIONS[2]]
    assert told(write_xlsx(tmp_path / "d", {"S": rows})) == [(1, ("Of France?", "Paris")), (4, ("Of Italy?", "Rome"))]


def test_shared_texts_are_whole_without_how_they_are_spoken(tmp_path: Path) -> None:
    texts = ["<t>question</t>", "<r><t>Of </t></r><r><t xml:space='preserve'>Japan?</t></r><rPh><t>x</t></rPh>",
             "<t>a_x000D_\nb_x005F_</t>"]  # fmt: skip
    path = write_xlsx(tmp_path / "d", {"S": [[shared(0), "answer"], [shared(1), shared(2)]]}, texts=texts)
    assert told(path) == [(1, ("Of Japan?", "a\nb_"))]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (number("3"), "3"), (number("3.0"), "3"), (number("0.1"), "0.1"), (number("0.30000000000000004"), "0.3"),
        (number("1E-3"), "0.001"), (number("123456789012"), "123456789012"), (number("0.5", 5), "0.5"),
        (number("45352", 1), "2024-03-01"), (number("45352.5", 2), "2024-03-01T12:00:00"),
        (number("1e999"), "1e999"), (number("nan", 1), "nan"),
        (number("0.75", 3), "18:00:00"), (number("45352", 4), "2024-03-01"), (number("1", 1), "1900-01-01"),
        ('<c r="@" t="b"><v>1</v></c>', "true"), ('<c r="@" t="b"><v>0</v></c>', "false"),
        ('<c r="@" t="d"><v>2024-03-01</v></c>', "2024-03-01"), (formula("A1&amp;B1", "Paris"), "Paris"),
        (formula("6*7", "42", "n"), "42"), (text("=6*7"), "=6*7"),
    ],
)  # fmt: skip
def test_a_cell_has_the_value_that_its_reader_sees(tmp_path: Path, cell: str, value: str) -> None:
    assert told(write_xlsx(tmp_path / "d", {"S": [QUESTIONS[0], ["Which?", cell]]})) == [(1, ("Which?", value))]


def test_a_merged_cell_has_its_value_in_every_row_and_column_that_it_covers(tmp_path: Path) -> None:
    rows: list[list[str | None]] = [
        ["passage", "question", "answer"],
        ["Long ago.", "When?", "ago"],
        [None, "Who?", "nobody"],
        ["Now.", "x", None],
    ]
    path = write_xlsx(tmp_path / "d", {"S": rows}, merged=["A2:A3", "B4:C4"])
    assert [row for _, row in told(path, ("passage", "question", "answer"))] == [
        ("Long ago.", "When?", "ago"), ("Long ago.", "Who?", "nobody"), ("Now.", "x", "x")
    ]  # fmt: skip


def test_the_only_sheet_that_holds_something_is_read_and_of_several_one_is_named(tmp_path: Path) -> None:
    one = write_xlsx(tmp_path / "one", {"Empty": [], "Own": QUESTIONS, "Lists": [["x"]]}, hidden=["Lists"])
    assert [at for at, _ in told(one)] == [1, 2]
    two = write_xlsx(tmp_path / "two", {"First": QUESTIONS, "Other": QUESTIONS[:2]})
    error = refused(two)
    assert "several sheets" in error.what and "'First', 'Other'" in error.next and "--part" in error.next
    assert len(told(two, sheet="Other")) == 1
    assert "no sheet 'Third'" in refused(two, sheet="Third").what
    assert "is empty" in refused(write_xlsx(tmp_path / "none", {"S": []})).what


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        (formula("A1", None), "a formula whose value is not in the file"),
        ('<c r="@" t="e"><v>#N/A</v></c>', "an error of the spreadsheet"),
        (number("1e9", 1), "a date that no calendar has"),
    ],
)
def test_a_cell_without_a_value_is_refused_where_it_is_asked_for(tmp_path: Path, cell: str, what: str) -> None:
    path = write_xlsx(tmp_path / "d", {"S": [*QUESTIONS, ["Which?", cell]]})
    error = refused(path)
    assert what in error.what and error.where == "d.xlsx, row 3, column 'answer'"
    assert len(told(path, ["question"])) == 3


def test_columns_that_are_missing_or_stand_twice_are_told(tmp_path: Path) -> None:
    titled = write_xlsx(tmp_path / "d", {"S": [["My quiz", None], *QUESTIONS]}, merged=["A1:B1"])
    assert "no column 'question'" in refused(titled).what and "'My quiz'" in refused(titled).next
    twice = write_xlsx(tmp_path / "e", {"S": [["question", "answer", "answer"], ["x", "y", "z"]]})
    assert "'answer' stands 2 times" in refused(twice).what


BOMB = (
    f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><worksheet xmlns="{MAIN}"><sheetData/></worksheet>'
)


NO_ADDRESS = f'<worksheet xmlns="{MAIN}"><sheetData><row r="1"><c r="AAAA1"/>'


@pytest.mark.parametrize("sheet", [BOMB, NO_ADDRESS, "<worksheet>", ""])
def test_xml_that_is_malformed_or_defines_entities_is_refused(tmp_path: Path, sheet: str) -> None:
    path = write_xlsx(tmp_path / "d", {"S": QUESTIONS}, more={"xl/worksheets/sheet1.xml": sheet})
    assert "no well-formed .xlsx" in refused(path).what


@pytest.mark.parametrize(
    ("data", "what"),
    [(b"question,answer\n", "no well-formed .xlsx"), (b"", "no well-formed .xlsx"),
     (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "an old workbook (.xls), or one with a password")],
)  # fmt: skip
def test_what_is_no_workbook_is_told(tmp_path: Path, data: bytes, what: str) -> None:
    (tmp_path / "d").write_bytes(data)
    assert what in refused(tmp_path / "d").what


def test_a_part_that_grows_beyond_its_bound_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_xlsx(tmp_path / "d", {"S": QUESTIONS * 5000})
    monkeypatch.setattr("harness.studies.questions.data.workbook.MOST_PART", 1 << 17)
    assert "a part of it is too large" in refused(path).what
    with zipfile.ZipFile(path) as archive:
        assert archive.getinfo("xl/worksheets/sheet1.xml").file_size > 1 << 17


SHEET = "xl/worksheets/sheet1.xml"
CELL = "<c><v>1</v></c>"
NAMES = "<worksheet><row><c t='str'><v>question</v></c><c t='str'><v>answer</v></c></row>"
RELATED = "".join(f'<Relationship Id="{at}"/>' for at in range(1_001))


GROWN = {
    "deep": (SHEET, "<worksheet>" + "<a>" * 101 + "</a>" * 101 + "</worksheet>"),
    "columns": (SHEET, f"<worksheet><row>{CELL * 16_385}</row></worksheet>"),
    "cell": (SHEET, f'<worksheet><row><c t="str"><v>{"x" * ((1 << 20) + 1)}</v></c></row></worksheet>'),
    "merged": (SHEET, NAMES + "".join(f'<mergeCell ref="B{at}:A1"/>' for at in range(2, 100_003)) + "</worksheet>"),
    "unknown encoding": (SHEET, '<?xml version="1.0" encoding="nosuch"?><worksheet/>'),
    "no encoding of text": (SHEET, '<?xml version="1.0" encoding="hex"?><worksheet/>'),
    "styles": ("xl/styles.xml", f"<styleSheet><cellXfs>{'<xf/>' * 65_537}</cellXfs></styleSheet>"),
    "relations": ("xl/_rels/workbook.xml.rels", f"<r>{RELATED}</r>"),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("how", drawn(GROWN, 2, len(GROWN)))
def test_a_workbook_that_grows_beyond_the_format_s_bounds_is_refused(tmp_path: Path, how: str) -> None:
    part, xml = GROWN[how]
    path = write_xlsx(tmp_path / "d", {"S": QUESTIONS}, more={part: xml})
    error = refused(path)
    assert "too large" in error.what or "merged" in error.what


@pytest.mark.parametrize("change", ["name", "version", "directory"])
def test_an_archive_that_is_broken_in_any_place_is_refused(tmp_path: Path, change: str) -> None:
    path = write_xlsx(tmp_path / "d", {"S": QUESTIONS}, more={"\u00fc": ""})
    data = bytearray(path.read_bytes())
    listed, end = data.find(b"PK\x01\x02"), data.find(b"PK\x05\x06")
    if change == "name":
        data = data.replace("\u00fc".encode(), b"\xff\xfe")
    elif change == "version":
        data[listed + 6] = 99
    else:
        data[end + 16 : end + 20] = b"\xff\xff\xff\x7f"
    path.write_bytes(data)
    refused(path)


def test_half_a_sign_is_replaced_and_two_halves_are_one(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "d", {"S": [QUESTIONS[0], ["_xD83D__xDE00_?", "a_xD800_b"]]})
    assert told(path) == [(1, ("\U0001f600?", "a\ufffdb"))]
