"""What several tests need: a small project of its own, the public command line, and readers of what a store holds."""

from __future__ import annotations

import contextlib
import errno
import functools
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support_ground import PLACE, copy_of
from warm import Warm

REPOSITORY = Path(__file__).resolve().parents[1]
FIXTURES = REPOSITORY.parent / "shared" / "fixtures"  # golden values, beside the checkout
SECONDS = 900  # no command of a test takes this long, were it the first to load an image, on a busy machine


def command(*args: str) -> list[str]:
    """Spell the public command line as this interpreter runs it."""
    return [sys.executable, "-m", "harness.cli.main", *args]


def clean_env(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Give an environment in which no HARNESS_… variable of the person running the tests stands.

    Processes may keep their bytecode, whatever that person's shell says: compiling takes longer than a verb.
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith(("HARNESS_", "PYTHONDONT"))}
    path = os.pathsep.join(filter(None, (str(REPOSITORY), env.get("PYTHONPATH", ""))))
    return {**env, "PYTHONPATH": path, "COLUMNS": "200", **(extra or {})}


@functools.cache
def warm() -> Warm:
    """Give this test process's warm one."""
    return Warm(clean_env())


def harness(
    *args: str | Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    check: int | None = None,
    text: bool = True,
    disk: SmallDisk | None = None,
    fresh: bool = False,
) -> subprocess.CompletedProcess[Any]:
    """Run a verb to its end, on a small disk if one is given; `check` is the exit code that is expected of it.

    It runs in a warm process where it can; `fresh` asks for one of its own from the start of the interpreter on.
    """
    words, around, place = list(map(str, args)), clean_env(env), disk.warm() if disk else warm()
    done: subprocess.CompletedProcess[Any]
    if fresh or not place.fits(around):
        line = disk.within(command(*words), cwd) if disk else command(*words)
        done = subprocess.run(
            line, cwd=None if disk else cwd, env=around,
            capture_output=True, stdin=subprocess.DEVNULL, timeout=SECONDS, check=False,
        )  # fmt: skip
    else:
        done = place.run(words, cwd, around, SECONDS)
    if text:
        done.stdout, done.stderr = (told.decode().replace("\r\n", "\n") for told in (done.stdout, done.stderr))
    if check is not None and done.returncode != check:
        said = (each if isinstance(each, str) else repr(each) for each in (done.stdout, done.stderr))
        raise AssertionError("\n".join([f"`harness {' '.join(map(str, args))}` → {done.returncode}", *said]))
    return done


@contextlib.contextmanager
def judging_here() -> Iterator[None]:
    """Let this process give verdicts, on packages as setup read them; `e2e/test_whose_eyes.py` holds whose they are."""
    from harness.cli import entry
    from harness.run.installed import checked
    from harness.verbs import accepting, review

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(checked._LOOKS, True, checked.check_once())
        for module in (entry, accepting, review):
            patch.setattr(module, "is_clean", lambda: True)
        yield


def judging_once(whose: str = "checkout") -> list[str]:
    """Spell a command line that gives its verdicts itself, and with others of this name reads the packages once."""
    kept = Path(os.environ[PLACE]) / f"packages-of-{whose}"
    return [sys.executable, "-P", str(REPOSITORY / "tests" / "toys" / "judging_once.py"), str(kept)]


def name_twice(path: Path | str, target: Path | str) -> None:
    """Give a file a second name, which a test is about; it is skipped on a disk that has none."""
    try:
        os.link(path, target)
    except OSError as bad:
        if bad.errno not in (errno.EPERM, errno.EOPNOTSUPP):
            raise
        pytest.skip("a file has no second name on this disk")


def unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Lay down an archive of the project's own; Debian's 3.11.2 has no filters yet, and 3.14 wants one."""
    if hasattr(tarfile, "tar_filter"):
        archive.extractall(folder, filter="tar")
    else:
        archive.extractall(folder)


def data_of(*args: str | Path, cwd: Path, check: int | None = 0, **more: Any) -> Any:
    """Give what a verb says with --json."""
    return json.loads(harness(*args, "--json", cwd=cwd, check=check, **more).stdout)


def error_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Give the one JSON error on stderr of a verb that was run with --json."""
    assert "Traceback" not in done.stderr, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("{")]
    assert len(lines) == 1, done.stderr
    error: dict[str, Any] = json.loads(lines[0])["error"]
    return error


class SmallDisk:
    """A real file system of a chosen size, mounted in a namespace of its own; commands run there with `within`."""

    def __init__(self, folder: Path, size: str) -> None:
        folder.mkdir()
        self.folder = folder
        self._warm: Warm | None = None
        script = 'mount -t tmpfs -o size="$1" tmpfs "$2" && echo ready && exec cat'
        self._keeper = subprocess.Popen(
            ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", size, str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._keeper.stdout
        if self._keeper.stdout.readline() != "ready\n":
            _, refusal = self._keeper.communicate()
            pytest.skip(f"no mount in a user namespace here: {refusal.strip()}")

    @property
    def seen(self) -> Path:
        """The folder as it is seen from outside the namespace."""
        return Path(f"/proc/{self._keeper.pid}/root{self.folder}")

    def within(self, words: Sequence[str], cwd: Path | None = None) -> list[str]:
        """Spell a command that runs where the disk is mounted."""
        enter = ["nsenter", f"--target={self._keeper.pid}", "--user", "--mount", "--preserve-credentials", "--"]
        return [*enter, "env", f"--chdir={cwd or self.folder}", *words]

    def warm(self) -> Warm:
        """Give the warm process that sees the disk, and lives as long as it."""
        self._warm = self._warm or Warm(clean_env(), self.within([], Path("/")))
        return self._warm

    def remount(self, options: str) -> None:
        """Change the disk under the harness: `ro`, `rw`, `size=…`; what the kernel chose stays."""
        what = ["-o", f"remount,{options}", "-t", "tmpfs", "tmpfs", str(self.folder)]
        mount = ["mount", "--options-source=disable", *what]
        subprocess.run(self.within(mount, Path("/")), check=True)

    def __enter__(self) -> SmallDisk:
        return self

    def __exit__(self, *_: object) -> None:
        if self._warm:
            self._warm.close()
        self._keeper.communicate()  # its stdin ends, and it with it


def manifest_text(count: int = 20, models: Sequence[str] = ("oracle", "noisy-oracle"), name: str = "small") -> str:
    """Spell a manifest of the addition benchmark that runs in a few seconds."""
    lines = ["harness: 1", "study: reliability", f"name: {name}", "about: A few additions, for a test.", "models:"]
    lines += [f"  {model}: {{provider: baseline, behaviour: {model}}}" for model in models]
    lines += [
        "datasets:",
        f"  addition: {{make: reliability.addition, seed: 7, count: {count}}}",
        "prompts: {set: reliability/addition@1}",
        "resources: {gpus: 0, memory: 2GiB, timeout: 10m}",
    ]
    return "\n".join(lines) + "\n"


def unlocked_project(
    folder: Path, count: int = 20, models: Sequence[str] = ("oracle", "noisy-oracle"), name: str = "small"
) -> Path:
    """Write a project that holds one manifest and no lock; gives the manifest's path."""
    (folder / "lockfiles").mkdir(parents=True)
    manifest = folder / "manifests" / f"{name}.yaml"
    manifest.parent.mkdir()
    manifest.write_text(manifest_text(count, models, name))
    return manifest


def small_project(
    folder: Path, count: int = 20, models: Sequence[str] = ("oracle", "noisy-oracle"), name: str = "small"
) -> Path:
    """Give a project with one manifest, locked by the public command line; its store is empty of runs."""

    def make(here: Path) -> None:
        harness("lock", unlocked_project(here, count, models, name), cwd=here, check=0)

    copy_of(f"locked-{count}-{'-'.join(models)}-{name}", folder, make)
    return folder / "manifests" / f"{name}.yaml"


def finished_project(
    folder: Path, count: int = 20, models: Sequence[str] = ("oracle", "noisy-oracle"), isolation: str = ""
) -> Path:
    """Give such a project in whose store one run ended, not accepted; an isolation is named where a test needs it."""
    more = ("--isolation", isolation) if isolation else ()

    def make(here: Path) -> None:
        harness("run", small_project(here, count, models), *more, cwd=here, check=0)

    copy_of(f"finished-{count}-{'-'.join(models)}-{isolation}", folder, make)
    return folder / "manifests" / "small.yaml"


def tree(folder: Path) -> dict[str, bytes]:
    """Give every file below a folder with its bytes (folders end in a slash), so that a change shows."""
    return {
        path.relative_to(folder).as_posix() + ("/" if path.is_dir() else ""): b""
        if path.is_dir()
        else path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


def journals(store: Path) -> Iterator[list[dict[str, Any]]]:
    """Yield the events of every run of a store, oldest run first: by time, since names within a second are random."""
    found = (
        [json.loads(line) for line in path.read_bytes().splitlines()] for path in store.glob("runs/*/journal.jsonl")
    )
    # A run that was killed before its first event has a journal without a line.
    yield from sorted(filter(None, found), key=lambda events: str(events[0]["at"]))


def executed(store: Path) -> list[str]:
    """Give the key of every step that any run of a store executed, in no particular order, repeats included."""
    return [event["key"] for events in journals(store) for event in events if event["event"] == "step.done"]


def outputs_of(ran: Mapping[str, Any]) -> dict[str, str]:
    """Give output name → sha256 of the first run in what `run --json` says."""
    return {output["name"]: output["sha256"] for output in ran["runs"][0]["outputs"]}
