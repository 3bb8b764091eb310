"""The status of one fact of a gold answer in a response: said, near, missing, denied, or replaced by something else.

It depends on the fact's kind and slot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from harness.studies.biomed.facts import INTEGER, NAME, NAMES, NUMBER, VERDICT, Fact
from harness.studies.biomed.judging.rule_alleles import allele
from harness.studies.biomed.judging.rule_either import alternative
from harness.studies.biomed.judging.rule_integers import approval, chromosome, count, phase, position, year
from harness.studies.biomed.judging.rule_measures import frequency, measured
from harness.studies.biomed.judging.rule_names import names_fare
from harness.studies.biomed.judging.rule_reading import ReadResponse
from harness.studies.biomed.judging.rule_slots import others_of, slot_of, whole
from harness.studies.biomed.judging.rule_status import ABSENT, DENIED, MIXED, NEAR, RIGHT, WRONG, Fared
from harness.studies.biomed.reading.decimals import WORDS, of_number, printed, same_number
from harness.studies.biomed.reading.verdicts import BOTH, NO, YES, denies_all

_NOTHING = re.compile(
    r"^\W*(?:(?:0|zero|nil)\b\s?(?:[,.;:(-]|$)|there (?:is|are|were) (?:\w+ )?no\b|no\b|none\b|neither\b"
    r"|(?:the (?:number|count|answer)"
    r" is )?(?:0|zero)\W*$)"
)


def fares(one: Fact, response: ReadResponse, all_facts: Sequence[Fact]) -> Fared:
    """Return the status of a fact in a response; `all_facts` of the answer tell which other values are right."""
    found = _fares(one, response, all_facts)
    if found.status not in (RIGHT, NEAR) or one["kind"] not in (INTEGER, NUMBER, NAME):
        return found
    rival = _offered(one, response, all_facts)
    return Fared(one, MIXED, why=f"or {rival}") if rival else found


def _offered(one: Fact, response: ReadResponse, facts: Sequence[Fact]) -> str:
    """Return the other number that a response offers instead of the right one in the same slot; empty if none."""
    slot = slot_of(one["slot"])
    if slot not in _BY_SLOT:
        return ""
    known = [of_number(each["value"]) for each in facts if slot_of(each["slot"]) == slot]
    texts = {whole(one), *(each.upper() for each in others_of(one, facts))}
    mentions = [each for each in response.mentions if each.slot == slot][:200]
    elsewhere = {each.text for each in mentions if slot == "position" and each.of and each.of not in one["of"]}

    def same(text: str) -> bool:
        number = printed(text.rstrip("% "))
        number = number.percent() if number and text.endswith("%") else number
        alike = number is not None and any(right and same_number(number, right) for right in known)
        return text.replace(",", "").upper() in texts or alike or text in elsewhere or str(WORDS.get(text)) in texts

    right = (each for each in mentions if same(each.text.lower()) and each.text not in elsewhere)
    return next(
        filter(None, (alternative(response.text.lower, each.start, each.end, slot, same) for each in right)), ""
    )


def _fares(one: Fact, response: ReadResponse, all_facts: Sequence[Fact]) -> Fared:
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
    """Return the status of the fact by what the response says of approval: approved, withdrawn, or neither."""
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
    "chromosome": chromosome,
    "phase": phase,
    "year": year,
    "position": position,
    "frequency": frequency,
    "p": measured,
    "heidi": measured,
    "b": measured,
    "count": count,
}
