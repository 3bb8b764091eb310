"""The first manifest of a person's file: written from what its columns were taken for, with a comment on each choice.

It must never open a file, nor ask which machine it is on: rows, guesses and models are handed in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill, indent
from typing import Any

from harness.manifest.read import spell
from harness.verbs.column_guesses import ColumnGuesses, FileSample, Guess
from harness.verbs.column_names import plain, quoted

FIELDS = ("input", "target", "accepted", "options", "group", "cluster", "id")  # in the order in which they are written
INSIDE, WIDTH = 4 * " ", 116  # of what stands in a dataset, and of a comment
ORDER = ("context", *FIELDS, "split")
MOST_LABELS = 12
SHORT, LONG = 32, 256  # tokens of an answer
SHORT_WORDS = 6  # of half of the targets at least, where they count as short
PLAIN_INPUTS = {"prompt", "instruction", "input"}  # columns whose cells are prompts already
_NUMBER = re.compile(r"[-+]?[0-9][0-9,]{0,40}(\.[0-9]{1,40})?%?")
TEXTS = {"text", "sentence", "document", "article"}


@dataclass(frozen=True)
class FirstManifest:
    """What a first manifest is written from."""

    name: str
    command: str  # that asked for it
    file: str  # below the project's root
    sample: FileSample
    guesses: ColumnGuesses
    models: Mapping[str, Mapping[str, Any]]
    about_models: str
    encoding: str = "utf-8"


@dataclass(frozen=True)
class _Answers:
    """What the targets are like: how they are scored, why, and how long an answer may be."""

    score: Sequence[Any]
    why: str
    tokens: int = SHORT
    labels: Sequence[str] = ()  # of a classification
    one_line: bool = True


def write_manifest(first: FirstManifest) -> str:
    """Write the manifest as a person would, section by section; it reads back as what is meant."""
    answers = _answers(first.sample, first.guesses)
    pieces = [
        _comment(f"Written by `{first.command}`. It is yours: edit it, then `harness lock` it again."),
        spell({"harness": "2", "study": "questions", "name": first.name}),
        spell({"about": f"Questions of {first.file.rpartition('/')[2]}; say here what they ask."}),
        "\n",
        _comment(first.about_models),
        spell({"models": first.models}),
        "\n",
        _comment(*_reasons(first)),
        f"datasets:\n  {first.name}:\n",
        indent(spell(_dataset(first)), INSIDE),
        *(f"{INSIDE}# {line}\n" for line in _more(first)),
        "\n",
        _comment("What is asked; `{column}` is a cell. Several wordings: `texts: [...]`; a chat: `turns: [...]`."),
        spell({"prompts": {"text": _wording(first, answers)}}),
        "\n",
        _comment("How it is asked."),
        spell({"generation": _generation(answers)}),
        "\n",
        _comment(f"How answers are scored: {answers.why}. `harness score --list` names every scorer."),
        spell({"settings": {"score": answers.score}}),
    ]
    return "".join(pieces)


def _comment(*lines: str) -> str:
    """Write lines of a comment, folded; what a line goes on with is indented."""
    folded = (
        fill(_seen(line), WIDTH, initial_indent="# ", subsequent_indent="#   ", break_on_hyphens=False)
        for line in lines
    )
    return "".join(f"{line}\n" for line in folded)


def _seen(text: str) -> str:
    """Leave nothing in a comment that would end it, or that a person cannot see."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _dataset(first: FirstManifest) -> dict[str, Any]:
    found = first.guesses
    fields: dict[str, Any] = {}
    for what in FIELDS:
        columns = (*found.columns("context"), *found.columns(what)) if what == "input" else found.columns(what)
        if columns:
            single = len(columns) == 1
            fields[what] = columns[0] if single else list(columns)
    body: dict[str, Any] = {"file": first.file, "fields": fields}
    if found.split:
        body["where"] = {found.columns("split")[0]: found.split}
    if first.encoding != "utf-8":
        body["encoding"] = first.encoding
    return body


def reasons(guesses: ColumnGuesses) -> Iterator[str]:
    """Say of each guess what was taken for what, and why."""
    for what in sorted(guesses.said, key=ORDER.index):
        yield _reason(what, guesses.said[what], guesses)


def _reason(what: str, one: Guess, guesses: ColumnGuesses) -> str:
    if what == "split":
        return f"only rows whose {quoted(one.columns)} is {quoted([guesses.split])} are asked ({one.why})"
    return f"{what}: {quoted(one.columns)} ({one.why})"


def _reasons(first: FirstManifest) -> Iterator[str]:
    yield "The rows, and what their columns were taken for; correct what is wrong:"
    yield from (f"- {line}" for line in reasons(first.guesses))
    if left := [name for name in first.sample.columns if name not in first.guesses.taken]:
        yield f"- not used: {quoted(left)}; a wording may name what stands in `fields: {{show: [...]}}`"


def _more(first: FirstManifest) -> Iterator[str]:
    yield "count: 100                       # so many rows, drawn by `seed`; without it: all"
    if first.guesses.split:
        name = spell({first.guesses.columns("split")[0]: "train"}).strip()
        yield f"shots: {{count: 3, where: {{{name}}}}}   # examples with their answers, from rows that are not asked"
    else:
        yield "shots: {count: 3, seed: 0}       # examples with their answers, from rows that are then not asked"


def _generation(answers: _Answers) -> dict[str, Any]:
    bounds: dict[str, Any] = {"temperature": "0", "max_tokens": answers.tokens}
    return {**bounds, "stop": ["\n"]} if answers.one_line else bounds


def _wording(first: FirstManifest, answers: _Answers) -> str:
    """Word the question by what its column is called; the last line asks for the kind of answer that is scored."""
    found = first.guesses
    context = "".join(f"{{{name}}}\n\n" for name in found.columns("context"))
    columns = found.columns("input")
    if len(columns) > 1:
        asked = "\n".join(f"{{{name}}}" for name in columns)
    elif plain(columns[0]) in PLAIN_INPUTS:
        asked = f"{{{columns[0]}}}"
    else:
        asked = f"{'Text' if plain(columns[0]) in TEXTS else 'Question'}: {{{columns[0]}}}"
    if found.columns("options"):
        return f"{context}{asked}\n{{options}}\nAnswer with the letter of the right option.\nAnswer:"
    if answers.labels:
        return f"{context}{asked}\nAnswer with one of: {', '.join(answers.labels)}.\nAnswer:"
    return f"{context}{asked}\nAnswer:"


def _answers(sample: FileSample, guesses: ColumnGuesses) -> _Answers:
    """Choose scorers by what the targets are like."""
    [target] = guesses.columns("target")
    cells = [cell.strip() for cell in sample.cells[target] if cell.strip()]
    if guesses.columns("options"):
        why = (
            "the option named by its letter; `{choice: {from: options, by: loglikelihood}}` takes the one that a model "
            "whose weights are here holds for the likeliest"
        )
        return _Answers([{"choice": {"from": "options", "by": "letter"}}], why)
    if sample.share(target, _is_number) > 0.95:
        return _Answers(["number", "exact"], "the targets are numbers")
    if sample.share(target, _is_json) > 0.95:
        return _Answers(["json"], "the targets are JSON", LONG, one_line=False)
    different = sorted(set(cells))
    classes = plain(target) == "label" or plain(guesses.columns("input")[0]) in TEXTS
    if classes and len(different) <= min(MOST_LABELS, len(cells) // 2) and not any("{" in one for one in different):
        return _Answers(["match", "exact"], "the targets are a few labels", labels=different)
    if not cells or sorted(len(cell.split()) for cell in cells)[len(cells) // 2] <= SHORT_WORDS:
        return _Answers(["exact", "match"], "the targets are short; `match` leaves case, articles and signs aside")
    why = "the targets are long: `f1` counts the words that an answer shares with its target"
    return _Answers(["f1", "match"], why, LONG, one_line=False)


def _is_number(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell.strip()))


def _is_json(cell: str) -> bool:
    try:
        return isinstance(json.loads(cell), dict | list) if cell.lstrip()[:1] in ("{", "[") else False
    except (ValueError, RecursionError):
        return False
