"""A certificate is taken along where code moved and words were mended, and nowhere else."""

from __future__ import annotations

import ast
import json
import subprocess
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY
from support_certificates import write_certificate
from support_draws import drawn
from support_places import find_python

from harness.definitions import digest_definitions
from harness.digest import parse_document, seal_document, sha256
from harness.errors import InputError
from harness.kit.certificate import certificate_text, changed_files, find_contradictions
from harness.run.closure import Code
from harness.run.locking.certificates import CodeTree, carried_certificate, certificate_path, code_fields
from harness.steps import GATHER

SCORER = "toy.grade"
KINDS = ["harness.toy.grade:grade_rows"]
GRADE = '''
"""Grades a row: a sum within a margin."""

from __future__ import annotations

import re

from harness.toy.numbers import MARGIN, parse_number
from harness.toy import words

_SIGN = re.compile("[+-]")


def grade_rows(params, inputs, out):
    """Write a letter a row."""
    from harness.digest import sha256

    rows = [parse_number(text) for text in inputs]
    return [_grade_row(row, params) for row in rows if not words.is_refusal(row)], sha256(b"")


def _grade_row(row, params):
    names = {"c": row}
    return "c" if abs(row - params["sum"]) <= MARGIN and not _SIGN.match(str(names)) else "i"
'''
NUMBERS = '''
"""Reads numbers."""

import re

MARGIN = 0.5
_FORMS = {"one": 1}
_FORMS |= {"two": 2}
_DIGITS = re.compile("|".join(_FORMS) + "|[0-9]+")


def parse_number(text):
    found = _DIGITS.search(text)
    return _value(found.group()) if found else -1


def _value(text):
    return _FORMS.get(text) or int(text)
'''
WORDS = '''
"""Tells refusals."""

PHRASES = ("cannot", "will not")


class Phrase:
    """A phrase."""

    text: str = ""

    def fits(self, said, text=PHRASES[0]):
        return any(text in said for text in PHRASES) or text in said


def is_refusal(row):
    return found(row)


def found(row):  # what another file calls a number that it read
    return Phrase().fits(str(row))
'''
MODULES = {"harness/toy/__init__.py": "", "harness/toy/grade.py": GRADE, "harness/toy/numbers.py": NUMBERS,
           "harness/toy/words.py": WORDS}  # fmt: skip
GROUND = Code(REPOSITORY)
GROUND.closure(GATHER)


def tree(root: Path, modules: dict[str, str]) -> Path:
    """Write a tree of the harness with a grader in it."""
    for name, data in {**GROUND.sources, **{name: text.encode() for name, text in modules.items()}}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A tree with the certificate of its grader."""
    return certify(tree(tmp_path / "old", MODULES))


def certify(root: Path) -> Path:
    path = certificate_path(root, SCORER)
    path.parent.mkdir(exist_ok=True)
    fields = code_fields(KINDS, Code(root))
    body = json.loads(write_certificate(path, SCORER, fields["files"], 40, 4).read_bytes())
    del body["self"]
    path.write_bytes(seal_document({**body, **fields}))
    return root


def carry(old: Path, modules: dict[str, str], moved: dict[str, str] | None = None, kinds: list[str] = KINDS) -> Any:
    new = tree(old.parent / "new", modules)
    return carried_certificate(SCORER, kinds, old, moved or {}, Code(new)), new


def edited(name: str, before: str, after: str) -> dict[str, str]:
    assert MODULES[name].count(before) == 1
    return {**MODULES, name: MODULES[name].replace(before, after)}


def in_older_form(found: dict[str, Any], kind: str) -> dict[str, Any]:
    """Give a certificate as it was written before it said who labelled: with its makers' measurements alone."""
    kept = {name: value for name, value in found.items() if name not in ("sets", "self")}
    return {**kept, **found["sets"]["makers"], "type": kind}


def test_other_words_and_another_layout_change_no_certificate(old: Path) -> None:
    shown = certificate_path(old, SCORER)
    for name in MODULES:
        text = ast.unparse(ast.parse((old / name).read_text()))
        (old / name).write_text(f'"""Other words."""\n# a remark\n{text}\n')
    found = json.loads(shown.read_bytes())
    assert all(sha256((old / name).read_bytes()) != found["files"][name] for name in MODULES if MODULES[name])
    assert changed_files(found, old) == [] and certificate_text(shown, old).startswith(
        "not usable: kappa may be as low as "
    )


def test_an_older_certificate_holds_files_to_their_bytes(old: Path) -> None:
    found, name = json.loads(certificate_path(old, SCORER).read_bytes()), "harness/toy/words.py"
    older: Any = in_older_form(found, "certificate/1")
    del older["definitions"]
    assert find_contradictions(older) == [] and changed_files(older, old) == []
    (old / name).write_text(f"# a remark\n{WORDS}")
    assert changed_files(older, old) == [name] and changed_files(found, old) == []
    older["type"] = "certificate/2"
    assert find_contradictions(older) == ["it has not the fields of a certificate"]
    lacking: Any = {**found, "definitions": {**found["definitions"], "harness/other.py": "0" * 64}}
    assert find_contradictions(lacking) == ["it has not the fields of a certificate"]


def test_what_lies_in_one_file_now_is_carried_with_its_figures_and_names_where_it_came_from(old: Path) -> None:
    merged = GRADE.replace("from harness.toy.numbers import MARGIN, parse_number\n", "")
    merged = merged.replace("from harness.toy import words\n", "from harness.digest import sha256 as digest\n")
    merged = merged.replace("    from harness.digest import sha256\n", "").replace("sha256(b", "digest(b")
    merged = merged.replace("words.is_refusal", "is_refusal") + NUMBERS.replace("_value", "_word_value")
    words = WORDS.replace("Phrase", "Refusal")
    modules = {"harness/toy/__init__.py": "", "harness/toy/grading.py": merged + words}
    data = certificate_path(old, SCORER).read_bytes()
    at = "harness.toy.grading"
    kinds = [f"{at}:grade_rows"]
    moved = {f"harness.toy.{name}": at for name in ("grade", "numbers", "words")}
    with pytest.raises(InputError, match="the grader is not the same here: harness"):
        carry(old, modules, moved, kinds)
    moved |= {"harness.toy.numbers:_value": f"{at}:_word_value", "harness.toy.words:Phrase": f"{at}:Refusal"}
    found, new = carry(old, modules, moved, kinds)
    was = json.loads(data)
    assert found["predecessor"] == sha256(data) and found["sets"] == was["sets"]
    assert changed_files(found, new) == [] and find_contradictions(found) == []
    assert parse_document(seal_document(found), "certificate/3", "here") and "harness/toy/grading.py" in found["files"]


MORE = '_FORMS |= {"two": 2}\n'
SWAPPED = {**MODULES, "harness/toy/other.py": NUMBERS.replace("0.5", "5.0")}
OTHERWISE = {
    "a constant": edited("harness/toy/numbers.py", "0.5", "0.6"),
    "an operator": edited("harness/toy/grade.py", "<= MARGIN", "< MARGIN"),
    "another function of the same name": {**SWAPPED, "harness/toy/grade.py": GRADE.replace("toy.numbers", "toy.other")},
    "another module of the same name": {
        **SWAPPED,
        "harness/toy/grade.py": GRADE.replace("toy import words", "toy import other as words"),
    },
    "a name that is local now": edited("harness/toy/grade.py", "names = {", "MARGIN = 9; names = {"),
    "a name that was local": edited("harness/toy/words.py", ", text=PHRASES[0]", ", words=PHRASES[0]"),
    "an argument's default": edited("harness/toy/words.py", "text=PHRASES[0]", "text=PHRASES[1]"),
    "what is done at load": edited("harness/toy/words.py", "PHRASES = (", "str.x = 7\nPHRASES = ("),
    "a name bound twice": {**MODULES, "harness/toy/numbers.py": NUMBERS + "\nMARGIN = 9\n"},
    "a function bound twice": {**MODULES, "harness/toy/numbers.py": NUMBERS + "\ndef parse_number(text): pass\n"},
    "another order": {**MODULES, "harness/toy/numbers.py": NUMBERS.replace(MORE, "") + MORE},
    "a function that is gone": edited("harness/toy/numbers.py", "def _value", "def _gone"),
    "a value that changes another": edited(
        "harness/toy/grade.py", "_SIGN = ", 'import harness.toy.numbers as n\n_X = setattr(n, "MARGIN", 9)\n_SIGN = '
    ),
    "a class that does as it is made": edited(
        "harness/toy/words.py", "PHRASES = ", "class More(metaclass=print):\n    pass\n\n\nPHRASES = "
    ),
    "a file that is new": {
        **MODULES,
        "harness/toy/more.py": "from harness.toy import numbers\n_X = vars(numbers).update(MARGIN=9)\n",
        "harness/toy/grade.py": GRADE.replace("import re\n", "import re\n\nimport harness.toy.more\n"),
    },
    "a decorator": edited("harness/toy/words.py", "def is_refusal", "@staticmethod\ndef is_refusal"),
}  # fmt: skip


@pytest.mark.parametrize("what", drawn(OTHERWISE, 5, len(OTHERWISE)))
def test_a_grader_that_is_not_the_same_is_not_certified_by_what_it_was(old: Path, what: str) -> None:
    with pytest.raises(InputError, match="the grader is not the same here") as refused:
        carry(old, OTHERWISE[what])
    assert "--moved" in refused.value.next and "harness certify" in refused.value.next


def test_an_older_certificate_is_carried_as_its_makers(old: Path) -> None:
    path = certificate_path(old, SCORER)
    found = json.loads(path.read_bytes())
    path.write_bytes(seal_document(in_older_form(found, "certificate/2")))
    carried, _ = carry(old, MODULES)
    assert carried["type"] == "certificate/3" and carried["sets"] == {"makers": found["sets"]["makers"]}
    assert find_contradictions(carried) == [] and "parts" not in carried and "split" not in carried


def test_a_certificate_that_does_not_fit_the_older_tree_is_not_carried(old: Path) -> None:
    path = certificate_path(old, SCORER)
    found = json.loads(path.read_bytes())
    del found["self"]
    flawed = {
        "it names no code": {**found, "files": {}, "definitions": {}},
        "changed since it was measured: harness/toy/words.py": {
            **found,
            **{kind: {**found[kind], "harness/toy/words.py": "0" * 64} for kind in ("files", "definitions")},
        },
        "changed since it was measured: harness/toy/numbers.py": {  # which it leaves unnamed
            **found,
            **{
                kind: {name: one for name, one in found[kind].items() if "numbers" not in name}
                for kind in ("files", "definitions")
            },
        },
    }
    for said, forged in flawed.items():
        path.write_bytes(seal_document(forged))
        with pytest.raises(InputError, match=f"nothing to carry: void: .*{said}"):
            carry(old, MODULES)


NO_PYTHON = {
    "cut": b"def (",
    "a zero": b"x = '\x00'",
    "no UTF-8": b"\xff\xfe",
    "brackets": b"(" * 20_000,
    "signs": b"-" * 200_000 + b"1",
}


@pytest.mark.parametrize("what", NO_PYTHON)
def test_a_tree_that_is_no_python_is_refused(old: Path, what: str) -> None:
    (old / "harness/toy/words.py").write_bytes(NO_PYTHON[what])
    with pytest.raises(InputError, match="cannot be read as Python"):
        carry(old, MODULES)


def mutated(source: str, place: int) -> str:
    """Change one node of a text, so that it computes something else; empty where the node is none to change."""
    made = ast.parse(source)
    node = next(islice(ast.walk(made), place, None))
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str):
        node.value = f"{node.value}1" if isinstance(node.value, str) else node.value + 1
    elif isinstance(node, ast.Name):
        node.id += "_other"
    elif isinstance(node, ast.Attribute):
        node.attr += "_other"
    elif isinstance(node, ast.Compare):
        node.ops[0] = ast.Gt() if isinstance(node.ops[0], ast.Lt) else ast.Lt()
    elif isinstance(node, ast.BinOp):
        node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
    elif isinstance(node, ast.arg):
        node.arg += "_other"
    elif isinstance(node, ast.Return) and node.value:
        node.value = None
    else:
        return ""
    return ast.unparse(ast.fix_missing_locations(made))


RULES = sorted((REPOSITORY / "harness" / "answers").rglob("[a-z]*.py"))
assert RULES


@pytest.mark.exhaustive
@pytest.mark.parametrize("file", drawn(RULES, 1, 3), ids=lambda file: file.stem)
def test_no_change_of_what_a_real_grader_computes_leaves_its_digest(file: Path) -> None:
    source = file.read_text()
    bare = ast.unparse(_without_words(ast.parse(source)))
    kept = digest_definitions(source.encode())
    assert digest_definitions(bare.encode()) == kept
    texts = [mutated(bare, place) for place in drawn(range(len(list(ast.walk(ast.parse(bare))))), 60, 200)]
    assert any(texts)
    assert all(digest_definitions(text.encode()) != kept for text in texts if text)


def _without_words(made: ast.Module) -> ast.Module:
    for node in ast.walk(made):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [one for one in node.body if not _words(one)] or [ast.Pass()]
    return made


def _words(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def test_each_python_gives_the_same_digests() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path; from harness.definitions import digest_definitions as digest\n"
        "from harness.digest import sha256\n"
        "files = sorted(Path(sys.argv[1], 'harness', 'scorers').rglob('*.py'))\n"
        "print(sha256(''.join(digest(file.read_bytes()) for file in files).encode()))\n"
    )
    pythons = [path for version in ("3.11", "3.12", "3.13", "3.14") if (path := find_python(version))]
    said = {
        subprocess.run([python, "-I", "-c", code, REPOSITORY], capture_output=True, text=True, check=True).stdout
        for python in pythons
    }
    assert len(said) == 1


def test_what_a_file_defines_first_is_compared_by_what_it_is(tmp_path: Path) -> None:
    """It was compared as it is spelled: a name of it that moved looked like another function."""
    for tree, name in (("older", "first"), ("here", "begun")):
        (tmp_path / tree / "harness").mkdir(parents=True)
        text = f"def {name}():\n    return 1\n\n\ndef second():\n    return {name}()\n"
        (tmp_path / tree / "harness" / "a.py").write_text(text)
    older = CodeTree(tmp_path / "older", {"harness.a:first": "harness.a:begun"}).definitions(["harness/a.py"])
    assert older == CodeTree(tmp_path / "here", {}).definitions(["harness/a.py"])
    assert older != CodeTree(tmp_path / "older", {}).definitions(["harness/a.py"])
