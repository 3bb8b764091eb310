"""The maker of BIOGR from its authors' repository: images, annotations and captions, listed by an index.

google-research/ecology-georeferencing at commit b62976643135 has 114 of the 138 records. UNVERIFIED: that a caption is
the text of the record's input, and that the boxes equal those of the archive.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.kit.file_set import file_set
from harness.models.media import image_row
from harness.studies.curie.data.file_texts import ADVICE, decode, read_object, unicode_text
from harness.studies.curie.data.geojson_box import bounding_box
from harness.studies.curie.data.making import UNUSABLE, opened_folder, write_task
from harness.studies.curie.data.published import COUNT, EXPECTED, RECORD_ID, SHOWN, PublishedFiles, ideal_answer
from harness.studies.curie.data.records import TaskRecord

REPOSITORY = "repository"
TASK = "biogr"
INDEXES = ("index.csv", "index.jsonl")
NAMED = ("geojson_filename", "image_filename", "caption", "difficulty")  # columns of the index that are read


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write items, gold, images and counts of the map task BIOGR from its repository, and prompts if they are given.

    Raises InputError if an index, an annotation or an image is not sound, or if a prompt is not the published one.
    """
    files = opened_folder(file_set(params, inputs, REPOSITORY))
    records, counts = read_repository(files, params.get(UNUSABLE, ""))
    write_task(params, inputs, out, records, {**counts, "source": "authors' repository", "official": False})


def read_repository(files: PublishedFiles, unusable: str = "") -> tuple[list[TaskRecord], dict[str, Any]]:
    """Return the maps in the index whose image and annotation are present, with counts of the others.

    Raises InputError for a record that cannot be read, unless `unusable` is `count`, and for a record listed twice.
    """
    folder, rows = read_index(files)
    records: dict[str, TaskRecord] = {}
    refused: dict[str, str] = {}
    lost = []
    for where, row in rows:
        name = row["geojson_filename"].removesuffix(".geojson")
        if name in records or name in refused or name in lost or not RECORD_ID.fullmatch(name):
            raise InputError("a record is listed twice, or has no name", where=where, next=ADVICE)
        paths = (f"{folder}annotations/{row['geojson_filename']}", f"{folder}images/{row['image_filename']}")
        if not set(paths) <= set(files.paths):
            lost.append(name)
            continue
        try:
            records[name] = _record(name, row, files, *paths)
        except InputError as bad:
            if unusable != COUNT:
                raise
            refused[name] = bad.what
    counts = {
        "expected": EXPECTED[TASK],
        "absent": max(0, EXPECTED[TASK] - len(records) - len(refused)),
        "first_absent": sorted(lost)[:SHOWN],
        "unlabelled": sum(not one.level for one in records.values()),
        "unusable": refused,
    }
    return list(records.values()), counts


def read_index(files: PublishedFiles) -> tuple[str, Iterator[tuple[str, dict[str, str]]]]:
    """Find the index of maps, CSV or JSON Lines, in a folder; return its folder, and its rows with row numbers.

    Bytes of the CSV that are not UTF-8 become U+FFFD, since the published index mixes encodings. Raises InputError if
    there is no index or more than one, or if a row lacks a text in a column that is read.
    """
    paths = [path for path in files.paths if path.rpartition("/")[2] in INDEXES]
    if len(paths) != 1:
        raise InputError(f"the index is here {len(paths)} times", where=REPOSITORY, next="give index.csv, once")
    [path] = paths
    data = files.read(path)
    found = _table(data, path) if path.endswith(".csv") else _lines(data, path)
    return path.removesuffix(path.rpartition("/")[2]), _whole(found, path)


def _whole(rows: Iterator[Mapping[str, Any]], path: str) -> Iterator[tuple[str, dict[str, str]]]:
    for number, row in enumerate(rows, 1):
        where = f"{path} row {number}"
        for name in NAMED:
            if not isinstance(row.get(name), str):
                raise InputError(f"the column `{name}` is missing", where=where, next=ADVICE)
        unicode_text(row["caption"], where)
        yield where, {name: value for name, value in row.items() if isinstance(value, str)}


def _table(data: bytes, where: str) -> Iterator[Mapping[str, Any]]:
    lines = io.StringIO(data.decode("utf-8-sig", errors="replace"), newline="")
    try:
        yield from csv.DictReader(lines, strict=True)
    except csv.Error:
        raise InputError("this is no well-formed CSV", where=where, next=ADVICE) from None


def _lines(data: bytes, where: str) -> Iterator[Mapping[str, Any]]:
    for line in decode(data, where).split("\n"):
        if line.strip():
            yield read_object(line.encode(), where)


def _record(name: str, row: Mapping[str, str], files: PublishedFiles, annotation: str, image: str) -> TaskRecord:
    box = bounding_box(read_object(files.read(annotation), annotation), annotation)
    data = files.read(image)
    image_row(data, image)  # refuses a bad image here, with its path in the message
    truth = json.dumps({"record_id": name, **box})
    meta = {name: row[name] for name in ("license", "source_url") if name in row}
    answer = ideal_answer(TASK, truth, annotation)
    return TaskRecord(name, row["caption"], truth, answer, level_of(row["difficulty"], annotation), (data,), meta)


def level_of(difficulty: str, where: str = "difficulty") -> str:
    """Return the label of a difficulty from 0 to 1: easy up to 0.35, medium from 0.4 to 0.6, hard from 0.7 on.

    Returns an empty text for a number in a gap between these ranges, since no label is documented for it. Raises
    InputError if the difficulty is not a number from 0 to 1.
    """
    try:
        value = float(difficulty) if len(difficulty) <= 20 else -1.0
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise InputError("a difficulty is no number from 0 to 1", where=where, next=ADVICE)
    for level, low, high in (("easy", 0.0, 0.35), ("medium", 0.4, 0.6), ("hard", 0.7, 1.0)):
        if low <= value <= high:
            return level
    return ""
