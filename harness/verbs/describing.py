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
from typing import Any, Literal, TypedDict, cast

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

JsonSchema = TypedDict(
    "JsonSchema",
    {
        "$schema": str,
        "$ref": str,
        "$defs": "dict[str, JsonSchema]",
        "title": str,
        "description": str,
        "examples": "list[object]",
        "default": object,
        "type": "str | list[str]",
        "format": str,
        "pattern": str,
        "enum": "list[object]",
        "const": object,
        "minimum": float,
        "maximum": float,
        "maxLength": int,
        "minItems": int,
        "minProperties": int,
        "maxProperties": int,
        "required": "list[str]",
        "properties": "dict[str, JsonSchema | Literal[False]]",  # False: the property must not be there
        "additionalProperties": "JsonSchema | bool",
        "propertyNames": "JsonSchema",
        "items": "JsonSchema",
        "anyOf": "list[JsonSchema]",
        "oneOf": "list[JsonSchema]",
        "allOf": "list[JsonSchema]",
        "if": "JsonSchema",
        "then": "JsonSchema",
    },
    total=False,
)

Properties = dict[str, JsonSchema | Literal[False]]

REFS = "#/$defs/{model}"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NUMBER = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?"
SCALAR = ("string", "number", "boolean")  # the types as which YAML may read a text
_SCORERS: JsonSchema = {"type": "array", "items": {"type": ["string", "object"]}, "minItems": 1}
_CHECKED: Mapping[Callable[..., Any], JsonSchema] = {
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
_ANY_JSON: JsonSchema = {"type": "object", "minProperties": 1}
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
        """Return an empty schema, which allows any value, where only a study's own function checks it."""
        return {}


def schema_definitions(more: Mapping[str, Any]) -> tuple[dict[str, JsonSchema], dict[str, JsonSchema]]:
    """Return the JSON Schemas of types by name, and the definitions that they share."""
    wanted: list[tuple[str, Any, TypeAdapter[Any]]] = [
        (name, "validation", TypeAdapter(kind)) for name, kind in more.items()
    ]
    made, shared = TypeAdapter.json_schemas(wanted, schema_generator=EditorSchema, ref_template=REFS)
    found = {name: cast(JsonSchema, made[name, "validation"]) for name in more}
    return found, cast(dict[str, JsonSchema], dict(shared.get("$defs", {})))


def manifest_definitions(studies: Mapping[str, type]) -> dict[str, JsonSchema]:
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
    defs["Generation"]["properties"]["extra"] = {**_ANY_JSON}
    for name in AT_FIRST:  # these are sent by default in version 1 only
        property_schema(defs["Generation"], name).pop("default")
    property_schema(defs["Manifest"], "generation").pop("default")
    property_schema(asking, "generation").pop("default")
    for name, forms in _FORMS.items():
        defs[name]["oneOf"] = [{"required": [form]} for form in forms]
    for field, part in (("models", "Model"), ("instruments", "Instrument")):
        property_schema(defs["Manifest"], field)["additionalProperties"] = {"$ref": f"#/$defs/{part}"}
    return defs


def property_schema(part: JsonSchema, name: str) -> JsonSchema:
    """Return the schema of a property that an object may have, from the schema of the object."""
    found = part["properties"][name]
    assert found is not False
    return found


def _by_provider(kinds: Mapping[str, str]) -> JsonSchema:
    """Return a schema that selects a definition by `provider`, so that editors report errors of that provider only."""
    return {
        "type": "object",
        "required": ["provider"],
        "properties": {"provider": {"enum": list(kinds)}},
        "allOf": [conditional_schema("provider", name, {"$ref": f"#/$defs/{kind}"}) for name, kind in kinds.items()],
    }


def conditional_schema(key: str, value: str, then: JsonSchema) -> JsonSchema:
    """Return a schema that applies `then` if the key has this value."""
    return {"if": {"properties": {key: {"const": value}}, "required": [key]}, "then": then}


def _instrument(settings: JsonSchema, asking: JsonSchema, name: str) -> JsonSchema:
    both = {**settings["properties"], **asking["properties"]}
    return {**settings, "title": f"{name}Instrument", "properties": both}


REQUIRED = "required"
NULL: JsonSchema = {"type": "null"}


class ListedField(Result):
    """One field of a manifest: its path, what it may hold, its default, its meaning and an example.

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

    defs: Mapping[str, JsonSchema]

    def fields(self, part: JsonSchema, path: str) -> Iterator[ListedField]:
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

    def below(self, kind: JsonSchema, path: str) -> Iterator[ListedField]:
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

    def _providers(self, chosen: list[JsonSchema], path: str) -> Iterator[ListedField]:
        """Yield the settings of each provider; of an instrument, only those that a model does not have."""
        for one in chosen if path.startswith("models") else chosen[:1]:
            settings = self.defs[_name(one["then"])]
            if path.startswith("models"):
                yield from self.fields(settings, f"{path} ({_condition(one, 'provider')}).")
            else:
                own = {name: settings["properties"][name] for name in ("generation", "repeats")}
                yield from self.fields({"title": "Instrument", "properties": own}, f"{path}.")


def _condition(one: JsonSchema, name: str) -> object:
    """Return the value of a property under which a part of `conditional_schema` applies."""
    return property_schema(one["if"], name)["const"]


def listed_fields(document: JsonSchema) -> Iterator[ListedField]:
    """Yield the fields of a manifest in the order of its schema, each followed by the fields inside it."""
    walk = _Walk(document["$defs"])
    yield from walk.fields({**document, "title": "Manifest"}, "")
    for one in document["allOf"]:
        study, settings = _condition(one, "study"), property_schema(one["then"], "settings")
        if "$ref" in settings:
            yield from walk.fields(document["$defs"][_name(settings)], f"settings ({study}).")


def flow_yaml(value: Any) -> str:
    """Format a value as YAML on a single line."""
    written = yaml.safe_dump(value, default_flow_style=True, width=10**6, sort_keys=False, allow_unicode=True)
    return str(written).strip().removesuffix("...").strip()


def _parts(kind: JsonSchema) -> Iterator[tuple[str, JsonSchema]]:
    if "$ref" in kind:
        yield "", kind
    forms = [form for form in (*kind.get("anyOf", ()), *kind.get("oneOf", ())) if form != NULL]
    several = len([form for form in forms if "$ref" in form]) > 1
    for form in forms:
        yield f" ({_name(form)})" if several and "$ref" in form else "", form
    held = kind.get("additionalProperties")
    if isinstance(held, dict):
        yield from ((f".NAME{step}", form) for step, form in (_parts(held) if "oneOf" in held else [("", held)]))
    if "items" in kind:
        yield "[]", kind["items"]


def _name(ref: JsonSchema) -> str:
    return str(ref["$ref"]).rpartition("/")[2]


def _default(kind: JsonSchema) -> str:
    given = kind.get("default")
    return "" if given is None or given in ([], {}, "") else flow_yaml(given)


def schema_words(kind: JsonSchema) -> str:
    """Return in words which values a JSON Schema accepts, such as `list of text`."""
    if "$ref" in kind:
        return _name(kind)
    if forms := [form for form in (*kind.get("anyOf", ()), *kind.get("oneOf", ())) if "type" in form or len(form) == 1]:
        return " or ".join(dict.fromkeys(schema_words(form) for form in forms if form != NULL))
    if "const" in kind or "enum" in kind:
        return ", ".join(dict.fromkeys(map(str, kind.get("enum", [kind.get("const")]))))
    if "format" in kind:
        return str(kind["format"]) + _bounds(kind)
    given = kind.get("type", [])
    types = {given} if isinstance(given, str) else set(given)
    return _TYPES[types.pop()](kind) if len(types) == 1 else "text" if types else "anything"


def _map(kind: JsonSchema) -> str:
    inner = kind.get("additionalProperties")
    if "properties" in kind:
        return f"map of {', '.join(kind['properties'])}"
    return f"map of names to {schema_words(inner)}" if isinstance(inner, dict) and inner else "map"


_TYPES: Mapping[str, Callable[[JsonSchema], str]] = {
    "array": lambda kind: f"list of {schema_words(kind['items'])}",
    "object": _map,
    "integer": lambda kind: "whole number" + _bounds(kind),
    "boolean": lambda _: "true or false",
    "string": lambda _: "text",
}


def _bounds(kind: JsonSchema) -> str:
    least = f" from {json.dumps(kind['minimum'])}" if "minimum" in kind else ""
    return least + (f" to {json.dumps(kind['maximum'])}" if "maximum" in kind else "")


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
    return SchemaResult(document={**document}, fields=fields)


def manifest_schema() -> JsonSchema:
    """Return the JSON Schema of manifests, including what each installed study adds."""
    shelf = studies()
    texts = {**FIELDS, **_own_texts(shelf)}
    defs = manifest_definitions({study.name: study.settings_type for study in shelf if study.settings_type})
    for name, part in defs.items():
        _say(name, part, texts)
    for study in shelf:
        defs[f"Datasets.{study.name}"] = _datasets(study)
    top = defs.pop("Manifest")
    top["properties"]["study"] = {**property_schema(top, "study"), "enum": [study.name for study in shelf]}
    top["allOf"] = [conditional_schema("study", study.name, _of_study(study)) for study in shelf]
    return {"$schema": DIALECT, **top, "title": TITLE, "$defs": dict(sorted(defs.items()))}


def _own_texts(shelf: Sequence[Study]) -> Texts:
    """Return the texts and examples that settings of providers and studies define in their own `SAID`, by field."""
    kinds = [*map(PROVIDERS.find, PROVIDERS.names()), *(study.settings_type for study in shelf)]
    said = {kind.__name__: getattr(kind, "SAID", {}) for kind in kinds if kind}
    return {name: {field: FieldText(*text) for field, text in own.items()} for name, own in said.items() if own}


def _say(name: str, part: JsonSchema, texts: Texts) -> None:
    """Add each field's text and example to a definition, and remove the title that pydantic makes from its name."""
    for field, kind in part.get("properties", {}).items():
        if kind is False:
            continue
        kind.pop("title", None)
        if text := find_field_text(name, field, texts):
            kind["description"], kind["examples"] = text.about, [text.value]
        for form in _inside(kind):
            if "properties" in form:  # a class that is used only once is inlined
                _say(str(form.get("title", "")), form, texts)


def _inside(kind: JsonSchema) -> Iterator[JsonSchema]:
    """Yield the forms of a field, and those of the rows of a list."""
    for form in (kind, kind.get("items", JsonSchema())):
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


def _of_study(study: Study) -> JsonSchema:
    """Return the schema of the parts of a manifest that a study types itself."""
    settings = study.settings_type
    parts: Properties = {
        "settings": {"$ref": f"#/$defs/{settings.__name__}"} if settings else {"maxProperties": 0},
        "instruments": {"propertyNames": {"enum": list(study.roles)}} if study.roles else {"maxProperties": 0},
        "datasets": {"additionalProperties": {"$ref": f"#/$defs/Datasets.{study.name}"}},
        "prompts": {"properties": {"set": False}} if study.own_wordings else _sets(list(study.prompt_sets)),
    }
    return {"properties": parts, "required": list(study.needs)}


def _sets(sets: Sequence[str]) -> JsonSchema:
    """Return the schema of `prompts` that allows one of these sets or a list of them, or nothing if there are none."""
    if not sets:
        return {"required": ["set"], "properties": {"set": False}}
    named: JsonSchema = {"anyOf": [{"enum": [*sets]}, {"type": "array", "items": {"enum": [*sets]}}]}
    return {"required": ["set"], "properties": {"set": named}}


def _datasets(study: Study) -> JsonSchema:
    """Return the schema of the datasets that a study makes, by their maker; other datasets have the common schema."""
    own: Properties = {} if study.own_files else {"fields": False}  # only a user's own files have `fields`
    if not (makers := study.makers):
        return {"properties": {"make": False, **own}}
    return {
        "properties": {"make": {"enum": list(makers)}, **own},
        "allOf": [conditional_schema("make", name, maker_schema(maker)) for name, maker in makers.items()],
    }


def maker_schema(maker: Maker) -> JsonSchema:
    """Return the schema of a maker's parameters: whole numbers, texts for the study, and names of fetched datasets."""
    typed = {**maker.params, **maker.optional}
    whole: JsonSchema = {"type": "integer", "minimum": 0}
    parts: Properties = {"make": {}}
    parts |= {name: {**whole} if kind is int else {} for name, kind in typed.items()}
    parts |= {name: {"type": "string"} for name in (*maker.files, *maker.folders)}
    return {
        "properties": parts,
        "required": ["make", *maker.params, *maker.needs],
        "additionalProperties": False,
    }
