"""What one principal has of the pipe: its name on every request, and a bounded number of calls and of old outcomes."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from needs import OnceUsed

from harness.attempts.codes import AttemptError

answering = OnceUsed("harness_tools.http_answering")
guard = OnceUsed("harness_tools.http_guard")
backend, pipe = OnceUsed("harness_tools.pipe_backend"), OnceUsed("harness_tools.pipe")


class Supervisor:
    """The other end of the pipe: it answers by hand."""

    def __init__(self) -> None:
        ours, self.theirs = pipe.open_pipe()
        self.pipe = pipe.Pipe(ours)
        self.asked: list[dict[str, Any]] = []
        self._ended: list[threading.Event] = []

    def client(self, patience: float) -> Any:
        """Give the end of the answering process."""
        self._ended.append(threading.Event())
        return backend.PipeClient(self.theirs, self._ended[-1].set, patience)

    def close(self) -> None:
        """End, and wait until the other end has."""
        self.pipe.close()
        for one in self._ended:
            one.wait(30)

    def take(self, count: int) -> None:
        """Wait for so many more requests."""
        until = len(self.asked) + count
        while len(self.asked) < until:
            self.asked += [message for message, _ in self.pipe.receive()]

    def answer(self, message: dict[str, Any], files: tuple[int, ...] = ()) -> None:
        """Answer a request with its own name."""
        self.pipe.send({"n": message["n"], "ok": message["name"]}, files)


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    found = Supervisor()
    yield found
    found.close()


def test_many_calls_at_once_are_each_asked_once(supervisor: Supervisor) -> None:
    mine = answering.CallerPipe(supervisor.client(30.0), "token:a")
    with ThreadPoolExecutor(guard.AT_ONCE) as threads:
        calls = [threads.submit(mine.ask_again, f"open {number}", "open", name=str(number)) for number in range(50)]
        supervisor.take(50)
        for message in supervisor.asked:
            supervisor.answer(message)
        assert [one.result(30).data for one in calls] == [str(number) for number in range(50)]
    assert len(supervisor.asked) == 50 and {one["principal"] for one in supervisor.asked} == {"token:a"}


def test_the_same_key_of_two_principals_is_two_requests(supervisor: Supervisor) -> None:
    client = supervisor.client(30.0)
    with ThreadPoolExecutor(2) as threads:
        calls = [
            threads.submit(answering.CallerPipe(client, name).ask_again, "open x", "open", name=name) for name in "ab"
        ]
        supervisor.take(2)
        for message in supervisor.asked:
            supervisor.answer({**message, "name": message["principal"]})
        assert [one.result(30).data for one in calls] == ["a", "b"]


def test_outcomes_that_nobody_fetches_are_dropped_with_their_files(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness_tools.http_answering.MOST_LEFT", 3)
    client = supervisor.client(0.01)
    mine = answering.CallerPipe(client, "token:a")
    for number in range(10):
        with pytest.raises(AttemptError, match="still at work"):
            mine.ask_again(f"open {number}", "open", name=str(number))
    supervisor.take(10)
    before = len(os.listdir("/proc/self/fd"))
    for message in supervisor.asked:
        with open(os.devnull) as file:
            supervisor.answer(message, (file.fileno(),))
    kept = [mine.ask_again(f"open {number}", "open", name="") for number in (7, 8, 9) if _until_done(client)]
    assert [one.data for one in kept] == ["7", "8", "9"]
    assert len(os.listdir("/proc/self/fd")) == before + 3
    for one in kept:
        pipe.close_all(one.files)


def _until_done(client: Any) -> bool:
    """Wait until every answer has come."""
    done = threading.Event()
    for _ in range(500):
        if not client._waiting:
            return True
        done.wait(0.01)
    return False


def test_more_calls_than_one_may_have_are_refused(supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_tools.http_answering.MOST_WAITING", 0)
    mine = answering.CallerPipe(supervisor.client(0.01), "token:a")
    with pytest.raises(AttemptError, match="too many calls"):
        mine.ask_again("open", "open")
