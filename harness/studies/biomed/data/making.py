"""What the makers share: choosing a system prompt, sampling, and writing questions, prompts and counts.

Independent of where the questions come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import sha256
from harness.studies.biomed.data.parameters import CONFIG, GRADING_PROMPT, TURNS
from harness.studies.biomed.data.prompts import SYSTEM, SYSTEM_VERSION, read_config
from harness.studies.biomed.data.records import MESSAGES, BenchmarkQuestion, write
from harness.studies.biomed.data.sampling import sample_by_template


def write_questions(
    params: Mapping[str, Any],
    inputs: Mapping[str, Path],
    out: Path,
    questions: Sequence[BenchmarkQuestion],
    counts: Mapping[str, Any],
) -> None:
    """Write questions as a dataset, with the published prompts if `inputs` has their file, else with our own.

    The counts name the system prompt and its digest. Raise InputError as `read_config` does.
    """
    system, name = SYSTEM, f"ours, {SYSTEM_VERSION}"
    if CONFIG in inputs:
        wording = read_config(inputs[CONFIG])
        rows.write_one(out / GRADING_PROMPT, wording.grading)
        system, name = wording.system, "published"
    said = {"system_prompt": name, "system_prompt_sha256": sha256(system.encode()), **counts}
    write(questions, out, system=system, turns=params.get(TURNS, MESSAGES), counts=said)


def sampled(questions: Sequence[BenchmarkQuestion], most: int | None) -> Sequence[BenchmarkQuestion]:
    """Return up to `most` questions of each template, sampled as published; with None, return all of them unchanged."""
    if most is None:
        return questions
    return [questions[place] for place in sample_by_template([one.template for one in questions], most)]
