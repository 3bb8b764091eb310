"""LLMSim of MPV with a judge whose replies are given: the metrics, and the exact words of every question."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.case import Tally, check
from golden.files import cases, load
from support_curie_golden import NEAR, official
from support_curie_reading import template

from harness.digest import sha256
from harness.studies.curie.scoring.llmsim import questions
from harness.studies.curie.standalone.llmsim import SCORERS

FIELDS = ("ground_truth_text", "model_response", "judge_outputs")


def read(path: Path, tally: Tally) -> None:
    words = template(path.parents[1], "mpv")

    def run(given: Mapping[str, Any]) -> Mapping[str, Any]:
        truth, response = given["ground_truth_text"], given["model_response"]
        asked = questions(
            "mpv", truth, response, words or "{{json_ground_truth}}{{json_extracted_list}}", prepared=True
        )
        return {
            "official": official(SCORERS["curie.llmsim_mpv"].run(given)),
            "judge_calls": len(asked),
            "judge_prompt_sha256": [sha256(one.encode()) for one in asked],
        }

    for name, case in cases(load(path)):
        compared = {**case, "official": official(case["official"])}
        if not words:
            del compared["judge_prompt_sha256"]
        check(tally, name, compared, run, FIELDS, ("official", "judge_calls"), within=NEAR)
