"""References resolve: an anchor that is cited stands in docs/.

Every tracked text is read. A citation is `docs/NAME.md#anchor`, or in a page a link to `NAME.md#anchor` or `#anchor`;
an anchor is an explicit id or a heading's slug.
"""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.house
ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
ROOMS = ("docs", "harness", "images", "manifests", "tests", "tools")
CITED = re.compile(r"docs/([\w./-]+\.md)(?:#([\w.-]*\w))?")
LINKED = re.compile(r"\]\(([\w./-]*\.md)?(?:#([\w.-]+))?\)")


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


def test_every_anchor_that_is_cited_is_there() -> None:
    lost = {}
    for path in tracked():
        page = path if path.suffix == ".md" else None
        if path.name != Path(__file__).name and (found := dangling(path.read_text(errors="ignore"), page)):
            lost[path.relative_to(ROOT).as_posix()] = found
    assert lost == {}


def test_each_anchor_has_one_place_on_its_page() -> None:
    for page in sorted(DOCS.rglob("*.md")):
        ids = re.findall(r'<a id="([^"]+)"></a>', page.read_text(encoding="utf-8"))
        assert len(ids) == len(set(ids)), page.name


def test_a_dangling_citation_is_found() -> None:
    assert dangling("see docs/reliability-rules.md#bins.") == dangling("docs/architecture.md#how-to-add") == []
    assert dangling("see docs/reliability-rules.md#no-such-rule.") == ["reliability-rules.md#no-such-rule"]
    assert dangling("see docs/no-such-page.md") == ["no-such-page.md"]


def test_a_dangling_link_of_a_page_is_found() -> None:
    page = DOCS / "reliability.md"
    assert dangling("[a](curie.md#judges) [b](#intervals-and-comparisons)", page) == []
    assert dangling("[a](curie.md#judge) [b](#bounds)", page) == ["curie.md#judge", "reliability.md#bounds"]
