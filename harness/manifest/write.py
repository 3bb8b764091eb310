"""Writer of the YAML subset of manifests: plain values to a text that `read.py` reads back as the same values.

It knows texts, maps and lists, and where plain JSON stands; it must never know what a field means.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from harness.manifest.read import Place, is_plain_json, is_plain_text

WIDTH = 110  # of a line: what is longer, and has parts, gets a line for each
NULL = "null"


def spell(value: Any, typed: tuple[Place, ...] = ()) -> str:
    """Spell a tree of plain values as YAML, one line for each small map or list.

    `typed` names the maps in which plain JSON stands, as for `read_tree`; everywhere else a value is a text.
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
    """Give a scalar: in double quotes where plain text would be read as something else, or is no single line."""
    double = quoted or any(not sign.isprintable() for sign in text)
    return yaml.ScalarEvent(None, None, (not double, True), text, style='"' if double else None)


def _small(value: Any) -> bool:
    """Whether a map or a list fits on one line, and its parts have no parts of their own parts."""
    parts = value.values() if isinstance(value, Mapping) else value
    nested = any(isinstance(part, Mapping | list | tuple) and part for one in parts for part in _parts(one))
    return not nested and len(json.dumps(value, ensure_ascii=False)) <= WIDTH


def _parts(value: Any) -> Any:
    return value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()


def _inside(place: Place, typed: tuple[Place, ...]) -> bool:
    """Whether a value stands in one of the maps of plain JSON."""
    return any(
        len(place) > len(at) and all(wanted in ("*", found) for wanted, found in zip(at, place, strict=False))
        for at in typed
    )
