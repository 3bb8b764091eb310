"""Answers that somebody else's run gave: prompts are joined with pinned rows, and nobody is asked.

A prompt without a row is an error row of a kind of its own, so that it is missing and never scored; a row without a
prompt is refused and counted. It must never know an item's answer, nor a manifest or a lock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from harness import rows, texts
from harness.models.provider import Checked, Imported, Line, Settings, Unfit
from harness.models.providers.imported_rows import Key, key, read
from harness.rowtypes import Prompt, Response

SHA256 = texts.matching(texts.HEX64, "a SHA-256: 64 hex digits")
MISSING = "imported: no row for this prompt"
TWICE = "imported: more than one row for this prompt"
SHOWN = 5  # keys that a count names
KEPT = ("text", "finish", "reasoning", "usage", "logprobs", "error")  # of a row; the rest says whose it is


@dataclass(frozen=True, kw_only=True)
class ImportedSettings(Settings):
    """Somebody else's answers: a file of the project, or what `harness import responses` put into the store."""

    source: Line
    sha256: Annotated[str, Checked(SHA256)] | None = None
    model: Line | None = None  # whose rows of the file these are, where it holds those of several

    def __post_init__(self) -> None:
        """Refuse a file out of the project, where nothing else says which rows are meant."""
        if self.sha256 is None:
            texts.inside(self.source)

    def answering(self) -> dict[str, Any]:
        """Give what of the settings can change an answer; the rows themselves are pinned beside it."""
        return {"of": self.model} if self.model else {}

    def unfit(self, generation: Mapping[str, Any]) -> Unfit | None:
        """Pass over every setting: how they were asked, who imported them must say in `facts`."""
        return None

    @property
    def imported(self) -> Imported:
        """Say where the answers came from."""
        return Imported(self.source, self.sha256)


PROVIDER = ImportedSettings


@dataclass
class Join:
    """What of a file's rows answers prompts, and what does not."""

    asked: set[tuple[str, int]]
    samples: int
    found: dict[Key, Response] = field(default_factory=dict)
    times: Counter[Key] = field(default_factory=Counter)
    rows: int = 0
    others: int = 0  # rows by another model
    strange: list[Key] = field(default_factory=list)  # of no prompt

    def read(self, file: Path, model: str | None) -> Join:
        """Sort the rows of a file."""
        for _, row in read(file, "the imported answers"):
            self.rows += 1
            if model is not None and row.get("model") != model:
                self.others += 1
                continue
            one = key(row)
            if one[:2] not in self.asked or one.sample >= self.samples:
                self.strange.append(one)
                continue
            self.times[one] += 1
            self.found[one] = row
        return self

    def answer(self, one: Key, model: str) -> dict[str, Any]:
        """Give the response to one prompt in one sample; which of two rows was meant, nobody can say."""
        answer: dict[str, Any] = {**one._asdict(), "model": model, "imported": True, "text": "", "finish": "imported"}
        if self.times[one] != 1:
            return {**answer, "finish": "error", "error": TWICE if self.times[one] else MISSING}
        return {**answer, **{name: value for name, value in self.found[one].items() if name in KEPT}}


def respond(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one response for each prompt and seed, in the order of the prompts: the row of its key, or an error."""
    join = _join(params, inputs)
    rows.write(out / "responses", (join.answer(one, params["model"]) for one in _keys(inputs, join.samples)))


def account(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `imported`: the rows of a file that were taken, those refused and why, and the prompts without one."""
    join = _join(params, inputs)
    twice = sorted(one for one, times in join.times.items() if times > 1)
    taken = [row for one, row in join.found.items() if join.times[one] == 1]
    told = {
        "rows": join.rows, "taken": len(taken), "errors": sum("error" in row for row in taken),
        "missing": sum(not join.times[one] for one in _keys(inputs, join.samples)), "other_models": join.others,
        "refused": {"no_prompt": _told(sorted(join.strange)), "twice": _told(twice)},
    }  # fmt: skip
    rows.write_one(out / "imported", {params["model"]: told})


def _join(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> Join:
    asked = {(row["item"], row["template"]) for row in rows.read(inputs["prompts"], Prompt)}
    return Join(asked, len(params["seeds"])).read(inputs["imported"], params.get("of"))


def _keys(inputs: Mapping[str, Path], samples: int) -> Iterator[Key]:
    for row in rows.read(inputs["prompts"], Prompt):
        yield from (Key(row["item"], row["template"], sample) for sample in range(samples))


def _told(keys: list[Key]) -> dict[str, Any]:
    return {"keys": len(keys), "first": [str(one) for one in keys[:SHOWN]]}
