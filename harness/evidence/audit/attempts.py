"""Audit of an attempt's run: its transcript against lock, list of runs, budget, and the benchmark's manifest.

Whether an agent gave these answers by itself no bytes can tell: that is taken on trust and said so. It knows no study,
and makes nothing again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from harness.attempts.fold import AttemptState, fold
from harness.clock import after
from harness.digest import differences, sha256
from harness.errors import DamageError, HarnessError
from harness.evidence.audit.checks import UNCONFIRMED, Report
from harness.manifest.attempt_manifest import AGENT, AttemptAnswered, asked_part, derive_manifest
from harness.manifest.load import parse_manifest
from harness.manifest.lockfile import Lock, read_lock
from harness.store.attempts import (
    ATTEMPT_ID,
    CLOSED,
    TRANSCRIPT,
    attempt_of,
    listed_attempts,
    transcript_flaws,
    transcript_path,
)
from harness.store.journal import Chain, Event, check_chain
from harness.store.reader import MOST_LOG
from harness.store.store import Store

REACHABLE = "the agent's user could read the store, and so the right answers (gold_reachable)"
FINISH = "finish_attempt"  # which no budget refuses
GRACE = 5  # seconds that a call which was begun in time may take until it is written down
_WORDS = re.compile(r"[^\s\"'`.,;:!?()\[\]{}<>]+")


def audit_attempts(store: Store, started: Event, lock: Lock, report: Report) -> None:
    """Check every attempt whose answers a run took; with any, no verdict of the run is above `unconfirmed`."""
    for name, said in lock.intent["models"].items():
        if said.get("provider") == AGENT:
            _attempt(store, started, lock, name, said, report)


def _attempt(store: Store, started: Event, lock: Lock, model: str, said: Mapping[str, Any], report: Report) -> None:
    attempt, pinned = str(said["attempt"]), str(said["transcript"])
    own = attempt_of(str(started["run"])) == attempt  # else somebody's manifest names another's attempt
    report.skip(UNCONFIRMED, model, f"answers of an agent taken on trust: attempt {attempt} is never confirmed")
    try:
        data = store.blobs.read(pinned, MOST_LOG)
    except HarnessError as bad:
        report.fail("attempt.changed", model, bad.what)
        return
    chain = check_chain(data, TRANSCRIPT)
    flaws = [*_file(store, attempt, data, own), *_listed(store, attempt, chain)]
    if not report.settle("attempt.changed", model, flaws, f"{len(chain.events)} lines of attempt {attempt}"):
        return
    begun = chain.events[0]
    try:
        state = fold(chain.events)
    except HarnessError as bad:
        report.fail("attempt.changed", model, bad.what)
        return
    report.settle("attempt.budget", model, budget_flaws(chain), f"{state.calls} calls of {begun['budget']['calls']}")
    counted = ", ".join(f"{count} {name}" for name, count in state.counts().items())
    report.settle("attempt.counts", model, state.flaws, counted)
    if own:
        report.settle("attempt.manifest", model, manifest_flaws(store, started, lock, attempt, begun), begun["name"])
    hits = canary_hits(state)
    report.held("attempt.canary", model, f"{hits} answers hold the control word" if hits else "no answer holds it")
    report.held("attempt.trust", model, REACHABLE if begun["gold_reachable"] else "the store was out of its reach")


def _file(store: Store, attempt: str, data: bytes, own: bool) -> Iterator[str]:
    """Say whether the transcript that lies beside the run is the one that the lock pins."""
    if not ATTEMPT_ID.fullmatch(attempt):
        yield f"{attempt[:80]!r} is no attempt"
        return
    path = transcript_path(store, attempt)
    try:
        found = store.tree.find_file(path, MOST_LOG)
    except DamageError as bad:
        yield f"runs/{attempt}/{path.name}: {bad.what}"
        return
    if found is None:
        if own:
            yield f"runs/{attempt}/{path.name} is missing"
    elif found != data:
        yield f"runs/{attempt}/{path.name} is not the transcript that was scored ({_where(found, data)})"


def _where(found: bytes, wanted: bytes) -> str:
    """Name the first line in which two transcripts differ."""
    lines, others = found.split(b"\n"), wanted.split(b"\n")
    same = next((at for at, (one, two) in enumerate(zip(lines, others, strict=False)) if one != two), len(lines))
    return f"line {min(same, len(others)) + 1}"


def _listed(store: Store, attempt: str, chain: Chain) -> Iterator[str]:
    """Say what is wrong with the chain that was scored, or with what the list of runs says of it."""
    known = listed_attempts(store.heads.read()).get(attempt)
    yield from transcript_flaws(chain, known)
    if chain.torn or not chain.events or chain.events[-1]["event"] != CLOSED:
        yield "the transcript does not end with the end of the attempt"
    elif chain.events[0]["attempt"] != attempt:
        yield f"the transcript is that of attempt {str(chain.events[0]['attempt'])[:80]}"
    elif known and not known.closed:
        yield "the list of runs does not name the end of this attempt"


def budget_flaws(chain: Chain) -> Iterator[str]:
    """Say where a transcript serves calls beyond the budget: their number, and the time in which they are made."""
    begun, calls = chain.events[0], 0
    until = after(begun["at"], begun["budget"]["seconds"] + GRACE)
    for event in chain.events:
        if event["event"] == "call":
            calls += 1
            if not event["is_error"] and event["tool"] != FINISH:
                if calls > begun["budget"]["calls"]:
                    yield f"line {event['n'] + 1} serves call {calls} of {begun['budget']['calls']}"
                if event["at"] > begun["expires"]:
                    yield f"line {event['n'] + 1} serves a call after the attempt expired"
                elif event["at"] > until:
                    yield f"line {event['n'] + 1} serves a call after the {begun['budget']['seconds']} seconds"


def canary_hits(state: AttemptState) -> int:
    """Count the answers that hold the control word, which stands where no agent can read."""
    wanted = state.header["canary"]["sha256"]
    return sum(_holds(answer.text, wanted) for answer in state.answers.values())


def _holds(text: str, wanted: str) -> bool:
    return any(sha256(word.encode()) == wanted for word in {text.strip(), *_WORDS.findall(text)})


def manifest_flaws(store: Store, started: Event, lock: Lock, attempt: str, begun: Event) -> Iterator[str]:
    """Say where manifest, lock and limit of the run are not derived from those that the transcript names."""
    try:
        base, tree = parse_manifest(store.blobs.read(begun["manifest"]), "manifest")
        held = read_lock(store.blobs.read(begun["lock"]), "lock")
        pinned = next(said["transcript"] for said in lock.intent["models"].values() if said.get("attempt") == attempt)
        said = AttemptAnswered(attempt, begun["label"], begun["split"], begun["subset"], pinned)
        derived = derive_manifest(base, tree, said, lock.intent["outputs"])
        items = asked_part(base, said.split, said.subset).items
    except HarnessError as bad:
        yield f"the benchmark's manifest cannot be read: {bad.what}"
        return
    if sha256(derived) != started["manifest"]:
        yield "the run's manifest is not derived from the one that the transcript names"
    if int(started.get("limit", 0)) != items:
        yield f"the run is limited to {started.get('limit', 0)} items, and the split to {items}"
    if held.manifest_sha256 != begun["manifest"] or base.name != begun["name"]:
        yield "the lock or the name in the transcript is not that of its manifest"
    for kind in sorted({*held.pins, *lock.pins} - {"models"}):
        there, here = held.of(kind), lock.of(kind)
        kept = {name: pin for name, pin in there.items() if kind != "datasets" or name in here}
        yield from (
            f"/pins/{kind}{pointer} is not what the benchmark's lock pins" for pointer in differences(kept, here)
        )
