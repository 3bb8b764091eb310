"""Every regular expression of the product is read alike by every Python: no possessive repeat, no atomic group."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from patterns import asked, compiled_at_import, trees, written_in_calls

from harness.texts import is_possessive

pytestmark = pytest.mark.house
FOREIGN = "harness/studies/questions/scoring/search.py"  # a person's patterns, by an engine that reads them rightly
SPELT = re.compile(r"[*+?}]\+|\(\?>")
OF_RE = {"_constants", "_parser"}  # what may be taken from `re` but by its name: a parser, which searches nothing


def written(tree: ast.Module) -> Iterator[str]:
    """Give every text of a module but its docstrings, the pieces of formatted texts among them."""
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, holders)]
    said = {body[0].value for body in bodies if body and isinstance(body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node not in said and isinstance(node.value, str | bytes):
            yield node.value if isinstance(node.value, str) else node.value.decode("latin-1")


def spells(text: str) -> bool:
    """Whether a text, or a piece of one, spells a possessive repeat or an atomic group, escapes and classes aside."""
    bare = re.sub(r"\[\^?\]?[^\]]*\]", "_", re.sub(r"\\.", "_", text, flags=re.DOTALL))
    return SPELT.search(bare) is not None


def test_no_pattern_that_is_compiled_at_import_is_possessive() -> None:
    noted = compiled_at_import()
    assert len(noted) > 700 and len({each.module for each in noted}) > 100
    assert [each for each in noted if is_possessive(each.text)] == []


def test_no_pattern_that_is_written_in_a_call_is_possessive() -> None:
    found = written_in_calls()
    assert len(found) > 500
    assert [each for each in found if is_possessive(each.text)] == []


def test_no_piece_of_a_pattern_spells_a_possessive_repeat() -> None:
    """What is put together in a call is made of texts of its module, or is somebody else's pattern."""
    found = [(path, text) for path, tree in trees() if any(asked(tree)) for text in written(tree) if spells(text)]
    assert found == []


def test_re_is_asked_by_its_name_and_another_engine_in_one_place() -> None:
    others = []
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in ("re", "regex", "sre_compile", "sre_parse"):
                others += [(path, alias.name) for alias in node.names if alias.name not in OF_RE]
            elif isinstance(node, ast.Import):
                others += [(path, alias.name) for alias in node.names if alias.name == "re" and alias.asname]
                others += [(path, alias.name) for alias in node.names if alias.name == "regex" and path != FOREIGN]
    assert others == []


@pytest.mark.parametrize("pattern", ["a++", "(?:ab?)*+", "[a]?+", "(a{2,}+)", "(?>a)", r"\\++", "(?=(?:a|b)++)"])
def test_a_possessive_pattern_is_known_by_its_tree_and_by_its_spelling(pattern: str) -> None:
    assert is_possessive(pattern) and spells(pattern)


@pytest.mark.parametrize("pattern", [r"a\++", "[*+]+", r"\?+", "a+", r"(a+)\+", "[+]+?", r"[]+]+"])
def test_a_plus_that_is_repeated_or_meant_is_none(pattern: str) -> None:
    assert not is_possessive(pattern) and not spells(pattern)
