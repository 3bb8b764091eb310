"""The certificates that a recorded run stood by, held in an audit against their own matrices.

It must never know a labelled row: who has them holds a certificate against them elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.errors import HarnessError
from harness.evidence.audit.checks import Report
from harness.manifest.lockfile import read_lock
from harness.run.certificates import CERTIFICATES, GraderStanding
from harness.run.recorded_runs import first_event
from harness.store.store import Store
from harness.studies.certified import NOT_CHECKED, changed_files, read
from harness.studies.confusion import find_contradictions

CONTRADICTS = "certificate.contradicts"  # the id of these checks


def audit_certificates(store: Store, run: str, report: Report) -> None:
    """Compute the figures of each certificate that a run's lock pins, and add a check for each to a report."""
    for scorer, found in _pinned(store, run):
        flaws = [found] if isinstance(found, str) else find_contradictions(found)
        if not flaws and found["scorer"] != scorer:
            flaws = [f"it is the certificate of {found['scorer']}"]
        report.settle(CONTRADICTS, scorer, flaws, f"its figures are those of its matrix; {NOT_CHECKED}")


def measured_here(store: Store, run: str) -> Iterator[GraderStanding]:
    """Yield the sound certificates of a run whose grader is the code that is installed, so that rows can be graded."""
    for scorer, found in _pinned(store, run):
        if not isinstance(found, str) and not find_contradictions(found) and not changed_files(found):
            yield GraderStanding(scorer, "certified", "", found)


def _pinned(store: Store, run: str) -> Iterator[tuple[str, Any]]:
    """Yield each certificate of a run as it was pinned, by its scorer; the reason where it cannot be read.

    Whatever else is wrong with the run, other checks of its audit say.
    """
    try:
        pins = read_lock(store.blobs.read(first_event(store, run)["lock"]), "lock").of(CERTIFICATES)
    except (HarnessError, LookupError):
        return
    for scorer, pin in pins.items():
        try:
            yield scorer, read(store.blobs.read(str(pin["sha256"])), f"the certificate of {scorer}")
        except HarnessError as bad:
            yield scorer, bad.what
