"""The verbs `accept` and `carry`: make a run's outputs the expectation, or carry an expectation over to a new lock.

Both need an audit of the run that found nothing wrong. An expectation is carried if a run under the new lock has the
same outputs.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import IO, Any, TypeVar

from harness.clean_start import clean_command, clean_environment, is_clean, loaded_files
from harness.digest import document_digest, sha256_file
from harness.errors import AGREED, DISAGREED, Defect, HarnessError, Interrupted
from harness.evidence.audit.reexecution import ReexecutionOptions
from harness.manifest.load import LoadedManifest
from harness.run.closure import code_root
from harness.run.engines import read_ceiling
from harness.run.progress import NO_ERRORS, read_error_limit
from harness.run.recording.accept import CarriedExpectation, accept_run, require_own
from harness.run.recording.accept import carry_expectation as carry_along
from harness.run.recording.auditing import audit_run
from harness.run.service import RunTarget
from harness.verbs.project import Progress, Project, Result, Watch, choose_engine
from harness.verbs.requests import AcceptRequest, CarryRequest, Request

__all__ = [
    "AcceptResult",
    "CarryResult",
    "accept",
    "carry",
]

R = TypeVar("R", bound=Result)
LAST_WORDS = 2000  # characters of stderr that are shown of a process that ended without a result


class HarnessData(Result):
    """The harness that gave a verdict: its version, its commit if known, and the digest of its code as it ran."""

    version: str
    commit: str  # empty if its code is in no git repository
    dirty: bool  # whether files of that commit were changed
    digest: str  # of its files: as they were loaded or, if not loaded, as they are on disk
    text: str  # the same in one line


def name_harness() -> HarnessData:
    """Return what identifies the harness of this process: its version, its commit, and the digest of its code."""
    root = code_root()
    files = {path.relative_to(root).as_posix(): path for path in sorted((root / "harness").rglob("*.py"))}
    digests = {name: sha256_file(path)[0] for name, path in files.items()} | loaded_files()
    code = document_digest({"type": "harness/1", "files": digests})
    commit = _git("rev-parse", "HEAD")
    dirty = bool(commit and _git("status", "--porcelain", "--", "harness", "lockfiles"))
    version = metadata.version("repro-harness")
    at = f", commit {commit[:12]}{' with changes' if dirty else ''}" if commit else ""
    text = f"harness {version}{at}, code {code[:12]}"
    return HarnessData(version=version, commit=commit, dirty=dirty, digest=code, text=text)


def _git(*words: str) -> str:
    """Return the output of a git command on the code of the harness; empty if there is no git or no repository."""
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
    """Call a verb that gives a verdict in a clean process; pass on its progress, and return its result."""
    task = {
        "verb": verb,
        "request": asked.as_data(),
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
    """Start a clean process, send it one task, and return its last message, a result or an error, and its exit code."""
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
            with contextlib.suppress(BrokenPipeError):  # it ended before it read the task; its stderr says why
                process.stdin.write(json.dumps(task).encode() + b"\n")
                process.stdin.flush()
            stopping.start()
            for line in process.stdout:
                last = _pass_on(json.loads(line), watch) or last
        finally:
            ended.set()
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()  # this ends the process, if it still runs
    return last, process.returncode


def _text(path: Path | None) -> str:
    return str(path.absolute()) if path else ""


def _pass_stop(process: subprocess.Popen[bytes], stop: threading.Event, ended: threading.Event) -> None:
    """Terminate the process when the caller sets `stop`."""
    while not ended.is_set():
        if stop.wait(0.1):
            process.terminate()
            return


def _pass_on(told: dict[str, Any], watch: Watch) -> dict[str, Any] | None:
    """Pass on progress and messages; return any other message, because it ends the verb."""
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


class MovedOutput(Result):
    """Output whose expected digest changed; an empty digest means that there is no such output."""

    output: str
    old: str
    new: str


class AcceptResult(Result):
    """Result of `accept`: the expectation that was written, and what changed in it."""

    run: str
    expect: str
    changes: list[MovedOutput]
    words: str  # the verdict of its audit, and what it rests on that was not made again


def accept(project: Project, asked: AcceptRequest, watch: Watch | None = None) -> AcceptResult:
    """Audit a run and make its outputs the expectation of its manifest; return the digests that changed.

    Raises an error if the run is incomplete, fails its audit, lacks more answers than allowed, or is of a derived
    manifest, and if its own checks fail, unless `failing_checks` is set.
    """
    watch = watch or Watch()
    if not is_clean():
        return judge_apart("accept", AcceptResult, project, asked, watch)
    root, allowed = project.root, read_error_limit(asked.max_errors) or NO_ERRORS
    store, run = project.run(asked.run)
    require_own(store, run)
    budget, memory = math.inf if asked.budget is None else asked.budget, read_ceiling(asked.max_memory)
    tell, jobs = watch.task(f"audit {run}"), len(os.sched_getaffinity(0))
    how = ReexecutionOptions(budget=budget, jobs=jobs, memory=memory, progress=tell)
    report = audit_run(store, run, how=how, stop=watch.stop)
    done = accept_run(store, run, report, root, allowed, failing=asked.failing_checks)
    changes = [MovedOutput(output=output, old=old, new=new) for output, old, new in done.changes]
    return AcceptResult(run=run, expect=str(done.path), changes=changes, words=report.words)


class PartedOutput(Result):
    """Output whose digest differs from the accepted one; an empty digest means that there is no such output."""

    output: str
    accepted: str
    made: str
    agrees: bool  # nevertheless agrees at the level that the manifest declares


class CarriedManifest(Result):
    """Result of `carry` for one manifest: its locks, and whether the expectation was carried."""

    manifest: str
    name: str
    expect: str
    state: str  # carried | refused | fits
    old: str  # the lock that the expectation named
    lock: str  # the new lock; removed again if the expectation was refused
    run: str  # empty if the lock and the code that the expectation names still fit
    parted: list[PartedOutput]


class CarryResult(Result):
    """Result of `carry`: the outcome for each expectation, in the order of the manifests."""

    carried: list[CarriedManifest]

    @property
    def code(self) -> int:
        """Exit code: 1 if an expectation was refused, because an output differs from the accepted one."""
        return DISAGREED if any(one.state == "refused" for one in self.carried) else AGREED


def carry(project: Project, asked: CarryRequest, watch: Watch | None = None) -> CarryResult:
    """Lock manifests again, run them, and carry each expectation to its new lock if every output is the same.

    Outputs are the same if their bytes are or, with `at_levels`, if they agree at their level. Else lock and
    expectation stay as they were. Nothing is run if the old lock and the code of the steps are those that the
    expectation names.
    """
    watch, allowed = watch or Watch(), read_error_limit(asked.max_errors) or NO_ERRORS
    found = []
    for loaded in [project.manifest(path) for path in asked.manifests]:
        here = project.of(loaded)
        place = RunTarget(here.store, choose_engine(asked, here, watch), asked.jobs, stop=watch.stop)
        done = carry_along(loaded, place, watch.task, allowed, at_levels=asked.at_levels)
        found.append(_data(loaded, done))
        watch.say(f"{loaded.manifest.name}: {_words(found[-1])}")
    return CarryResult(carried=found)


def _data(loaded: LoadedManifest, done: CarriedExpectation) -> CarriedManifest:
    state = "fits" if not done.run else "carried" if done.along else "refused"
    return CarriedManifest(
        manifest=str(loaded.path),
        name=loaded.manifest.name,
        expect=str(done.path),
        state=state,
        old=done.old,
        lock=done.new,
        run=done.run,
        parted=[PartedOutput(**vars(one)) for one in done.parted],
    )


def _words(one: CarriedManifest) -> str:
    same = ", ".join(out.output for out in one.parted)
    how = f"other bytes, which agree at their level, for {same}" if same else "every output the same bytes"
    return {
        "carried": f"run {one.run} gave {how}; lock and expectation name it now",
        "refused": f"run {one.run} gave other bytes than were accepted; lock and expectation stay as they were",
        "fits": "the expectation names the lock that fits, and this code; nothing was left to do",
    }[one.state]
