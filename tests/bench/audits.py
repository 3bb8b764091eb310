"""What an audit costs beyond hashing: `audit` at its level `hashes` against hashlib over the same files.

The audited run is a real one, made by the runner: a plan of one step whose outputs are the blobs.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.costs import Size
from bench.measure import Cost, Failed, Missing, ratio, spend_here
from bench.project import Project
from bench.table import Row

from harness.digest import sha256
from harness.engines.engine import Limits
from harness.engines.local import LocalEngine
from harness.evidence.audit.audit import InstalledHarness, audit_stored_run
from harness.evidence.audit.reexecution import ReexecutionOptions
from harness.evidence.record import read_record
from harness.manifest.documents import DatasetPin
from harness.manifest.load import LoadedManifest, parse_manifest
from harness.manifest.lockfile import Lock
from harness.run.closure import Code, code_root
from harness.run.executing.runner import Runner
from harness.run.executing.workshop import Workshop
from harness.run.recording.auditing import audit_run, recordable_isolations
from harness.steps import Plan, Ref, Step
from harness.store.store import Store

SMALL = 4 << 10
LARGE = 64 << 20
MANIFEST = b"""\
harness: 1
study: reliability
name: blobs
about: Written by the benchmark suite.
datasets:
  none: {make: reliability.addition, seed: 1, count: 1}
"""
STEP = """\
'''Blobs that no other is like.'''
import json
import random


def make(params, inputs, out):
    '''Fill the files that step.json names.'''
    names = json.loads(out.with_name("step.json").read_bytes())["outputs"]
    for seed, name in enumerate(names):
        (out / name).write_bytes(random.Random(seed).randbytes(params["size"]))
"""


@dataclass(frozen=True)
class Audited:
    """A run to audit, and the files whose bytes it stands for."""

    store: Path
    run: str
    plan: Plan
    files: tuple[str, ...]
    size: int  # of each file

    def audit(self) -> None:
        """Audit the run as if this process had just begun: nothing is remembered from the last time."""
        installed = InstalledHarness(lambda *_: self.plan, lambda _: {}, recordable_isolations)
        report = audit_stored_run(Store.open(self.store), self.run, installed, ReexecutionOptions(level="hashes"))
        if report.verdict != "agreed":
            raise Failed(f"the audited run {report.verdict}")

    def plain(self) -> None:
        """Hash the same files, each the quicker of the two ways that the library offers."""
        for path in self.files:
            with open(path, "rb") as file:
                if self.size == SMALL:
                    hashlib.sha256(file.read()).hexdigest()
                else:
                    hashlib.file_digest(file, "sha256").hexdigest()


def build(folder: Path, blobs: int, size: int) -> Audited:
    """Run a plan whose one step leaves so many blobs of that size, with code of its own and no other input."""
    code = folder / "code"
    shutil.copytree(code_root() / "harness", code / "harness", ignore=shutil.ignore_patterns("__pycache__"))
    (code / "harness" / "blobs.py").write_text(STEP, encoding="utf-8")
    parts = tuple(f"part-{index:05d}" for index in range(blobs))
    step = Step("make", "harness.blobs:make", "rows", {"size": size}, {}, parts)
    plan = Plan((step,), {"first": Ref("make", parts[0])})
    manifest, tree = parse_manifest(MANIFEST, "manifest")
    unpinned: dict[str, DatasetPin] = {"none": {"unresolved": "the plan of this run is the benchmark's own"}}
    lock = Lock(
        manifest.intent(),
        sha256(MANIFEST),
        {"models": {}, "prompts": {}, "datasets": unpinned, "images": {}, "packages": {}},
    )
    loaded = LoadedManifest(manifest, MANIFEST, tree, folder / "manifest", folder)
    store = Store.make(folder / "store")
    workshop = Workshop(store, LocalEngine("process"), Limits(), Code(code))
    record = Runner(loaded, lock, plan, workshop).run(lambda *_: None)
    return Audited(store.root, record.run, plan, tuple(_outputs(store)), size)


def _outputs(store: Store) -> Iterator[str]:
    """Give the files behind every finished step of a store, each once."""
    found: set[str] = set()
    for path in store.entries.all():
        entry = store.entries.get(path.stem)
        assert entry
        found |= {output.sha256 for output in entry.outputs.values()}
    yield from (str(store.blobs.path(digest)) for digest in sorted(found))


def audit_rows(work: Path, size: Size) -> list[Row]:
    """Hold the audit of many small blobs, and of few large ones, against hashlib."""
    free = shutil.disk_usage(work).free >> 20
    if free < 2 * size.mebibytes:
        raise Missing(f"{2 * size.mebibytes} MiB of disk are needed, and {free} are free; free some room")
    tiny = build(work / "tiny", 1, SMALL)
    rows = []
    for blobs, each, shown in ((1000, SMALL, "4 kB"), ((size.mebibytes << 20) // LARGE, LARGE, "64 MiB")):
        run = build(work / f"blobs-{blobs}", blobs, each)
        costs = _in_turns(run, tiny, size.audits * (2 if each == SMALL else 1))
        for clock, called in (("cpu", "CPU"), ("wall", "wall")):
            found = tuple(
                ratio(getattr(ours, clock) - getattr(start, clock), getattr(plain, clock))
                for ours, plain, start in costs
            )
            what = f"{called} of an audit beyond start, {blobs:,} blobs of {shown}, against hashlib"
            rows.append(Row("audit", what, found, 1.2))
        rows.append(_ms(f"hashlib, {blobs:,} blobs of {shown}", [plain for _, plain, _ in costs]))
        rows.append(_ms(f"an audit, {blobs:,} blobs of {shown}", [ours for ours, _, _ in costs]))
        shutil.rmtree(run.store)
    return rows


def _in_turns(run: Audited, tiny: Audited, repeats: int) -> list[tuple[Cost, Cost, Cost]]:
    """Measure audit, hashlib and start in turns; the first turn fills the page cache and is not counted."""
    turns = [(spend_here(run.audit), spend_here(run.plain), spend_here(tiny.audit)) for _ in range(1 + repeats)]
    return turns[1:]


def step_rows(project: Project, size: Size) -> list[Row]:
    """Say what the audit of a run of many small steps costs a step, where the keys and not the bytes are the work."""
    store = Store.open(project.root / ".harness")
    run = store.find_run("last")
    steps = int(read_record(store, run).body["steps"]["total"])
    costs = [
        spend_here(lambda: audit_run(Store.open(store.root), run, how=ReexecutionOptions(level="hashes")))
        for _ in range(size.audits)
    ]
    return [_ms(f"an audit, a step of a run of {steps:,} steps", costs, steps)]


def _ms(what: str, costs: list[Cost], count: int = 1) -> Row:
    return Row("audit", f"CPU of {what}", tuple(1000 * one.cpu / count for one in costs), unit="ms")
