"""The makers of published records: one for each source and task, with and without the published prompts.

Each task has a maker of its own, since two datasets of one maker would give their items equal ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from harness.kit.study import Maker
from harness.studies.curie.data.biogr_repository import REPOSITORY
from harness.studies.curie.data.biogr_repository import TASK as BIOGR
from harness.studies.curie.data.making import JUDGE_TEMPLATE, PROMPTS, UNUSABLE, WORDING
from harness.studies.curie.data.prompt_files import WORDINGS, choose_wording
from harness.studies.curie.data.public_copy import COPY
from harness.studies.curie.data.published import set_aside
from harness.studies.curie.data.records import ILLUSTRATED
from harness.studies.curie.data.shown import SHOWN, choose_shown
from harness.studies.curie.tasks import JUDGE_PROMPTS, TASKS

HERE = "harness.studies.curie.data"
ARCHIVE = "archive"
COPIED = ("dft", "mpve")  # the domains that the public copy has
RENDERED = "rendered"  # the output of the makers that use the published prompts


def _maker(module: str, task: str, data: str, *, prompts: bool) -> Maker:
    """Return the maker of a task.

    It reads `data`, which is one file for the archive and a folder otherwise, and the published prompts if `prompts` is
    set.
    """
    outputs = ("items", "gold", "counts", *(("media",) if task in ILLUSTRATED else ()))
    rendered = (RENDERED, *((JUDGE_TEMPLATE,) if task in JUDGE_PROMPTS else ())) if prompts else ()
    settings: dict[str, Callable[[Any], Any]] = {UNUSABLE: set_aside}
    if task in ILLUSTRATED:
        settings[SHOWN] = choose_shown
    if prompts and task in WORDINGS:
        settings[WORDING] = partial(choose_wording, task)
    folders = (*(() if data == ARCHIVE else (data,)), *((PROMPTS,) if prompts else ()))
    return Maker(
        f"{HERE}.{module}:make",
        {},
        (*outputs, *rendered),
        settings,
        files=(ARCHIVE,) if data == ARCHIVE else (),
        needs=(data, PROMPTS) if prompts else (data,),
        folders=folders,
        whole=(PROMPTS,) if prompts else (),
        ids=task,
        fixed={"task": task},
    )


def _named(source: str, data: str, tasks: tuple[str, ...], module: str = "") -> dict[str, Maker]:
    """Return the makers of a source by name: `curie.SOURCE_TASK`, and `curie.SOURCE_prompts_TASK`."""
    return {
        f"curie.{source}{'_prompts' if prompts else ''}_{task}": _maker(module or source, task, data, prompts=prompts)
        for prompts in (False, True)
        for task in tasks
    }


MAKERS: Mapping[str, Maker] = {
    **_named("archive", ARCHIVE, tuple(TASKS)),
    **_named("public_copy", COPY, tuple(name for name, task in TASKS.items() if task.domain in COPIED)),
    **_named("repository", REPOSITORY, (BIOGR,), "biogr_repository"),
}
