"""The verb `schema`: what a manifest may hold, as a list of fields for a person and as JSON Schema for an editor.

Types and defaults are those of the classes that type a manifest; what a field says, and an example of it, stand in
`field_texts.py`, or beside the class in its own `SAID`. What a study adds (settings, makers, prompt sets, instruments)
is asked of the study.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from harness.errors import InputError
from harness.manifest.editor_schema import DIALECT, chosen, manifest_definitions
from harness.manifest.models import PROVIDERS
from harness.studies.registry import studies
from harness.studies.study import Maker, Study
from harness.verbs import field_texts, question_field_texts
from harness.verbs.field_text import FieldText
from harness.verbs.project import Request, Result
from harness.verbs.schema_fields import ListedField, listed_fields

TITLE = "Manifest of the harness"
Texts = Mapping[str, Mapping[str, FieldText]]
FIELDS: Texts = {**field_texts.FIELDS, **question_field_texts.FIELDS}


class SchemaRequest(Request):
    """Request of `schema`: the fields whose path begins so; none: all."""

    field: str = Field(default="", description="Only fields whose path begins so, such as `generation`.")


class SchemaResult(Result):
    """Result of `schema`: the JSON Schema of manifests, and the fields it describes, in the order of the schema."""

    document: dict[str, Any]
    fields: list[ListedField]

    def as_data(self) -> dict[str, object]:
        """Give the JSON Schema alone, which an editor reads as it is."""
        return self.document


def schema(asked: SchemaRequest | None = None) -> SchemaResult:
    """Give the JSON Schema of manifests, and the fields in it; InputError where no field begins as requested."""
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
    """Give each field of a definition its text and example, in the place of the title that pydantic makes of a name."""
    for field, kind in part.get("properties", {}).items():
        kind.pop("title", None)
        if text := said_of(name, field, texts):
            kind |= {"description": text.about, "examples": [text.value]}
        for form in _inside(kind):
            if "properties" in form:  # a class that is typed in one place stands there, and not among the definitions
                _say(str(form.get("title", "")), form, texts)


def _inside(kind: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the forms of a field, and those of the rows of a list."""
    for form in (kind, kind.get("items", {})):
        yield from form.get("anyOf", ())
        yield from form.get("oneOf", ())


def said_of(name: str, field: str, texts: Texts) -> FieldText | None:
    """Give the text of a field by the class that types it; an instrument's settings are its provider's."""
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
