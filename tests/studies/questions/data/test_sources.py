"""Several files under one name are read as one, and a folder of texts and images as a table of its items."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from studies.questions.data.own_rows import QA, params

from harness import rows
from harness.errors import InputError
from harness.rows import part_name
from harness.studies.questions.data.maker import make

FORMATS = {".csv": "csv", ".jsonl": "jsonl"}
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def made(folder: Path, source: str, files: Mapping[str, bytes | str], fields: Mapping[str, Any] = QA) -> dict[str, Any]:
    """Make the dataset of several files; gives its tables."""
    (folder / "files").mkdir(parents=True)
    for place, name in enumerate(sorted(files)):
        data = files[name]
        (folder / "files" / part_name(place)).write_bytes(data.encode() if isinstance(data, str) else data)
    said = {"files": {"files": sorted(files), "absent": []}, "file": source, "format": "", "formats": FORMATS}
    make({**params(fields), **said}, {"files": folder / "files"}, folder)
    tables = ("items", "gold", *(["media"] if "image" in fields else []))
    return {name: list(rows.read(folder / name)) for name in tables}


def test_rows_of_several_files_follow_each_other_in_the_order_of_their_names(tmp_path: Path) -> None:
    files = {"data/b.csv": "question,answer\nOf Italy?,Rome\n", "data/a.csv": "question,answer\nOf France?,Paris\n",
             "data/c.jsonl": '{"question": "Of Peru?", "answer": "Lima"}\n'}  # fmt: skip
    tables = made(tmp_path, "data/*", files)
    assert [row["gold"]["target"] for row in tables["gold"]] == ["Paris", "Rome", "Lima"]
    assert [row["id"] for row in tables["items"]] == ["d-000001", "d-000002", "d-000003"]


@pytest.mark.parametrize(
    ("second", "what", "where"),
    [
        ("question,answer\nx,y\nz,\n", "the target is empty", "data/b.csv, row 2, column 'answer'"),
        ("question,reply\nx,y\n", "there is no column 'answer'", "data/b.csv, its first line"),
        ("question,answer,note\nx,y,z\n", "has the column 'note' besides, unlike data/a.csv", "data/b.csv"),
    ],
)
def test_what_is_wrong_in_one_of_several_files_is_told_with_its_own_place(
    tmp_path: Path, second: str, what: str, where: str
) -> None:
    with pytest.raises(InputError) as error:
        made(tmp_path, "data/*.csv", {"data/a.csv": "question,answer\nOf France?,Paris\n", "data/b.csv": second})
    assert what in error.value.what and error.value.where.startswith(where) and error.value.next


def test_a_file_of_an_unknown_kind_among_several_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not told by its name"):
        made(tmp_path, "data/*", {"data/a.csv": "question,answer\nx,y\n", "data/a.pdf": "x"})


def test_files_of_one_name_are_one_item_of_a_folder(tmp_path: Path) -> None:
    files = {"t/b/2.txt": "Second?\n", "t/b/2.answer": "two", "t/a/1.txt": "First?", "t/a/1.answer.txt": "one\n",
             "t/a/1.json": '{"hard": 0.50}'}  # fmt: skip
    fields = {"input": "text", "target": "answer", "group": ["folder", "hard"], "id": "name"}
    tables = made(tmp_path, "t/", files, fields)
    assert [(row["id"], row["input"]["text"], row["meta"]["group"]) for row in tables["items"]] == [
        ("d:1", "First?", {"folder": "a", "hard": "0.50"}), ("d:2", "Second?", {"folder": "b", "hard": ""}),
    ]  # fmt: skip
    assert [row["gold"]["target"] for row in tables["gold"]] == ["one", "two"]


def test_the_name_of_a_file_may_be_the_answer_and_an_image_what_is_asked(tmp_path: Path) -> None:
    files = {"p/cat_001.png": PNG, "p/dog-12.png": PNG}
    tables = made(tmp_path, "p/", files, {"input": "image", "image": "image", "target": "label"})
    assert [row["gold"]["target"] for row in tables["gold"]] == ["cat", "dog"]
    [one] = tables["media"]
    assert base64.b64decode(one["data"]) == PNG
    assert [row["attachments"] for row in tables["items"]] == [[{"sha256": one["id"], "type": "image/png"}]] * 2


@pytest.mark.parametrize(
    ("files", "fields", "what", "where"),
    [
        ({"t/1.txt": "x", "t/2.txt": "y", "t/1.answer": "z"}, {"input": "text", "target": "answer"},
         "the target is empty", "t/2.*, column 'answer'"),
        ({"t/1.txt": "x"}, {"input": "text", "target": "answer"}, "there is no column 'answer'", "t/"),
        ({"t/1.txt": "x", "t/1.md": "y"}, {"input": "text", "target": "name"}, "its 'text'", "t/1.txt"),
        ({"t/1.pdf": "x"}, {"input": "text", "target": "name"}, "holds no text and no image", "t/"),
        ({"t/1.png": b"GIF"}, {"input": "image", "image": "image", "target": "name"}, "image", "t/1.*, column 'image'"),
        ({"t/1.txt": b"\xff"}, {"input": "text", "target": "name"}, "not UTF-8", "t/1.txt"),
        ({"t/1.json": "[]"}, {"input": "text", "target": "name"}, "no JSON object", "t/1.json"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_folder_is_told_with_the_file(
    tmp_path: Path, files: dict[str, Any], fields: dict[str, str], what: str, where: str
) -> None:
    with pytest.raises(InputError) as error:
        made(tmp_path, "t/", files, fields)
    assert what in error.value.what and error.value.where == where and error.value.next


def test_a_table_names_no_images(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="images are read from a folder"):
        made(tmp_path, "data/*.csv", {"data/a.csv": "question,answer,image\nx,y,z.png\n"}, {**QA, "image": "image"})
