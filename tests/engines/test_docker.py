"""On docker a command ends as it is told to, sees what it was given and nothing else, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from harness.engines.docker import DockerEngine
from harness.engines.engine import Job, Limits
from harness.run.environment import step_environment


@pytest.mark.parametrize("code", [0, 100])
def test_a_command_gives_its_exit_code_and_what_it_printed(step, code: int) -> None:
    outcome = step(f"print('out'); print('err', file=sys.stderr); sys.stdout.flush(); sys.exit({code})")
    assert (outcome.exit, outcome.signal, outcome.isolation) == (code, 0, "container")
    assert (outcome.timed_out, outcome.cancelled, outcome.oom, outcome.over) == (False, False, False, "")
    assert sorted(outcome.log.split()) == [b"err", b"out"] and outcome.fine is (code == 0)


def test_a_crash_a_kill_and_a_lack_of_memory_are_told_apart(step) -> None:
    crashed = step("import ctypes; ctypes.string_at(0)")
    assert (crashed.exit, crashed.signal, crashed.oom) == (0, 11, False)
    killed = step("os.kill(os.getpid(), 9)")
    assert (killed.exit, killed.signal, killed.oom, killed.timed_out) == (0, 9, False, False)
    itself = step("sys.exit(137)")  # by a shell's word, as in every engine: the same as killed by signal 9
    assert (itself.signal, itself.oom, itself.timed_out, itself.fine) == (9, False, False, False)
    starved = step("held = bytearray(1 << 30)", memory=128 << 20)
    assert starved.oom and not starved.timed_out and not starved.fine


def test_a_child_that_was_killed_for_memory_fails_a_command_that_ends_well(step) -> None:
    outcome = step(
        """
        import subprocess
        subprocess.run([sys.executable, "-c", "held = bytearray(1 << 30)"])
        """,
        memory=128 << 20,
    )
    assert (outcome.exit, outcome.signal, outcome.oom, outcome.fine) == (0, 0, True, False)


HOLDS = "held = bytearray(1 << 30)"


@pytest.mark.parametrize("code", [HOLDS, f"import subprocess\nsubprocess.run([sys.executable, '-c', '{HOLDS}'])"])
def test_a_lack_of_memory_is_told_where_the_engine_never_heard_of_it(step, monkeypatch, code: str) -> None:
    """On a busy machine a container is gone before dockerd's watcher of its memory has its turn."""
    import docker

    told = docker.APIClient.inspect_container

    def deaf(self: docker.APIClient, id: str) -> dict[str, Any]:
        found: dict[str, Any] = told(self, id)
        found["State"]["OOMKilled"] = False
        return found

    monkeypatch.setattr(docker.APIClient, "inspect_container", deaf)
    outcome = step(code, memory=128 << 20)
    assert outcome.oom and not outcome.fine


def test_a_command_past_its_time_is_ended_whatever_it_ignores(step) -> None:
    begun = time.monotonic()
    outcome = step(
        """
        import signal, time
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        print("ready", flush=True)
        while True:
            time.sleep(1)
        """,
        seconds=1.5,
    )
    assert outcome.timed_out and not outcome.cancelled and outcome.log == b"ready\n"
    assert (outcome.exit, outcome.signal) == (0, 0)  # it was ended, and did not end
    assert time.monotonic() - begun < 15


def test_a_command_that_is_cancelled_is_ended(step) -> None:
    cancel = threading.Event()
    outcome = step("import time; print('ready', flush=True); time.sleep(1000)", lambda _: cancel.set(), cancel)
    assert outcome.cancelled and not outcome.timed_out and not outcome.fine


def test_what_a_command_prints_is_heard_while_it_runs(step, place: Path) -> None:
    heard: list[bool] = []
    code = """
        import time
        print("first", flush=True)
        for _ in range(200):
            if os.path.exists("in/go"):
                break
            time.sleep(0.05)
        else:
            sys.exit("nobody heard")
    """

    def listen(text: bytes) -> None:
        heard.append(text == b"first\n")
        (place / "in" / "go").touch()

    assert step(code, listen).fine and heard == [True]


def test_the_log_is_the_end_of_what_was_printed_and_no_more(step) -> None:
    taken: list[bytes] = []
    outcome = step("for n in range(10**5): print(n)", taken.append, log_bytes=1000)
    assert len(outcome.log) == 1000 and outcome.log.endswith(b"\n99998\n99999\n")
    assert b"".join(taken) == b"".join(b"%d\n" % n for n in range(10**5))


def test_a_command_that_closes_its_output_is_waited_for(step, place: Path) -> None:
    outcome = step(
        """
        import time
        for handle in range(3):
            os.close(handle)
        os.closerange(3, 256)
        time.sleep(0.4)
        os.close(os.open("out/made", os.O_CREAT))
        os._exit(5)
        """
    )
    assert outcome.exit == 5 and (place / "out" / "made").exists()


def test_a_command_works_in_its_folder_and_writes_where_it_may(step, place: Path) -> None:
    outcome = step(
        """
        import tempfile
        assert os.getcwd() == "/step" and os.environ["HOME"] == tempfile.gettempdir() == "/step/tmp"
        open("tmp/scratch", "w").write("x")
        open("out/made", "w").write(open("in/rows").read() + sys.stdin.read() + " and made")
        os.chmod("out/made", 0o6777)
        """
    )
    assert outcome.log == b"" and outcome.fine
    made = place / "out" / "made"
    assert made.read_text() == "given and made"
    facts = made.stat()
    assert (facts.st_uid, facts.st_gid) == (os.geteuid(), os.getegid())
    assert os.geteuid() or not facts.st_mode & 0o6000, "given back to root, it would be root's program"
    assert list((place / "tmp").iterdir()) == []


def test_a_command_sees_its_own_variables_and_none_of_the_harness(step, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "HARNESS_STORE", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "/leaked")
    outcome = step("import json; print(json.dumps(dict(os.environ)))")
    seen = json.loads(outcome.log)
    declared = step_environment(Path("/step"))
    assert b"leaked" not in outcome.log and {name: seen[name] for name in declared} == declared
    assert set(seen) - set(declared) <= {"HOSTNAME", "PWD", "PYTHONDONTWRITEBYTECODE", "container"}


def test_a_socket_is_there_only_for_a_command_that_declares_it(step, tmp_path: Path) -> None:
    code = """
        import socket
        try:
            print(os.listdir("/run/harness"))
            with socket.socket(socket.AF_UNIX) as call:
                call.connect("/run/harness/gateway")
                call.sendall(b"ask")
                print(call.recv(10).decode())
        except OSError as bad:
            print(type(bad).__name__)
    """
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "gateway"))
        server.listen()
        assert step(code).log == b"FileNotFoundError\n"
        os.chmod(tmp_path / "gateway", 0o600)
        if not os.geteuid():  # a step of an ordinary user's is that user
            assert step(code, sockets=(tmp_path / "gateway",)).log == b"['gateway']\nPermissionError\n"
        os.chmod(tmp_path / "gateway", 0o666)

        def answer() -> None:
            with server.accept()[0] as call:
                call.sendall(call.recv(10) + b"ed")

        with ThreadPoolExecutor(1) as pool:
            pool.submit(answer)
            assert step(code, sockets=(tmp_path / "gateway",)).log == b"['gateway']\nasked\n"


def test_many_commands_at_once_keep_apart(docker: DockerEngine, step, tmp_path: Path) -> None:
    code = "import os, sys, time; time.sleep(0.5); open('out/made', 'w').write(sys.argv[1]); print(os.listdir('out'))"

    def one(number: int) -> bytes:
        folder = tmp_path / f"one-{number}"
        for name in ("in", "out", "tmp", "code"):
            (folder / name).mkdir(parents=True)
        job = Job(("python3", "-c", code, str(number)), folder, {"PATH": "/usr/bin"}, Limits(seconds=60, cpus=1.0))
        outcome = docker.run(job, lambda _: None, threading.Event())
        assert outcome.log == b"['made']\n", outcome
        return (folder / "out" / "made").read_bytes()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(8))) == [b"%d" % number for number in range(8)]
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(2):
        assert step("print()").fine
    assert len(os.listdir("/proc/self/fd")) <= before + 1  # its connections are closed and used again
