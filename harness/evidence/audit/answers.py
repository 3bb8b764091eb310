"""Cross-checks of answers that an audit takes on trust: counts, times and order are held against the texts beside them.

Nothing here proves an answer; a misfit is a note beside the verdict, since whoever forged answers had to forge these,
too. The bounds are wide (OURS): a note should mean that somebody ought to look.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import HarnessError
from harness.evidence.audit.checks import Report
from harness.evidence.audit.reexecution import answering_model
from harness.steps import Step
from harness.store.entries import Entry
from harness.store.journal import Chain, Event
from harness.store.store import Store

LONGEST = 24  # bytes of text that a token stands for, on average over a step, at most
SURROUND = 2_000  # tokens that a provider may add to a prompt
SLACK = 2_000  # milliseconds by which clocks of a step and of its journal may differ
FASTEST = 1_000  # tokens a millisecond that no model of today writes
UNIT = ("item", "template", "sample")

Row = Mapping[str, Any]


def note_answers(store: Store, steps: Iterable[Step], made: Mapping[str, Entry], chain: Chain, report: Report) -> None:
    """Add a note to a report for each step of answers on trust whose numbers and texts do not fit each other."""
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
    """Hold counts of tokens against the texts, and against the most that was asked for."""
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
    """Spell all that a prompt shows; one with attachments is as long as anybody says."""
    if row.get("attachments"):
        return b""
    return json.dumps(row.get("messages") or row.get("text") or "", ensure_ascii=False).encode("utf-8", "replace")


def _order(step: Step, answers: list[Row], prompts: list[Row]) -> Iterator[str]:
    """Hold the order of answers against that of the prompts: one for each prompt and sample."""
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
    """Hold the summary that the step itself wrote against its answers."""
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
    """Hold what a step is said to have used against the time there was."""
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
