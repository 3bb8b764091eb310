"""What an audit finds in an attempt whose digests all fit: the budget, the counts, the control word, the manifest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from support import judging_here
from support_attempts import CONTROL_WORD, FACTS, AttemptFolder
from support_scored import flaws, open_project, played

from harness import verbs
from harness.attempts.transcript import fold_events, item_id
from harness.digest import sha256
from harness.evidence.audit.answers import budget_flaws, canary_hits, manifest_flaws
from harness.files import write_atomic
from harness.manifest.documents import Pins
from harness.manifest.lockfile import read_lock
from harness.store.attempts import read_transcript, transcript_path
from harness.store.journal import AttemptEvent, Chain, Event, read_chain

pytestmark = pytest.mark.together


def chain_of(tmp_path: Path, *texts: str, **more: Any) -> Chain[AttemptEvent]:
    """Give the chain of an attempt in which these texts were answered, to its items one by one."""
    attempt = AttemptFolder(tmp_path, **more)
    desk = attempt.desk()
    for number, text in enumerate(texts, 1):
        desk.call("submit_answers", attempt.answers((number, text)), FACTS).unwrap()
    desk.shut()
    return read_chain(attempt.path, "transcript/1")


def changed(chain: Chain[AttemptEvent], change: Callable[[dict[str, Any]], object]) -> Chain[AttemptEvent]:
    """Give a chain whose calls were changed, as one who chains them anew would leave it."""
    events = [dict(event) for event in chain.events]
    for event in events:
        if event["event"] == "call":
            change(event)
    return Chain(cast(tuple[AttemptEvent, ...], tuple(events)), chain.lines, head=chain.head)


def test_an_attempt_within_its_budget_has_no_flaw(tmp_path: Path) -> None:
    chain = chain_of(tmp_path, "1", "2")
    assert list(budget_flaws(chain)) == [] and fold_events(chain.events).flaws == []


def test_calls_beyond_the_budget_and_late_ones_are_named(tmp_path: Path) -> None:
    chain = chain_of(tmp_path, "1", "2")
    poor: Any = [{**chain.events[0], "budget": {"calls": 1, "seconds": 9}}, *chain.events[1:]]
    assert list(budget_flaws(Chain(tuple(poor)))) == ["line 3 serves call 2 of 1"]
    late = changed(chain, lambda event: event.update(at="2999-12-31T00:00:00.000Z"))
    assert [flaw.split(" serves")[0] for flaw in budget_flaws(late)] == ["line 2", "line 3"]


def test_a_call_that_was_refused_costs_and_breaks_no_budget(tmp_path: Path) -> None:
    chain = chain_of(tmp_path, "1")
    poor: Any = [{**chain.events[0], "budget": {"calls": 0, "seconds": 9}}, {**chain.events[1], "is_error": True}]
    assert list(budget_flaws(Chain(tuple(poor)))) == []


def test_answers_that_are_changed_or_miscounted_are_named(tmp_path: Path) -> None:
    chain = chain_of(tmp_path, "1", "2")

    def other(event: dict[str, Any]) -> None:
        event["args"] = {**event["args"], "answers": [{**event["args"]["answers"][0], "answer": "7"}]}

    assert len(fold_events(changed(chain, other).events).flaws) == 2
    assert len(fold_events(changed(chain, lambda event: event.update(calls_left=0)).events).flaws) == 2


@pytest.mark.parametrize(
    ("text", "hits"),
    [(CONTROL_WORD, 1), (f' the word is "{CONTROL_WORD}".\n', 1), (CONTROL_WORD.upper(), 0), ("unknown", 0), ("", 0)],
)
def test_the_control_word_is_found_wherever_it_is_said(tmp_path: Path, text: str, hits: int) -> None:
    chain = chain_of(tmp_path, text)
    assert canary_hits(fold_events(chain.events)) == hits


def test_the_control_record_is_not_counted(tmp_path: Path) -> None:
    chain = chain_of(tmp_path, "1")
    state = fold_events(chain.events)
    assert state.canary == item_id(state.secret, chain.events[0]["canary"]["key"])
    assert state.counts() == {"answered": 1, "abstained": 0, "missing": 4}


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[verbs.Project, str]:
    project = open_project(tmp_path_factory.mktemp("scored") / "project")
    return project, played(project, "one")


def test_a_run_that_is_not_derived_from_its_attempt_is_named(scored: tuple[verbs.Project, str], tmp_path: Path) -> None:
    """A run of the same transcript under an easier manifest of somebody's own is an import, and says so."""
    project, attempt = scored
    data = transcript_path(project.open(), attempt).read_bytes()
    manifest = project.root / "manifests" / "mine.yaml"
    text = (project.root / "manifests" / "small.yaml").read_text().partition("agents:")[0]
    model = f"{{provider: agent, attempt: {attempt}, transcript: {sha256(data)}}}"
    mine = text.replace("oracle: {provider: baseline, behaviour: oracle}", f"agent-mine: {model}")
    write_atomic(manifest, mine.replace("name: small", "name: mine").encode())
    verbs.lock(project, verbs.LockRequest(manifests=[manifest]))
    run = verbs.run(project, verbs.RunRequest(manifests=[manifest])).runs[0]
    assert [(one.source, one.taken) for one in run.imported] == [(f"attempt {attempt}", 5)]
    assert {id for id, _ in flaws(project, run.run)} == {"expect.missing"}
    with judging_here():
        checks = verbs.audit(project, verbs.AuditRequest(subject=run.run, level="hashes")).checks
    ids = {check.id for check in checks}
    assert "attempt.manifest" not in ids  # it is nobody's own run
    manifest.unlink()


@pytest.mark.parametrize(
    ("change", "said"),
    [({"limit": 2}, "limited to 2 items, and the split to 3"), ({"manifest": "0" * 64}, "not derived")],
)
def test_what_a_forged_start_of_its_own_run_says_is_named(
    scored: tuple[verbs.Project, str], change: dict[str, Any], said: str
) -> None:
    project, attempt = scored
    store = project.open()
    started = read_chain(store.journal(attempt)).events[0]
    lock = read_lock(store.blobs.read(started["lock"]), "lock")
    begun = read_transcript(store, attempt).events[0]
    assert list(manifest_flaws(store, started, lock, attempt, begun)) == []
    [flaw] = manifest_flaws(store, cast(Event, {**started, **change}), lock, attempt, begun)
    assert said in flaw
    [moved] = manifest_flaws(store, started, lock, attempt, {**begun, "name": "other"})
    assert "not that of its manifest" in moved
    pins: Pins = {**lock.pins, "prompts": {}}
    flaws = list(manifest_flaws(store, started, replace(lock, pins=pins), attempt, begun))
    assert flaws and all(flaw.startswith("/pins/prompts/") for flaw in flaws)
