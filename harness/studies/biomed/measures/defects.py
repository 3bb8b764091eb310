"""The document `defects`: RQR with and without published questions whose gold answer is false in reality (OURS).

The list is its makers' judgement, based on labels as they know them; no physician and no regulator has judged it. The
gold answers stay those of the database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.kit import csv_rows
from harness.rowtypes import Item
from harness.studies.biomed.measures.rates import RQR, UNDEFINED
from harness.studies.biomed.measures.run_answers import RunAnswers, read
from harness.studies.biomed.measures.states import CountedAnswer, tally
from harness.studies.biomed.terms import VERSION

COLUMNS = ("uuid", "drug", "disease", "kind", "why", "certainty", "version")
KINDS = ("false_not_approved", "false_approved", "year_of_other_indication")
CERTAINTIES = ("sure", "likely", "doubtful")
LEFT_OUT = CERTAINTIES[:2]  # doubtful ones are listed, and stay in both numbers
TEMPLATES = ("T05", "Q5")  # our name of the template of the list, and its name in the published file
ADVICE = "take the table `biomed/defects@1` as it is"
ABOUT = {
    "list": "the makers' judgement of published golds that are false in the world; no physician has looked at it",
    "without": "RQR without the answers to questions that are listed as sure or likely",
    "match": "a question is listed where its id is, and drug and disease stand in its text",
}


@dataclass(frozen=True)
class DefectiveGold:
    """One published question whose gold answer is held to be false: how, why, and how certain its makers are."""

    uuid: str
    drug: str
    disease: str
    kind: str
    why: str
    certainty: str
    version: str

    def is_of(self, row: Item) -> bool:
        """Whether an item is this published question, by its id and by the drug and disease in its text."""
        text = str(row["input"].get("question", "")).casefold()
        return row["id"] == self.uuid and self.drug.casefold() in text and self.disease.casefold() in text


def read_defects(path: Path) -> list[DefectiveGold]:
    """Read the list of published questions whose gold answer is held to be false.

    Raise InputError for a row that lacks a cell, a repeated question, and an unknown kind or certainty.
    """
    found: dict[str, DefectiveGold] = {}
    for number, row in csv_rows.read(path, _place, ADVICE, columns=COLUMNS):
        if not all(row.get(name) for name in COLUMNS):
            raise InputError("a row lacks a cell", where=_place(number), next=ADVICE)
        one = DefectiveGold(**{name: row[name] for name in COLUMNS})
        if one.kind not in KINDS or one.certainty not in CERTAINTIES:
            raise InputError("an unknown kind or certainty", where=_place(number), next=ADVICE)
        if one.uuid in found:
            raise InputError("a question stands twice", where=_place(number), next=ADVICE)
        found[one.uuid] = one
    return list(found.values())


def _place(number: int) -> str:
    return f"biomed/defects row {number}"


def defects(found: RunAnswers, items: Sequence[Item], listed: Sequence[DefectiveGold]) -> dict[str, Any]:
    """Return the questions with false gold answers in this run, and the quality rate (RQR) with and without them."""
    known = {one.uuid: one for one in listed}
    met = {row["id"]: known[row["id"]] for row in items if row["id"] in known and known[row["id"]].is_of(row)}
    out = frozenset(item for item, one in met.items() if one.certainty in LEFT_OUT)
    return {
        "mode": found.mode,
        "version": VERSION,
        "about": ABOUT,
        "list_version": sorted({one.version for one in listed}),
        "n_listed": len(listed),
        "n_here": len(met),
        "n_left_out": len(out),
        "kinds": _counted(listed),
        "listed": [
            {"uuid": one.uuid, "kind": one.kind, "why": one.why, "certainty": one.certainty, "here": one.uuid in met}
            for one in listed
        ],
        "graders": {
            grader: {model: _both(found, found.of(grader, model), out) for model in found.models}
            for grader in found.graders
        },
    }


def _counted(listed: Sequence[DefectiveGold]) -> dict[str, dict[str, int]]:
    counts = Counter((one.kind, one.certainty) for one in listed)
    return {kind: {certainty: counts[kind, certainty] for certainty in CERTAINTIES} for kind in KINDS}


def _both(found: RunAnswers, answers: Sequence[CountedAnswer], out: frozenset[str]) -> dict[str, Any]:
    of_template = [answer for answer in answers if found.items[answer.item].template in TEMPLATES]
    return {
        name: {"with": _rqr(found, part), "without": _rqr(found, [each for each in part if each.item not in out])}
        for name, part in (("all", answers), ("template", of_template))
    }


def _rqr(found: RunAnswers, answers: Sequence[CountedAnswer]) -> dict[str, Any]:
    own = tally(answers, whole=found.whole)
    return {"value": own.good / own.n if own.n else {"missing": UNDEFINED[RQR]}, "k": own.good, "n": own.n}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `defects`, how false gold answers change rates, from `items`, `gold`, `scores` and `defects`.

    Raise InputError for a malformed list, and as `run_answers.read` does.
    """
    items: list[Item] = list(rows.read(inputs["items"], Item))
    found = defects(read(params, inputs), items, read_defects(inputs["defects"]))
    rows.write_one(out / "defects", found)
