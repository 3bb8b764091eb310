"""Builds the program of each trial from a code answer and its item's tests.

Tests that compare a call with a plain value are split: the trial makes the calls, and the expected values stay with the
scorer. An answer can therefore neither see them nor pretend to have passed. Other tests run beside the answer, as
written. Independent of how a trial ends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.kit.programs import write_programs
from harness.kit.trials import TrialSpec
from harness.studies.questions.code import code_entry
from harness.trial import TrialLimits

KIND = "harness.studies.questions.code.programs:take"
TESTS = "tests"  # the maker's output: the parts of each item's tests that a trial may see
LONGEST = 500_000  # characters of an answer's code
_FENCED = re.compile(r"```[ \t]*(?:[Pp]ython3?|py)?[ \t]*\r?\n(.*?)(?:```|\Z)", re.DOTALL)


def code_trial(entry: Mapping[str, Any]) -> TrialSpec:
    """Return how one scorer `code` runs answers' code; the step that writes its programs reads the output `tests`."""
    limits = TrialLimits(
        seconds=int(entry["timeout"]), cpu_seconds=int(entry["timeout"]), memory=int(entry["memory"]) << 20
    )
    return TrialSpec(str(entry["name"]), KIND, limits, needs=(TESTS,))


def take(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the program of each answer, its code with the item's tests; an answer without code has none."""
    tests = {row.pop("id"): row for row in rows.read(inputs[TESTS], dict[str, Any])}
    write_programs(inputs, out, lambda item, response: program(response["text"], tests[item["id"]]))


def program(response: str, tests: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the program that runs an answer's code with the visible tests, and its stdin; None if there is no code."""
    code = code_of(response)
    if not code.strip() or len(code) > LONGEST:
        return None
    return f"{Path(code_entry.__file__).read_text('utf-8')}\n\nmain()\n", json.dumps({"code": code, **tests})


def code_of(response: str) -> str:
    """Return the code of an answer: its fenced blocks joined, or the whole answer if it has none."""
    blocks = _FENCED.findall(response) if len(response) <= 2 * LONGEST else []
    return "\n".join(blocks) if blocks else response
