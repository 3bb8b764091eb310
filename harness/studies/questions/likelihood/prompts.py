"""Steps that write the input of log-likelihood measurements: prompts with continuations, or the texts of the items.

They read items and prompts, and do not see which option is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.rowtypes import Item, Prompt

TEXT, LETTER = "text", "letter"  # the part of an option that is the continuation
DELIMITER = " "  # between a text and an option, as in lm-eval; none after chat turns
UNASKED = ("continuations", "max_tokens")  # fields of a prompt that are not copied: the first is written here


def add_options(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write each prompt with its item's options as continuations to measure: their texts or letters, as `show` says.

    With `chat`, the model's own template will also turn plain texts into chat turns.
    """
    items = {row["id"]: row for row in rows.read(inputs["items"], Item)}
    rows.write(out / "prompts", _prompts(inputs["prompts"], items, params["show"], params["chat"]))


def _prompts(asked: Path, items: Mapping[str, Item], show: str, chat: bool) -> Iterator[Mapping[str, Any]]:
    for prompt in rows.read(asked, Prompt):
        item = items[prompt["item"]]
        kept = {name: value for name, value in prompt.items() if name not in UNASKED}
        before = "" if chat or "messages" in prompt else DELIMITER
        shown = (letter if show == LETTER else text for letter, text in options(item))
        yield {**kept, "continuations": [before + each for each in shown]}


def options(item: Item) -> list[tuple[str, str]]:
    """Return the options of an item as pairs of letter and text, sorted by letter.

    Raises InputError for fewer than two options or an empty one.
    """
    found = sorted(item.get("options", {}).items())
    if len(found) < 2 or not all(text for _, text in found):
        raise InputError(
            "a choice needs two options at least, none of them empty",
            where=f"item {item['id']}",
            next="fill in its options, or leave the row out",
        )
    return found


def take_texts(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one column of each item as a text whose log-likelihood a model is to measure."""
    rows.write(
        out / "prompts",
        (
            {"item": item["id"], "template": 0, "text": str(item["input"][params["column"]])}
            for item in rows.read(inputs["items"], Item)
        ),
    )
