"""Programs in answers to the PDB task: extract the program for a trial, and read the answer from that trial.

Foreign code is only handled as text here. It runs in trials, isolated by an engine. Does not see the right sequence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from harness.kit.programs import write_programs
from harness.rowtypes import Item, Response
from harness.studies.curie.code import pdb_entry
from harness.studies.curie.tasks import PAPER, STRICT
from harness.trial import DONE, TrialLimits

TASK = "pdb"
MARK, FENCE = "```python", "```"
# OURS: the published code runs without limits. A program may return the whole document, which JSON makes longer.
LIMITS = TrialLimits(seconds=30, cpu_seconds=20, memory=1 << 30, output=32 << 20)
MOST_CODE, MOST_DOCUMENT = 1 << 19, 7 << 20  # limits of a trial: characters from the program on, bytes of a document


class NoAnswer(NamedTuple):
    """The reason why the program in an answer produced no sequence."""

    why: str


def is_code(response: str) -> bool:
    """Whether an answer is a program, which means that it contains ```python, with or without other text (P2)."""
    return MARK in response


def take_paper(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the program of each PDB answer as the published code would run it, with its document as input."""
    write_programs(inputs, out, lambda item, response: _of_item(item, response, PAPER))


def take_strict(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the program of each PDB answer as strict mode runs it, with its document as input."""
    write_programs(inputs, out, lambda item, response: _of_item(item, response, STRICT))


def _of_item(item: Item, response: Response, mode: str) -> tuple[str, str] | None:
    return program(response["text"], item["input"]["text"], mode) if item["task"] == TASK else None


def program(response: str, document: str, mode: str) -> tuple[str, str] | None:
    """Return an answer's program and its input; None if `obstacle` names a reason why there is nothing to run.

    `document` is the PDB text. In paper mode it is the whole prompt, and everything before its first ATOM is left out.
    """
    if obstacle(response, document, mode):
        return None
    code, name = (_code(response), _function(response)) if mode == PAPER else (_first_block(response), "")
    call = f"main({mode!r}, {code!a}, {name!a})"
    given = _from_first_atom(document) if mode == PAPER else document
    return f"{Path(pdb_entry.__file__).read_text('utf-8')}\n\n{call}\n", _encodable(given)


def obstacle(response: str, document: str, mode: str) -> str:
    """Return the reason why an answer has no program to run, or an empty text if it has one."""
    if not is_code(response):
        return "no program in the answer"
    if len(response.partition(MARK)[2]) > MOST_CODE or len(document.encode("utf-8", "replace")) > MOST_DOCUMENT:
        return "a program or a document too large for a trial"
    if mode == PAPER and "def " not in response:
        return "the published code finds no function, and raises"
    if mode == PAPER and "ATOM" not in document:
        return "the published code finds no ATOM in the prompt, and raises"
    return ""


def _code(response: str) -> str:
    """Extract the code as the published code does: an unclosed fence ends with the line of the first `return`."""
    start = response.index(MARK) + len(MARK)
    end = response.find(FENCE, start)
    if end < 0 and (last := response.find("return")) >= 0:
        end = response.find("\n", last)
    return response[start:end] if end >= 0 else response[start:]


def _function(response: str) -> str:
    return response.partition("def ")[2].partition("(")[0]


def _first_block(response: str) -> str:
    return response.partition(MARK)[2].partition(FENCE)[0]


def _from_first_atom(document: str) -> str:
    return document[document.index("ATOM") :]


def _encodable(text: str) -> str:
    """Return a text that a row can hold: halves of surrogate pairs become question marks."""
    return text.encode("utf-8", "replace").decode()


def answered(trial: Mapping[str, Any]) -> str | NoAnswer:
    """Return the sequence that an answer's program printed, or the reason why it printed none.

    `trial` holds how the trial ended (`outcome`) and what the program printed (`stdout`).
    """
    if trial.get("outcome") != DONE:
        return NoAnswer(f"the program did not end well: {trial.get('outcome')}")
    try:
        said = json.loads(str(trial.get("stdout")).strip().rpartition("\n")[2])
    except (ValueError, RecursionError):
        said = None
    answer, raised = (said.get("answer"), said.get("raised")) if isinstance(said, dict) else (None, None)
    return answer if isinstance(answer, str) else NoAnswer(f"the program told nothing: {str(raised)[:200]}")
