"""BLEU and ROUGE of short answers, with what BLEU is made of; where the official code raises, the study has 0."""

from __future__ import annotations

from pathlib import Path

from golden.agree import Within
from golden.case import Tally, check
from golden.files import listed

from harness.studies.biomed.standalone.texts import SCORERS

NEAR = Within(1e-12)
GIVEN, EXPECTED = ("answer", "response"), ("BLEU", "ROUGE2", "ROUGEL", "rouge_all")


def read(path: Path, tally: Tally) -> None:
    for name, case in listed(path):
        raised = isinstance(case, dict) and case.get("bleu_exception")  # where ours is a value, and counts nothing else
        said = {key: value for key, value in case.items() if key != "bleu_exception"} if raised else case
        check(tally, name, said, SCORERS["biomed.nlp_metrics"].run, GIVEN, EXPECTED, within=NEAR)
