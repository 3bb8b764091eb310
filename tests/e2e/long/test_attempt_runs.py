"""Whole attempts in one process: scored, audited, told apart, replayed; and what becomes of a changed byte."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import pytest
from support import judging_here
from support_scored import STUDY, begin, flaws, open_project, play, played, read, sum_of

from harness import verbs
from harness.attempts.codes import AttemptError
from harness.digest import encode_document, sha256
from harness.errors import InputError
from harness.run.attempts.score import SCORED, AttemptOutcome, normal_form
from harness.run.attempts.service import describe_scoring
from harness.run.attempts.view import read_view
from harness.store.attempts import attempt_of_run, read_transcript, transcript_path
from harness.store.journal import START
from harness.store.store import Store
from harness.verbs.attempts import attempt_backend

pytestmark = pytest.mark.together
TRUST = "expect.missing"  # what no attempt is without: nobody confirms an agent's answers


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[verbs.Project, list[str]]:
    """Give a project in which the script made two attempts, and answered wrongly in a third."""
    project = open_project(tmp_path_factory.mktemp("whole") / "project")
    return project, [played(project, "one"), played(project, "two"), played(project, "three", wrong="0")]


@pytest.fixture
def copy(whole: tuple[verbs.Project, list[str]], tmp_path: Path) -> tuple[verbs.Project, str]:
    """Give a copy of that project, which a test may spoil, and its first attempt."""
    shutil.copytree(whole[0].folder, tmp_path / "project")
    return verbs.Project.at(tmp_path / "project"), whole[1][0]


def outputs(project: verbs.Project, run: str) -> dict[str, str]:
    record = json.loads((project.store / "runs" / run / "record.json").read_bytes())
    return {name: made["sha256"] for name, made in record["outputs"].items()}


def lines(project: verbs.Project, attempt: str) -> list[bytes]:
    return transcript_path(project.open(), attempt).read_bytes().splitlines(keepends=True)


def rewrite(project: verbs.Project, attempt: str, data: bytes) -> None:
    path = transcript_path(project.open(), attempt)
    path.chmod(0o644)
    path.write_bytes(data)


def test_all_that_an_audit_lacks_of_an_attempt_is_trust_in_its_agent(whole) -> None:
    project, [attempt, *_] = whole
    with judging_here():
        done = verbs.audit(project, verbs.AuditRequest(subject=attempt))
    assert done.verdict == "unconfirmed"
    assert {check.id for check in done.checks if check.verdict != "pass"} == {TRUST}
    assert done.coverage and done.coverage.again == done.coverage.steps
    assert "answers of an agent taken on trust: agent-script" in done.coverage.text
    said = {check.id: check.detail for check in done.checks if check.id.startswith("attempt.")}
    assert "gold_reachable" in said["attempt.trust"] and said["attempt.canary"] == "no answer holds it"
    record = json.loads((project.store / "runs" / attempt / "record.json").read_bytes())
    [imported] = record["imported"]
    assert imported["source"] == f"attempt {attempt}"


def test_a_script_that_runs_twice_has_equal_scores_and_one_normal_form(whole) -> None:
    project, [one, two, wrong] = whole
    assert outputs(project, one) == outputs(project, two)
    assert outputs(project, one)["scores"] != outputs(project, wrong)["scores"]
    store = project.open()
    forms = []
    for attempt in (one, two, wrong):
        events = read_transcript(store, attempt).events
        view = read_view(store, events[0]["view"])
        assert view
        keys = [json.loads(line)["key"] for line in view.items_file.read_bytes().splitlines()[1:]]
        forms.append(normal_form(events, keys))
    assert forms[0] == forms[1] != forms[2]


def test_two_attempts_part_in_their_answers_or_nowhere(whole) -> None:
    project, [one, two, wrong] = whole
    assert verbs.diff(project, verbs.DiffRequest(left=one, right=two)).level == "bytes"
    parted = verbs.diff(project, verbs.DiffRequest(left=one, right=wrong))
    assert parted.level != "bytes"
    assert [stage.verdict for stage in parted.stages if stage.stage in ("rows", "prompts")] == ["same", "same"]
    assert [stage.verdict for stage in parted.stages if stage.stage in ("responses", "scores")] == ["differs"] * 2


def test_scores_say_what_was_right_and_what_was_not_answered(whole) -> None:
    project, [one, _, wrong] = whole
    good, bad = (verbs.show_attempt(project, verbs.AttemptRequest(attempt=each)) for each in (one, wrong))
    [line] = [line for line in good.scores["scores"] if not line.get("metric")]
    assert (line["value"], line["n"], line["unanswered"]) == (1.0, 5, 1)
    assert [line["value"] for line in bad.scores["scores"] if not line.get("metric")] == [0.0]
    assert (good.attempt.answered, good.attempt.abstained, good.attempt.missing) == (5, 1, 1)
    assert any("gold_reachable" in said for said in good.rests_on)


def test_a_changed_byte_of_a_transcript_is_found(copy) -> None:
    project, attempt = copy
    data = b"".join(lines(project, attempt))
    rewrite(project, attempt, data.replace(b'"client":"python"', b'"client":"pythom"', 1))
    found = flaws(project, attempt)
    assert "attempt.changed" in {id for id, _ in found}
    checked = verbs.verify_transcript(project, verbs.VerifyTranscriptRequest(attempt=attempt))
    assert (checked.verdict, checked.first_bad_seq) == ("disagreed", 2)
    assert [flaw.id for flaw in verbs.fsck(project).flaws] == ["chain.broken"]


def test_a_transcript_chained_anew_is_not_the_one_of_the_list(copy) -> None:
    project, attempt = copy
    events = [json.loads(line) for line in lines(project, attempt)]
    events[2]["ms"] += 1
    data, head = b"", START
    for event in events:
        line = encode_document({**event, "prev": head}) + b"\n"
        data, head = data + line, sha256(line)
    rewrite(project, attempt, data)
    assert dict(flaws(project, attempt))["attempt.changed"].endswith("(line 3)")
    kept = verbs.VerifyTranscriptRequest(attempt=attempt, heads=[sha256(lines(project, attempt)[0]), "0" * 64])
    checked = verbs.verify_transcript(project, kept)
    assert checked.verdict == "disagreed" and checked.first_bad_seq is None
    assert f"no record has the head {'0' * 64}" in checked.flaws
    assert "does not end as the list of runs says" in " ".join(checked.flaws)


@pytest.mark.parametrize("loss", ["transcript", "tail"])
def test_a_transcript_that_is_gone_or_shortened_is_named(copy, loss: str) -> None:
    project, attempt = copy
    if loss == "tail":
        rewrite(project, attempt, b"".join(lines(project, attempt)[:-1]))
    else:
        transcript_path(project.open(), attempt).unlink()
    assert "attempt.changed" in {id for id, _ in flaws(project, attempt)}
    assert verbs.fsck(project).flaws


def test_a_transcript_verifies_and_its_reads_give_the_same_again(whole) -> None:
    project, [attempt, *_] = whole
    heads = [sha256(line) for line in lines(project, attempt)]
    done = verbs.verify_transcript(project, verbs.VerifyTranscriptRequest(attempt=attempt, heads=heads[::3]))
    assert (done.verdict, done.status, done.differing, done.flaws) == ("agreed", SCORED, [], [])
    assert done.reads == 8 and done.n_records == len(heads) and done.head == heads[-1]
    with pytest.raises(InputError, match="no attempt"):
        verbs.verify_transcript(project, verbs.VerifyTranscriptRequest(attempt="../../etc"))


def test_an_attempt_under_way_is_listed_and_kept_and_is_no_run(copy) -> None:
    project, scored = copy
    with verbs.AttemptDoor(project) as door:
        attempt = begin(door, "open")
        [name, *_] = read(door, attempt)
        door.call("submit_answers", {"attempt_id": attempt, "answers": [{"item_id": name, "answer": "1"}]})
    listed = verbs.list_attempts(project).attempts
    assert [(one.attempt, one.status) for one in listed[:1]] == [(attempt, "open")]
    assert {one.status for one in listed[1:]} == {SCORED}
    store = project.open()
    assert store.find_run("last") != attempt and scored in [one.run for one in verbs.runs(project).runs]
    assert attempt not in [one.run for one in verbs.runs(project).runs]
    with pytest.raises(InputError, match="not scored yet"):
        verbs.audit(project, verbs.AuditRequest(subject=attempt))
    assert verbs.fsck(project).flaws == []
    idle = store.root / "views" / ("0" * 64)
    idle.mkdir()
    swept = verbs.gc(project, verbs.GcRequest(delete=True))
    assert "0" * 64 in swept.folders and not idle.exists()
    assert verbs.verify_transcript(project, verbs.VerifyTranscriptRequest(attempt=attempt)).verdict == "agreed"
    assert {id for id, _ in flaws(project, scored)} == {TRUST}
    done = verbs.abandon_attempt(project, verbs.AttemptRequest(attempt=attempt[:-4]))
    assert (done.attempt.status, done.attempt.answered) == ("closed", 1)
    again = verbs.rescore_attempt(project, verbs.RescoreRequest(attempt=attempt))
    assert again.attempt.status == SCORED and {id for id, _ in flaws(project, attempt)} == {TRUST}


def test_a_scoring_that_was_killed_is_done_again_under_another_name(copy) -> None:
    project, _ = copy
    with verbs.AttemptDoor(project) as door:
        attempt = begin(door, "killed")
        object.__setattr__(door.backend, "score", False)
        assert play(door, attempt)["status"] == "scoring"
    store = project.open()
    journal = store.journal(attempt)
    dead = (project.store / "runs" / verbs.runs(project).runs[0].run / "journal.jsonl").read_bytes().splitlines()[0]
    first = encode_document({**json.loads(dead), "run": attempt}) + b"\n"
    journal.write_bytes(first)
    store.heads.add("run.started", {"run": attempt, "journal": sha256(first)})
    shown = verbs.rescore_attempt(project, verbs.RescoreRequest(attempt=attempt))
    assert shown.attempt.run == f"{attempt}.2" and attempt_of_run(shown.attempt.run) == attempt
    assert {project.run(name)[1] for name in (attempt, attempt[:-2], f"{attempt}.2")} == {f"{attempt}.2"}
    assert shown.attempt.status == SCORED and {id for id, _ in flaws(project, shown.attempt.run)} == {TRUST}
    assert verbs.fsck(project).flaws == []
    with verbs.AttemptDoor(project) as door:
        assert door.call("finish_attempt", {"attempt_id": attempt})["status"] == SCORED


def test_of_a_hidden_split_an_agent_is_told_that_it_is_sealed(whole) -> None:
    store = Store.open(whole[0].store)
    for status in ("closed", "scoring", SCORED, "failed", "sealed"):
        assert describe_scoring(store, AttemptOutcome("x", status, hidden=True, run="r", record="d")) == {
            "status": "sealed"
        }


def test_nobody_else_closes_scores_or_asks_about_an_attempt(copy) -> None:
    project, attempt = copy
    with verbs.AttemptDoor(project, principal="local:4242") as door:
        for tool in ("finish_attempt", "list_items"):
            with pytest.raises(AttemptError) as refused:
                door.call(tool, {"attempt_id": attempt})
            assert refused.value.name == "E_UNKNOWN_ATTEMPT"
        with pytest.raises(AttemptError, match="no attempt"):
            door.backend.status(attempt)
        with pytest.raises(AttemptError):
            door.backend.score_text({"attempt_id": attempt, "item_id": "0" * 16, "metric": "x", "prediction": "x"})


def test_a_text_is_scored_by_the_benchmark_once_its_item_is_answered(copy) -> None:
    project, _ = copy
    metric = "reliability.outcome"
    with verbs.AttemptDoor(project) as door:
        other = begin(door, "texts")
        name, prompt = next(iter(read(door, other).items()))
        asked = {"attempt_id": other, "item_id": name, "metric": metric, "prediction": sum_of(prompt)}
        with pytest.raises(AttemptError, match="still open"):
            door.call("score_text", asked)
        door.call("submit_answers", {"attempt_id": other, "answers": [{"item_id": name, "answer": "1"}]})
        assert door.call("score_text", asked)["value"] == 1.0
        assert door.call("score_text", {**asked, "prediction": "no idea at all"})["value"] == 0.0
        with pytest.raises(AttemptError) as refused:
            door.call("score_text", {**asked, "metric": "bleu"})
        assert refused.value.name == "E_METRIC_NOT_FOR_STUDY"
    assert verbs.fsck(project).flaws == [] and len(verbs.list_attempts(project).attempts) == 4
    assert len(verbs.runs(project).runs) == 3  # no text that was scored is a run


def test_the_verbs_are_the_tools_one_by_one(copy) -> None:
    project, _ = copy
    from harness.attempts import shapes

    begun = verbs.start_attempt(project, shapes.StartAttemptRequest(study=STUDY, split="dev", idempotency_key="verbs"))
    page = verbs.list_items(project, shapes.ListItemsRequest(attempt_id=begun.attempt_id, limit=50, status="all"))
    assert len(page.items) == begun.n_items
    first = page.items[0].item_id
    item = verbs.get_item(project, shapes.GetItemRequest(attempt_id=begun.attempt_id, item_ids=[first]))
    with verbs.AttemptDoor(project) as door:
        args = {"attempt_id": begun.attempt_id, "item_ids": [first]}
        again = door.call("get_item", args)
        assert again == item.model_dump(exclude_none=True)
    given = {"attempt_id": begun.attempt_id, "answers": [{"item_id": first, "answer": "12"}]}
    done = verbs.submit_answers(project, shapes.SubmitAnswersRequest.model_validate(given))
    assert done.receipts[0].status == "recorded"
    assert verbs.list_studies(project).studies[0].study == STUDY
    told_first = verbs.finish_attempt(project, shapes.FinishAttemptRequest(attempt_id=begun.attempt_id))
    told_then = verbs.finish_attempt(project, shapes.FinishAttemptRequest(attempt_id=begun.attempt_id))
    assert (told_first.status, told_then.status) == ("scoring", "scored") and told_then.scores


def test_who_looks_at_the_status_keeps_nobody_from_scoring(copy) -> None:
    """The look takes the lock of scoring for a moment; the scorer that begins in this moment waits for it."""
    project, _ = copy
    from harness.attempts import shapes

    begun = verbs.start_attempt(project, shapes.StartAttemptRequest(study=STUDY, split="dev", idempotency_key="looked"))
    verbs.abandon_attempt(project, verbs.AttemptRequest(attempt=begun.attempt_id))
    looked, over = threading.Event(), threading.Event()

    def look() -> None:
        with project.open().lock(f"score-{begun.attempt_id}"):
            looked.set()
            over.wait(0.5)

    looking = threading.Thread(target=look)
    looking.start()
    assert looked.wait(30)
    try:
        ended = attempt_backend(project, verbs.ServeRequest(engine="local")).finish(begun.attempt_id)
    finally:
        over.set()
        looking.join()
    assert ended["status"] == "scored" and ended["scores"]
