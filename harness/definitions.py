"""Digests of what a source file defines, which comments, docstrings and layout do not change.

The digest is computed from the syntax tree, by the code of this module. `ast.dump` writes different text in each
Python version, and a digest of tokens would see brackets and commas that a formatter adds. The digest is the same in
each Python version that is supported.
"""

from __future__ import annotations

import ast
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from harness.digest import sha256

_PARSING = threading.Lock()  # CPython 3.11 counts the depth of a tree over all threads
_SILENT = {"ctx", "kind", "type_comment"}  # fields that do not change what is computed


Naming = Callable[[ast.AST], str | None]  # what a node stands for: "" for itself, None if it is left out


@lru_cache(maxsize=2048)
def digest_definitions(source: bytes) -> str:
    """Return the digest of what a file defines; equal for texts that differ only in comments, docstrings and layout."""
    return digest_nodes(parse_source(source).body)


def parse_source(source: bytes) -> ast.Module:
    """Parse a source file; only one thread parses at a time."""
    with _PARSING:
        return ast.parse(source)


def digest_nodes(nodes: Sequence[ast.AST], naming: Naming = lambda _: "") -> str:
    """Return the digest of syntax trees: node types and fields in order, without docstrings, `pass` and positions.

    `naming` returns the text that stands for a node, for things that have different names in different files.
    """
    lines: list[str] = []
    _walk_all(nodes, naming, lines)
    return sha256("\n".join(lines).encode())


def _walk_all(nodes: Iterable[ast.AST], naming: Naming, lines: list[str]) -> None:
    for node in nodes:
        if not _says_nothing(node) and naming(node) is not None:
            _walk(node, naming, lines)


def _walk(node: ast.AST, naming: Naming, lines: list[str]) -> None:
    if meant := naming(node):
        lines.append(f"={meant}")
        return
    lines.append(f"({type(node).__name__}")
    if isinstance(node, ast.Constant):
        # With its type, and in ASCII, because the letters that `repr` escapes differ between Pythons.
        lines.append(f"{type(node.value).__name__} {node.value!a}")
    elif isinstance(node, ast.JoinedStr):
        _walk_all(_merged(node.values), naming, lines)
    else:
        for field, value in ast.iter_fields(node):
            if field not in _SILENT and value is not None and value != []:
                lines.append(f".{field}")
                _walk_field(value, naming, lines)
    lines.append(")")


def _walk_field(value: object, naming: Naming, lines: list[str]) -> None:
    if isinstance(value, ast.AST):
        _walk(value, naming, lines)
    elif not isinstance(value, list):
        lines.append(ascii(value))
    elif value and isinstance(value[0], ast.stmt):
        _walk_all(value, naming, lines)
    else:
        for one in value:
            if isinstance(one, ast.AST):
                _walk(one, naming, lines)
            else:
                lines.append(ascii(one))  # a name in a `global` statement, or the None of an absent default


def _says_nothing(node: ast.AST) -> bool:
    """Whether a node is `pass` or a string alone, such as a docstring."""
    bare = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return bare or isinstance(node, ast.Pass)


def _merged(values: Iterable[ast.expr]) -> Iterator[ast.expr]:
    """Join adjacent texts of an f-string, which Python versions split at different places."""
    text = ""
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            text += value.value
            continue
        if text:
            yield ast.Constant(text)
        text = ""
        yield value
    if text:
        yield ast.Constant(text)
