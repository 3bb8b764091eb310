"""The pipe between supervisor and answering process: objects, open files, answers that take long, ends that go."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from harness.attempts.codes import AttemptError
from harness.store.store import Store
from harness_tools.__main__ import parse_options
from harness_tools.pipe import Answering, Message, Pipe, close_all, open_pipe
from harness_tools.pipe_backend import CALL_PATIENCE, PipeBackend, PipeClient
from harness_tools.supervisor import LIMITS, Lane, LaneJob, Supervisor

Answer = Callable[[Pipe, Message], None]


@contextmanager
def asking(answer: Answer, patience: float = 20.0) -> Iterator[tuple[PipeClient, Pipe, threading.Event]]:
    """Make a client of a pipe whose other end answers on a thread."""
    ours, theirs = open_pipe()
    ended, served = threading.Event(), Pipe(ours)

    def serve() -> None:
        try:
            while True:
                for message, _ in served.receive():
                    answer(served, message)
        except (EOFError, OSError):
            pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield PipeClient(theirs, ended.set, patience), served, ended
    finally:
        with suppress(OSError):
            ours.shutdown(socket.SHUT_RDWR)
        thread.join(20)
        served.close()
        assert ended.wait(20)


def test_files_come_beside_the_line_they_belong_to() -> None:
    left, right = (Pipe(end) for end in open_pipe())
    for number in range(20):
        handles = [os.memfd_create(f"{number}-{one}") for one in range(number % 4)]
        for one, handle in enumerate(handles):
            os.write(handle, f"{number} {one}".encode())
        left.send({"n": number, "pad": "x" * (number * 1000)}, handles)
        for handle in handles:
            os.close(handle)
    left.end.close()
    found: list[tuple[Message, list[int]]] = []
    with pytest.raises(EOFError):
        while True:
            found += right.receive()
    assert [message["n"] for message, _ in found] == list(range(20))
    for message, files in found:
        assert [os.pread(one, 99, 0).decode() for one in files] == [f"{message['n']} {k}" for k in range(len(files))]
        assert not any(os.get_inheritable(one) for one in files)
        for one in files:
            os.close(one)
    right.close()


def test_answers_come_in_any_order_and_reach_who_asked() -> None:
    waiting: list[Message] = []

    def answer(pipe: Pipe, message: Message) -> None:
        waiting.append(message)
        if len(waiting) == 8:
            for one in reversed(waiting):
                pipe.send({"n": one["n"], "ok": one["what"]})

    with asking(answer) as (client, _, _), ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda number: client.ask("echo", what=number).data, range(8)))
    assert found == list(range(8))


def test_of_equal_calls_at_once_each_gets_files_of_its_own() -> None:
    def answer(pipe: Pipe, message: Message) -> None:
        pipe.send({"n": message["n"], "ok": 1}, [handle := os.memfd_create("view")])
        os.close(handle)

    with asking(answer) as (client, _, _), ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: client.ask_again("key", "open").files, range(40)))
    handles = [handle for files in found for handle in files]
    assert len(handles) == len(set(handles)) == 40
    for handle in handles:
        os.close(handle)


def test_of_equal_calls_at_once_one_asks_and_no_answer_is_left_over() -> None:
    asked: list[Message] = []

    def answer(pipe: Pipe, message: Message) -> None:
        asked.append(message)
        pipe.send({"n": message["n"], "ok": len(asked)})

    with asking(answer) as (client, _, _), ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: client.ask_again("key", "open").data, range(200)))
    assert sorted(found) == list(range(1, 201)) and len(asked) == 200


def test_large_requests_and_answers_at_once_do_not_wait_for_each_other() -> None:
    def answer(pipe: Pipe, message: Message) -> None:
        pipe.send({"n": message["n"], "ok": "y" * 600_000})

    with asking(answer) as (client, _, _), ThreadPoolExecutor(16) as threads:
        found = list(threads.map(lambda _: len(client.ask("verb", given="z" * 900_000).data), range(32)))
    assert found == [600_000] * 32


def test_a_refusal_is_raised_as_it_was_said() -> None:
    said = AttemptError("E_NO_ATTEMPTS_LEFT", "all 2 attempts at this split were made").as_reply()
    with asking(lambda pipe, message: pipe.send({"n": message["n"], "error": said})) as (client, _, _):
        for ask in (lambda: client.ask("open"), lambda: client.ask_again("key", "open")):
            with pytest.raises(AttemptError) as caught:
                ask()
    assert caught.value.as_reply() == said


def test_what_takes_long_is_fetched_by_the_same_call_again() -> None:
    asked: list[Message] = []
    with asking(lambda _, message: asked.append(message), patience=0.1) as (client, served, _):
        began = time.monotonic()
        for _ in range(2):
            with pytest.raises(AttemptError) as caught:
                client.ask_again("key", "open", study="x")
            assert (caught.value.name, caught.value.retryable) == ("E_BUSY", True)
        assert time.monotonic() - began < 10
        assert len(asked) == 1
        served.send({"n": asked[0]["n"], "ok": {"made": True}}, [handle := os.memfd_create("view")])
        os.close(handle)
        found = None
        while not found:
            with suppress(AttemptError):
                found = client.ask_again("key", "open", study="x")
    assert found.data == {"made": True} and len(found.files) == 1 and len(asked) == 1
    os.close(found.files[0])


def test_the_requests_of_one_call_have_together_the_time_of_one() -> None:
    asked: list[Message] = []
    with asking(lambda _, message: asked.append(message), patience=0.4) as (client, _, _):
        began = time.monotonic()
        with client.call():
            for key in ("reopen", "finish", "more"):
                with pytest.raises(AttemptError, match="still at work"):
                    client.ask_again(key, key)
        assert 0.35 < time.monotonic() - began < 1.0
        while len(asked) < 3 and time.monotonic() - began < 10:  # a busy machine reads them later
            time.sleep(0.01)
        assert len(asked) == 3
        assert client.left() == 0.4  # outside of a call each request has all of it


def test_a_scoring_that_nobody_can_tell_of_in_time_is_told_as_under_way() -> None:
    with asking(lambda _, __: None, patience=0.3) as (client, _, _):
        backend = PipeBackend(client)
        began = time.monotonic()
        assert backend.finish("x", wait=False) == {"status": "scoring"}
        assert time.monotonic() - began < 0.2  # the reply that closes an attempt waits for nothing
        with backend.call():
            assert backend.finish("x") == {"status": "scoring"}
        assert time.monotonic() - began < 1.0


def test_a_call_of_the_server_waits_less_than_clients_do() -> None:
    assert CALL_PATIENCE < LIMITS["seconds_a_call"] < 5


def test_who_waits_is_told_when_the_other_end_goes() -> None:
    with asking(lambda pipe, _: pipe.end.shutdown(socket.SHUT_RDWR)) as (client, _, ended):
        with pytest.raises(AttemptError) as caught:
            client.ask("open")
        assert caught.value.name == "E_INTERNAL" and ended.wait(20)
        with pytest.raises(AttemptError):
            client.ask("open")


def work(program: str) -> Lane:
    """Make a lane whose worker is a small shell program."""
    lane = Lane([])
    lane._command = ["/bin/sh", "-c", program]
    return lane


def finish(lane: Lane, count: int, jobs: list[Message]) -> None:
    """Read what the worker says until so many jobs are done."""
    while len(jobs) < count:
        lane.read()


def test_a_lane_does_one_job_after_another_with_one_worker() -> None:
    lane, done = work('while read line; do echo "{\\"ok\\": $$}"; done'), list[Message]()
    for _ in range(5):
        lane.add(LaneJob({"op": "x"}, done.append))
    finish(lane, 5, done)
    assert len({one["ok"] for one in done}) == 1
    lane.end()
    assert lane.fileno() is None


def test_the_job_of_a_dead_worker_fails_and_the_next_gets_another() -> None:
    lane, done = work("read line; kill -9 $$"), list[Message]()
    for _ in range(2):
        lane.add(LaneJob({"op": "x"}, done.append))
    finish(lane, 2, done)
    assert [(one["error"]["code"], one["error"]["retryable"]) for one in done] == [("E_INTERNAL", True)] * 2
    lane.end()


def test_an_idle_worker_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    lane, done = work('while read line; do echo "{\\"ok\\": 1}"; done'), list[Message]()
    lane.add(LaneJob({"op": "x"}, done.append))
    finish(lane, 1, done)
    lane.tick()
    assert lane.fileno() is not None
    monkeypatch.setattr("harness_tools.supervisor.IDLE", 0.0)
    lane.tick()
    assert lane.fileno() is None


class PlayedAnswering(Answering):
    """An answering process that this test plays: only root can start one that is another user."""

    def __init__(self) -> None:
        self.pipe, self.theirs = open_pipe()

    def end(self, patience: float = 0) -> int:
        self.pipe.close()
        return 0


@pytest.fixture
def signals() -> Iterator[None]:
    """Put back what a supervisor sets to be stopped."""
    before = {name: signal.getsignal(name) for name in (signal.SIGTERM, signal.SIGINT)}
    yield
    for name, handler in before.items():
        signal.signal(name, handler)


@pytest.mark.parametrize(("words", "uid"), [([], os.geteuid()), (["--agent-uid", "54321"], 54321)])
def test_the_principal_of_a_session_is_the_user_that_its_agent_runs_as(
    words: list[str], uid: int, tmp_path: Path, signals: None
) -> None:
    played = PlayedAnswering()
    asking = Pipe(played.theirs)
    asking.send({"n": 1, "op": "hello", "tools": "0" * 64})
    asking.end.shutdown(socket.SHUT_WR)
    asked = parse_options(["--project", str(tmp_path), "--profile", "audit", *words])
    assert Supervisor(asked, Store.make(tmp_path / "store").root, played).run() == 0
    [(told, files)] = asking.receive()
    close_all(files)
    asking.close()
    assert told["ok"]["principal"] == f"local:{uid}"
    [log] = (tmp_path / "store" / "sessions").iterdir()
    assert json.loads(log.read_bytes())["principal"] == f"local:{uid}"
