"""The order of the measures, and where their rows go."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench import table
from bench.again import again_rows
from bench.agents import agent_rows
from bench.agents_http import http_rows
from bench.audits import audit_rows, step_rows
from bench.biomed_intervals import biomed_interval_rows
from bench.biomed_metrics import biomed_metric_rows
from bench.biomed_tables import biomed_rows
from bench.brain import brain_rows
from bench.containers import container_rows
from bench.costs import FULL, QUICK, Size, help_rows, sample_rows, unchanged_rows
from bench.curie import curie_rows
from bench.everyday import NAME as EVERYDAY
from bench.everyday import everyday_rows, write_table
from bench.flight import flight_rows
from bench.gateway import gateway_rows
from bench.gpu import NAME as GPU
from bench.gpu import read_gpu_check
from bench.handing import handing_rows
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
from bench.scale import scale_rows
from bench.stores import store_rows
from bench.table import Row, Taken
from bench.tapes import tape_rows
from bench.trials import trial_rows
from bench.view import view_rows
from bench.walls import wall_rows

from harness.run.environment import machine_facts

ALONE = {
    "audit": audit_rows,
    "again": again_rows,
    "handing": handing_rows,
    "stores": store_rows,
    "tape": tape_rows,
    "gateway": gateway_rows,
    "flight": flight_rows,
    "agents": agent_rows,
    "agents-http": http_rows,
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
    "walls": wall_rows,
    EVERYDAY: everyday_rows,
    "scale": scale_rows,
    "view": view_rows,
}
BESIDE = {"help": help_rows, "samples": sample_rows, "questions": question_rows}  # lm-eval takes turns with these
LONG = {"images": image_rows, "containers": container_rows}  # not in a quick run
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
DATA = PAGE.with_suffix(".json")
NAMES = (
    "help", "samples", "questions", "unchanged", "audit", "again", "handing", "stores", "images", "containers", "tape",
    "gateway", "flight", "agents", "agents-http", "inference", "likelihoods", "reliability", "coverage", "packages",
    "rouge", "curie", "biomed", "biomed-metrics", "biomed-intervals", "brain", "trials", "walls", EVERYDAY, "scale",
    "view",
)  # fmt: skip
TAKEN = (GPU,)  # measured on another machine, and taken in


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, show, write what was measured into the page, and give the exit code."""
    parser = argparse.ArgumentParser(prog="tests/bench/run.py", description="Measure the harness beside its peers.")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, in under 90 s; writes no page")
    parser.add_argument("--only", choices=NAMES, help="one measure, which the page then shows anew")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows as data too")
    parser.add_argument("--take", type=Path, metavar="FILE", help="take in what `make gpu-check` wrote")
    args = parser.parse_args(argv)
    try:
        measures = {GPU: read_gpu_check(args.take)} if args.take else measured(args.only, quick=args.quick)
    except Missing as lack:
        print(f"error: {lack}", file=sys.stderr)
        return 3
    except Failed as bad:
        print(f"error: {bad}", file=sys.stderr)
        return 4
    rows = sorted((row for one in measures.values() for row in one.rows), key=lambda row: row.mark is None)
    print(table.text(rows))
    for name, one in measures.items():
        print(f"\n{name}: " + ", ".join(f"{fact} {value}" for fact, value in one.about.items()))
    if args.json:
        args.json.write_text(spelled(measures, quick=args.quick), encoding="utf-8")
    if not args.quick:
        keep(measures)
        if EVERYDAY in measures:
            write_table(measures[EVERYDAY].rows)
    missed = table.missed(rows)
    print("\n" + "\n".join(f"MISSED {one}" for one in missed) if missed else "\nevery mark is met")
    return 1 if missed else 0


def measured(only: str | None, *, quick: bool) -> dict[str, Taken]:
    """Take one measure or all of them, beside the peer where they need it."""
    peer = find(ROOT) if only in (None, "help", "samples", "questions") else None
    return measure(peer, QUICK if quick else FULL, only)


def spelled(measures: Mapping[str, Taken], **more: bool) -> str:
    """Spell measures as the data that is kept."""
    data = {**more, "measures": {name: one.as_data() for name, one in measures.items()}}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def keep(measures: Mapping[str, Taken], data: Path = DATA, page: Path = PAGE) -> None:
    """Put measures in the place of those of the same name, and write the page of all."""
    kept = json.loads(data.read_text(encoding="utf-8"))["measures"] if data.is_file() else {}
    every = {name: table.taken(one) for name, one in kept.items()} | dict(measures)
    ordered = {name: every[name] for name in (*NAMES, *TAKEN) if name in every}
    data.write_text(spelled(ordered), encoding="utf-8")
    page.write_text(table.markdown(ordered), encoding="utf-8")


def measure(peer: Peer | None, size: Size, only: str | None) -> dict[str, Taken]:
    """Take the measures one after the other in a folder that goes away."""
    found: dict[str, Taken] = {}
    (ROOT / ".bench").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="work-", dir=ROOT / ".bench") as folder:
        for name in NAMES if only is None else (only,):
            if name in LONG and size is not FULL and not only:
                continue
            print(f"measuring {name} …", file=sys.stderr, flush=True)
            begun, load = time.monotonic(), os.getloadavg()[0]
            rows = taking(name, peer, Path(folder), size)
            found[name] = Taken(tuple(rows), machine(peer if name in BESIDE else None, load, time.monotonic() - begun))
    return found


def taking(name: str, peer: Peer | None, work: Path, size: Size) -> list[Row]:
    """Take one measure."""
    if name in BESIDE:
        assert peer
        return BESIDE[name](peer, work, size)
    if name == "unchanged":
        many, rows = unchanged_rows(work, size)
        return [*rows, *step_rows(many, size)]
    return {**ALONE, **LONG}[name](work, size)


def machine(peer: Peer | None, load: float, seconds: float) -> dict[str, str]:
    """Say what was measured on, and when: no name of a host, a user or a path."""
    seen = machine_facts()
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "CPU": f"{seen['cpu']}, {seen['cores']} cores",
        "system": f"Linux {seen['kernel']}, Python {seen['python']}",
        "peer": peer.versions if peer else "",
        "load before": f"{load:.2f}",
        "took": f"{seconds:.0f} s",
    }
