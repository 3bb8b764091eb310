"""No batch is made of rows that the cache holds, and an older batch file goes."""

from __future__ import annotations

from pathlib import Path

from golden.case import EXACT, Tally, check
from golden.files import load

from harness.studies.biomed.standalone.batches import ANALYSES

ROWS = [{"uuid": f"T1.{n}", "question": f"Q{n}?", "answer": "A.", "m_response": "R."} for n in (1, 2)]
CACHED = {"prompt_index_0": "2.0", "prompt_index_1": "not a grade"}


def read(path: Path, tally: Tally) -> None:
    case = {**load(path), "rows": ROWS, "cache_before": CACHED}
    run = ANALYSES["biomed.batch_all_cached"].run
    check(tally, "the file", case, run, ("rows", "cache_before"), ("created", "old_file_removed"), within=EXACT)
