"""Manifests from a file, or derived for the run of an attempt; the first error names its file, line, field and remedy.

The manifest of an attempt's run is derived from the benchmark's: it asks what the attempt asked, and its only model is
the agent. It depends only on the benchmark's manifest and on the first line of the transcript, so an audit can derive
it again. Independent of studies, stores and answers.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError

from harness.digest import sha256
from harness.errors import InputError
from harness.manifest.datasets import Made, OwnFile
from harness.manifest.models import EXTRA, NO_PROVIDER, TypedByValue
from harness.manifest.read import Place, Tree, read_bytes, read_tree
from harness.manifest.schema import JSON_OF, Manifest, manifest_splits, require_splits, split_datasets

AGENT = "agent"  # the provider of such a run's only model
SUFFIX = "-attempt"
MOST_NAME = 80
LEFT_OUT = ("models", "agents", "claims", "seeds", "about", "name")
_BREAKS = {code: f"\\u{code:04x}" for code in (0x7F, 0x85, 0x2028, 0x2029, 0xFEFF)}  # which YAML reads differently
_TEMPLATE = re.compile(r"template-([0-9]{1,6})")


@dataclass(frozen=True)
class AskedPart:
    """What an attempt asks of a benchmark: datasets, the first items of each (0: all), wordings (none: all)."""

    datasets: tuple[str, ...]
    items: int = 0
    templates: tuple[int, ...] = ()


@dataclass(frozen=True)
class AttemptAnswered:
    """What a transcript says of an attempt: id, agent's label, split and subset, and the transcript's own digest."""

    attempt: str
    label: str
    split: str
    subset: str
    transcript: str

    @property
    def model(self) -> str:
        """The name of the agent in the run's manifest: its label, reduced to plain characters."""
        plain = re.sub(r"[^a-z0-9._-]+", "-", self.label.lower()).strip("-._")
        return f"{AGENT}-{plain or 'unnamed'}"[:MOST_NAME]


def asked_part(manifest: Manifest, split: str, subset: str = "") -> AskedPart:
    """Return what an attempt on a split asks.

    `subset` is one of the split's datasets, or one wording as `template-N`. Raises InputError for an unknown split or
    subset.
    """
    if split not in manifest_splits(manifest):
        raise InputError(
            f"{manifest.name} has no split {split!r}", next=f"choose from: {', '.join(manifest_splits(manifest))}"
        )
    said = manifest_splits(manifest)[split]
    makes = [name for name in split_datasets(manifest, split) if isinstance(manifest.datasets[name], Made | OwnFile)]
    part = AskedPart(tuple(makes), said.items or 0, said.templates)
    if not subset:
        return part
    if subset in makes:
        return AskedPart((subset,), part.items, part.templates)
    found = _TEMPLATE.fullmatch(subset)
    if found and (not part.templates or int(found[1]) in part.templates):
        return AskedPart(part.datasets, part.items, (int(found[1]),))
    raise InputError(f"split {split!r} has no subset {subset!r}", next=f"choose from: {', '.join(makes)}, template-N")


def derive_manifest(base: Manifest, tree: Tree, answered: AttemptAnswered, outputs: Collection[str]) -> bytes:
    """Return the manifest of an attempt's run as JSON, which is also YAML; its only model is the agent.

    Of the benchmark's outputs, only those in `outputs` are declared: they can be made from this model's answers alone.
    """
    part = asked_part(base, answered.split, answered.subset)
    said: Mapping[str, Any] = tree.value
    model: dict[str, Any] = {
        "provider": AGENT,
        "attempt": answered.attempt,
        "transcript": answered.transcript,
        "split": answered.split,
    }
    if part.templates:
        model["templates"] = [str(number) for number in part.templates]
    kept = {name: value for name, value in said.items() if name not in LEFT_OUT}
    derived = {
        "harness": kept.pop("harness"),
        "study": kept.pop("study"),
        "name": f"{base.name[: MOST_NAME - len(SUFFIX)]}{SUFFIX}",
        "about": f"An attempt at {base.name}: the answers of an agent to its split {answered.split}.",
        "models": {answered.model: model},
        **kept,
        "datasets": _datasets(base, said["datasets"], part),
        "seeds": ["0"],
        "outputs": {name: level for name, level in (said.get("outputs") or {}).items() if name in outputs},
    }
    return (json.dumps(derived, indent=1, ensure_ascii=False).translate(_BREAKS) + "\n").encode()


def _datasets(base: Manifest, said: Mapping[str, Any], part: AskedPart) -> dict[str, Any]:
    """Return the datasets that were asked, and the published or own files that they are made from."""
    named = {str(value) for name in part.datasets for value in said[name].values() if isinstance(value, str)}
    return {
        name: value
        for name, value in said.items()
        if name in part.datasets or (name in named and not isinstance(base.datasets[name], Made))
    }


def suggest_key(place: Place, value: Any, schema: Any) -> str:
    """Return what to write instead of an unknown key: the closest known key, or the list of known keys."""
    known = sorted(dict.fromkeys(_known(schema, value, place[:-1]))) if place else []
    if close := difflib.get_close_matches(str(place[-1]), known, 1) if place else []:
        return f"did you mean `{close[0]}`?"
    return f"remove it; known here: {', '.join(known)}" if known else "remove it, or see the schema in the docs"


def _known(kind: Any, value: Any, place: Place) -> Iterator[str]:
    """Yield the keys that the schema allows at a place; the value there decides between the members of a union."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        shaped = next((one for one in inner[1:] if isinstance(one, TypedByValue)), None)
        for form in shaped.forms(value) if shaped else (inner[0],):
            yield from _known(form, value, place)
    elif origin in (Union, UnionType):
        forms = [one for one in inner if _fits(one, value)] or inner
        for one in forms:
            yield from _known(one, value, place)
    elif isinstance(kind, type) and (fields := _fields(kind)):
        if not place:
            yield from fields
        elif place[0] in fields:
            yield from _known(fields[str(place[0])], _below(value, place[0]), place[1:])
    elif place and isinstance(origin, type) and issubclass(origin, Mapping | Sequence) and inner:
        yield from _known(inner[1] if issubclass(origin, Mapping) else inner[0], _below(value, place[0]), place[1:])


def _fields(kind: type) -> dict[str, Any]:
    """Return the types of the fields of a model or dataclass, by the names that a file uses."""
    if issubclass(kind, BaseModel):
        return {
            field.alias or name: Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
            for name, field in kind.model_fields.items()
        }
    if not dataclasses.is_dataclass(kind):
        return {}
    hints = get_type_hints(kind, include_extras=True)
    return {field.name.rstrip("_"): hints[field.name] for field in dataclasses.fields(kind)}  # `from_` is Python's own


def _fits(kind: Any, value: Any) -> bool:
    """Whether a value matches one member of a union: it has a key that this member requires."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if not (isinstance(kind, type) and issubclass(kind, BaseModel) and isinstance(value, Mapping)):
        return False
    return any(field.is_required() and name in value for name, field in kind.model_fields.items())


def _below(value: Any, part: str | int) -> Any:
    try:
        return value[part]
    except (LookupError, TypeError):
        return None


PLAIN_JSON: tuple[Place, ...] = (EXTRA, JSON_OF)  # places in a manifest that hold plain JSON


@dataclass(frozen=True)
class ModelFolders:
    """Folders of models outside a project: the user's own, and the cache of the Hugging Face hub."""

    models: Path | None = None  # what `source: folder:NAME` is relative to
    hub: Path | None = None


@dataclass(frozen=True)
class LoadedManifest:
    """A manifest with its bytes, its parsed tree and the project it belongs to."""

    manifest: Manifest
    data: bytes
    tree: Tree
    path: Path
    root: Path
    homes: ModelFolders = ModelFolders()

    @property
    def sha256(self) -> str:
        """The digest of the file's bytes, as the lock records it."""
        return sha256(self.data)


def load_manifest(path: Path, homes: ModelFolders | None = None) -> LoadedManifest:
    """Load a manifest from a file of a project; writes nothing.

    Raises InputError if the manifest is not valid or belongs to no project.
    """
    if not path.exists() and (near := _nearest(path)):
        next = f"name its file, such as {near}; `harness list` names all"
        raise InputError("there is no such manifest", where=str(path), next=next)
    data = read_bytes(path)
    root = project_root(path)
    manifest, tree = parse_manifest(data, str(path))
    return LoadedManifest(manifest, data, tree, path.resolve(), root, homes or ModelFolders())


def _nearest(path: Path) -> str:
    """Return the path of the project's manifest whose name is nearest to a file's; empty if none is like it."""
    try:
        folder = project_root(path) / "manifests"
    except InputError:
        return ""
    files = {file.stem: file for file in sorted(folder.rglob("*.yaml"), reverse=True)}
    close = difflib.get_close_matches(path.stem, files, 1)
    return os.path.relpath(files[close[0]]) if close else ""


def parse_manifest(data: bytes, where: str) -> tuple[Manifest, Tree]:
    """Validate a manifest's bytes against the schema and return the manifest and its parsed tree.

    Raises InputError for the first thing that is wrong.
    """
    tree = read_tree(data, where, typed=PLAIN_JSON)
    return typed_manifest(tree), tree


def typed_manifest(tree: Tree) -> Manifest:
    """Validate a parsed tree against the schema; raise InputError for the first thing that is wrong."""
    if not isinstance(tree.value, dict):
        raise InputError("a manifest is a map of names to values", where=tree.where, next="begin with `harness: 2`")
    try:
        manifest = Manifest.model_validate(tree.value)
    except ValidationError as bad:
        raise explain_validation_error(bad, tree, Manifest) from None
    require_splits(manifest, tree)
    return manifest


def project_root(path: Path) -> Path:
    """Return the root of the project a manifest belongs to: the nearest parent folder that holds `lockfiles/`."""
    for folder in path.resolve().parents:
        if (folder / "lockfiles").is_dir():
            return folder
    raise InputError(
        "this manifest is in no project",
        where=str(path),
        next="make the folder around it a project with `harness init DIR`, which lays out `lockfiles/` there",
    )


def resolve_inside(root: Path, name: str, where: str) -> Path:
    """Resolve a path that a manifest names; raise InputError if it leads outside the project or is not a file."""
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise InputError(f"{name!r} leaves the project", where=where, next="keep the file inside the project")
    if not path.is_file():
        raise InputError(
            f"there is no file {name!r}", where=where, next="check the path; it is relative to the project"
        )
    return path


def explain_validation_error(bad: ValidationError, tree: Tree, schema: Any, under: Place = ()) -> InputError:
    """Translate a pydantic error into one message: the first thing that is wrong, and how many more there are.

    `schema` describes the whole file, or the part of the file at `under`.
    """
    errors: list[dict[str, Any]] = [
        {**error, "loc": (*under, *error["loc"])} for error in bad.errors(include_url=False)
    ]
    first = min(errors, key=lambda error: (error["type"] == "missing", tree.lines.get(_place(error["loc"], tree), 0)))
    place = _place(first["loc"], tree)
    kind, message = first["type"], str(first["msg"]).removeprefix("Value error, ")
    if kind == "literal_error" and isinstance(first["input"], dict) and first["input"]:
        place, kind = (*place, next(iter(first["input"]))), "extra_forbidden"  # a map in none of the forms there are
    field = ".".join(str(part) for part in place) or "the file"
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        what, mend = f"unknown key `{field}`", suggest_key(place[len(under) :], _value(tree.value, under), schema)
    elif kind == "missing":
        missing = str(first["loc"][-1])
        field = f"{field}.{missing}" if place else missing
        what, mend = f"`{field}` is missing", f"add `{missing}: …`{_pin_advice(missing)}"
        if isinstance(bare := _value(tree.value, place), str):  # a name alone, of what needs options
            mend = f"write `{{{bare}: {{{missing}: …}}}}`"
    elif kind == NO_PROVIDER:
        what, mend = f"`{field}` names no known provider", f"set `provider` to one of: {message}"
    else:
        given = first.get("input")
        plain = isinstance(given, str) and len(given) <= 60 and not ("://" in given and {*given} & {*"@?"})
        shown = f", not {given!r}" if plain else ""  # a URL may hold a password or a key
        what, mend = f"`{field}` is wrong: {message}{shown}", "correct that value"
    places = {(_place(error["loc"], tree), error["type"] == "missing" and error["loc"][-1]) for error in errors}
    others = len(places) - 1
    more = f" (and {others} more)" if others else ""
    return InputError(what + more, where=tree.at(place), next=mend)


def _place(loc: tuple[Any, ...], tree: Tree) -> Place:
    """Return the place of an error in the file, without the parts that only the schema has, such as a union's tag."""
    place: Place = ()
    for part in loc:
        if (*place, part) in tree.lines:
            place = (*place, part)
    return place


def _value(value: Any, place: Place) -> Any:
    for part in place:
        value = value[part]
    return value


def _pin_advice(field: str) -> str:
    return {
        "revision": " with the 40-hex commit of the model",
        "tape": " with replay, record or live",
    }.get(field, "")
