"""Safety checks for the files of a local model, and the layout of pinned files as a folder.

Only safetensors weights are accepted, because other formats can run code. Names and bytes are checked; tensors are not
loaded.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.rows import parts

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}(/[A-Za-z0-9][A-Za-z0-9._-]{0,99}){0,3}")
RUNS_CODE = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".msgpack", ".h5", ".npz", ".joblib", ".py", ".so")
WEIGHTS = ".safetensors"
HEADER_MOST = 100_000_000  # the format's own limit
JSON_MOST = 200_000_000


def model_files(folder: Path, *, drawn: bool = False) -> list[str]:
    """Return the sorted names of the files in a model folder that a lock pins.

    Markdown (.md) and hidden files are left out, so that a corrected model card changes no key. Weights are left out if
    they are `drawn` from a seed. Raises InputError for links, for formats that can run code, and for a folder without
    configuration or, unless drawn, without weights.
    """
    if not folder.is_dir():
        raise InputError("there is no such model folder", where=folder.name, next="give a folder with safetensors")
    names = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            raise InputError("a model folder holds no links", where=name, next="put the file itself there")
        if path.is_file() and path.suffix != ".md" and not path.name.startswith("."):
            names.append(name)
    if drawn:
        names = [name for name in names if not is_weights_or_index(name)]
    check_file_names(names, drawn=drawn)
    return names


def is_weights_or_index(name: str) -> bool:
    """Whether a file holds weights, or is their index; an untrained model needs neither."""
    return name.endswith((WEIGHTS, f"{WEIGHTS}.index.json"))


def check_file_names(names: Sequence[str], *, drawn: bool = False) -> None:
    """Raise InputError for a path that leaves its folder, a name that occurs twice, or a format that can run code.

    The names must include `config.json` and, unless weights are `drawn` from a seed, safetensors weights.
    """
    for name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InputError(
                f"a model file may not be called {name!r:.120}",
                where="files",
                next="use letters, digits, dots, dashes and underscores, and at most four folders",
            )
        if name.endswith(RUNS_CODE):
            raise InputError(
                f"{name!r} is of a format that can run code when it is read",
                where="files",
                next="convert the weights to safetensors and leave this file out",
            )
    if len(set(names)) != len(names):
        raise InputError("a model file is named twice", where="files", next="name each file once")
    for needed, found in (("config.json", "config.json" in names), ("*.safetensors", any(map(_is_weights, names)))):
        if not found and not (drawn and needed == "*.safetensors"):
            raise InputError(
                f"the model has no {needed}", where="files", next="give a folder in the Hugging Face format"
            )


def _is_weights(name: str) -> bool:
    return name.endswith(WEIGHTS)


def lay_out_files(weights: Path, names: Sequence[str], folder: Path, *, drawn: bool = False) -> Path:
    """Link pinned files into `folder` under their names, after a check of each, and return the folder."""
    check_file_names(names, drawn=drawn)
    files = parts(weights)
    if len(files) != len(names):
        raise InputError(
            f"{len(names)} model files are named and {len(files)} were delivered", where="files", next="lock again"
        )
    for name, path in zip(names, files, strict=True):
        if path.is_symlink() or not path.is_file():
            raise InputError("a model file is a link or no file", where=name, next="pin the file itself")
        check_file(name, path)
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(path.resolve())
    return folder


def check_file(name: str, path: Path) -> None:
    """Raise InputError for a file that is unsafe or damaged; JSON files and safetensors weights are checked.

    Refused are JSON that cannot be parsed, asks to run code or names weights elsewhere, and weights with a wrong
    header.
    """
    if name.endswith(".json"):
        _check_json(name, path)
    elif _is_weights(name):
        _check_weights(name, path)


def _check_json(name: str, path: Path) -> None:
    if path.stat().st_size > JSON_MOST:
        raise InputError("a configuration of this size is none", where=name, next="give the model's own files")
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as bad:
        raise InputError(f"not a JSON file: {bad}", where=name, next="give the model's own files") from bad
    if isinstance(value, dict):
        for key in ("auto_map", "trust_remote_code", "custom_pipelines"):
            if value.get(key):
                raise InputError(
                    f"the model asks to run code of its own (`{key}`), which is never done",
                    where=name,
                    next="use a model whose architecture is part of the transformers package",
                )
    if name.endswith(".index.json"):
        _check_index(name, value)


def _check_index(name: str, value: Any) -> None:
    """Raise InputError for a weight index that names files outside the model's folder."""
    table = value.get("weight_map") if isinstance(value, dict) else None
    if not isinstance(table, dict):
        raise InputError("the table of weights has no `weight_map`", where=name, next="give the model's own files")
    for part in table.values():
        if not isinstance(part, str) or not _NAME.fullmatch(part) or not _is_weights(part):
            raise InputError(
                f"the table of weights names {part!r:.120}", where=name, next="give a table that names safetensors here"
            )


def _check_weights(name: str, path: Path) -> None:
    """Check the header of a safetensors file against its size, without reading tensors."""

    def refuse(what: str) -> InputError:
        return InputError(f"not safetensors: {what}", where=name, next="get the file again, or convert it anew")

    size = path.stat().st_size
    with open(path, "rb") as stream:
        first = stream.read(8)
        length = struct.unpack("<Q", first)[0] if len(first) == 8 else 0
        if not 2 <= length <= min(HEADER_MOST, size - 8):
            raise refuse(f"its header claims {length} of {size} bytes")
        try:
            header = json.loads(stream.read(length))
        except (ValueError, RecursionError) as bad:
            raise refuse("its header is not JSON") from bad
    if not isinstance(header, dict):
        raise refuse("its header names no tensors")
    end = 0
    for tensor, about in header.items():
        if tensor == "__metadata__":
            continue
        span = about.get("data_offsets") if isinstance(about, dict) else None
        if not (isinstance(span, list) and len(span) == 2 and all(isinstance(at, int) for at in span)):
            raise refuse(f"tensor {tensor!r:.80} has no place")
        if not 0 <= span[0] <= span[1]:
            raise refuse(f"tensor {tensor!r:.80} has no place")
        end = max(end, span[1])
    if end != size - 8 - length:
        raise refuse(f"its tensors take {end} bytes and {size - 8 - length} are there")
