"""Loading of manifests: the first error is reported with its file, line and field, and how to correct it."""

from __future__ import annotations

import dataclasses
import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError

from harness.digest import sha256
from harness.errors import InputError
from harness.manifest.models import EXTRA, NO_PROVIDER, TypedByValue
from harness.manifest.read import Place, Tree, read_bytes, read_tree
from harness.manifest.schema import JSON_OF, Manifest, require_splits


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
