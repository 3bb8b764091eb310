"""The status in a response of a fact that is a name or a list of names.

Other names count against the fact if their form shows that they are of the same kind. So do other items of the
response's lists.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from harness.studies.biomed.facts import NAME, NAMES, Fact
from harness.studies.biomed.judging.rule_denials import denies_any, only_tried
from harness.studies.biomed.judging.rule_either import other_name
from harness.studies.biomed.judging.rule_mechanisms import VERBS_OF, elliptic, mechanism
from harness.studies.biomed.judging.rule_reading import ReadResponse
from harness.studies.biomed.judging.rule_status import ABSENT, DENIED, MIXED, NEAR, RIGHT, WRONG, Fared
from harness.studies.biomed.reading.entities import kind_of
from harness.studies.biomed.reading.known_names import GENES, other_names
from harness.studies.biomed.reading.pairing import paired
from harness.studies.biomed.reading.subjects import subjects

_CUES = {
    "gene": re.compile(
        r"\bnear|\bclosest|\blocat|\blies|\bwithin|\bintron|\bupstream|\bdownstream|\bbetween|\bflank|\bmaps"
        r"|\bsituat|\btarget|"
        r"\bbind|\binhibit|\bact(?:s|ing)?\b|\bblock|\bgenes?\b|\bagonis|\bantagonis|\bmodulat|\binclud|\bassign"
        r"|\bannotat|\battribut"
    ),
    "snp": re.compile(r"\btop\b|\bmost\b|\blead|\bsignifican|\bassociat|\bsnps?\b|\bis\b|'s\b|\bvariant"),
}
_FIRST = re.compile(r"\bfirst ten\b|\bten with the\b")  # the question says which of many names to give
_COMPOUND = re.compile(
    r"[\w-]+s?\s(?:inhibit|agonis|antagonis|block|target|recept|encod|kinase|famil|surface|bind|activ|expres)"
)
_VERB = re.compile(  # describes how the action works; the action itself is named elsewhere
    r"(?:inhibit(?:s|ing)?|antagoni[sz](?:es|ing)|block(?:s|ing)|open(?:s|ing)|activat(?:es|ing)|binds"
    r"|modulat(?:es|ing)"
    r"|disrupts|degrades)\b"
)
_KIND_ALONE = re.compile(
    r"\b(?:diseases?|conditions?|indications?|uses?|drugs|genes?|names|some|others|targets|snps?|variants?"
    r"|signals?|tissues?)$"
)
_OTHER_KIND = re.compile(
    r"\b(?:snps?|variants?|genes?|drugs?|signals?|p-values?|rs\d+)\b"
)  # names no disease or tissue
_NO_NAME = re.compile(
    r"(?:under|in|by|on|at|with|of|from|to|is|are|was|being|both|each|all|two|three|four|used|been|has|as an?|agonist"
    r"|nothing|nobody|none|nowhere|could|may|might|would|there|then|[a-z]+ly\b(?:$|\W)|(?:rather|quite|very|perhaps"
    r"|maybe) \w+ly$|antagonist|it|its|they|their|this|which|that|for|not)\b"
)
_REGION = re.compile(
    r"\b(?:frontal|prefrontal|temporal|parietal|occipital|cingulate|entorhinal|motor|visual|insular|orbitofrontal"
    r"|auditory"
    r"|somatosensory)[\s-]$"
)
_NONE = re.compile(
    r"\b(?:has|have|are|is|found|targets?|shows?|with|for|there's|answer|of|it)\W{1,3}(?:none\b(?! of the others)"
    r"|no (?!other\b|further\b"
    r"|additional\b|more\b|longer\b)(?:known |such |approved |significant |listed |registered "
    r"|recorded )?(?:targets?|genes?|snps?"
    r"|variants?|drugs?|patents?|names?|synonyms?|diseases?|indications?|uses?|identifiers?|tissues?)\b)"
    r"|^\W*none\b\W*(?:$|[.,;(])"
)
_IN_TRIALS = re.compile(
    r"\b(?:trial(?:l?ed|s)?|unapproved|not (?:\w+ )?approved|investigat\w+|studied|tested|off-label|explored"
    r"|phase \d)\b"
)
_OTHER_WORDS = re.compile(
    r"[.:()\n]|\b(?!and\b|or\b|plus\b|as\b|well\b|also\b|with\b|the\b|genes?\b|together\b|along\b|possibly\b"
    r"|maybe\b|perhaps\b|one\b|two\b|more\b|another\b|further\b|additionally\b|addition\b|too\b|alongside\b|in\b"
    r"|snps?\b|variants?\b|rs\d)[a-z]{2,}"
)
_FIGURE = re.compile(r"[=<>~]|\b(?:p|heidi|p-value|beta)\b", re.IGNORECASE)  # an item that contains a number
_NUMBERED = re.compile(
    r"\b(type|subtype|stage|grade|class|group|form|variant|part)\W{1,2}(\d{1,3}[a-z]?|[ivx]{1,4}|[a-h])\b"
)
_SAME = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6"}
_ITS = re.compile(
    r"^\W*(?:(?:and|but|also|so|first(?:ly)?|second(?:ly)?|third(?:ly)?|then|finally|in addition|additionally"
    r"|moreover|furthermore|as to|in this case),? )?(?:it|its|it's|this"
    r"|they|their|the (?:drug|compound|agent|molecule|medicine|medication|substance))\b"
)
_VERBED = re.compile(
    r"\b(?:is|are|was|were|has|have|does|do|did|can|may|will|would|could|might|should|must|tend|occup\w+|acts?)\b"
)
_WORDS = "words"
_QUALIFIERS = frozenset({"positive", "negative", "partial", "inverse", "type", "alpha", "beta", "gamma", "non"})


def names_fare(one: Fact, response: ReadResponse, all_facts: Sequence[Fact]) -> Fared:  # noqa: PLR0911 (one return a case)
    """Return the status of a name or a list of names; for a list, `share` and `extra` measure how much was said."""
    values = [str(value) for value in one["value"]] if one["kind"] == NAMES else [str(one["value"])]
    if one["slot"] == _WORDS:
        return _words(one, values, response)
    known = one.get("names") or {}
    said, denied, spelled, others = [], 0, set(), list[str]()
    for value in values:
        ways = response.spellings(value, known.get(value, ()))
        spelled |= {_key(way) for way in ways}
        places = response.words.first(ways) or response.ranged.get(value, []) or _loosely(value, response)
        places = places or elliptic(value, values, response)
        places = [place for place in places if not _inside_longer(mechanism(value)[1] or value, place, response)]
        if told := [place for place in places if _numbered_otherwise(value, place, response)]:
            others.append(value)
            places = [place for place in places if place not in told]
        if "approved" in one["slot"]:
            places = [place for place in places if not only_tried(place, response)]
        asserted = [place for place in places if not (response.denied(place) or response.behind(place))]
        if asserted:
            said.append((value, asserted[0]))
        elif places:
            denied += 1
    if said and _of_another(one, said, response, all_facts):
        return Fared(one, WRONG, 0.0, 1.0, "of another SNP")
    if one["asked"] and not said and not denied and _NONE.search(response.text.lower):
        return Fared(one, DENIED, why="says that there is none")
    if one["asked"] and said and denies_any(one, response):
        return Fared(one, MIXED, 0.0, 1.0, "also says that there is none")
    rivals = [*_rivals(one, values, spelled, said, response, all_facts), *(f"another than {name}" for name in others)]
    if len(values) == 1 and said and (other := _offered(one, said[0][1], spelled, response, all_facts)):
        return Fared(one, MIXED, 1.0, 0.5, f"or {other}")
    if one["kind"] == NAME:
        return _single(one, said, denied, rivals)
    return _list(one, values, said, denied, rivals, exact=bool(_FIRST.search(response.asked.lower)))


def _of_another(one: Fact, said: list[tuple[str, int]], response: ReadResponse, facts: Sequence[Fact]) -> bool:
    """Whether a sentence, by its order, gives a tissue to another SNP than its own, or its SNP another tissue."""
    own = _snp_of(one)
    siblings = [each for each in facts if each["slot"] == one["slot"] and _snp_of(each)]
    if not own or len(siblings) < 2:
        return False
    belongs: dict[str, set[str]] = {}  # a tissue to its SNPs
    for each in siblings:
        for value in _values(each):
            belongs.setdefault(str(value), set()).add(_snp_of(each))
    snps = [(place, name.lower()) for name, place in response.snps]
    tissues = {place: name for name in belongs for place in response.words.first(response.spellings(name))}
    regions = response.named("tissue")
    inside = {  # the blood of whole blood
        at
        for at in (*tissues, *(place for _, place in regions))
        for name, start in regions
        if start < at < start + len(name)
    }
    tissues = {at: name for at, name in tissues.items() if at not in inside}
    others = {place for _, place in regions} - set(tissues) - inside
    for value, place in said:
        span = response.span(place)
        keys = {at: name for at, name in snps if at in span}
        pairs = paired(sorted(keys), sorted(at for at in tissues if at in span))
        pairs = pairs or paired(sorted(keys), sorted(at for at in (*tissues, *others) if at in span))
        key = pairs.get(place)
        if key is not None and keys[key] not in belongs.get(value, set()):
            return True
        mine = [at for at, key in pairs.items() if keys[key] == own]
        if mine and all(at in others for at in mine):
            return True
    right = set(map(str, _values(one)))
    for at, name in snps:  # "rs1: whole blood. rs2: cortex."
        span = response.span(at)
        told = [tissues.get(place, "") for place in sorted({*tissues, *others}) if place in span]
        if name == own and {each for where, each in snps if where in span} == {own} and told and not right & set(told):
            return True
    return False


def _beside(one: Fact, place: int, said: list[tuple[str, int]], response: ReadResponse) -> bool:
    """Whether a tissue is said of a fact's SNP: in the same sentence, in a list with a right one, or instead of it."""
    if said:
        return any(_together(at, place, response) or _or_else(at, place, response) for _, at in said)
    span = response.span(place)
    snps = [(at, name.lower()) for name, at in response.snps if at in span]
    if not snps:
        return True  # "they come from the cortex": of all SNPs, as no right tissue is said
    own = [at for at, name in snps if name == _snp_of(one)]
    return bool(own) and min(abs(at - place) for at in own) <= min(abs(at - place) for at, _ in snps)


def _snp_of(one: Fact) -> str:
    found = re.match(r"rs\d+", one["of"].lower())
    return found[0] if found else ""


def _offered(one: Fact, place: int, spelled: set[str], response: ReadResponse, facts: Sequence[Fact]) -> str:
    """Return the other name that a response offers, with an "or", instead of the right one; empty if there is none."""
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
    """Return how many letters of a text, from `place`, spell a name that is given without punctuation; 0 if none do."""
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
    """Return the other names of the same kind that a response says in place of the fact."""
    allowed = spelled | {
        _key(str(value))
        for fact in facts
        if fact["kind"] in (NAME, NAMES)
        for value in (fact["value"] if fact["kind"] == NAMES else [fact["value"]])
        for value in response.spellings(str(value), (fact.get("names") or {}).get(str(value), ()))
    }
    for _, action in filter(all, map(mechanism, values)):
        allowed |= {_key(way) for way in (action, *other_names(action), *VERBS_OF.get(action.lower(), ()))}
    kinds = {kind_of(value) for value in values}
    kinds -= {""} if len(kinds) > 1 else set()
    kind = kinds.pop() if len(kinds) == 1 and "name" not in one["slot"] else ""
    if one["slot"] in ("name", "drug", "disease", "tissue", "mechanism") or not kind:
        kind = "action" if one["slot"] in ("action", "actions") else ""
    kind = "tissue" if "tissue" in one["slot"] else kind
    approved = "approved" in one["slot"]
    loose = any(word in one["slot"] for word in ("disease", "use", "tissue", "condition"))
    if kind:
        found = [
            name
            for name, place in response.named(kind)
            if _key(name) not in allowed
            and not response.denied(place)
            and not response.behind(place)
            and _in_place(kind, place, said, response, asked=one["asked"])
            and not _alias_in_brackets(place, name, said, response)
            and not (kind == "action" and _inside_longer(name, place, response))
            and not (kind == "molecule" and _COMPOUND.match(response.text.lower, place))
            and not (kind == "tissue" and (said or _snp_of(one)) and not _beside(one, place, said, response))
            and not (kind in ("action", "molecule") and _of_things_in_general(one, place, said, response))
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
                and not (loose and _OTHER_KIND.search(name.lower()))
                and not _NO_NAME.match(name.lower())
                and not (approved and _IN_TRIALS.search(response.sentence(place)))
                and said
                and _same_list(place, said, response)
            ]
            if one["kind"] == NAMES
            else []
        )
    return list({_key(name): name for name in found}.values())


def _of_things_in_general(one: Fact, place: int, said: list[tuple[str, int]], response: ReadResponse) -> bool:
    """Whether a sentence about no subject of the question names a kind, while a right one is said of the subject."""
    names = {word for word in (one["of"].lower(), *subjects(response.asked)) if word}
    around = response.sentence(place)
    if not names or any(name in around for name in names) or _ITS.match(around) or not _VERBED.search(around):
        return False
    own = [response.sentence(at) for _, at in said]
    return around not in own and any(any(name in line for name in names) or _ITS.match(line) for line in own)


def _accounted(item: str, allowed: set[str], asked: str) -> bool:
    """Whether a list item says a right name, alone or among other words, or only repeats words of the question."""
    key, words = _key(item), re.findall(r"[^\W_]{4,}", item.lower())
    if words and all(word.rstrip("s") in asked or any(word in one for one in allowed) for word in words):
        return True
    return any(len(one) > 2 and (one in key or (len(key) > 4 and key in one)) for one in allowed)


def _same_list(place: int, said: list[tuple[str, int]], response: ReadResponse) -> bool:
    """Whether an item is listed with right names: in the same sentence, or like them on a list line of its own."""
    around = response.sentence(place)
    if any(response.sentence(at) == around for _, at in said):
        return True
    return bool(re.match(r"\s*(?:[-*+]|\(?\d{1,3}[.)])\s", around)) and any(
        re.match(r"\s*(?:[-*+]|\(?\d{1,3}[.)])\s", response.sentence(at)) for _, at in said
    )


def _in_place(kind: str, place: int, said: list[tuple[str, int]], response: ReadResponse, *, asked: bool) -> bool:
    cue = _CUES.get(kind)
    if asked and not said:
        return True
    if any(_or_else(at, place, response) or _together(at, place, response) for _, at in said[:20]):
        return True
    if cue is None or cue.search(response.sentence(place)):
        return True
    text = response.text.text
    end = text.find("\n", place)
    line = text[text.rfind("\n", 0, place) + 1 : end if end >= 0 else len(text)][:500]
    return not re.search(r"\b(?!and\b|or\b)[a-z]{2,}", line)  # names and nothing else


def _or_else(one: int, other: int, response: ReadResponse) -> bool:
    """Whether a sentence offers what stands at one position, or what stands at the other."""
    first, last = sorted((one, other))
    return last - first < 200 and last in response.span(first) and " or " in response.text.lower[first:last]


def _together(one: int, other: int, response: ReadResponse) -> bool:
    """Whether two names stand in one list: between them are only names, commas and conjunctions."""
    first, last = sorted((one, other))
    return last - first < 200 and not _OTHER_WORDS.search(response.text.text[first:last])


def _alias_in_brackets(place: int, name: str, said: list[tuple[str, int]], response: ReadResponse) -> bool:
    """Whether a symbol only repeats a right name: in brackets, after a slash or "also known as", or as an alias."""
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
    """Whether a name is part of a longer one that means something else: agonist in inverse agonist."""
    before = response.text.lower[max(0, place - 22) : place]
    if re.match(
        r"[\w-]+'s? (?:\w+ )?(?:paralog|homolog|ortholog|neighbo|relative|cousin|sibling|partner|ligand)",
        response.text.lower[place : place + 60],
    ):
        return True
    if value.lower() in ("cortex", "cerebellum") and (
        _REGION.search(before) or response.text.lower.startswith("cerebellar hemisphere", place)
    ):
        return True
    if value.lower() in ("agonist", "modulator", "antagonist", "allosteric modulator"):
        return bool(
            re.search(r"\b(?:partial|inverse|positive|negative|allosteric|endogenous|natural|native)[\s-]$", before)
        )
    return False


def _numbered_otherwise(value: str, place: int, response: ReadResponse) -> bool:
    """Whether a name stands with another number than its own: type 1 of a disease for its type 2."""
    own = _NUMBERED.search(value.lower())
    if not own:
        return False
    behind = response.text.lower[place : place + len(value) + 40].partition("\n")[0]
    said = {_SAME.get(found[2], found[2]) for found in _NUMBERED.finditer(behind) if found[1] == own[1]}
    return bool(said) and _SAME.get(own[2], own[2]) not in said


def _loosely(value: str, response: ReadResponse) -> list[int]:
    """Return where a name of three words or more is paraphrased: one sentence has most of its distinctive words."""
    words = [
        word for word in re.findall(r"[a-z0-9]{3,}", value.lower()) if word not in ("the", "and", "receptor", "protein")
    ]
    if len(words) < 3:
        return []
    for start, text in ((one.start, one.text.lower()) for one in response.text.sentences[:200]):
        hit = [word for word in words if word[: max(4, len(word) - 3)] in text]
        if len(hit) >= 0.75 * len(words) and all(word in text for word in words if word in _QUALIFIERS):
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
