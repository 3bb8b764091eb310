"""The verbs `init` and `new`: a project of one's own, and its first manifest from a file of questions."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from harness import texts
from harness.errors import HarnessError, InputError
from harness.files import translating_os_errors, write_atomic
from harness.manifest.lockfile import load_lock
from harness.run.installed.checked import importable
from harness.run.planning.derived import read_model_option
from harness.run.project_folder import MARKER, LaidFolder, lay_out, require_writable
from harness.verbs.column_guesses import ColumnGuesses, guess
from harness.verbs.engine_choice import LOCAL, EngineRequest
from harness.verbs.first_manifest import FirstManifest, reasons, write_manifest
from harness.verbs.first_rows import read_sample
from harness.verbs.pins import LockRequest, lock
from harness.verbs.project import PathText, Project, Request, Result, Watch

SHIPPED = "oracle=baseline/oracle", "tiny=transformers/package:llm-harness/tiny-shaped"
ABOUT_SHIPPED = (
    "Who is asked: `oracle` answers with the target, so that a sound scorer gives it 1; `tiny` is a small model that "
    "is shipped with the harness and knows nothing. Others: `harness run -m gpt=openai/MODEL`, or a line here."
)
STAND_IN = "blind=baseline/echo"
ABOUT_STAND_IN = (
    "Who is asked, two stand-ins: `oracle` answers with the target, so that a sound scorer gives it 1; `blind` repeats "
    "the question. A model of weights needs torch: pip install 'llm-harness[local]'."
)
MOST_COPIED = 256 << 20  # bytes of a file that is taken into a project


class InitRequest(Request):
    """Request of `init`: which folder becomes a project."""

    folder: PathText = Field(default=".", description="The folder, which may be new.")


class InitResult(Result):
    """Result of `init`: the project's root, what was written, and what was kept though it is not as it is shipped."""

    root: str
    written: list[str]
    kept: list[str]


def init(project: Project, asked: InitRequest) -> InitResult:
    """Make a folder a project that works everywhere the repository does; it overwrites nothing."""
    laid = lay_out(project.path(asked.folder))
    return InitResult(root=str(laid.root), written=laid.written, kept=laid.kept)


class NewRequest(EngineRequest):
    """Request of `new`: the manifest's name, the file of questions, models, and columns that need no guess."""

    name: str = Field(description="The manifest's name.")
    source: PathText = Field(description="A file of questions: .csv, .tsv, .jsonl.")
    models: list[str] = Field(default_factory=list, description="Models, as `run -m` takes them; none: shipped ones.")
    input: list[str] = Field(default_factory=list, description="Columns that say what is asked.")
    target: str = Field(default="", description="The column of right answers.")
    options: list[str] = Field(default_factory=list, description="Columns of a choice's options.")
    group: list[str] = Field(default_factory=list, description="Columns by which scores are told apart.")
    encoding: str = Field(default="utf-8", description="How the file's text is encoded.")
    replace: bool = Field(default=False, description="Write it again where there is a manifest of that name.")

    def given(self) -> dict[str, Sequence[str]]:
        """Columns that were named, by what they are."""
        target = [self.target] if self.target else []
        return {"input": self.input, "target": target, "options": self.options, "group": self.group}

    def command(self) -> str:
        """Spell the command that asks for this."""
        words = ["harness", "new", self.name, "--from", str(self.source)]
        for option, columns in self.given().items():
            words += [word for column in columns for word in (f"--{option}", column)]
        return shlex.join(words + [word for model in self.models for word in ("-m", model)])


class NewResult(Result):
    """Result of `new`: the manifest, what its columns were taken for and why, its rows, models, lock; what is next."""

    manifest: str
    project: str
    made_project: bool
    file: str  # of the questions, in the project
    copied: bool
    guesses: list[str]
    rows: int  # that are asked
    models: list[str]
    lock: str
    unresolved: dict[str, str]
    next: str


def new(project: Project, asked: NewRequest, watch: Watch | None = None) -> NewResult:
    """Write a manifest with comments for a file of questions, and lock it; outside any project one is made first.

    Refuses a file whose columns cannot be told apart, before anything is written.
    """
    watch = watch or Watch()
    name, source = _name(asked.name), project.path(asked.source)
    sample = read_sample(source, asked.encoding)
    guesses = guess(sample, asked.given())
    models, about = _models(asked)
    here, made = _project(project, watch)
    path = here.root / "manifests" / f"{name}.yaml"
    if path.exists() and not asked.replace:
        raise InputError(
            f"there is a manifest {name} already", where=str(path),
            next="choose another name, or write it anew with --replace",
        )  # fmt: skip
    require_writable(path.parent)
    file, copied = _take(here.root, source)
    first = FirstManifest(name, asked.command(), file, sample, guesses, models, about, asked.encoding)
    with translating_os_errors(path):
        path.parent.mkdir(exist_ok=True)
        write_atomic(path, write_manifest(first).encode())
    return _locked(here, asked, watch, path, guesses, made_project=made, file=file, copied=copied, models=[*models])


def _locked(
    here: Project, asked: NewRequest, watch: Watch, path: Path, guesses: ColumnGuesses, **said: Any
) -> NewResult:
    """Lock the manifest that was written, which reads every row."""
    shown = os.path.relpath(path, here.folder)
    request = LockRequest(manifests=[path], engine=asked.engine, isolation=asked.isolation, images=asked.images)
    try:
        [locked] = lock(here, request, watch).locks
    except HarnessError:
        watch.say(f"{shown} is written and not locked: correct what is said below, then `harness lock {shown}`")
        raise
    pinned = load_lock(here.root, path.stem)
    assert pinned  # it was written just now
    items = pinned.pins["datasets"][path.stem].get("items", {})
    next_ = f"harness run {shlex.quote(shown)}"
    return NewResult(
        manifest=shown, project=str(here.root), guesses=list(reasons(guesses)), rows=items.get("rows", 0),
        lock=locked.sha256, unresolved=locked.unresolved, next=next_, **said,
    )  # fmt: skip


def _name(text: str) -> str:
    try:
        return texts.name(text)
    except ValueError as bad:
        raise InputError(f"this is no name of a manifest: {bad}", where=text[:200], next="choose another") from None


def _models(asked: NewRequest) -> tuple[Mapping[str, Mapping[str, Any]], str]:
    """Give the models of the manifest, and a line on them: those that were named, else what works on this machine."""
    options, about = list(asked.models), "Who is asked."
    if not options:
        inferring = asked.engine != LOCAL or all(importable(each) for each in ("torch", "transformers"))
        options, about = ([*SHIPPED], ABOUT_SHIPPED) if inferring else ([SHIPPED[0], STAND_IN], ABOUT_STAND_IN)
    found = [read_model_option(text) for text in options]
    if len({one.name for one in found}) < len(found):
        raise InputError("two models have one name", where="-m", next="name each: -m NAME=PROVIDER/MODEL")
    return {one.name: dict(one.said) for one in found}, about


def _project(project: Project, watch: Watch) -> tuple[Project, bool]:
    """Give the project that the folder is in; where it is in none, make the folder one, and say so."""
    if any((folder / MARKER).is_dir() for folder in (project.folder, *project.folder.parents)):
        return project, False
    laid: LaidFolder = lay_out(project.folder)
    watch.say(f"this folder was in no project, and is one now: {len(laid.written)} files written; README.md says more")
    return Project(project.folder, project.elsewhere, project.homes), True


def _take(root: Path, source: Path) -> tuple[str, bool]:
    """Give the path of the file in the project; one from elsewhere is copied into `data/`."""
    whole, home = source.resolve(), root.resolve()
    if whole.is_relative_to(home):
        return whole.relative_to(home).as_posix(), False
    target = root / "data" / source.name
    with translating_os_errors(whole):
        if whole.stat().st_size > MOST_COPIED:
            raise InputError(
                "this file is too large to be copied into the project", where=str(source),
                next=f"put it there yourself, then name it: --from data/{source.name}",
            )  # fmt: skip
        data = whole.read_bytes()
        if target.is_file() and target.read_bytes() == data:
            return f"data/{source.name}", False
    if target.exists():
        raise InputError(
            f"there is another file of that name: data/{source.name}", where=str(root),
            next="rename one of them, or name the one in the project with --from",
        )  # fmt: skip
    with translating_os_errors(target):
        target.parent.mkdir(exist_ok=True)
        write_atomic(target, data)
    return f"data/{source.name}", True
