"""Convert YAML that a model wrote to objects, lists and texts; no value becomes a date, a truth value or a number.

The YAML is read event by event within bounds, so neither depth nor aliases can exhaust memory or time. Several
documents and tags other than YAML's own are refused, as `yaml.safe_load` does (rule QECC). Independent of fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.studies.curie.reading.loose_json import DEPTH, Unreadable
from harness.studies.curie.reading.texts import encodable

MOST_NODES = 20_000  # scalars, lists and objects; those that an alias repeats count each time
_NULLS = ("", "~", "null", "Null", "NULL")
_KINDS = "null bool int float binary timestamp omap pairs set str seq map"
_TAGS = frozenset(("!", *(f"tag:yaml.org,2002:{kind}" for kind in _KINDS.split())))  # YAML's own tags


def read_yaml(text: str) -> Any:
    """Read a YAML text, with scalars as texts and nulls as None.

    Raises Unreadable if the text is not YAML of one document, has a tag that is not YAML's own, or has too many nodes
    or too much depth.
    """
    import yaml  # noqa: PLC0415 - heavy

    try:
        value = _built(yaml, yaml.parse(encodable(text), Loader=yaml.CSafeLoader))
    except (yaml.YAMLError, RecursionError) as bad:
        raise Unreadable(f"no YAML: {getattr(bad, 'problem', None) or 'not to be read'}") from bad
    _counted(value)
    return value


def _built(yaml: Any, events: Iterator[Any]) -> Any:
    """Build the value of the single document; an alias is the same object as its anchor."""
    root: list[Any] = []
    open_ones: list[tuple[Any, list[Any]]] = [("root", root)]  # nodes being read, each with its children so far
    anchors: dict[str, Any] = {}
    for count, event in enumerate(events):
        if count > 3 * MOST_NODES or len(open_ones) > DEPTH:
            raise Unreadable("more, or deeper, YAML than is read")
        if getattr(event, "tag", None) not in (None, *_TAGS):
            raise Unreadable("a tag that is not YAML's own")
        if isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            open_ones.append((event, []))
            continue
        if isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            start, children = open_ones.pop()
            value: Any = _mapping(children) if isinstance(start, yaml.MappingStartEvent) else children
            anchor = start.anchor
        elif isinstance(event, yaml.ScalarEvent):
            value, anchor = (None if event.implicit[0] and event.value in _NULLS else event.value), event.anchor
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchors:
                raise Unreadable("an alias of nothing that is complete")
            value, anchor = anchors[event.anchor], None
        elif isinstance(event, yaml.DocumentStartEvent) and root:
            raise Unreadable("more than one document")
        else:
            continue
        open_ones[-1][1].append(value)
        if anchor:
            anchors[anchor] = value
    return root[0] if root else None


def _mapping(children: list[Any]) -> dict[str, Any]:
    pairs = zip(children[::2], children[1::2], strict=True)
    return {key if isinstance(key, str) else "": value for key, value in pairs}


def _counted(value: Any) -> None:
    """Raise Unreadable if the aliases of a value repeat too many nodes."""
    waiting, seen = [value], 0
    while waiting:
        one = waiting.pop()
        seen += 1
        if seen > MOST_NODES:
            raise Unreadable("more YAML than is read, aliases counted each time")
        waiting.extend(one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
