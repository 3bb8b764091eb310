"""How a fact that is a name, or a list of names, fares in a response.

Other names of a kind that shows in their form count against it, and so do other items of the response's lists. It must
never know the rubric.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from harness.studies.biomed.facts import NAME, NAMES, Fact
from harness.studies.biomed.judging.rule_either import other_name
from harness.studies.biomed.judging.rule_reading import ReadResponse
from harness.studies.biomed.judging.rule_status import ABSENT, DENIED, MIXED, NEAR, RIGHT, WRONG, Fared
from harness.studies.biomed.reading.entities import kind_of
from harness.studies.biomed.reading.known_names import GENES, other_names

_CUES = {
    "gene": re.compile(
        r"\bnear|\bclosest|\blocat|\blies|\bwithin|\bintron|\bupstream|\bdownstream|\bbetween|\bflank|\bmaps"
        r"|\bsituat|\btarget|"
        r"\bbind|\binhibit|\bact(?:s|ing)?\b|\bblock|\bgenes?\b|\bagonis|\bantagonis|\bmodulat|\binclud|\bassign|\bannotat|\battribut"
    ),
    "snp": re.compile(r"\btop\b|\bmost\b|\blead|\bsignifican|\bassociat|\bsnps?\b|\bis\b"),
}
_FIRST = re.compile(r"\bfirst ten\b|\bten with the\b")  # the question says which of many are to be named
_COMPOUND = re.compile(
    r"[\w-]+s?\s(?:inhibit|agonis|antagonis|block|target|recept|encod|kinase|famil|surface|bind|activ|expres)"
)
_VERB = re.compile(  # tells how the action comes about, where the action itself is named
    r"(?:inhibit(?:s|ing)?|antagoni[sz](?:es|ing)|block(?:s|ing)|open(?:s|ing)|activat(?:es|ing)|binds|modulat(?:es|ing)"
    r"|disrupts|degrades)\b"
)
_KIND_ALONE = re.compile(
    r"\b(?:diseases|conditions|indications|drugs|genes?|names|some|others|targets|snps?|variants?|signals?|tissues?)$"
)
_NO_NAME = re.compile(r"(?:used|been|has|as an?|agonist|antagonist|it|its|they|their|this|which|that|for|not)\b")
_FIGURE = re.compile(r"[=<>~]|\b(?:p|heidi|p-value|beta)\b", re.IGNORECASE)  # an item that tells a number
_WORDS = "words"


def names_fare(one: Fact, response: ReadResponse, all_facts: Sequence[Fact]) -> Fared:
    """Say how a name or a list of names fares; of a list `share` and `extra` say how much was said."""
    values = [str(value) for value in one["value"]] if one["kind"] == NAMES else [str(one["value"])]
    if one["slot"] == _WORDS:
        return _words(one, values, response)
    known = one.get("names") or {}
    said, denied, spelled = [], 0, set()
    for value in values:
        ways = response.spellings(value, known.get(value, ()))
        spelled |= {_key(way) for way in ways}
        places = response.words.first(ways) or response.ranged.get(value, []) or _loosely(value, response)
        places = [place for place in places if not _inside_longer(value, place, response)]
        asserted = [place for place in places if not response.denied(place)]
        if asserted:
            said.append((value, asserted[0]))
        elif places:
            denied += 1
    rivals = _rivals(one, values, spelled, said, response, all_facts)
    if len(values) == 1 and said and (other := _offered(one, said[0][1], spelled, response, all_facts)):
        return Fared(one, MIXED, 1.0, 0.5, f"or {other}")
    if one["kind"] == NAME:
        return _single(one, said, denied, rivals)
    return _list(one, values, said, denied, rivals, exact=bool(_FIRST.search(response.asked.lower)))


def _offered(one: Fact, place: int, spelled: set[str], response: ReadResponse, facts: Sequence[Fact]) -> str:
    """Give the other name that a response offers, by an "or", in place of the right one."""
    text = response.text.text
    ways = sorted(spelled, key=len, reverse=True)
    lengths = (_length(text, place, way) for way in ways)
    length = next(filter(None, lengths), 0) or len(re.match(r"[\w-]*", text[place : place + 60])[0])  # type: ignore[index]
    known = spelled | {_key(str(value)) for fact in facts for value in _values(fact)}
    return other_name(
        text,
        place,
        length,
        lambda name: any(_key(name) in one or one in _key(name) for one in known) or response.asked.says(name),
    )


def _values(fact: Fact) -> Sequence[Any]:
    return fact["value"] if fact["kind"] == NAMES else [fact["value"]]


def _length(text: str, place: int, way: str) -> int:
    """Give how many letters of a text say a name that is spelled without its marks; 0 where it is not said there."""
    at = place
    for letter in way:
        while at < min(len(text), place + 200) and not text[at].isalnum():
            at += 1
        if at >= len(text) or text[at].lower() != letter:
            return 0
        at += 1
    return at - place


def _single(one: Fact, said: list[tuple[str, int]], denied: int, rivals: list[str]) -> Fared:
    why = f"also {', '.join(rivals[:3])}" if rivals else ""
    if said:
        return Fared(one, MIXED if rivals else RIGHT, 1.0, len(rivals) / (len(rivals) + 1), why)
    if denied:
        return Fared(one, DENIED)
    return Fared(one, WRONG if rivals else ABSENT, why=f"{rivals[0]} for {one['value']}" if rivals else "")


def _list(
    one: Fact, values: list[str], said: list[tuple[str, int]], denied: int, rivals: list[str], *, exact: bool
) -> Fared:
    share = len(said) / len(values)
    beyond = max(0, int(one.get("of_all", len(values)) or 0) - len(values))  # others that the answer does not show
    wrong = len(rivals) if exact and len(said) > 0.5 * len(values) else max(0, len(rivals) - beyond)
    extra = wrong / (wrong + len(said)) if wrong else 0.0
    if not said:
        status = DENIED if denied else WRONG if rivals and not beyond else ABSENT
    else:
        status = RIGHT if share == 1 and not extra else NEAR
    return Fared(one, status, share, extra, f"{len(said)} of {len(values)} names, {wrong} others")


def _rivals(
    one: Fact,
    values: list[str],
    spelled: set[str],
    said: list[tuple[str, int]],
    response: ReadResponse,
    facts: Sequence[Fact],
) -> list[str]:
    """Give the other names of the same kind that a response says in the fact's place."""
    allowed = spelled | {
        _key(str(value))
        for fact in facts
        if fact["kind"] in (NAME, NAMES)
        for value in (fact["value"] if fact["kind"] == NAMES else [fact["value"]])
        for value in response.spellings(str(value), (fact.get("names") or {}).get(str(value), ()))
    }
    kinds = {kind_of(value) for value in values}
    kinds -= {""} if len(kinds) > 1 else set()
    kind = kinds.pop() if len(kinds) == 1 else ""
    if one["slot"] in ("name", "drug", "disease", "tissue", "mechanism") or not kind:
        kind = "action" if one["slot"] in ("action", "actions") else ""
    loose = any(word in one["slot"] for word in ("disease", "use", "tissue", "condition"))
    if kind:
        found = [
            name
            for name, place in response.named(kind)
            if _key(name) not in allowed
            and not response.denied(place)
            and _in_place(kind, place, response)
            and not _alias_in_brackets(place, name, said, response)
            and not (kind == "molecule" and _COMPOUND.match(response.text.lower, place))
            and not (kind == "action" and said and _VERB.match(response.text.lower, place))
        ]
    else:
        found = (
            [
                name
                for name, place in response.items
                if not _accounted(name, allowed, response.asked.lower)
                and not response.asked.says(name)
                and (loose or re.search(r"[A-Z0-9]", name))
                and not _FIGURE.search(name)
                and not _KIND_ALONE.search(name.lower())
                and not _NO_NAME.match(name.lower())
                and said
                and _same_list(place, said, response)
            ]
            if one["kind"] == NAMES
            else []
        )
    return list({_key(name): name for name in found}.values())


def _accounted(item: str, allowed: set[str], asked: str) -> bool:
    """Whether an item of a list says a right name, alone or among other words, or nothing but the question's words."""
    key, words = _key(item), re.findall(r"[^\W_]{4,}", item.lower())
    if words and all(word.rstrip("s") in asked or any(word in one for one in allowed) for word in words):
        return True
    return any(len(one) > 2 and (one in key or (len(key) > 4 and key in one)) for one in allowed)


def _same_list(place: int, said: list[tuple[str, int]], response: ReadResponse) -> bool:
    """Whether an item stands where right names stand: in the same sentence, or on a line of its own near them."""
    around = response.sentence(place)
    if any(response.sentence(at) == around for _, at in said):
        return True
    return bool(re.match(r"\s*(?:[-*+]|\(?\d{1,3}[.)])\s", around)) and any(
        re.match(r"\s*(?:[-*+]|\(?\d{1,3}[.)])\s", response.sentence(at)) for _, at in said
    )


def _in_place(kind: str, place: int, response: ReadResponse) -> bool:
    cue = _CUES.get(kind)
    if cue is None or cue.search(response.sentence(place)):
        return True
    text = response.text.text
    end = text.find("\n", place)
    line = text[text.rfind("\n", 0, place) + 1 : end if end >= 0 else len(text)][:500]
    return not re.search(r"\b(?!and\b|or\b)[a-z]{2,}", line)  # names and nothing else


def _alias_in_brackets(place: int, name: str, said: list[tuple[str, int]], response: ReadResponse) -> bool:
    """Whether a symbol only says a right name again: in brackets behind it, or with it in brackets behind."""
    text = response.text.text
    for value, at in said:
        between = text[at + len(value) : place] if at < place else text[place + len(name) : at]
        if len(between) <= 60 and re.fullmatch(
            r"\s?(?:\w+ )?[(\[][^()\[\]]{0,50}|\s?/\s?|,? (?:also known as|aka) ", between
        ):
            return True
        ways = {_key(way) for way in other_names(value)}
        if _key(name) in ways or value in {known for known, ways in GENES.items() if name in ways.split("|")}:
            return True
    return False


def _inside_longer(value: str, place: int, response: ReadResponse) -> bool:
    """Whether an action stands inside a longer one that says something else, as agonist in inverse agonist does."""
    before = response.text.lower[max(0, place - 22) : place]
    if value.lower() in ("agonist", "modulator", "antagonist", "allosteric modulator"):
        return bool(re.search(r"\b(?:partial|inverse|positive|negative|allosteric)[\s-]$", before))
    return False


def _loosely(value: str, response: ReadResponse) -> list[int]:
    """Give where a name of three words or more is said in other words: most of its telling words in one sentence."""
    words = [
        word for word in re.findall(r"[a-z0-9]{3,}", value.lower()) if word not in ("the", "and", "receptor", "protein")
    ]
    if len(words) < 3:
        return []
    for start, text in ((one.start, one.text.lower()) for one in response.text.sentences[:200]):
        hit = [word for word in words if word[: max(4, len(word) - 3)] in text]
        if len(hit) >= 0.75 * len(words):
            return [start + text.find(hit[0][: max(4, len(hit[0]) - 3)])]
    return []


def _words(one: Fact, values: list[str], response: ReadResponse) -> Fared:
    lower = response.text.lower
    share = sum(value in lower for value in values) / len(values)
    if share and response.denied(max(lower.find(values[0]), 0)):
        return Fared(one, DENIED)
    return Fared(one, RIGHT if share > 0.8 else NEAR if share > 0.5 else ABSENT, share, 0.0)


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())
