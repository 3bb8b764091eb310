"""What a sample of one's own questions costs, from a CSV file to a table of scores, beside the peer's dummy model.

Both sides read a file of the same rows, fill in a wording, answer without a model, compare exactly and log each sample.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.costs import Size
from bench.measure import Cost, Failed, ratio, slope, total
from bench.peers import Peer, write_task
from bench.project import Project
from bench.table import Row

MARK = 0.12
MANIFEST = """\
harness: 2
study: questions
name: {name}
about: Written by the benchmark suite.
models:
{models}
datasets:
  sums: {{file: data/{name}.csv, fields: {{input: ask, target: want}}}}
prompts: {{text: "{{ask}}"}}
settings: {{score: [exact]}}
"""


@dataclass(frozen=True)
class Questions(Project):
    """A folder with a CSV file, a manifest that asks its rows, its lock and its store."""

    rows: int = 0

    def write(self, models: Iterable[str], count: int) -> Questions:
        """Write so many rows, and the manifest that asks them of these stand-ins, each of which says yes."""
        for folder in ("manifests", "lockfiles", "data"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        lines = "\n".join(f"  {model}: {{provider: baseline, behaviour: always-yes}}" for model in models)
        self.manifest.write_text(MANIFEST.format(name=self.name, models=lines), encoding="utf-8")
        with open(self.root / "data" / f"{self.name}.csv", "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(["ask", "want"])
            table.writerows([f"{n} and one more is how many?", ("Yes.", str(n + 1))[n % 2]] for n in range(count))
        return Questions(self.root, self.name, count)

    def samples(self) -> int:
        """Count the responses: a row each."""
        return self.rows


def question_rows(peer: Peer, work: Path, size: Size) -> list[Row]:
    """Hold our cost of one more row of a file against lm-eval's."""
    tasks = [write_task(work / f"questions-task-{samples}", samples) for samples in size.theirs]
    projects = [Questions(work / f"questions-{n}", f"rows-{n}").write(["stand-in"], n) for n in size.ours]
    for task, samples in zip(tasks, size.theirs, strict=True):  # fills its cache of data, writes its bytecode
        peer.answer(task, samples, work)
    ours, theirs = [], []
    for _ in range(size.repeats):
        mine: list[Cost] = []
        its: list[Cost] = []
        for place, project in enumerate(projects):
            mine.append(from_nothing(project))
            its.append(peer.answer(tasks[place], size.theirs[place], work))
        ours.append(slope(mine[0].cpu, mine[1].cpu, *size.ours))
        theirs.append(slope(its[0].cpu, its[1].cpu, *size.theirs))
    return [
        Row("questions", "CPU of one more row against lm-eval's dummy model", tuple(map(ratio, ours, theirs)), MARK),
        Row("questions", "our CPU of one more row", tuple(1000 * each for each in ours), unit="ms"),
        Row("questions", "lm-eval's CPU of one more row", tuple(1000 * each for each in theirs), unit="ms"),
    ]


def from_nothing(project: Questions) -> Cost:
    """Lock and run in an empty store, which reads the file; half of the rows must come out right."""
    project.forget()
    locked = project.lock()
    ran, told = project.run("--jobs", "1")
    scored = [one for one in told.get("scores", ()) if one["scorer"] == "exact"]
    if len(scored) != 1 or scored[0]["n"] != project.rows or not 0.49 < float(scored[0]["value"]) < 0.51:
        raise Failed(f"{project.name} was not scored as it should be: {scored}")
    return total(locked, ran)
