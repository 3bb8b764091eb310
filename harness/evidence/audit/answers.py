"""Audit of answers of models and of agents: which facts can be checked, and which are taken on trust.

Counts, times and order of a model's answers are compared with the texts beside them. A mismatch is a note beside the
verdict, within wide bounds (OURS). An attempt's transcript is compared with lock, list of runs, budget, and the
benchmark's manifest. Whether an agent answered by itself cannot be checked. Nothing is executed again here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any

from harness import rows
from harness.attempts.transcript import AttemptState, fold_events
from harness.clock import time_after
from harness.digest import differing_pointers, sha256
from harness.errors import DamageError, HarnessError
from harness.evidence.audit.checks import UNCONFIRMED, Report
from harness.evidence.audit.reexecution import answering_model
from harness.manifest.load import AGENT, AttemptAnswered, asked_part, derive_manifest, parse_manifest
from harness.manifest.lockfile import Lock, read_lock
from harness.steps import Step
from harness.store.attempts import (
    ATTEMPT_ID,
    CLOSED,
    TRANSCRIPT,
    attempt_of_run,
    listed_attempts,
    transcript_flaws,
    transcript_path,
)
from harness.store.journal import AttemptEvent, Chain, Event, check_chain
from harness.store.store import Entry, Store
from harness.store.tree import MOST_LOG

LONGEST = 24  # most bytes of text per token, on average over a step
SURROUND = 2_000  # tokens that a provider may add to a prompt
SLACK = 2_000  # milliseconds by which the clocks of a step and of its journal may differ
FASTEST = 1_000  # tokens per millisecond, more than any present model writes
UNIT = ("item", "template", "sample")

Row = Mapping[str, Any]


def note_answers(
    store: Store, steps: Iterable[Step], made: Mapping[str, Entry], chain: Chain[Event], report: Report
) -> None:
    """Add a note to a report for each step with answers taken on trust whose numbers and texts do not match."""
    events = {event["step"]: event for event in chain.events if event["event"] == "step.done"}
    for step in steps:
        if step.stage == "responses" and "responses" in step.outputs and step.name in made:
            if not (answering_model(step) or step.imported):
                continue
            event = events.get(step.name)
            try:
                flaws = list(_flaws(store, step, made[step.name], event, chain.events[0]))
            except (HarnessError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
                flaws = ["its answers are no rows as a step writes them"]
            report.notes += [f"{step.name}: {flaw}" for flaw in flaws]


def _flaws(store: Store, step: Step, entry: Entry, event: Event | None, started: Event) -> Iterator[str]:
    answers = list(_read(store, entry.outputs["responses"].sha256))
    source = entry.preimage["inputs"].get("prompts")
    prompts = list(_read(store, source)) if isinstance(source, str) else None
    written = sum(_count(one, "completion_tokens") for one in answers)
    yield from _tokens(answers, prompts, step.params.get("generation", {}).get("max_tokens"))
    if prompts is not None:
        yield from _order(step, answers, prompts)
    if "inference" in entry.outputs:
        yield from _summary(answers, next(iter(_read(store, entry.outputs["inference"].sha256)), {}))
    if event:
        yield from _time(event, started, written if step.infers else 0)


def _read(store: Store, digest: str) -> Iterator[Row]:
    path: Path = store.blobs.deliver(digest)
    yield from rows.read(path)


def _count(row: Row, name: str) -> int:
    value = (row.get("usage") or {}).get(name, 0)
    return value if type(value) is int else 0


def _size(row: Row) -> int:
    return len((row.get("text") or "").encode()) + len((row.get("reasoning") or "").encode())


def _tokens(answers: list[Row], prompts: list[Row] | None, most: object) -> Iterator[str]:
    """Yield mismatches of token counts with the texts, and with the requested limit."""
    counted = [row for row in answers if _count(row, "completion_tokens")]
    tokens, size = (sum(map(each, counted)) for each in (lambda row: _count(row, "completion_tokens"), _size))
    if size > LONGEST * tokens + LONGEST:
        yield f"{tokens} tokens of answers for {size} bytes of text"
    if any(_size(row) and (row.get("usage") or {}).get("completion_tokens") == 0 for row in answers):
        yield "an answer of no token has a text"
    if type(most) is int and (over := sum(_count(row, "completion_tokens") > most for row in counted)):
        yield f"{over} answers have more tokens than the {most} asked for"
    if prompts is None:
        return
    texts = {(one.get("item"), one.get("template")): len(_prompt(one)) for one in prompts}
    asked = [(_count(row, "prompt_tokens"), texts.get((row.get("item"), row.get("template")), 0)) for row in answers]
    asked = [(tokens, size) for tokens, size in asked if tokens]
    if asked and sum(size for _, size in asked) > LONGEST * sum(tokens for tokens, _ in asked) + LONGEST:
        yield f"{sum(tokens for tokens, _ in asked)} tokens of prompts for {sum(size for _, size in asked)} bytes"
    if beyond := sum(tokens > size + SURROUND for tokens, size in asked if size):
        yield f"{beyond} prompts have more tokens than bytes"


def _prompt(row: Row) -> bytes:
    """Return all bytes that a prompt shows; empty for one with attachments, whose length is unknown."""
    if row.get("attachments"):
        return b""
    return json.dumps(row.get("messages") or row.get("text") or "", ensure_ascii=False).encode("utf-8", "replace")


def _order(step: Step, answers: list[Row], prompts: list[Row]) -> Iterator[str]:
    """Yield mismatches of the order of answers with that of the prompts: one answer per prompt and sample."""
    seeds = step.params.get("seeds")
    count = len(seeds) if isinstance(seeds, list) else 1
    wanted = ((one.get("item"), one.get("template"), sample) for one in prompts for sample in range(count))
    found = (tuple(row.get(name) for name in UNIT) for row in answers)
    for number, (one, two) in enumerate(zip_longest(wanted, found), 1):
        if one != two:
            yield f"answer {number} does not stand where its prompt does"
            return
    if any(row.get("model") != step.params.get("model") for row in answers):
        yield "answers of another model stand in it"


def _summary(answers: list[Row], said: Row) -> Iterator[str]:
    """Yield mismatches of the step's own summary with its answers."""
    finish: dict[str, int] = {}
    used: dict[str, int] = {}
    for row in answers:
        finish[str(row.get("finish"))] = finish.get(str(row.get("finish")), 0) + 1
        for name, value in (row.get("usage") or {}).items():
            used[name] = used.get(name, 0) + value
    for name, found in (("requests", len(answers)), ("finish", finish), ("usage", used)):
        if said.get(name) != found:
            yield f"its summary counts other {name} than its answers have"


def _time(event: Event, started: Event, written: int) -> Iterator[str]:
    """Yield mismatches of a step's recorded usage with the elapsed time."""
    usage: Mapping[str, int] = event["usage"]
    wall, cpu, cores = usage.get("wall_ms", 0), usage.get("cpu_ms", 0), started["facts"].get("cores", 0)
    begun, ended = (datetime.fromisoformat(one["at"]) for one in (started, event))
    elapsed = (ended - begun).total_seconds() * 1000
    if wall > elapsed + SLACK:
        yield f"it took {wall} ms, and stands {elapsed:.0f} ms after the start of its run"
    if cores and cpu > wall * cores + SLACK:
        yield f"it used {cpu} ms of CPU in {wall} ms on {cores} cores"
    if written > FASTEST * max(wall, 1):
        yield f"{written} tokens were written in {wall} ms"


REACHABLE = "the agent's user could read the store, and so the right answers (gold_reachable)"
FINISH = "finish_attempt"  # allowed beyond any budget
GRACE = 5  # seconds until a call that began in time must be recorded
_WORDS = re.compile(r"[^\s\"'`.,;:!?()\[\]{}<>]+")


def audit_attempts(store: Store, started: Event, lock: Lock, report: Report) -> None:
    """Check every attempt whose answers a run used; with any, the run's verdict is at most `unconfirmed`."""
    for name, said in lock.intent["models"].items():
        if said.get("provider") == AGENT:
            _attempt(store, started, lock, name, said, report)


def _attempt(store: Store, started: Event, lock: Lock, model: str, said: Mapping[str, Any], report: Report) -> None:
    attempt, pinned = str(said["attempt"]), str(said["transcript"])
    own = attempt_of_run(str(started["run"])) == attempt  # otherwise a manifest names the attempt of another run
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
        state = fold_events(chain.events)
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
    """Yield how the transcript beside the run differs from the one that the lock pins."""
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
    """Return the first line in which two transcripts differ."""
    lines, others = found.split(b"\n"), wanted.split(b"\n")
    same = next((at for at, (one, two) in enumerate(zip(lines, others, strict=False)) if one != two), len(lines))
    return f"line {min(same, len(others)) + 1}"


def _listed(store: Store, attempt: str, chain: Chain[AttemptEvent]) -> Iterator[str]:
    """Yield flaws of the scored chain, and contradictions with the list of runs."""
    known = listed_attempts(store.heads.read()).get(attempt)
    yield from transcript_flaws(chain, known)
    if chain.torn or not chain.events or chain.events[-1]["event"] != CLOSED:
        yield "the transcript does not end with the end of the attempt"
    elif chain.events[0]["attempt"] != attempt:
        yield f"the transcript is that of attempt {str(chain.events[0]['attempt'])[:80]}"
    elif known and not known.closed:
        yield "the list of runs does not name the end of this attempt"


def budget_flaws(chain: Chain[AttemptEvent]) -> Iterator[str]:
    """Yield the calls that a transcript serves beyond the budget, in their number or their time."""
    begun, calls = chain.events[0], 0
    until = time_after(begun["at"], begun["budget"]["seconds"] + GRACE)
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
    """Return the number of answers that contain the control word, which no agent can read."""
    wanted = state.header["canary"]["sha256"]
    return sum(_holds(answer.text, wanted) for answer in state.answers.values())


def _holds(text: str, wanted: str) -> bool:
    return any(sha256(word.encode()) == wanted for word in {text.strip(), *_WORDS.findall(text)})


def manifest_flaws(store: Store, started: Event, lock: Lock, attempt: str, begun: AttemptEvent) -> Iterator[str]:
    """Yield where manifest, lock and limit of the run are not derived from those that the transcript names."""
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
            f"/pins/{kind}{pointer} is not what the benchmark's lock pins" for pointer in differing_pointers(kept, here)
        )
