"""Protein sequences in answers and ground truths, read as the published code reads them: a single line.

Rule: docs/curie.md#paper-sequences. Does not compare sequences. Independent of whether a program gave the answer.
"""

from __future__ import annotations

from harness.studies.curie.reading.loose_json import Unreadable, loads


def read_sequence(text: str) -> str | None:
    """Return the line after the first line that begins with `>`, unchanged; None if there is no such pair.

    A `>` on the last line is not a header.
    """
    lines = text.splitlines()
    return next((lines[at + 1] for at in range(len(lines) - 1) if lines[at].startswith(">")), None)


def gold_sequence(text: str) -> str:
    """Return the field `sequence` of a ground truth, unchanged; raises Unreadable if it is not a text."""
    found = loads(text)
    sequence = found.get("sequence") if isinstance(found, dict) else None
    if not isinstance(sequence, str):
        raise Unreadable("no sequence in it")
    return sequence
