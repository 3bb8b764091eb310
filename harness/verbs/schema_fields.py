"""The fields of a manifest as a list, read off its JSON Schema: path, type, default, what it says, example.

It must never know a class of the schema: what an editor is told is what a person reads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from harness.verbs.project import Result

REQUIRED = "required"
NULL = {"type": "null"}
_BOUNDS = (("minimum", "from {}"), ("maximum", "to {}"))
Node = Mapping[str, Any]


class ListedField(Result):
    """One field: where it stands, what it may hold, and its default (empty where it is unset by default).

    `part` names the definition that holds it, and `note` what that one is.
    """

    field: str
    kind: str
    default: str
    about: str
    example: str
    part: str
    note: str


@dataclass(frozen=True)
class _Walk:
    """A walk through the definitions of a schema, one part inside another."""

    defs: Mapping[str, Node]

    def fields(self, part: Node, path: str) -> Iterator[ListedField]:
        """List the fields of a part, and after each those of what it holds."""
        title, note = part.get("title", ""), part.get("description", "").partition("\n\n")[0].replace("\n", " ")
        for name, kind in part["properties"].items():
            if kind is False:
                continue
            example = flow(kind["examples"][0]) if kind.get("examples") else ""
            default = REQUIRED if name in part.get("required", ()) else _default(kind)
            about = kind.get("description", "")
            yield ListedField(
                field=f"{path}{name}", kind=words(kind), default=default, about=about, example=example,
                part=title, note=note,
            )  # fmt: skip
            yield from self.below(kind, f"{path}{name}")

    def below(self, kind: Node, path: str) -> Iterator[ListedField]:
        """List the fields of what a field holds: a part, each of several forms, values of a map, rows of a list."""
        if path.startswith("instruments.NAME.generation"):  # they stand at the manifest's own
            return
        for step, inner in _parts(kind):
            part = self.defs[_name(inner)] if "$ref" in inner else inner
            if by := part.get("allOf", ()):
                yield from self._providers([one for one in by if "if" in one], f"{path}{step}")
            elif "properties" in part:
                yield from self.fields(part, f"{path}{step}.")
            else:
                yield from self.below(part, f"{path}{step}")

    def _providers(self, chosen: list[Node], path: str) -> Iterator[ListedField]:
        """List the settings of each provider; of an instrument, those that a model does not have."""
        for one in chosen if path.startswith("models") else chosen[:1]:
            settings = self.defs[_name(one["then"])]
            if path.startswith("models"):
                yield from self.fields(settings, f"{path} ({one['if']['properties']['provider']['const']}).")
            else:
                own = {name: settings["properties"][name] for name in ("generation", "repeats")}
                yield from self.fields({"title": "Instrument", "properties": own}, f"{path}.")


def listed_fields(document: Node) -> Iterator[ListedField]:
    """List the fields of a manifest in the order of its schema, each with those of its parts after it."""
    walk = _Walk(document["$defs"])
    yield from walk.fields({**document, "title": "Manifest"}, "")
    for one in document["allOf"]:
        study, settings = one["if"]["properties"]["study"]["const"], one["then"]["properties"]["settings"]
        if "$ref" in settings:
            yield from walk.fields(document["$defs"][_name(settings)], f"settings ({study}).")


def flow(value: Any) -> str:
    """Write a value as one stands in a line of a manifest."""
    written = yaml.safe_dump(value, default_flow_style=True, width=10**6, sort_keys=False, allow_unicode=True)
    return str(written).strip().removesuffix("...").strip()


def _parts(kind: Node) -> Iterator[tuple[str, Node]]:
    if "$ref" in kind:
        yield "", kind
    forms = [form for form in (*kind.get("anyOf", ()), *kind.get("oneOf", ())) if form != NULL]
    several = len([form for form in forms if "$ref" in form]) > 1
    for form in forms:
        yield f" ({_name(form)})" if several and "$ref" in form else "", form
    if isinstance(kind.get("additionalProperties"), Mapping):
        held = kind["additionalProperties"]
        yield from ((f".NAME{step}", form) for step, form in (_parts(held) if "oneOf" in held else [("", held)]))
    if "items" in kind:
        yield "[]", kind["items"]


def _name(ref: Node) -> str:
    return str(ref["$ref"]).rpartition("/")[2]


def _default(kind: Node) -> str:
    given = kind.get("default")
    return "" if given is None or given in ([], {}, "") else flow(given)


def words(kind: Node) -> str:
    """Say in words what a schema takes."""
    if "$ref" in kind:
        return _name(kind)
    if forms := [form for form in (*kind.get("anyOf", ()), *kind.get("oneOf", ())) if "type" in form or len(form) == 1]:
        return " or ".join(dict.fromkeys(words(form) for form in forms if form != NULL))
    if "const" in kind or "enum" in kind:
        return ", ".join(dict.fromkeys(map(str, kind.get("enum", [kind.get("const")]))))
    if "format" in kind:
        return str(kind["format"]) + _bounds(kind)
    types = {kind["type"]} if isinstance(kind.get("type"), str) else set(kind.get("type", ()))
    return _TYPES[types.pop()](kind) if len(types) == 1 else "text" if types else "anything"


def _map(kind: Node) -> str:
    inner = kind.get("additionalProperties")
    if "properties" in kind:
        return f"map of {', '.join(kind['properties'])}"
    return f"map of names to {words(inner)}" if isinstance(inner, Mapping) and inner else "map"


_TYPES: Mapping[str, Callable[[Node], str]] = {
    "array": lambda kind: f"list of {words(kind['items'])}",
    "object": _map,
    "integer": lambda kind: "whole number" + _bounds(kind),
    "boolean": lambda _: "true or false",
    "string": lambda _: "text",
}


def _bounds(kind: Node) -> str:
    said = [word.format(json.dumps(kind[name])) for name, word in _BOUNDS if name in kind]
    return "".join(f" {one}" for one in said)
