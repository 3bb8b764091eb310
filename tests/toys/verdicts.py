"""A toy study laid into a copy of the harness, with a project beside it that asks a loopback provider."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from support import REPOSITORY, SECONDS, clean_env, judging_once, outputs_of, tree
from toys.obeying import KEY, NO_ANSWER
from warm import Warm

TOYS = Path(__file__).parent
MANIFEST = f"""\
harness: 2
study: verdict
name: verdict
about: Small sums, graded by a judge.
models:
  writer: {{provider: openai, model: writer-1, tape: record, base_url: "URL", key: TOY_KEY}}
instruments:
  judge: {{provider: openai, model: judge-1, tape: record, base_url: "URL", key: TOY_KEY, repeats: 2}}
datasets:
  sums: {{make: verdict.sums, count: {NO_ANSWER + 1}}}
prompts: {{set: [verdict/ask@1, verdict/judge@1]}}
resources: {{gpus: 0, memory: 2GiB, timeout: 5m}}
"""


class Verdicts:
    """A copy of the source with a toy study in it (a subclass names another), and a project with its manifest."""

    study, manifest = "verdict", MANIFEST
    _staying: Warm | None = None

    def __init__(self, folder: Path) -> None:
        self.folder, self.source, self.project = folder, folder / "source", folder / "project"

    def make(self, url: str) -> None:
        """Lay it all out, and lock."""
        shutil.copytree(REPOSITORY / "harness", self.source / "harness", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(TOYS / self.study, self.source / "harness" / "studies" / self.study)
        (self.project / "manifests").mkdir(parents=True)
        (self.project / "lockfiles").mkdir()
        self.path.write_text(self.manifest.replace("URL", url))
        self.data()
        self.lock()

    @property
    def path(self) -> Path:
        """Say where its manifest lies."""
        return self.project / "manifests" / f"{self.study}.yaml"

    def data(self) -> None:
        """Lay further files into the project, before it is locked."""

    def copied(self, folder: Path) -> Self:
        """Give a copy, to replay in or to edit."""
        shutil.copytree(self.folder, folder)
        return type(self)(folder)

    def replaying(self) -> Self:
        """Ask the tapes alone from now on."""
        self.path.write_text(self.path.read_text().replace("tape: record", "tape: replay"))
        self.lock()
        return self

    def edit(self, path: str, old: str, new: str) -> None:
        """Change a line of the study."""
        file = self.source / "harness" / "studies" / self.study / path
        text = file.read_text()
        assert old in text and not self._staying
        file.write_text(text.replace(old, new, 1))

    @contextlib.contextmanager
    def staying(self) -> Iterator[None]:
        """Let verbs run in a process that stays while nothing is edited: it reads what is installed once."""
        self._staying = Warm(self._env())
        try:
            yield
        finally:
            self._staying.close()
            self._staying = None

    def laid(self) -> tuple[list[str], list[str]]:
        """Name the files of the copy's code that were not there, and those that are not as they were."""
        there, own = (
            {name: data for name, data in tree(folder / "harness").items() if "__pycache__" not in name}
            for folder in (REPOSITORY, self.source)
        )
        added = [name for name in own if name not in there and not name.endswith("/")]
        return added, [name for name in there if own.get(name) != there[name]]

    def call(self, *words: str | Path, check: int = 0) -> subprocess.CompletedProcess[str]:
        """Run a verb of the copy."""
        if self._staying:
            done = self._staying.run([*map(str, words)], self.project, self._env(), SECONDS)
            done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        else:
            done = subprocess.run(
                [*judging_once("copies"), *words], cwd=self.project, env=self._env(),
                capture_output=True, text=True, timeout=SECONDS, check=False,
            )  # fmt: skip
        assert done.returncode == check, done.stdout + done.stderr
        return done

    def _env(self) -> dict[str, str]:
        return clean_env({"PYTHONPATH": str(self.source), "TOY_KEY": KEY})

    def lock(self) -> None:
        """Lock its manifest."""
        self.call("lock", self.path)

    def run(self, *words: str) -> Any:
        """Run its manifest; gives what `run --json` says of it."""
        return json.loads(self.call("run", self.path, "--json", *words).stdout)

    def tables(self, ran: Any, store: str = ".harness") -> dict[str, list[dict[str, Any]]]:
        """Give the rows of every output of a run that is a table, from what `run --json` said of it."""
        blobs = self.project / store / "blobs" / "sha256"
        found = {name: (blobs / digest[:2] / digest).read_bytes() for name, digest in outputs_of(ran).items()}
        return {
            name: [json.loads(line) for line in data.splitlines()] for name, data in found.items() if data[:1] in b"{"
        }

    def executed(self, run: str, store: str = ".harness") -> set[str]:
        """Name the steps that a run executed."""
        lines = (self.project / store / "runs" / run / "journal.jsonl").read_bytes().splitlines()
        events: list[dict[str, Any]] = [json.loads(line) for line in lines]
        return {event["step"] for event in events if event["event"] == "step.done"}
