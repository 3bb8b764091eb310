"""Protein sequences in answers and ground truths, read as the published code reads them: one line alone.

Rule: docs/curie.md#paper-sequences. It must never know what a sequence is compared with, nor whether a program gave the
answer.
"""

from __future__ import annotations

from harness.studies.curie.reading.loose_json import Unreadable, loads


def read_sequence(text: str) -> str | None:
    """Give the line behind the first line that begins with `>`, as it stands; none where there is no such pair.

    A header on the last line is no header.
    """
    lines = text.splitlines()
    return next((lines[at + 1] for at in range(len(lines) - 1) if lines[at].startswith(">")), None)


def gold_sequence(text: str) -> str:
    """Give the field `sequence` of a ground truth, as it stands; Unreadable where that is no text."""
    found = loads(text)
    sequence = found.get("sequence") if isinstance(found, dict) else None
    if not isinstance(sequence, str):
        raise Unreadable("no sequence in it")
    return sequence
