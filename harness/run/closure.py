"""The code closure of a step: every file of the harness that its kind imports, at any depth, read from the source.

The closure's digest stands in the key, and its files are what the isolation gets: nothing else can run.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.digest import document, sha256
from harness.errors import InputError

ENTRY = "harness.run.step"
PACKAGE = "harness"


def code_root() -> Path:
    """Say where the installed harness's source lies: the folder that holds the package."""
    return Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Closure:
    """The files a step's code consists of."""

    files: dict[str, str]  # path below the code root -> sha256

    @property
    def document(self) -> bytes:
        """Spell the closure as the document whose digest stands in the key."""
        return document({"type": "closure/1", "files": self.files})

    @property
    def digest(self) -> str:
        """Name the closure."""
        return sha256(self.document)


class Code:
    """The source as it stands: reads each file once, so that a thousand steps cost one look."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or code_root()
        self._closures: dict[str, Closure] = {}
        self.sources: dict[str, bytes] = {}

    def closure(self, kind: str) -> Closure:
        """Give the closure of a step kind ("package.module:function")."""
        module = kind.partition(":")[0]
        if module not in self._closures:
            if self._file(module) is None:
                raise InputError(f"no module of the harness is called {module!r}", where=f"step kind {kind!r}")
            seen: set[str] = set()
            waiting = [module, ENTRY]
            while waiting:
                name = waiting.pop()
                if name in seen:
                    continue
                seen.add(name)
                waiting += [parent for parent in _parents(name) if parent not in seen]
                waiting += [found for found in self.imports(name) if found not in seen]
            files = {}
            for name in sorted(seen):
                path = self._file(name)
                assert path
                files[path.relative_to(self.root).as_posix()] = sha256(self._read(path))
            self._closures[module] = Closure(files)
        return self._closures[module]

    def imports(self, module: str) -> list[str]:
        """List the modules of the harness that one module imports, wherever in its text the import stands."""
        path = self._file(module)
        assert path
        found = []
        for name in _imported(self._read(path)):
            if name.partition(".")[0] == PACKAGE:
                found.append(self._module(name))
        return sorted(set(found))

    def _module(self, name: str) -> str:
        """Find the module behind an imported name: `from harness.digest import sha256` names a value."""
        while self._file(name) is None:
            name = name.rpartition(".")[0]
        return name

    def _read(self, path: Path) -> bytes:
        name = path.relative_to(self.root).as_posix()
        if name not in self.sources:
            self.sources[name] = path.read_bytes()
        return self.sources[name]

    def _file(self, module: str) -> Path | None:
        base = self.root.joinpath(*module.split("."))
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                return path
        return None


def _parents(module: str) -> Iterator[str]:
    while "." in module:
        module = module.rpartition(".")[0]
        yield module


@functools.lru_cache(maxsize=512)
def _imported(source: bytes) -> tuple[str, ...]:
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            raise InputError("a relative import hides what a step depends on", next="import by the full name")
    return tuple(names)
