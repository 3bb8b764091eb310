"""The code closure of a step: the files of the harness that its kind and the entry point import, at any depth.

Imports are read from the source, and nothing is imported. The closure's digest is in the step's key, and its files
are all the harness code that a step gets.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.definitions import parse_source
from harness.digest import encode_document, sha256
from harness.errors import InputError

ENTRY = "harness.run.step"
PACKAGE = "harness"
_INNER = ("body", "orelse", "finalbody", "handlers", "cases")  # fields of a statement that hold statements


def code_root() -> Path:
    """Return the folder that contains the package `harness` of this process."""
    return Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Closure:
    """The source files that a step's code consists of, each with its digest."""

    files: dict[str, str]  # path below the code root -> sha256

    @functools.cached_property
    def document(self) -> bytes:
        """The closure in canonical form, whose digest is part of the step's key."""
        return encode_document({"type": "closure/1", "files": self.files})

    @functools.cached_property
    def digest(self) -> str:
        """The SHA-256 of the closure document."""
        return sha256(self.document)


class Code:
    """Reader of sources with a cache: finds the closure of each step kind, and reads each file once."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or code_root()
        self.sources: dict[str, bytes] = {}
        self._closures: dict[str, Closure] = {}
        self._files: dict[str, Path | None] = {}
        self._imports: dict[str, list[str]] = {}

    def closure(self, kind: str) -> Closure:
        """Return the closure of a step kind ("package.module:function"); refuse an unknown module."""
        module = kind.partition(":")[0]
        if module not in self._closures:
            if self._file(module) is None:
                raise InputError(f"no module of the harness is called {module!r}", where=f"step kind {kind!r}")
            seen: set[str] = set()
            waiting = [module, ENTRY]
            while waiting:
                name = waiting.pop()
                if name not in seen:
                    seen.add(name)
                    waiting += [*_parents(name), *self.imports(name)]
            self._closures[module] = Closure(dict(self._source(name) for name in sorted(seen)))
        return self._closures[module]

    def imports(self, module: str) -> list[str]:
        """List the modules of the harness that a module imports, anywhere in its source."""
        if module not in self._imports:
            names = _imports(self.sources[self._source(module)[0]], module)
            own = {self._module(name) for name in names if name.partition(".")[0] == PACKAGE}
            self._imports[module] = sorted(own)
        return self._imports[module]

    def packages(self, kind: str) -> set[str]:
        """List the packages that a kind's code imports, anywhere in its source, besides Python and the harness."""
        found = set()
        for path in self.closure(kind).files:
            module = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
            found |= {name.partition(".")[0] for name in _imports(self.sources[path], module)}
        return found - {PACKAGE, *sys.stdlib_module_names}

    def _module(self, name: str) -> str:
        """Return the module of an imported name, which may name a value: `from harness.digest import sha256`."""
        while self._file(name) is None:
            name = name.rpartition(".")[0]
        return name

    def _source(self, module: str) -> tuple[str, str]:
        """Read a module's file, once; return its path below the root and its digest."""
        path = self._file(module)
        assert path
        name = path.relative_to(self.root).as_posix()
        if name not in self.sources:
            self.sources[name] = path.read_bytes()
        return name, sha256(self.sources[name])

    def _file(self, module: str) -> Path | None:
        if module not in self._files:
            base = self.root.joinpath(*module.split("."))
            found = (path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file())
            self._files[module] = next(found, None)
        return self._files[module]


def _parents(module: str) -> Iterator[str]:
    while "." in module:
        module = module.rpartition(".")[0]
        yield module


@functools.lru_cache(maxsize=512)
def _imports(source: bytes, module: str) -> tuple[str, ...]:
    """List every name that a module's text imports; imports are statements, so expressions are not searched."""
    names: list[str] = []
    waiting: list[ast.AST] = [parse_source(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise InputError(
                    "a relative import hides what a step depends on", where=module, next="import by the full name"
                )
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            for field in _INNER:
                waiting += getattr(node, field, ())
    return tuple(names)
