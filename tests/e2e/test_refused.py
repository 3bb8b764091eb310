"""A model that refuses whatever it is asked ends a run soon, in its provider's words, and leaves nothing behind."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from models.misbehaving import Misbehaving, misbehaving
from needs import needs
from support import error_of, harness, unlocked_project

from harness.models.gateway.limits import FIRST

needs("openai", "aiohttp")
pytestmark = pytest.mark.together  # one server and one project serve all
KEY = {"TOY_KEY": "sk-planted-4f1c9b27e8a0d3"}
SAID = "`temperature` and `top_p` cannot both be specified"
MANIFEST = "manifests/small.yaml"
BOUND, AT_ONCE = 20, FIRST  # refusals in a row, and what is under way when they are counted


@pytest.fixture(scope="module")
def server() -> Iterator[Misbehaving]:
    with misbehaving() as one:
        yield one


@pytest.fixture(scope="module")
def folder(server: Misbehaving, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of one model, locked; each test has a store of its own."""
    folder = tmp_path_factory.mktemp("refused") / "project"
    manifest = unlocked_project(folder, count=60, models=())
    model = f"  far: {{provider: openai, model: toy-1, tape: live, base_url: {server.url}/v1, key: TOY_KEY}}\n"
    manifest.write_text(manifest.read_text().replace("models:\n", f"models:\n{model}"))
    harness("lock", manifest, cwd=folder, check=0)
    return folder


@pytest.fixture
def refusing(server: Misbehaving) -> Iterator[Misbehaving]:
    """The server while it refuses everything, in words of its own."""
    server.asked.clear()
    server.usual, server.words = "400", json.dumps({"detail": f"{SAID} \x1b[31m for this model"}).encode()
    yield server
    server.usual, server.words = "fine", b""


def run(folder: Path, store: Path, *args: str, env: dict[str, str] = KEY) -> subprocess.CompletedProcess[str]:
    return harness("run", MANIFEST, "--store", store, "--jobs", "1", *args, cwd=folder, env=env)


def responses(store: Path) -> list[str]:
    """Name the responses that lie in a store."""
    kept = [json.loads(path.read_bytes()) for path in store.glob("keys/*/*.json")]
    return [entry["key"] for entry in kept if "responses" in json.dumps(entry["preimage"]["outputs"])]


@pytest.mark.long
def test_a_model_that_refuses_everything_is_asked_again_by_the_next_run(
    folder: Path, refusing: Misbehaving, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    for turn in (1, 2):
        done = run(folder, store, "--json", env={**KEY, "HARNESS_MAX_ERRORS": "100%"})
        error = error_of(done)
        assert (done.returncode, error["name"]) == (1, "refused")
        assert re.match(r"toy-1 refused all of the first \d\d requests and answered none; it said: ", error["what"])
        assert f"the provider answered HTTP 400: {SAID} \\x1b[31m for this model" in error["what"]
        assert "run again" in error["next"] and "--max-errors" in error["next"]
        assert BOUND <= refusing.asked.total() / turn <= BOUND + AT_ONCE
        assert not responses(store)


@pytest.mark.long
def test_refusals_can_be_counted_and_differ_from_what_was_not_asked(
    folder: Path, refusing: Misbehaving, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    done = run(folder, store, "--max-errors", "100%")
    rows = refusing.asked.total()
    assert rows > BOUND + AT_ONCE and done.returncode == 0
    assert f"toy-1: {rows} refused" in done.stdout and "not asked" not in done.stdout
    assert done.stderr.count(SAID) == 1, "the provider's words are shown once"
    assert f"far left {rows} of {rows} rows without an answer; the first: HTTP 400 http_400: {SAID}" in done.stderr
    for allowed in ((), ("--max-errors", str(rows - 1))):
        done = harness("lock", "--accept", "last", *allowed, "--store", store, "--json", cwd=folder, check=2)
        error = error_of(done)
        assert f"far left {rows} of {rows} rows" in error["what"] and "--max-errors" in error["next"]
    harness("lock", "--accept", "last", "--max-errors", str(rows), "--store", store, cwd=folder, check=0)


@pytest.mark.long
def test_a_short_run_without_any_answer_fails_and_can_be_asked_again(
    folder: Path, refusing: Misbehaving, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    few = run(folder, store, "--limit", "1", "--json")
    rows = refusing.asked.total()
    [gap] = json.loads(few.stdout)["runs"][0]["unanswered"]
    assert few.returncode == 1 and 0 < rows < BOUND
    assert (gap["model"], gap["rows"], gap["errors"]) == ("far", rows, rows) and SAID in gap["said"]
    assert run(folder, store, "--limit", "1").returncode == 1 and refusing.asked.total() == 2 * rows
    refusing.usual = "fine"
    assert run(folder, store, "--limit", "1").returncode == 0 and refusing.asked.total() == 3 * rows


def test_the_verbs_that_allow_errors_refuse_what_is_no_bound(folder: Path, tmp_path: Path) -> None:
    for verb in (("run", MANIFEST), ("reproduce", MANIFEST), ("lock", "--accept", "last")):
        done = harness(*verb, "--max-errors=many", "--json", "--store", tmp_path / "s", cwd=folder, check=2)
        assert error_of(done)["where"] == "--max-errors"
    done = harness("lock", MANIFEST, "--max-errors", "1", "--json", cwd=folder, check=2)
    assert "--accept" in error_of(done)["next"]
