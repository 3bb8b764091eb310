"""The verbs `init` and `new`: a project of one's own, and its first manifest from a file of questions.

The manifest is written from what the file's columns were taken for, with a comment on each choice.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill, indent
from typing import Any

from pydantic import Field

from harness import texts
from harness.errors import HarnessError, InputError
from harness.files import translating_os_errors, write_atomic
from harness.manifest.lockfile import load_lock
from harness.manifest.read import spell
from harness.run.installed.checked import importable
from harness.run.planning.derived import read_model_option
from harness.run.project_folder import MARKER, LaidFolder, lay_out, require_writable
from harness.verbs.column_guesses import ColumnGuesses, FileSample, Guess, guess, plain, quoted, read_sample
from harness.verbs.pins import LockRequest, lock
from harness.verbs.project import LOCAL, EngineRequest, PathText, Project, Request, Result, Watch

# In the order in which they are written.
COLUMN_FIELDS = ("input", "target", "accepted", "options", "group", "cluster", "id")
INSIDE, WIDTH = 4 * " ", 116  # of what stands in a dataset, and of a comment
ORDER = ("context", *COLUMN_FIELDS, "split")
MOST_LABELS = 12
SHORT, LONG = 32, 256  # tokens of an answer
SHORT_WORDS = 6  # of half of the targets at least, where they count as short
PLAIN_INPUTS = {"prompt", "instruction", "input"}  # columns whose cells are prompts already
_NUMBER = re.compile(r"[-+]?[0-9][0-9,]{0,40}(\.[0-9]{1,40})?%?")
TEXTS = {"text", "sentence", "document", "article"}


@dataclass(frozen=True)
class FirstManifest:
    """What a first manifest is written from."""

    name: str
    command: str  # that asked for it
    file: str  # below the project's root
    sample: FileSample
    guesses: ColumnGuesses
    models: Mapping[str, Mapping[str, Any]]
    about_models: str
    encoding: str = "utf-8"


@dataclass(frozen=True)
class _Answers:
    """What the targets are like: how they are scored, why, and how long an answer may be."""

    score: Sequence[Any]
    why: str
    tokens: int = SHORT
    labels: Sequence[str] = ()  # of a classification
    one_line: bool = True


def write_manifest(first: FirstManifest) -> str:
    """Write the manifest as a person would, section by section; it reads back as what is meant."""
    answers = _answers(first.sample, first.guesses)
    pieces = [
        _comment(f"Written by `{first.command}`. It is yours: edit it, then `harness lock` it again."),
        spell({"harness": "2", "study": "questions", "name": first.name}),
        spell({"about": f"Questions of {first.file.rpartition('/')[2]}; say here what they ask."}),
        "\n",
        _comment(first.about_models),
        spell({"models": first.models}),
        "\n",
        _comment(*_reasons(first)),
        f"datasets:\n  {first.name}:\n",
        indent(spell(_dataset(first)), INSIDE),
        *(f"{INSIDE}# {line}\n" for line in _more(first)),
        "\n",
        _comment("What is asked; `{column}` is a cell. Several wordings: `texts: [...]`; a chat: `turns: [...]`."),
        spell({"prompts": {"text": _wording(first, answers)}}),
        "\n",
        _comment("How it is asked."),
        spell({"generation": _generation(answers)}),
        "\n",
        _comment(f"How answers are scored: {answers.why}. `harness score --list` names every scorer."),
        spell({"settings": {"score": answers.score}}),
    ]
    return "".join(pieces)


def _comment(*lines: str) -> str:
    """Write lines of a comment, folded; what a line goes on with is indented."""
    folded = (
        fill(_seen(line), WIDTH, initial_indent="# ", subsequent_indent="#   ", break_on_hyphens=False)
        for line in lines
    )
    return "".join(f"{line}\n" for line in folded)


def _seen(text: str) -> str:
    """Leave nothing in a comment that would end it, or that a person cannot see."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _dataset(first: FirstManifest) -> dict[str, Any]:
    found = first.guesses
    fields: dict[str, Any] = {}
    for what in COLUMN_FIELDS:
        columns = (*found.columns("context"), *found.columns(what)) if what == "input" else found.columns(what)
        if columns:
            single = len(columns) == 1
            fields[what] = columns[0] if single else list(columns)
    body: dict[str, Any] = {"file": first.file, "fields": fields}
    if found.split:
        body["where"] = {found.columns("split")[0]: found.split}
    if first.encoding != "utf-8":
        body["encoding"] = first.encoding
    return body


def reasons(guesses: ColumnGuesses) -> Iterator[str]:
    """Say of each guess what was taken for what, and why."""
    for what in sorted(guesses.said, key=ORDER.index):
        yield _reason(what, guesses.said[what], guesses)


def _reason(what: str, one: Guess, guesses: ColumnGuesses) -> str:
    if what == "split":
        return f"only rows whose {quoted(one.columns)} is {quoted([guesses.split])} are asked ({one.why})"
    return f"{what}: {quoted(one.columns)} ({one.why})"


def _reasons(first: FirstManifest) -> Iterator[str]:
    yield "The rows, and what their columns were taken for; correct what is wrong:"
    yield from (f"- {line}" for line in reasons(first.guesses))
    if left := [name for name in first.sample.columns if name not in first.guesses.taken]:
        yield f"- not used: {quoted(left)}; a wording may name what stands in `fields: {{show: [...]}}`"


def _more(first: FirstManifest) -> Iterator[str]:
    yield "count: 100                       # so many rows, drawn by `seed`; without it: all"
    if first.guesses.split:
        name = spell({first.guesses.columns("split")[0]: "train"}).strip()
        yield f"shots: {{count: 3, where: {{{name}}}}}   # examples with their answers, from rows that are not asked"
    else:
        yield "shots: {count: 3, seed: 0}       # examples with their answers, from rows that are then not asked"


def _generation(answers: _Answers) -> dict[str, Any]:
    bounds: dict[str, Any] = {"temperature": "0", "max_tokens": answers.tokens}
    return {**bounds, "stop": ["\n"]} if answers.one_line else bounds


def _wording(first: FirstManifest, answers: _Answers) -> str:
    """Word the question by what its column is called; the last line asks for the kind of answer that is scored."""
    found = first.guesses
    context = "".join(f"{{{name}}}\n\n" for name in found.columns("context"))
    columns = found.columns("input")
    if len(columns) > 1:
        asked = "\n".join(f"{{{name}}}" for name in columns)
    elif plain(columns[0]) in PLAIN_INPUTS:
        asked = f"{{{columns[0]}}}"
    else:
        asked = f"{'Text' if plain(columns[0]) in TEXTS else 'Question'}: {{{columns[0]}}}"
    if found.columns("options"):
        return f"{context}{asked}\n{{options}}\nAnswer with the letter of the right option.\nAnswer:"
    if answers.labels:
        return f"{context}{asked}\nAnswer with one of: {', '.join(answers.labels)}.\nAnswer:"
    return f"{context}{asked}\nAnswer:"


def _answers(sample: FileSample, guesses: ColumnGuesses) -> _Answers:
    """Choose scorers by what the targets are like."""
    [target] = guesses.columns("target")
    cells = [cell.strip() for cell in sample.cells[target] if cell.strip()]
    if guesses.columns("options"):
        why = (
            "the option named by its letter; `{choice: {from: options, by: loglikelihood}}` takes the one that a model "
            "whose weights are here holds for the likeliest"
        )
        return _Answers([{"choice": {"from": "options", "by": "letter"}}], why)
    if sample.share(target, _is_number) > 0.95:
        return _Answers(["number", "exact"], "the targets are numbers")
    if sample.share(target, _is_json) > 0.95:
        return _Answers(["json"], "the targets are JSON", LONG, one_line=False)
    different = sorted(set(cells))
    classes = plain(target) == "label" or plain(guesses.columns("input")[0]) in TEXTS
    if classes and len(different) <= min(MOST_LABELS, len(cells) // 2) and not any("{" in one for one in different):
        return _Answers(["match", "exact"], "the targets are a few labels", labels=different)
    if not cells or sorted(len(cell.split()) for cell in cells)[len(cells) // 2] <= SHORT_WORDS:
        return _Answers(["exact", "match"], "the targets are short; `match` leaves case, articles and signs aside")
    why = "the targets are long: `f1` counts the words that an answer shares with its target"
    return _Answers(["f1", "match"], why, LONG, one_line=False)


def _is_number(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell.strip()))


def _is_json(cell: str) -> bool:
    try:
        return isinstance(json.loads(cell), dict | list) if cell.lstrip()[:1] in ("{", "[") else False
    except (ValueError, RecursionError):
        return False


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
            f"there is a manifest {name} already",
            where=str(path),
            next="choose another name, or write it anew with --replace",
        )
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
        manifest=shown,
        project=str(here.root),
        guesses=list(reasons(guesses)),
        rows=items.get("rows", 0),
        lock=locked.sha256,
        unresolved=locked.unresolved,
        next=next_,
        **said,
    )


def _name(text: str) -> str:
    try:
        return texts.name(text)
    except ValueError as bad:
        raise InputError(f"this is no name of a manifest: {bad}", where=text[:200], next="choose another") from None


def _models(asked: NewRequest) -> tuple[Mapping[str, Mapping[str, Any]], str]:
    """Return the models of the manifest, and a line on them: those that were named, else what works on this machine."""
    options, about = list(asked.models), "Who is asked."
    if not options:
        inferring = asked.engine != LOCAL or all(importable(each) for each in ("torch", "transformers"))
        options, about = ([*SHIPPED], ABOUT_SHIPPED) if inferring else ([SHIPPED[0], STAND_IN], ABOUT_STAND_IN)
    found = [read_model_option(text) for text in options]
    if len({one.name for one in found}) < len(found):
        raise InputError("two models have one name", where="-m", next="name each: -m NAME=PROVIDER/MODEL")
    return {one.name: dict(one.said) for one in found}, about


def _project(project: Project, watch: Watch) -> tuple[Project, bool]:
    """Return the project that the folder is in; where it is in none, make the folder one, and say so."""
    if any((folder / MARKER).is_dir() for folder in (project.folder, *project.folder.parents)):
        return project, False
    laid: LaidFolder = lay_out(project.folder)
    watch.say(f"this folder was in no project, and is one now: {len(laid.written)} files written; README.md says more")
    return Project(project.folder, project.elsewhere, project.homes), True


def _take(root: Path, source: Path) -> tuple[str, bool]:
    """Return the path of the file in the project; one from elsewhere is copied into `data/`."""
    whole, home = source.resolve(), root.resolve()
    if whole.is_relative_to(home):
        return whole.relative_to(home).as_posix(), False
    target = root / "data" / source.name
    with translating_os_errors(whole):
        if whole.stat().st_size > MOST_COPIED:
            raise InputError(
                "this file is too large to be copied into the project",
                where=str(source),
                next=f"put it there yourself, then name it: --from data/{source.name}",
            )
        data = whole.read_bytes()
        if target.is_file() and target.read_bytes() == data:
            return f"data/{source.name}", False
    if target.exists():
        raise InputError(
            f"there is another file of that name: data/{source.name}",
            where=str(root),
            next="rename one of them, or name the one in the project with --from",
        )
    with translating_os_errors(target):
        target.parent.mkdir(exist_ok=True)
        write_atomic(target, data)
    return f"data/{source.name}", True
