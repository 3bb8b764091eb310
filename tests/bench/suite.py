"""The order of the measures, and where their rows go."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench import table
from bench.again import again_rows
from bench.agents import agent_rows
from bench.audits import audit_rows, step_rows
from bench.biomed_intervals import biomed_interval_rows
from bench.biomed_metrics import biomed_metric_rows
from bench.biomed_tables import biomed_rows
from bench.brain import brain_rows
from bench.containers import container_rows
from bench.costs import FULL, QUICK, Size, help_rows, sample_rows, unchanged_rows
from bench.curie import curie_rows
from bench.gateway import gateway_rows
from bench.images import image_rows
from bench.inference import inference_rows
from bench.likelihoods import likelihood_rows
from bench.measure import Failed, Missing
from bench.packages import package_rows
from bench.peers import Peer, find
from bench.questions import question_rows
from bench.reliability import reliability_rows
from bench.reliability_intervals import coverage_rows
from bench.rouge import rouge_rows
from bench.stores import store_rows
from bench.table import Row
from bench.tapes import tape_rows
from bench.trials import trial_rows

from harness.run.environment import facts

ALONE = {
    "audit": audit_rows,
    "again": again_rows,
    "stores": store_rows,
    "tape": tape_rows,
    "gateway": gateway_rows,
    "agents": agent_rows,
    "inference": inference_rows,
    "likelihoods": likelihood_rows,
    "reliability": reliability_rows,
    "coverage": coverage_rows,
    "packages": package_rows,
    "rouge": rouge_rows,
    "curie": curie_rows,
    "biomed": biomed_rows,
    "biomed-metrics": biomed_metric_rows,
    "biomed-intervals": biomed_interval_rows,
    "brain": brain_rows,
    "trials": trial_rows,
}
LONG = {"images": image_rows, "containers": container_rows}  # not in a quick run
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
NAMES = (
    "help", "samples", "questions", "unchanged", "audit", "again", "stores", "images", "containers", "tape", "gateway",
    "agents", "inference", "likelihoods", "reliability", "coverage", "packages", "rouge", "curie", "biomed",
    "biomed-metrics", "biomed-intervals", "brain", "trials",
)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, show, write the page after a full run, and give the exit code."""
    parser = argparse.ArgumentParser(prog="tests/bench/run.py", description="Measure the harness beside its peers.")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, in under 90 s; writes no page")
    parser.add_argument("--only", choices=NAMES, help="one measure; writes no page")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows as data too")
    args = parser.parse_args(argv)
    begun, load = time.monotonic(), os.getloadavg()[0]
    try:
        peer = find(ROOT) if args.only in (None, "help", "samples", "questions") else None
        rows = measure(peer, QUICK if args.quick else FULL, args.only)
    except Missing as lack:
        print(f"error: {lack}", file=sys.stderr)
        return 3
    except Failed as bad:
        print(f"error: {bad}", file=sys.stderr)
        return 4
    about = machine(peer, load, time.monotonic() - begun)
    print(table.text(rows))
    print("\n" + "\n".join(f"{name}: {value}" for name, value in about.items()))
    if args.json:
        data = {"measured": about, "quick": args.quick, "rows": [row.as_data() for row in rows]}
        args.json.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if not args.quick and not args.only:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(table.markdown(rows, about), encoding="utf-8")
    missed = table.missed(rows)
    print("\n" + "\n".join(f"MISSED {one}" for one in missed) if missed else "\nevery mark is met")
    return 1 if missed else 0


def measure(peer: Peer | None, size: Size, only: str | None) -> list[Row]:
    """Take the measures one after the other in a folder that goes away."""
    rows: list[Row] = []
    (ROOT / ".bench").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="work-", dir=ROOT / ".bench") as name:
        work = Path(name)
        for measure in NAMES if only is None else (only,):
            print(f"measuring {measure} …", file=sys.stderr, flush=True)
            if measure == "help" and peer:
                rows += help_rows(peer, work, size)
            elif measure == "samples" and peer:
                rows += sample_rows(peer, work, size)
            elif measure == "questions" and peer:
                rows += question_rows(peer, work, size)
            elif measure == "unchanged":
                many, found = unchanged_rows(work, size)
                rows += [*found, *step_rows(many, size)]
            elif measure in ALONE:
                rows += ALONE[measure](work, size)
            elif measure in LONG and (size is FULL or only):
                rows += LONG[measure](work, size)
    return sorted(rows, key=lambda row: row.mark is None)


def machine(peer: Peer | None, load: float, seconds: float) -> dict[str, str]:
    """Say what was measured on: no name of a host, a user or a path."""
    seen = facts()
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "CPU": f"{seen['cpu']}, {seen['cores']} cores",
        "system": f"Linux {seen['kernel']}, Python {seen['python']}",
        "peer": peer.versions if peer else "none",
        "load before": f"{load:.2f}",
        "took": f"{seconds:.0f} s",
    }
