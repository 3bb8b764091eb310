"""A walk of a page of docs/: its files are written and its commands run, in their order, as a reader would."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from support import REPOSITORY, clean_env, judging_once, warm

FENCE = re.compile(r"^(?P<before>[^\n]*)\n(?:\n)?```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`([\w./-]+)`:$")  # the end of a line before a block: the file that the block is
PLAIN = re.compile(r"harness [^|&;<>$`(){}*?~\\\n]*")  # a line of which a shell makes nothing but words
SECONDS = 600


class Walked(NamedTuple):
    """A line of a page with how it ended."""

    line: str
    code: int
    out: str
    err: str


class Walker:
    """Someone who follows a page in a folder, with `harness` on the path and a home of their own.

    A verb alone runs in the warm process, where what it hears of the environment is the same.
    """

    def __init__(self, folder: Path, more: Mapping[str, str] | None = None) -> None:
        """Begin in an empty folder; `more` replaces texts of the page, such as an address."""
        self.folder, self.more, self.done = folder / "folder", dict(more or {}), list[Walked]()
        self.where = self.folder
        self.folder.mkdir(parents=True)
        program = folder / "bin" / "harness"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec {shlex.join(judging_once())} "$@"\n')
        program.chmod(0o755)
        self.env = clean_env() | {"HOME": str(folder / "home"), "COLUMNS": "200"}
        self.env["PATH"] = f"{program.parent}:{self.env['PATH']}"

    def walk(self, page: str) -> list[Walked]:
        """Write every named file of a page and run every line of its shell, one after the other."""
        for found in FENCE.finditer((REPOSITORY / "docs" / page).read_text()):
            body = found["body"]
            for old, new in self.more.items():
                body = body.replace(old, new)
            if found["kind"] == "sh":
                for line in body.splitlines():
                    self.step(line)
            elif name := NAMED.search(found["before"]):
                path = self.where / name[1]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(body)
        return self.done

    def step(self, line: str) -> None:
        """Run one line; a folder that is entered and a variable that is set stay, as in a terminal."""
        words = line.partition("  #")[0].strip()
        if words.startswith("cd "):
            self.where = self.where / words.removeprefix("cd ")
        elif words.startswith("export "):
            name, _, value = words.removeprefix("export ").partition("=")
            self.env[name] = value
        elif words:
            self._run(line, words.replace("RUN RUN", " ".join(self._runs())) if "RUN RUN" in words else words)

    def _run(self, line: str, words: str) -> None:
        if PLAIN.fullmatch(words) and warm().fits(self.env):
            told = warm().run(shlex.split(words)[1:], self.where, self.env, SECONDS)
            self.done.append(Walked(line, told.returncode, told.stdout.decode(), told.stderr.decode()))
            return
        settings: dict[str, Any] = {"cwd": self.where, "env": self.env, "timeout": SECONDS}
        done = subprocess.run(["sh", "-c", words], capture_output=True, text=True, check=False, **settings)
        self.done.append(Walked(line, done.returncode, done.stdout, done.stderr))

    def _runs(self) -> list[str]:
        """Name the newest two runs, the older one first."""
        command = ["harness", "runs", "--json"]
        told = subprocess.run(command, cwd=self.where, env=self.env, capture_output=True, text=True, check=True).stdout
        return [one["run"] for one in json.loads(told)["runs"][1::-1]]
