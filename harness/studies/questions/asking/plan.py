"""Plans how the questions of a file are asked: checks the wordings of a brief and adds the step that fills them in.

Handles names and parameters only; reads no items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.kit.ask import SHOTS, Rendering
from harness.kit.study import Brief, Dataset
from harness.steps import Ref, Source, maker_step_name
from harness.studies.questions.asking.wordings import Known, wordings

RENDER = "harness.studies.questions.asking.rendering:render"
OWN = "file"  # under which a brief has a file of wordings
SHOWN = ("input", "options", "group", "show", "id", "target", "accepted", "tests")  # fields that rendering reads


def require(brief: Brief, dataset: Dataset) -> None:
    """Raise InputError if a prompt wording names a column that the dataset lacks, or one that would reveal the answer.

    Raises InputError, with the place in the manifest, for a wording that names an unknown column or one that would
    reveal an answer.
    """
    if not brief.wordings:
        return
    form = next((key for key in ("text", "texts", "turns") if key in brief.prompts), OWN)
    try:
        wordings(brief.wordings, Known.of(dataset.params["fields"]), form)
    except InputError as bad:
        place = bad.where.partition(".")[2]
        where = {"texts": f"prompts.texts.{place}", OWN: f"wording {int(place or 0) + 1}"}.get(form, f"prompts.{form}")
        raise InputError(f"{bad.what} (dataset {dataset.name})", where=where, next=bad.next) from None


def rendering(brief: Brief, dataset: Dataset) -> tuple[int, Rendering | None]:
    """Return the number of prompt wordings and the step that fills them in; None if the brief has no wordings."""
    if not brief.prompts:
        return 0, None
    fields = {name: columns for name, columns in dataset.params["fields"].items() if name in SHOWN}
    params: dict[str, Any] = {"fields": fields}
    inputs: dict[str, Source] = {}
    count = _count(brief, params, inputs)
    if shots := dataset.params.get(SHOTS):
        params[SHOTS] = shots["count"]
        inputs[SHOTS] = Ref(maker_step_name(dataset.name), SHOTS)
    return count, Rendering(RENDER, params, inputs)


def _count(brief: Brief, params: dict[str, Any], inputs: dict[str, Source]) -> int:
    """Add the wordings to the step's parameters, or their pinned file to its inputs; return the number of wordings."""
    if OWN in brief.templates:
        inputs["templates"] = brief.templates[OWN].pinned
        return brief.templates[OWN].count
    said: Sequence[Mapping[str, Any]] = brief.wordings
    params["wordings"] = [dict(one) for one in said]
    return len(said)
