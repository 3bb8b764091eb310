"""Verdicts are given in a process of their own, in which nothing runs but the installed harness; and by which one.

A verb that judges hands its request to `judge_apart` where its own process may hold anything: a `.pth` file of the
packages, a `sitecustomize`, bytecode that somebody exchanged, a caller's changes. What comes back is its result.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import IO, Any, TypeVar

from harness.clean_start import clean_command, clean_environment, loaded_files
from harness.digest import document_digest, sha256_file
from harness.errors import Defect, HarnessError, Interrupted
from harness.run.closure import code_root
from harness.verbs.project import Progress, Project, Request, Result, Watch

R = TypeVar("R", bound=Result)
LAST_WORDS = 2000  # characters of what a process said before it ended without a result


class HarnessData(Result):
    """The harness that judged: its version, where it is known the commit, and the digest of its code as it ran."""

    version: str
    commit: str  # none where its code is in no git repository
    dirty: bool  # whether files of that commit were changed
    digest: str  # of its files: as they were loaded or, those that were not, as they lie
    text: str  # the same in one line


def name_harness() -> HarnessData:
    """Name the harness of this process."""
    root = code_root()
    files = {path.relative_to(root).as_posix(): path for path in sorted((root / "harness").rglob("*.py"))}
    digests = {name: sha256_file(path)[0] for name, path in files.items()} | loaded_files()
    code = document_digest({"type": "harness/1", "files": digests})
    commit = _git("rev-parse", "HEAD")
    dirty = bool(commit and _git("status", "--porcelain", "--", "harness", "lockfiles"))
    version = metadata.version("llm-harness")
    at = f", commit {commit[:12]}{' with changes' if dirty else ''}" if commit else ""
    text = f"harness {version}{at}, code {code[:12]}"
    return HarnessData(version=version, commit=commit, dirty=dirty, digest=code, text=text)


def _git(*words: str) -> str:
    """Ask git about the code of the harness; nothing where there is no git or no repository."""
    command = ["git", "-c", "core.fsmonitor=false", "-c", "safe.directory=*", "-C", str(code_root()), *words]
    env = {name: value for name, value in clean_environment().items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def judge_apart(verb: str, kind: type[R], project: Project, asked: Request, watch: Watch) -> R:
    """Call a verb in a clean process, pass on what it tells, and return its result or raise its error."""
    task = {
        "verb": verb,
        "request": asked.model_dump(mode="json"),
        "folder": str(project.folder),
        "store": _text(project.elsewhere),
        "models": _text(project.homes.models),
        "hub": _text(project.homes.hub),
    }
    with tempfile.TemporaryFile() as said:
        told, code = _ask(task, watch, said)
        if told:
            return _result(kind, told)
        said.seek(0)
        words = said.read().decode("utf-8", "replace").strip()[-LAST_WORDS:]
    if watch.stop.is_set():
        raise Interrupted("stopped", next="run it again")
    raise Defect(f"the process that judges ended with {code} and no verdict", next=words or "run it with --debug")


def _ask(task: Mapping[str, Any], watch: Watch, said: IO[bytes]) -> tuple[Mapping[str, Any], int]:
    """Start a clean process, give it one task, and return what it told last, and how it ended."""
    ended, last = threading.Event(), dict[str, Any]()
    with subprocess.Popen(
        clean_command("harness.cli.judging:answer"),
        env=clean_environment(),
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=said,
    ) as process:
        assert process.stdin and process.stdout
        stopping = threading.Thread(target=_pass_stop, args=(process, watch.stop, ended), daemon=True)
        try:
            with contextlib.suppress(BrokenPipeError):  # it ended before it listened; its last words say why
                process.stdin.write(json.dumps(task).encode() + b"\n")
                process.stdin.flush()
            stopping.start()
            for line in process.stdout:
                last = _pass_on(json.loads(line), watch) or last
        finally:
            ended.set()
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()  # which ends it, if it has not ended
    return last, process.returncode


def _text(path: Path | None) -> str:
    return str(path.absolute()) if path else ""


def _pass_stop(process: subprocess.Popen[bytes], stop: threading.Event, ended: threading.Event) -> None:
    """End the process where the caller's work is stopped."""
    while not ended.is_set():
        if stop.wait(0.1):
            process.terminate()
            return


def _pass_on(told: dict[str, Any], watch: Watch) -> dict[str, Any] | None:
    """Pass progress and messages on; gives what ends the verb."""
    if "progress" in told:
        watch.progress(Progress(*told["progress"]))
    elif "say" in told:
        watch.say(told["say"])
    else:
        return told
    return None


def _result(kind: type[R], told: Mapping[str, Any]) -> R:
    if "result" in told:
        return kind.model_validate(told["result"])
    classes: list[type[HarnessError]] = [HarnessError]
    for one in classes:
        classes += one.__subclasses__()
    error = told["error"]
    named = {one.name: one for one in reversed(classes)}
    raise named.get(error["name"], HarnessError)(error["what"], where=error["where"], next=error["next"])
