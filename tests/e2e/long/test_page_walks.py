"""The pages of everyday work, walked: in an empty folder each line of a page does what it says; one is drawn."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from needs import needs
from support import REPOSITORY
from support_draws import drawn
from support_pages import Walked, Walker

needs("torch")
pytestmark = [pytest.mark.together, pytest.mark.exhaustive]
PAGES = ("questions.md", "own-project.md", "own-model.md", "after-an-edit.md")
WALKED = drawn(PAGES, 1)
ADDRESS = "http://127.0.0.1:8000"  # of the server on the page


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a model of the repository in the dialect of OpenAI, and give the address."""
    command = [sys.executable, str(REPOSITORY / "tests" / "toys" / "tiny_server.py"), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin and server.stdout
        try:
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        finally:
            server.stdin.close()


class Walks(dict[str, list[Walked]]):
    """The pages that were walked, each when it is first asked for, in an empty folder of its own."""

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        self._folders = folders

    def __missing__(self, page: str) -> list[Walked]:
        place = self._folders.mktemp("walk")
        weights = place / "home" / "weights" / "tiny"
        shutil.copytree(REPOSITORY / "assets" / "tiny-shaped", weights)
        if ADDRESS in (REPOSITORY / "docs" / page).read_text():
            with served(weights) as address:
                self[page] = Walker(place, {ADDRESS: address}).walk(page)
        else:
            self[page] = Walker(place).walk(page)
        return self[page]


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Walks:
    return Walks(tmp_path_factory)


@pytest.mark.parametrize("page", WALKED)
def test_every_line_of_the_page_ends_well(page: str, walked: Walks) -> None:
    failed = {one.line: (one.code, one.err[-800:]) for one in walked[page] if one.code}
    assert not failed and len(walked[page]) >= 7


SAID = {
    ("questions.md", "harness run manifests/capitals.yaml  "): "95 % interval",
    ("questions.md", "harness scores last"): "match",
    ("questions.md", "harness show last"): "target: Nairobi",
    ("questions.md", "harness compare"): "p (Holm)",
    ("questions.md", "harness run manifests/choice.yaml"): "choice",
    ("questions.md", "harness run manifests/capitals.yaml --limit 2"): "limited to 2 items of each dataset",
    ("questions.md", "harness run manifests/capitals.yaml -m half"): "half",
    ("own-project.md", "harness list"): "manifests/capitals.yaml",
    ("own-project.md", "harness reproduce"): "reproduced: 1 of 1",
    ("own-project.md", "harness audit"): "steps made again",
    ("own-project.md", "harness fsck --store ../theirs"): "is sound",
    ("own-project.md", "harness audit last --store ../theirs"): "agreed",
    ("own-model.md", "harness run manifests/sums.yaml -m elsewhere"): "elsewhere",
    ("own-model.md", "harness tape ls"): "3 exchanges",
    ("after-an-edit.md", "harness run manifests/capitals.yaml ||"): "exit 2",
    ("after-an-edit.md", "harness plan"): "prompt wording",
    ("after-an-edit.md", "harness diff"): "exit 1",
    ("after-an-edit.md", "harness compare"): "95 % interval",
    ("after-an-edit.md", "harness explain"): "because",
    ("after-an-edit.md", "harness lock --carry"): "carried",
    ("after-an-edit.md", "harness reproduce"): "reproduced: 1 of 1",
}  # fmt: skip


@pytest.mark.parametrize(("page", "begin"), [one for one in SAID if one[0] in WALKED], ids=lambda part: part.strip())
def test_a_line_of_the_page_says_what_it_promises(page: str, begin: str, walked: Walks) -> None:
    found = [one for one in walked[page] if one.line.startswith(begin)]
    assert found and SAID[page, begin] in found[0].out + found[0].err


@pytest.mark.skipif("own-model.md" not in WALKED, reason="another page was drawn")
def test_the_replayed_run_asked_nobody_and_scored_the_same(walked: Walks) -> None:
    recorded, replayed = [one for one in walked["own-model.md"] if one.line.startswith("harness run manifests/served")]

    def scores(one: Walked) -> list[list[str]]:
        return [line.split()[:8] for line in one.out.splitlines() if line.startswith("mine")]

    assert len(scores(recorded)) == 2 and scores(recorded) == scores(replayed)


@pytest.mark.skipif("questions.md" not in WALKED, reason="another page was drawn")
def test_what_grows_asks_for_the_new_row_alone(walked: Walks) -> None:
    last = walked["questions.md"][-1]
    assert "tiny: 1 answers to ask for" in last.err.replace("1 answer to", "1 answers to")
