"""Score continuations as lm-eval's `hf` does, and say what that alone cost; the peer's own Python runs this.

The model is loaded, and has scored a few pairs, before the clock starts.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM


def main(given: str) -> None:
    """Print the CPU seconds, and the log-likelihood and greediness of each pair of a context and a continuation."""
    asked = json.loads(Path(given).read_bytes())
    torch.set_num_threads(1)
    model = HFLM(pretrained=asked["model"], device="cpu", dtype="float32", batch_size=asked["batch"])
    pairs = [
        Instance(request_type="loglikelihood", doc={}, arguments=tuple(pair), idx=number)
        for number, pair in enumerate(asked["pairs"])
    ]
    model.loglikelihood(pairs[:8], disable_tqdm=True)
    begun = time.process_time()
    found = model.loglikelihood(pairs, disable_tqdm=True)
    print(json.dumps({"cpu": time.process_time() - begun, "values": found}))


if __name__ == "__main__":
    main(*sys.argv[1:])
