"""Derived manifests: what `run -m`, `--only` and `--set` mean, as a manifest of its own beside its parent.

The same options on the same parent give the same bytes under the same name. Nothing is run or locked, and nothing but
that file is written.
"""

from __future__ import annotations

import copy
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from harness import texts
from harness.digest import sha256
from harness.errors import InputError
from harness.files import read_plain, write_atomic
from harness.manifest.load import PLAIN_JSON, LoadedManifest, load_manifest, typed_manifest
from harness.manifest.lockfile import Lock, load_lock
from harness.manifest.models import PROVIDERS
from harness.manifest.read import NOTHING, Place, Tree, read_tree, spell_yaml
from harness.manifest.schema import Manifest
from harness.models.provider import ADDRESS, Settings
from harness.run.locking.datasets import made_datasets
from harness.run.locking.models import HUB, INSTRUMENTS, every_model
from harness.run.planning.plan import check_manifest, possible_outputs
from harness.studies.registry import find

SET_OPTION = "--set"
SETTING_FORM = "write --set PATH=VALUE, such as --set generation.temperature=0.7"
OWN = ("harness", "study", "name", "claims", "agents", "runs", "derived")  # parts that options cannot set
DEEPEST = 16  # most dots in a path
BRACKETS = ("[", "{", '"', "'")  # a value that begins so is YAML; any other is a text as it is


class SetOption(NamedTuple):
    """A change of one value: its dotted path, and the text of the value as it was written."""

    path: str
    value: str

    @property
    def text(self) -> str:
        """The option as it is written."""
        return f"{SET_OPTION} {self.path}={self.value}"

    @property
    def where(self) -> str:
        """The option without its value, for errors, which quote the value themselves."""
        return f"{SET_OPTION} {self.path}"


def read_set_option(text: str) -> SetOption:
    """Parse `PATH=VALUE`; raise InputError for an empty path, or one whose part options cannot set."""
    path, equals, value = text.partition("=")
    where = f"{SET_OPTION} {text[:200]}"
    if not equals or not all(path.split(".")) or path.count(".") > DEEPEST:
        raise InputError("this sets nothing", where=where, next=SETTING_FORM)
    if path.split(".")[0] in OWN:
        what = f"`{path.split('.')[0]}` is not set on the command line"
        raise InputError(what, where=where, next="write a manifest of its own for that")
    return SetOption(path, value)


def set_value(tree: dict[str, Any], option: SetOption) -> Place:
    """Change one value of a manifest's tree, or remove its key for `null`; return the path of that key."""
    place: Place = ()
    holder: Any = tree
    parts = option.path.split(".")
    while True:
        part, parts = _part(holder, parts, option, place)
        place = (*place, part)
        if not parts:
            break
        if isinstance(holder, dict) and holder.get(str(part)) is None:
            holder[str(part)] = {}
        holder = holder[part]
        if not isinstance(holder, dict | list):
            named = ".".join(map(str, place))
            raise InputError(f"`{named}` is a value, and has no parts", where=option.where, next="set it as a whole")
    value = _value(option, place)
    if isinstance(holder, list):
        holder[int(part) : int(part) + 1] = [value]
    elif value is None and not _plain(place):
        holder.pop(str(part), None)
    else:
        holder[str(part)] = value
    return place


def _part(holder: Any, parts: list[str], option: SetOption, place: Place) -> tuple[str | int, list[str]]:
    """Take the next key off a path; names may hold dots, so the longest one that exists is taken."""
    if isinstance(holder, list):
        most = len(holder) if len(parts) == 1 else len(holder) - 1  # one may be added, and has no parts yet
        if parts[0] in map(str, range(most + 1)):
            return int(parts[0]), parts[1:]
        named = ".".join(map(str, place))
        what = f"`{named}` is a list of {len(holder)}, and has no part {parts[0]!r}"
        raise InputError(what, where=option.where, next=f"set the list as a whole: --set '{named}=[…]'")
    for end in range(len(parts), 1, -1):
        if isinstance(holder, Mapping) and ".".join(parts[:end]) in holder:
            return ".".join(parts[:end]), parts[end:]
    return parts[0], parts[1:]


def _plain(place: Place) -> bool:
    """Whether a place of a manifest is inside plain JSON."""
    return any(_below(place, at) is not None and len(place) > len(at) for at in PLAIN_JSON)


def _below(place: Place, at: Place) -> Place | None:
    """Return what is left of one path below another; None if the paths part."""
    fits = all(wanted in ("*", found) for wanted, found in zip(at, place, strict=False))
    return at[len(place) :] if fits else None


def _value(option: SetOption, place: Place) -> Any:
    """Parse a value: YAML if it begins with a bracket or a quote, or if it is inside plain JSON; else a text."""
    if not option.value.lstrip().startswith(BRACKETS) and not _plain(place):
        return None if option.value in NOTHING else option.value
    left = (_below(place, at) for at in PLAIN_JSON)
    typed: tuple[Place, ...] = ((),) if _plain(place) else tuple(("value", *at) for at in left if at is not None)
    try:
        tree = read_tree(f"value: {option.value}\n".encode(), option.where, typed)
    except InputError as bad:
        raise InputError(bad.what, where=option.where, next="quote a text: --set 'path=\"text\"'") from None
    if set(tree.value) != {"value"}:
        raise InputError("this is more than one value", where=option.where, next="give each --set one value")
    value = tree.value["value"]
    if isinstance(value, dict) and value and ":" not in option.value:  # such as {question}, which a wording begins with
        raise InputError(
            "a text that begins with a brace stands in quotes",
            where=option.where,
            next=f"--set '{option.path}=\"…\"'",
        )
    return value


@dataclass
class DerivedTree(Tree):
    """Parsed tree of a manifest with changes; an error about a change names its option, any other the line."""

    options: dict[Place, str] = field(default_factory=dict)
    inherited: frozenset[Place] = frozenset()  # the places that the parent's file has

    def at(self, place: Place) -> str:
        """Return the location of a part: the option that wrote it, all of it or a part; else the parent's line."""
        for end in range(len(place), 0, -1):
            if option := self.options.get(place[:end]):
                return option
        within = [option for at, option in self.options.items() if place and at[: len(place)] == place]
        return within[0] if within and place not in self.inherited else super().at(place)


def derived_tree(parent: Tree, value: dict[str, Any], options: Mapping[Place, str]) -> DerivedTree:
    """Return the tree of changed values, with the parent's line of every part, or of the nearest part around it."""
    tree = DerivedTree(parent.where, value, typed=PLAIN_JSON, options=dict(options), inherited=frozenset(parent.lines))
    for place in _places(value, ()):
        near = place
        while near and near not in parent.lines:
            near = near[:-1]
        tree.lines[place] = parent.lines.get(near, 1)
    return tree


def _places(value: Any, place: Place) -> Iterator[Place]:
    """Yield the place of a value and of all of its parts."""
    yield place
    parts = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield from _places(part, (*place, name))


ONLY_OPTION = "--only"
MODEL, DATASET = "model", "dataset"
ONLY_FORM = "write --only model=NAME,NAME or --only dataset=NAME"


class OnlyOption(NamedTuple):
    """The models or datasets that are kept, by name, and the option as it is written."""

    names: frozenset[str]
    text: str


def read_only_options(texts: Sequence[str]) -> dict[str, OnlyOption]:
    """Parse `model=a,b`, `dataset=x` and `model=a,dataset=x`, by kind; several of one kind are combined."""
    found: dict[str, set[str]] = {}
    for text in texts:
        kind = ""
        for part in text.split(","):
            key, equals, name = part.partition("=")
            kind, name = (key.strip(), name.strip()) if equals else (kind, part.strip())
            if kind not in (MODEL, DATASET) or not name:
                raise InputError("this keeps nothing", where=f"{ONLY_OPTION} {text[:200]}", next=ONLY_FORM)
            found.setdefault(kind, set()).add(name)
    return {
        kind: OnlyOption(frozenset(names), f"{ONLY_OPTION} {kind}={','.join(sorted(names))}")
        for kind, names in found.items()
    }


def only_models(value: dict[str, Any], only: OnlyOption) -> None:
    """Keep only these models in a manifest's tree, in its order; raise InputError for an unknown name."""
    models = value.get("models") or {}
    _require(only, models)
    value["models"] = {name: said for name, said in models.items() if name in only.names}


def only_datasets(value: dict[str, Any], only: OnlyOption, parent: LoadedManifest) -> None:
    """Reduce a parsed manifest to some datasets, the public files they need, and the splits that take their items."""
    datasets, manifest = value["datasets"], parent.manifest
    _require(only, datasets)
    made = made_datasets(manifest, find(manifest.study, parent.tree.at(("study",))), parent.tree)
    drawn = [made[name] for name in only.names & made.keys()]
    kept = {*only.names, *(to for one in drawn for to in (*one.files.values(), *one.folders.values()))}
    value["datasets"] = {name: said for name, said in datasets.items() if name in kept}
    if isinstance(agents := value.get("agents"), Mapping):
        splits = {name: _asked(split, kept) for name, split in agents["splits"].items()}
        splits = {name: split for name, split in splits.items() if split is not None}
        value["agents"] = {**agents, "splits": splits}
        if not splits:
            del value["agents"]


def _asked(split: Mapping[str, Any], kept: Collection[str]) -> Mapping[str, Any] | None:
    """Return a split with the datasets that are kept; None if it names datasets and none of them is kept."""
    if not split.get("datasets"):
        return split
    names = [name for name in split["datasets"] if name in kept]
    return {**split, "datasets": names} if names else None


def _require(only: OnlyOption, known: Collection[str]) -> None:
    if strange := sorted(only.names - set(known)):
        raise InputError(
            f"this manifest has no {strange[0]!r}", where=only.text, next=f"choose from: {', '.join(known) or 'none'}"
        )


def keep_possible_outputs(value: dict[str, Any], derived: LoadedManifest, inherited: Collection[str]) -> None:
    """Drop the parent's outputs that the study cannot make of the models and datasets that are kept."""
    if value.get("outputs"):
        possible = possible_outputs(derived)
        value["outputs"] = {
            name: level for name, level in value["outputs"].items() if name in possible or name not in inherited
        }


def keep_tapes(value: dict[str, Any], parent: Manifest, derived: Manifest) -> None:
    """Write into a derived manifest which tape each model replays, so that no request is paid for a second time.

    A model that the parent asks in the same way has the parent's tape. Any other model records on a tape that all
    manifests derived from that parent share, so that the parent's own, which may be pinned, stays as it is.
    """
    before = {(one.part, one.name): one.model.service for one in every_model(parent)}
    for one in every_model(derived):
        service, old = one.model.service, before.get((one.part, one.name))
        if not service or service.tapes or service.tape == "live":
            continue
        same = old is not None and (old.model, old.tape, old.tapes) == (service.model, service.tape, None)
        role = f".{one.name}" if one.part == INSTRUMENTS else ""
        value[one.part][one.name]["tapes"] = f"tapes/{parent.name}{'' if same else '.derived'}{role}"


MODEL_OPTION = "-m"
TAPE, REVISION, ADDRESS_FIELD = "tape", "revision", "base_url"
MODEL_FORM = (
    "write -m NAME=PROVIDER/MODEL, such as -m small=transformers/assets/tiny-shaped or -m openai/gpt-4o-mini; "
    "@URL behind it names a server of your own: -m mine=openai/MODEL@http://127.0.0.1:8000/v1"
)
SERVER = re.compile(r"(?P<model>.+?)@(?P<url>https?://.*)", re.IGNORECASE)


class ModelOption(NamedTuple):
    """A model of the command line: its name in a manifest, its settings there, and the option as written."""

    name: str
    said: Mapping[str, str]
    text: str


def read_model_option(text: str) -> ModelOption:
    """Parse `NAME=PROVIDER/REST`, or `PROVIDER/REST`, from which a name is made; InputError if it means no model."""
    where = f"{MODEL_OPTION} {_without_secrets(text)[:200]}"
    head, _, rest = text.partition("/")
    name, named, provider = head.rpartition("=")
    if not provider or not rest.strip():
        raise InputError("this names no model", where=where, next=MODEL_FORM)
    settings = PROVIDERS.find(provider, where)
    try:
        said = {"provider": provider, **_said(settings, rest.strip())}
        name = texts.name(name) if named else _name_of(rest.strip())
    except ValueError as bad:
        raise InputError(f"this is no model that a line can name: {bad}", where=where, next=MODEL_FORM) from None
    return ModelOption(name, said, f"{MODEL_OPTION} {name}={provider}/{rest.strip()}")


def _said(settings: type[Settings], rest: str) -> dict[str, str]:
    """Return the settings that REST stands for: the only required field of the provider, and a tape to record on.

    For a model of the hub, what follows `@` is the revision; for one behind an API, a URL there is its server. Raises
    ValueError if a provider requires more fields, or has no server.
    """
    needed = [each.name for each in fields(settings) if each.default is each.default_factory is MISSING]
    needed = [name for name in needed if name not in ("provider", TAPE)]
    if len(needed) != 1:
        raise ValueError("such a model needs more than a line: write it into a manifest")
    said, _, revision = rest.partition("@") if rest.startswith(HUB) else (rest, "", "")
    names, server = {each.name for each in fields(settings)}, SERVER.fullmatch(rest)
    if server and ADDRESS_FIELD not in names:
        raise ValueError("a model of this provider has no server: leave out what follows the @")
    if ADDRESS_FIELD in names and not server and "//" in rest:  # as a model's name, a password in it would be written
        raise ValueError("what follows the @ is no URL that begins with http:// or https://")
    if server:
        said = server["model"]
        ADDRESS(server["url"])
    return {
        needed[0]: said,
        **({ADDRESS_FIELD: server["url"].rstrip("/")} if server else {}),
        **({TAPE: "record"} if TAPE in names else {}),
        **({REVISION: revision} if revision and REVISION in names else {}),
    }


def _without_secrets(text: str) -> str:
    """Return an option without its URL if that may hold a name, a password or a key: it has a sign of them anywhere."""
    return re.sub(r"//.*[@?#].*", "//…", text, flags=re.DOTALL)


def _name_of(rest: str) -> str:
    """Return a model's name, made of what its provider calls it: the last part of a path, without a revision."""
    last = rest.partition("@")[0].rstrip("/").rpartition("/")[2]
    name = re.sub(r"[^a-z0-9._-]+", "-", last.lower()).strip("-._")
    return texts.name(name)


FOLDER = "manifests/derived"
FIRST = ("harness", "study", "name", "about")  # what a manifest begins with
OWN_NAME = "rename it and take `derived` out, so that it is a manifest of its own; or delete it, and it is made again"


@dataclass(frozen=True)
class DerivedOptions:
    """The options that derive a manifest from another one, as texts."""

    models: Sequence[str] = ()  # NAME=PROVIDER/REST
    only: Sequence[str] = ()  # model=a,b  dataset=x
    settings: Sequence[str] = ()  # PATH=VALUE

    def __bool__(self) -> bool:
        """Whether any option is given."""
        return bool(self.models or self.only or self.settings)


def derive_manifest(parent: LoadedManifest, options: DerivedOptions) -> LoadedManifest:
    """Write the manifest that options make of a parent, unless it is there, and load it.

    Raises InputError, which names the option, for what the schema or the study refuses; and for a file that was edited
    since it was written.
    """
    if parent.manifest.derived:
        raise InputError(
            "this manifest is derived itself",
            where=parent.tree.where,
            next=f"give them to {parent.manifest.derived.parent}, after {_joined(parent.manifest.derived.changes)}",
        )
    value, places, changes = _changed(parent, options)
    at = parent.path.relative_to(parent.root).as_posix()
    origin = {"derived": {"from": at, "sha256": parent.sha256, "changes": changes}}
    tree = derived_tree(parent.tree, value, places)
    draft = replace(parent, manifest=typed_manifest(tree), tree=tree)
    keep_tapes(value, parent.manifest, draft.manifest)
    keep_possible_outputs(value, draft, parent.manifest.outputs.keys() - {place[-1] for place in places})
    digest = sha256(spell_yaml({**value, **origin}, PLAIN_JSON).encode())
    value["name"] = f"{parent.manifest.name[:71]}-{digest[:8]}"
    first = {name: value.pop(name) for name in FIRST if name in value}
    value = {**first, **origin, **value}
    data = (_comment(at, parent.sha256, changes) + spell_yaml(value, PLAIN_JSON)).encode()
    path = parent.root / FOLDER / f"{value['name']}.yaml"
    tree = derived_tree(parent.tree, value, places)
    check_manifest(LoadedManifest(typed_manifest(tree), data, tree, path, parent.root, parent.homes))
    _write(path, data)
    return load_manifest(path, parent.homes)


def held_lock(loaded: LoadedManifest) -> Lock | None:
    """Return the lock that a manifest's new lock is compared with: its own, else its parent's, else None.

    Data that has grown since the parent was first locked is thus cut where the parent's lock cuts it.
    """
    origin = loaded.manifest.derived
    path = loaded.root / origin.parent if origin else loaded.path
    if not (origin and path.is_file()):
        return load_lock(loaded.root, loaded.manifest.name)
    return load_lock(loaded.root, load_manifest(path, loaded.homes).manifest.name)


def _changed(parent: LoadedManifest, options: DerivedOptions) -> tuple[dict[str, Any], dict[Place, str], list[str]]:
    """Apply the options to the parent's tree; return it, the places that options wrote, and the options in order."""
    value: dict[str, Any] = copy.deepcopy(parent.tree.value)
    places: dict[Place, str] = {}
    for option in sorted(map(read_model_option, options.models), key=lambda option: option.name):
        models = value["models"] = value.get("models") or {}
        if option.name in models:
            raise InputError(
                f"there is a model {option.name!r} already",
                where=option.text,
                next=f"give this one another name: -m NAME={option.text.partition('=')[2]}",
            )
        models[option.name] = dict(option.said)
        places["models", option.name] = option.text
    changes = list(places.values())
    only = read_only_options(options.only)
    if MODEL in only:
        only_models(value, only[MODEL])
        _require_kept(places, value["models"], only[MODEL])
    if DATASET in only:
        only_datasets(value, only[DATASET], parent)
    changes += [only[kind].text for kind in sorted(only)]
    put: dict[Place, str] = {}
    for change in sorted(map(read_set_option, options.settings)):
        place = set_value(value, change)
        if near := [one for one in put if one[: len(place)] == place[: len(one)]]:
            raise InputError(f"{put[near[0]]} sets this too", where=change.where, next="set each value once")
        put[place] = change.where
        changes.append(change.text)
    value.pop("claims", None)
    return value, {**places, **put}, changes


def _require_kept(added: Mapping[Place, str], kept: Collection[str], only: OnlyOption) -> None:
    """Raise InputError for a model that `-m` adds and `--only` leaves out, which would be asked nothing."""
    for (_, name), option in added.items():
        if name not in kept:
            names = ",".join(sorted({*only.names, str(name)}))
            raise InputError(
                f"{only.text} leaves out the model {name!r} that {MODEL_OPTION} adds",
                where=option,
                next=f"keep it too: {ONLY_OPTION} model={names}; or leave {MODEL_OPTION} out",
            )


def _comment(parent: str, digest: str, changes: Sequence[str]) -> str:
    return (
        f"# Derived by the harness from {parent} (sha256 {digest[:12]}…):\n"
        f"#   harness run {shlex.quote(parent)} {_joined(changes)}\n"
        "# The same options give this file again. It makes no claims, and no run of it is ever accepted: to keep it\n"
        "# as a manifest of your own, copy it, give it a name of its own and take `derived` out.\n"
    )


def _joined(changes: Sequence[str]) -> str:
    """Join options to one line of a shell; characters that cannot be printed are escaped."""
    words = (text.partition(" ") for text in changes)
    line = " ".join(f"{option} {shlex.quote(value)}" for option, _, value in words)
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in line)


def _write(path: Path, data: bytes) -> None:
    """Write a derived manifest; raise InputError if the file exists with other bytes, because it was edited."""
    if not path.exists():
        write_atomic(path, data)
    elif read_plain(path) != data:
        raise InputError("this derived manifest was edited", where=str(path), next=OWN_NAME)
