"""kill -9 of the process that writes, at any moment: what was acknowledged is there, nothing counts twice."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from support import clean_env
from support_attempts import FACTS, AttemptFolder
from support_draws import drawn

from harness.attempts.transcript import fold_events
from harness.store.journal import read_chain

COUNT = 400
PROGRAM = textwrap.dedent(
    """
    import json, os, sys, threading
    from harness.attempts.calls import OpenedAttempt
    from harness.attempts.calls import CallFacts
    from harness.attempts.desk import take_over_desk

    transcript, items, *work = sys.argv[1:]
    desk = take_over_desk(OpenedAttempt("", os.open(transcript, os.O_RDWR | os.O_APPEND), os.open(items, os.O_RDONLY)))
    facts = CallFacts("", "")
    jobs = [json.loads(each) for each in work]
    lock = threading.Lock()

    def run():
        while True:
            with lock:
                if not jobs:
                    return
                job = jobs.pop(0)
            receipt = desk.call("submit_answers", job, facts).unwrap()["receipts"][0]
            desk.call("list_items", {"attempt_id": job["attempt_id"]}, facts)
            os.write(1, (json.dumps(receipt) + "\\n").encode())

    threads = [threading.Thread(target=run) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    """
)


def told(lines):
    """Read the receipts that left the process; the last line may be cut short by the kill."""
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


AFTER = [0.0, 0.01, 0.03, 0.06, 0.1, 0.2]  # seconds


@pytest.mark.parametrize("after", drawn(AFTER, 2, len(AFTER)))
def test_what_was_acknowledged_before_a_kill_is_there_once_after_it(tmp_path, after):
    attempt = AttemptFolder(tmp_path, count=COUNT, budget={"calls": 10**6, "seconds": 3600})
    jobs = [json.dumps(attempt.answers((number, f"answer {number}"))) for number in range(1, COUNT + 1)]
    view = str(tmp_path / "view" / "items.jsonl")
    acknowledged = {}
    for _ in range(2):  # killed, begun again with the same jobs, killed again
        child = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(attempt.path), view, *jobs], stdout=subprocess.PIPE, env=clean_env()
        )
        first = child.stdout.readline()
        time.sleep(after)
        os.kill(child.pid, signal.SIGKILL)
        receipts = told([first, *child.stdout.readlines()])
        child.stdout.close()
        child.wait()
        for each in receipts:
            assert each["status"] in ("recorded", "duplicate")
            assert acknowledged.setdefault(each["item_id"], each["answer_sha256"]) == each["answer_sha256"]
    desk = attempt.desk()  # cuts a torn line, if there is one
    desk.shut()
    chain = read_chain(attempt.path, "transcript/1")
    state = fold_events(chain.events)
    assert (chain.broken, chain.torn, state.flaws) == ("", "", [])
    assert acknowledged.items() <= {name: answer.sha256 for name, answer in state.answers.items()}.items()
    numbers = {attempt.id(number): number for number in range(1, COUNT + 1)}
    assert all(answer.text == f"answer {numbers[name]}" for name, answer in state.answers.items())


def test_an_attempt_cut_at_any_byte_goes_on_and_ends_with_every_answer(tmp_path):
    attempt = AttemptFolder(tmp_path, count=2)
    desk = attempt.desk()
    desk.call("submit_answers", attempt.answers((1, "2")), FACTS).unwrap()
    desk.call("submit_answers", attempt.answers((2, "4")), FACTS).unwrap()
    desk.shut()
    data = attempt.path.read_bytes()
    start = data.index(b"\n") + 1
    for cut in range(start, len(data) + 1, 7):
        attempt.path.write_bytes(data[:cut])
        desk = attempt.desk()
        statuses = [
            each["status"]
            for each in desk.call("submit_answers", attempt.answers((1, "2"), (2, "4")), FACTS).unwrap()["receipts"]
        ]
        assert desk.call("finish_attempt", attempt.args(), FACTS).unwrap()["n_answered"] == 2
        desk.shut()
        chain = read_chain(attempt.path, "transcript/1")
        state = fold_events(chain.events)
        assert (chain.broken, chain.torn, state.flaws) == ("", "", [])
        torn = len(data[:cut]) - data[:cut].rfind(b"\n") - 1
        assert sum(event.get("cut", 0) for event in chain.events) == torn
        assert statuses == sorted(statuses)  # recorded before the cut: duplicate, else recorded
