"""What log-likelihoods cost beside lm-eval's `hf`: the same items, model, batch and thread; both loaded before.

Ours reads its prompts from a file and writes its rows; every value must be lm-eval's before a figure counts.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench.costs import FULL, Size
from bench.measure import Failed, ratio, spend, spend_here
from bench.peers import environment
from bench.table import Row

from harness import rows
from harness.rowtypes import Prompt

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "assets" / "tiny-shaped"
RUN = Path(__file__).with_name("likelihoods_run.py")
WORDS = "the of and to in is that for it as was with be by on not he his but at are this have from or had an".split()  # noqa: SIM905
NEEDS = (
    "import sys; from importlib.util import find_spec as found; "
    "sys.exit(not all(map(found, ('lm_eval', 'torch', 'transformers'))))"
)
BATCH, MOST, MARK, NEAR = 8, 3, 0.8, 1e-4


def likelihood_rows(work: Path, size: Size) -> list[Row]:
    """Measure four options as texts, and as letters; gives no rows where a library, the model or lm-eval is missing."""
    python, lack = having(), [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    if lack or python is None or not MODEL.is_dir():
        why = (
            f"no {' and '.join(lack)}" if lack else "no lm-eval with torch and transformers (`make peers`), or no model"
        )
        print(f"likelihoods are not measured: {why}", file=sys.stderr)
        return []
    count = 2_000 if size is FULL else 200
    found = []
    for letters, many, mark in ((False, count, MARK), (True, count // 4, None)):
        shares, ours = _measured(work, python, _items(many, letters), min(MOST, size.repeats))
        what = f"{many:,} items of four options{' by letter' if letters else ''}, batches of {BATCH}"
        found.append(Row("likelihoods", f"CPU of {what}, against lm-eval's `hf`", tuple(shares), mark))
        if not letters:
            per = tuple(1000 * each / many for each in ours)
            found.append(Row("likelihoods", "CPU of an item of four options", per, None, "ms"))
    return found


def having() -> Path | None:
    """Give an interpreter that has lm-eval with all that its `hf` needs: that of PEERS, or one made in `.bench`."""
    named = [Path(os.environ["PEERS"]).absolute()] if "PEERS" in os.environ else []
    for venv in (*named, ROOT / ".bench" / "peers", ROOT / ".bench" / "venv"):
        python = venv / "bin" / "python"
        if python.exists() and subprocess.run([python, "-c", NEEDS], capture_output=True, check=False).returncode == 0:
            return python
    return None


def _items(count: int, letters: bool) -> list[dict[str, Any]]:
    """Make up questions of eight to thirty words, and options of one to five or letters."""
    draw = random.Random(5)

    def text(least: int, most: int) -> str:
        return " ".join(draw.choice(WORDS) for _ in range(draw.randint(least, most)))

    return [
        {
            "item": f"{number}", "template": 0, "text": f"Question: {text(8, 30)}?\nAnswer:",
            "continuations": [f" {letter if letters else text(1, 5)}" for letter in "ABCD"],
        }
        for number in range(count)
    ]  # fmt: skip


def _measured(work: Path, python: Path, items: list[dict[str, Any]], often: int) -> tuple[list[float], list[float]]:
    """Give our share of lm-eval's CPU, and ours in seconds, a figure a repetition; the sides take turns."""
    pairs = [(item["text"], each) for item in items for each in item["continuations"]]
    given = work / "pairs.json"
    given.write_text(json.dumps({"model": str(MODEL), "batch": BATCH, "pairs": pairs}), encoding="utf-8")
    rows.write(work / "prompts", items)
    ours = _reader(work)
    shares, seconds = [], []
    for _ in range(often):
        its = json.loads(spend([python, RUN, given], environment(work), work).output.splitlines()[-1])
        seconds.append(spend_here(ours).cpu)
        shares.append(ratio(seconds[-1], its["cpu"]))
        values = [each for row in rows.read(work / "likelihoods") for each in row["continuations"]]
        for mine, (total, greedy) in zip(values, its["values"], strict=True):
            if abs(mine["logprob"] - total) > NEAR or mine["greedy"] != greedy:
                raise Failed(f"a log-likelihood is {mine['logprob']} and lm-eval's is {total}")
    return shares, seconds


def _reader(work: Path) -> Callable[[], None]:
    """Load the model, measure a few items to warm up, and give the work."""
    import torch

    from harness.models.local.likelihood import LikelihoodModel
    from harness.models.local.load import open_causal

    reader = LikelihoodModel("tiny", open_causal(MODEL, {"batch": str(BATCH), "dtype": "float32"}), BATCH)
    torch.set_num_threads(1)
    list(reader.rows([prompt for _, prompt in zip(range(4), rows.read(work / "prompts", Prompt), strict=False)]))
    return partial(_write, reader, work)


def _write(reader: Any, work: Path) -> None:
    rows.write(work / "likelihoods", reader.rows(rows.read(work / "prompts", Prompt)))
