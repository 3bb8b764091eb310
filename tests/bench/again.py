"""What the default audit costs: the steps it makes again against what they had cost in the run, and its wall.

Both sides are the command line, in the isolation that is best here; every step is a stand-in's or a score of one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bench.costs import Size
from bench.measure import Cost, Failed, ratio, spend
from bench.peers import environment
from bench.project import HARNESS, Project, draws
from bench.table import Row

READ = "from harness.run.installed.checked import check_installed, import_paths"
MODELS, SAMPLES = 20, 3000  # steps of about a tenth of a second each, as most steps of a study are


def again_rows(work: Path, size: Size) -> list[Row]:
    """Run and audit in turns, each time in a store that is new."""
    project = Project(work / "again", "again").write([f"stand-in-{one:02d}" for one in range(MODELS)], draws(SAMPLES))
    project.lock()
    turns = [_turn(project) for _ in range(1 + size.repeats)][1:]
    packages = tuple(_reading(project) for _ in turns)  # by itself: an audit's own count has the steps beside it
    dear = tuple(
        ratio(full.cpu - hashes.cpu - read, steps)
        for (_, steps, full, hashes), read in zip(turns, packages, strict=True)
    )
    return [
        Row("again", "CPU of making all steps again against what they had cost in the run", dear, 0.6),
        Row(
            "again", "wall of the default audit against the run's", tuple(f.wall / r.wall for r, _, f, _ in turns), 0.8
        ),
        Row("again", "wall of the default audit", tuple(full.wall for _, _, full, _ in turns), unit="s"),
        Row("again", "CPU of reading what is installed, which an audit does beside it", packages, unit="s"),
        Row("again", "CPU of the same audit at level hashes", tuple(hashes.cpu for *_, hashes in turns), unit="s"),
    ]


def _turn(project: Project) -> tuple[Cost, float, Cost, Cost]:
    """Give the cost of a run, the CPU of its steps alone, and the costs of its audits: default, and of hashes."""
    store = project.root / ".again"
    run = _do(project, "run", str(project.manifest), store)
    told = json.loads(run.output)["runs"][0]
    journal = (store / "runs" / told["run"] / "journal.jsonl").read_bytes()
    steps = [json.loads(line) for line in journal.splitlines() if b'"step.done"' in line]
    full, hashes = (_do(project, "audit", "last", store, *more) for more in ((), ("--level", "hashes")))
    coverage = json.loads(full.output)["coverage"]
    if not coverage["again"] == coverage["steps"] == len(steps):
        raise Failed(f"the audit made {coverage['again']} of {len(steps)} steps again")
    store.rename(store.with_name(f".again-{told['run']}"))
    return run, sum(step["usage"]["cpu_ms"] for step in steps) / 1000, full, hashes


def _reading(project: Project) -> float:
    """Give the CPU of reading what is installed, without the start of the process that reads it."""
    start, read = (
        spend([sys.executable, "-c", READ + more], environment(project.root), project.root)
        for more in ("", "; check_installed(import_paths(), full=True)")
    )
    return read.cpu - start.cpu


def _do(project: Project, verb: str, subject: str, store: Path, *more: str) -> Cost:
    words: list[str | Path] = [HARNESS, verb, subject, "--json", "--store", store, *more]
    return spend(words, environment(project.root), project.root)
