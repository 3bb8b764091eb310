"""BLEU and ROUGE of short answers, with what BLEU is made of; where the official code raises, the study has 0."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.agree import Within
from golden.case import Tally, check
from golden.files import listed

from harness.scorers.bleu import SCORERS as BLEU
from harness.scorers.rouge import SCORERS as ROUGE

NEAR = Within(1e-12)
NAMED = {"translation_length": "response_tokens", "reference_length": "reference_tokens"}


def run(given: Mapping[str, Any]) -> Mapping[str, Any]:
    pair = {"response": given["response"], "reference": given["answer"]}
    found, shared = BLEU["bleu"].run(pair), ROUGE["rouge"].run(pair)
    rouge = {kind: values["fmeasure"] for kind, values in shared.items()}
    parts = ("bleu", "precisions", "brevity_penalty", "length_ratio", *NAMED)
    return {
        "BLEU": found["bleu"], "ROUGE2": rouge["rouge2"], "ROUGEL": rouge["rougeL"], "rouge_all": rouge,
        "bleu_detail": {part: found[NAMED.get(part, part)] for part in parts},
    }  # fmt: skip


def read(path: Path, tally: Tally) -> None:
    for name, case in listed(path):
        raised = isinstance(case, dict) and case.get("bleu_exception")  # where ours is a value, and counts nothing else
        said = {key: value for key, value in case.items() if key != "bleu_exception"} if raised else case
        check(tally, name, said, run, ("answer", "response"), ("BLEU", "ROUGE2", "ROUGEL", "rouge_all"), within=NEAR)
