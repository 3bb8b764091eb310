"""Times that contradict each other: of a run or attempt its id, the events of its log, and the clock of this machine.

A clock that was set back between two runs is nobody's lie, and contradicts nothing; within a log times only go
forward. It knows times, and never what happened at them.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from itertools import pairwise

from harness.clock import MONOTONE, after, now
from harness.store.attempts import ATTEMPT_ID, attempt_of
from harness.store.journal import Chain, Event
from harness.store.listed import runs_of, started
from harness.store.store import Store

LATE = "stands behind a run that began later: the clock was set back, or the list put in another order:"
MOMENT = 1  # seconds within which two runs may begin and come onto the list in any order
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
DAY = 24 * 60 * 60  # seconds that two clocks may differ by, and that a start may take


def contradicting_times(chain: Chain, name: str) -> Iterator[str]:
    """Name the times of a journal or transcript that cannot be: each one flaw, and of each kind the first.

    A log begins when its id was made, or a moment later; the run of an attempt bears the attempt's id, and begins
    whenever that is scored. Older runs' clocks may have been set back while they ran.
    """
    begun = str(chain.events[0]["at"])
    if stamped := id_time(name):
        scored = chain.events[0]["event"] == "run.started" and ATTEMPT_ID.fullmatch(attempt_of(name)) is not None
        if begun < stamped and not scored:
            yield f"it begins at {begun[:40]}, before its id was made"
        elif begun > after(stamped, DAY) and not scored:
            yield f"it begins at {begun[:40]}, more than a day after its id was made"
    until = after(now(), DAY)
    late = next((event for event in chain.events if str(event["at"]) > until), None)
    if late:
        yield f"line {late['n'] + 1} is of {late['at'][:40]}, which is in the future"
    back = next((two for one, two in pairwise(chain.events) if _one_clock(chain, two) and two["at"] < one["at"]), None)
    if back:
        yield f"line {back['n'] + 1} is older than the line before it"


def _one_clock(chain: Chain, event: Event) -> bool:
    """Whether the line before this one was written by the same process, whose clock only goes forward."""
    begun = chain.events[0]
    if begun["event"] == "run.started":
        return bool(begun.get("clock") == MONOTONE)
    return event["event"] != "reopened" and int(event["n"]) > 1  # whoever opens an attempt writes its first line


def listed_late(store: Store, heads: Chain) -> Iterator[tuple[str, str]]:
    """Find the runs that stand on the list behind one that began later; gives both.

    Either the clock was set back between them, or somebody put the list in another order: which is the last run,
    nobody can tell. Two that began within a moment may stand either way.
    """
    latest, before = "", ""
    for known in runs_of(heads).values():
        begun = started(store, known)
        at = str(begun["at"]) if begun else ""
        if not _is_time(at):
            continue  # which its own check names
        if latest and at < after(latest, -MOMENT):
            yield known.run, before
        elif at > latest:
            latest, before = at, known.run


def _is_time(text: str) -> bool:
    try:
        return bool(TIME.fullmatch(text) and datetime.datetime.fromisoformat(text))
    except ValueError:
        return False


def id_time(name: str) -> str:
    """Spell the time in the id of a run or attempt as events do; empty where there is none."""
    try:
        made = datetime.datetime.strptime(name[:16], "%Y%m%dT%H%M%SZ")
    except ValueError:
        return ""
    return made.isoformat(timespec="milliseconds") + "Z"
