"""What the makers of published records share: read records, and write items, gold, prompts and counts.

Independent of how the files are stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.kit.file_set import Files, file_set
from harness.studies.curie.data.file_texts import LARGEST
from harness.studies.curie.data.prompt_files import read_judge_template, read_template, write_rendered
from harness.studies.curie.data.published import PublishedFiles, read_records
from harness.studies.curie.data.records import TaskRecord, write
from harness.studies.curie.data.shown import SHOWN, show_alone
from harness.studies.curie.tasks import JUDGE_PROMPTS

PROMPTS, UNUSABLE, WORDING = "prompts", "unusable", "wording"
JUDGE_TEMPLATE = "judge_template"  # the output with the published wording of LLMSim's judge, for LLMSim tasks


def write_published(
    params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, files: PublishedFiles, source: Mapping[str, Any]
) -> None:
    """Write the task that `params` name as a dataset, from published files; `source` is added to its counts.

    Raises InputError as `read_records` and `read_template` do.
    """
    records, counts = read_records(params["task"], files, params.get(UNUSABLE, ""))
    write_task(params, inputs, out, records, {**counts, **source})


def write_task(
    params: Mapping[str, Any],
    inputs: Mapping[str, Path],
    out: Path,
    records: Sequence[TaskRecord],
    counts: Mapping[str, Any],
) -> None:
    """Write a task's records as a dataset, with counts and, if the published prompts are given, `rendered`."""
    task, files = params["task"], file_set(params, inputs, PROMPTS) if PROMPTS in params else None
    if shown := params.get(SHOWN):
        records = show_alone(records, shown)
        counts = {**counts, SHOWN: shown}
    if files is None:
        write(task, records, out, counts=counts)
        return
    other = params.get(WORDING, "")
    template = read_template(task, files, other)
    counts = {**counts, WORDING: other} if other else counts
    if task in JUDGE_PROMPTS:
        wording = read_judge_template(task, files)
        rows.write_one(out / JUDGE_TEMPLATE, wording)
        counts = {**counts, "judge_wording": "published" if wording else "ours"}
    write(task, records, out, counts=counts)
    write_rendered(task, records, template, out, other)


def opened_folder(files: Files) -> PublishedFiles:
    """Return a published folder's files; reading one of more than LARGEST bytes raises InputError."""

    def read(path: str) -> bytes:
        with open(files[path], "rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise InputError(f"a file of more than {LARGEST} bytes", where=path, next="restore the published file")
        return data

    return PublishedFiles(tuple(files), read, files.absent)
