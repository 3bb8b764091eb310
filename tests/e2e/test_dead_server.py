"""A run whose server is not there ends soon and says what to do; a key is missed before anything is made."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from models.misbehaving import misbehaving
from needs import needs
from support import error_of, harness, journals, unlocked_project

needs("openai", "aiohttp")
pytestmark = pytest.mark.together
MANIFEST, CLOSED = "manifests/small.yaml", "http://127.0.0.1:9/v1"  # a port that needs a privilege to listen on
SOON = 120  # seconds, on a busy machine; seven attempts at each row would take hours


def project(folder: Path, url: str, tape: str = "record", count: int = 60, more: str = "") -> Path:
    """Write and lock a project of one model at a URL, besides a stand-in."""
    manifest = unlocked_project(folder, count=count, models=("oracle",))
    model = f"  far: {{provider: openai, model: toy-1, tape: {tape}, base_url: {url}, key: TOY_KEY{more}}}\n"
    manifest.write_text(manifest.read_text().replace("models:\n", f"models:\n{model}"))
    harness("lock", manifest, cwd=folder, check=0)
    return folder


def run(folder: Path, *args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return harness("run", MANIFEST, *args, cwd=folder, env=env or {"HOME": str(folder)})


def events(folder: Path) -> list[dict[str, Any]]:
    """Read the journal of the last run."""
    *_, last = journals(folder / ".harness")
    return last


@pytest.mark.long
def test_a_port_that_nobody_listens_on_ends_a_run_soon_and_forecasts_nothing(tmp_path: Path) -> None:
    folder, begun = project(tmp_path / "p", CLOSED, count=6), time.monotonic()
    done = run(folder, "--json", "--max-errors", "100%")  # no refusals are counted here: nobody refuses
    assert time.monotonic() - begun < SOON and done.returncode == 1
    error = error_of(done)
    said = (
        r"toy-1 cannot be reached at http://127\.0\.0\.1:9/v1: 5 requests in a row failed within [0-9.]+ s; the last: "
    )
    assert re.fullmatch(said + r"no connection \(connection refused\)", error["what"])
    assert "start the server" in error["next"] and "run again" in error["next"] and "--max-errors" not in error["next"]
    assert " left" not in done.stderr and not re.search(r"[1-9][0-9,]* of [0-9,]+ answers", done.stderr)
    [calls] = [one["models"]["toy-1"] for one in events(folder) if one["event"] == "calls"]
    assert (calls["live"], calls["recorded"], calls["outage"]) == (0, 0, "connection")


@pytest.mark.long
def test_a_server_that_is_killed_in_the_middle_ends_the_run_and_the_next_run_goes_on(tmp_path: Path) -> None:
    with ExitStack() as life:
        server = life.enter_context(misbehaving())
        folder = project(tmp_path / "p", f"{server.url}/v1")
        server.plan = defaultdict(lambda: [] if sum(server.answered.values()) < 100 else ["close"] * 99)
        done = run(folder, "--json", "--jobs", "1")
        asked = sum(server.answered.values())
    error = error_of(done)
    assert (done.returncode, error["name"]) == (1, "refused") and 100 <= asked < 160
    assert "cannot be reached at" in error["what"] and "ended without an answer" in error["what"]
    with misbehaving() as server:
        manifest = folder / MANIFEST
        text = manifest.read_text()
        manifest.write_text(re.sub(r"http://127\.0\.0\.1:[0-9]+", server.url, text))
        harness("lock", manifest, cwd=folder, check=0)
        done = run(folder, "--json")
        told = json.loads(done.stdout)["runs"][0]["calls"]["toy-1"]
        assert done.returncode == 0 and told["errors"] == {}
        assert told["live"] == sum(server.answered.values())


@pytest.mark.long
def test_a_key_that_is_needed_is_missed_before_anything_is_made(tmp_path: Path) -> None:
    folder = project(tmp_path / "p", "http://192.0.2.1/v1", count=6)  # an address for documents, which is never reached
    done = run(folder)
    assert done.returncode == 3
    assert done.stderr[done.stderr.index("error: ") :].splitlines() == [
        "error: there is no key TOY_KEY",
        "  where: environment, ~/.config/harness/keys.toml",
        '  next:  export TOY_KEY=…, or write `TOY_KEY = "…"` to ~/.config/harness/keys.toml (mode 0600)',
    ]
    assert not list(folder.glob(".harness/runs/*")) and "executed" not in done.stderr


@pytest.mark.long
def test_a_key_is_not_missed_where_nothing_is_left_to_ask(tmp_path: Path) -> None:
    with misbehaving() as server:
        here = server.url.replace("127.0.0.1", "0.0.0.0")  # the same address, in a spelling that counts as any other
        folder = project(tmp_path / "p", f"{here}/v1", count=12)
        run(folder, env={"TOY_KEY": "sk-planted-4f1c9b27e8a0d3"}).check_returncode()
        asked = server.asked.total()
    assert "nothing was left to do" in run(folder).stderr, "the store has the answers"
    run(folder, "--store", str(tmp_path / "other")).check_returncode()  # the tape has them
    assert asked and server.asked.total() == asked
    lost = run(folder, "--store", str(tmp_path / "third"), "--set", "models.far.model=toy-2", "--relock")
    assert lost.returncode == 3 and "there is no key TOY_KEY" in lost.stderr, "neither has those of another model"


@pytest.mark.long
def test_how_requests_are_made_is_in_no_key_and_no_intent(tmp_path: Path) -> None:
    with misbehaving() as server:
        folder = project(tmp_path / "p", f"{server.url}/v1", tape="live", count=12)
        lock = folder / "lockfiles" / "manifests" / "small.lock.json"
        before = json.loads(lock.read_bytes())
        run(folder).check_returncode()
        manifest = folder / MANIFEST
        limits = "limits: {concurrency: 3, timeout: 20, retries: 1}"
        manifest.write_text(manifest.read_text().replace("key: TOY_KEY", f"key: TOY_KEY, {limits}"))
        harness("lock", manifest, cwd=folder, check=0)
        after = json.loads(lock.read_bytes())
        assert {name: before[name] for name in ("intent", "pins")} == {name: after[name] for name in ("intent", "pins")}
        asked, server.delay = sum(server.answered.values()), 0.02
        assert "nothing was left to do" in run(folder).stderr and sum(server.answered.values()) == asked
        server.most_at_once = 0
        run(folder, "--store", str(tmp_path / "other")).check_returncode()
        assert 1 < server.most_at_once <= 3
