"""The status in a response of an allele's frequency, or of an SNP's p-value, HEIDI or effect."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from math import exp

from harness.studies.biomed.facts import INTEGER, NAME, NAMES, NUMBER, Fact
from harness.studies.biomed.judging.rule_reading import ReadResponse
from harness.studies.biomed.judging.rule_slots import of_slot, slot_of
from harness.studies.biomed.judging.rule_status import ABSENT, DENIED, MIXED, NEAR, RIGHT, WRONG, Fared
from harness.studies.biomed.reading.binding import MAJOR, MINOR
from harness.studies.biomed.reading.decimals import Printed, of_number, printed, same_number
from harness.studies.biomed.reading.mentions import Mention

_THRESHOLDS = {Decimal(text) for text in ("5e-8", "0.05", "1e-5", "0.01", "2.95e-6", "1e-6", "0.001", "5e-6")}
_ANY = re.compile(
    r"\b(?:for|than|like|as|of) (?:an?|any|most|many|common|rare) (?:[\w-]+ ){0,2}?(?:variants?|snps?"
    r"|alleles?)\b[^.;:\n]{0,40}$"
    r"|\b(?:common|rare|low-frequency) (?:means|is|are)\b[^.;:\n]{0,40}$|\b(?:called (?:common|rare)"
    r"|defined as)\b[^.;:\n]{0,40}$"
)
_SIGNIFICANT = (Decimal("5e-8"), Decimal("2.95e-6"))
_TO = re.compile(r"\s?(?:and|to|-)\s?[\d.]+")
_FROM = re.compile(r"\b(?:between|from)\s[\d.]+\s?%?\s(?:and|to)\s$|\d\s?%?\s?-\s?$")
_UNKNOWN = (
    r"(?:\bn/?a\b|\bn\.a\.|\bnone\b|\bunknown\b|\bmissing\b"
    r"|\b(?:not|isn't|wasn't) (?:\w+ )?(?:given|known|available|reported"
    r"|listed|stated|provided|found|recorded|sure)\b|\?|:\s?-\s*(?:$|\n))"
)
_ROLES = {
    MINOR: r"(?:(?<!non-)(?<!non )effect|minor|alternat\w+|risk|alt)",
    MAJOR: r"(?:non-?\s?effect|other|reference|major|ref)",
}


def frequency(one: Fact, response: ReadResponse, facts: Sequence[Fact]) -> Fared:
    """Return the status of a frequency, which belongs to its allele's letter or role."""
    said, denied = of_slot(response, "frequency")
    right = of_number(one["value"])
    both = [each for each in facts if slot_of(each["slot"]) == "frequency"]
    if right is None:
        return Fared(one, ABSENT)
    own = one["of"].upper() if re.fullmatch(r"[ACGTDI]+", one["of"].upper()) else ""
    alleles = {each["of"].upper() for each in both}
    role = MAJOR if "other" in one["slot"] else MINOR
    hit = near = wrong = False
    for each in said:
        if each.number is None or each.bound or _ranged(each, response) or _of_any(each, response):
            continue
        same = same_number(each.number, right)
        if each.of == own or (not own and each.of in ("", role)):
            hit, wrong = hit or same, wrong or not same
        elif each.of == role:
            near, wrong = near or same, wrong or not same
        elif each.of == "":
            known = any((value := of_number(other["value"])) and same_number(each.number, value) for other in both)
            near, wrong = near or same, wrong or not known
        elif each.of not in alleles and each.of not in (MINOR, MAJOR):
            wrong = True
    if near and not hit and own:
        hit = bool(re.search(rf"{_ROLES[role]}\s+allele\W{{1,6}}{own}\b", response.text.text, re.IGNORECASE))
    if hit or near:
        return Fared(one, MIXED if wrong else RIGHT if hit else NEAR, why="" if hit else "without its allele")
    if any(each.number and same_number(each.number, right) for each in denied):
        return Fared(one, DENIED)
    paired = any(
        each.number and each.of and not _ranged(each, response) and same_number(each.number, value)
        for each in said
        for other in both
        if other is not one and (value := of_number(other["value"])) is not None
    )
    if not wrong and paired and not _left_out(role, response):
        return Fared(one, NEAR, why="as what the other allele leaves")
    return Fared(one, WRONG if wrong else ABSENT, why="another frequency" if wrong else "")


def measured(one: Fact, response: ReadResponse, facts: Sequence[Fact]) -> Fared:  # noqa: PLR0911 (one return a case)
    """Return the status of an SNP's p-value, HEIDI or effect; a bound that agrees with the value says nothing."""
    slot, right = slot_of(one["slot"]), of_number(one["value"])
    said, denied = of_slot(response, slot)
    if right is None:
        return Fared(one, ABSENT)
    called = re.match(r"rs\d+", one["of"].lower())
    snp = called[0] if called else ""
    fitting = [each for each in said if not (snp and each.of and each.of != snp) and each.number is not None]
    if not snp and slot != "b":
        fitting = [each for each in fitting if not each.of or response.asked.says(each.of) or _has(facts, each.of)]
    plain = [each for each in fitting if not each.bound and not _threshold(each, response)]
    bounds = [each for each in fitting if each.bound]

    def is_same(each: Mention) -> bool:
        return each.number is not None and same_number(each.number, right)

    if any(is_same(each) for each in fitting if not each.bound):
        rest = [each for each in plain if not is_same(each) and not _of_other(each, one, facts)]
        turned = slot == "b" and any(_opposite(each, right) for each in rest)
        return Fared(one, MIXED if turned or len(rest) > 1 or (rest and not snp and not rest[0].of) else RIGHT)
    if any(is_same(each) for each in denied):
        return Fared(one, DENIED)
    if slot == "b" and _by_odds(response, right):
        return Fared(one, NEAR, why="as an odds ratio")
    if any(not _holds(each, right.value) for each in bounds):
        return Fared(one, WRONG, extra=1.0, why="a bound that does not hold")
    rivals = [each for each in plain if not _of_other(each, one, facts)]
    if rivals and all(each.number and _slightly(each.number.value, right.value) for each in rivals):
        return Fared(one, NEAR, why=f"{rivals[0].text} for {one['value']}")
    if not rivals:
        return Fared(one, ABSENT)
    far = slot == "p" and all(each.number is not None and _apart(each.number.value, right.value) for each in rivals)
    return Fared(one, WRONG, extra=float(far), why=f"{rivals[0].text} for {one['value']}")


def _apart(said: Decimal, value: Decimal) -> bool:
    """Whether one of two p-values is significant and the other one is not, genome-wide and by SMR."""
    return all((said < least) != (value < least) for least in _SIGNIFICANT)


def _opposite(each: Mention, right: Printed) -> bool:
    """Whether a number is the right one with the other sign."""
    return each.number is not None and same_number(Printed(-each.number.value, each.number.place), right)


def _left_out(role: str, response: ReadResponse) -> bool:
    """Whether a response says that it has no frequency of an allele, or breaks off where it begins to name it."""
    lower = response.text.lower
    if re.search(rf"\b{_ROLES[role]}\b[^\d\n]{{0,40}}?{_UNKNOWN}", lower):
        return True
    last = lower[response.text.starts[-1] :] if response.text.starts else ""
    broken = bool(re.search(r"[\w,]$", last)) and not re.match(r"\W*-\s|[^a-z]*$", last)
    return broken and bool(re.search(rf"\b{_ROLES[role]}\b[^\d\n]{{0,30}}$", last))


def _of_any(each: Mention, response: ReadResponse) -> bool:
    """Whether a number is said of variants in general: "for a variant at 30 or 40 %"."""
    return bool(_ANY.search(response.text.lower[max(0, each.start - 60) : each.start]))


def _ranged(each: Mention, response: ReadResponse) -> bool:
    """Whether a number is one end of a range, which states no value."""
    lower = response.text.lower
    before, behind = lower[max(0, each.start - 30) : each.start], lower[each.end : each.end + 20]
    return bool(_FROM.search(before) or (re.search(r"\b(?:between|from)\s$", before) and _TO.match(behind)))


def _slightly(said: Decimal, value: Decimal) -> bool:
    """Whether a number is off by a twentieth at most, for example because digits are exchanged."""
    return value != 0 and abs(said - value) <= abs(value) / 20


def _has(facts: Sequence[Fact], name: str) -> bool:
    return any(
        name.lower() in [str(value).lower() for value in (one["value"] if one["kind"] == NAMES else [one["value"]])]
        for one in facts
        if one["kind"] in (NAME, NAMES)
    )


def _threshold(each: Mention, response: ReadResponse) -> bool:
    value = each.number.value if each.number else Decimal(0)
    return value in _THRESHOLDS and bool(
        re.search(
            r"threshold|cut-?off|genome-wide significan|significance level|"
            r"less than|greater than|below|above|conventional",
            response.text.lower[max(0, each.start - 90) : each.end + 60],
        )
    )


def _holds(each: Mention, value: Decimal) -> bool:
    number = each.number.value if each.number else value
    return value <= number if each.bound == "<" else value >= number


def _of_other(each: Mention, one: Fact, facts: Sequence[Fact]) -> bool:
    """Whether a number is the value of another fact of the answer in the same slot."""
    return any(
        other is not one
        and slot_of(other["slot"]) == slot_of(one["slot"])
        and (value := of_number(other["value"]))
        and each.number
        and same_number(each.number, value)
        for other in facts
        if other["kind"] in (NUMBER, INTEGER)
    )


def _by_odds(response: ReadResponse, right: Printed) -> bool:
    said, _ = of_slot(response, "odds")
    odds = printed(f"{exp(max(min(float(right.value), 20.0), -20.0)):.6f}")
    return any(each.number and odds and same_number(each.number, odds) for each in said)
