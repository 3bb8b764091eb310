"""Prompt rendering for any study: every item in every template, the template's words unchanged, with few-shot examples.

A maker writes examples to its output `shots`. A template that shows them contains `{shots}`, and its `shot` is the
template of one example. No example may be asked as a question.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import canonical_json, sha256
from harness.errors import InputError
from harness.rowtypes import Budget, Item, Prompt, Shot

NAME = "shots"  # the placeholder for examples, and the maker's output of examples
ANSWER = "answer"  # the placeholder for an example's answer


def disjoint(shots: Collection[Shot], items: Iterable[Item]) -> None:
    """Raise InputError if a few-shot example is also an item, because its answer would be in that item's prompt."""
    ids, asked = {shot["id"] for shot in shots}, {_shots_shown(shot["input"]): shot["id"] for shot in shots}
    for item in items:
        same = item["id"] if item["id"] in ids else asked.get(_shots_shown(item["input"]))
        if same is not None:
            raise InputError(
                f"the example {same} is asked too",
                where=f"item {item['id']}",
                next="draw examples from rows that are left out of the items",
            )


def given(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> Sequence[Shot]:
    """Return the few-shot examples to show, as many as the step's parameter says; none without the input `shots`.

    Raises InputError if an item is among all examples, or if there are too few, or two of one id.
    """
    if NAME not in inputs:
        return []
    found, count = list(rows.read(inputs[NAME], Shot)), int(params[NAME])
    disjoint(found, rows.read(inputs["items"], Item))
    if len(found) < count or len({shot["id"] for shot in found}) < len(found):
        raise InputError(
            f"the dataset has {len({shot['id'] for shot in found})} examples, and {count} are to be shown",
            where=NAME,
            next="draw more, or show fewer",
        )
    return found[:count]


def values(shot: Shot) -> dict[str, Any]:
    """Return the values for a few-shot example's placeholders: its item's fields, and the answer."""
    return {**shot["input"], ANSWER: shot["answer"]}


def _shots_shown(value: Mapping[str, Any]) -> str:
    return sha256(canonical_json(dict(value)))


# Split instead of str.format, so that an item's own braces stay unchanged and no template can access attributes.
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed prompt template: literal words at even indices, placeholder names at odd ones."""

    id: int
    pieces: tuple[str, ...]
    sha256: str
    shot: Template | None = None  # the template of an example, if it shows any


def template(row: Mapping[str, Any]) -> Template:
    """Parse one row of a prompt set; raises InputError for an invalid one, before any model is asked."""
    number, text = row.get("id"), row.get("text")
    if not isinstance(number, int) or isinstance(number, bool) or not isinstance(text, str):
        raise InputError("a template needs a whole `id` and a `text`", where=f"templates: {row!r:.80}")
    shot, pieces = row.get("shot"), tuple(_PLACEHOLDER.split(text))
    if (NAME in pieces[1::2]) != isinstance(shot, str):
        raise InputError(
            f"template {number} shows examples, or says how one is written, and not both",
            where="templates",
            next="write `{shots}` in its `text`, and in `shot` the words of one example with its {answer}",
        )
    example = template({"id": number, "text": shot}) if isinstance(shot, str) else None
    return Template(number, pieces, sha256(text.encode()), example)


def fill(with_names: Template, item: str, values: Mapping[str, Any]) -> str:
    """Substitute an item's values for a template's placeholders, once, so that a value is never read as a template.

    Raises InputError for a placeholder for which `values` has no text or whole number.
    """
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
    """Write the prompts of a shard: each item in each template, with the digests of template and text.

    A prompt includes its item's images and token budget, if the item has them.
    """
    templates = [template(row) for row in rows.read(inputs["templates"])]
    if len({each.id for each in templates}) != len(templates):
        raise InputError("two templates have the same id", where="templates", next="number the templates")
    budgets, examples = _budgets(inputs), given(params, inputs)
    before = {each.id: _examples(each, examples) for each in templates if NAME in inputs}
    rows.write(out / "prompts", _prompts(inputs["items"], templates, budgets, before))


def _examples(each: Template, examples: Sequence[Shot]) -> str:
    """Render the examples of a template, one after the other; empty if it shows none."""
    if each.shot is None:
        return ""
    return "".join(fill(each.shot, shot["id"], values(shot)) for shot in examples)


def _prompts(
    items: Path, templates: list[Template], budgets: Mapping[str, int], examples: Mapping[int, str]
) -> Iterator[Prompt]:
    for row in rows.read(items, Item):
        item, values = row["id"], row["input"]
        if "options" in row:
            values = {**values, "options": _prompts_shown(row["options"], item)}
        for each in templates:
            shown = {**values, NAME: examples[each.id]} if each.id in examples else values
            text = fill(each, item, shown)
            meta = {"template_sha256": each.sha256, "text_sha256": sha256(text.encode())}
            prompt: Prompt = {"item": item, "template": each.id, "text": text, "meta": meta}
            if each.shot:
                prompt["meta"] = {**meta, "shot_sha256": each.shot.sha256}
            if "attachments" in row:
                prompt["attachments"] = row["attachments"]
            yield _bounded(prompt, budgets)


def pick(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write a shard's prompts, selected from the rendered prompts that the dataset was published with."""
    wanted = {row["id"] for row in rows.read(inputs["items"], Item)}
    given(params, inputs)
    budgets = _budgets(inputs)
    rendered = (row for row in rows.read(inputs["rendered"], Prompt) if row["item"] in wanted)
    rows.write(out / "prompts", (_bounded(row, budgets) for row in rendered))


def _budgets(inputs: Mapping[str, Path]) -> Mapping[str, int]:
    """Return each item's own token budget, if the dataset has budgets."""
    return {row["id"]: row["max_tokens"] for row in rows.read(inputs["budgets"], Budget)} if "budgets" in inputs else {}


def _bounded(prompt: Prompt, budgets: Mapping[str, int]) -> Prompt:
    """Add the item's token budget to a prompt, if there is one."""
    if prompt["item"] in budgets:
        prompt["max_tokens"] = budgets[prompt["item"]]
    return prompt


def _prompts_shown(options: Any, item: str) -> str:
    """Render options one per line, each after its letter."""
    if not isinstance(options, Mapping) or not all(isinstance(text, str) for text in options.values()):
        raise InputError("the options are not texts by letter", where=f"item {item}", next="give {A: …, B: …}")
    return "\n".join(f"{letter}. {text}" for letter, text in sorted(options.items()))
