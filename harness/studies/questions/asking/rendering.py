"""The step that writes prompts: every item in every wording, with examples before it, as one text or as chat turns.

Does not see the right answers of the items that are asked. Examples do carry answers, and their rows are not asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import canonical_json, sha256
from harness.errors import InputError
from harness.kit import prompts
from harness.rowtypes import Item, Prompt
from harness.studies.questions.asking.wordings import ANSWER, OPTIONS, SHOTS, Known, Wording, WordingText, wordings

LONGEST = 8 << 20  # characters of a prompt


def render(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write a shard's prompts from wordings in `params` or in a file, each with digests of its wording and text."""
    fields = params["fields"]
    said = params["wordings"] if "wordings" in params else read_wordings(inputs["templates"].read_bytes(), "prompts")
    found = wordings(said, Known.of(fields), "prompts")
    examples: Sequence[Mapping[str, Any]] = prompts.given(params, inputs)
    values = [_values(example, fields) for example in examples]
    before = {each.id: _before(each, examples, values) for each in found}
    rows.write(out / "prompts", _prompts(inputs["items"], found, fields, before))


def read_wordings(data: bytes, where: str) -> list[Any]:
    """Read a file of prompt wordings, one JSON object per line; raise InputError with the line for invalid JSON."""
    found = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            if line.strip():
                found.append(json.loads(line))
        except (ValueError, RecursionError):
            raise InputError(
                "the line is no JSON",
                where=f"{where}:{number}",
                next='write one wording a line: {"id": 0, "text": "…"}',
            ) from None
    return found


def _prompts(
    items: Path, found: list[Wording], fields: Mapping[str, Any], before: Mapping[int, list[dict[str, str]] | str]
) -> Iterator[Prompt]:
    for item in rows.read(items, Item):
        values = _values(item, fields)
        for each in found:
            meta = {"template_sha256": each.sha256}
            if each.shot_sha256:
                meta["shot_sha256"] = each.shot_sha256
            prompt: Prompt = {"item": item["id"], "template": each.id}
            if each.chat:
                prompt["messages"] = _messages(each, values, before[each.id])
                told = canonical_json(prompt["messages"])
            else:
                prompt["text"] = _text(each.turns[0][1], values, before[each.id])
                told = prompt["text"].encode()
            if len(told) > LONGEST:
                raise InputError(
                    f"the prompt has more than {LONGEST >> 20} MiB",
                    where=f"item {item['id']}, wording {each.id}",
                    next="shorten the cells that it shows, or show fewer examples",
                )
            if attached := item.get("attachments"):
                prompt["attachments"] = attached
            prompt["meta"] = {**meta, "text_sha256": sha256(told)}
            yield prompt


def _values(row: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of an item or an example that a wording may show, by column name."""
    meta, choices = row.get("meta", {}), row.get("options", {})
    values = {**meta.get("group", {}), **row["input"]}
    columns = fields.get("options") or ()
    if not isinstance(columns, str) and len(columns) > 1:
        values |= dict.fromkeys(columns, "") | dict(zip(columns, choices.values(), strict=False))
    else:
        values |= {column: _lettered(choices) for column in ([columns] if isinstance(columns, str) else columns)}
    if choices or columns:
        values[OPTIONS] = _lettered(choices)
    if fields.get("id"):
        values[str(fields["id"])] = str(row["id"]).partition(":")[2]
    return values


def _lettered(choices: Mapping[str, str]) -> str:
    return "\n".join(f"{letter}. {text}" for letter, text in choices.items())


def fill(words: WordingText, values: Mapping[str, str]) -> str:
    """Replace each placeholder of a wording by its value. Values are inserted once and never parsed as a wording."""
    pieces = list(words.pieces)
    for place in range(1, len(pieces), 2):
        name, pieces[place] = pieces[place], values[pieces[place]]
        after = pieces[place + 1]
        if name == OPTIONS and not pieces[place] and pieces[place - 1].endswith("\n") and after.startswith("\n"):
            pieces[place + 1] = after[1:]  # a row without options leaves no empty line
    return "".join(pieces)


def _text(words: WordingText, values: Mapping[str, str], before: Any) -> str:
    """Return a text with the examples in the place that the wording names, or before the text if it names none."""
    lead = "" if SHOTS in words.names else before
    return str(lead) + fill(words, {**values, SHOTS: before})


def _messages(each: Wording, values: Mapping[str, str], before: Any) -> list[Mapping[str, Any]]:
    """Return the chat turns. Examples without a place in the wording become pairs of turns before the last turn."""
    inside = isinstance(before, str)
    said: list[Mapping[str, Any]] = [
        {"role": role, "content": fill(words, {**values, SHOTS: before if inside else ""})}
        for role, words in each.turns
    ]
    return said if inside else [*said[:-1], *before, said[-1]]


def _before(each: Wording, examples: Sequence[Mapping[str, Any]], values: Sequence[Mapping[str, str]]) -> Any:
    """Return the examples of a wording: one text, or pairs of turns if it is a chat that has no place for examples."""
    placed = next((words for _, words in each.turns if SHOTS in words.names), None)
    asks = _after(placed) if placed else each.turns[-1][1]
    lettered = OPTIONS in each.names()
    texts = []
    for example, known in zip(examples, values, strict=True):
        answer = str(example["letter"] if lettered and "letter" in example else example["answer"])
        texts.append((fill(each.shot or asks, {**known, ANSWER: answer} if each.shot else known), answer))
    if each.chat and not placed:
        pairs = ((("user", asked), ("assistant", answer)) for asked, answer in texts)
        return [{"role": role, "content": text} for pair in pairs for role, text in pair]
    return "".join(asked if each.shot else f"{asked} {answer}\n\n" for asked, answer in texts)


def _after(words: WordingText) -> WordingText:
    """Return the part of a text that follows the place of its examples, which is repeated for each question."""
    return WordingText(words.pieces[2 * words.names.index(SHOTS) + 2 :])
