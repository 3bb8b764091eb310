"""Protein sequences in answers and ground truths, read strictly (OURS: P1, P5): a whole record, residues only.

Does not compare sequences. Independent of whether a program gave the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile

from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.reading.sequences import gold_sequence

RESIDUES = "ACDEFGHIKLMNPQRSTVWYBZX"  # as they are compared, with U read as X
_READ = RESIDUES + "U"
_CASES = (re.compile(f"[{_READ}]+"), re.compile(f"[{_READ.lower()}]+"))
_ESCAPED = r"\u003E"  # the six characters that some models write instead of >


def read_record(text: str) -> str | None:
    """Return the residues of the first record of a text, in capitals (P1); None if no header is followed by any."""
    headed = False
    lines = text.replace(_ESCAPED, ">").splitlines()
    for at, line in enumerate(lines):
        if line.strip().startswith(">"):
            headed = True
        elif headed and line.strip():
            if case := next((each for each in _CASES if each.fullmatch(_bare(line))), None):
                return _joined(takewhile(case.fullmatch, map(_bare, lines[at:])))
            headed = False
    return None


def read_gold(text: str) -> str:
    """Return the residues in a ground truth's `sequence` (P5); raises Unreadable for none, or for other letters."""
    sequence = _joined([_bare(gold_sequence(text)).upper()])
    if not _CASES[0].fullmatch(sequence):
        raise Unreadable("a sequence of other letters, or of none")
    return sequence


def _bare(line: str) -> str:
    return "".join(line.split()).replace("*", "")


def _joined(lines: Iterable[str]) -> str:
    return "".join(lines).upper().replace("U", "X")
