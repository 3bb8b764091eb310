"""Write questions as rows: items, gold, prompts and counts, in one format for every source of questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import sha256
from harness.rowtypes import Gold, Item, Prompt
from harness.studies.biomed.facts import Fact

TASK = "biomed"
RENDERED = "rendered"  # the output with the prompts, which every maker of this study has
TEMPLATE = 1  # the number of the only wording, the bare question
MESSAGES = "messages"  # a system turn, and the question as the user turn
# As the published code asks local models: one text, nothing between system prompt and question, no chat template.
# Its length limit also counted the prompt. We do not imitate that: `max_tokens` of a manifest bounds the answer alone.
JOINED = "joined"


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """One question with its answer and labels, from a template of ours or from a published file."""

    id: str
    question: str
    answer: str
    template: str  # T01 to T40, or what a published file calls it
    biological: tuple[str, ...]
    reasoning: tuple[str, ...]
    source: str = ""  # ids of rows in the source tables
    yes_no: bool | None = None  # whether it is answered with yes or no; None if unknown
    yes: bool | None = None  # whether the answer is yes
    facts: tuple[Fact, ...] | None = None  # None unless a template of ours made them


def write(
    questions: Sequence[BenchmarkQuestion],
    out: Path,
    *,
    system: str,
    turns: str = MESSAGES,
    counts: Mapping[str, Any] | None = None,
) -> None:
    """Write questions as a dataset, in the given order: `items`, `gold`, `rendered` (prompts) and `counts`.

    `counts` holds further counts to store. Each prompt has two messages, or one text if `turns` is JOINED. Ids must
    differ; this function does not check them.
    """
    rows.write(out / "items", map(_item, questions))
    rows.write(out / "gold", map(_gold, questions))
    rows.write(out / RENDERED, _prompts(questions, system, turns))
    rows.write_one(out / "counts", {TASK: {"absent": 0, **(counts or {}), "kept": len(questions)}})


def _item(one: BenchmarkQuestion) -> Item:
    meta = {
        "template": one.template,
        "biological": list(one.biological),
        "reasoning": list(one.reasoning),
        "yes_no": one.yes_no,
    }
    return {"id": one.id, "task": TASK, "input": {"question": one.question}, "difficulty": None, "meta": meta}


def _gold(one: BenchmarkQuestion) -> Gold:
    gold: dict[str, Any] = {"target": one.answer, "source": one.source, "yes": one.yes}
    if one.facts is not None:
        gold["facts"] = list(one.facts)
    return {"id": one.id, "gold": gold}


def _prompts(questions: Sequence[BenchmarkQuestion], system: str, turns: str) -> Iterator[Prompt]:
    of_system = sha256(system.encode())
    for one in questions:
        text = system + one.question
        meta = {"template_sha256": of_system, "text_sha256": sha256(text.encode())}
        prompt: Prompt = {"item": one.id, "template": TEMPLATE, "meta": meta}
        if turns == JOINED:
            prompt["text"] = text
        else:
            said = (("system", system), ("user", one.question))
            prompt["messages"] = [{"role": role, "content": content} for role, content in said]
        yield prompt
