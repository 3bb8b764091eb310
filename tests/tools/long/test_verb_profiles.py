"""The profiles of operators and auditors: the house's verbs as tools, bounded, naming no file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import harness
from support_server import answers, items, server, started, until
from support_views import ADDITION, project
from support_wire import WireClient

from harness.verbs.measuring import list_analyses, list_scorers
from harness.verbs.project import Project
from harness_tools.tool_table import profile_tools

pytestmark = pytest.mark.together


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = project(tmp_path_factory.mktemp("verbs") / "project", ADDITION)
    (manifest,) = (made / "manifests").iterdir()
    harness("run", manifest, cwd=made, check=0)
    harness("run", manifest, "--limit", "3", cwd=made, check=0)
    return made


@pytest.fixture(scope="module")
def operator(folder: Path) -> Iterator[WireClient]:
    with server(folder, "--profile", "operate") as client:
        yield client


@pytest.fixture(scope="module")
def auditor(folder: Path) -> Iterator[WireClient]:
    with server(folder, "--profile", "audit") as client:
        yield client


def call(client: WireClient, profile: str, tool: str, **args: Any) -> dict[str, Any]:
    """Call a tool, hold its fields against the schema that was listed, and give it."""
    while (found := client.call(tool, **args)).get("code") == "E_BUSY":
        pass  # what takes longer than a call may is asked for again
    assert "code" not in found, found
    (listed,) = [one for one in profile_tools(profile) if one["name"] == tool]
    assert set(listed["outputSchema"]["required"]) <= found.keys() <= set(listed["outputSchema"]["properties"])
    return found


def test_every_scorer_and_analysis_is_listed_page_by_page(operator: WireClient) -> None:
    for tool, verb in (("list_scorers", list_scorers), ("list_analyses", list_analyses)):
        names, offset = [], 0
        while True:
            page = call(operator, "operate", tool, limit=7, offset=offset)
            names += [one["name"] for one in page["tools"]]
            if "next_offset" not in page:
                break
            offset = page["next_offset"]
        assert names == [one.name for one in verb().tools]


def test_rows_are_scored_as_the_verb_scores_them(operator: WireClient) -> None:
    said = call(operator, "operate", "describe_tool", kind="scorer", name="reliability.outcome")
    assert said["takes"] and said["gives"] and said["schemas"].keys() == {"takes", "gives"}
    rows = [{"response": "a cat sat", "reference": "a cat sat"}, {"response": "x", "reference": "a cat sat"}]
    found = call(operator, "operate", "score", scorer="rouge", rows=rows)["scores"]
    assert len(found) == 2 and found[0] != found[1]


@pytest.mark.parametrize(
    ("tool", "args", "word"),
    [
        ("score", {"scorer": "rouge", "rows": []}, "rows"),
        ("score", {"scorer": "rouge", "rows": [{"no": 1}]}, "bad-input"),
        ("score", {"scorer": "nobody", "rows": [{}]}, "bad-input"),
        ("score", {"scorer": "rouge", "rows": [{}], "file": "/etc/passwd"}, "file"),
        ("analyse", {"analysis": "x", "given": {}, "to": "/tmp/x.npz"}, "to"),
        ("list_scorers", {"limit": "7"}, "limit"),
        ("audit_run", {}, "bad-input"),
        ("audit_run", {"run": "last", "manifest": "x"}, "bad-input"),
        ("audit_run", {"run": "../../x"}, "run"),
        ("audit_run", {"manifest": "/etc/passwd"}, "bad-input"),
        ("diff_runs", {"run_a": "last", "run_b": "none"}, "bad-input"),
        ("verify_transcript", {"attempt_id": "none"}, ""),
    ],
)
def test_what_is_wrong_is_said_without_a_path(operator: WireClient, tool: str, args: dict[str, Any], word: str) -> None:
    found = operator.call(tool, **args)
    assert found["code"] == "E_ARGUMENT" and word in found["message"], found
    assert "/" not in found["message"].replace("and/or", "")


def test_runs_are_listed_audited_and_compared(folder: Path, auditor: WireClient) -> None:
    (manifest,) = call(auditor, "audit", "list_manifests")["manifests"]
    limited, whole = call(auditor, "audit", "list_runs")["runs"]
    assert (manifest["name"], whole["manifest"], limited["limit"]) == ("small", "small", 3)
    by_run = call(auditor, "audit", "audit_run", run=whole["run"], level="hashes")
    assert by_run["verdict"] in ("agreed", "unconfirmed") and by_run["n_checks"]["pass"] > 5
    again = call(auditor, "audit", "audit_run", manifest=manifest["manifest"], level="hashes")
    assert again["run"] == limited["run"]
    parted = call(auditor, "audit", "diff_runs", run_a=whole["run"], run_b=limited["run"])
    assert parted["level"] != "bytes" and parted["cause"]
    assert call(auditor, "audit", "diff_runs", run_a=whole["run"], run_b=whole["run"])["level"] == "bytes"


def test_a_transcript_is_verified_and_the_calls_are_in_the_log(folder: Path, auditor: WireClient) -> None:
    with server(folder) as agent:
        attempt = started(agent, "verified")
        name = items(agent, attempt)[0]
        agent.call("submit_answers", attempt_id=attempt, answers=answers((name, "7")))
        head = agent.ask("tools/call", name="finish_attempt", arguments={"attempt_id": attempt})["result"]["_meta"]
        until(lambda: agent.call("finish_attempt", attempt_id=attempt)["status"] == "scored")
    found = call(auditor, "audit", "verify_transcript", attempt_id=attempt, heads=[head["transcript_head"]])
    assert found["verdict"] == "agreed" and found["reads"] >= 1 and not found["flaws"]
    run = call(auditor, "audit", "audit_run", run=attempt, level="hashes")
    assert run["verdict"] == "unconfirmed"
    written = [path.read_text() for path in (folder / ".harness" / "sessions").iterdir()]
    logs = [json.loads(line) for text in written for line in text.splitlines()]
    assert {"verify_transcript", "audit_run"} <= {one.get("tool") for one in logs}
    assert {one["profile"] for one in logs if one["event"] == "session.started"} >= {"answer", "audit"}


def test_an_auditor_reads_and_changes_nothing(folder: Path, auditor: WireClient) -> None:
    names = {one["name"] for one in auditor.ask("tools/list")["result"]["tools"]}
    assert names == {"list_manifests", "list_runs", "audit_run", "diff_runs", "verify_transcript"}
    assert auditor.call("submit_answers", attempt_id="x")["code"] == "E_UNKNOWN_TOOL"
    heads = (folder / ".harness" / "heads.jsonl").read_bytes()
    auditor.call("audit_run", run="last", level="hashes")
    assert (folder / ".harness" / "heads.jsonl").read_bytes() == heads
    assert Project.at(folder).root == folder
