"""The step that extracts a program from an answer, and the score step by its outcome."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.kit.graded import Seen
from harness.kit.programs import write_programs
from harness.rowtypes import Found, Item, Missing, Response
from harness.trial import DONE


def take(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the program of each answer that holds one, with a call of it."""
    write_programs(inputs, out, program)


def program(item: Item, response: Response) -> str | None:
    """Take the first block of code out of an answer."""
    found = re.search(r"```python\n(.*?)```", response["text"], re.DOTALL)
    return f"{found[1]}\nprint(square({item['input']['n']}))\n" if found else None


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write whether a program printed what it must."""
    graded.write(params, inputs, out, "snippets.printed", printed)


def printed(seen: Seen) -> Found | Missing:
    """Hold what a program printed against the square."""
    tried = seen.trials.get("square")
    if tried is None:
        return {"value": 0, "detail": {"outcome": "no program"}}
    right = tried["outcome"] == DONE and tried["stdout"].strip() == seen.gold["gold"]["target"]
    return {"value": int(right), "detail": {"outcome": tried["outcome"]}}
