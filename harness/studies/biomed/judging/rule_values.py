"""How one fact of a gold answer fares in a response: said, near, missing, denied, or something else said in its place.

By the fact's kind and slot. It must never know the rubric.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from harness.studies.biomed.facts import INTEGER, NAME, NAMES, NUMBER, VERDICT, Fact
from harness.studies.biomed.judging.rule_alleles import allele
from harness.studies.biomed.judging.rule_integers import approval, chromosome, count, phase, position, year
from harness.studies.biomed.judging.rule_measures import frequency, measured
from harness.studies.biomed.judging.rule_names import names_fare
from harness.studies.biomed.judging.rule_reading import ReadResponse
from harness.studies.biomed.judging.rule_slots import slot_of
from harness.studies.biomed.judging.rule_status import ABSENT, DENIED, MIXED, NEAR, RIGHT, WRONG, Fared
from harness.studies.biomed.reading.decimals import of_number, same_number
from harness.studies.biomed.reading.verdicts import BOTH, NO, YES, denies_all

_NOTHING = re.compile(r"^\W*(?:there (?:is|are|were) (?:\w+ )?no\b|no\b|none\b|neither\b)")


def fares(one: Fact, response: ReadResponse, all_facts: Sequence[Fact]) -> Fared:
    """Say how a fact fares in a response; `all_facts` of the answer tell what else is right there."""
    if one["kind"] == VERDICT:
        return _verdict(one, response)
    if one["kind"] in (NAME, NAMES):
        if one["slot"] == "status":
            return _status(one, response)
        if one["slot"] in ("risk allele", "effect allele", "allele"):
            return allele(one, response)
        if one["slot"] != "chromosome":
            return names_fare(one, response, all_facts)
    if one["kind"] not in (INTEGER, NUMBER, NAME):
        return Fared(one, ABSENT)
    slot = slot_of(one["slot"])
    return _BY_SLOT.get(slot, _plain_number)(one, response, all_facts)


def _verdict(one: Fact, response: ReadResponse) -> Fared:
    found, right = response.stance, str(one["value"]).lower()
    if found.value == BOTH:
        return Fared(one, MIXED, why="answers both yes and no")
    if not found.value and right == NO and any(_NOTHING.match(each.text.lower()) for each in response.text.sentences):
        return Fared(one, RIGHT)
    if not found.value:
        return Fared(one, ABSENT, why="neither yes nor no")
    if found.value != right:
        return Fared(one, WRONG, why=f"{found.value} for {right}")
    return Fared(one, NEAR if found.hedged else RIGHT, why="with a hedge" if found.hedged else "")


def _status(one: Fact, response: ReadResponse) -> Fared:
    """Say how a drug's status fares, by what is said of its approval: approved, withdrawn, or neither."""
    found = approval(response)
    value = str(one["value"]).lower()
    if denies_all(response.text):
        return Fared(one, DENIED)
    withdrawn = bool(
        re.search(r"\bwithdr[ae]wn?\b|\bdiscontinued\b|no longer (?:approved|marketed|available)", response.text.lower)
    )
    if "withdrawn" in value:
        return Fared(one, RIGHT if withdrawn else WRONG if found == YES else ABSENT)
    if not found:
        return Fared(one, WRONG if withdrawn and value == "approved" else ABSENT)
    right = YES if value.startswith("approved") or value == "fda-approved" else NO
    return Fared(one, RIGHT if found == right and not (withdrawn and right == YES) else WRONG, why=f"status: {value}")


def _plain_number(one: Fact, response: ReadResponse, facts: Sequence[Fact]) -> Fared:
    right = of_number(one["value"])
    said = [each for each in response.mentions if right and each.number and same_number(each.number, right)]
    if not said:
        return Fared(one, ABSENT)
    return Fared(one, DENIED if all(response.denied(each.start) for each in said) else RIGHT)


_BY_SLOT: Mapping[str, Callable[[Fact, ReadResponse, Sequence[Fact]], Fared]] = {
    "chromosome": chromosome, "phase": phase, "year": year, "position": position, "frequency": frequency,
    "p": measured, "heidi": measured, "b": measured, "count": count,
}  # fmt: skip
