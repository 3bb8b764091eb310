"""The score step of code answers: 1 if an answer's code passed all tests of its item in its trial.

Runs no program; reads the recorded result of each trial.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.rowtypes import Found, Trial
from harness.studies.questions.code.code_tests import CodeTests, read_tests
from harness.studies.questions.code.programs import code_of
from harness.studies.questions.compared import finding, shown, without
from harness.trial import DONE


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: 1 if all tests passed, with the share that passed in the detail."""
    name = params["name"]

    def rule(seen: graded.Seen) -> Found:
        return passed(seen.response["text"], str(seen.gold["gold"].get("tests") or ""), seen.trials.get(name))

    graded.write(params, inputs, out, name, rule)


def passed(response: str, tests: str, trial: Trial | Mapping[str, Any] | None) -> Found:
    """Score one answer's code by its trial's output; `why` names the first failure, `metrics.passed` the share."""
    found = read_tests(tests)
    if not isinstance(found, CodeTests):
        return without(found)
    if trial is None or trial["outcome"] != DONE:
        return _failed(_untried(response) if trial is None else f"the trial ended otherwise: {trial['outcome']}")
    said = _told(str(trial["stdout"]))
    if found.rest:
        return _given(1.0, "") if said.get("passed") == found.mark else _failed(_why(said))
    return _calls(found, said)


def _calls(tests: CodeTests, said: Mapping[str, Any]) -> Found:
    """Score the results of the tests' calls."""
    values = said.get("values")
    if not isinstance(values, list) or len(values) != len(tests.values):
        return _failed(_why(said))
    wrong = [at for at, (one, wanted) in enumerate(zip(values, tests.values, strict=True)) if one != wanted]
    if not wrong:
        return _given(1.0, "")
    first = wrong[0]
    return _given(1 - len(wrong) / len(values), f"{tests.calls[first]} gave {_spelled(values[first])}")


def _untried(response: str) -> str:
    return "the code was not tried" if code_of(response).strip() else "the answer has no code"


def _told(stdout: str) -> Mapping[str, Any]:
    """Parse the last line that a trial printed; return an empty mapping if it is not a JSON object."""
    try:
        said = json.loads(stdout.strip().rpartition("\n")[2])
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _why(said: Mapping[str, Any]) -> str:
    return f"it raised {said['raised']}" if isinstance(said.get("raised"), str) else "the tests did not come to an end"


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else _why(value) if isinstance(value, dict) else "something else"


def _failed(why: str) -> Found:
    return _given(0.0, why)


def _given(share: float, why: str) -> Found:
    detail = {"metrics": {"passed": share}, **({"why": shown(why)} if why else {})}
    return finding(int(share == 1), None, **detail)
