"""LLMSim of DFT-S and DFT-P with a judge that follows the rule that each case states: metrics, calls, and their words.

Which ground truth needs a model to repair it is compared, and not what that model was asked: only our words for it are
here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.case import Tally, check
from golden.files import cases, load
from support_curie_golden import NEAR, official
from support_curie_reading import template

from harness.digest import sha256
from harness.studies.curie.reading.ground_truth import preprocess
from harness.studies.curie.scoring.llmsim import questions, repairs
from harness.studies.curie.standalone.llmsim import SCORERS

FIELDS = ("ground_truth_file_text", "prompt", "model_response")
RULE = (
    'calls starting with "Extract ground truth" answer [{"common_name": "repaired"}]; calls starting with "Extract '
    'model_response" answer [{"x":1},{"y":2}]; the k-th other call (k from 1) answers json_extracted_index = k mod 3'
)
REPAIRED = {"Extract ground truth": '[{"common_name": "repaired"}]', "Extract model_response": '[{"x":1},{"y":2}]'}
TASKS = {"extract_structure_data_1_shot": "dft-s", "extract_dft_metadata_1_shot": "dft-p"}


def repaired_by_rule(prompt: str) -> str:
    return next(reply for begin, reply in REPAIRED.items() if prompt.startswith(begin))


def read(path: Path, tally: Tally) -> None:
    words = template(path.parents[1], "dft")

    def run(given: Mapping[str, Any]) -> Mapping[str, Any]:
        case = (TASKS[given["prompt"]], given["ground_truth_file_text"], given["model_response"])
        mended = {what: repaired_by_rule(prompt) for what, prompt in repairs(*case).items()}
        asked = questions(*case, words or "{{json_ground_truth}}{{json_extracted_list}}", mended)
        replies = [f'{{"json_extracted_index": {number % 3}}}' for number in range(1, len(asked) + 1)]
        return {
            "preprocessed": preprocess(given["ground_truth_file_text"], "dft", given["prompt"]),
            "official": official(
                SCORERS["curie.llmsim_dft"].run({**given, "judge_outputs": [*mended.values(), *replies]})
            ),
            "calls": len(mended) + len(asked),
            "prompt_sha256": [sha256(one.encode()) for one in asked],
        }

    for name, case in cases(load(path)):
        if case["judge_rule"] != RULE:
            tally.fail(name, f"a judge of another rule: {case['judge_rule']}")
            continue
        heads = zip(case["judge_prompt_head"], case["prompt_sha256"], strict=False)
        known = {digest for head, digest in heads if head.startswith("Extract")}
        compared = {
            **{key: case[key] for key in (*FIELDS, "preprocessed", "calls")},
            "official": official(case["official"]),
            **({"prompt_sha256": [one for one in case["prompt_sha256"] if one not in known]} if words else {}),
        }
        check(tally, name, compared, run, FIELDS, ("preprocessed", "official", "calls"), within=NEAR)
