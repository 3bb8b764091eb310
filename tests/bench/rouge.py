"""What ROUGE costs beside the package that it is counted after; values that differ end the measure."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.costs import FULL, Size
from bench.measure import Failed, ratio, spend
from bench.peers import environment, install
from bench.table import Row

from harness.scorers.overlap.rouge import rouge

PACKAGE = "rouge-score==0.1.2"
WORDS, VOCABULARY, LINES = 1_000, 400, 20
RUN = Path(__file__).with_name("rouge_run.py")
HERE = Path(__file__).resolve().parents[2]


def rouge_rows(work: Path, size: Size) -> list[Row]:
    """Hold ROUGE-L over long texts, and ROUGE-Lsum over texts in lines, against the package."""
    many = 10 if size is FULL else 2
    long = _measured(work, size, "rougeL", [_pair(number, 1) for number in range(many)])
    lined = _measured(work, size, "rougeLsum", [_pair(number, LINES) for number in range(many)])
    return [
        Row("rouge", "CPU of ROUGE-L of 1,000-word texts against rouge-score", tuple(map(ratio, *long)), 0.01),
        Row("rouge", "CPU of ROUGE-L of a pair of 1,000-word texts", tuple(1000 * cost for cost in long[0]), unit="ms"),
        Row(
            "rouge", f"CPU of ROUGE-Lsum of such texts in {LINES} lines against rouge-score", tuple(map(ratio, *lined))
        ),
    ]


def _pair(seed: int, lines: int) -> tuple[str, str]:
    draw = random.Random(seed)
    size = WORDS // lines
    line = lambda: " ".join(f"w{draw.randrange(VOCABULARY)}" for _ in range(size))  # noqa: E731
    response, reference = ("\n".join(line() for _ in range(lines)) for _ in range(2))
    return response, reference


def _measured(work: Path, size: Size, kind: str, pairs: Sequence[tuple[str, str]]) -> tuple[list[float], list[float]]:
    """Give the CPU of one pair, ours and the package's, a figure a repetition."""
    given = work / f"{kind}.json"
    given.write_text(json.dumps({"kinds": [kind], "pairs": pairs}), encoding="utf-8")
    python, ours, theirs = having() or _made(), [], []
    for _ in range(size.repeats):
        begun = time.process_time()
        found = [rouge(*pair, [kind]) for pair in pairs]
        ours.append((time.process_time() - begun) / len(pairs))
        its: dict[str, Any] = json.loads(spend([python, RUN, given], environment(work), work).output)
        theirs.append(its["cpu"] / len(pairs))
        if [{name: list(value) for name, value in each.items()} for each in found] != its["values"]:
            raise Failed(f"{kind} has other values than rouge-score gives")
    return ours, theirs


def having() -> Path | None:
    """Give an interpreter that has the package: our own, that of `make peers`, or one that this measure made."""
    if find_spec("rouge_score"):
        return Path(sys.executable)
    made = [Path(os.environ["PEERS"])] if "PEERS" in os.environ else []
    for venv in (*made, HERE / ".bench" / "peers", HERE / ".bench" / "rouge"):
        if list(venv.glob("lib/python3*/site-packages/rouge_score")):
            return venv / "bin" / "python"
    return None


def _made() -> Path:
    venv = HERE / ".bench" / "rouge"
    install(venv, (PACKAGE,))
    return venv / "bin" / "python"
