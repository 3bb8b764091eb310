"""The verbs `init` and `new`: create a project, and its first manifest from a file of questions.

The manifest is written from guesses about the columns of the file, with a comment on each guess.
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

from harness import texts
from harness.errors import HarnessError, InputError
from harness.files import translating_os_errors, write_atomic
from harness.manifest.datasets import WITH_OPTIONS, WITHOUT_OPTIONS
from harness.manifest.lockfile import load_lock
from harness.manifest.read import spell_yaml
from harness.run.installed.checked import is_importable
from harness.run.planning.derived import read_model_option
from harness.run.project_folder import MARKER, LaidFolder, lay_out_project, require_writable
from harness.verbs.pins import lock
from harness.verbs.project import Project, Result, Watch
from harness.verbs.question_sources import (
    ColumnGuesses,
    FileSample,
    Guess,
    QuestionSource,
    guess_fields,
    parse_scorer_names,
    plain_name,
    quote_columns,
    read_sample,
    take_file,
)
from harness.verbs.requests import LOCAL, InitRequest, LockRequest, NewRequest

__all__ = [
    "InitResult",
    "NewResult",
    "init",
    "new",
]

# In the order in which they are written.
COLUMN_FIELDS = ("input", "target", "accepted", "options", "group", "cluster", "id", "scorer", "image")
INSIDE, WIDTH = 4 * " ", 116  # indentation inside a dataset, and width of a comment
ORDER = ("context", *COLUMN_FIELDS, "split")
MOST_LABELS = 12
SHORT, LONG = 32, 256  # tokens of an answer
SHORT_WORDS = 6  # targets count as short if at least half of them have at most so many words
PLAIN_INPUTS = {"prompt", "instruction", "input"}  # columns whose cells are prompts already
_NUMBER = re.compile(r"[-+]?[0-9][0-9,]{0,40}(\.[0-9]{1,40})?%?")
TEXTS = {"text", "sentence", "document", "article"}
CLASSES = {"label", "folder"}  # columns whose cells are classes
_LETTER = {"choice": {"from": "options", "by": "letter"}}


@dataclass(frozen=True)
class FirstManifest:
    """What a first manifest is written from: a file of questions, guesses about its columns, and models."""

    name: str
    command: str  # the command line that asked for the manifest
    file: str  # path below the project's root
    sample: FileSample
    guesses: ColumnGuesses
    models: Mapping[str, Mapping[str, Any]]
    about_models: str
    encoding: str = "utf-8"
    part: str = ""  # of a workbook, or of a data set of the hub
    agents: bool = False


@dataclass(frozen=True)
class _Answers:
    """Choices that follow from the targets: how answers are scored, why, and how long an answer may be."""

    score: Sequence[Any]
    why: str
    tokens: int = SHORT
    labels: Sequence[str] = ()  # of a classification
    one_line: bool = True
    apart: Mapping[str, Sequence[Any]] | None = None  # scorers of rows with options, and of those without


def write_manifest(first: FirstManifest) -> str:
    """Return the text of the manifest, section by section, with comments, as a person would write it."""
    answers = _answers(first.sample, first.guesses)
    pieces = [
        _comment(f"Written by `{first.command}`. It is yours: edit it, then `harness lock` it again."),
        spell_yaml({"harness": "2", "study": "questions", "name": first.name}),
        spell_yaml({"about": f"Questions of {first.file.rstrip('/').rpartition('/')[2]}; say here what they ask."}),
        "\n",
        _comment(first.about_models),
        spell_yaml({"models": first.models}),
        "\n",
        _comment(*_reasons(first)),
        f"datasets:\n  {first.name}:\n",
        indent(spell_yaml(_dataset(first, answers)), INSIDE),
        *(f"{INSIDE}# {line}\n" for line in _more(first)),
        "\n",
        _comment("What is asked; `{column}` is a cell. Several wordings: `texts: [...]`; a chat: `turns: [...]`."),
        spell_yaml({"prompts": {"text": _wording(first, answers)}}),
        "\n",
        _comment("How it is asked."),
        spell_yaml({"generation": _generation(answers)}),
        "\n",
        _comment(f"How answers are scored: {answers.why}. `harness score --list` names every scorer."),
        _comment("The dataset's `score:` above says it.") if answers.apart else "",
        "" if answers.apart else spell_yaml({"settings": {"score": answers.score}}),
        "\n",
        _comment("What is made besides: this line, without its `#`, adds an HTML page of scores, items and answers."),
        "# outputs: {report.html: exact}\n",
        "\n" if first.agents else "",
        _comment(ABOUT_AGENTS) if first.agents else "",
        spell_yaml({"agents": AGENTS}) if first.agents else "",
    ]
    return "".join(pieces)


AGENTS: Mapping[str, Any] = {"splits": {"all": {"public": True}}, "budget": {"calls": 10000, "seconds": 86400}}
ABOUT_AGENTS = (
    "What agents may attempt: `harness serve` offers it, docs/agents.md says how. They are sent what is asked, and "
    "never the targets; after an attempt they are told its scores."
)


def _comment(*lines: str) -> str:
    """Return lines as a comment, wrapped; continuation lines are indented."""
    folded = (
        fill(_seen(line), WIDTH, initial_indent="# ", subsequent_indent="#   ", break_on_hyphens=False)
        for line in lines
    )
    return "".join(f"{line}\n" for line in folded)


def _seen(text: str) -> str:
    """Replace characters that would end a comment, or that cannot be seen, with spaces."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _dataset(first: FirstManifest, answers: _Answers) -> dict[str, Any]:
    found = first.guesses
    fields: dict[str, Any] = {}
    for what in COLUMN_FIELDS:
        columns = (*found.columns("context"), *found.columns(what)) if what == "input" else found.columns(what)
        if columns:
            single = len(columns) == 1
            fields[what] = columns[0] if single else list(columns)
    body: dict[str, Any] = {"file": first.file, "fields": fields}
    if first.part:
        body = {"file": first.file, "part": first.part, "fields": fields}
    if answers.apart:
        body["score"] = answers.apart
    if found.split:
        body["where"] = {found.columns("split")[0]: found.split}
    if first.encoding != "utf-8":
        body["encoding"] = first.encoding
    return body


def guess_reasons(guesses: ColumnGuesses) -> Iterator[str]:
    """Yield a line for each guess: the field, the columns that were taken for it, and why."""
    for what in sorted(guesses.said, key=ORDER.index):
        yield _reason(what, guesses.said[what], guesses)


def _reason(what: str, one: Guess, guesses: ColumnGuesses) -> str:
    if what == "split":
        return f"only rows whose {quote_columns(one.columns)} is {quote_columns([guesses.split])} are asked ({one.why})"
    return f"{what}: {quote_columns(one.columns)} ({one.why})"


def _reasons(first: FirstManifest) -> Iterator[str]:
    yield "The rows, and what their columns were taken for; correct what is wrong:"
    yield from (f"- {line}" for line in guess_reasons(first.guesses))
    if left := [name for name in first.sample.columns if name not in first.guesses.taken]:
        yield f"- not used: {quote_columns(left)}; a wording may name what stands in `fields: {{show: [...]}}`"


def _more(first: FirstManifest) -> Iterator[str]:
    yield "count: 100                       # so many rows, drawn by `seed`; without it: all"
    if first.guesses.split:
        name = spell_yaml({first.guesses.columns("split")[0]: "train"}).strip()
        yield f"shots: {{count: 3, where: {{{name}}}}}   # examples with their answers, from rows that are not asked"
    else:
        yield "shots: {count: 3, seed: 0}       # examples with their answers, from rows that are then not asked"


def _generation(answers: _Answers) -> dict[str, Any]:
    bounds: dict[str, Any] = {"temperature": "0", "max_tokens": answers.tokens}
    return {**bounds, "stop": ["\n"]} if answers.one_line else bounds


def _wording(first: FirstManifest, answers: _Answers) -> str:
    """Return the wording, which depends on the column's name; its last line asks for the kind of answer scored."""
    found = first.guesses
    context = "".join(f"{{{name}}}\n\n" for name in found.columns("context"))
    columns = found.columns("input")
    if len(columns) > 1:
        asked = "\n".join(f"{{{name}}}" for name in columns)
    elif columns == found.columns("image"):
        asked = "What does the picture show?"
    elif plain_name(columns[0]) in PLAIN_INPUTS:
        asked = f"{{{columns[0]}}}"
    else:
        asked = f"{'Text' if plain_name(columns[0]) in TEXTS else 'Question'}: {{{columns[0]}}}"
    if found.columns("options"):
        some = "" if all(first.sample.filled(found.columns("options"))) else ", if there are options"
        return f"{context}{asked}\n{{options}}\nAnswer with the letter of the right option{some}.\nAnswer:"
    if answers.labels:
        return f"{context}{asked}\nAnswer with one of: {', '.join(answers.labels)}.\nAnswer:"
    return f"{context}{asked}\nAnswer:"


def _answers(sample: FileSample, guesses: ColumnGuesses) -> _Answers:
    """Choose scorers and the length of answers by the form of the targets."""
    [target] = guesses.columns("target")
    cells = [cell.strip() for cell in sample.cells[target] if cell.strip()]
    options = guesses.columns("options")
    if column := guesses.columns("scorer"):
        named = [_LETTER if name == "choice" else name for name in parse_scorer_names(sample, column[0])]
        long = any(name in named for name in ("f1", "rouge", "bleu", "json"))
        names = quote_columns(column)
        why = f"each row by what its {names} names, which is one of these or several with `|` between them"
        return _Answers(named, why, LONG if long else SHORT, one_line=not long)
    having = sample.filled(options) if options else []
    if any(having) and not all(having):
        rest = _free_answers(sample.only([not one for one in having]), guesses, target)
        why = f"rows with options by the letter of the right one, rows without by their answer ({rest.why})"
        apart = {WITH_OPTIONS: [_LETTER], WITHOUT_OPTIONS: rest.score}
        return _Answers([], why, rest.tokens, one_line=rest.one_line, apart=apart)
    if options:
        why = (
            "the option named by its letter; `{choice: {from: options, by: loglikelihood}}` takes the one that a model "
            "whose weights are here holds for the likeliest"
        )
        return _Answers([_LETTER], why)
    different = sorted(set(cells))
    classes = plain_name(target) in CLASSES or plain_name(guesses.columns("input")[0]) in TEXTS
    if (
        sample.share(target, _is_number) <= 0.95
        and sample.share(target, _is_json) <= 0.95
        and classes
        and len(different) <= min(MOST_LABELS, len(cells) // 2)
        and not any("{" in one for one in different)
    ):
        return _Answers(["match", "exact"], "the targets are a few labels", labels=different)
    return _free_answers(sample, guesses, target)


def _free_answers(sample: FileSample, guesses: ColumnGuesses, target: str) -> _Answers:
    """Choose the scorers of answers that are neither options nor labels."""
    cells = [cell.strip() for cell in sample.cells[target] if cell.strip()]
    if sample.share(target, _is_number) > 0.95:
        return _Answers(["number", "exact"], "the targets are numbers")
    if sample.share(target, _is_json) > 0.95:
        return _Answers(["json"], "the targets are JSON", LONG, one_line=False)
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


SHIPPED = "oracle=baseline/oracle", "tiny=transformers/package:repro-harness/tiny-shaped"
ABOUT_SHIPPED = (
    "Who is asked: `oracle` answers with the target, so that a sound scorer gives it 1; `tiny` is a small model that "
    "is shipped with the harness and knows nothing. Others: `harness run -m gpt=openai/MODEL`, or a line here."
)
STAND_IN = "blind=baseline/echo"
ABOUT_STAND_IN = (
    "Who is asked, two stand-ins: `oracle` answers with the target, so that a sound scorer gives it 1; `blind` repeats "
    "the question. A model of weights needs torch: pip install 'repro-harness[local]'."
)


class InitResult(Result):
    """Result of `init`: the project's root, files written, and files kept that differ from the shipped ones."""

    root: str
    written: list[str]
    kept: list[str]


def init(project: Project, asked: InitRequest) -> InitResult:
    """Turn a folder into a project with the files that manifests and steps need; overwrite nothing."""
    laid = lay_out_project(project.path(asked.folder))
    return InitResult(root=str(laid.root), written=laid.written, kept=laid.kept)


def _named_columns(asked: NewRequest) -> dict[str, Sequence[str]]:
    """Return the columns that were named, by field."""
    target = [asked.target] if asked.target else []
    return {"input": asked.input, "target": target, "options": asked.options, "group": asked.group}


def _command(asked: NewRequest) -> str:
    """Return the command line of a request."""
    words = ["harness", "new", asked.name, "--from", str(asked.source)]
    words += ["--part", asked.part] if asked.part else []
    words += ["--agents"] if asked.agents else []
    for option, columns in _named_columns(asked).items():
        words += [word for column in columns for word in (f"--{option}", column)]
    return shlex.join(words + [word for model in asked.models for word in ("-m", model)])


class NewResult(Result):
    """Result of `new`: the manifest, guesses about columns with reasons, rows, models, lock, and the next command."""

    manifest: str
    project: str
    made_project: bool
    file: str  # the file of questions in the project
    copied: bool
    guesses: list[str]
    rows: int  # how many are asked
    models: list[str]
    lock: str
    unresolved: dict[str, str]
    next: str


def new(project: Project, asked: NewRequest, watch: Watch | None = None) -> NewResult:
    """Write a manifest with comments for a file of questions, and lock it; outside a project, make one first.

    Raises InputError, before anything is written, if it is unclear which columns of the file are what.
    """
    watch = watch or Watch()
    name, source = _name(asked.name), QuestionSource.of(project, asked.source, asked.part)
    sample = read_sample(source, asked.encoding)
    guesses = guess_fields(sample, _named_columns(asked))
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
    file, copied = take_file(here.root, source.path) if source.single else (source.place_in(here.root), False)
    first = FirstManifest(
        name, _command(asked), file, sample, guesses, models, about, asked.encoding, asked.part, asked.agents
    )
    with translating_os_errors(path):
        path.parent.mkdir(exist_ok=True)
        write_atomic(path, write_manifest(first).encode())
    return _locked(here, asked, watch, path, guesses, made_project=made, file=file, copied=copied, models=[*models])


def _locked(
    here: Project, asked: NewRequest, watch: Watch, path: Path, guesses: ColumnGuesses, **said: Any
) -> NewResult:
    """Lock the manifest that was written, which reads every row, and return the result of `new`."""
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
        guesses=list(guess_reasons(guesses)),
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
    """Return models and a comment on them: the models that were named, else shipped ones that work on this machine."""
    options, about = list(asked.models), "Who is asked."
    if not options:
        inferring = asked.engine != LOCAL or all(is_importable(each) for each in ("torch", "transformers"))
        options, about = ([*SHIPPED], ABOUT_SHIPPED) if inferring else ([SHIPPED[0], STAND_IN], ABOUT_STAND_IN)
    found = [read_model_option(text) for text in options]
    if len({one.name for one in found}) < len(found):
        raise InputError("two models have one name", where="-m", next="name each: -m NAME=PROVIDER/MODEL")
    return {one.name: dict(one.said) for one in found}, about


def _project(project: Project, watch: Watch) -> tuple[Project, bool]:
    """Return the project of the folder, and whether it was made now: a folder in no project becomes one."""
    if any((folder / MARKER).is_dir() for folder in (project.folder, *project.folder.parents)):
        return project, False
    laid: LaidFolder = lay_out_project(project.folder)
    watch.say(f"this folder was in no project, and is one now: {len(laid.written)} files written; README.md says more")
    return Project(project.folder, project.elsewhere, project.homes), True
