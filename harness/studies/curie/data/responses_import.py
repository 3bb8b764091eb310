"""The importer of published answers: a folder in either layout of the paper's notebooks becomes response rows.

The rows have the form that the provider `imported` takes, with one wording per item. Sees no ground truths or scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.studies.curie.data.file_texts import unicode_text
from harness.studies.curie.data.prompt_files import TEMPLATE
from harness.studies.curie.data.records import item_id
from harness.studies.curie.data.response_files import ADVICE, AnswerPath, AnswerTree, read_tree
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.reading.responses import failure_path, read_response
from harness.studies.curie.tasks import TASKS

SHOWN = 5  # paths that the counts list
MOST_TEXT = 1 << 30  # characters of all answers
MOST_MESSAGE = 2000  # characters of the message that a failure left
LEFT_OUT = "(left out)"  # stands in place of a model's name, for files that are not answers to a task of this study
_TASK_OF: Mapping[tuple[str, str], str] = {(task.domain, task.prompt): name for name, task in TASKS.items()}


@dataclass
class Counted:
    """Counts of one model's imported answers, which the command `import` reports."""

    items: set[str] = field(default_factory=set)
    rows: int = 0
    errors: int = 0  # failures, and answers that the notebooks skip
    blank: int = 0  # no file of either kind: an empty answer, which is not an error
    skipped: list[str] = field(default_factory=list)  # files that cannot be read as an answer
    runs: dict[str, list[int]] = field(default_factory=dict)  # run numbers by task, in the order of their samples

    def told(self) -> dict[str, Any]:
        """Return the counts as plain data for the command `import`."""
        return {
            "instances": len(self.items),
            "prompts": self.rows,
            "errors": self.errors,
            "blank": self.blank,
            "skipped": len(self.skipped),
            "first_skipped": sorted(self.skipped)[:SHOWN],
            "runs": self.runs,
        }


def normalise(path: Path, columns: Mapping[str, str]) -> tuple[Sequence[Mapping[str, Any]], dict[str, Any]]:
    """Read a folder of published answers; return them as rows of responses, and counts by model.

    The sample of a run is its position among the runs of its model and task. Raises InputError for a folder without
    answers to the study's tasks, for two answers to one prompt, if `columns` are given, and as `read_tree` does.
    """
    if columns:
        raise InputError("answers in files have no columns", where="--columns", next="leave it out")
    tree = read_tree(path)
    ours = {one: task for one in tree.answers if (task := _TASK_OF.get((one.domain, one.prompt)))}
    if not ours:
        raise InputError("there are no answers to the tasks of this study", where=str(path), next=ADVICE)
    counts: dict[str, Counted] = {}
    found: dict[tuple[str, str, int], Mapping[str, Any]] = {}
    for one, row in _rows(tree, ours, counts):
        key = (row["model"], row["item"], row["sample"])
        if key in found:
            raise InputError("both layouts answer this prompt", where=one.success, next="import them one by one")
        found[key] = row
    told = {name: counts[name].told() for name in sorted(counts)}
    others = sorted([*tree.others, *(one.success for one in tree.answers if one not in ours)])
    if others:
        told[LEFT_OUT] = {"instances": 0, "prompts": 0, "files": len(others), "first": others[:SHOWN]}
    return [row for _, row in sorted(found.items())], told


def _rows(
    tree: AnswerTree, ours: Mapping[AnswerPath, str], counts: dict[str, Counted]
) -> Iterator[tuple[AnswerPath, dict[str, Any]]]:
    """Yield each answer with its row, and count it."""
    runs: dict[tuple[str, str, str], set[int]] = {}
    for one, task in ours.items():
        runs.setdefault((one.layout, one.model, task), set()).add(one.run)
    size = 0
    for one, task in sorted(ours.items()):
        numbers = sorted(runs[one.layout, one.model, task])
        counted = counts.setdefault(one.model, Counted())
        said = _said(tree, one, counted)
        row: dict[str, Any] = {"item": item_id(task, one.record), "template": TEMPLATE, "model": one.model, **said}
        size += len(row["text"])
        if size > MOST_TEXT:
            raise InputError("the answers are too long together", where=one.success, next="import fewer models at once")
        counted.rows += 1
        counted.items.add(row["item"])
        counted.runs[task] = [number for number in numbers if number >= 0]
        yield one, {**row, "sample": numbers.index(one.run)}


def _said(tree: AnswerTree, one: AnswerPath, counted: Counted) -> dict[str, str]:
    """Return the text of an answer, or an error for answers that the notebooks skip, as fields of its row."""
    paths = (one.success, failure_path(one.success))
    try:
        files = {path: text for path in paths if (text := tree.read(path)) is not None}
        found = read_response(one.success, files)
        text, error = unicode_text(found.text, one.success), unicode_text(found.exception, one.success)
    except (Unreadable, InputError) as bad:
        counted.skipped.append(one.success)
        text, error = "", f"not to be read: {bad.what if isinstance(bad, InputError) else bad}"
    else:
        counted.blank += not files
        error = error.strip() or ("a failure without a message" if paths[1] in files else "")
    if not error:
        return {"text": text}
    counted.errors += 1
    return {"text": text, "finish": "error", "error": error[:MOST_MESSAGE]}
