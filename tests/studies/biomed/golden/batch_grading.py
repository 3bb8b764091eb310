"""A grading batch: its requests, scores from replies and cache, the lines that are printed."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, check
from golden.files import load
from support_biomed_golden import NEAR, spelt

from harness.studies.biomed.standalone.batches import ANALYSES

GIVEN = ("template", "rows", "cache_before", "grader_replies")
EXPECTED = (
    "batch_created", "requests", "parsed_results", "n_cached_after", "save_calls", "final_scores", "printed",
)  # fmt: skip


def read(path: Path, tally: Tally) -> None:
    golden = load(path)
    case = {**golden, "final_scores": spelt(golden["final_scores"])}
    check(tally, "the file", case, ANALYSES["biomed.batch_grading"].run, GIVEN, EXPECTED, within=NEAR)
