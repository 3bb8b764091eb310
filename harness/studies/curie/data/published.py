"""The published layout of records: the files of a domain become the records of a task, and absent ones are counted.

The layout is DOMAIN/inputs/ID.json, DOMAIN/ground_truth/ID.json and difficulty_levels.json, below any one folder.
Independent of how the files are stored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.models.media import image_row
from harness.studies.curie.data.file_texts import decode, read_object, unicode_text
from harness.studies.curie.data.oracle import oracle
from harness.studies.curie.data.records import ILLUSTRATED, LEVELS, TaskRecord
from harness.studies.curie.tasks import TASKS

# Number of published records of each domain, from the paper's evaluation configuration.
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
RENAMED: Mapping[str, str] = {"qecc_85": "qecc_65", "mpv": "mpve"}  # other names of domains in LABELS
SHOWN = 5  # absent records that the counts list by name
COUNT = "count"
_KINDS = {("inputs", "json"): "input", ("ground_truth", "json"): "truth", ("inputs", "png"): "image"}
RECORD_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")  # without separators of published tables: `+++`, `$$`


@dataclass(frozen=True, slots=True)
class PublishedFiles:
    """The files of a published copy: present paths, a function to read one, and paths known to be absent.

    `read` returns the bytes of a present path, or raises InputError if there are too many.
    """

    paths: tuple[str, ...]
    read: Callable[[str], bytes]
    absent: tuple[str, ...] = ()


class Place(NamedTuple):
    """What a path in the published layout is: parent folder, domain, kind of file, and record."""

    above: str
    domain: str
    kind: str
    record: str


def set_aside(given: Any) -> str:
    """Check that a dataset's parameter `unusable` is `count` (count unusable records); else InputError.

    With `count`, a record that cannot be read is left out and counted. Without it, such a record raises an error.
    """
    if given != COUNT:
        raise InputError(
            "records that cannot be read are refused, or counted",
            where="unusable",
            next=f"write `unusable: {COUNT}`, or leave it out",
        )
    return COUNT


def place(path: str) -> Place | None:
    """Parse a path of the published layout; None for any other path, such as files left by a file manager.

    Raises InputError if the name of a record is not an id.
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
    """Return a task's records, and counts of expected, absent, unlabelled and unusable ones.

    A domain that is absent has no records. Raises InputError if all domains are absent, if the layout occurs twice, and
    if a record cannot be read, unless `unusable` is `count`.
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
    """Return the paths of a domain's files, by kind and by record."""
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
    """Read the difficulty labels in lower case, by domain and record; empty if their file is absent.

    Raises InputError if there are two such files, or if one holds anything but the labels easy, medium and hard.
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
    """Read one record from the paths and bytes of its `input`, its `truth` and, for an illustrated task, its `image`.

    Raises InputError, with the path, for a file that does not fit the layout.
    """
    where, data = parts["input"]
    given = read_object(data, where)
    for key in ("record_id", "text"):
        if not isinstance(given.get(key), str):
            raise InputError(f"this record has no text under `{key}`", where=where, next="restore the published file")
    truth = decode(parts["truth"][1], parts["truth"][0])
    images = (parts["image"][1],) if "image" in parts else ()
    for data in images:
        image_row(data, parts["image"][0])  # refuse a bad image here, where its path is known
    text = unicode_text(given["text"], where)
    answer = ideal_answer(task, truth, parts["truth"][0])
    return TaskRecord(record, text, truth, answer, level, images)


def ideal_answer(task: str, truth: str, where: str) -> str:
    """Return the perfect answer to a record from its ground truth; raises InputError, at `where`, if unreadable."""
    try:
        return unicode_text(oracle(task, truth), where)
    except InputError as bad:
        raise InputError(bad.what, where=where, next=bad.next) from bad
