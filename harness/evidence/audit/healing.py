"""Audit of the damage that a run met in its store and made anew: it is told, and what its journal says of it agrees.

Damage that was healed is no flaw of the run, whose outputs are checked as all are: it says that somebody, or a disk,
had changed the store.
"""

from __future__ import annotations

from harness.evidence.audit.checks import Report
from harness.evidence.causes import name_few
from harness.evidence.record import spell_healed
from harness.store.blobs import is_digest
from harness.store.journal import Chain

HEALED = "damage.healed"  # the id of the check


def audit_healing(chain: Chain, report: Report) -> None:
    """Add a passed check that names the damage a run met; a failed one where its lines on it contradict each other."""
    damaged = [event for event in chain.events if event["event"] == "step.damaged"]
    told = [event for event in chain.events if event["event"] == "run.healed"]
    for event in told:
        digests, blobs = event["digests"], event["blobs"]
        named = all(isinstance(one, str) and is_digest(one) for one in digests) and len(digests) <= blobs
        counted = 0 <= event["steps"] <= len(damaged) and event["steps"] + blobs > 0
        if len(told) > 1 or not counted or not named:
            report.fail("unaccounted", "run.healed", "what it says of damage is not what the journal's other lines say")
    healed = {"steps": len(damaged), "blobs": 0}  # as runs of before wrote it
    for event in told:
        healed = {"steps": int(event["steps"]), "blobs": int(event["blobs"])}
    if said := spell_healed(healed):
        of = [f"{event['step']} ({event['detail']})" for event in damaged]
        of += [f"blob {str(digest)[:12]}" for event in told for digest in event["digests"]]
        report.healed = healed
        report.held(HEALED, "store", f"{said}: {name_few(of)}")
