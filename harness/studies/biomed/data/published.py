"""The maker of published questions: reads a CSV file, and samples or splits its questions as published."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.studies.biomed.data.making import sampled, write_questions
from harness.studies.biomed.data.parameters import DROP, MODE, PART, ROWS, SET, SPLIT
from harness.studies.biomed.data.published_csv import read_set
from harness.studies.biomed.data.sampling import PER_TEMPLATE
from harness.studies.biomed.data.splitting import TEST, split
from harness.studies.biomed.terms import STRICT


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the questions of the published file: a part of its train/test split, a sample per template, or all.

    With `split`, the part `test` holds up to `rows` questions per template, or as many as published if `rows` is not
    given. Raise InputError for `part` without `split`, for an empty part, and as `read_set` and `read_config` do.
    """
    found = read_set(inputs[SET], params.get(MODE, STRICT), name=SET, drop=DROP in params)
    questions, counts = found.questions, found.counts()
    if SPLIT in params:
        parts = split([one.template for one in questions], params[SPLIT], params.get(ROWS, PER_TEMPLATE))
        name = params.get(PART, TEST)
        counts |= {**parts.counts([one.question for one in questions]), "part": name}
        chosen = [questions[place] for place in parts.part(name)]
        if not chosen:
            raise InputError(f"the part {name} holds no question", where=SET, next="split a file that has more")
    elif PART in params:
        raise InputError("a part of what?", where=PART, next=f"add `{SPLIT}: disjoint`, or leave `{PART}` out")
    else:
        chosen = list(sampled(questions, params.get(ROWS)))
    write_questions(params, inputs, out, chosen, {"source": "published", **counts})
