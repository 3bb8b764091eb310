"""The page of an answer names the line of the tape that it came from, or says in words why none can be told."""

from __future__ import annotations

import html
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from models.misbehaving import misbehaving
from needs import needs
from support import unlocked_project
from support_ground import copy_of
from support_inside import inner_data, inside
from support_view import ask, site_of

from harness.models.tape.tape import Recorder
from harness.store.store import Store, list_runs
from harness.verbs import Project
from harness.view.site import Site
from harness.view.worker import build_index

needs("openai", "anthropic", "aiohttp")
pytestmark = pytest.mark.together  # one recorded project serves all
KEY = {"TOY_KEY": "sk-planted-4f1c9b27e8a0d3"}
SMALL, TAPE = "manifests/small.yaml", "tapes/small"
MODELS = """models:
  chat: {{provider: openai, model: toy-1, tape: record, base_url: {url}/v1, key: TOY_KEY, system: Be brief.}}
  text: {{provider: openai, model: toy-2, tape: record, base_url: {url}/v1, key: TOY_KEY, endpoint: completions}}
  message: {{provider: anthropic, model: toy-3, tape: record, base_url: '{url}', key: TOY_KEY}}
"""
FACT = re.compile(r"<dt>(.*?)</dt><dd>(.*?)</dd>", re.DOTALL)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a project whose three models at a server were recorded, and then replayed from the pinned tape."""

    def make(folder: Path) -> None:
        with misbehaving() as server:
            manifest = unlocked_project(folder, count=6, models=("oracle",))
            manifest.write_text(manifest.read_text().replace("models:\n", MODELS.format(url=server.url)))
            inside("lock", SMALL, cwd=folder, check=0)
            inside("run", SMALL, cwd=folder, env=KEY, check=0)
        manifest.write_text(manifest.read_text().replace("tape: record", "tape: replay"))
        inside("lock", SMALL, cwd=folder, check=0)
        inside("run", SMALL, cwd=folder, check=0)  # the server is gone, and there is no key

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = copy_of("recorded-and-replayed", tmp_path / "p", make)
    store = Store.open(found / ".harness")
    for run in list_runs(store):  # an index that was copied is made anew
        build_index(store, run)
    return found


def pages(project: Path, run: str, *numbers: int) -> list[str]:
    """Give the pages of answers as a reader in the project is given them; of all answers if none is named."""
    site, found = Site(Project.at(project)), []
    for number in numbers or range(1, 1000):
        page = ask(site, f"/runs/{run}/answers/{number}")
        if page.status != 200:
            break
        found.append(html.unescape(page.text))
    return found


def facts(page: str) -> dict[str, str]:
    return {key: re.sub("<[^>]*>", "", value) for key, value in FACT.findall(page)}


def test_an_answer_names_the_line_that_it_came_from(project: Path) -> None:
    recorded, replayed = list_runs(Store.open(project / ".harness"))
    lines = (project / TAPE / "segment-00000.jsonl").read_text().splitlines()
    before = sorted(project.rglob("tapes/**"))
    for run, pinned in ((recorded, "no: the lock pins no tape"), (replayed, "yes")):
        seen, asked = set(), 0
        for page in pages(project, run):
            told = facts(page)
            if "tape" not in told:
                assert "oracle" in page and "Recorded exchange" not in page, "a stand-in is on no tape"
                continue
            number, file = told["line"].split(" of ")
            line = json.loads(lines[int(number) - 1])
            said = json.loads(line["response"]["text"])
            text = said["content"][0] if "content" in said else said["choices"][0]
            answer = text.get("text") or text["message"]["content"]
            assert answer in page and (told["tape"], file) == (TAPE, "segment-00000.jsonl")
            assert (told["digest of the line"], told["recorded"]) == (line["self"], line["at"])
            assert told["pinned by the lock"] == pinned and told["server"] == line["request"]["server"]
            seen.add((number, told["digest of the request"]))
            asked += 1
        assert asked == 3 * (asked // 3) > 0 and {int(number) for number, _ in seen} == set(range(1, len(lines) + 1))
    command = re.search(r"harness (tape find [^<]*)</code>", pages(project, replayed, 1)[0])
    assert command
    found = inner_data(*command[1].split(), cwd=project)
    told = facts(pages(project, replayed, 1)[0])
    assert f"{found['line']} of {Path(found['file']).name}" == told["line"]
    assert found["digest"] == told["digest of the line"]
    assert found["response"] == json.loads(lines[found["line"] - 1])["response"]["text"]
    inside("tape", "find", TAPE, "0" * 64, cwd=project, check=3)
    inside("tape", "find", TAPE, told["digest of the request"][:12], cwd=project, check=2)
    assert sorted(project.rglob("tapes/**")) == before, "looking writes nothing"


def test_where_no_line_can_be_told_the_page_says_why(project: Path) -> None:
    replayed = list(list_runs(Store.open(project / ".harness")))[1]
    number = next(n for n, page in enumerate(pages(project, replayed), 1) if "tape" in facts(page))
    why = "It cannot be told which line of a tape this answer came from: "

    with Recorder(project / TAPE) as recorder:
        recorder.add("openai", {"model": "toy-1", "messages": []}, 0, 200, b'{"choices": []}')
    assert facts(pages(project, replayed, number)[0])["pinned by the lock"] == "no: the tape has changed since"

    alone = ask(site_of(project / ".harness"), f"/runs/{replayed}/answers/{number}")
    assert alone.status == 200  # a store inside its project: the tape is beside it
    shutil.copytree(project / ".harness", project.parent / "elsewhere" / "store")
    build_index(Store.open(project.parent / "elsewhere" / "store"), replayed)
    alone = ask(site_of(project.parent / "elsewhere" / "store"), f"/runs/{replayed}/answers/{number}")
    assert f"{why}tapes are in a project's folder, and a store alone is looked at." in html.unescape(alone.text)

    shutil.move(project / TAPE, project / "tapes" / "kept")
    assert f"{why}the tape {TAPE} is not in this project." in pages(project, replayed, number)[0]

    rows = [json.loads(line) for line in export(project, "tapes/kept")]
    taped(project, [row for row in rows if row["request"]["model"] == "toy-3"])
    assert f"{why}the tape {TAPE} does not hold this request." in pages(project, replayed, number)[0]
    chats = [row for row in rows if row["request"]["model"] == "toy-1"]
    taped(project, [json.loads(json.dumps(row).replace("echo", "reply")) for row in chats])
    assert f"{why}the tape {TAPE} holds another answer to this request" in pages(project, replayed, number)[0]


def test_a_line_of_an_older_tape_that_names_no_server_is_found(project: Path) -> None:
    recorded = next(iter(list_runs(Store.open(project / ".harness"))))
    rows = [json.loads(line) for line in export(project, TAPE)]
    shutil.rmtree(project / TAPE)
    taped(project, [{k: v for k, v in row.items() if k not in ("server", "responder")} for row in rows])
    told = [facts(page) for page in pages(project, recorded)]
    assert {one["server"] for one in told if "tape" in one} == {"the line names none"}


def export(project: Path, tape: str) -> list[bytes]:
    """Give a tape's exchanges as lines of JSON."""
    file = project.parent / "exported.jsonl"
    file.unlink(missing_ok=True)
    inside("tape", "export", tape, file, cwd=project, check=0)
    return file.read_bytes().splitlines()


def taped(project: Path, rows: list[dict[str, Any]]) -> None:
    """Make the project's tape of exchanges."""
    file = project.parent / "changed.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    inside("tape", "import", file, TAPE, cwd=project, check=0)
