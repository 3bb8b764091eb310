"""The verb `schema`: what a manifest may hold, as a list of fields for a person and as JSON Schema for an editor.

Both are read off the classes that type a manifest: path, type, default; what a field says, and an example of it, stand
in `field_texts.py`, or beside the class in its own `SAID`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import Field

from harness.errors import InputError
from harness.kit.study import Maker, Study
from harness.manifest.editor_schema import DIALECT, chosen, manifest_definitions
from harness.manifest.models import PROVIDERS
from harness.studies.registry import studies
from harness.verbs import field_texts
from harness.verbs.field_texts import FieldText
from harness.verbs.project import Request, Result

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
                field=f"{path}{name}",
                kind=words(kind),
                default=default,
                about=about,
                example=example,
                part=title,
                note=note,
            )
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


TITLE = "Manifest of the harness"
Texts = Mapping[str, Mapping[str, FieldText]]
FIELDS: Texts = {**field_texts.FIELDS, **field_texts.QUESTION_FIELDS}


class SchemaRequest(Request):
    """Request of `schema`: the fields whose path begins so; none: all."""

    field: str = Field(default="", description="Only fields whose path begins so, such as `generation`.")


class SchemaResult(Result):
    """Result of `schema`: the JSON Schema of manifests, and the fields it describes, in the order of the schema."""

    document: dict[str, Any]
    fields: list[ListedField]

    def as_data(self) -> dict[str, object]:
        """Return the JSON Schema alone, which an editor reads as it is."""
        return self.document


def schema(asked: SchemaRequest | None = None) -> SchemaResult:
    """Return the JSON Schema of manifests, and the fields in it; InputError where no field begins as requested."""
    asked = asked or SchemaRequest()
    document = manifest_schema()
    fields = [one for one in listed_fields(document) if one.field.startswith(asked.field)]
    if not fields:
        raise InputError(
            f"no field of a manifest begins with {asked.field!r}", next="`harness schema` lists every field"
        )
    return SchemaResult(document=document, fields=fields)


def manifest_schema() -> dict[str, Any]:
    """Make the JSON Schema of manifests, with what each study that is installed adds."""
    shelf = studies()
    texts = {**FIELDS, **_own_texts(shelf)}
    defs = manifest_definitions({study.name: study.settings_type for study in shelf if study.settings_type})
    for name, part in defs.items():
        _say(name, part, texts)
    for study in shelf:
        defs[f"Datasets.{study.name}"] = _datasets(study)
    top = defs.pop("Manifest")
    top["properties"]["study"] = {**top["properties"]["study"], "enum": [study.name for study in shelf]}
    top["allOf"] = [chosen("study", study.name, _of_study(study)) for study in shelf]
    return {"$schema": DIALECT, **top, "title": TITLE, "$defs": dict(sorted(defs.items()))}


def _own_texts(shelf: Sequence[Study]) -> Texts:
    """Read the texts that settings of a provider or study bring themselves: `SAID`, by field a text and an example."""
    kinds = [*map(PROVIDERS.find, PROVIDERS.names()), *(study.settings_type for study in shelf)]
    said = {kind.__name__: getattr(kind, "SAID", {}) for kind in kinds if kind}
    return {name: {field: FieldText(*text) for field, text in own.items()} for name, own in said.items() if own}


def _say(name: str, part: dict[str, Any], texts: Texts) -> None:
    """Put each field's text and example into a definition, in the place of the title that pydantic makes of a name."""
    for field, kind in part.get("properties", {}).items():
        kind.pop("title", None)
        if text := said_of(name, field, texts):
            kind |= {"description": text.about, "examples": [text.value]}
        for form in _inside(kind):
            if "properties" in form:  # a class that is typed in one place stands there, and not among the definitions
                _say(str(form.get("title", "")), form, texts)


def _inside(kind: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the forms of a field, and those of the rows of a list."""
    for form in (kind, kind.get("items", {})):
        yield from form.get("anyOf", ())
        yield from form.get("oneOf", ())


def said_of(name: str, field: str, texts: Texts) -> FieldText | None:
    """Return the text of a field by the class that types it; an instrument's settings are its provider's."""
    of = texts.get(name.removesuffix("Instrument"), {}).get(field)
    if of is None and name.endswith("Instrument"):
        of = texts["Asking"].get(field)
    if of is None and name.removesuffix("Instrument").endswith("Settings"):  # of all providers, or all behind an API
        of = texts["RemoteSettings"].get(field) or texts["Settings"].get(field)
    return of


def _of_study(study: Study) -> dict[str, Any]:
    """Say what a study makes of the parts that it types itself."""
    settings = study.settings_type
    parts: dict[str, Any] = {
        "settings": {"$ref": f"#/$defs/{settings.__name__}"} if settings else {"maxProperties": 0},
        "instruments": {"propertyNames": {"enum": list(study.roles)}} if study.roles else {"maxProperties": 0},
        "datasets": {"additionalProperties": {"$ref": f"#/$defs/Datasets.{study.name}"}},
        "prompts": {"properties": {"set": False}} if study.own_wordings else _sets(list(study.prompt_sets)),
    }
    return {"properties": parts, "required": list(study.needs)}


def _sets(sets: Sequence[str]) -> dict[str, Any]:
    """Take one of these prompt sets, or a list of them; none where there are none."""
    named = {"anyOf": [{"enum": [*sets]}, {"type": "array", "items": {"enum": [*sets]}}]} if sets else False
    return {"required": ["set"], "properties": {"set": named}}


def _datasets(study: Study) -> dict[str, Any]:
    """Type the datasets that a study makes by their maker; others are left to the schema of all."""
    own = {} if study.own_files else {"fields": False}  # what every file of one's own has
    if not (makers := study.makers):
        return {"properties": {"make": False, **own}}
    return {
        "properties": {"make": {"enum": list(makers)}, **own},
        "allOf": [chosen("make", name, maker_schema(maker)) for name, maker in makers.items()],
    }


def maker_schema(maker: Maker) -> dict[str, Any]:
    """Type the parameters of a maker: whole numbers, texts that the study reads, and names of fetched datasets."""
    typed = {**maker.params, **maker.optional}
    kinds = {name: {"type": "integer", "minimum": 0} if kind is int else {} for name, kind in typed.items()}
    named = {name: {"type": "string"} for name in (*maker.files, *maker.folders)}
    return {
        "properties": {"make": {}, **kinds, **named},
        "required": ["make", *maker.params, *maker.needs],
        "additionalProperties": False,
    }
