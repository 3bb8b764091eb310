"""The cheating agent at the doors of the profile `run`: tools, resources, prompts, tasks tell nothing that is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import harness
from support_cheat import MANIFESTS, ODD, URIS, cheated_project, hidden_words, leaked
from support_runs import RUNS, ended_run, patient
from support_server import server

from harness.errors import HarnessError
from harness.verbs.project import Project
from harness.verbs.requests import ScoresRequest
from harness.verbs.scoring import scores

pytestmark = pytest.mark.together
SMALL, HIDDEN = "small", "hidden"
NEVER = "20260101T000000Z-00000000"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        for name in (SMALL, HIDDEN):
            patch.setitem(MANIFESTS, name, MANIFESTS[name] + RUNS.replace("max_runs: 9", "max_runs: 3"))
        made = cheated_project(tmp_path_factory.mktemp("gate") / "project", SMALL, HIDDEN)
    harness("run", "manifests/hidden.yaml", cwd=made, check=0)
    with server(made) as agent:  # an agent under test takes an attempt, so that there are views and secrets
        patient(agent, "start_attempt", study=SMALL, split="dev", idempotency_key="views")
    return made


def test_nothing_that_is_kept_leaves_by_the_new_doors(folder: Path) -> None:
    (by_hand,) = [one.run for one in scores(Project.at(folder), ScoresRequest(runs=["last"])).runs]
    with server(folder, "--profile", "run") as client:
        first = patient(client, "start_run", manifest=HIDDEN, idempotency_key="gold", overrides={"limit": 1})
        second = patient(client, "start_run", manifest=SMALL, idempotency_key="open", overrides={"limit": 1})
        assert ended_run(client, run=first["run"])["state"] == ended_run(client, run=second["run"])["state"] == "done"
        attempt = next(path.parent.name for path in (folder / ".harness").glob("runs/*/transcript.jsonl"))
        for run in (first["run"], by_hand):
            assert (
                patient(client, "scores", run=run)["code"]
                == patient(client, "compare", run_a=run)["code"]
                == "E_SEALED"
            )
            (record,) = client.ask("resources/read", uri=f"harness://runs/{run}/record")["result"]["contents"]
            assert record["_meta"]["whole"] is False and '"withheld":{"asked":"sealed"' in record["text"]
        assert patient(client, "scores", run=second["run"])["scores"]
        valid: dict[str, dict[str, Any]] = {
            "list_manifests": {},
            "plan_run": {"manifest": HIDDEN},
            "start_run": {"manifest": HIDDEN, "idempotency_key": "gold", "overrides": {"limit": 1}},
            "get_run": {"run": first["run"]},
            "cancel_run": {"run": first["run"]},
            "scores": {"run": by_hand},
            "compare": {"run_a": by_hand, "run_b": second["run"]},
            "claims": {"manifest": HIDDEN},
        }
        schemas = {one["name"]: one["inputSchema"]["properties"] for one in client.ask("tools/list")["result"]["tools"]}
        for tool, base in valid.items():
            patient(client, tool, **base)
            for field in [*schemas[tool], "gold", "principal", "path"]:
                for odd in ODD[:: 1 if field in ("run", "overrides") else 4]:
                    client.call_once(tool, **{**base, field: odd})
            for name in ("prompts", "datasets", "settings.file", "models", "generation.stop", "limit", "model"):
                client.call_once("start_run", manifest=HIDDEN, idempotency_key=f"o-{name}", overrides={name: "[*gold]"})
        own = (
            *(f"harness://runs/{name}" for name in (f"{NEVER}/record", "last/record", f"../runs/{by_hand}/record")),
            *(f"harness://runs/{by_hand}/{name}" for name in ("journal", "record?x", "record/", "../record")),
            f"harness://attempts/{attempt}/transcript",
        )
        for uri in (*URIS, *own):
            assert "error" in client.ask("resources/read", uri=uri), uri
            assert "error" in client.ask("prompts/get", name=uri or "gold", arguments={"gold": "1"})
        for method in (
            "resources/list",
            "resources/templates/list",
            "prompts/list",
            "completion/complete",
            "tasks/list",
        ):
            client.ask(method)
        for method in ("tasks/get", "tasks/cancel", "tasks/update", "tasks/result"):
            assert "error" in client.ask(method, taskId=by_hand)
        for one in client.ask("prompts/list")["result"]["prompts"]:
            client.ask("prompts/get", name=one["name"])
        assert client.end() == 0
        (lock,) = (folder / "lockfiles").rglob("small*.json")  # digests of public data stand in public records
        assert {word for word in leaked(client, hidden_words(folder)) if word not in lock.read_text()} == set()


def test_a_manifest_that_is_not_served_is_unknown(folder: Path) -> None:
    by_hand = Project.at(folder).run("last")
    assert by_hand
    with server(folder, "--profile", "run", str(folder / "manifests" / "small.yaml")) as client:
        assert [one["manifest"] for one in patient(client, "list_manifests")["manifests"]] == [SMALL]
        for tool in ("plan_run", "start_run", "claims"):
            more = {"idempotency_key": "x"} if tool == "start_run" else {}
            assert patient(client, tool, manifest=HIDDEN, **more)["code"] == "E_UNKNOWN_MANIFEST"
        runs = [path.name for path in (folder / ".harness" / "runs").iterdir() if (path / "record.json").exists()]
        codes = {patient(client, "scores", run=run).get("code", "") for run in runs}
        assert "E_UNKNOWN_RUN" in codes  # what a person ran of the other manifest
    with pytest.raises(HarnessError):
        Project.at(folder).run("no-such-run")
