"""Calls of verbs for operators' and auditors' agents, made by a worker: a tool's arguments in, bounded data out.

If a verb fails, the agent is told what is wrong and what to do next. The location in the error may be a path, so it is
left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from harness.attempts.codes import AttemptError
from harness.errors import HarnessError, InputError
from harness.verbs.attempts import verify_transcript
from harness.verbs.measuring import ToolsResult, analyse, list_analyses, list_scorers, score
from harness.verbs.pins import list_
from harness.verbs.project import Project, Watch
from harness.verbs.published import runs
from harness.verbs.requests import (
    AnalyseRequest,
    AuditRequest,
    DiffRequest,
    RunsRequest,
    ScoreRequest,
    VerifyTranscriptRequest,
)
from harness.verbs.review import audit, diff
from harness_tools.verb_shapes import MOST

Data = Mapping[str, Any]
SHOWN = 2000  # letters of a text in a reply
DIFFERING = 20  # rows of a comparison
ORDER = {"fail": 0, "skip": 1}


def call_verb(project: Project, tool: str, asked: Data, watch: Watch) -> Data:
    """Call the verb of a tool with checked arguments, and return its result; raise AttemptError if it fails."""
    try:
        return {
            name: plain_data(value) for name, value in VERBS[tool](project, asked, watch).items() if value is not None
        }
    except HarnessError as bad:
        raise AttemptError("E_ARGUMENT", f"{bad.name}: {bad.what}"[:SHOWN], bad.next[:SHOWN]) from bad


def _page(entries: list[Any], asked: Data) -> tuple[list[Any], int | None]:
    limit, offset = asked.get("limit", DIFFERING), asked.get("offset", 0)
    end = offset + limit
    return entries[offset:end], end if end < len(entries) else None


def _named(found: ToolsResult, asked: Data) -> Data:
    page, more = _page(found.tools, asked)
    return {"tools": [{"name": one.name, "about": one.about} for one in page], "next_offset": more}


def _describe(project: Project, asked: Data, watch: Watch) -> Data:
    found = list_scorers() if asked["kind"] == "scorer" else list_analyses()
    one = next((each for each in found.tools if each.name == asked["name"]), None)
    if one is None:
        raise InputError(f"no {asked['kind']} has this name", next="use one that the list gives")
    return {"name": one.name, "about": one.about, "takes": one.takes, "gives": one.gives, "schemas": one.schemas}


def _score(project: Project, asked: Data, watch: Watch) -> Data:
    request = ScoreRequest(scorer=asked["scorer"], rows=asked["rows"], shared=asked.get("shared", {}))
    return {"scores": score(request).scores}


def _analyse(project: Project, asked: Data, watch: Watch) -> Data:
    return {"result": analyse(AnalyseRequest(analysis=asked["analysis"], given=asked["given"])).result}


def _manifests(project: Project, asked: Data, watch: Watch) -> Data:
    page, more = _page(list_(project).manifests, asked)
    return {"manifests": [one.as_data() for one in page], "next_offset": more}


def _runs(project: Project, asked: Data, watch: Watch) -> Data:
    limit = asked.get("limit", DIFFERING)
    return runs(project, RunsRequest(manifest=asked.get("manifest", ""), most=limit)).as_data()


def _audit(project: Project, asked: Data, watch: Watch) -> Data:
    if ("run" in asked) == ("manifest" in asked):
        raise InputError("an audit is of a run or of a manifest", next="give one of `run` and `manifest`")
    subject = str(asked.get("run") or asked["manifest"])
    if "manifest" in asked and subject not in {one.manifest for one in list_(project).manifests}:
        raise InputError("the project has no such manifest", next="use one that list_manifests gives")
    request = AuditRequest(subject=subject, level=asked.get("level", "full"), budget=asked.get("budget_s", 300))
    done = audit(project, request, watch)
    checks = sorted(done.checks, key=lambda check: ORDER.get(check.verdict, 2))
    counts: dict[str, int] = {}
    for check in checks:
        counts[check.verdict] = counts.get(check.verdict, 0) + 1
    return {
        "run": done.run,
        "verdict": done.verdict,
        "coverage": done.coverage.text if done.coverage else "",
        "checks": [check.as_data() for check in checks[:MOST]],
        "n_checks": counts,
        **({"limit": done.limit} if done.limit else {}),
    }


def _diff(project: Project, asked: Data, watch: Watch) -> Data:
    done = diff(project, DiffRequest(left=asked["run_a"], right=asked["run_b"])).as_data()
    rows: Any = done["rows"]
    return {
        **{name: done[name] for name in ("level", "cause", "first", "stages")},
        "rows": rows[:DIFFERING],
        "more_rows": int(str(done["more_rows"])) + len(rows[DIFFERING:]),
    }


def _verify(project: Project, asked: Data, watch: Watch) -> Data:
    request = VerifyTranscriptRequest(attempt=asked["attempt_id"], heads=asked.get("heads", ()))
    return verify_transcript(project, request).model_dump(mode="json")


def plain_data(value: Any) -> Any:
    """Return a value as JSON can hold it: NaN and infinity become null, long texts are cut."""
    if isinstance(value, Mapping):
        return {str(name): plain_data(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_data(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value[:SHOWN] if isinstance(value, str) else value


VERBS: Mapping[str, Callable[[Project, Data, Watch], Data]] = {
    "list_scorers": lambda project, asked, watch: _named(list_scorers(), asked),
    "list_analyses": lambda project, asked, watch: _named(list_analyses(), asked),
    "describe_tool": _describe,
    "score": _score,
    "analyse": _analyse,
    "list_manifests": _manifests,
    "list_runs": _runs,
    "audit_run": _audit,
    "diff_runs": _diff,
    "verify_transcript": _verify,
}
