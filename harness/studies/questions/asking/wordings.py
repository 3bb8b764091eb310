"""Parser of a user's own wordings: reads their braces and checks each name against the columns that may be shown.

A text is split at its names instead of using `str.format`. Braces inside a cell are therefore kept as they are, and a
wording cannot access attributes of an object. Reads no cells.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.digest import canonical_json, sha256
from harness.errors import InputError

OPTIONS, SHOTS, ANSWER = "options", "shots", "answer"  # names that a wording may use besides columns
# `{name}` is a cell, `{{name}}` the text `{name}`, `{{{name}}}` a cell in braces; any other brace is a brace.
_INSIDE = r"([^{}\n]{1,200})"
_BRACES = re.compile(rf"\{{\{{\{{{_INSIDE}\}}\}}\}}|\{{\{{{_INSIDE}\}}\}}|\{{{_INSIDE}\}}")
_NAME = re.compile(r"[^\W\d]\w*")
_REACHES = re.compile(r"[^\W\d]\w*\s*[.\[!]")
ROLES = ("system", "user", "assistant")
MOST = 100_000  # characters of a wording


@dataclass(frozen=True)
class Known:
    """The placeholders that a prompt wording may use (shown columns, perhaps `options`), and those that it must not."""

    shown: Collection[str]
    hidden: Mapping[str, str] = field(default_factory=dict)  # column -> the field that it belongs to
    options: bool = False

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Known:
        """Return the placeholders that wordings may use, from the columns that a dataset's fields name."""
        lists = {name: [said] if isinstance(said, str) else list(said) for name, said in fields.items() if said}
        shown = [one for name in ("input", "options", "group", "show", "id") for one in lists.get(name, [])]
        hidden = {lists[name][0]: name for name in ("target", "accepted", "tests") if name in lists}
        return cls(shown, hidden, OPTIONS in lists)


@dataclass(frozen=True)
class WordingText:
    """A text of a prompt wording, split: literal text at even positions, placeholders at odd positions."""

    pieces: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The placeholders in the text, in order."""
        return self.pieces[1::2]


@dataclass(frozen=True)
class Wording:
    """A prompt wording: its number, its texts by role (system, user), the form of an example, and its digests."""

    id: int
    turns: tuple[tuple[str, WordingText], ...]
    chat: bool  # asked as chat turns, not as one text
    shot: WordingText | None
    sha256: str
    shot_sha256: str = ""

    def names(self) -> set[str]:
        """Return every placeholder in the wording, those of its example included."""
        texts = [*(words for _, words in self.turns), *([self.shot] if self.shot else [])]
        return {name for words in texts for name in words.names}


def wordings(rows: Sequence[Mapping[str, Any]], known: Known, where: str) -> list[Wording]:
    """Parse prompt wordings; raise InputError for a malformed one or a placeholder that may not be shown."""
    found: list[Wording] = []
    for place, row in enumerate(rows):
        found.append(_wording(row, known, f"{where}.{place}"))
    if not found:
        raise InputError("there is no wording", where=where, next='write one: `{"id": 0, "text": "{question}"}`')
    if len({one.id for one in found}) < len(found):
        raise InputError("two wordings have the same id", where=where, next="number the wordings")
    return found


def _wording(row: Mapping[str, Any], known: Known, where: str) -> Wording:
    if not isinstance(row, Mapping) or not {"id", *row} <= {"id", "text", "turns", "shot"} or "id" not in row:
        raise InputError("a wording is {id, text or turns, shot}", where=where, next="write these keys and no others")
    number, shot = row["id"], row.get("shot")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**31:
        raise InputError("the `id` of a wording is a whole number from 0", where=where, next="number the wordings")
    chat = "turns" in row
    if chat == ("text" in row):
        raise InputError("a wording is a `text` or `turns`, one of the two", where=where, next="take one of them out")
    said = list(_turns(row["turns"], where)) if chat else [("user", _text(row["text"], where))]
    turns = tuple((role, words(text, known, where)) for role, text in said)
    example = words(_text(shot, where), known, where, example=True) if shot is not None else None
    if sum(one.names.count(SHOTS) for _, one in turns) > 1:
        raise InputError("`{shots}` stands twice in a wording", where=where, next="keep one of them")
    if chat and example and not any(SHOTS in one.names for _, one in turns):
        raise InputError(
            "`shot` says how an example is written, and no turn says where examples stand",
            where=where,
            next="write `{shots}` into a turn, or leave `shot` out: each example is then a pair of turns",
        )
    told = sha256(canonical_json(row["turns"]) if chat else row["text"].encode())
    return Wording(number, turns, chat, example, told, sha256(shot.encode()) if shot is not None else "")


def _turns(said: Any, where: str) -> Iterator[tuple[str, str]]:
    for turn in said if isinstance(said, list | tuple) else [None]:
        if not isinstance(turn, Mapping) or len(turn) != 1 or next(iter(turn)) not in ROLES:
            raise InputError(
                "a turn is {system: …}, {user: …} or {assistant: …}", where=where, next="correct the turns"
            )
        [(role, text)] = turn.items()
        yield role, _text(text, where)
    roles = [next(iter(turn)) for turn in said]
    spoken = roles[1:] if roles[:1] == ["system"] else roles
    if not spoken or len(spoken) % 2 == 0 or any(role != ROLES[1 + at % 2] for at, role in enumerate(spoken)):
        raise InputError(
            "after a system turn, if any, user and assistant take turns, and the user has the last word",
            where=where,
            next="put the turns in that order",
        )


def _text(said: Any, where: str) -> str:
    if not isinstance(said, str) or not said.strip() or len(said) > MOST:
        raise InputError(f"a text of a wording has 1 to {MOST:,} characters", where=where, next="write that text")
    if any("\ud800" <= char <= "\udfff" for char in said):
        raise InputError(
            "this is no Unicode text: it holds half of a surrogate pair", where=where, next="write the character itself"
        )
    return said


def words(text: str, known: Known, where: str, *, example: bool = False) -> WordingText:
    """Split a text at its placeholders; raise InputError for one that is no column that may be shown.

    In an `example` the answer may be shown too, by `{answer}` or by the name of the target's column.
    """
    pieces, end = [""], 0
    for found in _BRACES.finditer(text):
        pieces[-1] += text[end : found.start()]
        end = found.end()
        braced, quoted, name = found.groups()
        if quoted is not None:
            named = _NAME.fullmatch(quoted) or quoted in known.shown or quoted in known.hidden
            pieces[-1] += "{" + quoted + "}" if named else found[0]
        elif as_named := _named(braced or name, known, where, example):
            pieces[-1] += "{" * bool(braced)
            pieces += [as_named, "}" * bool(braced)]
        else:
            pieces[-1] += found[0]
    pieces[-1] += text[end:]
    return WordingText(tuple(pieces))


def _named(name: str, known: Known, where: str, example: bool) -> str:
    """Return what a name in braces stands for, or an empty text if the braces are literal."""
    if example and (name == ANSWER or known.hidden.get(name) == "target"):
        return ANSWER
    if name in known.hidden:
        raise InputError(
            f"the wording shows {{{name}}}, which is the {known.hidden[name]}: it would tell the answer",
            where=where,
            next="take it out; examples may show theirs, in `shot`",
        )
    if name in (OPTIONS, SHOTS) and name in known.shown and not (name == OPTIONS and known.options):
        raise InputError(
            f"{{{name}}} has a meaning of its own here, and a column is called so too",
            where=where,
            next="give the column another name",
        )
    if (name == OPTIONS and known.options) or (name == SHOTS and not example) or name in known.shown:
        return name
    if name == OPTIONS:
        raise InputError(
            "the wording shows {options}, and a dataset has none", where=where, next="name `options` there"
        )
    if _REACHES.match(name):
        raise InputError(
            f"a wording reaches into nothing: {{{name[:60]}}}",
            where=where,
            next="write the name of a column alone; for such a text in braces, write the braces twice",
        )
    if _NAME.fullmatch(name):
        shown = ", ".join(f"{{{one}}}" for one in list(known.shown)[:20])
        raise InputError(
            f"{{{name}}} names no column that is shown",
            where=where,
            next=f"use one of {shown}, add the column to `fields.show`, or write {{{{{name}}}}} for that text",
        )
    return ""
