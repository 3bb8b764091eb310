"""The published layout of records: files by domain become the records of one task, and what is absent is counted.

DOMAIN/inputs/ID.json, DOMAIN/ground_truth/ID.json and difficulty_levels.json, below any one folder. It must never know
what holds the files, nor how an answer is scored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.models.media import medium
from harness.studies.curie.data.file_texts import decode, read_object, unicode_text
from harness.studies.curie.data.oracle import oracle
from harness.studies.curie.data.records import ILLUSTRATED, LEVELS, TaskRecord
from harness.studies.curie.tasks import TASKS

# Published records of each domain, by the paper's evaluation configuration.
EXPECTED: Mapping[str, int] = {
    "dft": 74,
    "mpve": 17,
    "hfd": 15,
    "hfe": 38,
    "qecc_65": 65,
    "geo": 19,
    "biogr": 138,
    "pdb": 64,
}
LABELS = "difficulty_levels.json"
RENAMED: Mapping[str, str] = {"qecc_85": "qecc_65", "mpv": "mpve"}  # how that file may call a domain otherwise
SHOWN = 5  # absent records that a count names
COUNT = "count"
_KINDS = {("inputs", "json"): "input", ("ground_truth", "json"): "truth", ("inputs", "png"): "image"}
RECORD_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")  # no separator of the published tables: `+++`, `$$`


@dataclass(frozen=True, slots=True)
class PublishedFiles:
    """Files of a published copy: the paths that are here, how one is read, and the paths that are known to be absent.

    `read` gives the bytes of a path that is here, a bounded number of them, or raises InputError.
    """

    paths: tuple[str, ...]
    read: Callable[[str], bytes]
    absent: tuple[str, ...] = ()


class Place(NamedTuple):
    """The meaning of a path in the layout: the folder above it, its domain, what it is, and its record."""

    above: str
    domain: str
    kind: str
    record: str


def set_aside(given: Any) -> str:
    """Validate a dataset's parameter `unusable`: only `count` passes, anything else raises InputError.

    By it a record that cannot be read is left out and counted; without it, it is refused.
    """
    if given != COUNT:
        raise InputError(
            "records that cannot be read are refused, or counted",
            where="unusable",
            next=f"write `unusable: {COUNT}`, or leave it out",
        )
    return COUNT


def place(path: str) -> Place | None:
    """Tell what a path of the layout holds; None for a path of something else, such as what a file manager leaves.

    InputError for a record whose name is no id.
    """
    *folders, name = path.split("/")
    stem, _, suffix = name.rpartition(".")
    if len(folders) < 2 or "__MACOSX" in folders or name.startswith("."):
        return None
    kind = _KINDS.get((folders[-1], suffix))
    if kind is None or folders[-2] not in EXPECTED:
        return None
    if not RECORD_ID.fullmatch(stem):
        raise InputError("this is no name of a record", where=path[:200], next="restore the published name")
    return Place("/".join(folders[:-2]), folders[-2], kind, stem)


def read_records(task: str, files: PublishedFiles, unusable: str = "") -> tuple[list[TaskRecord], dict[str, Any]]:
    """Read the records of a task, with counts of what is expected, absent, without a label or unusable.

    A domain that is not here has no records. InputError where no domain is, where the layout stands twice, and for a
    record that cannot be read, unless `unusable` is `count`.
    """
    domain = TASKS[task].domain
    found = _by_kind(files, domain)
    levels = read_levels(files).get(domain, {})
    needed = ("input", "truth", "image") if task in ILLUSTRATED else ("input", "truth")
    whole = set.intersection(*(set(found[kind]) for kind in needed))
    records, refused = [], {}
    for record in sorted(whole):
        try:
            parts = {kind: (found[kind][record], files.read(found[kind][record])) for kind in needed}
            records.append(read_record(task, record, parts, levels.get(record, "")))
        except InputError as bad:
            if unusable != COUNT:
                raise
            refused[record] = bad.what
    begun = set().union(*(found[kind] for kind in needed))
    lost = sorted(one for one in (set(levels) | begun) - whole if RECORD_ID.fullmatch(one))
    counts = {
        "expected": EXPECTED[domain],
        "absent": max(0, EXPECTED[domain] - len(whole)),
        "first_absent": lost[:SHOWN],
        "unlabelled": sum(not record.level for record in records),
        "unusable": refused,
    }
    return records, counts


def _by_kind(files: PublishedFiles, domain: str) -> dict[str, dict[str, str]]:
    """Find the files of a domain, by what they are and by record."""
    places = {path: found for path in files.paths if (found := place(path))}
    if not places and not any(map(place, files.absent)):
        raise InputError(
            "no record of the published layout is here",
            where=", ".join(files.paths[:SHOWN]),
            next="give files called DOMAIN/inputs/ID.json and DOMAIN/ground_truth/ID.json",
        )
    by_kind: dict[str, dict[str, str]] = {kind: {} for kind in _KINDS.values()}
    above = {each.above for each in places.values() if each.domain == domain}
    if len(above) > 1:
        raise InputError(
            f"records of {domain} lie in {len(above)} folders",
            where=", ".join(sorted(above)[:SHOWN]),
            next="keep one of the copies",
        )
    for path, each in places.items():
        if each.domain == domain:
            by_kind[each.kind][each.record] = path
    return by_kind


def read_levels(files: PublishedFiles) -> dict[str, dict[str, str]]:
    """Read the difficulty labels in lower case, by domain and record; none where their file is not here.

    InputError for two such files, and for one that holds anything but the labels easy, medium and hard.
    """
    paths = [path for path in files.paths if path.rpartition("/")[2] == LABELS and not path.startswith("__MACOSX/")]
    if len(paths) > 1:
        raise InputError("the difficulty labels stand here twice", where=", ".join(paths[:2]), next="keep one file")
    if not paths:
        return {}
    found = read_object(files.read(paths[0]), paths[0])
    labels: dict[str, dict[str, str]] = {}
    for domain, given in found.items():
        if not isinstance(given, dict) or not all(str(label).lower() in LEVELS for label in given.values()):
            raise InputError(
                "this is no table of difficulty labels",
                where=f"{paths[0]}: {domain[:40]!a}",
                next="give a label (easy, medium, hard) by record, by domain",
            )
        known = {record: str(label).lower() for record, label in given.items()}
        labels.setdefault(RENAMED.get(domain, domain), {}).update(known)
    return labels


def read_record(task: str, record: str, parts: Mapping[str, tuple[str, bytes]], level: str = "") -> TaskRecord:
    """Read one record from the paths and bytes of its `input`, its `truth` and, of an illustrated task, its `image`.

    InputError for a file that is not what the layout says, with its path.
    """
    where, data = parts["input"]
    given = read_object(data, where)
    for key in ("record_id", "text"):
        if not isinstance(given.get(key), str):
            raise InputError(f"this record has no text under `{key}`", where=where, next="restore the published file")
    truth = decode(parts["truth"][1], parts["truth"][0])
    images = (parts["image"][1],) if "image" in parts else ()
    for data in images:
        medium(data, parts["image"][0])  # refused here, by its path, and not when all records are written
    text = unicode_text(given["text"], where)
    answer = ideal_answer(task, truth, parts["truth"][0])
    return TaskRecord(record, text, truth, answer, level, images)


def ideal_answer(task: str, truth: str, where: str) -> str:
    """Give the ideal answer to a record; InputError, at `where`, for a ground truth that cannot be read."""
    try:
        return unicode_text(oracle(task, truth), where)
    except InputError as bad:
        raise InputError(bad.what, where=where, next=bad.next) from bad
