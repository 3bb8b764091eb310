"""`harness docs`: the pages of the documentation are listed and printed, in a checkout and from a wheel alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import REPOSITORY
from support_inside import inner_data, inside

from harness.errors import InputError, MissingError
from harness.verbs import ShowDocRequest, list_docs, show_doc, upkeep

PAGES = {
    path.relative_to(REPOSITORY / "docs").with_suffix("").as_posix(): path
    for path in (REPOSITORY / "docs").rglob("*.md")
}


def test_every_page_is_listed_with_a_line_and_printed_as_it_is(tmp_path: Path) -> None:
    found = {one.name: one.title for one in list_docs().pages}
    assert found.keys() == PAGES.keys() and len(found) > 20 and all(found.values())
    assert all(show_doc(ShowDocRequest(page=name)).text == path.read_text() for name, path in PAGES.items())
    text = inside("docs", cwd=tmp_path, check=0).stdout  # in no project
    assert len(text.splitlines()) == len(PAGES) + 2 and "Your own questions" in text
    assert inside("docs", "install", cwd=tmp_path, check=0).stdout == PAGES["install"].read_text()
    assert inner_data("docs", "install", cwd=tmp_path) == {"name": "install", "text": PAGES["install"].read_text()}


@pytest.mark.parametrize("name", ["docs/own-model.md", "own-model.md", "own-model"])
def test_a_page_may_be_named_as_its_file_is(name: str) -> None:
    assert show_doc(ShowDocRequest(page=name)).name == "own-model"


@pytest.mark.parametrize(
    ("name", "near"), [("qestions", "questions"), ("ownmodel", "own-model"), ("../README", "decisions/README")]
)
def test_a_wrong_name_names_the_nearest_page(name: str, near: str) -> None:
    with pytest.raises(InputError, match="there is no page") as met:
        show_doc(ShowDocRequest(page=name))
    assert f"`harness docs {near}` is the nearest" in met.value.next


def test_a_name_is_no_path_out_of_the_pages() -> None:
    for name in ("../README.md", "/etc/hostname", "docs/../README", ""):
        with pytest.raises(InputError):
            show_doc(ShowDocRequest(page=name))


def test_pages_that_were_not_installed_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "shipped_root", lambda: tmp_path)
    with pytest.raises(MissingError, match="not installed") as met:
        list_docs()
    assert "repro-harness" in met.value.next
