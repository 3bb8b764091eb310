"""A step's code is every file of the harness it imports, at any depth, and nothing else."""

import json
import subprocess
import sys

import pytest

from harness.digest import sha256
from harness.errors import InputError
from harness.run.closure import Code, code_root

TREE = {
    "harness/__init__.py": '"""The package."""\n',
    "harness/run/__init__.py": "",
    "harness/run/step.py": "import json\n",
    "harness/a/__init__.py": "",
    "harness/a/kind.py": (
        "import os, harness.b.one\nfrom harness import rows\nfrom harness.c import value, CONSTANT\n"
        "def f():\n    from harness.b import two as other\n    if True:\n        import harness.d.late as d\n"
    ),
    "harness/a/unused.py": "import harness.a.kind\n",
    "harness/b/__init__.py": "",
    "harness/b/one.py": "from harness.b.three import thing\n",
    "harness/b/two.py": "from harness.a.kind import f\n",  # a circle
    "harness/b/three.py": "thing = 1\n",
    "harness/b/four.py": "",
    "harness/c/__init__.py": "from harness.c.inner import value\nCONSTANT = 1\n",
    "harness/c/inner.py": "value = 1\n",
    "harness/d/__init__.py": "",
    "harness/d/late.py": "",
    "harness/rows.py": "",
    "harness/data.json": "{}",
    "other/__init__.py": "",
}
CLOSURE = {
    "harness/__init__.py", "harness/run/__init__.py", "harness/run/step.py", "harness/a/__init__.py",
    "harness/a/kind.py", "harness/b/__init__.py", "harness/b/one.py", "harness/b/two.py", "harness/b/three.py",
    "harness/c/__init__.py", "harness/c/inner.py", "harness/d/__init__.py", "harness/d/late.py", "harness/rows.py",
}  # fmt: skip
KIND = "harness.a.kind:f"


@pytest.fixture
def root(tmp_path):
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_closure_holds_exactly_what_is_imported_at_any_depth(root):
    closure = Code(root).closure(KIND)
    assert closure.files == {name: sha256(TREE[name].encode()) for name in sorted(CLOSURE)}
    assert closure.digest == sha256(closure.document)
    assert json.loads(closure.document)["files"] == closure.files


def test_the_parents_of_a_module_belong_to_it_and_bring_what_they_import(root):
    (root / "harness/b/__init__.py").write_text("import harness.b.four\n")
    assert set(Code(root).closure(KIND).files) == CLOSURE | {"harness/b/four.py"}


@pytest.mark.parametrize("name", sorted(CLOSURE))
def test_any_changed_byte_of_a_file_changes_the_closure(root, name):
    before = Code(root).closure(KIND)
    (root / name).write_text(TREE[name] + "# a comment\n")
    after = Code(root).closure(KIND)
    assert after.digest != before.digest
    assert {file for file in after.files if after.files[file] != before.files[file]} == {name}


@pytest.mark.parametrize("name", sorted(set(TREE) - CLOSURE))
def test_a_file_that_is_not_imported_changes_nothing(root, name):
    before = Code(root).closure(KIND).digest
    (root / name).write_text(TREE[name] + "# a comment\n")
    assert Code(root).closure(KIND).digest == before


def test_functions_of_one_module_share_their_closure(root):
    code = Code(root)
    assert code.closure("harness.a.kind:g") is code.closure(KIND)
    assert code.closure("harness.rows:cut").digest != code.closure(KIND).digest


def test_the_sources_that_were_read_are_the_sources_that_were_named(root):
    code = Code(root)
    closure = code.closure(KIND)
    (root / "harness/rows.py").write_text("changed after it was read")
    assert {name: sha256(code.sources[name]) for name in closure.files} == closure.files


def test_a_file_that_changes_between_two_kinds_is_in_both_as_it_was_first_read(root):
    code = Code(root)
    code.closure(KIND)
    (root / "harness/rows.py").write_text("changed after it was read")
    closure = code.closure("harness.rows:cut")
    assert closure.files["harness/rows.py"] == sha256(TREE["harness/rows.py"].encode())
    assert {name: sha256(code.sources[name]) for name in closure.files} == closure.files


@pytest.mark.parametrize(
    "line", ["from . import one", "from .one import x", "from .. import rows", "def f():\n    from . import x"]
)
def test_a_relative_import_is_refused(root, line):
    (root / "harness/b/three.py").write_text(line + "\n")
    with pytest.raises(InputError, match="relative import"):
        Code(root).closure(KIND)


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import os\nexcept ImportError:\n    {}\n",
        "try:\n    import os\nfinally:\n    {}\n",
        "for _ in ():\n    pass\nelse:\n    {}\n",
        "while False:\n    {}\n",
        "with open('x'):\n    {}\n",
        "match 1:\n    case 2:\n        {}\n",
        "class A:\n    async def f(self):\n        async with self:\n            {}\n",
        "if 0:\n    pass\nelif 1:\n    pass\nelse:\n    x = 1; {}\n",
    ],
)
def test_an_import_is_found_in_whatever_statement_it_stands(root, text):
    (root / "harness/b/three.py").write_text(text.format("import harness.b.four"))
    assert "harness/b/four.py" in Code(root).closure(KIND).files


@pytest.mark.parametrize("kind", ["harness.a.nothing:f", "os:system", "", "harness.a.kind.f", "..:x", "/etc/passwd:x"])
def test_a_kind_that_is_no_module_of_the_harness_is_refused(root, kind):
    with pytest.raises(InputError):
        Code(root).closure(kind)


def test_the_closure_of_every_installed_step_is_enough_to_import_it(tmp_path):
    code = Code()
    for kind in (
        "harness.rows:cut",
        "harness.studies.reliability.data.addition:make",
        "harness.models.providers.baseline:respond",
    ):
        closure = code.closure(kind)
        folder = tmp_path / kind.replace(":", ".")
        for name in closure.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((code_root() / name).read_bytes())
        module, _, function = kind.partition(":")
        script = (
            f"import sys; sys.path.insert(0, {str(folder)!r}); import {module} as m; m.{function}; print(m.__file__)"
        )
        done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
        assert done.stdout.startswith(str(folder))
