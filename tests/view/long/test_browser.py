"""The pages in a real browser, from a real server: nothing is loaded from elsewhere, nothing of an answer is run."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import clean_env, command
from support_answers_run import answers_run

from harness.store.store import Store

CHROMIUM = shutil.which("chromium") or ""
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium here: apt-get install chromium")
WIDTHS = (1440, 390)
MARKED = re.compile(r"\[FATAL|CONSOLE|Refused to|ERR_")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, Path]]:
    folder = tmp_path_factory.mktemp("browser")
    run = answers_run(folder, {"good": 90, "poor": 40}, 30, 2, strange=True, long=40_000)
    argv = command("view", "--port", "0", "--json", "--store", str(folder / ".harness"))
    with subprocess.Popen(argv, cwd=folder, env=clean_env(), stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            yield json.loads(server.stdout.readline())["url"], run, folder
        finally:
            server.send_signal(signal.SIGINT)
            assert server.wait(20) in (0, 130, -signal.SIGINT)


def browse(address: str, folder: Path, *more: str, width: int = 1440) -> tuple[str, str]:
    """Open a page and give its DOM after scripts, and what the browser complained of."""
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000", "--enable-logging=stderr")
    size = (f"--window-size={width},900", f"--user-data-dir={folder / 'profile'}")
    argv = [CHROMIUM, *flags, *size, *more, address]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=240, check=True)
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if MARKED.search(line))


def test_every_page_shows_without_a_complaint_at_both_widths(served: tuple[str, str, Path]) -> None:
    url, run, folder = served
    with urllib.request.urlopen(f"{url}runs/{run}/answers") as given:
        first = given.read().decode()
    assert "the index of this run is made" in first
    browse(f"{url}runs/{run}/answers", folder, "--dump-dom", "--virtual-time-budget=20000")
    pages = {
        "": "Runs, newest first",
        f"runs/{run}": "Means of scores",
        f"runs/{run}/answers?side=wrong": "poor",
        f"runs/{run}/answers/2": "&lt;script&gt;",
        f"runs/{run}/answers/3": "U+202E",
        "compare": "left run",
    }
    for path, words in pages.items():
        dom, complaints = browse(f"{url}{path}", folder, "--dump-dom")
        assert words in dom and complaints == "", (path, complaints)
        title = re.search(r"<title>(.*?)</title>", dom)
        assert title and "owned" not in title[1]
    for width in WIDTHS:
        shot = folder / f"shot-{width}.png"
        _, complaints = browse(f"{url}runs/{run}/answers/1", folder, f"--screenshot={shot}", width=width)
        assert complaints == "" and shot.stat().st_size > 10_000


def test_what_is_under_way_is_told_until_it_is_over_and_others_are_refused(served: tuple[str, str, Path]) -> None:
    url, run, folder = served
    with urllib.request.urlopen(f"{url}runs/{run}/live", timeout=60) as live:
        assert live.headers["Content-Type"].startswith("text/event-stream")
        told = json.loads(live.readline().removeprefix(b"data: "))
    assert (told["done"], told["total"], told["over"]) == (8, 8, True)
    for name, value in (("Host", "evil.example"), ("Origin", "http://evil.example")):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(url, headers={name: value}))
        assert refused.value.code in (403, 421)
        refused.value.close()
    assert os.listdir(folder / ".harness" / "runs") == Store.open(folder / ".harness").run_ids()
