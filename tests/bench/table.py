"""Rows, verdicts and how they are shown: on a terminal, as JSON, and in docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

HEAD = ("measure", "what", "median", "range", "mark", "")
ABOUT = """\
# Benchmarks

This page is written by `make bench` (all measures: long, on a quiet machine) and `make bench ONLY=NAME` (one of them
anew); do not edit it by hand. A measure meets its peers in one run; when each was taken stands at the end. The numbers
are in `benchmarks.json`, too.

Within each repetition our side and the other side take turns, so that both meet the same machine. Costs are CPU
seconds of the command with all its descendants unless a row says wall. A mark is held against the median of the
repetitions; the range shows how far apart they lay. Rows without a mark are for information: they say something
of this machine, not of the harness alone.
"""
NOTES = """\
- **help**: both commands warm, their bytecode written before.
- **samples**: the cost of one more sample, from runs of two sizes, so that everything paid once drops out. A sample
  is one response. Ours: `harness lock` and `harness run --isolation process --jobs 1` into an empty store: draw the
  items, render, answer by a stand-in, score, analyse, record and hash. lm-eval: its dummy model on a task of its own
  format, every sample logged, offline, its data already in its cache; its Python functions are called as its command
  line calls them, but without the index of its own tasks, which is paid once and whose noise would drown a sample.
- **questions**: as **samples**, of the study `questions`: both sides read a file of the same rows, fill in one wording,
  answer without a model, compare exactly and log every sample. Ours reads CSV, in an isolated step of its own.
- **likelihoods**: a tiny model reads made-up items of four options; both sides have loaded it, and use one thread. Ours
  reads its prompts from a file and writes its rows, lm-eval's `loglikelihood` is called in a process of its own; every
  value must be lm-eval's to 1e-4. By letter, lm-eval's own cache reads the four options at once, as ours does.
- **memory**: the largest single process of our larger run against that of the smaller one.
- **unchanged**: a run that finds every shard finished in the store, less a run with few shards, for each shard more.
  The thousand shards hold about 120 responses each; the bytes of each are checked, so larger shards take longer.
- **audit**: `harness audit --level hashes` from Python, less the audit of a run with one blob, against reading and
  hashing the same files with hashlib (`sha256(file.read())` for small ones, `hashlib.file_digest` for large ones),
  all of them in the page cache.
- **handing**: a run of the addition study with four stand-ins, its bundle, a key and a statement, each verb from the
  start of its process; the start that is taken off signing is that of `keys new`, which loads all that signing needs.
  A bundle is read with each byte hashed and laid out in a folder, in turns with hashlib and `write_bytes`.
- **stores**: three real runs, of three seeds under one claim, written down again under other names until there are ten
  thousand; each verb from the start of its process. Every one of the runs is about the claim.
- **images**: a project whose store holds every package of `cpu` and nothing else, then the same after one small wheel
  left the lock; verifying is timed in Python, in turns with `hashlib.file_digest` over the same layers.
- **containers**: one call of the docker engine, from the making of a container to its removal, in turns with
  `docker run --rm` of the same image, flags and command; the work is `true` or `sleep`.
- **tape**: recorded through the recorder, opened by a process of its own with a warm page cache, then replayed at
  random from Python: the answer found by its request's digest, every byte of its line checked, its JSON parsed.
- **start**: a step on the local engine without isolation, which imports what every step imports (and numpy): with our
  own bytecode, in turns with what the installer left beside each source, which no step reads any longer.
- **walls**: a step on the local engine with the filter of its system calls, its session keyring and the look at its
  memory, in turns with one that has none of these.
- **scale**: a scheduler and two workers of this machine, steps without isolation, in turns with the same messages
  submitted to the same Dask by hand; CPU is that of the run's own process, the scheduler's in it included. Idle is what
  of two workers' time no step's own time fills. The resumed run's shards were never executed: each has one small blob.
- **view**: a run of seven models, ten wordings and two thousand items, recorded by the runner; its answers are made up,
  of sixty words each. Pages are asked within the process that measures, the server's start and memory are a real one's.
- **packages**: the look at everything a step can import, from Python: a start asks the disk of each file whether it
  changed since it was read; a full check, as audit, doctor and `lock --accept` make it, reads and hashes every byte.
- **rouge**: pairs of texts of a thousand words, out of four hundred, scored by us and by the package rouge-score in a
  process of its own, in turns; both count the CPU of the scoring alone, and every value must be the same.
- **biomed**: the tables are made up, of the real numbers of rows; opening them, which reads every cell once, is in
  the time. DuckDB counts, with two threads and 2 GB, the candidates of the templates by SMR and GWAS and does no more:
  ours also draws, answers and words the questions of all forty; the counts must be the same.
- **biomed metrics**: answers and grades are made up, of the paper's sizes. Every tenth answer is scored by rouge-score,
  and by sacrebleu where it is installed: ROUGE must be the same to the last bit, BLEU to 1e-12. Rates stand from the
  rows of scores in memory to the documents `performance` and `categories`; nothing is drawn.
- **biomed intervals**: shares of templates are drawn from a beta distribution, answers from them; a coverage is the
  share of draws whose interval, nominally 95 %, holds the distribution's mean. Nothing is measured beside.
- **gpu**: taken in from the JSON of `make gpu-check` on a machine with a GPU (`python tests/bench/run.py --take FILE`).
  Two processes on the card; what it allows is the bandwidth of a copy, or the rate of a product, in the same process.
- **labels, study**: answers are made up in memory, of shapes that models give, and labelled by the rules of the five
  benchmarks; the whole study is one command with two workers, the tables of labels written and read in between.
- **everyday**: each side works through the tasks in a folder of its own, one after the other; the server adds the two
  numbers of a question and answers after 50 ms. Seconds are wall time of the commands from their start; what came out
  is held against what the server's answers are worth. An edit is a file that a person writes or changes; those that the
  peers need are in `tests/bench/everyday_peers`. `make peers` installs the peers.
- **coverage**: items are drawn on two scales of difficulty, answers of three made-up models on each from chances that
  differ by difficulty, item and wording; a coverage is the share of 2,000 draws, of seeds fixed beforehand, whose
  interval, nominally 95 %, holds the same value on a million items. Of 400 resamples each, 200 at 1,500 items, where a
  run makes 2,000. Means are over five draws in turn. Kinds and sizes that are said not to hold are not shown.
"""


@dataclass(frozen=True)
class Row:
    """One measure: a value a repetition, and the mark that their median must not exceed."""

    name: str
    what: str
    values: tuple[float, ...]
    mark: float | None = None  # none: for information
    unit: str = "times"

    @property
    def value(self) -> float:
        """Give what is held against the mark."""
        return median(self.values)

    @property
    def verdict(self) -> str:
        """Say whether the mark is met; nothing where there is none."""
        if self.mark is None:
            return ""
        return "met" if self.value <= self.mark else "MISSED"

    def cells(self) -> list[str]:
        """Give the row as it is shown."""
        spread = f"{number(min(self.values))} to {number(max(self.values))}" if len(self.values) > 1 else ""
        mark = "" if self.mark is None else f"≤ {self.mark:g} {self.unit}"
        return [self.name, self.what, f"{number(self.value)} {self.unit}", spread, mark, self.verdict]

    def as_data(self) -> dict[str, Any]:
        """Give the row for a script."""
        shown = {name: getattr(self, name) for name in ("name", "what", "value", "unit", "mark", "verdict")}
        return {**shown, "values": list(self.values)}


@dataclass(frozen=True)
class Taken:
    """One measure as it was taken: its rows, and what was measured on, and when."""

    rows: tuple[Row, ...]
    about: Mapping[str, str]

    def as_data(self) -> dict[str, Any]:
        """Give the measure as it is kept."""
        return {"measured": dict(self.about), "rows": [row.as_data() for row in self.rows]}


def taken(data: Mapping[str, Any]) -> Taken:
    """Read a measure as it was kept."""
    rows = (Row(one["name"], one["what"], tuple(one["values"]), one["mark"], one["unit"]) for one in data["rows"])
    return Taken(tuple(rows), data["measured"])


def number(value: float) -> str:
    """Spell a figure with three digits that count."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def text(rows: Sequence[Row]) -> str:
    """Lay the rows out for a terminal."""
    cells = [list(HEAD), *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEAD))]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in cells)


def markdown(measures: Mapping[str, Taken]) -> str:
    """Write the page: marks, what the rows mean, figures for information, and when each was measured on what."""

    def lines(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
        return "".join(f"| {' | '.join(line)} |\n" for line in (head, ("---",) * len(head), *cells))

    rows = [row for one in measures.values() for row in one.rows]
    marked = lines(HEAD, [row.cells() for row in rows if row.mark is not None])
    others = lines(HEAD[:4], [row.cells()[:4] for row in rows if row.mark is None])
    facts = list(dict.fromkeys(name for one in measures.values() for name in one.about))
    machine = [[name, *(one.about.get(fact, "") for fact in facts)] for name, one in measures.items()]
    return (
        f"{ABOUT}\n## Marks\n\n{marked}\n{NOTES}\n## For information\n\n{others}"
        f"\n## Measured\n\n{lines(('measures of', *facts), machine)}"
    )


def missed(rows: Sequence[Row]) -> list[str]:
    """Say the rows whose mark is missed."""
    return [f"{row.name}: {row.what}" for row in rows if row.verdict == "MISSED"]
