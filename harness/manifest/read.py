"""YAML subset of manifests: plain text scalars, maps and lists; no aliases, tags, anchors or duplicate keys.

Every value keeps its line number for error messages. Scalars stay text, and the schema's fields convert them: `no`,
`30:00`, `1e-9` and `revision: 1234567` mean what a user sees. An unquoted number is read as a number only where the
schema expects plain JSON.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from harness.errors import InputError

MAX_BYTES = 1 << 20
MAX_DEPTH = 32

Place = tuple[str | int, ...]
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
NOTHING = ("", "~", "null")  # texts that mean a missing value if they are not quoted
_WORDS = {"": None, "null": None, "true": True, "false": False}
_NEARLY = re.compile(r"(?i)true|false|null|~|[-+.]*[0-9][0-9_.]*(e[-+]?[0-9]+)?|0[xo][0-9a-f]+|[-+]?\.(inf|nan)")


@dataclass
class Tree:
    """Parsed YAML: its value, and the line number of each part of the value."""

    where: str
    value: Any = None
    lines: dict[Place, int] = field(default_factory=dict)
    typed: tuple[Place, ...] = ()  # the maps that hold plain JSON; `*` is any name

    def at(self, place: Place) -> str:
        """Return the location of a part ("file:line"), or of the nearest part around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return f"{self.where}:{self.lines.get(place, 1)}"


def read_bytes(path: Path) -> bytes:
    """Read a manifest's bytes; raise InputError if the file is longer than 1 MiB or cannot be read."""
    try:
        with open(path, "rb", opener=lambda name, how: os.open(name, how | os.O_NONBLOCK)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputError("this is not a regular file", where=str(path), next="name a file")
            data = file.read(MAX_BYTES + 1)
    except OSError as bad:
        raise InputError(
            f"this file cannot be read: {bad.strerror}",
            where=str(path),
            next="check the path; `harness list` names the manifests of a project, `harness init` makes a folder one",
        ) from bad
    if len(data) > MAX_BYTES:
        raise InputError(
            "a manifest is at most 1 MiB", where=str(path), next="keep data in files of their own and pin them"
        )
    return data


def read_tree(data: bytes, where: str, typed: tuple[Place, ...] = ()) -> Tree:
    """Parse a manifest's bytes into plain values with their lines; raise InputError outside the YAML subset.

    The text is read event by event, so depth, aliases and repetition cannot exhaust memory. `typed` names the maps that
    hold plain JSON.
    """
    tree = Tree(where, typed=typed)
    try:
        text = data.decode()
        _build(yaml.parse(text, Loader=yaml.CSafeLoader), tree)
    except UnicodeDecodeError as bad:
        raise InputError("a manifest is UTF-8 text", where=where, next="save it as UTF-8") from bad
    except yaml.YAMLError as bad:
        mark = getattr(bad, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        what = getattr(bad, "problem", None) or str(bad)
        raise InputError(f"this is not YAML: {what}", where=f"{where}:{line}", next="correct the syntax there") from bad
    return tree


def _build(events: Iterator[Any], tree: Tree) -> None:
    stack: list[tuple[Any, Place]] = []
    key: list[str | None] = []
    documents = 0
    for event in events:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise _error("a manifest is one document", tree, line, "remove what follows `---`")
        elif isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _error("aliases and anchors are not allowed", tree, line, "write the value out where it is used")
        elif getattr(event, "tag", None):
            raise _error(f"tags such as {event.tag!r} are not allowed", tree, line, "write plain text")
        elif isinstance(event, yaml.CollectionEndEvent):
            stack.pop()
            key.pop()
        elif isinstance(event, yaml.ScalarEvent) and stack and isinstance(stack[-1][0], dict) and key[-1] is None:
            if event.value in stack[-1][0]:
                raise _error(f"the key {event.value!r} stands twice", tree, line, "keep one of them")
            key[-1] = event.value
            stack[-1][0][event.value] = None
            tree.lines[(*stack[-1][1], event.value)] = line
        elif isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
            _place(event, stack, key, tree, line)


def _place(event: Any, stack: list[tuple[Any, Place]], key: list[str | None], tree: Tree, line: int) -> None:
    """Store a value under the last key, or at the end of the current list."""
    value: Any
    if isinstance(event, yaml.ScalarEvent) and stack and any(_in(stack[-1][1], at) for at in tree.typed):
        value = _plain(event, tree, line)
    elif isinstance(event, yaml.ScalarEvent):
        value = None if event.implicit[0] and event.value in NOTHING else event.value
    else:
        value = {} if isinstance(event, yaml.MappingStartEvent) else []
    place: Place = ()
    if not stack:
        tree.value = value
    elif isinstance(stack[-1][0], list):
        place = (*stack[-1][1], len(stack[-1][0]))
        stack[-1][0].append(value)
    elif key[-1] is None:
        raise _error("a key must be plain text", tree, line, "write `name: value`")
    else:
        place = (*stack[-1][1], key[-1])
        stack[-1][0][key[-1]] = value
        key[-1] = None
    tree.lines.setdefault(place, line)
    if isinstance(event, yaml.CollectionStartEvent):
        if len(stack) >= MAX_DEPTH:
            raise _error(f"nested more than {MAX_DEPTH} deep", tree, line, "a manifest is flat")
        stack.append((value, place))
        key.append(None)


def _in(place: Place, at: Place) -> bool:
    """Whether `place` is the path `at`, or below it."""
    return len(place) >= len(at) and all(wanted in ("*", found) for wanted, found in zip(at, place, strict=False))


def _plain(event: Any, tree: Tree, line: int) -> Any:
    """Parse a scalar as JSON does, except that text needs no quotes; raise InputError for ambiguous scalars."""
    if not event.implicit[0]:
        return event.value
    if event.value in _WORDS:
        return _WORDS[event.value]
    if _NUMBER.fullmatch(event.value):
        return json.loads(event.value)
    if _NEARLY.fullmatch(event.value):
        raise _error(f"{event.value!r} is no JSON", tree, line, "write it as JSON does, or in quotes where it is text")
    return event.value


def is_plain_text(text: str) -> bool:
    """Whether a text, written without quotes in a text field, is read as itself and not as a missing value."""
    return text not in NOTHING


def is_plain_json(text: str) -> bool:
    """Whether a text, written without quotes in plain JSON, is read as a text."""
    return not (text in _WORDS or _NUMBER.fullmatch(text) or _NEARLY.fullmatch(text))


def _error(what: str, tree: Tree, line: int, mend: str) -> InputError:
    return InputError(what, where=f"{tree.where}:{line}", next=mend)


WIDTH = 110  # characters of a line; a longer map or list gets one line for each part
NULL = "null"


def spell_yaml(value: Any, typed: tuple[Place, ...] = ()) -> str:
    """Format a tree of plain values as YAML, with one line for each small map or list.

    `typed` names the maps that hold plain JSON, as in `read_tree`; everywhere else a value is a text.
    """
    root = [
        yaml.StreamStartEvent(),
        yaml.DocumentStartEvent(explicit=False),
        *_events(value, (), typed),
        yaml.DocumentEndEvent(explicit=False),
        yaml.StreamEndEvent(),
    ]
    return str(yaml.emit(root, Dumper=yaml.CSafeDumper, allow_unicode=True, width=10 * WIDTH, indent=2))


def _events(value: Any, place: Place, typed: tuple[Place, ...]) -> Iterator[Any]:
    if isinstance(value, Mapping):
        named = len(place) == 1 and any(isinstance(part, Mapping) for part in value.values())  # models, datasets …
        flow = bool(place) and not named and _small(value)
        yield yaml.MappingStartEvent(None, None, implicit=True, flow_style=flow)
        for name, part in value.items():
            yield _scalar(str(name), quoted=not str(name))
            yield from _events(part, (*place, str(name)), typed)
        yield yaml.MappingEndEvent()
    elif isinstance(value, list | tuple):
        yield yaml.SequenceStartEvent(None, None, implicit=True, flow_style=_small(value))
        for number, part in enumerate(value):
            yield from _events(part, (*place, number), typed)
        yield yaml.SequenceEndEvent()
    elif value is None:
        yield _scalar(NULL)
    elif isinstance(value, str):
        plain = is_plain_json(value) if _inside(place, typed) else is_plain_text(value)
        yield _scalar(value, quoted=not plain)
    else:
        yield _scalar(json.dumps(value))


def _scalar(text: str, *, quoted: bool = False) -> Any:
    """Return a scalar event, in double quotes if `quoted` or if the text has unprintable characters."""
    double = quoted or any(not sign.isprintable() for sign in text)
    return yaml.ScalarEvent(None, None, (not double, True), text, style='"' if double else None)


def _small(value: Any) -> bool:
    """Whether a map or a list fits on one line and is nested at most two levels deep."""
    parts = value.values() if isinstance(value, Mapping) else value
    nested = any(isinstance(part, Mapping | list | tuple) and part for one in parts for part in _parts(one))
    return not nested and len(json.dumps(value, ensure_ascii=False)) <= WIDTH


def _parts(value: Any) -> Any:
    return value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()


def _inside(place: Place, typed: tuple[Place, ...]) -> bool:
    """Whether a value is inside one of the maps of plain JSON."""
    return any(
        len(place) > len(at) and all(wanted in ("*", found) for wanted, found in zip(at, place, strict=False))
        for at in typed
    )
