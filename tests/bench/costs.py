"""What our command line costs: its start, a sample, an unchanged shard; the first two beside the peer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench.measure import Cost, Failed, ratio, slope, spend, total
from bench.peers import Peer, environment, write_task
from bench.project import HARNESS, Project, draws
from bench.table import Row


@dataclass(frozen=True)
class Size:
    """How much is measured, and how often."""

    repeats: int
    ours: tuple[int, int]  # samples of the two runs
    theirs: tuple[int, int]
    shards: int
    audits: int  # repetitions of one audit
    mebibytes: int  # of the large audited run


FULL = Size(repeats=5, ours=(5_000, 50_000), theirs=(1_000, 5_000), shards=1_000, audits=9, mebibytes=1_024)
QUICK = Size(repeats=1, ours=(5_000, 20_000), theirs=(500, 3_500), shards=200, audits=5, mebibytes=256)


def help_rows(peer: Peer, work: Path, size: Size) -> list[Row]:
    """Hold `harness --help` against `lm_eval --help`."""
    ours, theirs = [], []
    for _ in range(1 + 3 * size.repeats):
        ours.append(spend([HARNESS, "--help"], environment(work), work).cpu)
        theirs.append(spend([peer.command, "--help"], environment(work), work).cpu)
    del ours[0], theirs[0]  # these wrote the bytecode
    return [
        Row("help", "CPU of `harness --help` against `lm_eval --help`", tuple(map(ratio, ours, theirs)), 0.7),
        Row("help", "CPU of `harness --help`", _ms(ours), unit="ms"),
        Row("help", "CPU of `lm_eval --help`", _ms(theirs), unit="ms"),
    ]


def sample_rows(peer: Peer, work: Path, size: Size) -> list[Row]:
    """Hold our cost of one more sample against lm-eval's; and our memory at two sizes."""
    tasks = [write_task(work / f"task-{samples}", samples) for samples in size.theirs]
    projects = [Project(work / f"run-{n}", f"samples-{n}").write(["stand-in"], draws(n)) for n in size.ours]
    for task, samples in zip(tasks, size.theirs, strict=True):  # fills its cache of data, writes its bytecode
        if size is FULL or task is tasks[0]:
            peer.answer(task, samples, work)
    ours, theirs, again, memory = [], [], [], []
    for _ in range(size.repeats):
        mine: list[Cost] = []
        its: list[Cost] = []
        for place, project in enumerate(projects):
            mine.append(_from_nothing(project))
            its.append(peer.answer(tasks[place], size.theirs[place], work))
        counts = [project.samples() for project in projects]
        ours.append(slope(mine[0].cpu, mine[1].cpu, *counts))
        theirs.append(slope(its[0].cpu, its[1].cpu, *size.theirs))
        again += [_again(*projects) for _ in range(3)]
        memory.append((mine[0].rss, mine[1].rss))
    small, large = counts
    return [
        Row("samples", "CPU of one more sample against lm-eval's dummy model", tuple(map(ratio, ours, theirs)), 0.2),
        Row("memory", f"largest process at {large:,} samples against {small:,}", tuple(b / a for a, b in memory), 1.2),
        Row("samples", "our CPU of one more sample; the aim is 0.10 ms", _ms(ours), unit="ms"),
        Row("samples", "lm-eval's CPU of one more sample", _ms(theirs), unit="ms"),
        Row("unchanged", "wall of an unchanged run a step, where a shard holds 5,000 responses", _ms(again), unit="ms"),
        Row("memory", f"our largest process at {large:,} samples", tuple(b for _, b in memory), unit="MiB"),
    ]


def _from_nothing(project: Project) -> Cost:
    """Lock and run in an empty store: the lock makes the dataset, so it counts."""
    project.forget()
    locked = project.lock()
    return total(locked, project.run("--jobs", "1")[0])


def _again(few: Project, many: Project) -> float:
    """Run two finished projects again, and give the wall of one more step: each checks the bytes of its outputs."""
    (small, few_told), (large, many_told) = few.run(), many.run()
    if few_told["steps"]["executed"] or many_told["steps"]["executed"]:
        raise Failed("an unchanged run executed steps; was the code changed while it was measured?")
    return slope(small.wall, large.wall, few_told["steps"]["cached"], many_told["steps"]["cached"])


def unchanged_rows(work: Path, size: Size) -> tuple[Project, list[Row]]:
    """Run again what is finished, with many shards and with few; gives the project with many for other measures."""
    models = [f"stand-in-{number:03d}" for number in range(size.shards // 2)]  # each answers one shard, scored in one
    many = Project(work / "shards", "many").write(models, draws(120))
    few = Project(work / "shards", "few").write(models[:5], draws(120))
    for project in (many, few):
        project.lock()
        project.run()
    found = [_again(few, many) for _ in range(1 + 2 * size.repeats)]
    what = f"wall of an unchanged run a shard, from 10 to {size.shards:,} shards"
    return many, [Row("unchanged", what, _ms(found[1:]), 2.0, "ms")]


def _ms(seconds: list[float]) -> tuple[float, ...]:
    return tuple(1000 * each for each in seconds)
