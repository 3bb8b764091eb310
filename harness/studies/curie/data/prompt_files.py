"""The published prompts: a file pinned by digest, and its words around a record's document.

No text of theirs is kept in this project: a manifest fetches them. It must never know a ground truth or an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from harness import rows
from harness.digest import sha256
from harness.errors import InputError
from harness.models.media import attachment, medium
from harness.rowtypes import Prompt
from harness.studies.curie.data.records import TaskRecord, item_id
from harness.studies.curie.tasks import JUDGE_PROMPTS, PROMPT_SHA256, TASKS

PLACEHOLDER = "{{text}}"
LARGEST = 1 << 20  # bytes of a prompt file; the longest that is published has 90 thousand
TEMPLATE = 1  # the number of the one wording that a task has


def read_template(task: str, files: Mapping[str, Path]) -> str:
    """Read the published prompt of a task from a folder's files by path, whatever folder of it they lie in.

    InputError where it is not there, or twice; for the bytes of another file; and unless it has one place for a text.
    """
    path, data = _file(TASKS[task].prompt, files)
    return checked_template(task, data, path)


def read_judge_template(task: str, files: Mapping[str, Path]) -> str:
    """Read the published wording of LLMSim's judge for a task; empty where its file is not among those given.

    InputError where it is there twice, and for the bytes of another file.
    """
    if not any(path.rpartition("/")[2] == f"{JUDGE_PROMPTS[task]}.txt" for path in files):
        return ""
    path, data = _file(JUDGE_PROMPTS[task], files)
    return _published(JUDGE_PROMPTS[task], data, path)


def _file(prompt: str, files: Mapping[str, Path]) -> tuple[str, bytes]:
    name = f"{prompt}.txt"
    found = [path for path in files if path.rpartition("/")[2] == name]
    if len(found) != 1:
        raise InputError(f"{name} is here {len(found)} times", where="prompts", next="give the published file, once")
    with open(files[found[0]], "rb") as file:
        return found[0], file.read(LARGEST + 1)


def checked_template(task: str, data: bytes, where: str) -> str:
    """Give the text of a prompt file whose digest is that of the task's published prompt.

    InputError with both digests for another file, and for one that has not one place for a text.
    """
    return one_place(_published(TASKS[task].prompt, data, where), where)


def _published(prompt: str, data: bytes, where: str) -> str:
    wanted, found = PROMPT_SHA256[prompt], sha256(data)
    if found != wanted:
        raise InputError(
            f"this is not the published {prompt}.txt: its SHA-256 is {found}, and {wanted} is wanted",
            where=where,
            next="fetch the file from google/curie at the commit that harness/studies/curie/tasks.py names",
        )
    return data.decode("utf-8")


def one_place(template: str, where: str) -> str:
    """Give a template back that has one place for a text; InputError for one that has none, or several."""
    if (times := template.count(PLACEHOLDER)) != 1:
        raise InputError(
            f"this prompt has {times} places {PLACEHOLDER}", where=where, next="give one that has exactly one"
        )
    return template


def assemble(template: str, text: str) -> str:
    """Put a document into a published prompt: surrounding white space goes, the place is filled, all else stays."""
    return template.strip().replace(PLACEHOLDER, text)


def write_rendered(task: str, records: Iterable[TaskRecord], template: str, out: Path) -> None:
    """Write the output `rendered`: the published prompt of each record, in the order of the items."""
    rows.write(out / "rendered", (_prompt(task, one, template) for one in sorted(records, key=lambda one: one.id)))


def _prompt(task: str, record: TaskRecord, template: str) -> Prompt:
    text = assemble(template, record.text)
    digests = {"template_sha256": PROMPT_SHA256[TASKS[task].prompt], "text_sha256": sha256(text.encode())}
    prompt: Prompt = {"item": item_id(task, record.id), "template": TEMPLATE, "text": text, "meta": digests}
    if record.images:
        prompt["attachments"] = [attachment(medium(data)) for data in record.images]
    return prompt
