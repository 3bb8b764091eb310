"""The published prompts: files pinned by digest, into which a record's document is inserted.

None of their texts is kept in this project; the manifest says where to fetch them. Sees no ground truths or answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import sha256
from harness.errors import InputError
from harness.models.media import image_reference, image_row
from harness.rowtypes import Prompt
from harness.studies.curie.data.records import TaskRecord, item_id
from harness.studies.curie.tasks import JUDGE_PROMPTS, PROMPT_SHA256, TASKS

PLACEHOLDER = "{{text}}"
LARGEST = 1 << 20  # bytes of a prompt file; the longest published one has 90 thousand
TEMPLATE = 1  # the number of a task's only wording
PAPER_FIRST = "paper-first"
# Other wordings than the one that the published evaluation uses: of a task, by name, the file and its SHA-256.
WORDINGS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "dft-c": {
        "two-shot": ("write_code_for_paper_2_shot", "eff95e17bf566d08aa09875694d6a021aec6ae156244250af28faf6c54973079"),
    },
    "mpv": {
        "zero-shot": (
            "mat_paper_to_property_0_shot",
            "afad2ab7eab2fb0494b1defa3189d05ec72655b5aa8cc14271dad5967c92c875",
        ),
        "two-shot": (
            "mat_paper_to_property_2_shot",
            "a4ae08e30f2045a6256f1de8d6d5c406abec63d28b2698d5fd3b326a83e9ac4b",
        ),
    },
    "pdb": {PAPER_FIRST: (TASKS["pdb"].prompt, PROMPT_SHA256[TASKS["pdb"].prompt])},
}


def choose_wording(task: str, given: Any) -> str:
    """Check that a dataset's parameter `wording` names a published prompt of the task, and return it."""
    known = WORDINGS.get(task, {})
    if not isinstance(given, str) or given not in known:
        raise InputError(
            f"{task} has no other wording of this name",
            where="wording",
            next=f"write one of {', '.join(known)}, or leave it out" if known else "leave it out",
        )
    return given


def read_template(task: str, files: Mapping[str, Path], wording: str = "") -> str:
    """Return the published prompt of a task from the files of a folder, whichever subfolder it is in.

    `wording` names another one than the published evaluation uses. Raises InputError if the file is missing or present
    twice, if its bytes differ from the published ones, or if it does not have exactly one placeholder.
    """
    if not wording:
        path, data = _file(TASKS[task].prompt, files)
        return checked_template(task, data, path)
    prompt, digest = WORDINGS[task][wording]
    path, data = _file(prompt, files)
    template = one_place(_published(prompt, data, path, digest), path)
    return paper_first(template) if wording == PAPER_FIRST else template


def paper_first(template: str) -> str:
    """Return the PDB task's prompt in the order used for LongLLaMA: first the structure, then the instruction.

    The notebook's own instruction is not known to us beyond its end. OURS: the published one without the line that
    announces the structure.
    """
    told = template.partition(PLACEHOLDER)[0].strip().rpartition("\n")[0].strip()
    return f"PROTEIN TERTIARY STRUCTURE: {PLACEHOLDER}{told}\nAMINO ACID SEQUENCE:"


def read_judge_template(task: str, files: Mapping[str, Path]) -> str:
    """Return the published prompt of LLMSim's judge for a task; empty if its file is not among `files`.

    Raises InputError if the file is present twice or its bytes differ from the published ones.
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
    """Return the text of a prompt file; raise InputError unless its digest is the published one.

    Raises InputError with both digests for another file, and if the text does not have exactly one placeholder.
    """
    return one_place(_published(TASKS[task].prompt, data, where), where)


def _published(prompt: str, data: bytes, where: str, digest: str = "") -> str:
    wanted, found = digest or PROMPT_SHA256[prompt], sha256(data)
    if found != wanted:
        raise InputError(
            f"this is not the published {prompt}.txt: its SHA-256 is {found}, and {wanted} is wanted",
            where=where,
            next="fetch the file from google/curie at the commit that harness/studies/curie/tasks.py names",
        )
    return data.decode("utf-8")


def one_place(template: str, where: str) -> str:
    """Return a template that has exactly one placeholder; otherwise raises InputError."""
    if (times := template.count(PLACEHOLDER)) != 1:
        raise InputError(
            f"this prompt has {times} places {PLACEHOLDER}", where=where, next="give one that has exactly one"
        )
    return template


def assemble(template: str, text: str) -> str:
    """Insert a document into a published prompt template, stripped of surrounding white space."""
    return template.strip().replace(PLACEHOLDER, text)


def write_rendered(task: str, records: Iterable[TaskRecord], template: str, out: Path, wording: str = "") -> None:
    """Write the output `rendered`: the published prompt of each record, in the order of the items."""
    ordered = sorted(records, key=lambda one: one.id)
    rows.write(out / "rendered", (_prompt(task, one, template, wording) for one in ordered))


def _prompt(task: str, record: TaskRecord, template: str, wording: str) -> Prompt:
    text = assemble(template, record.text)
    digest = WORDINGS[task][wording][1] if wording else PROMPT_SHA256[TASKS[task].prompt]
    digests = {"template_sha256": digest, "text_sha256": sha256(text.encode())}
    prompt: Prompt = {"item": item_id(task, record.id), "template": TEMPLATE, "text": text, "meta": digests}
    if record.images:
        prompt["attachments"] = [image_reference(image_row(data)) for data in record.images]
    return prompt
