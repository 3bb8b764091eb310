"""Steps that take the rows which a scorer scores, where rows have scorers of their own.

Reads which scorers an item names, and neither answers nor golds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.rowtypes import Item, Prompt, Response
from harness.studies.questions.data.row_scorers import SCORERS


def take_answers(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write only the responses to items that one of the scorers in `params` scores."""
    wanted = _wanted(params[SCORERS], inputs["items"])
    rows.write(out / "responses", (row for row in rows.read(inputs["responses"], Response) if row["item"] in wanted))


def take_items(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write only the items that one of the scorers in `params` scores, and their prompts if there are any."""
    wanted = _wanted(params[SCORERS], inputs["items"])
    rows.write(out / "items", (row for row in rows.read(inputs["items"], Item) if row["id"] in wanted))
    if "prompts" in inputs:
        rows.write(out / "prompts", (row for row in rows.read(inputs["prompts"], Prompt) if row["item"] in wanted))


def _wanted(scorers: Collection[str], items: Path) -> set[str]:
    """Return the ids of the items that name one of some scorers."""
    names = set(scorers)
    return {row["id"] for row in rows.read(items, Item) if not names.isdisjoint(row["meta"][SCORERS])}
