"""No comprehension calls by its name what another of its function binds: Python 3.12.1 then finds nothing there.

It puts comprehensions into their function, and there takes the one name for the other.
"""

from __future__ import annotations

import symtable
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.house,
    pytest.mark.skipif(sys.version_info >= (3, 12), reason="its tables have comprehensions in their functions already"),
]
ROOT = Path(__file__).resolve().parents[1]
INLINED = ("listcomp", "dictcomp", "setcomp", "<listcomp>", "<dictcomp>", "<setcomp>")


def inlined(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        if child.get_name() in INLINED:
            yield child
            yield from inlined(child)


def confused(table: symtable.SymbolTable) -> Iterator[str]:
    """Yield the names that one comprehension of a function binds and another takes from the module."""
    inside = (
        [symbol for one in inlined(table) for symbol in one.get_symbols()] if table.get_type() == "function" else []
    )
    bound = {symbol.get_name() for symbol in inside if symbol.is_local() and not symbol.is_parameter()}
    yield from {
        f"{table.get_name()}: {one.get_name()}" for one in inside if one.is_global() and one.get_name() in bound
    }
    for child in table.get_children():
        yield from confused(child)


def of_text(text: str) -> list[str]:
    return sorted(confused(symtable.symtable(text, "text", "exec")))


def test_no_comprehension_takes_a_name_that_another_binds() -> None:
    found = {path.relative_to(ROOT).as_posix(): of_text(path.read_text())
             for folder in ("harness", "tools") for path in (ROOT / folder).rglob("*.py")}  # fmt: skip
    assert len(found) > 500 and {path: names for path, names in found.items() if names} == {}


def test_a_name_that_is_confused_is_found() -> None:
    text = "def f(g):\n    return [[h for h in g], {h(n) for n in g}]\ndef h(n):\n    return [n for n in [h(1)]]\n"
    assert of_text(text) == ["f: h"]
