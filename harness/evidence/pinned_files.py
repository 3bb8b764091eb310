"""Pinned input files: their pins and names, which of them changed between two runs, and at which line numbers.

A step's key holds digests alone; the lock of the run says which file has which digest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import arrays, rows
from harness.errors import HarnessError
from harness.evidence.trail import RecordedStep, Trail
from harness.manifest.datasets import files_of

MOST_TEXT = 1 << 20  # bytes of a file that is compared line by line


@dataclass(frozen=True)
class ChangedLine:
    """A line number at which a pinned text file differs in two runs, with both texts; "" where there is none."""

    file: str
    line: int
    left: str
    right: str


def data_pin(digest: str, path: Path) -> dict[str, Any]:
    """Return the pin of a dataset file: its digest, and its row count unless it is an array."""
    return {"sha256": digest} if arrays.file_format(path) else {"sha256": digest, "rows": rows.count(path)}


def pinned_files(pins: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Map the digest of each file that a lock pins to its name.

    Files are prompts, data files of the study ("tables"), datasets, files of models or instruments, imported answers,
    and files of the project.
    """
    texts = (pin for kind in ("prompts", "tables", "files") for pin in pins.get(kind, {}).values())
    named = {str(pin["sha256"]): str(pin["file"]) for pin in texts if "file" in pin}
    for name, pin in {**pins.get("instruments", {}), **pins.get("models", {})}.items():
        named |= {str(digest): f"{name}/{file}" for file, digest in pin.get("files", {}).items()}
        named |= {str(pin["answers"]): f"{name}/imported answers"} if "answers" in pin else {}
    for name, pin in pins.get("datasets", {}).items():
        if isinstance(pin.get("sha256"), str):
            named[pin["sha256"]] = f"dataset {name}"
        named |= {str(digest): f"dataset {name}: {file}" for file, digest in files_of(pin).items()}
    return named


def changed_files(
    before: RecordedStep, old: Trail, after: RecordedStep, new: Trail, pointer: str
) -> Iterator[tuple[str, str]]:
    """Yield the old and the new digest of the input at `pointer` of a step in two runs ("" where there is none).

    Yields nothing if neither run's lock pins a file of that digest.
    """
    name, _, number = pointer.removeprefix("/inputs/").partition("/")
    ends = [step.entry.preimage["inputs"].get(name) for step in (before, after)]
    digests = [end[int(number)] if isinstance(end, list) and number else end for end in ends]
    left, right = (digest if isinstance(digest, str) else "" for digest in digests)
    if left in pinned_files(old.lock.pins) or right in pinned_files(new.lock.pins):
        yield left, right


def file_name(left: str, old: Trail, right: str, new: Trail) -> str:
    """Return the name of a pinned file from its old and new digest: by the newer lock, else the older, else ""."""
    return pinned_files(new.lock.pins).get(right) or pinned_files(old.lock.pins).get(left, "")


def changed_lines(left: str, old: Trail, right: str, new: Trail) -> list[ChangedLine]:
    """Return the line numbers at which two runs' versions of a pinned text file differ, each with both texts.

    Lines are paired by number; it is no diff, so an inserted line changes all that follow it. There are none if a
    version is larger than 1 MiB, not UTF-8 or lost.
    """
    one, two = _lines(old, left), _lines(new, right)
    if one is None or two is None:
        return []
    name, longest = file_name(left, old, right, new), max(len(one), len(two))
    pairs = ((at + 1, one[at] if at < len(one) else "", two[at] if at < len(two) else "") for at in range(longest))
    return [ChangedLine(name, at, a, b) for at, a, b in pairs if a != b]


def _lines(trail: Trail, digest: str) -> list[str] | None:
    try:
        path = trail.store.blobs.deliver(digest)
        return path.read_text(encoding="utf-8").splitlines() if path.stat().st_size <= MOST_TEXT else None
    except (HarnessError, UnicodeDecodeError):
        return None
