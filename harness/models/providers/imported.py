"""The provider `imported`: answers from another run, joined to prompts by key; no model is called.

The file has one answer per line in JSON Lines, with its key (item, template, sample). The file is untrusted: every line
is validated, and an error names its line. A prompt without a row, or with more than one, becomes an error row, which is
missing and never scored. A row without a prompt is refused and counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple, cast

from harness import rows, texts
from harness.digest import canonical_json
from harness.errors import InputError
from harness.models.provider import CheckedText, Imported, Line, Settings, UnsupportedSetting
from harness.rowtypes import Prompt, Response
from harness.texts import reject_duplicates

MOST_LINE = 64 << 20
ASK = "every row is {item, template, sample, text} or has `error`; also model, finish, reasoning, usage, logprobs"


class ResponseKey(NamedTuple):
    """The key of an imported answer: item, template and sample."""

    item: str
    template: int
    sample: int

    def __str__(self) -> str:
        """Format the key for a message."""
        return f"{self.item} (template {self.template}, sample {self.sample})"


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _said(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _usage(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_count, value.values()))


def _logprobs(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "item": (_said, "a text that is not empty"),
    "template": (_count, "a whole number from 0 up"),
    "sample": (_count, "a whole number from 0 up"),
    "model": (_said, "a text that is not empty"),
    "text": (_text, "a text"),
    "finish": (_text, "a text"),
    "reasoning": (_text, "a text"),
    "usage": (_usage, "an object of whole numbers"),
    "logprobs": (_logprobs, "a list of objects"),
    "error": (_said, "a text that is not empty"),
}


def response_key(row: Response) -> ResponseKey:
    """Return the key of a row: its item, template and sample."""
    return ResponseKey(row["item"], row["template"], row["sample"])


def read_imported_rows(path: Path, name: str = "") -> Iterator[tuple[str, Response]]:
    """Yield the rows of a file in order, each with its place (`file:line`, with `name` in place of the file if given).

    Unknown fields are dropped. An invalid row raises InputError.
    """
    with open(path, "rb") as lines:
        number = 0
        while line := lines.readline(MOST_LINE + 1):
            number += 1
            where = f"{name or path.name}:{number}"
            if len(line) > MOST_LINE:
                raise InputError("a row is at most 64 MiB", where=where, next="leave this answer out")
            if line.strip():
                yield where, _row(line, where)


def _row(line: bytes, where: str) -> Response:
    try:
        found = json.loads(line, object_pairs_hook=reject_duplicates, parse_constant=_no_number)
    except (ValueError, RecursionError) as bad:
        raise InputError(f"this is not JSON: {bad}", where=where, next="give one JSON object a line") from bad
    if not isinstance(found, dict):
        raise InputError("this is no answer: a JSON object is needed", where=where, next=ASK)
    row = {name: found[name] for name in FIELDS if found.get(name) is not None}
    if "error" in row:
        row.setdefault("text", "")
    for name in ("item", "template", "sample", "text"):
        if name not in row:
            raise InputError(f"this is no answer: `{name}` is missing", where=where, next=ASK)
    for name, value in row.items():
        holds, what = FIELDS[name]
        if not holds(value):
            raise InputError(f"this is no answer: `{name}` is not {what}", where=where, next=ASK)
    try:
        canonical_json(row)
    except InputError as bad:
        raise InputError(f"this is no answer: {bad.what}", where=where, next=bad.next) from bad
    return cast(Response, row)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def gather_rows(place: Path) -> list[Response]:
    """Return the rows of a file, or of a folder's `.jsonl` files, sorted by model and key.

    Raises InputError for two rows with the same model and key, and if there are no rows.
    """
    files = sorted(place.rglob("*.jsonl")) if place.is_dir() else [place]
    found: dict[tuple[str, ResponseKey], tuple[str, Response]] = {}
    for file in files:
        if not file.is_file():
            raise InputError("this is no file", where=str(file), next="name a file of JSON Lines, or a folder of them")
        name = file.relative_to(place).as_posix() if place.is_dir() else file.name
        for where, row in read_imported_rows(file, name):
            whose = (row.get("model", ""), response_key(row))
            if whose in found:
                said = f"two rows are of {whose[1]}" + (f" by {whose[0]}" if whose[0] else "")
                raise InputError(said, where=f"{found[whose][0]} and {where}", next="leave the wrong one out")
            found[whose] = (where, row)
    if not found:
        raise InputError("there are no rows", where=str(place), next="name a file of JSON Lines, or a folder of them")
    return [row for _, (_, row) in sorted(found.items())]


SHA256 = texts.matching_validator(texts.HEX64, "a SHA-256: 64 hex digits")
MISSING = "imported: no row for this prompt"
TWICE = "imported: more than one row for this prompt"
SAMPLES = "samples"
SHOWN = 5  # number of keys that a count lists
KEPT = ("text", "finish", "reasoning", "usage", "logprobs", "error")  # fields that are kept; the others identify a row


@dataclass(frozen=True, kw_only=True)
class ImportedSettings(Settings):
    """Settings of imported answers: a project file, or rows that `harness import responses` put into the store."""

    source: Line
    sha256: Annotated[str, CheckedText(SHA256)] | None = None
    model: Line | None = None  # the model whose rows are taken, if the file has several

    def __post_init__(self) -> None:
        """Raise ValueError for a path outside the project, unless a digest pins the rows."""
        if self.sha256 is None:
            texts.validate_inside_path(self.source)

    def answer_params(self) -> dict[str, Any]:
        """Return the model whose rows are taken, if one is set; the rows themselves are pinned separately."""
        return {"of": self.model} if self.model else {}

    def unsupported(self, generation: Mapping[str, Any]) -> UnsupportedSetting | None:
        """Accept every generation setting: the answers exist already, and `facts` says how they were generated."""
        return None

    @property
    def imported(self) -> Imported:
        """The source of the rows: a path, or a digest in the store."""
        return Imported(self.source, self.sha256)


PROVIDER = ImportedSettings


@dataclass
class Join:
    """A join of imported rows with prompts by (item, template, sample); it counts unmatched and repeated rows."""

    asked: Mapping[tuple[str, int], int]  # number of samples of each prompt
    found: dict[ResponseKey, Response] = field(default_factory=dict)
    times: Counter[ResponseKey] = field(default_factory=Counter)
    rows: int = 0
    others: int = 0  # rows by another model
    strange: list[ResponseKey] = field(default_factory=list)  # keys without a prompt

    def read(self, file: Path, model: str | None) -> Join:
        """Match the rows of a file, of one model if `model` is given, with the prompts; return this join."""
        for _, row in read_imported_rows(file, "the imported answers"):
            self.rows += 1
            if model is not None and row.get("model") != model:
                self.others += 1
                continue
            one = response_key(row)
            if one.sample >= self.asked.get(one[:2], 0):
                self.strange.append(one)
                continue
            self.times[one] += 1
            self.found[one] = row
        return self

    def asked_for(self) -> Iterator[ResponseKey]:
        """Yield the key (item, template, sample) of every response that the run needs, in the order of the prompts."""
        for (item, template), samples in self.asked.items():
            yield from (ResponseKey(item, template, sample) for sample in range(samples))

    def answer(self, one: ResponseKey, model: str) -> dict[str, Any]:
        """Return the response to one prompt and sample: its row, or an error row if there is none or several."""
        answer: dict[str, Any] = {**one._asdict(), "model": model, "imported": True, "text": "", "finish": "imported"}
        if self.times[one] != 1:
            return {**answer, "finish": "error", "error": TWICE if self.times[one] else MISSING}
        return {**answer, **{name: value for name, value in self.found[one].items() if name in KEPT}}


def respond(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the output `responses`, one row per prompt and seed in their order: the imported answer or an error."""
    join = _join(params, inputs)
    rows.write(out / "responses", (join.answer(one, params["model"]) for one in join.asked_for()))


def account(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the output `imported`: counts of rows taken and refused, with reasons, and of prompts without a row.

    `samples` gives the number of samples for the prompts of each part, if it is not one per seed.
    """
    join = _join(params, inputs)
    twice = sorted(one for one, times in join.times.items() if times > 1)
    taken = [row for one, row in join.found.items() if join.times[one] == 1]
    counts = {
        "rows": join.rows,
        "taken": len(taken),
        "errors": sum("error" in row for row in taken),
        "missing": sum(not join.times[one] for one in join.asked_for()),
        "other_models": join.others,
        "refused": {"no_prompt": _counted(sorted(join.strange)), "twice": _counted(twice)},
    }
    rows.write_one(out / "imported", {params["model"]: counts})


def _join(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> Join:
    parts = rows.parts(inputs["prompts"])
    often = params.get(SAMPLES) or [len(params["seeds"])] * len(parts)
    both = zip(parts, often, strict=True)
    asked = {(row["item"], row["template"]): times for part, times in both for row in rows.read(part, Prompt)}
    return Join(asked).read(inputs["imported"], params.get("of"))


def _counted(keys: list[ResponseKey]) -> dict[str, Any]:
    return {"keys": len(keys), "first": [str(one) for one in keys[:SHOWN]]}
