"""Moves modules of the house: files go where a map says, several may become one, and every name follows.

    python tests/moves/move.py MAP.json

`{"files": {"run/room/new.py": ["run/old.py", "run/other.py"]}, "names": {"harness.run.old:_text": "_old_text"}, "docs":
{"run/room": "What it is for."}}`, below `harness`, or below `harness_tools` where a path begins so. Files that go to
one path become it, each below what it needs, and one `__all__` holds what each offered. Of names that two of them give
to different things private ones are told apart, and a public one wants a new name in `names`. Imports, texts that name
a module, Markdown and comments follow in the whole checkout. At the end what all files define is held against what they
defined before: every definition must be the same, its names meaning the same things. A move is one commit, and an edit
another.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from harness.run.locking.certificates import CodeTree, find_free_names, module_name

CODE = ("harness", "harness_tools", "tests", "lockfiles")
PACKAGES = CODE[:2]
TEXTS = ("docs", "lockfiles", ".ci", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "pyproject.toml")
WORDS = {".md", ".sh", ""}  # how files end that name modules, besides Python's
DOTTED = re.compile(r"\bharness(?:_tools)?(?:\.\w+)+(?::\w+)?")
LYING = re.compile(r"(?<![\w/.-])(?:harness/)?(?:[a-z0-9_]+/)+\w+\.py\b")
OFFERED = "__all__"
Edit = tuple[int, int, str]  # from, to, and what stands there then; in characters of a file


class MoveError(Exception):
    """What the map does not settle."""


@dataclass(frozen=True)
class Moves:
    """Where modules and names go."""

    modules: Mapping[str, str]  # old → new
    names: Mapping[str, str]  # "old module:name" → its new name
    docs: Mapping[str, str] = field(default_factory=dict)  # of new modules

    def place(self, module: str, name: str) -> tuple[str, str]:
        """Say in which module something lies afterwards, and how it is called there."""
        return self.modules.get(module, module), self.names.get(f"{module}:{name}", name)

    @cached_property
    def files(self) -> Mapping[str, str]:
        """Say where files go, the tools' folder by both its names."""
        found = {f"{old.replace('.', '/')}.py": f"{new.replace('.', '/')}.py" for old, new in self.modules.items()}
        tools = ((old, new) for old, new in found.items() if old.startswith(f"{PACKAGES[1]}/"))
        return found | {old.removeprefix("harness_"): new.removeprefix("harness_") for old, new in tools}

    @cached_property
    def _imported(self) -> re.Pattern[str]:
        called = {one.partition(":")[0] for one in self.names} | {one.rpartition(".")[0] for one in self.modules}
        return re.compile(rf"\b(from ({'|'.join(map(re.escape, called))}) import|import harness)\b")

    def concern(self, source: str) -> bool:
        """Whether a file names anything that moves."""
        return bool(self._called.search(source)) and self._names_one(source)

    @cached_property
    def _called(self) -> re.Pattern[str]:
        moved = [old for old, new in self.modules.items() if old != new]
        called = {one.rpartition(".")[2] for one in [*moved, *(one.partition(":")[0] for one in self.names)]}
        return re.compile(rf"\b({'|'.join(sorted(called))})\b")

    def _names_one(self, source: str) -> bool:
        return bool(self._imported.search(source)) or reworded(source, self) != source

    def spelled(self) -> dict[str, str]:
        """Spell the moves as `certify --moved` reads them."""
        named = {one: f"{self.modules.get(one.partition(':')[0], one.partition(':')[0])}:{new}"
                 for one, new in self.names.items()}  # fmt: skip
        return {**self.modules, **named}


@dataclass
class Part:
    """A file taken apart: its docstring, what it imports when it is loaded, and the rest."""

    module: str
    doc: str
    imports: list[str]
    for_types: list[str]
    body: str
    offered: list[str]  # what `__all__` says


def main(words: list[str]) -> int:
    """Move as a map says; 1 where something is not defined as it was."""
    root, said = Path.cwd(), json.loads(Path(words[0]).read_text())
    files = {_path(old): _path(new) for new, olds in said["files"].items() for old in olds}
    moves = Moves(
        {module_name(old): module_name(new) for old, new in files.items()},
        said.get("names", {}),
        {module_name(_path(new)): doc for new, doc in said.get("docs", {}).items()},
    )
    moves = told_apart(root, moves)
    texts, gone = move(root, files, moves)
    before = CodeTree(root, moves.spelled()).definitions(_compared(root, [*texts, *gone]))
    write(root, texts, gone, moves)
    code = [name for name in CODE if (root / name).is_dir()]
    subprocess.run([sys.executable, "-m", "ruff", "check", "-q", "--select", "I", "--fix", *code], check=True)
    subprocess.run([sys.executable, "-m", "ruff", "format", "-q", *code], check=True)
    after = CodeTree(root, {}).definitions(_compared(root, texts))
    lost = sorted({name for name, digests in before.items() if not _same(name, digests, after.get(name, []))})
    for name in lost:
        print(f"not defined as it was: {name or 'what is done where files are loaded'}", file=sys.stderr)
    print(f"{len(files)} files went to {len(set(files.values()))}; {len(before) - len(lost)} definitions are the same")
    (root / "moved.json").write_text(json.dumps(moves.spelled(), indent=1))
    return 1 if lost else 0


def _path(said: str) -> str:
    """Say where a file of the map lies in the checkout."""
    return said if said.startswith(f"{PACKAGES[1]}/") else f"{PACKAGES[0]}/{said}"


def _compared(root: Path, names: Iterable[str]) -> list[str]:
    """List which files' definitions are compared: what did not change defines the same, and `import *` nothing."""
    code = sorted(
        name for name in names if name.endswith(".py") and name.startswith(PACKAGES) and (root / name).is_file()
    )
    return [name for name in code if not re.search(r"import \*$", (root / name).read_text(), re.MULTILINE)]


def _same(name: str, before: list[str], after: list[str]) -> bool:
    """Whether a name means what it meant; what several files offer is offered by one."""
    return name.endswith(f":{OFFERED}") or sorted(after) == sorted(before)


def python_files(root: Path, folders: Iterable[str]) -> list[str]:
    """List the Python files below folders of a checkout."""
    found = (path for folder in folders for path in (root / folder).rglob("*.py"))
    return sorted(path.relative_to(root).as_posix() for path in found)


def told_apart(root: Path, moves: Moves) -> Moves:
    """Call private names of files that become one otherwise, where two of them give it to different things."""
    tree, names, public = CodeTree(root, {}), dict(moves.names), list[str]()
    for olds in _by_target(moves).values():
        given = defaultdict[str, dict[str, str]](dict)  # name → module → what it stands for
        for old in olds:
            for name, target in tree.bindings(old).items():
                module, _, what = target.partition(":")
                there, called = moves.place(module, what)
                if not what and there == moves.modules[old]:
                    continue  # the file itself, which it need not name
                own = target == f"{old}:{name}"
                given[called if own else name][old] = f"{there}:{called}" if what else there
        for name, by in given.items():
            defining = [old for old in by if tree.bindings(old).get(name) == f"{old}:{name}"]
            if len(set(by.values())) < 2 and len(defining) < 2:
                continue
            if name == OFFERED:
                continue
            if not name.startswith("_"):
                public.append(f"{name} in {', '.join(f'{old} ({what})' for old, what in by.items())}")
                continue
            names |= {f"{old}:{name}": _own_name(old.rpartition(".")[2], name) for old in defining}
    if public:
        raise MoveError("these are not the same; say in `names` how each is called: " + "; ".join(public))
    return Moves(moves.modules, names, moves.docs)


def _own_name(file: str, name: str) -> str:
    """Call a private name after its file, in the case that it is written in."""
    bare = name.removeprefix("_")
    if bare.isupper():
        return f"_{file.upper()}_{bare}"
    return f"_{file.title().replace('_', '')}{bare}" if bare[0].isupper() else f"_{file}_{bare}"


def _by_target(moves: Moves) -> dict[str, list[str]]:
    found = defaultdict[str, list[str]](list)
    for old, new in moves.modules.items():
        found[new].append(old)
    return {new: olds for new, olds in found.items() if len(olds) > 1}


def move(root: Path, files: Mapping[str, str], moves: Moves) -> tuple[dict[str, str], set[str]]:
    """Say how files are afterwards that do not stay as they are, and which go away."""
    texts, parts = dict[str, str](), defaultdict[str, list[Part]](list)
    for name in python_files(root, CODE):
        source = (root / name).read_text()
        module = module_name(name)
        edited = apply(source, Rewriting(source, module, moves).edits())
        if name in files:
            parts[files[name]].append(take_apart(edited, module))
        elif edited != source:
            texts[name] = edited
    for name, found in parts.items():
        if name not in files and (root / name).is_file():
            raise MoveError(f"{name} is there already, and the map does not say where it goes")
        [first, *_] = (
            [part for part in found if part.module == module_name(name)]
            or [part for part in found if part.module.rpartition(".")[2] in name]
            or found
        )
        texts[name] = merge(order(root, found), moves.docs.get(module_name(name)) or first.doc)
    for name in text_files(root):
        source = (root / name).read_text()
        if (edited := reworded(source, moves)) != source:
            texts[name] = edited
    return texts, files.keys() - texts.keys()


def write(root: Path, texts: Mapping[str, str], gone: Iterable[str], moves: Moves) -> None:
    """Write files, and delete those that go away."""
    for name in gone:
        (root / name).unlink()
    for name, text in texts.items():
        folder = (root / name).parent
        if not folder.is_dir():
            folder.mkdir()
            doc = moves.docs[module_name(folder.relative_to(root).as_posix())]
            (folder / "__init__.py").write_text(f'"""{doc}"""\n')
        (root / name).write_text(text)


def text_files(root: Path) -> Iterator[str]:
    """List what is no Python and names modules or their files."""
    for name in TEXTS:
        path = root / name
        found = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file() and one.suffix in WORDS]
        yield from (one.relative_to(root).as_posix() for one in found)


def apply(source: str, edits: Iterable[Edit]) -> str:
    """Make edits, the last first; of two at one place the longer."""
    done = len(source) + 1
    for start, end, text in sorted(set(edits), key=lambda edit: (-edit[1], edit[0])):
        if end <= done:
            source, done = source[:start] + text + source[end:], start
    return source


class Rewriting:
    """The edits that let a file import and name what moved; of a file that moves itself, in its new place."""

    def __init__(self, source: str, module: str, moves: Moves) -> None:
        self._source, self._module, self._moves = source, module, moves
        self._tree, self._at = ast.parse(source), _places(source)
        self._here = moves.modules.get(module, module)
        self._own = {
            name: new for one, new in moves.names.items() for was, _, name in [one.partition(":")] if was == module
        }
        self._local = dict[str, str]()  # names that are called otherwise
        self._objects = dict[
            str, tuple[str, str]
        ]()  # of modules that moved: which, and how it is called; "": not at all

    def edits(self) -> Iterator[Edit]:
        """Give all edits; first those of imports, which say what a name stands for."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("harness"):
                yield from self._import_from(node)
            elif isinstance(node, ast.Import):
                yield from self._import(node)
        self._local |= self._own
        yield from self._names()
        yield from self._texts()

    def _span(self, node: ast.stmt | ast.expr) -> tuple[int, int]:
        assert node.end_lineno and node.end_col_offset is not None
        return self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)

    def _import_from(self, node: ast.ImportFrom) -> Iterator[Edit]:
        spelled = list(_imported(node, self._here, self._moves, self._local, self._objects))
        start, end = self._span(node)
        if spelled != [ast.unparse(node)]:
            rest = self._source[end:].partition("\n")[0]
            yield start, end + len(rest), ("\n" + " " * node.col_offset).join(f"{line}{rest}" for line in spelled)

    def _import(self, node: ast.Import) -> Iterator[Edit]:
        for alias in node.names:
            if alias.name in self._moves.modules and (not alias.asname or len(node.names) > 1):
                raise MoveError(f"{self._module}: `import {alias.name}`: import it from its package")
            if alias.name in self._moves.modules and alias.asname:
                package, _, last = self._moves.modules[alias.name].rpartition(".")
                self._objects[alias.asname] = alias.name, alias.asname
                kept = "" if last == alias.asname else f" as {alias.asname}"
                yield *self._span(node), f"from {package} import {last}{kept}"

    def _names(self) -> Iterator[Edit]:
        if not self._local and not self._objects:
            return
        free = set[int]()
        for statement in self._tree.body:
            find_free_names(statement, free)
        # CPython 3.11 does not say where a name of an f-string stands.
        spoken = {id(one) for node in ast.walk(self._tree) if isinstance(node, ast.JoinedStr) for one in ast.walk(node)}
        for node in (one for one in ast.walk(self._tree) if id(one) not in spoken):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and id(node.value) in free:
                if node.value.id in self._objects:
                    old, called = self._objects[node.value.id]
                    _, new = self._moves.place(old, node.attr)
                    yield *self._span(node), f"{called}.{new}" if called else new
            elif isinstance(node, ast.Name) and id(node) in free:
                new = self._local.get(node.id) or self._objects.get(node.id, ("", ""))[1]
                if new:
                    yield *self._span(node), new
        for node in self._tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name in self._own:
                start = self._source.index(node.name, self._span(node)[0])
                yield start, start + len(node.name), self._own[node.name]

    def _texts(self) -> Iterator[Edit]:
        if not self._local and not self._objects and reworded(self._source, self._moves) == self._source:
            return
        lines = self._source.splitlines(keepends=True)
        for token in tokenize.generate_tokens(io.StringIO(self._source).readline):
            if token.type in (tokenize.STRING, tokenize.COMMENT):
                said = reworded(token.string, self._moves)
                if token.type == tokenize.STRING and "f" in said.partition('"')[0].lower():
                    said = _respelled(said, self._local, self._objects, self._moves)
                if said != token.string:
                    start = sum(map(len, lines[: token.start[0] - 1])) + token.start[1]
                    yield start, start + len(token.string), said


def _respelled(text: str, local: Mapping[str, str], objects: Mapping[str, tuple[str, str]], moves: Moves) -> str:
    """Let the expressions of an f-string name what they mean."""

    def named(found: re.Match[str]) -> str:
        name, attribute = found.groups()
        if name in objects and attribute:
            old, called = objects[name]
            return ".".join(filter(None, (called, moves.place(old, attribute)[1])))
        return local.get(name, name) + (f".{attribute}" if attribute else "")

    def within(found: re.Match[str]) -> str:
        return re.sub(r"(?<![\w.'\"])([A-Za-z_]\w*)(?:\.(\w+))?", named, found[0])

    return re.sub(r"\{[^{}]*\}", within, text)


def _imported(
    node: ast.ImportFrom, here: str, moves: Moves, local: dict[str, str], objects: dict[str, tuple[str, str]]
) -> Iterator[str]:
    """Spell an import as it is afterwards, a line for each module; what lies in the file itself is not imported."""
    found = defaultdict[str, list[str]](list)
    for alias in node.names:
        called, whole = alias.asname or alias.name, f"{node.module}.{alias.name}"
        if whole in moves.modules:
            new = moves.modules[whole]
            package, _, last = new.rpartition(".")
            if new == here:
                objects[called] = whole, ""
                continue
            kept = alias.asname or last
            objects[called] = whole, kept
            found[package].append(last if kept == last else f"{last} as {kept}")
            continue
        module, name = moves.place(str(node.module), alias.name)
        if module == here and (node.module in moves.modules):
            if called != name:
                local[called] = name
            continue
        if not alias.asname and name != alias.name:
            local[alias.name] = name
        found[module].append(f"{name} as {alias.asname}" if alias.asname else name)
    for module, names in found.items():
        yield f"from {module} import {', '.join(names)}"


def _places(source: str):
    """Give the function from a line and a column, in bytes as `ast` counts them, to a place in the text."""
    lines = source.splitlines(keepends=True)
    before = [0]
    for line in lines:
        before.append(before[-1] + len(line))
    return lambda line, column: before[line - 1] + len(lines[line - 1].encode()[:column].decode())


def take_apart(source: str, module: str) -> Part:
    """Take a file apart, each statement with the comments before it."""
    tree, at = ast.parse(source), _places(source)
    part, cut = Part(module, ast.get_docstring(tree, clean=False) or "", [], [], "", []), list[Edit]()
    for number, node in enumerate(tree.body):
        text = source[at(node.lineno, node.col_offset) : at(node.end_lineno, node.end_col_offset)]
        rest = source[at(node.end_lineno, node.end_col_offset) :].partition("\n")[0]
        words = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Import | ast.ImportFrom):
            if "__future__" not in text:
                part.imports.append(text + rest)
        elif isinstance(node, ast.Assign) and text.startswith(OFFERED):
            part.offered += ast.literal_eval(node.value)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            part.for_types += [ast.unparse(one) for one in node.body]
        elif not words:
            continue
        cut.append((at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset) + len(rest), ""))
    part.body = apply(source, cut).strip("\n")
    return part


def order(root: Path, parts: list[Part]) -> list[Part]:
    """Put each part below those that it needs when it is loaded."""
    if len(parts) < 2:
        return parts
    tree, by = CodeTree(root, {}), {part.module: part for part in parts}
    needs = {
        module: {target.partition(":")[0] for target in tree.bindings(module).values()} & (by.keys() - {module})
        for module in by
    }
    try:
        return [by[module] for module in TopologicalSorter(needs).static_order()]
    except CycleError as bad:
        raise MoveError(f"they need each other: {bad.args[1]}") from bad


def merge(parts: list[Part], doc: str) -> str:
    """Write parts as one file."""
    imports = dict.fromkeys(line for part in parts for line in part.imports)
    for_types = dict.fromkeys(line for part in parts for line in part.for_types if line not in imports)
    head = [f'"""{doc}"""', "", "from __future__ import annotations", "", *imports]
    if for_types:
        head += ["", "if TYPE_CHECKING:", *(f"    {line}" for line in for_types)]
    if offered := [name for part in parts for name in part.offered]:
        head += ["", f"{OFFERED} = {sorted(offered, key=_natural)!r}".replace("'", '"')]
    return "\n".join([*head, "", *("\n\n" + part.body for part in parts if part.body)]) + "\n"


def _natural(name: str) -> tuple[int, str]:
    """Order names as ruff does: constants, classes, the others."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def reworded(text: str, moves: Moves) -> str:
    """Let a text name modules, and the files that they lie in, as they are called afterwards."""
    if "harness" not in text and ".py" not in text:
        return text
    files = moves.files

    def dotted(found: re.Match[str]) -> str:
        path, colon, name = found[0].partition(":")
        rest = ""
        while path and path not in moves.modules:
            path, _, last = path.rpartition(".")
            rest = f".{last}{rest}"
        if not path:
            return found[0]
        first = rest.lstrip(".").partition(".")[0] if not colon else name
        module, called = moves.place(path, first)
        return f"{module}:{called}" if colon else module + (rest.replace(first, called, 1) if first else rest)

    def lying(found: re.Match[str]) -> str:
        whole = found[0] if found[0].startswith(("harness/", "tools/")) else f"harness/{found[0]}"
        new = files.get(whole, whole)
        return new if whole == found[0] else new.removeprefix("harness/")

    return LYING.sub(lying, DOTTED.sub(dotted, text))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except MoveError as bad:
        sys.exit(f"error: {bad}")
