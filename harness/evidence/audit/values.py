"""Audit of the values in a journal: times, digests, sizes, states and the isolation are such as a run can write.

Chains and keys prove that a line was not changed; these checks find a line that no run would have written.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from harness.clock import MONOTONE
from harness.evidence.audit.checks import Report
from harness.evidence.run_times import contradicting_times
from harness.store.blobs import is_digest
from harness.store.journal import Chain, Event

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_IMAGE = re.compile(r"none|sha256:[0-9a-f]{64}")
_USED = {"cpu_ms", "rss_kib", "wall_ms"}
_MACHINE = {"python": str, "kernel": str, "machine": str, "cpu": str, "cores": int, "processor": dict}
_DIGESTS = {
    "run.started": ("manifest", "lock", "plan", "environment"),
    "step.done": ("key", "entry"),
    "step.cached": ("key", "entry"),
    "trial.done": ("trial", "outcome"),
    "output": ("sha256",),
}
_STATES = ("done", "failed", "interrupted")


def audit_values(chain: Chain, isolations: Callable[[str], Collection[str] | None], report: Report) -> None:
    """Report every value of a journal that no run writes, and an isolation that the run's engine never writes down.

    `isolations` gives those of an engine; None, for one that is not installed, makes that check skipped.
    """
    run = str(chain.events[0]["run"])
    flaws = [f"line {number}: {flaw}" for number, event in enumerate(chain.events, 1) for flaw in _odd(event)]
    report.settle(
        "unaccounted",
        "values",
        [*flaws, *contradicting_times(chain, run), *_outputs(chain)],
        f"{len(chain.events)} lines",
    )
    _isolation(chain.events[0], isolations, report)


def _isolation(started: Event, isolations: Callable[[str], Collection[str] | None], report: Report) -> None:
    """Hold the isolation that a run claims against those that its engine writes down."""
    known = isolations(started["engine"])
    if known is None:
        report.skip("unaccounted", "engine", f"no engine {started['engine'][:40]!r} is installed here")
    elif started["isolation"] not in known:
        said = f"the {started['engine']} engine writes down {' or '.join(known)}"
        report.fail("unaccounted", "isolation", f"{said}, and not {started['isolation'][:40]!r}")
    else:
        report.held("unaccounted", "isolation", started["isolation"])


def _odd(event: Event) -> Iterator[str]:
    """Name the values of one line that are not what stands there."""
    kind = event["event"]
    if not _is_time(event["at"]):
        yield f"{event['at'][:40]!r} is no time"
    for name in _DIGESTS.get(kind, ()):
        if not is_digest(event[name]):
            yield f"{name} is no digest"
    if kind == "run.started":
        yield from _start(event)
    elif kind == "step.done" and not _is_usage(event["usage"]):
        yield "its usage is none"
    elif kind == "output" and event["size"] < 0:
        yield "its size is none"
    elif kind == "run.finished" and event["status"] not in _STATES:
        yield f"no run ends as {event['status'][:40]!r}"


def _start(event: Event) -> Iterator[str]:
    if not _IMAGE.fullmatch(event["image"]):
        yield "image is neither `none` nor a digest"
    sandbox = event.get("sandbox", {"image": "none", "environment": event["environment"]})
    if sandbox.keys() != {"image", "environment"} or not all(isinstance(one, str) for one in sandbox.values()):
        yield "sandbox is not an image and what it holds"
    elif not _IMAGE.fullmatch(sandbox["image"]) or not is_digest(sandbox["environment"]):
        yield "sandbox names no digests"
    if event["steps"] < 1:
        yield "a run has steps"
    if event.get("clock", MONOTONE) != MONOTONE:
        yield f"no run has the clock {event['clock'][:40]!r}"
    facts = event["facts"]
    odd = [name for name, kind in _MACHINE.items() if name in facts and type(facts[name]) is not kind]
    if odd or facts.get("cores", 1) < 1:
        yield f"facts: {', '.join(odd) or 'cores'} cannot be"
    elif "processor" in facts:
        said = facts["processor"]
        if said.keys() != {"name", "class"} or not all(isinstance(one, str) for one in said.values()):
            yield "facts: processor is not its name and class"


def _is_usage(usage: dict[str, Any]) -> bool:
    return usage.keys() <= _USED and all(type(value) is int and value >= 0 for value in usage.values())


def _is_time(text: str) -> bool:
    try:
        return bool(_TIME.fullmatch(text) and datetime.datetime.fromisoformat(text))
    except ValueError:
        return False


def _outputs(chain: Chain) -> Iterator[str]:
    """Name what stands among the outputs and is none, or an output out of the order of their names."""
    kinds = [event["event"] for event in chain.events]
    names = [event["name"] for event in chain.events if event["event"] == "output"]
    if names != sorted(names):
        yield "outputs do not stand in the order of their names"
    if names and set(kinds[kinds.index("output") :]) - {"output", "run.finished"}:
        yield "a line stands among the outputs that is none"
