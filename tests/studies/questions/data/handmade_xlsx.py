"""Workbooks written by hand, part by part, with the standard library: the cells are XML as a test gives it."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
# Styles of cells: 0 as it is, 1 a date, 2 date and time, 3 a time, 4 a format of one's own, 5 a percentage.
STYLES = f"""<styleSheet xmlns="{MAIN}"><numFmts count="1">
<numFmt numFmtId="170" formatCode="[$-407]d\\.\\ mmm\\ yyyy;@"/>
</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>
<xf numFmtId="22"/><xf numFmtId="21"/><xf numFmtId="170"/><xf numFmtId="9"/></cellXfs></styleSheet>"""


def text(value: str) -> str:
    """Give a cell that holds a text itself; `@` stands for its address."""
    return f'<c r="@" t="inlineStr"><is><t>{escape(value)}</t></is></c>'


def shared(place: int) -> str:
    """Give a cell that refers to a shared text."""
    return f'<c r="@" t="s"><v>{place}</v></c>'


def number(value: str, style: int = 0) -> str:
    """Give a cell that holds a number, in one of the styles above."""
    return f'<c r="@" s="{style}"><v>{value}</v></c>'


def formula(code: str, value: str | None, kind: str = "str") -> str:
    """Give a cell that holds a formula, and the value that was computed if there is one."""
    told = "" if value is None else f"<v>{escape(value)}</v>"
    return f'<c r="@" t="{kind}"><f>{escape(code)}</f>{told}</c>'


Cells = Sequence[Sequence[str | None]]  # XML of cells; a text that is no XML is a text, None no cell


def write_xlsx(
    path: Path,
    sheets: Mapping[str, Cells],
    *,
    texts: Sequence[str] = (),
    merged: Sequence[str] = (),
    hidden: Sequence[str] = (),
    more: Mapping[str, str] | None = None,
) -> Path:
    """Write a workbook; `texts` is the XML of shared texts, `merged` the ranges of every sheet."""
    state = {name: ' state="hidden"' if name in hidden else "" for name in sheets}
    named = "".join(
        f'<sheet name="{escape(name)}" sheetId="{at}" r:id="rId{at}"{state[name]}/>'
        for at, name in enumerate(sheets, start=1)
    )
    kinds = {f"rId{at}": ("worksheet", f"worksheets/sheet{at}.xml") for at, _ in enumerate(sheets, start=1)}
    kinds |= {"rIdT": ("sharedStrings", "sharedStrings.xml"), "rIdS": ("styles", "/xl/styles.xml")}
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": _related({"rId1": ("officeDocument", "xl/workbook.xml")}),
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{named}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _related(kinds),
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{"".join(f"<si>{one}</si>" for one in texts)}</sst>',
        "xl/styles.xml": STYLES,
        **{f"xl/worksheets/sheet{at}.xml": _sheet(rows, merged) for at, rows in enumerate(sheets.values(), start=1)},
        **(more or {}),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def _related(kinds: Mapping[str, tuple[str, str]]) -> str:
    said = "".join(
        f'<Relationship Id="{name}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for name, (kind, target) in kinds.items()
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{said}</Relationships>'


def _sheet(rows: Cells, merged: Sequence[str]) -> str:
    told = "".join(
        f'<row r="{at}">{"".join(_cell(cell, f"{_letters(place)}{at}") for place, cell in enumerate(row))}</row>'
        for at, row in enumerate(rows, start=1)
    )
    ranges = "".join(f'<mergeCell ref="{one}"/>' for one in merged)
    return f'<worksheet xmlns="{MAIN}"><sheetData>{told}</sheetData><mergeCells>{ranges}</mergeCells></worksheet>'


def _cell(cell: str | None, address: str) -> str:
    if cell is None:
        return ""
    return (cell if cell.startswith("<c ") else text(cell)).replace("@", address, 1)


def _letters(place: int) -> str:
    found = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        found = chr(ord("A") + rest) + found
    return found
