"""The maker of the survey dataset: participants of the real surveys, and how many answers each gave.

Only counts the answers, and does not read them otherwise. The analysis takes the survey files as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError

STUDIES = ("s1", "s2")


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `items`, one row per survey participant with the number of answers in studies S1 and S2, and `counts`.

    The inputs are the JSON Lines files `s1` and `s2`. Raises InputError for a row without a participant_id.
    """
    found: dict[str, dict[str, int]] = {}
    for study in STUDIES:
        for who in _participants(inputs[study], study):
            found.setdefault(who, dict.fromkeys(STUDIES, 0))[study] += 1
    rows.write(out / "items", ({"id": who, "answers": found[who]} for who in sorted(found)))
    rows.write_one(out / "counts", {"people": {"drawn": len(found), "kept": len(found), "removed": 0}})


def _participants(path: Path, study: str) -> Iterator[str]:
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            who = row.get("participant_id") if isinstance(row, dict) else None
            if not isinstance(who, str) or not who:
                raise InputError(
                    "a row is no answer of a person",
                    where=f"{study}, row {number}",
                    next="give JSON Lines whose rows name their participant_id",
                )
            yield who
