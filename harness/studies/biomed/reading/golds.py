"""The facts of a gold answer that is a text: what the question asks for, and what the answer adds.

The texts of the published templates are read back into exactly their facts, other texts as far as their words show
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from harness.studies.biomed.facts import INTEGER, NAME, NAMES, NUMBER, VERDICT, Fact, fact
from harness.studies.biomed.reading.binding import bound_mentions
from harness.studies.biomed.reading.entities import items, named
from harness.studies.biomed.reading.mentions import Mention
from harness.studies.biomed.reading.plain import Plain, plain
from harness.studies.biomed.reading.questions import Question, question
from harness.studies.biomed.reading.verdicts import BOTH, NO, YES, negative, stance

WORDS = "words"  # the slot of an answer without recognized facts: its distinctive words
_NONE = re.compile(r"^\W*(?:there (?:is|are|were) (?:currently )?no\b|no\b|neither\b)")
_NO_NAME = re.compile(
    r"(?:rs\d|p-?value|heidi|b value|adjusted|genomic|any\b|no\b|\d+ drugs|in the|based on|with|similarly|[\d.e-]+$)"
)
_A_CLAUSE = re.compile(r"\b(?:approved|treat\w*|clinical trial|has|which|associated|significant|was|were)\b")
_NEAREST = re.compile(r"\bgene (\S{1,200}) on chromosome\b")  # any symbol in a published text, whatever its form
_COUNTS = re.compile(r"\bhow many\b|\bwhat (?:is|are) the number\b|^number of")  # others ask only for counts above 10
_TRADE = re.compile(
    r"\bis a (?:trade|brand) name of (?P<name>[^.\n]{2,80})\."
    r"(?: It is (?:[\w-]+ ){0,4}?for (?:the disease |\d+ diseases: )(?P<diseases>[^.\n]{2,900})\.)?"
)
_USES = re.compile(r"\bfor (?:the disease (?P<one>[^.;\n]{2,160})|\d+ diseases: (?P<more>[^.\n]{2,900}))\.")
_ALLELE = re.compile(r"\b(rs\d{2,12}) \((?:risk )?allele ([ACGT]{1,40})\)")
_EFFECT_ALLELE = re.compile(
    r"\b(rs\d{2,12}) has an effect of b = [^\n]{1,30}, counted for its effect allele ([ACGT]{1,40})"
)
_FIRST_OF = re.compile(r"\bthe first (?:ten|\d+)\b|\bthe \d+ with\b|\btop\b|\bsome of\b|\bincluding\b|\bsuch as\b")
_BY_FORM = ("snp", "chembl", "efo", "mesh")
_INTEGERS = frozenset({"position", "chromosome", "count", "year", "phase"})
_LISTED = frozenset({"drug", "name", "disease", "tissue", "action"})
_DULL = frozenset(
    [
        "there",
        "that",
        "this",
        "with",
        "have",
        "been",
        "from",
        "which",
        "they",
        "their",
        "these",
        "what",
        "does",
        "were",
        "according",
        "based",
        "data",
        "study",
        "associated",
        "disease",
        "gene",
        "drug",
        "also",
        "into",
        "than",
        "other",
        "most",
        "used",
        "only",
        "known",
    ]
)


def gold_facts(asked: str, gold: str) -> list[Fact]:
    """Return the facts of a gold answer to a question, at least one; without any, its distinctive words."""
    q, text = question(asked), plain(gold)
    found = [
        *_verdict(q, text),
        *_numbers(q, text),
        *(_parts(q, text) or _uses(q, text) or _names(q, text)),
        *_alleles(text),
    ]
    _shown_of(found, text)
    if not found:
        return [fact(WORDS, NAMES, telling(text))]
    if q.lower.startswith("how many") and not re.search(r"\b(?:which|what|list|names?)\b", q.lower):
        for one in found:
            one["asked"] = one["asked"] and one["kind"] not in (NAME, NAMES)
    if not any(one["asked"] for one in found):
        others = [one for one in found if one["slot"] not in ("p", "b", "heidi")]
        for one in found:
            one["asked"] = one["slot"] not in ("p", "b", "heidi") or not others
    return found


def telling(text: Plain) -> list[str]:
    """Return the distinctive words of a text: of four letters or more, each once, at most 60."""
    words = re.findall(r"[a-z0-9][a-z0-9'-]{3,}", text.lower)
    return list(dict.fromkeys(word for word in words if word not in _DULL))[:60] or [text.lower[:80] or "-"]


def _parts(q: Question, text: Plain) -> list[Fact]:
    """Return the parts of an answer to what a trade name is: generic name, diseases, molecule and actions."""
    told = _TRADE.search(text.text) if q.lower.startswith("what is") else None
    if not told:
        return []
    return [
        *_group("generic name", [told["name"].strip()], True),
        *_group("diseases", (name.strip() for name in _several(told["diseases"] or "")), True),
        *_closed(text),
    ]


def _uses(q: Question, text: Plain) -> list[Fact]:
    """Return the diseases of an answer that names one, or lists several after their number; otherwise none."""
    told = _USES.search(text.text) if q.wants == "disease" else None
    if not told:
        return []
    names = [told["one"]] if told["one"] else _several(told["more"])
    return [*_group("diseases", (name.strip() for name in names), True)]


def _several(listed: str) -> list[str]:
    """Return the names of a list that is split at semicolons, or at commas if it has none, and at its last `and`."""
    head, _, last = listed.rpartition(" and ")
    return [*re.split(r";\s*" if ";" in listed else r",\s", head), last] if head else [last]


def _alleles(text: Plain) -> list[Fact]:
    found = list(_ALLELE.finditer(text.text))[:60]
    effect = _EFFECT_ALLELE.search(text.text)
    return [
        *(fact("risk allele", NAME, one[2], of=one[1].lower()) for one in found),
        *([fact("effect allele", NAME, effect[2], of=effect[1].lower(), asked=False)] if effect else []),
    ]


def _shown_of(found: list[Fact], text: Plain) -> None:
    """Set `of_all`, the number of all names, in each list that shows only the first of many names."""
    if not _FIRST_OF.search(text.lower):
        return
    counts = [one["value"] for one in found if one["slot"] == "count" and isinstance(one["value"], int)]
    for one in found:
        if one["kind"] == NAMES and counts and max(counts) > len(one["value"]) > 1:
            one["of_all"] = max(counts)


def _verdict(q: Question, text: Plain) -> list[Fact]:
    first = text.sentences[0].text.lower() if text.sentences else ""
    if not q.yes_no:
        lists = bool(named("snp", text)) or len(text.sentences) > 1 or re.search(r"\bbut\b|\bhowever\b", text.lower)
        return [fact("verdict", VERDICT, NO)] if _NONE.match(first) and not lists else []
    value = stance(text, q).value
    if value in ("", BOTH):
        value = NO if negative(first) else YES
    return [fact("verdict", VERDICT, value)]


def _numbers(q: Question, text: Plain) -> list[Fact]:
    out: list[Fact] = []
    for one in bound_mentions(text):
        if one.bound or one.slot in ("decimal", "megabases", "patent", "odds") or _top(text, one):
            continue
        if one.slot == "position" and "position" not in q.slots:
            continue
        if one.slot == "count" and not re.match(r"\s[A-Za-z]{3}", text.text[one.end : one.end + 5]):
            continue
        if one.slot in ("chromosome", "count") and _in_question(q, text, one):
            continue
        new = _number(q, one)
        if new not in out and len(out) < 60:
            out.append(new)
    return _frequencies(out)


def _number(q: Question, one: Mention) -> Fact:
    kind = INTEGER if one.slot in _INTEGERS else NUMBER
    text = one.text.replace(",", "")
    value: object = int(text) if kind == INTEGER and text.isdigit() else text
    of = "" if one.slot in ("p", "heidi", "b") and q.says(one.of) else one.of
    if one.slot == "position" and not of:
        of = q.build
    asked = one.slot in q.slots and not (one.slot == "count" and not _COUNTS.search(q.lower) and int(text or 0) <= 10)
    return fact(one.slot, NAME if text in ("X", "Y") else kind, value, of=of, asked=asked)


def _frequencies(facts: list[Fact]) -> list[Fact]:
    """Return the facts, with the second of two frequencies as that of the other allele."""
    both = [one for one in facts if one["slot"] == "frequency"]
    if len(both) == 2:
        both[1]["slot"] = "other frequency"
    return facts


def _top(text: Plain, one: Mention) -> bool:
    """Whether a number only says how many items of a list are shown."""
    if one.slot != "count":
        return False
    shown = re.match(r"\s(?:with the (?:least|lowest|smallest)|of which)\b", text.lower[one.end : one.end + 20])
    return bool(shown) or bool(re.search(r"\b(?:top|first)\s$", text.lower[max(0, one.start - 7) : one.start]))


def _in_question(q: Question, text: Plain, one: Mention) -> bool:
    if one.slot == "chromosome":
        return bool(re.search(rf"\b(?:chr|chromosome)\s?{one.text.lower()}\b", q.lower))
    word = text.text[one.start : one.end + 12].lower()
    return not re.match(r"[\d,]+", word) and not re.search(r"\s(?:\w+)", word)


def _names(q: Question, text: Plain) -> list[Fact]:
    out: list[Fact] = []
    for kind in _BY_FORM:
        out += _group(kind, (name for name, _ in named(kind, text) if not q.says(name)), q.wants in (kind, "id"))
    if q.wants == "patent":
        out += _group("patent", (name.replace(",", "") for name, _ in named("patent", text)), True)
    if q.wants in ("name", "action", "drug", "disease", "tissue"):
        return out + _listed(q, text)
    if q.wants not in ("patent", "chembl", "id"):
        genes = [name for found in _NEAREST.finditer(text.text) for name in found[1].split(";") if name != "NONE"]
        genes = genes or [name for name, _ in named("gene", text) if not q.says(name)]
        out += _group(
            "gene",
            genes,
            q.wants == "gene"
            or ("gene" in q.lower and not q.yes_no and re.search(r"\b(?:what|which) genes?\b", q.lower) is not None),
        )
        if not genes and q.wants == "gene" and not out:
            out += _group("gene", _items(q, text), True)
    if q.wants == "molecule" or re.search(r"type of molecule", q.lower):
        out += _group("molecule", (name for name, _ in named("molecule", text)), True)
    if q.lower.startswith("what is") and q.wants == "" and not q.slots and not out:
        out += _group("name", _items(q, text), True) + _closed(text)
    return out


def _closed(text: Plain) -> list[Fact]:
    return [
        *_group("molecule", (name for name, _ in named("molecule", text)), True),
        *_group("action", (name for name, _ in named("action", text)), True),
    ]


def _listed(q: Question, text: Plain) -> list[Fact]:
    """Return the facts of names that their place in a list shows: drugs, names, diseases, tissues, mechanisms."""
    out: list[Fact] = []
    if q.wants == "tissue" and q.yes_no and stance(text, q).value != YES:
        return out
    if q.wants == "action":
        actions = [name for name, _ in named("action", text)]
        long = [name for name in _items(q, text) if len(name.split()) > 1 and named("action", Plain(name))]
        mechanisms = "mechanisms" in q.lower and long
        out += _group("mechanism" if mechanisms else "action", long if mechanisms else actions, True)
        if "type of molecule" in q.lower or "molecule type" in q.lower:
            out += _group("molecule", (name for name, _ in named("molecule", text)), True)
        return out
    return _group(q.wants, _items(q, text), not (q.yes_no and q.wants != "tissue"))


def _items(q: Question, text: Plain) -> list[str]:
    return [name for name, _ in items(text) if _tells(q, name)]


def _tells(q: Question, name: str) -> bool:
    """Whether an item of a list can be a name of the class that the question asks for."""
    lower = name.lower()
    if q.says(name) or lower in q.lower or lower in q.disease or _NO_NAME.match(lower) or _A_CLAUSE.search(lower):
        return False
    return bool(re.search(r"[A-Z0-9]", name)) or q.wants in ("disease", "tissue", "name")


def _group(slot: str, names: Iterable[str], asked: bool) -> list[Fact]:
    unique: dict[str, str] = {}
    for name in names:
        unique.setdefault(re.sub(r"[\W_]+", "", name.lower()), name)
    shown = [name for key, name in unique.items() if key][:200]
    if not shown:
        return []
    return [fact(slot, NAMES, shown, asked=asked) if len(shown) > 1 else fact(slot, NAME, shown[0], asked=asked)]
