"""What looking costs at 140,000 answers: index, server's start and memory, pages, searches, differences, a report.

Times of pages are CPU of the whole request within this process, at the 95th percentile; the server's start and memory
are those of a real one.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles

from bench.costs import FULL, Size
from bench.measure import Failed, spend, spend_here
from bench.peers import environment
from bench.project import HARNESS
from bench.table import Row
from support_answers_run import answers_run
from support_view import ask, site_of

from harness.store.store import Store
from harness.view.index import index_path
from harness.view.worker import build_comparison, build_index

MODELS, WORDINGS, WORDS = 7, 10, 60
ITEMS = 2000
ASKED = 60  # requests of a kind


def many_answers(folder: Path, items: int = ITEMS) -> str:
    """Make a run with 70 answers for each item, and return its id."""
    models = {f"m{number}": 20 + 10 * number for number in range(MODELS)}
    return answers_run(folder, models, items, WORDINGS, words=WORDS)


def view_rows(work: Path, size: Size) -> list[Row]:
    """Measure everything on one run."""
    items = ITEMS if size is FULL else 200
    folder = work / "view"
    run = many_answers(folder, items)
    store, count = Store.open(folder / ".harness"), MODELS * items * WORDINGS
    made = spend_here(lambda: build_index(store, run))
    path = index_path(store, run)
    of = f"{count:,} answers"
    rows = [
        Row("view", f"CPU of the index of {of}", (made.cpu,), 40, "s"),
        Row("view", f"the index of {of}", (path.stat().st_size / 2**20,), 200, "MiB"),
    ]
    differs = spend_here(lambda: build_comparison(store, (run, run), ("m0", "m6")))
    rows.append(Row("view", "CPU of a comparison of two models, kept after the first look", (differs.cpu,), unit="s"))
    rows += _pages(store, run, count)
    start, memory = _served(folder, run)
    rows.append(Row("view", "CPU of the server's start, to its first page", (start,), 0.6, "s"))
    rows.append(Row("view", f"memory of the server after {2 * ASKED} pages", (memory,), 120, "MiB"))
    written = folder / "report.html"
    cost = spend([HARNESS, "report", run, "--store", store.root, "-o", written], environment(work), folder)
    rows.append(Row("view", f"CPU of a report of {of}", (cost.cpu,), 15, "s"))
    rows.append(Row("view", f"a report of {of}", (written.stat().st_size / 1e6,), 8, "MB"))
    return rows


def _pages(store: Store, run: str, count: int) -> list[Row]:
    site, source = site_of(store.root), random.Random(0)
    at = f"/runs/{run}/answers"
    kinds: dict[str, tuple[Callable[[], str], float]] = {
        "a page of answers": (lambda: f"{at}?model=m{source.randrange(7)}&after={source.randrange(count)}", 50),
        "a page of wrong answers": (lambda: f"{at}?side=wrong&template={source.randrange(1, 11)}", 50),
        "a search of a rare word": (lambda: f"{at}?q=w{source.randrange(5000)}", 50),
        "a search of two common words": (lambda: f"{at}?q=carry+column&model=m{source.randrange(7)}", 50),
        "a search of two common words with three filters": (
            lambda: f"{at}?q=carry+column&model=m{source.randrange(7)}&dataset=sums&outcome=i&template=3",
            50,
        ),
        "one answer": (lambda: f"{at}/{source.randrange(1, count)}", 50),
        "the first 50 differences": (lambda: f"/compare?left={run}&left_model=m0&right_model=m6", 50),
    }
    rows = []
    for what, (address, mark) in kinds.items():
        found = []
        for _ in range(ASKED):
            begun = time.process_time()
            if (given := ask(site, address())).status != 200:
                raise Failed(f"{what}: {given.status}")
            found.append(1000 * (time.process_time() - begun))
        rows.append(Row("view", f"CPU of {what}, 95th percentile", (quantiles(found[1:], n=20)[-1],), mark, "ms"))
    return rows


def _served(folder: Path, run: str) -> tuple[float, float]:
    """Start a real server, ask it for pages, and return the CPU of its start in seconds, and its most memory in MiB."""
    command = [str(HARNESS), "view", "--port", "0", "--store", str(folder / ".harness")]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout
            address = server.stdout.readline().strip()
            urllib.request.urlopen(f"{address}style.css").read()
            start = _cpu(server.pid)
            for number in range(ASKED):
                urllib.request.urlopen(f"{address}runs/{run}/answers?after={number * 50}").read()
                urllib.request.urlopen(f"{address}runs/{run}/answers?q=carry&after={number}").read()
            status = Path(f"/proc/{server.pid}/status").read_text()
            memory = int(status.partition("VmHWM:")[2].split()[0]) / 1024
        finally:
            server.send_signal(signal.SIGINT)
    return start, memory


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
