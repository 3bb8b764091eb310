"""The makers of the science benchmark: OpenBookQA, GPQA, and two sets of our own (docs/reliability-rules.md#science).

Independent of prompts, models and scoring.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows, seeds
from harness.digest import sha256
from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.studies.reliability.data.budget import token_budget
from harness.studies.reliability.data.difficulty import calibrated, percentages
from harness.studies.reliability.data.ids import ids
from harness.studies.reliability.data.questions import LETTERS, MultipleChoice, gpqa, openbookqa
from harness.studies.reliability.data.science_demo import QUESTIONS
from harness.studies.reliability.data.science_own import QUESTIONS as OWN_QUESTIONS

TASK = "science"
GENERATOR_VERSION = "1"
LONGEST_REMOVED = 2  # from GPQA: two exceed the context window of some models; OURS: the two longest


@dataclass(frozen=True, slots=True)
class Subset:
    """One subset of the science benchmark: its name, source, licence and what else all its items share."""

    name: str
    budget: str
    source: str
    licence: str
    measure: str = "f_hum"
    gated: bool = False
    shuffled: bool = True  # whether options are shuffled, since their order in the source may reveal the right one


_OPENBOOKQA = Subset("obqa", "obqa", "OpenBookQA, additional", "unknown", shuffled=False)
_GPQA = Subset("gpqa", "gpqa", "GPQA, gpqa_extended", "CC-BY-4.0", gated=True)
_DEMO = Subset("demo", "science-demo", "written for this project", "Apache-2.0", measure="judged")
_OWN = Subset("own", "science-demo", "written for this project", "Apache-2.0", measure="judged")


def make_openbookqa(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write items, gold, budgets and counts of `count` OpenBookQA questions, drawn from all given splits.

    Options keep the source's order. Raises InputError if the source is malformed or has too few questions.
    """
    questions = _read(openbookqa, inputs)
    drawn = _drawn(questions, params, params["count"])
    _write(_OPENBOOKQA, drawn, params, {"read": len(questions), "drawn": len(drawn), "removed": 0}, out)


def make_gpqa(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write items, gold, budgets and counts of all GPQA questions except the two longest, with options shuffled.

    The counts list the hashes of the two removed record ids. Raises InputError for a malformed source or too few
    questions.
    """
    questions = _read(gpqa, inputs)
    if len(questions) <= LONGEST_REMOVED:
        raise InputError(
            f"the source holds only {len(questions)} questions, and two are dropped",
            where="questions",
            next="give the whole file",
        )
    by_length = sorted(questions, key=lambda question: (-question.length, question.record))
    left = by_length[LONGEST_REMOVED:]
    removed = [sha256(question.record.encode()) for question in by_length[:LONGEST_REMOVED]]
    counts = {
        "read": len(questions),
        "drawn": len(questions),
        "removed": len(removed),
        "removed_record_sha256": removed,
    }
    _write(_GPQA, _drawn(sorted(left, key=lambda question: question.record), params, len(left)), params, counts, out)


def make_science_demo(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write items, gold, budgets and counts of `count` drawn questions of our own, with options shuffled.

    Their difficulty is our own judgement. Raises InputError if there are fewer questions.
    """
    drawn = _drawn(QUESTIONS, params, params["count"])
    _write(_DEMO, drawn, params, {"read": len(QUESTIONS), "drawn": len(drawn), "removed": 0}, out)


def make_science_own(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write items, gold, budgets and counts of `count` drawn of all questions of our own, those of the demo included.

    Options are shuffled, and the difficulty is our own judgement. Raises InputError if there are fewer questions.
    """
    drawn = _drawn(OWN_QUESTIONS, params, params["count"])
    _write(_OWN, drawn, params, {"read": len(OWN_QUESTIONS), "drawn": len(drawn), "removed": 0}, out)


def order(seed: int, record: str) -> list[int]:
    """Draw the order in which a question's options are shown, from seed and record id, as a list of indices."""
    return seeds.draw_sample(
        seeds.random_stream(seeds.derive_seed(seed, "science.options", record)), range(len(LETTERS)), len(LETTERS)
    )


def _read(read: Callable[[list[Path]], list[MultipleChoice]], inputs: Mapping[str, Path]) -> list[MultipleChoice]:
    return read([part for name in sorted(inputs) if name.startswith("questions") for part in rows.parts(inputs[name])])


def _drawn(questions: Sequence[MultipleChoice], params: Mapping[str, Any], count: int) -> list[MultipleChoice]:
    if not 0 < count <= len(questions):
        raise InputError(
            f"{count} of {len(questions)} questions cannot be drawn",
            where="count",
            next=f"ask for 1 to {len(questions)}",
        )
    return seeds.draw_sample(
        seeds.random_stream(seeds.derive_seed(params["seed"], "science.questions")), questions, count
    )


def _write(
    subset: Subset, drawn: Sequence[MultipleChoice], params: Mapping[str, Any], counts: Mapping[str, Any], out: Path
) -> None:
    failed = [question.failed for question in drawn]
    scale = calibrated(failed, params["calibration"]) if params.get("calibration") else percentages(failed)
    meta = {
        "source": subset.source,
        "licence": subset.licence,
        "gated": subset.gated,
        "difficulty_function": subset.measure,
        **scale.meta(),
        "seed": params["seed"],
        "generator_version": GENERATOR_VERSION,
    }
    items: list[Item] = []
    golds: list[Gold] = []
    for name, question, difficulty in zip(ids(subset.name, len(drawn)), drawn, scale.values, strict=True):
        placed = order(params["seed"], question.record) if subset.shuffled else list(range(len(LETTERS)))
        items.append(
            {
                "id": name,
                "task": TASK,
                "input": {"question": question.text, "subset": subset.name},
                "options": {letter: question.options[place] for letter, place in zip(LETTERS, placed, strict=True)},
                "difficulty": difficulty,
                "meta": {**meta, "record": question.record, "raw_difficulty": {subset.measure: question.failed}},
            }
        )
        # the order is part of the gold: if a source puts the right option first, the order reveals the answer
        gold = {"target": LETTERS[placed.index(question.right)], "accepted": [], "order": placed}
        golds.append({"id": name, "gold": gold})
    budget = token_budget(subset.budget)
    rows.write(out / "items", items)
    rows.write(out / "gold", golds)
    rows.write(out / "budgets", ({"id": item["id"], "max_tokens": budget} for item in items))
    rows.write_one(out / "counts", {subset.name: {**counts, "kept": len(items)}})
