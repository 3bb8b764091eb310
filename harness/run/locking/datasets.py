"""Pins of made datasets, and of the study's tables that a plan reads: digest and row count of each file in a lock.

A run must make the same data. No data is made here, and no lock is changed.
"""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final, cast

from harness.digest import differing_pointers, sha256, sha256_file
from harness.errors import InputError, StepError
from harness.evidence.trail import data_pin
from harness.files import translating_os_errors
from harness.kit.study import Dataset, FileSet, Maker, Study
from harness.manifest.datasets import (
    FILE,
    FOLDER,
    FORMATS,
    MOST_OWN_FILES,
    SEVERAL,
    Fetched,
    FetchedFiles,
    Made,
    OwnFile,
    count_text,
    is_file_set,
    source_form,
)
from harness.manifest.documents import DatasetPin, FilePin, PromptsPin, TablePin
from harness.manifest.load import LoadedManifest, resolve_inside
from harness.manifest.lockfile import Lock
from harness.manifest.models import Prompts, WordingsFile
from harness.manifest.read import Tree
from harness.manifest.schema import Manifest
from harness.run.closure import code_root
from harness.run.locking.hub import COMMIT, GATED, bring_hub_files
from harness.steps import Pinned, Plan
from harness.store.blobs import Blobs
from harness.store.store import Entry, Store
from harness.studies.registry import find


def dataset_pin(entry: Entry, store: Store) -> DatasetPin:
    """Return the pin of a made dataset: the digest of each of its files, and its row count if it has rows."""
    made = {name: data_pin(one.sha256, store.blobs.deliver(one.sha256)) for name, one in entry.outputs.items()}
    return cast(DatasetPin, made)


def require_dataset(name: str, entry: Entry, lock: Lock, store: Store) -> None:
    """Raise InputError for a made dataset that differs from its pin, before anything is computed from it."""
    moved = list(differing_pointers(lock.pins["datasets"][name], dataset_pin(entry, store)))
    if moved:
        raise InputError(
            f"dataset {name!r} is not the one the lock pins; moved: "
            + ", ".join(f"pins/datasets/{name}{pointer}" for pointer in moved),
            next="if its maker was meant to change, `harness lock` again and review the change in git",
        )


@dataclass(frozen=True)
class MadeDataset:
    """One dataset to be made: its maker, its typed parameters, and the published data it reads."""

    name: str
    make: str
    maker: Maker
    params: Mapping[str, Any]
    files: Mapping[str, str]  # parameter -> the fetched dataset it names
    folders: Mapping[str, str] = field(default_factory=dict)  # the same, for datasets of many files
    own: bool = False  # its files are the project's, and none is fetched

    def dataset(self, rows: int, data: FetchedData) -> Dataset:
        """Return the dataset as a study's plan receives it: parameters, row count and the pinned files it reads."""
        files = {parameter: data.files[to] for parameter, to in self.files.items()}
        folders = {parameter: data.folders[to] for parameter, to in self.folders.items()}
        cuts, gated = data.cuts.get(self.name, ()), self.name in data.gated
        return Dataset(self.name, self.make, self.params, rows, files, folders, cuts, gated)

    def lacks(self, pins: Mapping[str, DatasetPin], how: Mapping[str, str]) -> str:
        """Say which published data the maker needs and the store lacks, and how to get it; "" if nothing is lacking."""
        if self.own:
            return ""
        for parameter, to in {**self.files, **self.folders}.items():
            pin = pins[to]
            if "unresolved" in pin:
                return f"it needs {to}, which is unresolved"
            if parameter in self.maker.whole and pin.get("absent"):
                lacking = count_text(len(pin["files"]), pin["absent"])
                return f"it needs every file of {to}, and has {lacking}; {how[to]}"
        return ""


@dataclass(frozen=True)
class FetchedData:
    """The published data and the project's files that makers read, by the name of their dataset."""

    files: Mapping[str, Pinned]
    folders: Mapping[str, FileSet]
    cuts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # of datasets whose file has grown
    gated: frozenset[str] = frozenset()  # datasets of the hub that are gated

    @classmethod
    def pinned(cls, pins: Mapping[str, DatasetPin], own: Mapping[str, FilePin] | None = None) -> FetchedData:
        """Return the published data that a lock pins and, from its pins of those, the files of the project."""
        many, own = {name: pin for name, pin in pins.items() if is_file_set(pin)}, own or {}
        return cls(
            {name: Pinned(pin["sha256"]) for name, pin in pins.items() if "sha256" in pin}
            | {name: Pinned(pin["sha256"]) for name, pin in own.items() if "sha256" in pin},
            {name: _file_set(pin["files"], pin.get("absent", ())) for name, pin in many.items()}
            | {name: _file_set(dict(pin[MANY])) for name, pin in own.items() if MANY in pin},
            {name: tuple(pin["cuts"]) for name, pin in own.items() if "cuts" in pin},
            frozenset(name for name, pin in own.items() if pin.get(GATED)),
        )

    @classmethod
    def placeholder(cls, manifest: Manifest) -> FetchedData:
        """Return placeholders for published data before it is pinned, as if every file were here."""
        some, said = "0" * 64, manifest.datasets.items()
        many = {name: dataset.fetch for name, dataset in said if isinstance(dataset, FetchedFiles)}
        return cls(
            {name: Pinned(some) for name, dataset in said if isinstance(dataset, Fetched)}
            | {pin: Pinned(some) for name, one in said if isinstance(one, OwnFile) for pin in pin_names(name, one)},
            {name: _file_set(dict.fromkeys(files, some)) for name, files in many.items()}
            | {name: _file_set({"": some}) for name, one in said if isinstance(one, OwnFile) and one.form != FILE},
        )

    def told_apart(self) -> tuple[FetchedData, dict[str, str]]:
        """Return placeholders of which each has the digest of its dataset's name; and the names by these digests."""
        digests = {name: sha256(f"data {name}".encode()) for name in (*self.files, *self.folders)}
        files = {name: Pinned(digests[name]) for name in self.files}
        folders = {name: _file_set(dict.fromkeys(one.here, digests[name])) for name, one in self.folders.items()}
        return FetchedData(files, folders, self.cuts, self.gated), {digest: name for name, digest in digests.items()}

    def with_files_here(
        self, manifest: Manifest, is_here: Callable[[str], bool], partial: Collection[str] = ()
    ) -> FetchedData:
        """Return these placeholders with the published files that are in the store, by the manifest's digests.

        A dataset of many files in `partial` has those that are here, if any is; its others are absent.
        """
        files, folders = dict(self.files), dict(self.folders)
        for name, dataset in manifest.datasets.items():
            if isinstance(dataset, Fetched) and dataset.sha256 and is_here(dataset.sha256):
                files[name] = Pinned(dataset.sha256)
            elif isinstance(dataset, FetchedFiles):
                stated = {path: file.sha256 for path, file in dataset.fetch.items()}
                absent = [path for path, digest in stated.items() if not is_here(digest)]
                if not absent or (name in partial and len(absent) < len(stated)):
                    folders[name] = _file_set(stated, absent)
        return FetchedData(files, folders, self.cuts, self.gated)


def pin_names(name: str, dataset: OwnFile) -> dict[str, str]:
    """Return the pins of a dataset's own files: by name of the pin, the maker's parameter that names the file."""
    return {name if parameter == "file" else f"{name}/shots": parameter for parameter in dataset.files}


def own_scorers(dataset: OwnFile, settings: Mapping[str, Any]) -> Any:
    """Return the scorers of a dataset as written: its own, else those of the manifest's settings."""
    return settings.get(SCORE) if dataset.score is None else dataset.score


def _own(name: str, dataset: OwnFile, settings: Mapping[str, Any], study: Study, tree: Tree) -> MadeDataset:
    """Return files of the user's own as a dataset that the study's reader of such files makes."""
    place = ("datasets", name, "file")
    if study.own_files is None:
        raise InputError(
            f"study {study.name} reads no file of one's own",
            where=tree.at(place),
            next="use one of its makers (`make: …`); questions of one's own are asked by `study: questions`",
        )
    said = dataset.model_dump(mode="json", exclude_none=True)
    score = own_scorers(dataset, {SCORE: said.pop(SCORE, None) or settings.get(SCORE)})
    many = dataset.form != FILE
    formats = {parameter: dataset.format_of(str(file)) for parameter, file in dataset.files.items()}
    if many:
        formats["file"] = dataset.format or ""
    try:
        fields = study.own_fields(said["fields"], {**settings, SCORE: score})
    except InputError as bad:
        under = ("settings",) if dataset.score is None else ("datasets", name)
        raise InputError(bad.what, where=tree.at((*under, *bad.where.split("."))), next=bad.next) from bad
    params = {**said, "file": dataset.told, "fields": dict(fields), "dataset": name, "format": formats["file"]}
    if many and not dataset.format:
        params["formats"] = dict(FORMATS)
    if dataset.shots:
        params["shots"] = {**said["shots"], "format": formats.get("shots_file", formats["file"])}
    files = {parameter: pin for pin, parameter in pin_names(name, dataset).items() if not many or parameter != "file"}
    maker = study.own_files({**params, SCORE: score})
    return MadeDataset(name, "file", maker, {**params, **maker.fixed}, files, {MANY: name} if many else {}, own=True)


def _file_set(files: Mapping[str, str], absent: Collection[str] = ()) -> FileSet:
    return FileSet({path: Pinned(sha) for path, sha in files.items() if path not in absent}, tuple(absent))


def made_datasets(manifest: Manifest, study: Study, tree: Tree) -> dict[str, MadeDataset]:
    """Return, by name, the datasets that a manifest makes, checked against the study's makers, parameters typed.

    Raises InputError for an unknown maker, wrong or missing parameters, and two datasets whose items would have the
    same ids.
    """
    found: dict[str, MadeDataset] = {}
    for name, dataset in manifest.datasets.items():
        if isinstance(dataset, OwnFile):
            found[name] = _own(name, dataset, manifest.settings, study, tree)
        if not isinstance(dataset, Made):
            continue
        place = ("datasets", name)
        maker = study.makers.get(dataset.make)
        if maker is None:
            raise InputError(
                f"study {study.name} makes no {dataset.make!r}",
                where=tree.at((*place, "make")),
                next=f"choose one of: {', '.join(study.makers)}",
            )
        made = [each for each in found.values() if not each.own]
        twins = [each.name for each in made if each.maker is maker or maker.ids == each.maker.ids != ""]
        if twins and "items" in maker.outputs:
            raise InputError(
                f"datasets {twins[0]!r} and {name!r} would give their items the same ids",
                where=tree.at((*place, "make")),
                next="keep one of them, or write a second manifest",
            )
        given = dict(dataset.model_extra or {})
        files = _made_datasets_named(Fetched, maker.files, given, (manifest, tree, place))
        folders = _made_datasets_named(FetchedFiles, maker.folders, given, (manifest, tree, place))
        _require(maker, {**files, **folders}, tree, place)
        params = {**maker.fixed, **_typed(maker, given, tree, place)}
        found[name] = MadeDataset(name, dataset.make, maker, params, files, folders)
    return found


# What a dataset of each form is called in messages, and an example of one.
_FORMS: Mapping[type, tuple[str, str]] = {
    Fetched: ("that is fetched", "{fetch: https://…, sha256: …, licence: …}"),
    FetchedFiles: ("of many files that are fetched", '{fetch: {"a.csv": {url: https://…, sha256: …}}, licence: …}'),
}


def _made_datasets_named(
    form: type, parameters: tuple[str, ...], given: dict[str, Any], at: tuple[Manifest, Tree, tuple[str, ...]]
) -> dict[str, str]:
    """Take out of a dataset's parameters those that name published data, and return the datasets they name."""
    found, (called, written), (manifest, tree, place) = {}, _FORMS[form], at
    for name in (name for name in parameters if name in given):
        other = given.pop(name)
        if not isinstance(manifest.datasets.get(other) if isinstance(other, str) else None, form):
            known = [key for key, value in manifest.datasets.items() if isinstance(value, form)]
            raise InputError(
                f"`{'.'.join((*place, name))}` names no dataset {called}",
                where=tree.at((*place, name)),
                next=f"name one of: {', '.join(known)}" if known else f"add one: `{written}`",
            )
        found[name] = other
    return found


def _require(maker: Maker, found: Mapping[str, str], tree: Tree, place: tuple[str, ...]) -> None:
    for name in maker.needs:
        if name not in found:
            field = ".".join((*place, name))
            raise InputError(
                f"`{field}` is missing", where=tree.at(place), next=f"add `{name}: …`, a dataset that is fetched"
            )


def _typed(maker: Maker, given: Mapping[str, Any], tree: Tree, place: tuple[str, ...]) -> dict[str, Any]:
    known = {**maker.params, **maker.optional}
    unknown = sorted(set(given) - set(known))
    if unknown:
        taken = (*known, *maker.files, *maker.folders)
        close = difflib.get_close_matches(unknown[0], taken, 1)
        raise InputError(
            f"unknown key `{'.'.join((*place, unknown[0]))}`",
            where=tree.at((*place, unknown[0])),
            next=(f"did you mean `{close[0]}`? " if close else "") + f"this maker takes: {', '.join(taken)}",
        )
    typed: dict[str, Any] = {}
    for name, kind in known.items():
        field = ".".join((*place, name))
        if name not in given:
            if name in maker.optional:
                continue
            raise InputError(f"`{field}` is missing", where=tree.at(place), next=f"add `{name}: …`")
        text = given[name]
        if kind is int:
            if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > 15:
                raise InputError(
                    f"`{field}` must be a whole number, not {text!r}",
                    where=tree.at((*place, name)),
                    next=f"write a whole number in digits alone, 0 or more: `{name}: 20`",
                )
            typed[name] = int(text)
            continue
        try:
            typed[name] = kind(text)
        except InputError as bad:
            raise InputError(f"`{field}` is wrong: {bad.what}", where=tree.at((*place, name)), next=bad.next) from None
    return typed


FILES: Final = "files"  # a kind of pins
CUTS: Final = "cuts"  # the field of a pin for items that grew
MANY: Final = "files"  # the field of a pin, and the input of a maker, for several files
SCORE = "score"  # the setting that a dataset may have of its own
OWN_WORDINGS = "file"  # the pin of a file of wordings
MOST = 1 << 20  # bytes of a file of wordings
_REFUSAL = re.compile(r"step \S+ failed: InputError: (.*) where: (.*) next: (.*)")  # as `run/step.py` ends
OWN = "`prompts: {text: …}`, `{texts: […]}`, `{turns: […]}` or `{file: …}`"


def require_own_wordings(manifest: Manifest, study: Study, tree: Tree) -> None:
    """Raise InputError for the user's own wordings if the study has published ones, and for the reverse."""
    said = manifest.prompts
    if said is None or isinstance(said, Prompts) != bool(study.own_wordings):
        return
    place = ("prompts", next(iter(said.model_fields_set)))
    if study.own_wordings:
        raise InputError(
            f"study {study.name} has no set of wordings", where=tree.at(place), next=f"write your own: {OWN}"
        )
    known = ", ".join(study.prompt_sets)
    raise InputError(
        f"study {study.name} takes no wordings of one's own",
        where=tree.at(place),
        next=f"name a set, `set: …`: {known}" if known else "leave `prompts` out: its data brings them along",
    )


def _own_files_named(manifest: Manifest) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the single files of a manifest's own datasets: each pin, its path, and its place in the manifest."""
    for name, dataset in manifest.datasets.items():
        if isinstance(dataset, OwnFile):
            for pin, parameter in pin_names(name, dataset).items():
                file = dataset.files[parameter]
                place = ("file",) if parameter == "file" else ("shots", "file")
                if isinstance(file, str) and source_form(file) == FILE:
                    yield pin, file, ("datasets", name, *place)


def file_pins(loaded: LoadedManifest) -> dict[str, FilePin]:
    """Return the pins of the files of a manifest's own datasets; InputError, with the line, for a missing file.

    Data sets of the hub are left out: `hub_pins` asks the hub about them.
    """
    found: dict[str, FilePin] = {}
    for pin, file, place in _own_files_named(loaded.manifest):
        path = resolve_inside(loaded.root, file, loaded.tree.at(place))
        with translating_os_errors(path):
            found[pin] = {"file": file, "sha256": sha256_file(path)[0]}
    for name, dataset in loaded.manifest.datasets.items():
        if isinstance(dataset, OwnFile) and dataset.form in (SEVERAL, FOLDER):
            paths = own_paths(loaded.root, dataset.file, loaded.tree.at(("datasets", name, "file")))
            with translating_os_errors(loaded.root):
                pairs = [[path, sha256_file(loaded.root / path)[0]] for path in paths]
            found[name] = {"file": dataset.told, MANY: pairs}
    return found


def own_paths(root: Path, source: str | tuple[str, ...], where: str) -> list[str]:
    """List the files of the project that a list, a pattern or a folder names, in the order of their paths.

    Names that begin with a dot are left out. Raises InputError if there is none, or one leads out of the project.
    """
    if isinstance(source, str):
        pattern = f"{source}**/*" if source.endswith("/") else source
        if source.endswith("/") and not (root / source).is_dir():
            raise InputError(f"there is no folder {source!r}", where=where, next="check the path")
        with translating_os_errors(root / source):
            found = [path.relative_to(root).as_posix() for path in root.glob(pattern) if path.is_file()]
        found = [path for path in found if not any(part.startswith(".") for part in path.split("/"))]
    else:
        found = [PurePosixPath(path).as_posix() for path in source]
    if not found:
        raise InputError(f"no file is called {str(source)!r}", where=where, next="check the pattern, or add files")
    if len(found) > MOST_OWN_FILES:
        raise InputError(
            f"{str(source)!r} names {len(found):,} files, and a dataset has at most {MOST_OWN_FILES:,}",
            where=where,
            next="write their rows to one file, such as JSON Lines",
        )
    for path in found:
        resolve_inside(root, path, where)
    return sorted(found)


@contextlib.contextmanager
def translating_step_refusals(*, own: bool) -> Iterator[None]:
    """Context manager that turns a step's refusal of a user's file into an InputError: file, row, column, remedy."""
    try:
        yield
    except StepError as bad:
        told = _REFUSAL.fullmatch(bad.what) if own else None
        if told is None:
            raise
        raise InputError(told[1], where=told[2], next=told[3]) from bad


def wordings_pin(loaded: LoadedManifest) -> dict[str, PromptsPin]:
    """Return the pin of a file of wordings, if the manifest names one: path, digest, and number of wordings."""
    if not isinstance(loaded.manifest.prompts, WordingsFile):
        return {}
    data = wordings_bytes(loaded)
    count = sum(1 for line in data.split(b"\n") if line.strip())
    return {OWN_WORDINGS: {"file": loaded.manifest.prompts.file, "sha256": sha256(data), "rows": count}}


def wordings_bytes(loaded: LoadedManifest) -> bytes:
    """Read a manifest's file of wordings; raise InputError if it is longer than 1 MiB."""
    assert isinstance(loaded.manifest.prompts, WordingsFile)
    path = resolve_inside(loaded.root, loaded.manifest.prompts.file, loaded.tree.at(("prompts", "file")))
    with translating_os_errors(path), open(path, "rb") as file:
        data = file.read(MOST + 1)
    if len(data) > MOST:
        raise InputError("a file of wordings is at most 1 MiB", where=str(path), next="keep data in a dataset's file")
    return data


def parse_wordings(loaded: LoadedManifest) -> list[Any]:
    """Parse a manifest's file of wordings, one JSON object per line; InputError, with the line, for any other."""
    assert isinstance(loaded.manifest.prompts, WordingsFile)
    read = find(loaded.manifest.study).own_wordings
    return list(read(wordings_bytes(loaded), loaded.manifest.prompts.file)) if read else []


def changed_file(loaded: LoadedManifest, held: Mapping[str, FilePin]) -> str:
    """Return the first of a manifest's own files whose bytes are not those that a lock pins; empty if there is none."""
    pins: dict[str, FilePin] = {**file_pins(loaded), **wordings_pin(loaded)}
    return next((moved for name, pin in pins.items() if name in held and (moved := _moved(pin, held[name]))), "")


def _moved(now: FilePin, held: FilePin) -> str:
    """Return the path of a file that is pinned otherwise now than in a lock; empty if none is."""
    if now["file"] != held.get("file"):
        return ""
    if MANY in now and MANY in held:
        apart = {tuple(one) for one in now[MANY]} ^ {tuple(one) for one in held[MANY]}
        return min((str(path) for path, _ in apart), default="")
    return str(now["file"]) if now.get("sha256") != held.get("sha256") else ""


def bring_files(loaded: LoadedManifest, lock: Lock, store: Store, beside: Path | None = None) -> None:
    """Copy the user's own files that a lock pins into the store; raise InputError if one changed since the lock.

    Files of a data set of the hub come from the store `beside`, or from the hub.
    """
    own = {name: pin for name, pin in lock.of("prompts").items() if name == OWN_WORDINGS}
    pins: dict[str, FilePin] = {**lock.of(FILES), **own}
    for pin in pins.values():
        lacking = {
            path: digest
            for path, digest in (pin[MANY] if MANY in pin else [[pin["file"], pin["sha256"]]])
            if store.blobs.state(digest) != "sound"
        }
        if COMMIT in pin:
            bring_hub_files(store, pin, lacking, beside)
            continue
        for file, digest in lacking.items():
            path = resolve_inside(loaded.root, file, loaded.tree.where)
            if store.blobs.copy(path)[0] != digest:
                raise InputError(
                    f"{file} is not the file that the lock pins",
                    where=loaded.tree.where,
                    next=f"`harness lock {loaded.path.name}` pins it as it is now",
                )


def with_cuts(
    new: Mapping[str, FilePin], datasets: Mapping[str, DatasetPin], old: Lock | None, blobs: Blobs
) -> dict[str, FilePin]:
    """Add to the pins of the user's files after how many items rows were appended, so that old shards stay as they are.

    `datasets` are the new pins of what was made of the files. A cut is added only if the items that `old` pins stand
    unchanged before the new ones.
    """
    found = {name: pin.copy() for name, pin in new.items()}
    for name in found.keys() & (old.of("datasets") if old else {}).keys():
        assert old
        before, now = old.of("datasets")[name].get("items"), datasets.get(name, {}).get("items")
        if not before or not now:
            continue
        cuts = [cut for cut in old.of(FILES).get(name, {}).get(CUTS, ()) if cut < now["rows"]]
        if now["rows"] > before["rows"] and _begins(blobs.deliver(now["sha256"]), before):
            cuts.append(before["rows"])
        if cuts:
            found[name][CUTS] = cuts
    return found


def _begins(path: Path, before: TablePin) -> bool:
    """Whether a table begins with the rows of another one, which is given by its digest and row count."""
    with open(path, "rb") as rows:
        head = [rows.readline() for _ in range(before["rows"])]
    return sha256(b"".join(head)) == str(before["sha256"])


TABLES: Final = "tables"


class Tables(dict[str, Pinned]):
    """The data files ("tables") that a plan may read, by name, as inputs; an unknown name raises InputError."""

    def __missing__(self, name: str) -> Pinned:
        """Raise InputError: there is no table of this name, or the lock does not pin it yet."""
        known = ", ".join(sorted(self)) or "none"
        raise InputError(
            f"there is no table {name!r} to plan with",
            where=f"tables there are: {known}",
            next="put it in the study's folder `tables/`; where it lies there, `harness lock` again pins it",
        )


def placeholder_tables(study: Study) -> Tables:
    """Return all tables of a study with digests made of their names, for planning before a lock pins any."""
    return Tables({name: Pinned(sha256(f"table {name}".encode())) for name in study.tables})


def pinned_tables(pins: Mapping[str, FilePin]) -> Tables:
    """Return the tables that a lock pins, from its pins of that kind."""
    return Tables({name: Pinned(pin["sha256"]) for name, pin in pins.items()})


def tables_read(plan: Plan, tables: Tables) -> set[str]:
    """Return the names of those tables whose digest is an input of a step of the plan."""
    sources = [source for step in plan.steps for source in step.inputs.values()]
    parts = [part for source in sources for part in (source if isinstance(source, tuple) else (source,))]
    read = {part.sha256 for part in parts if isinstance(part, Pinned)}
    return {name for name, pinned in tables.items() if pinned.sha256 in read}


def require_named(manifest: Manifest, study: Study, tree: Tree) -> None:
    """Raise InputError for a table that a manifest names and its study does not have."""
    known = study.tables if manifest.tables else {}
    for place, name in enumerate(manifest.tables):
        if name not in known:
            raise InputError(
                f"study {study.name} has no table {name!r}",
                where=tree.at((TABLES, place)),
                next=f"choose one of: {', '.join(known)}" if known else "put it in the study's folder `tables/`",
            )


def table_pins(study: str, names: Collection[str]) -> dict[str, FilePin]:
    """Return the pins of a study's tables: path below the code root and digest; tables that are gone are left out."""
    found = find(study).tables if names else {}
    return {
        name: {
            "file": found[name].resolve().relative_to(code_root()).as_posix(),
            "sha256": sha256(found[name].read_bytes()),
        }
        for name in sorted(names)
        if name in found
    }
