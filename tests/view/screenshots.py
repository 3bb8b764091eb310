"""Pictures of every page of the viewer, at both widths, light and dark: tests/view/screenshots.py DIR [STORE RUN].

Without a store one is made whose answers are hostile; only in that one labels are given. What is seen wrong on the way
is printed; look at the pictures.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import REPOSITORY, clean_env, command
from support_answers_run import answers_run

from harness.store.store import Store
from harness.verbs.reporting import ReportFolder

CHROMIUM = shutil.which("chromium") or ""
WALK = Path(__file__).with_name("in_browser.py")
SCORER = "reliability.outcome"


def peers() -> Path:
    """Return the folder of other people's software, as `make peers` makes it."""
    return Path(os.environ.get("PEERS") or REPOSITORY / ".bench" / "peers")


def lacking() -> str:
    """Return what is not here to drive a browser with; empty if all is."""
    if not CHROMIUM:
        return "no chromium here: apt-get install chromium"
    python = peers() / "bin" / "python"
    found = (
        python.is_file()
        and not subprocess.run([python, "-c", "import playwright"], check=False, stderr=subprocess.DEVNULL).returncode
    )
    return "" if found else "Playwright is not here: `make peers` installs it"


def axe() -> str:
    """Return the file of axe-core; empty if npm did not bring it."""
    path = peers() / "npm" / "node_modules" / "axe-core" / "axe.min.js"
    return str(path) if path.is_file() else ""


@contextmanager
def served(folder: Path, store: Path, *words: str) -> Iterator[str]:
    """Serve the pages of a store by the command itself, and yield their address."""
    argv = command("view", "--port", "0", "--json", "--store", str(store), *words)
    with subprocess.Popen(argv, cwd=folder, env=clean_env(), stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            yield json.loads(server.stdout.readline())["url"]
        finally:
            server.send_signal(signal.SIGINT)
            assert server.wait(60) in (0, 130, -signal.SIGINT)


def browse(**asked: Any) -> list[str]:
    """Walk through pages in a browser, and return what was wrong."""
    told = json.dumps({"chromium": CHROMIUM, "axe": axe(), **asked})
    done = subprocess.run(
        [peers() / "bin" / "python", WALK, told], check=False, capture_output=True, text=True, timeout=1500
    )
    assert done.returncode == 0, done.stderr
    flaws: list[str] = json.loads(done.stdout)
    return flaws


def reports(folder: Path, store: Path, run: str) -> dict[str, str]:
    """Write the report of a run, and the page that leads to reports; return both by name."""
    written = ReportFolder(folder)
    written.add(Store.open(store), run, "sums", "unconfirmed")
    index = written.end({"brain": "the package torch"})
    return {"report": str(folder / "sums.html"), "report-index": index}


def main(shots: Path, store: Path | None = None, run: str = "") -> int:
    """Write the pictures, and return the exit code."""
    if lack := lacking():
        sys.exit(lack)
    shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        own, other = store is None, ""
        if store is None:
            store = folder / ".harness"
            other = answers_run(folder, {"good": 90, "poor": 40}, 30, 2, seed=1)
            run = answers_run(folder, {"good": 90, "poor": 40}, 30, 2, strange=True, long=40_000)
        flaws = []
        for more, words in (({"other": other}, ()), ({"scorer": SCORER}, ("--label", "A. Reader"))):
            with served(REPOSITORY, store, *words) as url:  # whose manifests and claims are shown
                flaws += browse(url=url, run=run, shots=str(shots), acts=own, **more)
        files = reports(folder / "reports", store, run)
        flaws += browse(files=files, shots=str(shots))
    print("\n".join(flaws) or f"nothing is wrong; look at {shots}")
    return int(bool(flaws))


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(main(Path(words[0]), Path(words[1]), words[2]) if len(words) == 3 else main(Path(words[0])))
