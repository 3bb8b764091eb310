"""Answers of our own in the styles of real models, with the grades that a reader who knows the rubric gives them.

They stand in `cases.jsonl`: a question, its gold answer, a response and its grade. Identifiers and values are invented.
A grade is good from 2.0 up, and -1.0 says that the answer does not know.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple


class Case(NamedTuple):
    """A question with its gold answer, a response, and its grade."""

    question: str
    gold: str
    response: str
    grade: float


CASES = tuple(Case(**json.loads(line)) for line in Path(__file__).with_name("cases.jsonl").read_text().splitlines())
