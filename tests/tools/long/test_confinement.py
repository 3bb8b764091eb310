"""What the answering process can reach: no file of the project or the store, and on a hidden split no score."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from support_server import answers, children, items, opened_by, server, started, until
from support_views import ADDITION, HIDDEN, QUESTIONS, project
from support_wire import WireClient, environment

pytestmark = pytest.mark.together
USER = 54321
NAMED = {"study": "hidden", "split": "test"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = project(tmp_path_factory.mktemp("confined") / "project", ADDITION, HIDDEN)
    (made / ".harness").chmod(0o700)
    return made


@pytest.fixture
def root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")


@pytest.mark.long  # each call of the kernel is looked at
def test_the_answering_process_opens_no_file_of_project_or_store(folder: Path, tmp_path: Path) -> None:
    if not shutil.which("strace") or subprocess.run(["strace", "-o", tmp_path / "t", "true"], check=False).returncode:
        pytest.skip("strace is not here, or not allowed")
    trace = tmp_path / "trace"
    command = [
        "strace",
        "-f",
        "--seccomp-bpf",
        "-s",
        "4096",
        "-e",
        "trace=%file,clone,clone3,vfork,fork",
        "-o",
        str(trace),
        sys.executable,
    ]
    command += ["-m", "harness_tools", "--project", str(folder)]
    with WireClient(command, cwd=Path("/"), env=environment()) as client:
        attempt = started(client.hello(), "traced")
        for name in items(client, attempt):
            client.call("get_item", attempt_id=attempt, item_ids=[name])
            client.call("submit_answers", attempt_id=attempt, answers=answers((name, "7")))
        for bad in ("../../gold", str(folder / ".harness" / "heads.jsonl")):
            client.call("get_item", attempt_id=attempt, item_ids=[bad])
            client.call("list_items", attempt_id=bad)
        client.call("finish_attempt", attempt_id=attempt)
        until(lambda: client.call("finish_attempt", attempt_id=attempt)["status"] != "scoring")
        assert client.end() == 0
    opened = opened_by(trace, "harness_tools.answering")
    assert len(opened) > 100
    assert not [path for path in opened if path.startswith(str(folder)) or ".harness" in path]
    assert [path for path in opened_by(trace, "harness_tools.worker") if path.startswith(str(folder))]


def test_the_answering_process_is_told_no_place(folder: Path) -> None:
    with server(folder) as client:
        pid = children(client.process.pid)["harness_tools.answering"]
        told = b"".join((Path("/proc") / str(pid) / name).read_bytes() for name in ("cmdline", "environ"))
        assert str(folder).encode() not in told and b"HARNESS" not in told and b"HOME" not in told
        assert os.readlink(f"/proc/{pid}/cwd") == "/"
        started(client, "descriptors")
        held = [os.readlink(one) for one in Path(f"/proc/{pid}/fd").iterdir()]
        inside = sorted(Path(one).name for one in held if one.startswith(str(folder)))
        assert [one for one in inside if not one.startswith("2")] == ["items.jsonl", "media.bin", "transcript.jsonl"]


def test_a_hidden_split_is_not_served_to_a_user_who_may_be_anybody(folder: Path) -> None:
    with server(folder) as client:
        (study,) = [one for one in client.call("list_studies")["studies"] if one["study"] == "hidden"]
        assert study["splits"][0]["attempts_left"] == 0 and "user" in study["splits"][0]["reason"]
        assert client.call("start_attempt", **NAMED, idempotency_key="x")["code"] == "E_HIDDEN_SPLIT"


def test_a_hidden_split_gives_counts_and_nothing_else(folder: Path, root: None) -> None:
    with server(folder, "--agent-uid", str(USER)) as client:
        pid = children(client.process.pid)["harness_tools.answering"]
        status = Path(f"/proc/{pid}/status").read_text()
        assert f"Uid:\t{USER}\t{USER}\t{USER}\t{USER}" in status and "Groups:\t \n" in status
        assert "CapEff:\t0000000000000000" in status and "NoNewPrivs:\t1" in status
        attempt = started(client, "hidden", **NAMED)
        names = items(client, attempt)
        client.call("submit_answers", attempt_id=attempt, answers=answers((names[0], "A"), (names[1], "B")))
        told = [client.call("finish_attempt", attempt_id=attempt) for _ in range(3)]
        for one in told:
            kept = {"status", "n_answered", "n_abstained", "n_missing", "transcript_head", "next"}
            assert one.keys() == kept and (one["status"], one["n_answered"]) == ("sealed", 2)
        said = client.call(
            "score_text", attempt_id=attempt, item_id=names[0], metric="reliability.outcome", prediction="A"
        )
        assert said["code"] == "E_HIDDEN_SPLIT"
        seen = b"".join(client.seen).decode()
    for line in QUESTIONS.splitlines():
        gold = json.dumps(json.loads(line))
        assert gold not in seen and '"answerKey"' not in seen and '"gold"' not in seen


def test_a_process_of_the_agents_user_cannot_reach_into_the_server(folder: Path, root: None) -> None:
    with server(folder, "--agent-uid", str(USER)) as client:
        pid = children(client.process.pid)["harness_tools.answering"]
        started(client, "reach")
        look = f"import os; os.setgid({USER}); os.setuid({USER}); os.listdir('/proc/{pid}/fd')"
        tried = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=False)
        assert tried.returncode != 0 and "PermissionError" in tried.stderr


def test_a_store_that_the_agents_user_can_read_is_not_served(root: None) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "lockfiles").mkdir()
        command = [sys.executable, "-m", "harness.cli.main", "serve", "--agent-uid", str(USER)]
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment(),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        assert done.returncode == 3 and b"can read the store" in done.stderr and done.stdout == b""
