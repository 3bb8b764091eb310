"""Programs in answers: their code blocks as syntax trees, and the values they state by name.

Programs are parsed and never run. Sees no ground truths.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from harness.studies.curie.reading.texts import encodable, fenced

LONGEST = 200_000  # characters of a block that are parsed; OURS
COMPOSITION = "composition"
_FORMULAS: Mapping[str, tuple[int, str]] = {  # functions of ASE with a formula: its position and name
    "Atoms": (0, "symbols"),
    "molecule": (0, "name"),
    "bulk": (0, "name"),
    "add_adsorbate": (1, "adsorbate"),
}
Block = tuple[str, ast.Module]


def blocks(text: str) -> list[Block]:
    """Return the code blocks of an answer that are Python and not empty; without a fence the answer is one block."""
    found = ((block, _parsed(block)) for block in map(encodable, fenced(text) or [text]))
    return [(block, tree) for block, tree in found if tree is not None and tree.body]


def _parsed(block: str) -> ast.Module | None:
    if len(block) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes and comparisons that Python finds odd
            return ast.parse(block)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def named(tree: ast.Module, names: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Yield the values that a program states under these names, and as `composition` the formulas it builds atoms of.

    Keyword arguments, items of dictionaries and assignments to one name count if the value is a literal.
    """
    for node in ast.walk(tree):
        for name, value in _pairs(node):
            if name in names:
                yield from ((name, found) for found in _literal(value))
        if isinstance(node, ast.Call):
            formula = _formula(node)
            if isinstance(formula, ast.Constant) and isinstance(formula.value, str):
                yield COMPOSITION, formula.value


def _pairs(node: ast.AST) -> Iterator[tuple[Any, ast.expr]]:
    if isinstance(node, ast.Call):
        formula = _formula(node)
        yield from ((one.arg, one.value) for one in node.keywords if one.value is not formula)
    elif isinstance(node, ast.Dict):
        keys = (one.value if isinstance(one, ast.Constant) else None for one in node.keys)
        yield from ((key, value) for key, value in zip(keys, node.values, strict=True) if isinstance(key, str))
    elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        yield node.targets[0].id, node.value
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        yield node.target.id, node.value


def _formula(call: ast.Call) -> ast.expr | None:
    """Return the argument of a call that is a chemical formula; None if the call is not one of ASE's builders."""
    place, name = _FORMULAS.get(_called(call.func), (0, ""))
    if not name:
        return None
    if len(call.args) > place:
        return call.args[place]
    return next((one.value for one in call.keywords if one.arg == name), None)


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _literal(value: ast.expr) -> Iterator[Any]:
    try:
        yield ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return


def measures(trees: Sequence[ast.Module]) -> dict[str, int]:
    """Count the functions of programs, and those that do nothing: `pass`, `...`, no result, or not implemented."""
    functions = [
        node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return {
        "parses": int(bool(trees)),
        "n_functions": len(functions),
        "n_placeholders": sum(all(map(_does_nothing, one.body)) for one in functions),
    }


def _does_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Return):
        return statement.value is None or (isinstance(statement.value, ast.Constant) and statement.value.value is None)
    if isinstance(statement, ast.Raise):
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    return isinstance(statement, ast.Pass)
