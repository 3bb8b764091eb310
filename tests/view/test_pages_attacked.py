"""An attacker who hands over a store, or hides data late: what the pages show, and the commands that they offer."""

from __future__ import annotations

import contextlib
import html
import json
import re
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest
from evidence.forger import Forger, chained, forged, write
from support_answers_run import answers_run
from support_ground import copy_of
from support_inside import inner_data, inside
from support_view import ask, site_of

from harness.digest import sha256
from harness.store.attempts import SplitData, mark_hidden
from harness.store.store import Store, list_runs
from harness.view.index import comparison_path, index_path, is_fresh, was_made_here
from harness.view.look import run_address, spelled
from harness.view.runs import RunFollower
from harness.view.worker import build_comparison, build_index

pytestmark = pytest.mark.together
FILE = b"the questions"
ITEM = "What is 0 + 7?"
ODD = "x; touch owned; $(touch owned) `touch owned` 'touch owned' \n touch owned & | > owned"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        answers_run(folder, {"good": 90}, 3, 1, fetched=FILE, drawn=True)
        answers_run(folder, {"good": 50}, 3, 1, gated=True, name="kept", drawn=True)

    return copy_of("answers-to-attack", tmp_path_factory.mktemp("attacked") / "p", make)


@pytest.fixture
def store(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(made / ".harness", tmp_path / "store")
    return Store.open(tmp_path / "store")


def runs_of(store: Store) -> list[str]:
    return list(list_runs(store))


def test_no_figure_and_no_page_of_a_run_with_kept_data_is_shown(store: Store) -> None:
    """A report or a figure repeats items: its bytes were served for a run whose every other output is withheld."""
    open_run, kept = runs_of(store)
    site = site_of(store.root)
    for output in ("figure.svg", "report.html"):
        assert ITEM in ask(site, f"/runs/{open_run}/outputs/{output}?raw=1").text
        refused = ask(site, f"/runs/{kept}/outputs/{output}?raw=1")
        assert refused.status == 404 and ITEM not in refused.text and "gated" in refused.text
    shown = [ask(site, f"/runs/{run}").text for run in (open_run, kept)]
    assert ["figure.svg?raw=1" in one for one in shown] == [True, False]
    assert "Figures and pages of this run are not shown: it is gated" in shown[1]
    site.jobs.end()


def test_a_report_names_the_models_and_each_figure_and_withholds_what_is_kept(store: Store, tmp_path: Path) -> None:
    pages = []
    for run in runs_of(store):
        inner_data("report", run, "--store", store.root, "-o", f"{run}.html", cwd=tmp_path)
        pages.append((tmp_path / f"{run}.html").read_text())
    assert all(re.search(r"models</th>\s*<td[^>]*>good</td>", page) for page in pages)
    assert ["File: figure.svg</figcaption>" in page for page in pages] == [True, False]
    assert [ITEM in page.partition("Outputs</h2>")[0] for page in pages] == [True, False]


def test_data_that_was_hidden_after_a_look_is_shown_no_more(store: Store, tmp_path: Path) -> None:
    """An index, and the memory of the server, are older than the manifest that hides the file."""
    run = runs_of(store)[0]
    site = site_of(store.root)
    build_index(store, run)
    comparison = comparison_path(store, (run, run), ("", ""), ())
    before = ask(site, f"/runs/{run}/answers/1")
    assert before.status == 200 and ITEM in before.text
    assert "sum-000000" in inside("show", run, "--items", "--store", store.root, cwd=tmp_path, check=0).stdout
    mark_hidden(store, SplitData("other", "test", frozenset([sha256(FILE)])))
    assert not is_fresh(store, run, list_runs(store)[run].record)
    assert comparison_path(store, (run, run), ("", ""), ()) != comparison
    build_index(store, run)
    for address in ("answers", "answers/1", "outputs/responses", "outputs/figure.svg?raw=1"):
        found = ask(site, f"/runs/{run}/{address}")
        assert ITEM not in found.text and "sum-00000" not in found.text, address
    inside("show", run, "--items", "--store", store.root, cwd=tmp_path, check=2)
    said = inner_data("report", run, "--store", store.root, "-o", "r.html", cwd=tmp_path)
    assert said["not_shown"] == {"sums": 3} and ITEM not in (tmp_path / "r.html").read_text()
    told = inner_data("export", run, "--jsonl", "t", "--store", store.root, cwd=tmp_path)
    assert {one["file"] for one in told["tables"]} == {"means.jsonl"}
    handed = inner_data("export", run, "-o", "r.tar", "--store", store.root, cwd=tmp_path)
    assert handed["omitted"] and b'"id":"sum-000000"' not in (tmp_path / "r.tar").read_bytes()


def test_an_index_that_came_with_a_store_is_not_believed(store: Store, tmp_path: Path) -> None:
    """Whoever hands over a store puts another table of scores, and other answers, into its index."""
    run = runs_of(store)[0]
    record = list_runs(store)[run].record
    path = build_index(store, run)
    assert is_fresh(store, run, record)
    with contextlib.closing(sqlite3.connect(path)) as index:
        [report] = index.execute("SELECT value FROM meta WHERE name = 'report'").fetchone()
        told = json.loads(report)
        told["lines"][0] |= {"value": 0.98765, "model": "a model that never ran"}
        index.execute("UPDATE meta SET value = ? WHERE name = 'report'", (json.dumps(told),))
        index.commit()
    assert not is_fresh(store, run, record), "it was written to since"
    shutil.copytree(store.root, tmp_path / "handed")
    theirs = Store.open(tmp_path / "handed")
    site = site_of(theirs.root)
    assert not was_made_here(theirs, index_path(theirs, run))
    shown = ask(site, f"/runs/{run}").text
    assert "never ran" not in shown and "0.98" not in shown and "the index of this run is made" in shown
    site.jobs.end()
    build_index(theirs, run)
    assert "never ran" not in ask(site_of(theirs.root), f"/runs/{run}").text


def copied(page: str) -> list[str]:
    return [html.unescape(one) for one in re.findall(r'data-text="([^"]*)"', page)]


def test_a_command_to_copy_is_one_command_whatever_a_name_says(store: Store, tmp_path: Path) -> None:
    """Names of outputs and steps that a shell would read as commands, and one that would be read as an option."""

    def rename(it: Forger) -> None:
        for event in it.events:
            if event["event"] == "output" and event["name"] == "gold":
                event["name"] = f"-{ODD}"
        step = next(event["step"] for event in it.events if event["event"] == "step.done")
        it.entries[ODD] = it.entries.pop(step)
        for event in it.events:
            if event.get("step") == step:
                event["step"] = ODD

    run = Forger(store).run
    forged(store, rename)
    site = site_of(store.root)
    record = json.loads(store.record(run).read_bytes())
    name = next(one for one in record["outputs"] if one.startswith("-"))
    page = ask(site, run_address(run, "outputs", name))
    commands = [*copied(page.text), spelled("compare", run, ODD), *copied(ask(site, f"/runs/{run}").text)]
    assert page.status == 200 and len(commands) > 6
    fake = 'harness() { printf "%s\\0" "$@"; }\n'
    seen = set()
    for one in commands:
        (tmp_path / "empty").mkdir(exist_ok=True)
        done = subprocess.run(["bash", "-c", fake + one], cwd=tmp_path / "empty", capture_output=True, check=False)
        assert done.returncode == 0 and not list((tmp_path / "empty").iterdir()), one
        seen.update(done.stdout.decode().split("\0"))
    assert ODD in seen and f"-{ODD}" in seen
    assert "--" in copied(page.text)[0].split(" "), "a name that begins with a dash is no option"
    site.jobs.end()


@pytest.mark.parametrize("number", [str(1 << 63), "9" * 30, "9" * 5000])
def test_a_number_that_no_index_can_hold_is_answered_cleanly(store: Store, number: str) -> None:
    """SQLite holds whole numbers below 2^63, and Python reads none of more than 4,300 digits."""
    run = runs_of(store)[0]
    build_index(store, run)
    build_comparison(store, (run, run), ("good", "good"))
    site = site_of(store.root)
    sides = f"left={run}&right={run}&left_model=good&right_model=good"
    answers = f"/runs/{run}/answers"
    for address in (f"{answers}/1", f"/compare?{sides}", f"/compare/item?{sides}&item=sum-000000&template=1"):
        assert ask(site, address).status == 200, address
    for address in (
        *(f"{answers}/{number}", f"{answers}/-{number}", f"{answers}/1?from={number}"),
        *(f"{answers}?after={number}", f"{answers}?template={number}", f"{answers}?sort=low&after=0.5~{number}"),
        *(f"/compare?{sides}&after={number}", f"/compare/item?{sides}&item=sum-000000&template={number}"),
    ):
        assert ask(site, address).status == 404, address
    site.jobs.end()
    desks = site_of(store.root, labeller="ada")
    for asked in (f"place={number}", f"from={number}"):
        assert ask(desks, f"/label/{run}/reliability.outcome?{asked}").status == 404, asked
    desks.jobs.end()


@pytest.mark.parametrize("line", [b"[]", b"7", b'{"event": "run.started", "steps": []}', b"[" * 100_000])
def test_an_odd_line_of_a_run_that_never_ended_does_not_take_the_list_away(store: Store, line: bytes) -> None:
    run = runs_of(store)[0]
    path = store.journal(run)
    first = path.read_bytes().splitlines(keepends=True)[0]
    write(path, first + line + b"\n")
    heads = [json.loads(one) for one in store.heads.path.read_bytes().splitlines()]
    heads = [one for one in heads if (one["run"], one["event"]) != (run, "run.finished")]
    write(store.heads.path, b"".join(chained(heads)[0]))
    follower = RunFollower(store, run)
    follower.read_on()
    assert follower.broken
    site = site_of(store.root)
    for address in ("/", f"/runs/{run}"):
        found = ask(site, address)
        assert found.status == 200 and "its journal cannot be read" in found.text
    assert runs_of(store)[1] in ask(site, "/").text
    site.jobs.end()
