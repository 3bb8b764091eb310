"""The rule grader (OURS, by facts; named `rule`): grades an answer against a gold answer, without any model.

Its tables of phrases and names and its decisions are ours. Its certificate says how often it agrees with people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.kit import judged
from harness.studies.biomed import terms
from harness.studies.biomed.facts import INTEGER, NAME, NAMES, NUMBER, VERDICT, Fact
from harness.studies.biomed.judging.rule_reading import ReadResponse, without_orders
from harness.studies.biomed.judging.rule_rubric import graded, text_of
from harness.studies.biomed.judging.rule_slots import slot_of
from harness.studies.biomed.judging.rule_status import MIXED, NEAR, RIGHT, Fared
from harness.studies.biomed.judging.rule_values import fares
from harness.studies.biomed.reading import abstentions
from harness.studies.biomed.reading.abstentions import Knowing, Phrases, empty, hazy, knowing, weak_no
from harness.studies.biomed.reading.completing import completed, unpacked
from harness.studies.biomed.reading.entities import kind_of
from harness.studies.biomed.reading.focus import Focused, focused
from harness.studies.biomed.reading.golds import gold_facts
from harness.studies.biomed.reading.known_names import VERSION as NAMES_VERSION
from harness.studies.biomed.reading.plain import Plain, plain
from harness.studies.biomed.reading.questions import Question, question
from harness.studies.biomed.reading.revisions import Revised, revised
from harness.studies.biomed.reading.subjects import foreign
from harness.studies.biomed.reading.verdicts import denies_all, lead

VERSION = f"biomed-rule-3, {abstentions.VERSION}, {NAMES_VERSION}"  # the version of the rule and its tables
GOOD, BAD, ABSTAIN = "good", "bad", "abstain"
NOT_KNOWN = "-1.0"
MOST = 200  # facts of an answer that are looked for
_GUESS = re.compile(
    r"\b(?:typically|generally|usually|likely|unlikely|probably|possibly|perhaps|may|might|could|often|commonly|in "
    r"general|if|"
    r"some|various|many|not (?:widely|well|commonly|among|one of)|known for|it is known)\b"
)
_MAYBE = re.compile(
    r"\b(?:typically|generally|usually|likely|probably|possibly|perhaps|may|might|could|if|check"
    r"|consult)\b"
)


_PERHAPS = re.compile(r"\b(?:typically|generally|usually|likely|probably|possibly|perhaps|may|might|could|consult)\b")
_ONLY = re.compile(r"\b(?:only|just|alone|solely|nothing else|single)\b")
_MORE = re.compile(r"\b(?:more|further|else|other|others|beyond that|apart from|besides)\b")
_OPEN = re.compile(  # leaves everything open
    r"\b(?:could|might|may) be (?:any|anything|either|one of)\b|\bany(?:thing|where) (?:from|between)\b"
    r"|\bany of (?:several|many|the)\b"
)
_YES_OR_NO = re.compile(
    r"\W*(?:(?:yes|no|nope|yep|true|false|correct|indeed|certainly|absolutely|of course|definitely|not|none of them)\W*"
    r"|(?:it|they|there|he|this|that) (?:is|are|was|were|do|does|did|has|have|had|isn't|aren't|doesn't|don't|hasn't)"
    r"(?: not)?\W*){1,4}"
)


_TURNS = re.compile(  # continues, after a disclaimer, with an answer
    r"\b(?:however|that said|nevertheless|nonetheless|to the best of|as far as|from (?:memory|what)|i (?:believe|recall"
    r"|think)|(?:best|rough) (?:estimate|guess)|treat this|approximately|roughly|yes|no)\b"
)


_PLAINLY = re.compile(r"(?:^\W*|[:,]\s)(?:yes|no)\b\s*(?:[,.:;]|$)")
_NIL = re.compile(r"\b(?:no|none|not|nil|nothing|without|unavailable|missing|blank)\b|n't\b")
_VERB = re.compile(
    r"\b(?:(?:is|are|was|were|has|have|had|does|do|did)(?:n't)?|pass\w*|meets?|reach\w*|qualif\w+|fits?|fulfils?|count|targets?|acts?|carries|exists?|know[ns]?)\b"
)
_MODAL = re.compile(r"\b(?:may|might|could)\b")
_CLAIMS = re.compile(
    r"\b(?:to (?:the best of )?my (?:best )?knowledge|as far as i (?:know|can tell|recall|remember)|with that caveat"
    r"|from memory|i (?:do )?(?:believe|recall|remember)|my (?:best )?(?:understanding|recollection)|based on what"
    r"|going by|from what)\b"
)


@dataclass(frozen=True, slots=True)
class RuleGrade:
    """What the rule says about an answer: the grade as a text (`-1.0` to `3.0`), the state, and the reasons."""

    grade: str
    state: str
    why: tuple[str, ...]

    @property
    def label(self) -> str:
        """The grade as a certificate compares it with labels: good, bad or abstain."""
        if self.state == terms.ABSTAINED:
            return ABSTAIN
        return GOOD if float(self.grade) >= terms.GOOD else BAD


def grade(
    asked: str,
    gold: str,
    response: str,
    facts: Sequence[Fact] | None = None,
    names: Mapping[str, Sequence[str]] | None = None,
    phrases: Phrases | None = None,
) -> RuleGrade:
    """Grade a response to a question against its gold answer, by `facts` if given, otherwise by the gold answer's text.

    `names` maps names to their other names. `phrases` are the ways to say that one does not know, by default those of
    the packaged table. Any text is graded. A blank text, and a text that only repeats the question, gets 0.
    """
    q = question(asked)
    text = completed(without_orders(plain(unpacked(response))), q)
    text = weak_no(text) if q.yes_no else text
    if empty(text):
        return RuleGrade(NOT_KNOWN, terms.ABSTAINED, ("a mark in place of an answer",))
    if not _letters(text.text) or _letters(text.text) == _letters(q.text):
        return RuleGrade("0.0", terms.ANSWERED, ("says nothing, or the question alone",))
    if not q.yes_no and _YES_OR_NO.fullmatch(text.lower):
        return RuleGrade("0.0", terms.ANSWERED, ("says yes or no to a question that asks for more",))
    wanted = list(facts or gold_facts(asked, gold))[:MOST]
    names_said = _said_names(wanted)
    told = focused(text, q, names_said)
    known = knowing(told.text, phrases or abstentions.packaged())
    if foreign(known.rest, q, {word for name in names_said for word in re.findall(r"[a-z]{4,}", name.lower())}):
        return RuleGrade("0.0", terms.ANSWERED, ("is about something else",))
    read = _Versions(told, q, names or {}, phrases or abstentions.packaged())
    fared = [read.fares(one, wanted) for one in wanted]
    if read.abstains(fared):
        return RuleGrade(NOT_KNOWN, terms.ABSTAINED, ("says that it does not know",))
    found = graded(
        fared,
        wh=_asks_more(q, wanted),
        letters=len(text.text),
        gold_letters=len(gold),
        builds=q.builds,
        aside=told.aside,
    )
    return RuleGrade(text_of(found), terms.ANSWERED, tuple(map(_why, fared))[:20])


class _Versions:
    """A response as its versions, from the first to the last; of each fact, the last version that states it counts."""

    def __init__(self, told: Focused, asked: Question, names: Mapping[str, Sequence[str]], phrases: Phrases) -> None:
        self._told = told
        whole = denies_all(told.text)  # "it is false that" concerns all that follows
        found = Revised((told.text,)) if whole else revised(told.text)
        self.known = [knowing(one, phrases) for one in found.versions]
        self.withdrawn = found.withdrawn
        self._said = [ReadResponse(one.rest, asked, names) for one in self.known]
        self._core = (
            knowing(told.core, phrases) if len(found.versions) == 1 and told.core is not None and not whole else None
        )
        if self._core is not None:  # background first, then what is about the subject
            self._said.append(ReadResponse(self._core.rest, asked, names))

    def fares(self, one: Fact, facts: Sequence[Fact]) -> Fared:
        """Return the status of a fact in the last version that states it."""
        found = [fares(one, said, facts) for said in self._said[-1:]]
        for said in reversed(self._said[:-1]):
            if found[-1].stated:
                break
            found.append(fares(one, said, facts))
        if self._core is not None and one["kind"] == NAMES and found[-1] is found[0]:
            whole = fares(one, self._said[0], facts)
            return whole if whole.share > found[0].share else found[0]  # a list may stand before the subject is named
        return self._together(found, facts) if len(found) == 1 and len(self.known) > 1 else found[-1]

    def _together(self, found: list[Fared], facts: Sequence[Fact]) -> Fared:
        """Return the status of a list of which a correction names a part, by all versions together."""
        last, said = found[0], self._said[-1]
        if last.fact["kind"] != NAMES or last.status != NEAR or last.extra or _ONLY.search(said.text.lower):
            return last
        before = ReadResponse(Plain("\n".join(one.text.text for one in self._said)), said.asked, {})
        whole = fares(last.fact, before, facts)
        if whole.share <= last.share:
            return last
        return Fared(last.fact, RIGHT if whole.share == 1 else NEAR, whole.share, 0.0, f"{whole.why}, corrected")

    def _leaves_open(self, fared: Sequence[Fared]) -> bool:
        """Whether the response states what is asked for only in sentences that leave it open."""
        last = self._said[-1]
        kept = [span.text for span in last.text.sentences if not _OPEN.search(span.text.lower())]
        if len(kept) == len(last.text.sentences):
            return False
        facts = [one.fact for one in fared]
        rest = ReadResponse(Plain("\n".join(kept)), last.asked, {})
        return not any(fares(one, rest, facts).stated for one in facts if one["asked"])

    def _tells(self, fared: Sequence[Fared]) -> bool:
        """Whether the response names something of a kind that is asked for, which no fact accounts for."""
        said = self._said[0]
        kinds = {kind_of(str(name)) for one in fared if one.fact["asked"] for name in _names(one.fact)} - {""}
        slots = {
            slot_of(one.fact["slot"]) for one in fared if one.fact["asked"] and one.fact["kind"] in (INTEGER, NUMBER)
        }
        return any(said.named(kind) for kind in kinds) or any(one.slot in slots for one in said.mentions)

    def abstains(self, fared: Sequence[Fared]) -> bool:
        """Whether the response says that it does not know, or withdraws what it said without saying anything else."""
        unknown = self._core is not None and self._core.anywhere
        gives_up = (
            len(known := self.known) > 1 and known[-1].anywhere and not _MORE.search(self._told.text.lower[-160:])
        )
        if self.withdrawn or unknown or gives_up:
            facts = [one.fact for one in fared]
            ends = self._said[self.withdrawn :] if self.withdrawn and not gives_up else self._said[-1:]
            if not any(fares(one, said, facts).stated for said in ends for one in facts if one["asked"]):
                return True
        said = self._said[0]
        if not any(one.stated for one in fared if one.fact["asked"]) and not self._tells(fared):
            texts = [one.text for one in self._said] + [self._told.text]
            if any(one.anywhere or one.elsewhere for one in known):
                return True
            told = any(one.status == RIGHT and not one.fact["slot"].startswith("stud") for one in fared)
            return not told and (any(map(hazy, texts)) or (_one_value(fared) and _wordless(self._told.text)))
        if any(one.anywhere for one in known) and self._leaves_open(fared):
            return True
        all_known = Knowing(
            known[0].first,
            any(one.anywhere for one in known),
            any(one.elsewhere for one in known),
            Plain("\n".join(one.rest.text for one in known)) if len(known) > 1 else known[0].rest,
        )
        said = self._said[0] if len(known) == 1 else ReadResponse(all_known.rest, self._said[0].asked, {})
        return _abstains(all_known, said, fared)


def _said_names(facts: Sequence[Fact]) -> list[str]:
    """Return the names of the answer and their other names, and what its facts belong to."""
    found = [*(one["of"] for one in facts), *(str(name) for one in facts for name in _names(one))]
    return [*found, *(way for one in facts for ways in (one.get("names") or {}).values() for way in ways)]


def _names(one: Fact) -> Sequence[Any]:
    return one["value"] if one["kind"] == NAMES else [one["value"]] if one["kind"] == NAME else []


def _abstains(known: Knowing, said: ReadResponse, fared: Sequence[Fared]) -> bool:  # noqa: PLR0911 (one return a case)
    """Whether a response says that it does not know, without still stating a fact that is asked for."""
    if not (known.anywhere or known.elsewhere):
        return False
    asked = [one for one in fared if one.fact["asked"] and one.stated]
    if not known.anywhere:
        return not asked
    if not asked:
        return True
    sure = [one for one in asked if one.fact["kind"] != VERDICT]
    guess = _PERHAPS if sure else _MAYBE
    firm = not all(_MODAL.search(span.text.lower()) for span in said.text.sentences)
    most = firm and any(one.status in (RIGHT, NEAR) for one in sure)
    lines = [span.text.lower() for span in said.text.sentences]
    if known.first and not most and all(guess.search(line) and not _PLAINLY.search(line) for line in lines):
        return True
    if known.first and known.elsewhere and not any(one.status in (RIGHT, NEAR) for one in asked):
        return not _TURNS.search(said.text.lower)
    more = [one for one in fared if one.fact["asked"] and one.fact["kind"] not in (VERDICT, INTEGER)]
    ends = said.text.sentences[-1].text if said.text.sentences else ""
    if all(one.fact["kind"] == VERDICT and one.status == MIXED for one in asked) and len(said.text.text) < 60 and ends:
        return True
    told = any(one.status == RIGHT and slot_of(one.fact["slot"]) in ("position", "year") for one in asked)
    counted = [one for one in asked if one.fact["kind"] == INTEGER]
    counts = told or any(one.status == RIGHT or "how many" in said.asked.lower for one in counted)
    if more and not counts and not any(one.stated for one in more) and not any(map(lead, said.text.sentences)):
        return True
    if _CLAIMS.search(said.text.lower):
        return False
    verdict_alone = all(one.fact["kind"] == VERDICT for one in asked)
    return verdict_alone and (said.stance.hedged or not said.stance.named or (known.first and _guesses(said.text)))


def _one_value(fared: Sequence[Fared]) -> bool:
    """Whether a question asks for what there always is, such as a position, so "none here" is no answer."""
    asked = [one.fact for one in fared if one.fact["asked"]]
    return all(one["kind"] in (INTEGER, NUMBER) and slot_of(one["slot"]) != "count" for one in asked)


def _wordless(text: Plain) -> bool:
    """Whether a text is a fragment that says of nothing in particular that it is not there, such as "no value here"."""
    return len(text.text) < 80 and bool(_NIL.search(text.lower)) and not _VERB.search(text.lower)


def _guesses(text: Plain) -> bool:
    """Whether everything besides the disclaimer is general or a guess, without a plain yes or no."""
    if any(_PLAINLY.search(one.text.lower()) or lead(one) for one in text.sentences):
        return False
    return all(_GUESS.search(one.text.lower()) or len(one.text) < 25 for one in text.sentences)


def _asks_more(q: Question, facts: Sequence[Fact]) -> bool:
    """Whether a question asks for more than yes or no, by its first word and by the facts of the gold answer."""
    begins = not re.match(r"^(?:is|are|was|were|does|do|did|has|have|had)\b", q.lower)
    return begins and any(one["asked"] and one["kind"] != VERDICT for one in facts)


def _why(one: Fared) -> str:
    of = f" of {one.fact['of']}" if one.fact["of"] else ""
    return f"{one.fact['slot']}{of}: {one.status}{f' ({one.why})' if one.why else ''}"[:200]


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def judge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the rule's judgement of every answer: its grade and the reasons.

    In paper mode the text of a failed request is not read; it gets the grade of an answer that does not know.
    """
    phrases = abstentions.read_phrases(inputs["abstentions"]) if "abstentions" in inputs else abstentions.packaged()

    def says(case: judged.JudgedCase) -> dict[str, Any]:
        text = case.response["text"]
        if params.get("mode") == terms.PAPER and text.startswith(terms.FAILED):
            return {"grade": NOT_KNOWN, "why": ["a failed request, graded as the paper's way did"]}
        gold = case.gold["gold"]
        found = grade(case.item["input"]["question"], gold["target"], text, gold.get("facts"), phrases=phrases)
        return {"grade": found.grade, "why": list(found.why)}

    judged.rule(params, inputs, out, says)
