"""The facts of an answer as plain values: the kind of each fact, what it belongs to, and its value.

Templates write the facts of their answers; the rule grader reads facts from texts.
"""

from __future__ import annotations

from typing import Any, Final, NotRequired, TypedDict

# Kinds of facts, by how their values are compared.
VERDICT: Final = "verdict"  # "yes" or "no": the answer to a yes/no question
NAME: Final = "name"  # of a gene, drug, disease, SNP, allele, tissue: a text, with other names that mean the same
NAMES: Final = "names"  # a set of names; with `of_all` if the answer shows only the first of them
NUMBER: Final = "number"  # a decimal as the answer prints it; compared after rounding to the coarser side
INTEGER: Final = "integer"  # a count, year, position, chromosome or phase: compared exactly


class Fact(TypedDict):
    """One statement of an answer that is checked: a slot (what is stated, such as a gene) and its value."""

    slot: str  # what the value says: verdict, frequency, other frequency, position, chromosome, phase, year, p, gene …
    of: str  # what the slot belongs to: an allele, a build, a drug, a study, an SNP; empty if nothing
    kind: str  # VERDICT, NAME, NAMES, NUMBER or INTEGER
    value: Any  # a text; of NAMES a list of texts; of NUMBER the text as printed; of INTEGER a whole number
    asked: bool  # whether the question asks for it; otherwise the answer only adds it
    names: NotRequired[dict[str, list[str]]]  # other names by name
    of_all: NotRequired[int]  # how many names there are, if NAMES holds only the first ones


def fact(slot: str, kind: str, value: Any, *, of: str = "", asked: bool = True) -> Fact:
    """Return a fact that a question asks for, or with `asked=False` a fact that its answer only adds."""
    return {"slot": slot, "of": of, "kind": kind, "value": value, "asked": asked}
