"""References resolve: an anchor that is cited stands in docs/, and no text cites a document that no reader has.

Every tracked text is read. A citation is `docs/NAME.md#anchor`, or in a page a link to `NAME.md#anchor` or `#anchor`;
an anchor is an explicit id or a heading's slug. In Python comments and docstrings speak, and names of tests do not.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.house
ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
ROOMS = ("docs", "harness", "images", "manifests", "tests", "tools")
CITED = re.compile(r"docs/([\w./-]+\.md)(?:#([\w.-]*\w))?")
LINKED = re.compile(r"\]\(([\w./-]*\.md)?(?:#([\w.-]+))?\)")
PAGES = (".md", ".yaml", ".yml", ".toml", ".sh", ".cff", "Makefile", "Containerfile")
STUDIES = "reliability|curie|biomed|brain|evidence|tools"
UNSEEN = {
    "a section by its number": re.compile(r"\b[Ss]ections? \d|§ ?\d"),
    "a study and a number": re.compile(rf"\b(?:{STUDIES}) (?:\d\.\d+|\d(?=[,;:)]| and )|R\d)"),
    "a trap by its number": re.compile(r"\b[Tt]raps? \d"),
    "a bare number in brackets": re.compile(r"[a-z] \([1-9]\.[1-9]\d?(?:, (?:\d\.\d{1,2}|[A-Z]\d))*\)"),
    "a bare number before a colon": re.compile(r"^# \d\.\d{1,2}[:,]"),
    "the specification": re.compile(
        r"\b(?:[Tt]he|of|[Oo]ur) (?:spec\b|specification\b)|\bspec (?:section )?\d|\(spec\b"
    ),
    "a page of nobody's": re.compile(r"\b(?:design|evidence|style|curie-strict)\.md\b|(?<![\w/])tools\.md\b|\bspec/\w"),
}
# File -> how many lines of it cite what nobody has, and why they stay.
CERTIFIED = "certificates/curie.llmsim_rule.json holds this file by its digest; docs/curie.md has what is meant"
KNOWN = {
    "harness/studies/curie/reading/ground_truth.py": (1, CERTIFIED),
    "harness/studies/curie/reading/predictions.py": (1, CERTIFIED),
    "harness/studies/curie/scoring/llmsim.py": (1, CERTIFIED),
    "harness/studies/curie/tasks.py": (1, CERTIFIED),
    "tests/studies/curie/test_docs.py": (0, "it reads a page of rules where a machine has it beside the repository"),
}
SKIPPED = {
    "CHANGELOG.md": "what was written then",
    "LICENSE": "the licence's own sections",
    "tests/test_references.py": "it names what it forbids",
}


def tracked() -> list[Path]:
    """Give the tracked texts, and those that git would track."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.split("\n")
    found = [ROOT / name for name in listed if name]
    if not found:  # a copy without its history
        found = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*")) if "__pycache__" not in path.parts]
    return [path for path in found if path.is_file() and path.suffix not in (".safetensors", ".png", ".npy", ".npz")]


@cache
def anchors(page: Path) -> frozenset[str]:
    """Give the ids of a page: explicit ones, and its headings' slugs as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    found = set(re.findall(r'<a id="([^"]+)"></a>', text))
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.lower().strip()).replace(" ", "-")
        found |= {plain, plain.rstrip("-")}  # "How to add …" is cited without what its last sign leaves
    return frozenset(found)


def dangling(text: str, page: Path | None = None) -> list[str]:
    """List the citations in a text that lead nowhere; `page` is the page that it stands on, if it stands on one."""
    cited = [(DOCS / name, anchor) for name, anchor in CITED.findall(text)]
    if page:
        cited += [
            (page.parent / name if name else page, anchor) for name, anchor in LINKED.findall(text) if name or anchor
        ]
    lost = ((path, anchor) for path, anchor in cited if not path.is_file() or (anchor and anchor not in anchors(path)))
    return [f"{path.name}#{anchor}".rstrip("#") for path, anchor in lost]


def said(source: str) -> Iterator[str]:
    """Give what a Python source says in prose, a line at a time: comments and docstrings."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (ast.get_docstring(node, clean=False) or "").splitlines()


def unseen(lines: Iterable[str]) -> list[str]:
    """List the lines that cite what no reader of the repository has, each with the first way in which it does."""
    found = ((line, next((what for what, one in UNSEEN.items() if one.search(line)), "")) for line in lines)
    return [f"{what}: {line.strip()}" for line, what in found if what]


def prose(path: Path) -> list[str]:
    """Give the lines of a file in which a document might be cited."""
    text = path.read_text(encoding="utf-8", errors="ignore")
    if path.suffix == ".py":
        return list(said(text))
    if path.suffix == ".json" and "tests/golden/cases" in path.as_posix():
        return re.findall(r'^ *"rule(?:_set)?": "(.*)",?$', text, re.MULTILINE)
    return text.splitlines() if path.name.endswith(PAGES) else []


def test_every_anchor_that_is_cited_is_there() -> None:
    lost = {}
    for path in tracked():
        page = path if path.suffix == ".md" else None
        if path.name != Path(__file__).name and (found := dangling(path.read_text(errors="ignore"), page)):
            lost[path.relative_to(ROOT).as_posix()] = found
    assert lost == {}


@pytest.mark.long
def test_no_comment_cites_what_no_reader_has() -> None:
    found = {path.relative_to(ROOT).as_posix(): unseen(prose(path)) for path in tracked()}
    surplus = {
        name: lines for name, lines in found.items() if name not in SKIPPED and len(lines) > KNOWN.get(name, (0,))[0]
    }
    assert surplus == {}


@pytest.mark.long
def test_exceptions_are_still_needed() -> None:
    assert [name for name, (count, _) in KNOWN.items() if len(unseen(prose(ROOT / name))) != count] == []


def test_certified_files_alone_are_excepted_for_a_certificate() -> None:
    for name, (_, why) in KNOWN.items():
        if why is CERTIFIED:
            assert f'"{name}"' in (ROOT / why.split()[0]).read_text()


def test_each_anchor_has_one_place_on_its_page() -> None:
    for page in sorted(DOCS.rglob("*.md")):
        ids = re.findall(r'<a id="([^"]+)"></a>', page.read_text(encoding="utf-8"))
        assert len(ids) == len(set(ids)), page.name


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("see docs/reliability-rules.md#bins.", []),
        ("see docs/reliability-rules.md#no-such-rule.", ["reliability-rules.md#no-such-rule"]),
        ("see docs/no-such-page.md", ["no-such-page.md"]),
        ("docs/architecture.md#how-to-add", []),
    ],
)
def test_a_dangling_citation_is_found(text: str, lost: list[str]) -> None:
    assert dangling(text) == lost


def test_a_dangling_link_of_a_page_is_found() -> None:
    page = DOCS / "reliability.md"
    assert dangling("[a](curie.md#judges) [b](#intervals-and-comparisons)", page) == []
    assert dangling("[a](curie.md#judge) [b](#bounds)", page) == ["curie.md#judge", "reliability.md#bounds"]


@pytest.mark.parametrize(
    "line",
    [
        '"""Bins (reliability 6.1)."""', "# trap 15: alone", "BINS = 30  # section 6.1", "# (reliability 2, OURS)",
        "# design.md section 4", "# as evidence.md has it", '"""Rules (spec 1.5)."""', "# the specification's token",
        "# 6.5: one of four", '"""What a model lacks (2.10)."""',
        '"""By the rule of the specification."""', '"""Last (reliability R11)."""',
    ],
)  # fmt: skip
def test_a_citation_of_what_nobody_has_is_found(line: str) -> None:
    assert unseen(list(said(line)))


@pytest.mark.parametrize(
    "line",
    [
        "# docs/reliability-rules.md#bins",
        "# the OCI distribution specification",
        "CUT = 'the spec'",
        "# the grade is near 2 (2.5)",
    ],
)
def test_other_prose_is_left_alone(line: str) -> None:
    assert not unseen(list(said(line)))
