"""Prompts of any study: every item with every template, the template's words untouched.

It knows placeholders and digests; it must never know a benchmark, an answer or a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import sha256
from harness.errors import InputError
from harness.rowtypes import Budget, Item, Prompt

# Split, never str.format: an item's own braces stay what they are, and no template reaches into an object.
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A template cut once into words (even places) and names (odd places)."""

    id: int
    pieces: tuple[str, ...]
    sha256: str


def template(row: Mapping[str, Any]) -> Template:
    """Read one row of a prompt set, so that a faulty set stops the run before any model is asked."""
    number, text = row.get("id"), row.get("text")
    if not isinstance(number, int) or isinstance(number, bool) or not isinstance(text, str):
        raise InputError("a template needs a whole `id` and a `text`", where=f"templates: {row!r:.80}")
    return Template(number, tuple(_PLACEHOLDER.split(text)), sha256(text.encode()))


def fill(with_names: Template, item: str, values: Mapping[str, Any]) -> str:
    """Put an item's values in place of the names, once, so that a value is never read as a template."""
    pieces = list(with_names.pieces)
    for place in range(1, len(pieces), 2):
        value = values.get(pieces[place])
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise InputError(
                f"template {with_names.id} asks for {{{pieces[place]}}}, which the item does not give as text",
                where=f"item {item}",
                next=f"use one of: {', '.join(sorted(values))}",
            )
        pieces[place] = value
    return "".join(pieces)


def render(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the prompts a model is asked, each with the digests of its template and of its text."""
    templates = [template(row) for row in rows.read(inputs["templates"])]
    if len({each.id for each in templates}) != len(templates):
        raise InputError("two templates have the same id", where="templates", next="number the templates")
    budgets = _budgets(inputs)
    rows.write(out / "prompts", _prompts(inputs["items"], templates, budgets))


def _prompts(items: Path, templates: list[Template], budgets: Mapping[str, int]) -> Iterator[Prompt]:
    for row in rows.read(items, Item):
        item, values = row["id"], row["input"]
        if "options" in row:
            values = {**values, "options": _shown(row["options"], item)}
        for each in templates:
            text = fill(each, item, values)
            meta = {"template_sha256": each.sha256, "text_sha256": sha256(text.encode())}
            yield _bounded({"item": item, "template": each.id, "text": text, "meta": meta}, budgets)


def pick(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the prompts of these items from a dataset that brings them along, rendered by those who published it."""
    wanted = {row["id"] for row in rows.read(inputs["items"], Item)}
    budgets = _budgets(inputs)
    rendered = (row for row in rows.read(inputs["rendered"], Prompt) if row["item"] in wanted)
    rows.write(out / "prompts", (_bounded(row, budgets) for row in rendered))


def _budgets(inputs: Mapping[str, Path]) -> Mapping[str, int]:
    """Give each item's own budget of tokens, where the dataset has them."""
    return {row["id"]: row["max_tokens"] for row in rows.read(inputs["budgets"], Budget)} if "budgets" in inputs else {}


def _bounded(prompt: Prompt, budgets: Mapping[str, int]) -> Prompt:
    """Let a prompt bring its item's budget along, where there is one."""
    if prompt["item"] in budgets:
        prompt["max_tokens"] = budgets[prompt["item"]]
    return prompt


def _shown(options: Any, item: str) -> str:
    """Write options as a reader expects them, one a line after its letter."""
    if not isinstance(options, Mapping) or not all(isinstance(text, str) for text in options.values()):
        raise InputError("the options are not texts by letter", where=f"item {item}", next="give {A: …, B: …}")
    return "\n".join(f"{letter}. {text}" for letter, text in sorted(options.items()))
