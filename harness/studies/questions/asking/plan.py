"""How the questions of a file are asked: the wordings of a brief, checked, and the step that fills them in.

Names and parameters only; it does not know an item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.kit.ask import SHOTS, Rendering
from harness.kit.study import Brief, Dataset
from harness.steps import Ref, Source, maker
from harness.studies.questions.asking.wordings import Known, wordings

RENDER = "harness.studies.questions.asking.rendering:render"
OWN = "file"  # under which a brief has a file of wordings
SHOWN = ("input", "options", "group", "show", "id", "target", "accepted", "tests")  # fields that rendering reads


def require(brief: Brief, dataset: Dataset) -> None:
    """Check what the wordings of a brief name against the columns of a dataset; the place is the manifest's.

    InputError for a wording that names what is no column, or what would tell an answer.
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
    """Return how many wordings there are, and the step that fills them in; none where a brief asks nothing in words."""
    if not brief.prompts:
        return 0, None
    fields = {name: columns for name, columns in dataset.params["fields"].items() if name in SHOWN}
    params: dict[str, Any] = {"fields": fields}
    inputs: dict[str, Source] = {}
    count = _count(brief, params, inputs)
    if shots := dataset.params.get(SHOTS):
        params[SHOTS] = shots["count"]
        inputs[SHOTS] = Ref(maker(dataset.name), SHOTS)
    return count, Rendering(RENDER, params, inputs)


def _count(brief: Brief, params: dict[str, Any], inputs: dict[str, Source]) -> int:
    """Say to the step where its wordings stand: in its parameters, or in a file that the lock pins."""
    if OWN in brief.templates:
        inputs["templates"] = brief.templates[OWN].pinned
        return brief.templates[OWN].count
    said: Sequence[Mapping[str, Any]] = brief.wordings
    params["wordings"] = [dict(one) for one in said]
    return len(said)
