"""A run takes no answer of another server: two servers under one model's name, asked by `harness run`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from models.misbehaving import Misbehaving, misbehaving
from needs import needs
from support import unlocked_project
from support_inside import inner_data, inside

from harness.models.tape.tape import Tape

needs("openai", "aiohttp")
pytestmark = pytest.mark.together  # two servers and one recorded project serve all
KEY = {"TOY_KEY": "sk-planted-4f1c9b27e8a0d3"}
SMALL = "manifests/small.yaml"


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[Misbehaving, Misbehaving]]:
    with misbehaving() as one, misbehaving() as other:
        other.voice, other.served = "reply", "another-model"
        yield one, other


@pytest.fixture(scope="module")
def recorded(servers: tuple[Misbehaving, Misbehaving], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that has recorded the first server."""
    folder = tmp_path_factory.mktemp("servers") / "project"
    manifest = unlocked_project(folder, count=6, models=())
    far = f"provider: openai, model: toy-1, tape: record, base_url: {servers[0].url}/v1, key: TOY_KEY"
    manifest.write_text(manifest.read_text().replace("models:\n", f"models:\n  far: {{{far}}}\n"))
    inside("lock", SMALL, cwd=folder, check=0)
    ran = run(folder)
    assert ran["replayed"] == 0 and ran["servers"] == {f"{servers[0].url}/v1": ran["recorded"]}
    return folder


def run(folder: Path) -> dict[str, Any]:
    """Run the project, and give the counts of the model's calls."""
    [done] = inner_data("run", SMALL, cwd=folder, env=KEY)["runs"]
    assert record(folder)["calls"] == done["calls"], "the record has what the run says"
    counts: dict[str, Any] = done["calls"]["toy-1"]
    return counts


def record(folder: Path, store: str = ".harness") -> dict[str, Any]:
    """Read the record of the last run of a store."""
    last = max((folder / store).glob("runs/*/record.json"), key=lambda path: path.stat().st_mtime_ns)
    body: dict[str, Any] = json.loads(last.read_bytes())
    return body


def changed(recorded: Path, folder: Path, old: str, new: str) -> Path:
    """Copy the project, change its manifest, and lock it again."""
    shutil.copytree(recorded, folder, symlinks=True)
    (folder / "tapes" / "small" / "index.bin").unlink()
    text = (folder / SMALL).read_text()
    assert old in text
    (folder / SMALL).write_text(text.replace(old, new))
    inside("lock", SMALL, cwd=folder, check=0)
    return folder


def texts(folder: Path) -> set[str]:
    """Give the first words of the last run's answers."""
    lines = inside("get", "last", "responses", cwd=folder, check=0).stdout.splitlines()
    return {json.loads(line)["text"].split()[0] for line in lines}


@pytest.mark.long
def test_a_run_on_another_server_asks_it_and_keeps_both(
    recorded: Path, servers: tuple[Misbehaving, Misbehaving], tmp_path: Path
) -> None:
    one, other = servers
    folder = changed(recorded, tmp_path / "p", one.url, other.url)
    counts = run(folder)
    assert counts["replayed"] == 0 and texts(folder) == {"reply"}
    assert counts["servers"] == {f"{other.url}/v1": counts["recorded"]}
    assert counts["models"] == {"another-model": counts["recorded"]}
    with Tape.open(folder / "tapes" / "small") as tape:
        assert {line.server for line in tape.requests()} == {f"{one.url}/v1", f"{other.url}/v1"}


@pytest.mark.long
def test_one_manifest_asks_two_servers_of_one_models_name_and_keeps_their_answers_apart(
    recorded: Path, servers: tuple[Misbehaving, Misbehaving], tmp_path: Path
) -> None:
    other = servers[1]
    asked = other.asked.total()
    near = f"  near: {{provider: openai, model: toy-1, tape: record, base_url: {other.url}/v1, key: TOY_KEY}}\n"
    [far] = [line for line in (recorded / SMALL).read_text().splitlines(keepends=True) if "far:" in line]
    folder = changed(recorded, tmp_path / "p", far, far + near)
    for store, replayed in ((".harness", False), ("fresh", True)):
        [done] = inner_data("run", SMALL, "--store", store, cwd=folder, env=KEY)["runs"]
        first, second = done["calls"]["toy-1"], done["calls"]["models/near"]
        if not replayed:
            assert first["requests"] == 0 and second["servers"] == {f"{other.url}/v1": second["recorded"]}
            assert second["models"] == {"another-model": second["recorded"]} and second["recorded"]
        assert other.asked.total() == asked + second["recorded"] or replayed
        lines = inside("get", "last", "responses", "--store", store, cwd=folder, check=0).stdout.splitlines()
        answers = [json.loads(line) for line in lines]
        assert {(row["model"], row["text"].split()[0]) for row in answers} == {("far", "echo"), ("near", "reply")}


@pytest.mark.long
def test_a_replay_of_another_server_ends_the_run_and_names_who_answered(
    recorded: Path, servers: tuple[Misbehaving, Misbehaving], tmp_path: Path
) -> None:
    one, other = servers
    old = f"tape: record, base_url: {one.url}"
    folder = changed(recorded, tmp_path / "p", old, f"tape: replay, base_url: {other.url}")
    done = inside("run", SMALL, cwd=folder, check=4)
    assert f"it was asked of another server, {one.url}/v1" in done.stderr and "`same_as`" in done.stderr


@pytest.mark.long
def test_a_server_that_moved_answers_with_what_it_said_before(
    recorded: Path, servers: tuple[Misbehaving, Misbehaving], tmp_path: Path
) -> None:
    one, other = servers
    asked = other.asked.total()
    moved = f"base_url: {other.url}/v1, same_as: {one.url}/v1"
    folder = changed(recorded, tmp_path / "p", f"base_url: {one.url}/v1", moved)
    counts = run(folder)
    assert counts["moved"] == {f"{one.url}/v1": counts["replayed"]} and other.asked.total() == asked
    assert counts["recorded"] == 0 and texts(folder) == {"echo"}
    text = inside("run", SMALL, "--store", "fresh", cwd=folder, check=0).stdout
    assert f"toy-1: {counts['replayed']} replayed from lines of {one.url}/v1 (same_as)" in text
    assert inner_data("show", SMALL, cwd=folder)["intent"]["models"]["far"]["same_as"] == f"{one.url}/v1"

    text = (folder / SMALL).read_text()
    (folder / SMALL).write_text(text.replace(f", same_as: {one.url}/v1", ""))
    inside("lock", SMALL, cwd=folder, check=0)
    counts = run(folder)
    assert counts["replayed"] == 0 and texts(folder) == {"reply"}, "what it took then is not in the store as its own"


@pytest.mark.long
def test_lines_that_name_no_server_are_told_apart_from_the_servers_own(
    recorded: Path, servers: tuple[Misbehaving, Misbehaving], tmp_path: Path
) -> None:
    folder = changed(recorded, tmp_path / "p", "tape: record", "tape: record, tapes: tapes/old")
    inside("tape", "export", "tapes/small", "now.jsonl", cwd=folder, check=0)
    rows = [json.loads(line) for line in (folder / "now.jsonl").read_bytes().splitlines()]
    old = [{name: value for name, value in row.items() if name not in ("server", "responder")} for row in rows]
    (folder / "old.jsonl").write_text("".join(json.dumps(row) + "\n" for row in old))
    inside("tape", "import", "old.jsonl", "tapes/old", cwd=folder, check=0)
    done = inside("run", SMALL, "--store", "fresh", cwd=folder, check=0)
    said = f"{len(rows)} replayed from lines that name no server"
    assert f"toy-1: {said}" in done.stdout and f"small: toy-1: {said}" in done.stderr
    assert "harness tape import old.jsonl NEW --server URL" in done.stderr
    calls = record(folder, "fresh")["calls"]["toy-1"]
    assert (calls["unnamed"], calls["replayed"], calls["recorded"]) == (len(rows), len(rows), 0)
    assert "servers" not in calls, "nobody is said to have given them"


@pytest.mark.parametrize(
    "url",
    [
        "http://ada:hunter2@127.0.0.1:1/v1",
        "http://127.0.0.1:1/v1?key=sk-hidden",
        "http://ada:hunter2@[::1]:0080/?key=sk-hidden",
    ],
)
@pytest.mark.parametrize("field", ["base_url", "same_as"])
def test_an_address_with_credentials_is_refused_and_repeated_nowhere(url: str, field: str, tmp_path: Path) -> None:
    folder = tmp_path / "p"
    manifest = unlocked_project(folder, count=12, models=())
    far = f"provider: openai, model: toy-1, tape: record, {field}: '{url}', key: TOY_KEY"
    manifest.write_text(manifest.read_text().replace("models:\n", f"models:\n  far: {{{far}}}\n"))
    for words in (("lock", SMALL), ("run", SMALL)):
        done = inside(*words, cwd=folder, env=KEY, check=2)
        assert f"`models.far.{field}` is wrong: write a URL without a name or a key" in done.stderr
        assert not [word for word in ("hunter2", "sk-hidden") if word in done.stdout + done.stderr]
    written = [path for path in folder.rglob("*") if path.is_file() and path != manifest]
    assert not [path for path in written if b"hunter2" in path.read_bytes() or b"sk-hidden" in path.read_bytes()]
