"""Start of a clean process for verdicts: only the harness from its source, and packages as locked, are loaded.

`clean_command` returns the command line of such a process. Its interpreter gets `-I -S`, so that it reads no `.pth`
file, no `sitecustomize` and no PYTHON… variable, and reads bytecode only from the folder that `make setup` wrote.

This file is also the script of that process. It loads the code of the harness from source alone, keeps the digest of
each file as it was loaded, and leaves all other imports to `run/installed/checked.py`. Before both import hooks are
installed, this file may import the standard library alone.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from hashlib import sha256
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from types import CodeType

PACKAGE = "harness"
BYTECODE, BYTECODE_LIST = "bytecode", "bytecode.list"  # beside the packages: the bytecode, and the list of its sources
VERDICTS = ("audit", "lock", "reproduce")  # commands that give a verdict, or accept a run because of one
DROPPED = ("PYTHON", "LD_", "GLIBC_", "MALLOC_")  # variables that change how any program starts
LOADED: dict[str, str] = {}  # in a clean process: each loaded file of the harness, with its source's digest


def own_bytecode() -> str:
    """Return the folder to read bytecode from: the one that setup made, or `/dev/null`, below which no file is."""
    prefix = os.path.realpath(sys.prefix)
    made = os.path.isfile(os.path.join(prefix, BYTECODE_LIST))
    return os.path.join(prefix, BYTECODE) if made else os.devnull


def clean_command(place: str, words: Sequence[str] = ()) -> list[str]:
    """Return the command that calls the function `place` (`module:name`) in a clean process, with argv `words`."""
    read = ["-X", f"pycache_prefix={own_bytecode()}", "--check-hash-based-pycs", "always"]
    script = (os.path.realpath(__file__), sys.prefix)
    return [sys.executable, "-I", "-S", "-B", *read, *script, place, *words]


def launcher() -> str:
    """Return the text of the shell script `harness`, which starts verbs that judge in a clean Python process."""
    quoted = [
        " ".join(f"'{word}'" for word in words)
        for words in (
            clean_command("harness.cli.entry:main"),
            [sys.executable, "-m", "harness.cli.entry"],
        )
    ]
    return "\n".join(
        [
            "#!/bin/sh",
            "# Written by harness.run.installed.setup. "
            "What gives a verdict starts in a process in which nothing else has a word.",
            'case "${1-}" in',
            f'    {"|".join(VERDICTS)}) exec {quoted[0]} "$@" ;;',
            f'    *) exec {quoted[1]} "$@" ;;',
            "esac",
            "",
        ]
    )


def clean_environment() -> dict[str, str]:
    """Return this process's environment without the variables that change how a program starts."""
    return {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}


def is_clean() -> bool:
    """Whether this process was started by `clean_command`."""
    return bool(sys.flags.isolated and sys.flags.no_site and loaded_files())


def loaded_files() -> dict[str, str]:
    """Return the files of the harness that a clean process has loaded, each with the digest of its source as loaded."""
    found = getattr(sys.modules["__main__"], "LOADED", {})
    return dict(found) if isinstance(found, dict) else {}


class _FromSource(SourceFileLoader):
    """Loader that compiles a module from its source, ignores any bytecode, and keeps the source's digest."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        data = self.get_data(path)
        LOADED[os.path.relpath(path, _root())] = sha256(data).hexdigest()
        code = self.source_to_code(data, path)
        assert isinstance(code, CodeType)
        return code


class _HarnessFinder:
    """Finder of the harness's own modules; it searches the folder of this package alone."""

    def __init__(self) -> None:
        self._folders: dict[str, FileFinder] = {}

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        if name.partition(".")[0] != PACKAGE:
            return None
        for folder in [_root()] if path is None else path:
            if folder not in self._folders:
                self._folders[folder] = FileFinder(folder, (_FromSource, SOURCE_SUFFIXES))
            if found := self._folders[folder].find_spec(name):
                return found
        return None


def _root() -> str:
    return os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def _start(prefix: str, place: str, words: Sequence[str]) -> None:
    """Call the function `place` in a process that has not yet imported anything outside the standard library."""
    sys.prefix = sys.exec_prefix = prefix  # as `site` would set them: where the packages are
    sys.argv = [PACKAGE, *words]
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [one for one in sys.path if os.path.realpath(one) != here]
    sys.meta_path.insert(0, _HarnessFinder())
    error = importlib.import_module("harness.errors").HarnessError
    try:
        importlib.import_module("harness.run.installed.checked").CheckedFinder.install()
        module, _, name = place.partition(":")
        getattr(importlib.import_module(module), name)()
    except error as bad:  # raised by an import; a command prints its own errors
        sys.stderr.write(f"error: {bad}\n")
        sys.exit(bad.code)


if __name__ == "__main__":
    _start(sys.argv[1], sys.argv[2], sys.argv[3:])
