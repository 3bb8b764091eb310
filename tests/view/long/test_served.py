"""Labels over real HTTP: two writers at once, a kill at any moment, and who is answered at all."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

import pytest
from support import clean_env, command
from support_answers_run import answers_run

from harness.evidence.fsck import find_store_flaws
from harness.store.notes import list_labels
from harness.store.store import Store
from harness.view.worker import build_index

SCORER = "reliability.outcome"
NOBODY = 65534


class Server:
    """The command `harness view --label`, and what a browser does with it."""

    def __init__(self, folder: Path, *words: str) -> None:
        argv = command("view", "--port", "0", "--json", "--store", str(folder / ".harness"), *words)
        self.process = subprocess.Popen(argv, cwd=folder, env=clean_env(), stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.url = json.loads(self.process.stdout.readline())["url"].rstrip("/")

    def end(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it, and wait for it."""
        self.process.send_signal(how)
        self.process.wait(60)
        assert self.process.stdout
        self.process.stdout.close()

    def get(self, path: str) -> str:
        """Give a page."""
        with urllib.request.urlopen(self.url + path, timeout=60) as given:
            return str(given.read().decode())

    def say(self, desk: str, place: int, label: str, token: str) -> None:
        """Send a label, as the form does."""
        body = urlencode({"token": token, "place": place, "label": label}).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url + desk, body, {"Origin": self.url}), timeout=60):
            pass


def test_two_writers_and_kills_lose_no_label_that_was_acknowledged(tmp_path: Path) -> None:
    run = answers_run(tmp_path, {"good": 90, "poor": 40}, 30, 1)
    store = Store.open(tmp_path / ".harness")
    build_index(store, run)
    desk, said = f"/label/{run}/{SCORER}", dict[int, str]()
    for turn in range(2):
        server = Server(tmp_path, "--label", "A. Reader")
        token = re.search(r'name="token" value="([^"]+)"', server.get(desk))
        assert token

        def write(place: int, server: Server = server, given: str = token[1]) -> tuple[int, str] | None:
            label = "cai"[place % 3]
            try:
                server.say(desk, place, label, given)
            except OSError:  # it was killed meanwhile
                return None
            return place, label

        with ThreadPoolExecutor(2) as two:
            waiting = [two.submit(write, place) for place in range(1 + 30 * turn, 31 + 30 * turn)]
            waiting[10].result()
            server.end(signal.SIGKILL)
            said |= dict(filter(None, (one.result() for one in waiting)))
    server = Server(tmp_path, "--label", "A. Reader")
    try:
        for place, label in said.items():
            assert f"It is labelled {label}." in server.get(f"{desk}?place={place}"), place
        [labels] = list_labels(store, run)
        assert (
            len(said) >= 20
            and len(labels.given) >= len(said)
            and not labels.chain.broken
            and list(find_store_flaws(store)) == []
        )
        with pytest.raises(urllib.error.HTTPError) as refused:
            server.get(f"/runs/{run}")
        assert refused.value.code == 404
        refused.value.close()
    finally:
        server.end()


def test_another_user_of_this_machine_is_answered_only_with_anyone(tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can ask as another user")
    answers_run(tmp_path, {"good": 90}, 2, 1)
    asks = (
        "import encodings.idna, os, sys, urllib.request as u\nos.setuid(int(sys.argv[2]))\n"
        "try: print(u.urlopen(sys.argv[1]).status)\nexcept u.HTTPError as bad: print(bad.code)"
    )
    for words, status in (((), "403"), (("--anyone",), "200")):
        server = Server(tmp_path, *words)
        try:
            found = subprocess.run(
                [sys.executable, "-I", "-c", asks, server.url, str(NOBODY)], check=True, capture_output=True, text=True
            )
            assert found.stdout.strip() == status and "Runs" in server.get("/")
        finally:
            server.end()
