"""Code answers and an item's tests as the program of a trial, one for each answer.

Tests that compare a call with a plain value are split: the trial makes the calls, and what is right stays with the
scorer, so that no answer can see it or pretend to have passed. Other tests run beside the answer, as written. It must
never know how a trial ended.
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
TESTS = "tests"  # the maker's output: of each item's tests what a trial may see
LONGEST = 500_000  # characters of an answer's code
_FENCED = re.compile(r"```[ \t]*(?:[Pp]ython3?|py)?[ \t]*\r?\n(.*?)(?:```|\Z)", re.DOTALL)


def code_trial(entry: Mapping[str, Any]) -> TrialSpec:
    """Give the trial of one scorer `code`; the step that writes its programs reads the tests in the gold."""
    limits = TrialLimits(
        seconds=int(entry["timeout"]), cpu_seconds=int(entry["timeout"]), memory=int(entry["memory"]) << 20
    )
    return TrialSpec(str(entry["name"]), KIND, limits, needs=(TESTS,))


def take(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the programs of a dataset's answers; one that holds no code has no trial."""
    tests = {row.pop("id"): row for row in rows.read(inputs[TESTS], dict[str, Any])}
    write_programs(inputs, out, lambda item, response: program(response["text"], tests[item["id"]]))


def program(response: str, tests: Mapping[str, Any]) -> tuple[str, str] | None:
    """Give the program that tries an answer's code, and its stdin, of `CodeTests.visible`; None where there is none."""
    code = code_of(response)
    if not code.strip() or len(code) > LONGEST:
        return None
    return f"{Path(code_entry.__file__).read_text('utf-8')}\n\nmain()\n", json.dumps({"code": code, **tests})


def code_of(response: str) -> str:
    """Give the code of an answer: its fenced blocks one after the other, or the whole answer where it has none."""
    blocks = _FENCED.findall(response) if len(response) <= 2 * LONGEST else []
    return "\n".join(blocks) if blocks else response
