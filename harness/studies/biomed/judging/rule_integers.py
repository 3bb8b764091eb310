"""The status of a chromosome, a phase, a year, a position or a count in a response; each slot holds one value."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from harness.studies.biomed.facts import NAME, NAMES, Fact
from harness.studies.biomed.judging.rule_names import names_fare
from harness.studies.biomed.judging.rule_reading import ReadResponse
from harness.studies.biomed.judging.rule_slots import integers, of_slot, others_of, slot_of, whole
from harness.studies.biomed.judging.rule_status import ABSENT, DENIED, MIXED, NEAR, RIGHT, WRONG, Fared
from harness.studies.biomed.reading.binding import ELSE
from harness.studies.biomed.reading.decimals import Printed, of_number, same_number
from harness.studies.biomed.reading.mentions import Mention
from harness.studies.biomed.reading.questions import APPROVAL
from harness.studies.biomed.reading.verdicts import YES, stance

_NOUNS = (
    "snp",
    "variant",
    "polymorphism",
    "drug",
    "gene",
    "target",
    "name",
    "synonym",
    "mechanism",
    "patent",
    "indication",
    "signal",
    "mutation",
    "allele",
    "loci",
    "therap",
)
_SHOWN = re.compile(
    r"(?:top|first|these|following|more than|fewer than|less than|over|under|at least|up to|at most)\s$"
)
_NO_SUCH = re.compile(r"\b(?:no|neither|none|zero|not (?:have|target|known))\b")
_BY_ITSELF = re.compile(r"\b(?:exactly|precisely|(?:in|a) total(?: of)?|altogether)\W{1,2}\w+(?:\W|$)")
_MANY = re.compile(  # more than one, without a number
    r"\b(?:there are|has|have|targets?|hits?|acts on|finds?|shows?|reports?|lists?|by|on|of) (?:several|multiple"
    r"|many|numerous|various"
    r"|a number of|a few)"
    r" (?:such |significant |known |approved )?(?:snps|variants|drugs|genes|targets|mechanisms|patents|names|signals)\b"
)
_RELEVANT = re.compile(
    r"\b(?:is|are|remains|makes it|therefore|thus|hence|considered)\b (?:\w+ ){0,2}?(?:highly|very|clearly|strongly"
    r"|quite|indeed"
    r"|still|particularly|especially|plainly) (?P<what>relevant|significant|important|implicated|associated)\b"
)
_ABROAD = re.compile(r"\beurope|\beu\b|\bema\b|\buk\b|\bjapan|\bcanad|\bdeveloped in")
_ABROAD_BEHIND = re.compile(r"\s?[(\[,]\s?(?:by |in )?(?:the )?(?:europe\w*|eu|ema|uk|mhra|japan\w*|canad\w+)\b")
_AT_HOME_BEHIND = re.compile(r"\s?[(\[]\s?(?:by |in )?(?:the )?(?:fda|us|u\.s\.?|usa|united states)\b")
_FIRSTLY = re.compile(
    r"\bapprov\w+ (?:it |was )?(?:first|initially) in $|\b(?:first|initially) approved (?:it )?in $"
    r"|\bfirst approval (?:was )?in $"
)
_TRIALS = re.compile(r"\b(?:trial|stud(?:y|ies)|synthes|discover|began|started)(?![^,.;]*approv)[^,.;]{0,40}$")
_REACHED = re.compile(
    r"reach|through|passed|undergone|finish|complet|advanc|up to|maxim|highest|furthest|progress|current|latest"
    r"|most advanced|late-stage|also"
)


_CLAIMED = re.compile(
    r"(?:\bas far as|\bup to|\bhighest (?:clinical |development |trial )?(?:\w+ ){0,9}?(?:is|was|of|:|-)|\bfurthest "
    r"(?:\w+ ){0,5}?(?:is|was|to)|\bmaximum (?:\w+ ){0,5}?(?:is|was|of|:|-))\W{0,4}(?:early )?$"
)
_AHEAD = re.compile(  # for a phase that is planned, or mentioned in general
    r"\b(?:awaiting|pending|decision on|planned|plans?|planning|expected|anticipated|upcoming|next|future|would"
    r"|will|intend\w*|needed|required|"
    r"typically|usually|generally|provides?|designed to|aims? to|not yet (?:begun|started)|has yet to)\b"
)


def chromosome(one: Fact, response: ReadResponse, facts: Sequence[Fact]) -> Fared:
    """Return the status of a chromosome."""
    said, denied = of_slot(response, "chromosome")
    return _exclusive(one, [text.upper() for text in integers(said)], denied, facts)


def phase(one: Fact, response: ReadResponse, facts: Sequence[Fact]) -> Fared:
    """Return the status of a phase. Lower phases may be named besides the highest one; approval is nearly phase 4."""
    said, denied = of_slot(response, "phase")
    said = [each for each in said if not _AHEAD.search(_clause(response, each))] or said
    claimed = [each for each in said if _CLAIMED.search(response.text.lower[max(0, each.start - 60) : each.start])]
    none = {each.text.removesuffix(".0") for each in denied}
    sure = set(claimed)
    said = [each for each in said if each in sure or each.text.removesuffix(".0") not in none]
    values = [text.removesuffix(".0") for text in integers(said)]
    value = whole(one)
    values = [each for each in values if each != "0"] if value == "0.5" else values  # another name of it
    first = integers(claimed[:1])
    if first and first != [value] and not _joined(claimed[0], said, value):
        return _exclusive(one, first, denied, facts)
    if not values and value == "4" and not denied:
        approved = approval(response) == YES
        return Fared(one, NEAR if approved else ABSENT, why="approved, which is phase 4" if approved else "")
    if value in values and 1 < len(values) <= 3 and value == max(values, key=_size):
        joined = " ".join(response.sentence(each.start) for each in said)
        if _REACHED.search(joined) and not re.search(r"phase \w+ or (?:phase )?\w", joined):
            return Fared(one, RIGHT)
    if (
        value in values
        and len(values) == 2
        and any(each.text == value and _in_one(each, said, response) for each in said)
    ):
        return Fared(one, NEAR, extra=0.5, why="a phase that is two in one")
    return _exclusive(one, values, denied, facts)


def year(one: Fact, response: ReadResponse, facts: Sequence[Fact]) -> Fared:
    """Return the status of a year: the first one of its event in the United States counts, later ones may follow."""
    said, denied = of_slot(response, "year")
    of = one["of"] if one["of"] in ("usan", "approval") else ""
    fitting = [each for each in said if not (of and each.of and each.of != of) and not _abroad(each, response)]
    fitting = [each for each in fitting if each.of != ELSE]  # the year of a discovery or a trial is another matter
    value, others = whole(one), others_of(one, facts)
    fitting = [each for each in fitting if each.text == value or not _TRIALS.search(_before(response, each))]
    values = integers(fitting)
    rivals = [each for each in values if each != value and each not in others]
    if value not in values:
        return _exclusive(one, values, denied, facts)
    first = values[0] == value or values[0] in others
    end = next((each.end for each in fitting if each.text == value), 0)
    before = (response.text.lower[max(end, each.start - 60) : each.start] for each in fitting if each.text in rivals)
    if rivals and all(map(_of_fda, fitting, [response] * len(fitting), [value] * len(fitting))):
        return Fared(one, NEAR, why=f"by the FDA, beside {', '.join(rivals[:3])}")
    if rivals and (not first or len(rivals) > 4 or any(map(_FIRSTLY.search, before))):
        return Fared(one, MIXED, why=f"also {', '.join(rivals[:3])}")
    return Fared(one, RIGHT)


def position(one: Fact, response: ReadResponse, facts: Sequence[Fact]) -> Fared:
    """Return the status of a position, in its own genome build if the response names one."""
    said, denied = of_slot(response, "position", "megabases")
    right, build = of_number(one["value"]), _build(one["of"]) or response.asked.build
    if right is None:
        return Fared(one, ABSENT)
    fitting = [each for each in said if not (build and each.of and each.of != build)]
    exact = [each for each in fitting if each.slot == "position"]
    if any(each.number and each.number.value == right.value for each in exact):
        wrong = {each.text for each in exact if each.number and each.number.value != right.value}
        wrong -= {each.text for each in exact if each.text.replace(",", "") in others_of(one, facts)}
        bound = any(each.of == build for each in exact if each.number and each.number.value == right.value)
        swapped = not bound and bool(build) and len(exact) > 1
        return Fared(one, MIXED if wrong and (len(wrong) > 2 or not bound) and swapped else RIGHT)
    mega = Printed(right.value.scaleb(-6), right.place - 6)
    if any(each.slot == "megabases" and each.number and same_number(each.number, mega) for each in fitting):
        return Fared(one, NEAR, why="a rounded position")
    if right.value in {each.number.value for each in denied if each.number}:
        return Fared(one, DENIED)
    rivals = [each for each in fitting if each.text.replace(",", "") not in others_of(one, facts)] or (
        exact if exact and build else []
    )
    return Fared(one, WRONG if rivals else ABSENT, why=f"{rivals[0].text} for {right.value}" if rivals else "")


def count(one: Fact, response: ReadResponse, facts: Sequence[Fact]) -> Fared:  # noqa: PLR0911 (one return a case)
    """Return the status of a count, which a response may state as a number or by as many names."""
    said, denied = of_slot(response, "count")
    values, value = integers(said), whole(one)
    noun = re.findall(r"[a-z]{3,}", one["slot"].lower().removeprefix("number of"))
    nouns = {*_NOUNS} | {
        word.rstrip("s")
        for word in [*noun, *re.findall(r"how many (?:[\w-]+ ){0,2}?([a-z]{3,})", response.asked.lower)]
    } - {"other"}
    known = {value, *others_of(one, facts)}
    rivals = [
        each.text
        for each in said
        if each.text.replace(",", "") not in known
        and (
            any(re.search(rf"\b{noun}", response.text.lower[each.end : each.end + 45].split(".")[0]) for noun in nouns)
            or (one["asked"] and _BY_ITSELF.search(response.text.lower[max(0, each.start - 20) : each.end + 12]))
        )
        and not re.search(_SHOWN, response.text.lower[max(0, each.start - 14) : each.start])
    ]
    if rivals and not one["asked"] and _as_listed(set(rivals), response, facts):
        return Fared(one, ABSENT, why=f"counts the {rivals[0]} that it names")
    genes = response.named("gene") if value == "0" and re.search(r"target|gene", one["slot"]) else []
    if any(not response.denied(place) for _, place in genes):
        return Fared(one, WRONG, why=f"{genes[0][0]}, where there is none")
    if value == "0" and (found := _RELEVANT.search(response.text.lower)) and not response.denied(found.start("what")):
        return Fared(one, MIXED, why="none, and relevant all the same")
    if value in values:
        return Fared(one, MIXED if rivals and len(set(rivals)) > 1 else RIGHT)
    if value in integers(denied):
        return Fared(one, DENIED)
    if one["asked"] and value in ("0", "1") and _MANY.search(response.text.lower) and value not in values:
        return Fared(one, WRONG, why=f"several for {value}")
    listed = any(each.get("of_all") for each in facts) and not response.asked.lower.startswith("how many")
    if (listed or not one["asked"]) and rivals and all(_close(each, value) for each in rivals):
        return Fared(one, NEAR, why=f"{rivals[0]} for {value}")
    if not rivals and _as_many(value, response, facts):
        return Fared(one, RIGHT)
    found = next(
        (
            each
            for each in _NO_SUCH.finditer(response.text.lower)
            if each[0] != "no" or _of_noun(response.text.lower, each.end(), nouns)
        ),
        None,
    )
    if one["asked"] and value != "0" and not said and found and not response.denied(found.start()):
        return Fared(one, DENIED, why="says that there is none")
    if value == "0" and not rivals and found:
        return Fared(one, DENIED if response.denied(found.start()) else RIGHT)
    if (
        value == "1"
        and not rivals
        and re.search(r"\b(?:only|single|sole|the (?:\w+ )?target is|targets the)\b", response.text.lower)
    ):
        return Fared(one, RIGHT)
    return Fared(one, WRONG if rivals else ABSENT, why=f"{rivals[0]} for {value}" if rivals else "")


def _of_noun(lower: str, place: int, nouns: Collection[str]) -> bool:
    """Whether a clause goes on, from a place, with what is counted."""
    behind = re.split(r"[.;,\n]", lower[place : place + 60])[0]
    return any(re.search(rf"\b{noun}", behind) for noun in (*nouns, "known", "of the"))


def approval(response: ReadResponse) -> str:
    """Return whether a response says that its drug is approved: yes, no, both, or an empty text."""
    return stance(response.text, replace(response.asked, topic=APPROVAL)).value


def _exclusive(one: Fact, said: Sequence[str], denied: Sequence[Mention], facts: Sequence[Fact]) -> Fared:
    value = whole(one)
    rivals = [each for each in said if each != value and each not in others_of(one, facts)]
    if value in said:
        return Fared(one, MIXED if rivals else RIGHT, why=f"also {', '.join(rivals[:3])}" if rivals else "")
    if value in integers(denied):
        return Fared(one, DENIED)
    return Fared(one, WRONG if rivals else ABSENT, why=f"{rivals[0]} for {value}" if rivals else "")


def _of_fda(each: Mention, response: ReadResponse, value: str) -> bool:
    """Whether a year is said of the FDA if it is the right one, and of nobody in particular if it is another one."""
    told = bool(re.search(r"\bfda\b", response.sentence(each.start)))
    return told == (each.text == value)


def _before(response: ReadResponse, each: Mention) -> str:
    return response.text.lower[max(0, each.start - 60) : each.start]


def _clause(response: ReadResponse, each: Mention) -> str:
    """Return the text around a number, within its clause."""
    lower = response.text.lower
    before = re.split(r"[.;:\n]", lower[max(0, each.start - 60) : each.start])[-1]
    end = min(each.end, each.start + 60) + 70  # a list of phases may be long
    return before + re.split(r"[.;\n]", lower[each.start : end])[0]


def _joined(each: Mention, said: Sequence[Mention], value: str) -> bool:
    """Whether a phase is part of one expression with another phase, such as 1/2; `value` may name the other."""
    return any(
        other.start == each.start and other.text != each.text and value in ("", other.text.removesuffix(".0"))
        for other in said
    )


def _in_one(each: Mention, said: Sequence[Mention], response: ReadResponse) -> bool:
    """Whether a phase is half of one expression such as 1/2, which names a kind of trial; "1 or 2" is not one."""
    return _joined(each, said, "") and bool(
        re.search(r"\d[ab]?\s?[/-]|i\s?[/-]", response.text.lower[each.start : each.end])
    )


def _size(text: str) -> float:
    return float(text) if re.fullmatch(r"\d+(?:\.\d+)?", text) else 0.0


def _abroad(one: Mention, response: ReadResponse) -> bool:
    start = max(0, one.start - 45)
    before = response.text.lower[start : one.start]
    if _ABROAD_BEHIND.match(response.text.lower, one.end):
        return True
    if _AT_HOME_BEHIND.match(response.text.lower, one.end):
        return False
    return bool(_ABROAD.search(response.text.lower, start, one.start)) and not re.search(
        r"\bfda\b|united states|\bu\.?s\.?\b", before
    )


def _build(of: str) -> str:
    found = re.search(r"(38|37|19)", of)
    return {"19": "37"}.get(found[1], found[1]) if found else ""


def _as_many(value: str, response: ReadResponse, facts: Sequence[Fact]) -> bool:
    """Whether the response names as many things as the count says: all names of the answer, and no others."""
    lists = [each for each in facts if each["kind"] in (NAME, NAMES) and slot_of(each["slot"]) != "chromosome"]
    sizes = [(each, len(each["value"]) if each["kind"] == NAMES else 1) for each in lists]
    return any(str(size) == value and names_fare(each, response, facts).status == RIGHT for each, size in sizes)


def _close(said: str, value: str) -> bool:
    """Whether a count of ten or more is off by a tenth at most."""
    digits = said.replace(",", "")
    if not (digits.isdigit() and value.isdigit() and len(digits) < 10 and len(value) < 10 and int(value) >= 10):
        return False
    return abs(int(digits) - int(value)) <= int(value) / 10


def _as_listed(said: set[str], response: ReadResponse, facts: Sequence[Fact]) -> bool:
    """Whether the stated count equals the number of right names in the response, whose list is nearly complete."""
    for each in facts:
        if each["kind"] == NAMES and len(each["value"]) > 1 and slot_of(each["slot"]) != "chromosome":
            found = names_fare(each, response, facts)
            if said == {str(round(found.share * len(each["value"])))} and found.share >= 0.8 and not found.extra:
                return True
    return False
