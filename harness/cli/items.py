"""Command line of `show --items`: a page of answers as text. What models and data say is cut, and stays on its line."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from harness.cli.terminal import limited, render

if TYPE_CHECKING:
    from harness.verbs.project import Project
    from harness.verbs.showing import ShowItemsRequest, ShowItemsResult, ShownAnswerData, ShownScore

LONGEST = 400  # letters of a field that are shown; JSON has all
NAME = 9  # letters of a field's name


def show_items(project: Project, asked: ShowItemsRequest, json: bool) -> int:
    """Show one page of a run's answers."""
    from harness.verbs.showing import show_items as verb

    done = verb(project, asked)
    return render(done, _text(done), json)


def _text(done: ShowItemsResult) -> str:
    where = (
        f"{done.manifest}, run {done.run}{limited(done.limit)}: page {done.page} of {done.pages}, {done.total} answers"
    )
    more = [f"next: --page {done.page + 1}"] if done.page < done.pages else []
    where += f"; the run {done.healed_text}" if done.healed else ""
    return "\n\n".join([where, *map(_answer, done.answers), *more])


def _answer(one: ShownAnswerData) -> str:
    lines = [f"{one_line(one.item)} ({one.dataset}), model {one.model}, wording {one.template}, sample {one.sample}"]
    lines += [_field("asked", _said(one.input))]
    lines += [_field("options", _said(one.options))] if one.options else []
    first = {name: one.gold[name] for name in ("target",) if name in one.gold}
    lines += [_field("gold", _said(first | one.gold))] if one.gold else []
    if one.error:
        lines.append(_field("error", one.error))
    elif one.answer is not None:
        lines.append(_field("answer", one.answer))
    return "\n".join([*lines, *(_field(score.scorer, _score(score)) for score in one.scores)])


def _score(score: ShownScore) -> str:
    value = f"{score.value:.4g}" if isinstance(score.value, float) else score.missing or str(score.value)
    parts = [value, *([score.outcome] if score.outcome else [])]
    return ", ".join(parts) + (f"  {jsonlib.dumps(score.detail, ensure_ascii=False)}" if score.detail else "")


def _said(fields: Mapping[str, Any]) -> str:
    """Join fields by their names; one that is empty is left out."""
    told = {name: value for name, value in fields.items() if value not in (None, "", [], {})}
    return ", ".join(
        f"{name}: {value if isinstance(value, str) else jsonlib.dumps(value, ensure_ascii=False)}"
        for name, value in told.items()
    )


def _field(name: str, text: str) -> str:
    return f"  {one_line(name):{NAME}} {one_line(text)}"


def one_line(text: str) -> str:
    """Put a text of data or of a model on one line, cut, so that it passes for nothing else."""
    whole = " ⏎ ".join(text[: LONGEST + 1].splitlines())
    return whole if len(text) <= LONGEST else f"{whole[:LONGEST]}… ({len(text):,} letters)"
