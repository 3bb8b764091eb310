"""The first walk of the README, line by line, in a copy of the project: each line does what its remark says."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from needs import needs
from support import REPOSITORY, clean_env
from support_pages import PLAIN
from warm import Warm

needs("torch", "matplotlib")
pytestmark = pytest.mark.together
README = (REPOSITORY / "README.md").read_text()
LINES = README.partition("## A first walk\n")[2].partition("```sh\n")[2].partition("```")[0].splitlines()
SECONDS = 900
# Demos that `make reproduce` runs whole on every engine: here some are planned, and others have less to do.
FEWER = {"addition": (r"count: 600", "count: 10"), "questions": (r"  tiny-raw: .*\n", "")}  # sums, and models
PLANNED = re.compile(r"harness run (manifests/demo/(?:reliability|curie|biomed|brain|brain-networks)\.yaml)")


def look(words: str, folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Start what serves until ctrl-C, fetch its first page, press ctrl-C; what it printed is given, and the page."""
    argv, piped = shlex.split(words), subprocess.PIPE
    with subprocess.Popen(argv, cwd=folder, env=env, stdout=piped, stderr=piped, text=True) as server:
        assert server.stdout and server.stderr
        said = next(line for line in server.stdout if "http://" in line)
        found = re.search(r"http://\S+", said)
        assert found
        with urllib.request.urlopen(found[0], timeout=60) as page:
            said += page.read().decode()
        server.send_signal(signal.SIGINT)
        said += server.stdout.read()
        complaints = server.stderr.read()
        return subprocess.CompletedProcess(words, server.wait(60), said, complaints)


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, subprocess.CompletedProcess[str]]:
    """Walk: give each line with how it ended; the environment is the one that is here, as `make setup` made it."""
    folder = tmp_path_factory.mktemp("walk") / "project"
    folder.mkdir()
    for name in ("harness", "lockfiles", "manifests", "assets", "images", "certificates"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name, (old, new) in FEWER.items():
        demo = folder / "manifests" / "demo" / f"{name}.yaml"
        text, times = re.subn(old, new, demo.read_text())
        assert times == 1
        demo.write_text(text)
        (folder / "lockfiles" / "manifests" / f"{name}-demo.expect.json").unlink()  # of the whole one
    env = clean_env() | {"PYTHONPATH": str(folder)}
    program = folder.parent / "bin" / "harness"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m harness.cli.main "$@"\n')
    program.chmod(0o755)
    env["PATH"] = f"{program.parent}:{env['PATH']}"
    stays, done = Warm(env), {}  # a verb alone runs in a process that stays

    def run(words: str) -> subprocess.CompletedProcess[str]:
        if PLAIN.fullmatch(words):
            told = stays.run(shlex.split(words)[1:], folder, env, SECONDS)
            said = (told.stdout.decode(), told.stderr.decode())
            return subprocess.CompletedProcess(words, told.returncode, *said)
        sh = ["sh", "-c", words]
        return subprocess.run(sh, cwd=folder, env=env, capture_output=True, text=True, timeout=SECONDS, check=False)

    run(f"harness lock {' '.join(f'manifests/demo/{name}.yaml' for name in FEWER)}").check_returncode()
    for line in LINES:
        words = line.partition("  #")[0].strip()
        if words.startswith(("make setup", ". .venv")):
            continue
        if words == "harness diff RUN RUN":
            told = json.loads(run("harness runs --json").stdout)
            first, second = [one["run"] for one in told["runs"] if one["manifest"] == "addition-demo"]
            words = f"harness diff {first} {second}"
        words = PLANNED.sub(r"harness run -n \1", words)
        done[line] = look(words, folder, env) if words == "harness view" else run(words)
    stays.close()
    return done


def test_every_line_ends_well(walked: dict[str, subprocess.CompletedProcess[str]]) -> None:
    failed = {line: (one.returncode, one.stderr[-600:]) for line, one in walked.items() if one.returncode}
    assert not failed and len(walked) >= 15


SAID = {
    "harness list": "fits",
    "harness show": "steps: ",
    "harness run -n": "steps would be made; nothing was run",
    "harness get last checks": '"verdict":"pass"',
    "harness audit last": "steps made again",
    "harness explain last addition/scores ": "because",
    "harness explain last addition/scores/oracle": "\nkey ",
    "harness runs": "addition-demo",
    "harness diff": "no difference: every output has the same bytes",
    "harness claims": "not seen here: ",
    "harness view": "Runs, newest first",
    "echo": '"label":"c"',
}


@pytest.mark.parametrize("begin", SAID)
def test_a_line_says_what_its_remark_promises(begin: str, walked: dict[str, subprocess.CompletedProcess[str]]) -> None:
    [found] = [one for line, one in walked.items() if re.match(re.escape(begin), line)]
    assert SAID[begin] in found.stdout


def test_the_second_run_executes_nothing_and_says_so(walked: dict[str, subprocess.CompletedProcess[str]]) -> None:
    runs = [one for line, one in walked.items() if line.startswith("harness run manifests/demo/addition.yaml")]
    assert "0 steps executed" not in runs[0].stderr and "nothing was left to do" in runs[-1].stderr
