"""A reader of folders of published answers that does not trust them: limits names and sizes, follows no links.

Independent of the content of answers and of the tasks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from harness.errors import DamageError, InputError
from harness.files import open_plain, translating_os_errors

EVALUATION, INFERENCE = "inference_outputs", "inference"  # the folder of each layout
SUCCESS, FAILURE = "success", "failure"
DEPTH = {EVALUATION: 5, INFERENCE: 6}  # path parts below the folder: DOMAIN/PROMPT/MODEL/[run_N/]STATE/ID.json
MOST_ENTRIES = 200_000
LARGEST = 64 << 20  # bytes of one file, which may repeat a prompt with a whole protein
ADVICE = f"name the folder that holds `{EVALUATION}/` or `{INFERENCE}/`, as the notebooks leave them"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@:-]{0,119}")
_RUN = re.compile(r"run_(0|[1-9][0-9]{0,5})")


class AnswerPath(NamedTuple):
    """What the path of a published answer says: layout, domain, prompt, model, run (-1: no runs) and record."""

    layout: str
    domain: str
    prompt: str
    model: str
    run: int
    record: str

    @property
    def success(self) -> str:
        """The path of the file with a model's answer, below the folder that is imported."""
        run = () if self.run < 0 else (f"run_{self.run}",)
        return "/".join((self.layout, self.domain, self.prompt, self.model, *run, SUCCESS, f"{self.record}.json"))


@dataclass
class AnswerTree:
    """A folder of published answers: its files by path, the answers they belong to, and other files."""

    folder: Path
    files: set[str] = field(default_factory=set)
    answers: set[AnswerPath] = field(default_factory=set)
    others: list[str] = field(default_factory=list)  # links, and files that are not in the place of an answer

    def read(self, path: str) -> str | None:
        """Return a file of the folder as text; None if there is no such file.

        Raises InputError if the file has more than LARGEST bytes, is not UTF-8, or is no longer a plain file.
        """
        if path not in self.files:
            return None
        with translating_os_errors(path):
            try:
                with open_plain(self.folder / path) as file:
                    data = file.read(LARGEST + 1)
            except DamageError as bad:
                raise InputError(bad.what, where=path, next="give plain files") from bad
        if len(data) > LARGEST:
            raise InputError(f"a file of more than {LARGEST} bytes", where=path, next="leave it out")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError("this is not UTF-8", where=path, next="leave it out, or correct it") from None


def read_tree(given: Path) -> AnswerTree:
    """Return the answers in a folder of either published layout; links and other files are listed separately.

    In the evaluation layout, a model also has an answer to each record without a file if another model answered that
    record, or if a ground truth for it is stored beside the layout. Raises InputError for a folder of neither layout,
    for more than MOST_ENTRIES entries, and for names that are not those of a model, prompt or record.
    """
    folder = given.parent if given.name in DEPTH else given
    layouts = [given.name] if given.name in DEPTH else [name for name in DEPTH if _is_folder(given / name)]
    if not layouts or not given.is_dir():
        raise InputError("this is no folder of answers", where=str(given), next=ADVICE)
    tree = AnswerTree(folder)
    for layout in layouts:
        for path in _walk(tree, layout):
            answer = _answer(path)
            if answer is None:
                tree.others.append(path)
            else:
                tree.files.add(path)
                tree.answers.add(answer)
    if EVALUATION in layouts:
        beside = () if given.name in DEPTH else ("", "data/")
        tree.answers |= set(_blank(tree, beside))
    return tree


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _walk(tree: AnswerTree, layout: str) -> Iterator[str]:
    """Yield the plain files of a layout down to the depth of its answers; add links and other entries to `others`."""
    waiting, entries = [layout], 0
    while waiting:
        under = waiting.pop()
        with translating_os_errors(tree.folder / under):
            found = sorted(os.scandir(tree.folder / under), key=lambda entry: entry.name)
        entries += len(found)
        if entries > MOST_ENTRIES:
            raise InputError(f"more than {MOST_ENTRIES} files and folders", where=layout, next="import fewer at once")
        for entry in found:
            path = f"{under}/{entry.name}"
            if entry.name.startswith("."):
                tree.others.append(_shown(path))
            elif not _NAME.fullmatch(entry.name):
                raise InputError("this is no name of a model, a prompt or a record", where=_shown(path), next=ADVICE)
            elif entry.is_file(follow_symlinks=False):
                yield path
            elif entry.is_dir(follow_symlinks=False) and path.count("/") < DEPTH[layout]:
                waiting.append(path)
            else:
                tree.others.append(path)


def _answer(path: str) -> AnswerPath | None:
    """Return the answer that a file belongs to; None if the file is in another place."""
    layout, _, below = path.partition("/")
    if below.count("/") + 1 != DEPTH[layout]:
        return None
    *parts, state, name = below.split("/")
    if state not in (SUCCESS, FAILURE) or not name.endswith(".json"):
        return None
    run = -1
    if layout == INFERENCE:
        numbered = _RUN.fullmatch(parts.pop())
        if numbered is None:
            return None
        run = int(numbered[1])
    domain, prompt, model = parts
    return AnswerPath(layout, domain, prompt, model, run, name.removesuffix(".json"))


def _blank(tree: AnswerTree, beside: tuple[str, ...]) -> Iterator[AnswerPath]:
    """Yield, for each model of the evaluation layout, its answer to each record that it may have been asked about."""
    records: dict[str, set[str]] = {}
    asked: set[AnswerPath] = set()
    for one in tree.answers:
        if one.layout == EVALUATION:
            records.setdefault(one.domain, set()).add(one.record)
            asked.add(one._replace(record=""))
    for domain, known in records.items():
        for above in beside:
            truths = tree.folder / above / domain / "ground_truth"
            found = sorted(truths.glob("*.json"))[:MOST_ENTRIES] if _is_folder(truths) else []
            known.update(path.stem for path in found if _NAME.fullmatch(path.name))
    if sum(len(records[one.domain]) for one in asked) > MOST_ENTRIES:
        raise InputError(f"more than {MOST_ENTRIES} answers", where=EVALUATION, next="import fewer at once")
    for one in asked:
        yield from (one._replace(record=record) for record in records[one.domain])


def _shown(path: str) -> str:
    return ascii(path)[1:-1][:200]
