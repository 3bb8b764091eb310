"""The verb `schema`: what a manifest may hold, as a list of fields for a person and as JSON Schema for an editor.

Both are made from the classes that type a manifest; they define the path, type and default of each field. The text on a
field and its example are in `field_texts.py`, or in the attribute `SAID` of the class.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from harness import texts
from harness.errors import InputError
from harness.kit.study import Maker, Study
from harness.manifest.datasets import check_scores, check_source
from harness.manifest.models import AT_FIRST, PROVIDERS, UNSET, Sent
from harness.manifest.schema import Asking, Manifest
from harness.studies.registry import studies
from harness.verbs import field_texts
from harness.verbs.field_texts import FieldText
from harness.verbs.project import Result
from harness.verbs.requests import SchemaRequest

__all__ = [
    "SchemaResult",
    "schema",
]

REFS = "#/$defs/{model}"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NUMBER = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?"
SCALAR = ("string", "number", "boolean")  # the types as which YAML may read a text
_SCORERS = {"type": "array", "items": {"type": ["string", "object"]}, "minItems": 1}
_CHECKED: Mapping[Callable[..., Any], dict[str, Any]] = {
    texts.validate_decimal: {"type": ["string", "number"], "format": "decimal", "pattern": f"^{_NUMBER}$"},
    texts.validate_tolerance: {
        "type": ["string", "number"],
        "format": "tolerance",
        "pattern": f"^{_NUMBER}( relative)?$",
    },
    texts.validate_inside_path: {
        "type": "string",
        "format": "path",
        "pattern": r"^(?!/)(?!(.*/)?\.\.(/|$))[^\\]{1,400}$",
    },
    texts.validate_plain_path: {"type": "string", "format": "path", "maxLength": 200},
    check_source: {"type": "string", "format": "path", "pattern": r"^(hf:.*|(?!/)(?!(.*/)?\.\.(/|$))[^\\]{1,400})$"},
    check_scores: {"anyOf": [_SCORERS, {"type": "object", "additionalProperties": _SCORERS, "minProperties": 2}]},
    texts.name: {"type": list(SCALAR), "format": "name", "pattern": texts.NAME},
}
_FORMATS = {texts.HEX40: "commit", texts.HEX64: "sha256"}
_ANY_JSON = {"type": "object", "minProperties": 1}
_FORMS: Mapping[str, tuple[str, ...]] = {"Fetched": ("sha256", "unresolved")}  # exactly one of these is written


class EditorSchema(GenerateJsonSchema):
    """Generator of JSON Schema that allows a text to look like a number, and shows the patterns of validators."""

    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        """Allow, for a text without a pattern, also what YAML reads as a number or a boolean."""
        made = super().str_schema(schema)
        return made if "pattern" in made else {**made, "type": list(SCALAR)}

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        """Allow a literal that is spelled as a whole number to be written without quotes."""
        made = super().literal_schema(schema)
        words = made.get("enum", [made["const"]] if "const" in made else [])
        twins = [int(word) for word in words if isinstance(word, str) and word.isdigit()]
        return {"enum": [*words, *twins]} if twins else made

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """Require every key to match the pattern of a name, instead of ignoring keys that do not match."""
        made = super().dict_schema(schema)
        if patterns := made.pop("patternProperties", None):
            [(pattern, values)] = patterns.items()
            made |= {"additionalProperties": values, "propertyNames": {"pattern": pattern}}
        return made

    def function_after_schema(self, schema: core_schema.AfterValidatorFunctionSchema) -> JsonSchemaValue:
        """Add the pattern or the bounds that a validator checks."""
        made, check = super().function_after_schema(schema), schema["function"]["function"]
        if check in _CHECKED:
            return {**made, **_CHECKED[check]}
        held = inspect.getclosurevars(check).nonlocals if inspect.isfunction(check) else {}
        if isinstance(pattern := held.get("pattern"), str):
            named = {"format": _FORMATS[pattern]} if pattern in _FORMATS else {}
            wide = {"type": list(SCALAR)} if re.fullmatch(pattern, "1") else {"type": "string"}
            return {**made, **wide, "pattern": pattern, **named}
        if isinstance(units := held.get("units"), dict):
            shape = rf"^[0-9]{{1,9}}(\.[0-9]{{1,6}})?\s*({'|'.join(units)})$"
            return {**made, "type": "string", "format": "amount", "pattern": shape}
        if isinstance(low := held.get("low"), str) and isinstance(high := held.get("high"), str):
            return {**made, "minimum": float(low), "maximum": float(high)}
        if isinstance(least := held.get("least"), int) and isinstance(most := held.get("most"), int):
            return {**made, "minimum": least, "maximum": most}
        return made

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        """Allow `unset`, and not null, for a setting that is sent to a model."""
        made = super().function_before_schema(schema)
        if schema["function"]["function"] is not Sent.func:
            return made
        forms = [form for form in made.get("anyOf", [made]) if form != {"type": "null"}]
        return {"anyOf": [*forms, {"const": UNSET}]}

    def function_plain_schema(self, schema: core_schema.PlainValidatorFunctionSchema) -> JsonSchemaValue:
        """Allow any value if only a function validates it, because a study checks its own settings."""
        return {}


def schema_definitions(more: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the JSON Schemas of types by name, and the definitions that they share."""
    wanted: list[tuple[str, Any, TypeAdapter[Any]]] = [
        (name, "validation", TypeAdapter(kind)) for name, kind in more.items()
    ]
    made, shared = TypeAdapter.json_schemas(wanted, schema_generator=EditorSchema, ref_template=REFS)
    return {name: made[name, "validation"] for name in more}, dict(shared.get("$defs", {}))


def manifest_definitions(studies: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the definitions of the manifest's parts by name: `Manifest`, each provider's settings, each study's.

    `studies` are the types of the studies' settings by name.
    """
    providers = {name: PROVIDERS.find(name) for name in PROVIDERS.names()}
    kinds: dict[str, Any] = {"Manifest": Manifest, "Asking": Asking}
    kinds |= {kind.__name__: kind for kind in (*providers.values(), *studies.values())}
    made, defs = schema_definitions(kinds)
    for name, one in made.items():
        if "$ref" not in one:  # a type that others refer to is a definition already
            defs[name] = one
    for provider, kind in providers.items():
        defs[kind.__name__]["properties"]["provider"] = {"const": provider}
    defs["Model"] = _by_provider({name: kind.__name__ for name, kind in providers.items()})
    asking = defs.pop("Asking")
    for kind in providers.values():
        defs[f"{kind.__name__}Instrument"] = _instrument(defs[kind.__name__], asking, kind.__name__)
    defs["Instrument"] = _by_provider({name: f"{kind.__name__}Instrument" for name, kind in providers.items()})
    defs["Generation"]["properties"]["extra"] = dict(_ANY_JSON)
    for name in AT_FIRST:  # these are sent by default in version 1 only
        defs["Generation"]["properties"][name].pop("default")
    defs["Manifest"]["properties"]["generation"].pop("default")
    asking["properties"]["generation"].pop("default")
    for name, forms in _FORMS.items():
        defs[name]["oneOf"] = [{"required": [form]} for form in forms]
    for field, part in (("models", "Model"), ("instruments", "Instrument")):
        defs["Manifest"]["properties"][field]["additionalProperties"] = {"$ref": f"#/$defs/{part}"}
    return defs


def _by_provider(kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return a schema that selects a definition by `provider`, so that editors report errors of that provider only."""
    return {
        "type": "object",
        "required": ["provider"],
        "properties": {"provider": {"enum": list(kinds)}},
        "allOf": [conditional_schema("provider", name, {"$ref": f"#/$defs/{kind}"}) for name, kind in kinds.items()],
    }


def conditional_schema(key: str, value: str, then: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that applies `then` if the key has this value."""
    return {"if": {"properties": {key: {"const": value}}, "required": [key]}, "then": then}


def _instrument(settings: dict[str, Any], asking: dict[str, Any], name: str) -> dict[str, Any]:
    both = {**settings["properties"], **asking["properties"]}
    return {**settings, "title": f"{name}Instrument", "properties": both}


REQUIRED = "required"
NULL = {"type": "null"}
_BOUNDS = (("minimum", "from {}"), ("maximum", "to {}"))
Node = Mapping[str, Any]


class ListedField(Result):
    """One field: its path, what it may hold, and its default (empty if it is unset by default).

    `part` is the name of the definition that has the field, and `note` the description of that definition.
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
    """Traversal of the definitions of a schema, from each part to the parts inside it."""

    defs: Mapping[str, Node]

    def fields(self, part: Node, path: str) -> Iterator[ListedField]:
        """Yield the fields of a part, each followed by the fields inside it."""
        title, note = part.get("title", ""), part.get("description", "").partition("\n\n")[0].replace("\n", " ")
        for name, kind in part["properties"].items():
            if kind is False:
                continue
            example = flow_yaml(kind["examples"][0]) if kind.get("examples") else ""
            default = REQUIRED if name in part.get("required", ()) else _default(kind)
            about = kind.get("description", "")
            yield ListedField(
                field=f"{path}{name}",
                kind=schema_words(kind),
                default=default,
                about=about,
                example=example,
                part=title,
                note=note,
            )
            yield from self.below(kind, f"{path}{name}")

    def below(self, kind: Node, path: str) -> Iterator[ListedField]:
        """Yield the fields inside a field: of a part, of each of several forms, of a map's values, of a list's rows."""
        if path.startswith("instruments.NAME.generation"):  # the same as the manifest's own `generation`
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
        """Yield the settings of each provider; of an instrument, only those that a model does not have."""
        for one in chosen if path.startswith("models") else chosen[:1]:
            settings = self.defs[_name(one["then"])]
            if path.startswith("models"):
                yield from self.fields(settings, f"{path} ({one['if']['properties']['provider']['const']}).")
            else:
                own = {name: settings["properties"][name] for name in ("generation", "repeats")}
                yield from self.fields({"title": "Instrument", "properties": own}, f"{path}.")


def listed_fields(document: Node) -> Iterator[ListedField]:
    """Yield the fields of a manifest in the order of its schema, each followed by the fields inside it."""
    walk = _Walk(document["$defs"])
    yield from walk.fields({**document, "title": "Manifest"}, "")
    for one in document["allOf"]:
        study, settings = one["if"]["properties"]["study"]["const"], one["then"]["properties"]["settings"]
        if "$ref" in settings:
            yield from walk.fields(document["$defs"][_name(settings)], f"settings ({study}).")


def flow_yaml(value: Any) -> str:
    """Return a value as YAML on one line, as a manifest has it."""
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
    return "" if given is None or given in ([], {}, "") else flow_yaml(given)


def schema_words(kind: Node) -> str:
    """Return in words what a schema accepts."""
    if "$ref" in kind:
        return _name(kind)
    if forms := [form for form in (*kind.get("anyOf", ()), *kind.get("oneOf", ())) if "type" in form or len(form) == 1]:
        return " or ".join(dict.fromkeys(schema_words(form) for form in forms if form != NULL))
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
    return f"map of names to {schema_words(inner)}" if isinstance(inner, Mapping) and inner else "map"


_TYPES: Mapping[str, Callable[[Node], str]] = {
    "array": lambda kind: f"list of {schema_words(kind['items'])}",
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


class SchemaResult(Result):
    """Result of `schema`: the JSON Schema of manifests, and the fields it describes, in the order of the schema."""

    document: dict[str, Any]
    fields: list[ListedField]

    def as_data(self) -> dict[str, object]:
        """Return the JSON Schema alone, which an editor can read unchanged."""
        return self.document


def schema(asked: SchemaRequest | None = None) -> SchemaResult:
    """Return the JSON Schema of manifests, and its fields; raise InputError if no field's path begins as requested."""
    asked = asked or SchemaRequest()
    document = manifest_schema()
    fields = [one for one in listed_fields(document) if one.field.startswith(asked.field)]
    if not fields:
        raise InputError(
            f"no field of a manifest begins with {asked.field!r}", next="`harness schema` lists every field"
        )
    return SchemaResult(document=document, fields=fields)


def manifest_schema() -> dict[str, Any]:
    """Return the JSON Schema of manifests, including what each installed study adds."""
    shelf = studies()
    texts = {**FIELDS, **_own_texts(shelf)}
    defs = manifest_definitions({study.name: study.settings_type for study in shelf if study.settings_type})
    for name, part in defs.items():
        _say(name, part, texts)
    for study in shelf:
        defs[f"Datasets.{study.name}"] = _datasets(study)
    top = defs.pop("Manifest")
    top["properties"]["study"] = {**top["properties"]["study"], "enum": [study.name for study in shelf]}
    top["allOf"] = [conditional_schema("study", study.name, _of_study(study)) for study in shelf]
    return {"$schema": DIALECT, **top, "title": TITLE, "$defs": dict(sorted(defs.items()))}


def _own_texts(shelf: Sequence[Study]) -> Texts:
    """Return the texts and examples that settings of providers and studies define in their own `SAID`, by field."""
    kinds = [*map(PROVIDERS.find, PROVIDERS.names()), *(study.settings_type for study in shelf)]
    said = {kind.__name__: getattr(kind, "SAID", {}) for kind in kinds if kind}
    return {name: {field: FieldText(*text) for field, text in own.items()} for name, own in said.items() if own}


def _say(name: str, part: dict[str, Any], texts: Texts) -> None:
    """Add each field's text and example to a definition, and remove the title that pydantic makes from its name."""
    for field, kind in part.get("properties", {}).items():
        kind.pop("title", None)
        if text := find_field_text(name, field, texts):
            kind |= {"description": text.about, "examples": [text.value]}
        for form in _inside(kind):
            if "properties" in form:  # a class that is used only once is inlined
                _say(str(form.get("title", "")), form, texts)


def _inside(kind: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the forms of a field, and those of the rows of a list."""
    for form in (kind, kind.get("items", {})):
        yield from form.get("anyOf", ())
        yield from form.get("oneOf", ())


def find_field_text(name: str, field: str, texts: Texts) -> FieldText | None:
    """Return the text of a field by the class that types it, or None; an instrument uses the texts of its provider."""
    of = texts.get(name.removesuffix("Instrument"), {}).get(field)
    if of is None and name.endswith("Instrument"):
        of = texts["Asking"].get(field)
    if of is None and name.removesuffix("Instrument").endswith("Settings"):  # of all providers, or of all behind an API
        of = texts["RemoteSettings"].get(field) or texts["Settings"].get(field)
    return of


def _of_study(study: Study) -> dict[str, Any]:
    """Return the schema of the parts of a manifest that a study types itself."""
    settings = study.settings_type
    parts: dict[str, Any] = {
        "settings": {"$ref": f"#/$defs/{settings.__name__}"} if settings else {"maxProperties": 0},
        "instruments": {"propertyNames": {"enum": list(study.roles)}} if study.roles else {"maxProperties": 0},
        "datasets": {"additionalProperties": {"$ref": f"#/$defs/Datasets.{study.name}"}},
        "prompts": {"properties": {"set": False}} if study.own_wordings else _sets(list(study.prompt_sets)),
    }
    return {"properties": parts, "required": list(study.needs)}


def _sets(sets: Sequence[str]) -> dict[str, Any]:
    """Return the schema of `prompts` that allows one of these sets or a list of them, or nothing if there are none."""
    named = {"anyOf": [{"enum": [*sets]}, {"type": "array", "items": {"enum": [*sets]}}]} if sets else False
    return {"required": ["set"], "properties": {"set": named}}


def _datasets(study: Study) -> dict[str, Any]:
    """Return the schema of the datasets that a study makes, by their maker; other datasets have the common schema."""
    own = {} if study.own_files else {"fields": False}  # only a user's own files have `fields`
    if not (makers := study.makers):
        return {"properties": {"make": False, **own}}
    return {
        "properties": {"make": {"enum": list(makers)}, **own},
        "allOf": [conditional_schema("make", name, maker_schema(maker)) for name, maker in makers.items()],
    }


def maker_schema(maker: Maker) -> dict[str, Any]:
    """Return the schema of a maker's parameters: whole numbers, texts for the study, and names of fetched datasets."""
    typed = {**maker.params, **maker.optional}
    kinds = {name: {"type": "integer", "minimum": 0} if kind is int else {} for name, kind in typed.items()}
    named = {name: {"type": "string"} for name in (*maker.files, *maker.folders)}
    return {
        "properties": {"make": {}, **kinds, **named},
        "required": ["make", *maker.params, *maker.needs],
        "additionalProperties": False,
    }
