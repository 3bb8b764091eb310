"""The example agent of the docs takes whole attempts on the demos of studies, and replays one from a tape."""

from __future__ import annotations

import asyncio
import contextlib
import json
import runpy
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from needs import needs
from support import REPOSITORY, clean_env, command, harness, unlocked_project
from support_agents import AGENTS, STUDY, by_python, told
from support_draws import drawn

pytestmark = pytest.mark.together
LOOP = REPOSITORY / "docs" / "examples" / "agent_loop.py"
SECONDS = 400
DEMOS = ("reliability", "curie", "biomed")
TINY = "  small: {make: reliability.small_addition, seed: 7, count: 24}\n"
MODEL = "tiny"


def loop(folder: Path, study: str, env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run the example in a project, and give what its attempt ended with."""
    done = subprocess.run(
        [sys.executable, str(LOOP), study, "dev"], cwd=folder, env=clean_env(env),
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def demos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what the demos are made of, so that their attempts stand in a store of their own."""
    folder = tmp_path_factory.mktemp("demos")
    for name in ("manifests", "assets", "certificates", "lockfiles"):
        shutil.copytree(REPOSITORY / name, folder / name)
    return folder


@pytest.mark.exhaustive
@pytest.mark.parametrize("study", drawn(DEMOS, 1))
def test_a_scripted_model_takes_the_attempt_of_a_demo(study: str, demos: Path) -> None:
    harness("lock", f"manifests/demo/{study}.yaml", cwd=demos, check=0)  # makes the data, from which views are made
    found = loop(demos, f"{study}-demo")
    assert found["status"] == "scored" and found["n_missing"] == 0 and found["scores"]
    expected = by_python(demos, f"{study}-demo", lambda _: {"answer": "I do not know."})
    del found["attempt_id"]
    assert told(found) == told(expected)


@contextlib.contextmanager
def tiny_server() -> Iterator[str]:
    """Serve a small model of assets/ beside us."""
    words = [sys.executable, str(REPOSITORY / "tests" / "toys" / "tiny_server.py")]
    process = subprocess.Popen(
        [*words, str(REPOSITORY / "assets" / "tiny-shaped")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.communicate(timeout=60)


@contextlib.contextmanager
def on_tape(folder: Path, *words: str) -> Iterator[dict[str, str]]:
    """Run `harness gateway` over a tape, and give the variables of its clients."""
    line = command("gateway", "--tape", "tape", "--provider", "openai", "--json", *words)
    process = subprocess.Popen(
        line, cwd=folder, env=clean_env({"OPENAI_API_KEY": "none"}), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    try:
        yield {**json.loads(process.stdout.readline())["env"], "MODEL": MODEL}
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def test_an_attempt_of_a_local_model_replays_from_its_tape(tmp_path: Path) -> None:
    needs("torch", "transformers")
    folder = tmp_path / "project"
    manifest = unlocked_project(folder)
    lines = manifest.read_text().splitlines(keepends=True)
    manifest.write_text("".join(TINY if line.startswith("  addition:") else line for line in lines) + AGENTS)
    harness("lock", manifest, cwd=folder, check=0)

    with tiny_server() as url, on_tape(folder, "--record", *(server := ("--upstream", f"openai={url}"))) as env:
        first = loop(folder, STUDY, env)
    assert first["scores"]["small/reliability.outcome"]["value"] > 0  # it can add small numbers
    with on_tape(folder, *server) as env:  # the model is gone; its answers are asked for by its address
        second = loop(folder, STUDY, env)
    attempts = [one.pop("attempt_id") for one in (first, second)]
    assert attempts[0] != attempts[1] and told(first) == told(second)

    answers = [sorted(_answers(folder, attempt)) for attempt in attempts]
    assert answers[0] == answers[1] and len(set(answers[0])) > 3
    audited = harness("audit", attempts[1], "--json", cwd=folder)
    assert json.loads(audited.stdout)["verdict"] != "failed", audited.stdout


class BusyClient:
    """Answers a call only when it is made for the third time, as a server does that is at work."""

    def __init__(self, code: str) -> None:
        self.code, self.calls = code, 0

    async def call_tool(self, _tool: str, _arguments: Any) -> Any:
        self.calls += 1
        if self.calls < 3:
            return SimpleNamespace(is_error=True, content=[SimpleNamespace(text=f"{self.code}: so it is. Next: wait")])
        return SimpleNamespace(is_error=False, structured_content={"ok": True})


def test_the_example_makes_a_call_again_while_the_server_is_at_work() -> None:
    example = runpy.run_path(str(LOOP))
    example["call"].__globals__["AGAIN"] = 0.01
    busy = BusyClient("E_BUSY")
    assert asyncio.run(example["call"](busy, "list_studies")) == {"ok": True} and busy.calls == 3
    with pytest.raises(example["RefusedError"], match="E_BUDGET"):
        asyncio.run(example["call"](BusyClient("E_BUDGET"), "list_studies"))


def test_the_example_ends_with_what_the_server_says(demos: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(LOOP), "nothing", "dev"], cwd=demos, env=clean_env(), capture_output=True, text=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and "E_UNKNOWN_STUDY" in done.stderr and "Traceback" not in done.stderr


def _answers(folder: Path, attempt: str) -> list[str]:
    path = folder / ".harness" / "runs" / attempt / "transcript.jsonl"
    lines = map(json.loads, path.read_bytes().splitlines())
    calls = [one for one in lines if one.get("tool") == "submit_answers"]
    return [one["answer"] for call in calls for one in call["args"]["answers"]]
