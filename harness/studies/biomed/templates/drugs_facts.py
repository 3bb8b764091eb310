"""Pairs and facts that the templates of drugs share: phases, statuses, lists with their counts.

Slots are named the same in all templates: verdict, phase, year and status. A list has its noun as slot, and `number of`
that noun.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from harness.studies.biomed.facts import INTEGER, NAME, NAMES, NUMBER, VERDICT, Fact, fact
from harness.studies.biomed.templates.drugs_merged import APPROVED, FIRST, IN_TRIALS, NO_TRIAL, WITHDRAWN
from harness.studies.biomed.templates.formats import SHOWN, alphabetical, counted, listed, shown, sources
from harness.studies.biomed.templates.pair import Pair

_OTHER_NAMES: Final = 20  # the most other names that a fact keeps of one name
# Other words for a status, for graders that compare texts.
_STATUS: Final[Mapping[str, tuple[str, ...]]] = {
    APPROVED: ("FDA-approved", "has approval", "marketed"),
    WITHDRAWN: ("approved earlier and since withdrawn", "no longer approved", "withdrawn from the market"),
    IN_TRIALS: ("not approved", "investigational", "unapproved"),
    NO_TRIAL: ("not approved", "no clinical trial recorded", "no trial"),
}


def written(
    template: str, ids: Iterable[str], question: str, answer: str, facts: Iterable[Fact], yes: bool | None = None
) -> Pair:
    """Return a question with its answer, facts and source rows as a pair; `ids` are the source rows."""
    return Pair(template, question, answer, tuple(facts), sources(ids), yes)


def at_most(many: str) -> str:
    """Return the sentence that limits a question's list to ten names, so that it has one right answer."""
    return f" If there are more than ten {many}, give their number and the first ten in alphabetical order."


def verdict(yes: bool) -> Fact:
    """Return the fact that answers a yes/no question."""
    return fact("verdict", VERDICT, "yes" if yes else "no")


def phase_name(phase: float) -> str:
    """Return the name of a phase of trials: `phase 3`, and `early phase 1` for 0.5."""
    if phase == FIRST:
        return "early phase 1"
    return f"phase {int(phase) if phase.is_integer() else phase}"


def phase_fact(phase: float, of: str, *, asked: bool = True) -> Fact:
    """Return the fact of a phase: a whole number, or a decimal if the phase is not whole (0.5)."""
    if phase.is_integer():
        return fact("phase", INTEGER, int(phase), of=of, asked=asked)
    return fact("phase", NUMBER, repr(phase), of=of, asked=asked)


def status_fact(status: str, of: str, *, asked: bool = True) -> Fact:
    """Return the fact of a drug's approval status, with other words for it."""
    return {**fact("status", NAME, status, of=of, asked=asked), "names": {status: list(_STATUS[status])}}


def list_facts(
    slot: str,
    names: Sequence[str],
    of: str,
    others: Mapping[str, Sequence[str]] | None = None,
    *,
    number_asked: bool = False,
) -> list[Fact]:
    """Return the facts of an answer that is a list: the names shown in it, and their number if it is stated.

    The number is printed if there are several names, or if the question asks for it (`number_asked`). If there are more
    names than are shown, the question always asks for it. `others` maps names to their other names. An empty list has
    only its number.
    """
    unique, first = sorted(set(names)), shown(names)
    count = fact(f"number of {slot}", INTEGER, len(unique), of=of, asked=number_asked or len(unique) > SHOWN)
    if not first:
        return [count]
    found: Fact = fact(slot, NAMES, first, of=of)
    known = {name: sorted(set(others[name]))[:_OTHER_NAMES] for name in first if others and others.get(name)}
    if known:
        found["names"] = known
    if len(unique) > len(first):
        found["of_all"] = len(unique)
    return [count, found] if len(unique) > 1 or number_asked else [found]


def names_fact(slot: str, names: Iterable[str], of: str, *, asked: bool = True) -> Fact:
    """Return the fact of an answer's names, all of which it prints."""
    return fact(slot, NAMES, alphabetical(names), of=of, asked=asked)


def enumerated(names: Sequence[str], one: str, many: str = "") -> str:
    """Format a list with its noun: `the gene A`, `2 genes: A and B`; of more than ten names only the first ten."""
    unique, first = set(names), shown(names)
    if len(unique) == 1:
        return f"the {one} {first[0]}"
    total = counted(len(unique), one, many)
    if len(unique) > len(first):
        return f"{total}, the first ten of which in alphabetical order are {listed(first)}"
    return f"{total}: {listed(first)}"


def chosen(row: Mapping[str, Any], drugs: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Return the source row ids, and other names, of some of the drugs that target a gene."""
    wanted = set(drugs)
    triples = [triple for triple in zip(row["drugs"], row["ids"], row["others"], strict=True) if triple[0] in wanted]
    return [identifier for _, ids, _ in triples for identifier in ids], {drug: names for drug, _, names in triples}
