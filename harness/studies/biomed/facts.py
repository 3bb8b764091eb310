"""The facts of an answer: what kind each is, to what it is bound, and its value, as plain values.

Templates write them beside an answer, and the rule grader reads them out of texts. It must never know either.
"""

from __future__ import annotations

from typing import Any, Final, NotRequired, TypedDict

# Kinds of facts, by how their values are compared.
VERDICT: Final = "verdict"  # "yes" or "no": what a question of yes or no is answered with
NAME: Final = "name"  # of a gene, drug, disease, SNP, allele, tissue: a text, with other names that mean the same
NAMES: Final = "names"  # a set of names; `of_all` where the answer shows only the first of them
NUMBER: Final = "number"  # a decimal as the answer prints it: compared after rounding to the coarser side
INTEGER: Final = "integer"  # a count, year, position, chromosome or phase: compared exactly


class Fact(TypedDict):
    """One statement of an answer: the slot that it fills, and with what."""

    slot: str  # what the value is: verdict, frequency, other frequency, position, chromosome, phase, year, p, gene …
    of: str  # what it is the slot of: an allele, a build, a drug, a study, an SNP; empty where there is nothing to tell
    kind: str  # VERDICT, NAME, NAMES, NUMBER or INTEGER
    value: Any  # a text; of NAMES a list of texts; of NUMBER the text as printed; of INTEGER a whole number
    asked: bool  # whether the question asks for it, or the answer only says it beside
    names: NotRequired[dict[str, list[str]]]  # other names by name
    of_all: NotRequired[int]  # how many there are where NAMES holds the first ones alone


def fact(slot: str, kind: str, value: Any, *, of: str = "", asked: bool = True) -> Fact:
    """Give a fact that a question asks for, or with `asked=False` one that its answer says beside."""
    return {"slot": slot, "of": of, "kind": kind, "value": value, "asked": asked}
