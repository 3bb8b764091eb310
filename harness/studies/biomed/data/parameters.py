"""The makers' parameters in a manifest: functions that read and check them, and the names of inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.errors import InputError
from harness.studies.biomed.data.records import JOINED, MESSAGES
from harness.studies.biomed.data.splitting import PARTS, SPLITS
from harness.studies.biomed.terms import MODES

# Names: of parameters, of inputs that are files, and of outputs.
SEED = "seed"
ROWS, MOST, MODE, TURNS, SPLIT, PART, DROP = "rows", "most", "mode", "turns", "split", "part", "unusable"
COUNT = "count"  # the value of `unusable`: rows that lack a cell are dropped and counted
SET, CONFIG = "set", "config"  # the published questions, and the file with the published prompts
TABLE = "table-{}"  # a synthetic source table; written so that a run pins the source of its answers
GRADING_PROMPT = "grading_prompt"  # the published wording of the grader: one text
LARGEST = 10**6  # the largest allowed count


def one_of(name: str, *words: str) -> Callable[[Any], str]:
    """Return a reader for a parameter that is one of `words`; the reader raises InputError for any other value."""

    def read(given: Any) -> str:
        if given not in words:
            raise InputError(f"it is none of {', '.join(words)}", where=name, next=f"write `{name}: {words[0]}`")
        return str(given)

    return read


def positive(name: str) -> Callable[[Any], int]:
    """Return a reader for a whole number from 1 to LARGEST; the reader raises InputError for any other value."""

    def read(given: Any) -> int:
        text = given if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 9 else "0"
        if not 1 <= int(text) <= LARGEST:
            raise InputError(
                f"it is no whole number from 1 to {LARGEST}", where=name, next=f"write it in digits: `{name}: 270`"
            )
        return int(text)

    return read


read_rows, read_most = positive(ROWS), positive(MOST)
read_mode, read_turns = one_of(MODE, *MODES), one_of(TURNS, MESSAGES, JOINED)
read_split, read_part = one_of(SPLIT, *SPLITS), one_of(PART, *PARTS)
read_drop = one_of(DROP, COUNT)
