"""Files that are far too large in one way or another, through the command line: refused soon and in little memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from studies.questions.hostile.file_project import FileProject

HUNDRED = 100 << 20
LITTLE = "resources: {memory: 128MiB}\n"  # what each step may take; the engine ends one that takes more


def _cell(path: Path) -> None:
    with open(path, "wb") as out:
        out.write(b"question,answer\nWho?,x\n")
        out.write(b"a" * HUNDRED + b",y\n")


def _quoted(path: Path) -> None:
    with open(path, "wb") as out:
        out.write(b'question,answer\nWho?,x\n"')
        for _ in range(HUNDRED >> 20):
            out.write(b"line\n" * ((1 << 20) // 5))
        out.write(b'",y\n')


def _header(path: Path) -> None:
    path.write_bytes(b"question,answer," + b"x," * (HUNDRED // 2) + b"z\n")


TOO_LARGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "a cell of 100 MB": (_cell, "row 2"),
    "a quoted cell of 100 MB over lines": (_quoted, "row 2"),
    "a header of 100 MB": (_header, "mine.csv"),
}


@pytest.mark.parametrize("form", TOO_LARGE)
def test_what_is_far_too_large_is_refused_by_its_place(tmp_path: Path, form: str) -> None:
    make, where = TOO_LARGE[form]
    project = FileProject(tmp_path)
    make(project.path)
    error = project.write(rest=LITTLE).refused()
    assert "mine.csv" in error["where"] and where in error["where"], error


def test_a_line_of_json_of_100_mb_is_refused_by_its_row(tmp_path: Path) -> None:
    project = FileProject(tmp_path, "", "mine.jsonl")
    with open(project.path, "wb") as out:
        out.write(b'{"question": "Who?", "answer": "x"}\n{"question": "')
        out.write(b"a" * HUNDRED + b'", "answer": "y"}\n')
    assert "row 2" in project.write(rest=LITTLE).refused()["where"]


def test_very_many_rows_are_read_without_holding_them(tmp_path: Path) -> None:
    project = FileProject(tmp_path)
    with open(project.path, "w") as out:
        out.write("question,answer\n")
        out.writelines(f"What is {place}?,{'x' * 200}\n" for place in range(200_000))
    assert len(project.write(more="count: 50", rest=LITTLE).asked()) == 50
