"""A whole attempt at the smallest demo of a published study, by Python's verbs: scored, audited, told apart."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support import REPOSITORY, judging_here
from support_attempts import control_id

from harness import verbs

pytestmark = pytest.mark.together
MANIFEST = "manifests/biomed.yaml"
UNSURE = "I do not know."


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> verbs.Project:
    folder = tmp_path_factory.mktemp("biomed") / "project"
    (folder / "manifests").mkdir(parents=True)
    (folder / "lockfiles").mkdir()
    shutil.copytree(REPOSITORY / "certificates", folder / "certificates")
    text = (REPOSITORY / "manifests" / "demo" / "biomed.yaml").read_text()
    assert "rows: 10" in text
    text = text.replace("rows: 10", "rows: 2", 1)
    begin, end = text.index("outputs:"), text.index("claims:")
    Path(folder / MANIFEST).write_text(text[:begin] + "outputs: {scores: exact, performance: exact}\n" + text[end:])
    project = verbs.Project.at(folder)
    verbs.lock(project, verbs.LockRequest(manifests=[MANIFEST]))
    return project


def attempt(project: verbs.Project, key: str, answer: str, asked: int) -> str:
    """Answer the first items by the words of their prompts alike; gives the attempt."""
    with verbs.AttemptDoor(project, verbs.ServeRequest(manifests=[MANIFEST])) as door:
        [study] = door.call("list_studies")["studies"]
        args = {"study": study["study"], "split": study["splits"][0]["split"], "idempotency_key": key}
        begun = door.call("start_attempt", {**args, "agent_label": "script"})
        this = {"attempt_id": begun["attempt_id"]}
        items = door.call("list_items", {**this, "limit": 50, "status": "all"})["items"]
        assert len(items) == begun["n_items"]
        control = control_id(project.store, this["attempt_id"])
        asks = [one["item_id"] for one in items if one["item_id"] != control]
        read = [door.call("get_item", {**this, "item_ids": [name]})["items"][0] for name in asks]
        prompts = {json.dumps(one["messages"]): one["item_id"] for one in read}  # a chat is given as its turns
        for prompt in sorted(prompts)[:asked]:
            name = prompts[prompt]
            given = [{"item_id": name, "answer": answer, "abstain": answer == UNSURE}]
            [receipt] = door.call("submit_answers", {**this, "answers": given})["receipts"]
            assert receipt["status"] == "recorded"
        assert door.call("finish_attempt", this)["status"] == "scoring"
        done = door.call("finish_attempt", this)
        assert (done["status"], done["n_answered"]) == ("scored", asked)
        scores = done["scores"]["synthetic/bioscore-rule/AR"]
        assert (scores["n"], scores["unanswered"]) == (asked, len(asks) - asked)
        assert scores["value"] == (1 if answer == UNSURE else 0)
        return str(begun["attempt_id"])


def test_attempts_at_biomed_are_scored_audited_and_told_apart(project: verbs.Project) -> None:
    one, again = attempt(project, "one", UNSURE, 5), attempt(project, "again", UNSURE, 5)
    other = attempt(project, "other", "It is the gene BRCA1.", 5)
    with judging_here():
        done = verbs.audit(project, verbs.AuditRequest(subject=one, budget=900))
    assert done.verdict == "unconfirmed"
    assert {check.id for check in done.checks if check.verdict != "pass"} == {"expect.missing"}
    assert done.coverage and done.coverage.agents == {"agent-script": 1} and done.coverage.again == done.coverage.steps
    assert verbs.diff(project, verbs.DiffRequest(left=one, right=again)).level == "bytes"
    parted = verbs.diff(project, verbs.DiffRequest(left=one, right=other))
    stages = {stage.stage: stage.verdict for stage in parted.stages}
    assert [stages[name] for name in ("rows", "prompts", "responses", "scores")] == [
        "same",
        "same",
        "differs",
        "differs",
    ]
    for each in (one, again, other):
        assert verbs.verify_transcript(project, verbs.VerifyTranscriptRequest(attempt=each)).verdict == "agreed"
    assert verbs.fsck(project).flaws == []
