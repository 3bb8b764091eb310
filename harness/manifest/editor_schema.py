"""JSON Schema of manifests for editors: the schema's types as they look in YAML, where `0.5` is a number.

Nothing of a field is written here twice: patterns and bounds are read from the checks that a manifest passes. A schema
says less than those checks, which also hold fields against each other. It does not know a study.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from harness import texts
from harness.manifest.models import AT_FIRST, PROVIDERS, UNSET, Sent
from harness.manifest.schema import Asking, Manifest

REFS = "#/$defs/{model}"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NUMBER = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?"
SCALAR = ("string", "number", "boolean")  # how YAML reads what is typed as a text here
_CHECKED: Mapping[Callable[..., Any], dict[str, Any]] = {
    texts.decimal: {"type": ["string", "number"], "format": "decimal", "pattern": f"^{_NUMBER}$"},
    texts.tolerance: {"type": ["string", "number"], "format": "tolerance", "pattern": f"^{_NUMBER}( relative)?$"},
    texts.inside: {"type": "string", "format": "path", "pattern": r"^(?!/)(?!(.*/)?\.\.(/|$))[^\\]{1,400}$"},
    texts.plain_path: {"type": "string", "format": "path", "maxLength": 200},
    texts.name: {"type": list(SCALAR), "format": "name", "pattern": texts.NAME},
}
_FORMATS = {texts.HEX40: "commit", texts.HEX64: "sha256"}
_ANY_JSON = {"type": "object", "minProperties": 1}
_FORMS: Mapping[str, tuple[str, ...]] = {"Fetched": ("sha256", "unresolved")}  # exactly one of these is written


class EditorSchema(GenerateJsonSchema):
    """Generator of JSON Schema in which a text may look like a number, and a check that has a pattern shows it."""

    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        """Let a text without a pattern also be what YAML takes for a number or a truth value."""
        made = super().str_schema(schema)
        return made if "pattern" in made else {**made, "type": list(SCALAR)}

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        """Let a word that is spelled as a whole number stand without quotes."""
        made = super().literal_schema(schema)
        words = made.get("enum", [made["const"]] if "const" in made else [])
        twins = [int(word) for word in words if isinstance(word, str) and word.isdigit()]
        return {"enum": [*words, *twins]} if twins else made

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """Refuse a name that is none, where others would let any pass."""
        made = super().dict_schema(schema)
        if patterns := made.pop("patternProperties", None):
            [(pattern, values)] = patterns.items()
            made |= {"additionalProperties": values, "propertyNames": {"pattern": pattern}}
        return made

    def function_after_schema(self, schema: core_schema.AfterValidatorFunctionSchema) -> JsonSchemaValue:
        """Show the pattern of a text's check."""
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
        """Show that a setting which is sent may be `unset`, and is never empty."""
        made = super().function_before_schema(schema)
        if schema["function"]["function"] is not Sent.func:
            return made
        forms = [form for form in made.get("anyOf", [made]) if form != {"type": "null"}]
        return {"anyOf": [*forms, {"const": UNSET}]}

    def function_plain_schema(self, schema: core_schema.PlainValidatorFunctionSchema) -> JsonSchemaValue:
        """Leave open what a function alone types; a study says of its own settings what it takes."""
        return {}


def definitions(more: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the JSON Schemas of types by name, and the definitions that they share with each other."""
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
    made, defs = definitions(kinds)
    for name, one in made.items():
        if "$ref" not in one:  # what others refer to is a definition already
            defs[name] = one
    for provider, kind in providers.items():
        defs[kind.__name__]["properties"]["provider"] = {"const": provider}
    defs["Model"] = _by_provider({name: kind.__name__ for name, kind in providers.items()})
    asking = defs.pop("Asking")
    for kind in providers.values():
        defs[f"{kind.__name__}Instrument"] = _instrument(defs[kind.__name__], asking, kind.__name__)
    defs["Instrument"] = _by_provider({name: f"{kind.__name__}Instrument" for name, kind in providers.items()})
    defs["Generation"]["properties"]["extra"] = dict(_ANY_JSON)
    for name in AT_FIRST:  # by default they are sent in version 1 alone
        defs["Generation"]["properties"][name].pop("default")
    defs["Manifest"]["properties"]["generation"].pop("default")
    asking["properties"]["generation"].pop("default")
    for name, forms in _FORMS.items():
        defs[name]["oneOf"] = [{"required": [form]} for form in forms]
    for field, part in (("models", "Model"), ("instruments", "Instrument")):
        defs["Manifest"]["properties"][field]["additionalProperties"] = {"$ref": f"#/$defs/{part}"}
    return defs


def _by_provider(kinds: Mapping[str, str]) -> dict[str, Any]:
    """Choose a definition by `provider`, so that an editor's error speaks of that provider alone."""
    return {
        "type": "object",
        "required": ["provider"],
        "properties": {"provider": {"enum": list(kinds)}},
        "allOf": [chosen("provider", name, {"$ref": f"#/$defs/{kind}"}) for name, kind in kinds.items()],
    }


def chosen(key: str, value: str, then: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that holds where a key has a value."""
    return {"if": {"properties": {key: {"const": value}}, "required": [key]}, "then": then}


def _instrument(settings: dict[str, Any], asking: dict[str, Any], name: str) -> dict[str, Any]:
    both = {**settings["properties"], **asking["properties"]}
    return {**settings, "title": f"{name}Instrument", "properties": both}
