"""What local inference costs: our batches beside the library's own `generate`, one request at a time.

The same weights, prompts and thread; the answers must be the same before a figure counts.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.costs import Size
from bench.measure import Failed, ratio, spend_here
from bench.table import Row

from harness import rows, seeds
from harness.kit.prompts import fill, template
from harness.models.provider import CompletionRequest
from harness.studies.reliability.data.small_addition import pair

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "assets" / "tiny-raw"  # it talks, so that its answers are of some length
TEMPLATES = ROOT / "harness" / "studies" / "reliability" / "prompts" / "addition@1.jsonl"
SIZES = (8, 16, 32)
NEW = 32  # tokens at most
MARK = 0.25  # four times as fast


def inference_rows(work: Path, size: Size) -> list[Row]:
    """Measure in this process, one thread on both sides; gives no rows where the libraries or the model are missing."""
    lack = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    if lack or not MODEL.is_dir():
        why = f"no {' and '.join(lack)} here" if lack else "no model in assets/tiny-raw"
        print(f"inference is not measured: {why}", file=sys.stderr)
        return []
    requests = _requests(10)
    theirs = _generate(requests)
    ours = {batch: _batched(requests, batch) for batch in SIZES}
    expected = theirs()
    for batch, work_of in ours.items():
        if work_of() != expected:
            raise Failed(f"batch {batch} answers otherwise than `generate`")
    shares: dict[int, list[float]] = {batch: [] for batch in SIZES}
    rates: list[float] = []
    for _ in range(size.repeats):
        base = spend_here(theirs).cpu
        for batch, work_of in ours.items():
            cpu = spend_here(work_of).cpu
            shares[batch].append(ratio(cpu, base))
            if batch == SIZES[-1]:
                rates.append(len(requests) / cpu)
    best = min(SIZES, key=lambda batch: sorted(shares[batch])[len(shares[batch]) // 2])
    what = "CPU of {0} tiny prompts in batches of {1} against `generate` one at a time"
    found = [
        Row("inference", what.format(len(requests), batch), tuple(shares[batch]), MARK if batch == best else None)
        for batch in SIZES
    ]
    return [*found, Row("inference", f"responses a CPU second, batches of {SIZES[-1]}", tuple(rates), None, "/s")]


def _requests(items: int) -> list[CompletionRequest]:
    """Ask small sums in every wording, as the demo does."""
    templates = [template(row) for row in rows.read(TEMPLATES)]
    found = []
    for index in range(items):
        a, b = pair(seeds.random_stream(seeds.derive_seed(11, "bench", str(index))))
        for each in templates:
            text = fill(each, "", {"a": a, "b": b})
            found.append(CompletionRequest(f"{index}", each.id, 0, text, 0, {"temperature": "0", "max_tokens": NEW}))
    return found


def _batched(requests: list[CompletionRequest], batch: int) -> Callable[[], list[str]]:
    import torch

    from harness.models.local.load import open_causal
    from harness.models.providers.transformers import LocalModel

    local = LocalModel("tiny", open_causal(MODEL, {"batch": str(batch), "dtype": "float32"}), batch)
    torch.set_num_threads(1)
    return lambda: [response.text for response in local.complete(requests)]


def _generate(requests: list[CompletionRequest]) -> Callable[[], list[str]]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    model: Any = AutoModelForCausalLM.from_pretrained(MODEL, local_files_only=True)
    tokenizer: Any = AutoTokenizer.from_pretrained(MODEL, local_files_only=True)

    def work() -> list[str]:
        found = []
        with torch.inference_mode():
            for request in requests:
                given = tokenizer(request.text, return_tensors="pt")
                out = model.generate(**given, max_new_tokens=NEW, do_sample=False)
                found.append(tokenizer.decode(out[0, given["input_ids"].shape[1] :], skip_special_tokens=True))
        return found

    return work
