"""The folder of a project: what makes it one, and the shipped files that it has copies of.

The files that locks pin are copied: image pins, image recipes, package locks, certificates. A project's locks therefore
stay as they are under another version of the harness, which ships other files. Models are not copied, because a lock
pins each of their files. No file is overwritten.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError, MissingError
from harness.files import translating_os_errors, write_atomic
from harness.run.closure import code_root
from harness.store.store import HOME

MODELS = "assets"
PACKED = "harness/shipped"  # below the folder of the package, as `setup.py` packs it


def shipped_root() -> Path:
    """Return the folder that contains the shipped files, under the paths that they have in a checkout."""
    packed = code_root() / PACKED
    return packed if packed.is_dir() else code_root()


def shipped_models() -> list[str]:
    """List the names of the small models whose weights come with the harness."""
    return sorted(path.parent.name for path in (shipped_root() / MODELS).glob("*/config.json"))


def shipped_model(name: str) -> Path:
    """Return the folder of a shipped model; raise MissingError, with the names there are, for any other."""
    known = shipped_models()
    if name not in known:
        raise MissingError(
            f"no model {name!r} is shipped with the harness",
            next=f"name one of: {', '.join(known)}" if known else "install the harness again: its models are missing",
        )
    return shipped_root() / MODELS / name


MARKER = "lockfiles"  # the folder by which a project is known
FOLDERS = ("lockfiles/manifests", "manifests", "data")
COPIED = ("lockfiles/images.json", "lockfiles/image-*.txt", "images/*/*", "certificates/*.json")
README = """\
# {name}

A project of the harness: evaluations of language models that can be repeated and checked.

- `manifests/`: what is meant, a file each; `harness new NAME --from FILE.csv` writes one
- `data/`: questions of your own
- `lockfiles/`: what manifests were pinned to; keep it in git
- `images/`, `certificates/`: what containers are made of, and how well graders grade; copies of the harness's own
- `{store}/`: answers, scores and records of runs; not for git

```sh
harness run manifests/NAME.yaml    # answers, scores and a table of them
harness list                       # the manifests, and how their runs ended
harness --help
```
"""


@dataclass(frozen=True)
class LaidFolder:
    """A project's folder as it was laid out: files that were written, and kept ones that differ from the shipped."""

    root: Path
    written: list[str]
    kept: list[str]


def lay_out_project(folder: Path) -> LaidFolder:
    """Make a folder a project: write what it lacks, and keep every file that is there.

    Raises InputError for a folder inside another project, because its manifests would no longer belong to that one.
    """
    with translating_os_errors(folder):
        if folder.exists() and not folder.is_dir():
            raise InputError("this is a file, not a folder", where=str(folder), next="name a folder, which may be new")
        _require_apart(folder.resolve())
        require_writable(folder.resolve())
        written, kept = [], []
        for name in FOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)
        for name, data in _contents(folder.resolve().name).items():
            path = folder / name
            if path.is_symlink() or path.exists():
                if not path.is_file() or path.read_bytes() != data:
                    kept.append(name)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, data)
            written.append(name)
    return LaidFolder(folder, written, kept)


def require_writable(folder: Path) -> None:
    """Raise MissingError if this user may not write in a folder or, if it is new, in the nearest one above it."""
    near = next(place for place in (folder, *folder.parents) if place.exists())
    if not os.access(near, os.W_OK | os.X_OK):
        raise MissingError(
            "nothing can be written in this folder",
            where=str(near),
            next="work in a folder that is yours, or make this one writable",
        )


def _require_apart(folder: Path) -> None:
    for above in folder.parents:
        if (above / MARKER).is_dir():
            raise InputError(
                "this folder lies in another project",
                where=str(above),
                next="work in that one, or name a folder outside of it",
            )


def _contents(name: str) -> Mapping[str, bytes]:
    """Return the files of a new project, by their paths in it."""
    root = shipped_root()
    found = {path for pattern in COPIED for path in root.glob(pattern) if path.is_file()}
    shown = name if name.isprintable() else "project"
    return {
        ".gitignore": f"{HOME}/\n".encode(),
        "README.md": README.format(name=shown.replace("`", ""), store=HOME).encode(),
        **{path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(found)},
    }
