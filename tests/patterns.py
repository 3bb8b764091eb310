"""The regular expressions of the product: every one of them by its module, and texts that one matches.

Which there are is taken from both sides, so that none is missed: from the compiler of `re`, which notes all that is
compiled while every module is imported, and from the source, which also shows what a function compiles when called.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from re import _constants as signs  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple, TypeGuard

import house


class Pattern(NamedTuple):
    """A pattern with its module; one of bytes as Latin-1."""

    module: str
    text: str
    flags: int


ROOT = Path(__file__).resolve().parents[1]
TAKE = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
# What others compile for themselves, such as a library of ours that is imported, is theirs.
NOTE = """
import importlib, json, sys
from re import _compiler
real, noted = _compiler.compile, []
def note(pattern, flags=0):
    frame = sys._getframe(1)
    while frame and frame.f_globals.get("__name__", "") in ("re", __name__):
        frame = frame.f_back
    name = frame.f_globals.get("__name__", "") if frame else ""
    if name.split(".")[0] in ("harness", "harness_tools"):
        noted.append((name, pattern if isinstance(pattern, str) else pattern.decode("latin-1"), int(flags)))
    return real(pattern, flags)
_compiler.compile = note
for module in sys.argv[1:]:
    importlib.import_module(module)
print(json.dumps(noted))
"""
MORE = 3  # what a repeat without a bound is written more often than it must be, at most
CLASSES = {
    signs.CATEGORY_DIGIT: "0179", signs.CATEGORY_NOT_DIGIT: "aZ -.", signs.CATEGORY_SPACE: "  \n\t",
    signs.CATEGORY_NOT_SPACE: "aZ0.-", signs.CATEGORY_WORD: "aeZ_7\u00e9", signs.CATEGORY_NOT_WORD: " .,-:",
}  # fmt: skip
ANYTHING = "a e7,.\u00e9\n-"


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Parse every module of the product."""
    for module in house.modules():
        path = house.source(module)
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text())


def compiled_at_import() -> list[Pattern]:
    """Give what is compiled while all modules are imported."""
    modules = [re.sub("^tools", "harness_tools", module) for module in house.modules() if "__main__" not in module]
    command = [sys.executable, "-c", NOTE, *modules]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return [Pattern(*each) for each in json.loads(done.stdout)]


def asked(tree: ast.AST) -> Iterator[ast.Call]:
    """Give every call that hands `re` a pattern."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in TAKE
        ):
            yield node


def written_in_calls() -> list[Pattern]:
    """Give what stands in a call of `re` as it is."""
    return [
        Pattern(path.removesuffix(".py").replace("/", "."), _text(call.args[0].value), _flags(call))
        for path, tree in trees()
        for call in asked(tree)
        if isinstance(call.args[0], ast.Constant)
    ]


def _text(pattern: Any) -> str:
    return pattern.decode("latin-1") if isinstance(pattern, bytes) else str(pattern)


def _flags(call: ast.Call) -> int:
    """Add up the flags that a call of `re` names."""
    named = [*call.args[1:], *(each.value for each in call.keywords if each.arg == "flags")]
    signs = [node.attr for one in named for node in ast.walk(one) if _is_flag(node)]
    return sum({int(getattr(re, sign)) for sign in signs})


def _is_flag(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(getattr(re, node.attr, None), re.RegexFlag)


def example(pattern: Pattern, random: Random) -> str:
    """Write a text that a pattern matches, if what it looks for ahead and behind happens to be there."""
    return _written(parser.parse(pattern.text, pattern.flags), random, {})


def written_part(part: Any, random: Random) -> str:
    """Write a text that a part of a parsed pattern matches by itself."""
    return _written(part, random, {})


def _written(part: Any, random: Random, groups: dict[int, str]) -> str:
    return "".join(_one(sign, value, random, groups) for sign, value in part)


def _one(sign: Any, value: Any, random: Random, groups: dict[int, str]) -> str:
    if sign is signs.LITERAL:
        return chr(value)
    if sign in (signs.ANY, signs.NOT_LITERAL):
        return random.choice("a e1.")
    if sign is signs.IN:
        return _member(value, random)
    if sign is signs.BRANCH:
        return _written(random.choice(value[1]), random, groups)
    if sign in (signs.MAX_REPEAT, signs.MIN_REPEAT):
        times = random.randint(value[0], max(value[0], min(int(value[1]), value[0] + MORE)))
        return "".join(_written(value[2], random, groups) for _ in range(times))
    if sign is signs.SUBPATTERN:
        text = _written(value[3], random, groups)
        groups[value[0] or 0] = text
        return text
    if sign is signs.GROUPREF:
        return groups.get(value, "")
    if sign is signs.ASSERT:
        return _written(value[1], random, groups)
    return ""


def _member(value: Any, random: Random) -> str:
    if value[0][0] is signs.NEGATE:
        return random.choice([sign for sign in ANYTHING if not any(_has(each, sign) for each in value)] or [""])
    sign, one = random.choice(value)
    if sign is signs.RANGE:
        return chr(random.randint(*one))
    return chr(one) if sign is signs.LITERAL else random.choice(CLASSES[one])


def _has(each: Any, sign: str) -> bool:
    """Whether a member of a set is, or holds, a sign."""
    kind, one = each
    if kind is signs.RANGE:
        return bool(one[0] <= ord(sign) <= one[1])
    return bool(kind is signs.LITERAL and one == ord(sign)) or (kind is signs.CATEGORY and sign in CLASSES[one])
