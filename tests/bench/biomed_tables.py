"""What the questions of the study `biomed` cost from tables of the real sizes, and from the demo's.

Beside them stands what DuckDB needs to count the candidates of the large templates alone: nothing else does the whole.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from bench.costs import FULL, Size
from bench.measure import Cost, Failed, ratio, spend
from bench.peers import environment
from bench.table import Row

HERE = Path(__file__).resolve().parent
SHARE, TENTH = 1.0, 0.1  # of the real numbers of rows
MARK_S, MARK_MIB, DEMO_S = 90.0, 2048.0, 20.0
PAIRS = 60_000  # at least so many of forty templates from tables of the real sizes
ROWS = "31 million rows"
WRITE = """
import sys
from pathlib import Path
import duckdb
text = Path(sys.argv[1]).read_text(encoding="utf-8")
with duckdb.connect() as to:
    to.execute("SET threads = 2; SET memory_limit = '1500MB'")
    to.execute(text.replace("{scale}", sys.argv[3]).replace("{folder}", sys.argv[2]))
"""


def biomed_rows(work: Path, size: Size) -> list[Row]:
    """Measure whole runs, each a process of its own: tables of the real sizes, or a tenth of them, and the demo's."""
    share = SHARE if size is FULL else TENTH
    folder = work / "biomed-tables"
    folder.mkdir()
    try:
        spend([sys.executable, "-c", WRITE, HERE / "biomed_tables.sql", folder, str(share)], environment(work), work)
        ours, told = _questions(folder, work)
        theirs = spend([sys.executable, HERE / "counts_biomed.py", folder], environment(work), work)
    finally:
        shutil.rmtree(folder)
    counted = json.loads(theirs.output)
    for template, count in counted.items():
        if told["counts"][template][0] != count:
            raise Failed(f"{template} has {told['counts'][template][0]} candidates, and DuckDB counts {count}")
    pairs = sum(kept for _, _, kept in told["counts"].values())
    if share == SHARE and pairs < PAIRS:
        raise Failed(f"there are {pairs} pairs from tables of the real sizes")
    what = f"{pairs:,} pairs of 40 templates from {ROWS if share == SHARE else 'a tenth of ' + ROWS}"
    counting = f"counting the candidates of its {len(counted)} genetic templates"
    return [
        Row("biomed", f"wall of {what}", (ours.wall,), MARK_S if size is FULL else None, "s"),
        Row("biomed", f"largest process of it: {what}", (ours.rss,), MARK_MIB, "MiB"),
        Row("biomed", f"wall of it to that of DuckDB {counting}", (ratio(ours.wall, theirs.wall),)),
        Row("biomed", f"CPU of it to that of DuckDB {counting}", (ratio(ours.cpu, theirs.cpu),)),
        Row("biomed", f"memory of DuckDB {counting}", (theirs.rss,), None, "MiB"),
        *_demo(work),
    ]


def _demo(work: Path) -> list[Row]:
    folder = work / "biomed-demo"
    folder.mkdir()
    cost, told = _questions(folder, work)
    pairs = sum(kept for _, _, kept in told["counts"].values())
    what = f"wall of {pairs:,} pairs of 40 templates from the demo's tables, which it writes first"
    return [Row("biomed", what, (cost.wall,), DEMO_S, "s")]


def _questions(folder: Path, work: Path) -> tuple[Cost, dict[str, Any]]:
    cost = spend([sys.executable, HERE / "whole_biomed.py", folder], environment(work), work)
    return cost, json.loads(cost.output)
