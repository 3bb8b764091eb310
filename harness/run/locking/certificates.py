"""Certificates of graders: their files, their pins in a lock, and whether they apply to the code here.

No certificate is issued here. One that does not fit the code here is void. It is carried over when its grader's code
moved, only if the same things are defined there: two trees are compared by what their files define, where each name
stands for the place where it is defined, whatever it is called and however it is imported. The measurements stay as
they were; the new document names the old one.
"""

from __future__ import annotations

import ast
import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.definitions import digest_definitions, digest_nodes, parse_source
from harness.digest import sha256
from harness.errors import HarnessError, InputError
from harness.evidence.audit.checks import Report
from harness.files import translating_os_errors
from harness.kit.certificate import (
    NOT_CHECKED,
    TYPE,
    UNCERTIFIED,
    Certificate,
    CodeFields,
    changed_files,
    contradicted_text,
    figures_text,
    find_contradictions,
    read,
    sets_of,
    verdict_of,
    void_text,
)
from harness.manifest.documents import DigestPin
from harness.manifest.lockfile import Lock, read_lock
from harness.run.closure import Closure, Code
from harness.run.recorded_runs import first_event
from harness.steps import GATHER
from harness.store.blobs import Blobs
from harness.store.store import Store
from harness.studies.registry import find

TYPES = "harness/rowtypes.py"
CERTIFICATES: Final = "certificates"  # the folder of the project, and the kind of pin


@dataclass(frozen=True)
class GraderStanding:
    """The state of a grader's certificate here: `certified`, `void` or `uncertified`, with a line that says why."""

    scorer: str
    state: str
    text: str
    document: Certificate | None = None  # the certificate, if it is certified; rows can be compared with it

    @property
    def verdict(self) -> str:
        """What the certificate allows: `usable`, `not usable`, `not yet measured by others`; else the state."""
        if self.state != "certified" or self.document is None:
            return self.state
        return verdict_of(self.document).word


def certificate_path(root: Path, scorer: str) -> Path:
    """Return the path of a scorer's certificate."""
    return root / CERTIFICATES / f"{scorer}.json"


def grader_code(kinds: Iterable[str], code: Code) -> Closure:
    """Return the code that a grader consists of: the closures of its step kinds, without files that every step has.

    The file of row types is left out too, since it computes nothing.
    """
    common = {*code.closure(GATHER).files, TYPES}
    files = {name: digest for kind in kinds for name, digest in code.closure(kind).files.items()}
    return Closure({name: files[name] for name in sorted(files) if name not in common})


def certificate_pins(root: Path, study: str) -> dict[str, DigestPin]:
    """Return the pins of the certificates of a study's graders, by scorer; empty without certificates."""
    found = {name: certificate_path(root, name) for name in find(study).graders}
    return {name: {"sha256": sha256(_bytes(path))} for name, path in sorted(found.items()) if path.is_file()}


def certificate_bytes(root: Path, lock: Lock) -> Iterable[bytes]:
    """Yield the bytes, as they are now, of the certificates that a lock pins, for steps that show them."""
    for name in lock.of(CERTIFICATES):
        yield _bytes(certificate_path(root, name))


def grader_standings(root: Path, study: str, lock: Lock | None) -> list[GraderStanding]:
    """Return the state of the certificate of each grader of a study."""
    return [grader_standing(root, name, lock) for name in find(study).graders]


def grader_standing(root: Path, scorer: str, lock: Lock | None = None, code: Path | None = None) -> GraderStanding:
    """Return the state of a scorer's certificate: checked against the code here and, if given, the pins of a lock."""
    pinned = _pinned_digest(scorer, lock) if lock else ""
    path = certificate_path(root, scorer)
    if not path.is_file():
        gone = "void: the certificate that the lock pins is not there"
        return GraderStanding(scorer, "void", gone) if pinned else GraderStanding(scorer, UNCERTIFIED, UNCERTIFIED)
    try:
        data = _bytes(path)
        found = read(data, str(path))
    except HarnessError as bad:
        return GraderStanding(scorer, "void", f"void: {bad.what}")
    if flaws := find_contradictions(found):
        return GraderStanding(scorer, "void", contradicted_text(flaws))
    changed = [*_other(found, scorer, lock), *(changed_files(found, code) if code else changed_files(found))]
    if pinned and pinned != sha256(data):
        changed.insert(0, "the certificate, which is not the one that the lock pins")
    if changed:
        return GraderStanding(scorer, "void", void_text(changed))
    return GraderStanding(scorer, "certified", figures_text(found), found)


def recorded_standing(scorer: str, lock: Lock, blobs: Blobs, code: Mapping[str, str]) -> GraderStanding:
    """Return the state of a grader's certificate in a recorded run: the one its lock pinned, against the code that ran.

    `code` holds the digest of each file of that code. Files of the grader that the run did not use are compared as they
    are here.
    """
    pinned = _pinned_digest(scorer, lock)
    if not pinned:
        return GraderStanding(scorer, UNCERTIFIED, UNCERTIFIED)
    found = read(blobs.read(pinned), f"the certificate of {scorer}")
    if flaws := find_contradictions(found):
        return GraderStanding(scorer, "void", contradicted_text(flaws))
    here = {*changed_files(found)}
    ran = [name for name, digest in found["files"].items() if (code[name] != digest if name in code else name in here)]
    if changed := [*_other(found, scorer, lock), *ran]:
        return GraderStanding(scorer, "void", void_text(changed))
    return GraderStanding(scorer, "certified", figures_text(found), found)


def _pinned_digest(scorer: str, lock: Lock) -> str:
    """Return the digest that a lock pins for a scorer's certificate; empty if it pins none."""
    pin = lock.of(CERTIFICATES).get(scorer)
    return pin["sha256"] if pin else ""


def pinned_settings(lock: Lock, kind: str, name: str) -> str:
    """Return the digest that a lock pins for a model, an instrument or a set of wordings; empty if it pins none."""
    pin = lock.of(kind).get(name)
    return str(pin.get("sha256", "")) if pin else ""


def _other(found: Certificate, scorer: str, lock: Lock | None) -> Iterable[str]:
    """Yield what a certificate names and the lock pins differently: the scorer, its judge, its prompt."""
    if found["scorer"] != scorer:
        yield f"the scorer, which it calls {found['scorer']}"
    if lock is None:
        return
    parts = (("judge", found.get("judge"), ("instruments", "models")), ("prompt", found.get("prompt"), ("prompts",)))
    for what, named, kinds in parts:
        if named:
            here = [digest for kind in kinds if (digest := pinned_settings(lock, kind, named["name"]))]
            if here[:1] != [named["sha256"]]:
                yield f"the {what} {named['name']}"


def _bytes(path: Path) -> bytes:
    with translating_os_errors(path):
        return path.read_bytes()


CONTRADICTS = "certificate.contradicts"  # the id of these checks


def audit_certificates(store: Store, run: str, report: Report) -> None:
    """Compute the figures of each certificate that a run's lock pins, and add a check for each to a report."""
    for scorer, found in _pinned(store, run):
        flaws = [found] if isinstance(found, str) else find_contradictions(found)
        if not isinstance(found, str) and not flaws and found["scorer"] != scorer:
            flaws = [f"it is the certificate of {found['scorer']}"]
        report.settle(CONTRADICTS, scorer, flaws, f"its figures are those of its matrix; {NOT_CHECKED}")


def unchanged_certificates(store: Store, run: str) -> Iterator[GraderStanding]:
    """Yield the sound certificates of a run whose grader is unchanged in the installed code, so it can grade rows."""
    for scorer, found in _pinned(store, run):
        if not isinstance(found, str) and not find_contradictions(found) and not changed_files(found):
            yield GraderStanding(scorer, "certified", "", found)


def _pinned(store: Store, run: str) -> Iterator[tuple[str, Certificate | str]]:
    """Yield each certificate of a run as it was pinned, by its scorer; the reason if it cannot be read.

    Other flaws of the run are reported by other checks of its audit.
    """
    try:
        pins = read_lock(store.blobs.read(first_event(store, run)["lock"]), "lock").of(CERTIFICATES)
    except (HarnessError, LookupError):
        return
    for scorer, pin in pins.items():
        try:
            yield scorer, read(store.blobs.read(str(pin["sha256"])), f"the certificate of {scorer}")
        except HarnessError as bad:
            yield scorer, bad.what


_NAMED = re.compile(r"harness(\.\w+)+(:\w+)?")  # a text that names a module of the harness, or what one defines
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Loop = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def carried_certificate(
    scorer: str, kinds: Iterable[str], old: Path, moved: Mapping[str, str], here: Code | None = None
) -> Certificate:
    """Return a grader's certificate for the code here, made from the certificate in an older tree of the project.

    `moved` says where things are now: `{"harness.old": "harness.new", "harness.old:name": "harness.other:name"}`.
    Raises InputError if that certificate is void in the older tree, if what its grader consists of differs here, or if
    a file of that tree is not Python.
    """
    try:
        return _carried(scorer, [*kinds], old, moved, here or Code())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as bad:
        raise InputError(
            f"a file there cannot be read as Python: {' '.join(str(bad).split())}",
            where=str(old),
            next="name a tree of this project that runs",
        ) from bad


def _carried(scorer: str, kinds: list[str], old: Path, moved: Mapping[str, str], here: Code) -> Certificate:
    path = certificate_path(old, scorer)
    with translating_os_errors(path):
        data = path.read_bytes()
    found = read(data, str(path))
    there, back = Code(old), {new: before for before, new in moved.items()}
    named = set(grader_code([_place(kind, back) for kind in kinds], there).files)
    flaws = [contradicted_text(said)] if (said := find_contradictions(found)) else []
    if changed := [*changed_files(found, old), *sorted(named - set(found["files"]))]:
        flaws.append(void_text(changed))
    if flaws:
        raise InputError(f"nothing to carry: {flaws[0]}", where=str(path), next="measure it: `harness certify`")
    files = grader_code(kinds, here)
    everything = {name for kind in kinds for name in here.closure(kind).files}
    trees = CodeTree(old, moved), CodeTree(here.root, {})
    before = {name for kind in kinds for name in there.closure(_place(kind, back)).files}  # with the common files
    added = _added(trees[0].definitions(before | set(found["files"])), trees[1].definitions(files.files))
    if lost := [*_lost(found["files"], trees[0], everything, files.files, trees[1]), *added]:
        more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
        raise InputError(
            f"the grader is not the same here: {', '.join(lost[:3])}{more}",
            where=str(path),
            next="say with --moved where these lie now, or measure the grader again: `harness certify`",
        )
    code = code_fields(kinds, here)
    carried: Certificate = {
        "type": TYPE,
        "scorer": found["scorer"],
        "accepts": found["accepts"],
        "sets": dict(sets_of(found)),
        "intervals": found["intervals"],
        "code": code["code"],
        "files": code["files"],
        "definitions": code["definitions"],
        "predecessor": sha256(data),
    }
    if "judge" in found:
        carried["judge"] = found["judge"]
    if "prompt" in found:
        carried["prompt"] = found["prompt"]
    if "opened" in found:
        carried["opened"] = found["opened"]
    return carried


def code_fields(kinds: Iterable[str], code: Code) -> CodeFields:
    """Return what a certificate says of its grader's code: the closure, and the bytes and definitions of each file."""
    files = grader_code(kinds, code)
    definitions = {name: digest_definitions(code.sources[name]) for name in files.files}
    return {"code": files.digest, "files": files.files, "definitions": definitions}


def _lost(
    files: Iterable[str], old: CodeTree, everything: Iterable[str], own: Iterable[str], new: CodeTree
) -> Iterator[str]:
    """Yield what files of an old tree define and those of a new one do not, or otherwise, or in another order.

    The grader's `own` files must also do nothing else when they are loaded.
    """
    before, after = old.definitions(files), new.definitions(everything)
    yield from (name for name, digests in before.items() if name and after.get(name) != digests)
    if sorted(before.get("", [])) != sorted(new.definitions(own).get("", [])):
        yield "what is done where a file is loaded"
    for file in files:
        for module, order in _by_module(old.computed(module_name(file))).items():
            known = set(order)
            if order != [name for name in new.computed(module) if name in known]:
                yield f"the order in which {module} computes its values"


def _added(before: Mapping[str, list[str]], own: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield what a grader's own files define that its older tree did not: it may change other definitions."""
    yield from (f"{name}, which was not there" for name, digests in own.items() if name and before.get(name) != digests)


def _by_module(names: Iterable[str]) -> dict[str, list[str]]:
    found = defaultdict[str, list[str]](list)
    for name in names:
        found[name.partition(":")[0]].append(name)
    return found


class CodeTree:
    """Reader of the modules below a folder: what each of them defines and imports, by its source."""

    def __init__(self, root: Path, moved: Mapping[str, str]) -> None:
        self._root = root
        self._moved = moved
        self._trees: dict[str, ast.Module | None] = {}
        self._bound: dict[str, dict[str, str]] = {}

    def definitions(self, files: Iterable[str]) -> dict[str, list[str]]:
        """Return the digests of what some files define, by `module:name` as it is called after the move.

        The digests of statements that define nothing, but are executed, are under the empty name.
        """
        found = defaultdict[str, list[str]](list)
        for module in map(module_name, files):
            here = self.bindings(module)  # before definitions are renamed to their places
            for node in self._statements(module):
                names, free = self._names(module, node), set[int]()
                find_free_names(node, free)
                if isinstance(node, _DEFINITIONS):
                    node.name = names[0]
                bound = here | self._imports(module, ast.walk(node))
                digest = digest_nodes([node], functools.partial(self._meaning, bound, free))
                for name in names or [""]:
                    found[name].append(digest)
        return dict(found)

    def computed(self, module: str) -> list[str]:
        """List the names whose values a module computes when it is loaded, in that order."""
        found = (self._names(module, node) for node in self._statements(module) if not isinstance(node, _DEFINITIONS))
        return [name for names in found for name in names]

    def _statements(self, module: str) -> list[ast.stmt]:
        """List the statements of a module, without imports and docstrings."""
        tree = self._tree(module)
        return [node for node in tree.body if not _only_imports(node) and not _only_words(node)] if tree else []

    def _names(self, module: str, node: ast.stmt) -> list[str]:
        """List the names that a statement defines, as they are after the move; empty if it does more than define."""
        if not isinstance(node, (*_DEFINITIONS, ast.Assign, ast.AnnAssign, ast.AugAssign)):
            return []
        return [_place(f"{module}:{name}", self._moved) for name in stored_names([node])]

    def _meaning(self, bound: Mapping[str, str], free: set[int], node: ast.AST) -> str | None:
        """Return what a node names: a thing of the harness by its place, another by its import; empty if nothing.

        None for an import, which is left out because the node that uses it says what it stands for. An import of all
        names is not left out, because it names nothing.
        """
        if isinstance(node, ast.Import | ast.ImportFrom):
            return "" if _names_all(node) else None
        if isinstance(node, ast.Constant):
            text = node.value
            if not isinstance(text, str) or "harness." not in text:
                return ""
            return ascii(_NAMED.sub(lambda found: _place(found[0], self._moved), text))
        target = self._target(bound, free, node)
        return _place(target, self._moved) if target else ""

    def _target(self, bound: Mapping[str, str], free: set[int], node: ast.AST) -> str:
        if isinstance(node, ast.Name):
            return bound.get(node.id, "") if id(node) in free else ""
        if isinstance(node, ast.Attribute):
            owner = self._target(bound, free, node.value)
            if owner and ":" not in owner and self._tree(owner) is not None:
                return self._named(owner, node.attr)
        return ""

    def _named(self, module: str, name: str) -> str:
        """Return where a module's name is defined: a module of that name, the source of an import, or the module."""
        if self._tree(f"{module}.{name}") is not None:
            return f"{module}.{name}"
        return self.bindings(module).get(name, f"{module}:{name}")

    def bindings(self, module: str) -> dict[str, str]:
        """Return what each name of a module stands for: what the module defines, and what it imports."""
        if module not in self._bound:
            tree = self._tree(module)
            assert tree
            self._bound[module] = {name: f"{module}:{name}" for name in stored_names(tree.body)}
            self._bound[module] |= self._imports(module, _outside_functions(tree.body))
        return self._bound[module]

    def _imports(self, module: str, nodes: Iterable[ast.AST]) -> dict[str, str]:
        found = dict[str, str]()
        imports = (node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) and not _names_all(node))
        for name, target in (pair for node in imports for pair in self._imported(node)):
            if found.setdefault(name, target) != target:
                raise InputError(
                    f"{name} stands for {found[name]} and for {target}", where=module, next="call one of them otherwise"
                )
        return found

    def _imported(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
        for alias in node.names:
            if isinstance(node, ast.Import):
                yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2
            elif node.module and self._tree(node.module) is not None:
                yield alias.asname or alias.name, self._named(node.module, alias.name)
            else:
                yield alias.asname or alias.name, f"{node.module}:{alias.name}"

    def _tree(self, module: str) -> ast.Module | None:
        if module not in self._trees:
            base = self._root.joinpath(*module.split("."))
            file = next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)
            self._trees[module] = parse_source(file.read_bytes()) if file and module.startswith("harness") else None
        return self._trees[module]


def module_name(file: str) -> str:
    """Return the dotted name of the Python module that a source file holds."""
    return file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def _place(name: str, moved: Mapping[str, str]) -> str:
    """Return where `module` or `module:name` is after the move."""
    if name in moved:
        return moved[name]
    module, colon, rest = name.partition(":")
    path, below = module, ""
    while "." in path and path not in moved:  # `module.name`, as a text may call it
        path, _, last = path.rpartition(".")
        below = f".{last}{below}"
    return f"{moved[path]}{below}{colon}{rest}" if path in moved else name


def _only_imports(node: ast.stmt) -> bool:
    """Whether a statement does nothing but import, possibly under a condition such as for types alone."""
    if isinstance(node, ast.If):
        return all(map(_only_imports, [*node.body, *node.orelse]))
    return isinstance(node, ast.Import | ast.ImportFrom) and not _names_all(node)


def _names_all(node: ast.Import | ast.ImportFrom) -> bool:
    return any(alias.name == "*" for alias in node.names)


def _only_words(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _outside_functions(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes that are executed when a file is loaded: not those inside functions."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _Scope):
            waiting += ast.iter_child_nodes(node)


def stored_names(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the names that statements bind in their own scope: not inside a function or a class, and no imports."""
    waiting, given = list(reversed(nodes)), set[str]()
    while waiting:
        node = waiting.pop()
        name = ""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.Name):
            name = "" if isinstance(node.ctx, ast.Load) else node.id
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            name = node.name or ""
        elif isinstance(node, ast.MatchMapping):
            name = node.rest or ""
        if name and name not in given:
            given.add(name)
            yield name
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | _Scope | _Loop):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def find_free_names(node: ast.AST, free: set[int]) -> None:
    """Add to `free` the identity of each name in a node of a module that is not local to its functions."""
    _find_free(node, frozenset(), frozenset(), free)


def _find_free(node: ast.AST, seen: frozenset[str], passed: frozenset[str], free: set[int]) -> None:
    """Find the names in a node that are not local; `passed` is what functions inside see of `seen`."""
    outer: list[ast.AST] = []
    inner: list[ast.AST] = []
    if isinstance(node, ast.Name) and node.id not in seen:
        free.add(id(node))
    if isinstance(node, _Scope):
        spec = node.args
        arguments = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *filter(None, (spec.vararg, spec.kwarg))]
        inner = list(node.body) if isinstance(node.body, list) else [node.body]
        outer = [one for one in ast.iter_child_nodes(node) if one not in inner]
        said = {name for one in inner for each in ast.walk(one) if isinstance(each, ast.Global) for name in each.names}
        passed = (passed | {one.arg for one in arguments} | set(stored_names(inner))) - said
        _find_all(outer, seen, passed, free)
        _find_all(inner, passed, passed, free)
    elif isinstance(node, ast.ClassDef):
        outer = [one for one in ast.iter_child_nodes(node) if one not in node.body]
        _find_all(outer, seen, passed, free)
        _find_all(node.body, seen | set(stored_names(node.body)), passed, free)
    elif isinstance(node, _Loop):
        names = {name for each in node.generators for name in stored_names([each.target])}
        first = node.generators[0].iter
        _find_free(first, seen, passed, free)
        for child in ast.iter_child_nodes(node):
            inner += (
                [one for one in ast.iter_child_nodes(child) if one is not first]
                if isinstance(child, ast.comprehension)
                else [child]
            )
        _find_all(inner, seen | names, passed | names, free)
    else:
        _find_all(ast.iter_child_nodes(node), seen, passed, free)


def _find_all(nodes: Iterable[ast.AST], seen: frozenset[str], passed: frozenset[str], free: set[int]) -> None:
    for node in nodes:
        _find_free(node, seen, passed, free)
