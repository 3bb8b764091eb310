"""Mutants: small changes that break a promise, each by the function it lies in, wherever that stands in the source.

A mutant names its function (`Class.method`, or a function), a text that stands once in it, what stands there instead,
and the folders of tests that must notice. It must never know how a test is run.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SOURCES = ("harness", "tools")


class MutantError(Exception):
    """A mutant that cannot be made of the source as it is."""


@dataclass(frozen=True)
class Mutant:
    """One change: where, from what, to what, which promise it breaks, and whose tests notice."""

    room: str
    function: str
    old: str
    new: str
    breaks: str
    tests: tuple[str, ...]
    long: bool = False  # the tests that must notice are long

    @property
    def name(self) -> str:
        """Give a line that tells it from the others."""
        return f"{self.function}: {' '.join(self.old.split())} → {' '.join(self.new.split()) or 'nothing'}"


def read_mutants() -> list[Mutant]:
    """Read the mutants of every room's list, in the order of rooms."""
    found = []
    for path in sorted(HERE.glob("*.toml")):
        for one in tomllib.loads(path.read_text())["mutant"]:
            found.append(Mutant(path.stem, **{**one, "tests": tuple(one["tests"])}))
    return found


def change(mutant: Mutant, root: Path = ROOT) -> tuple[Path, str]:
    """Give the file that a mutant changes, by its path below the root, and the whole text that it has then."""
    found = []
    for path, begin, end in _functions(root).get(mutant.function, ()):
        lines = (root / path).read_text().splitlines(keepends=True)
        body = "".join(lines[begin:end])
        if body.count(mutant.old) == 1:
            found.append((path, "".join([*lines[:begin], body.replace(mutant.old, mutant.new), *lines[end:]])))
    if len(found) != 1:
        where = "no function of that name has it once" if not found else "more than one function has it"
        raise MutantError(f"{mutant.name}: {where}")
    ast.parse(found[0][1])
    return found[0]


@cache
def _functions(root: Path) -> dict[str, list[tuple[Path, int, int]]]:
    """Find every function by its name in its class: its file, its first line and the line behind its last."""
    found = dict[str, list[tuple[Path, int, int]]]()
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*.py")):
            for name, begin, end in _defined(ast.parse(path.read_text())):
                found.setdefault(name, []).append((path.relative_to(root), begin, end))
    return found


def _defined(tree: ast.AST, within: str = "") -> Iterator[tuple[str, int, int]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{within}{node.name}"
            if not isinstance(node, ast.ClassDef):
                yield name, node.lineno - 1, node.end_lineno or node.lineno
            yield from _defined(node, f"{name}.")
        else:
            yield from _defined(node, within)
