"""The rule grader (OURS, by facts; named `rule`): grades an answer against a gold answer, without any model.

Its tables of phrases and names, and how it decides, are ours; its certificate says how often it agrees with people. It
must never know who answered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.kit import judged
from harness.studies.biomed import terms
from harness.studies.biomed.facts import INTEGER, VERDICT, Fact
from harness.studies.biomed.judging.rule_reading import ReadResponse, without_orders
from harness.studies.biomed.judging.rule_rubric import graded, text_of
from harness.studies.biomed.judging.rule_status import NEAR, RIGHT, Fared
from harness.studies.biomed.judging.rule_values import fares
from harness.studies.biomed.reading import abstentions
from harness.studies.biomed.reading.abstentions import Knowing, Phrases, knowing, weak_no
from harness.studies.biomed.reading.completing import completed
from harness.studies.biomed.reading.golds import gold_facts
from harness.studies.biomed.reading.known_names import VERSION as NAMES
from harness.studies.biomed.reading.plain import Plain, plain
from harness.studies.biomed.reading.questions import Question, question
from harness.studies.biomed.reading.subjects import foreign
from harness.studies.biomed.reading.verdicts import lead

VERSION = f"biomed-rule-1, {abstentions.VERSION}, {NAMES}"  # of the rule and its tables
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


_YES_OR_NO = re.compile(
    r"\W*(?:(?:yes|no|nope|yep|true|false|correct|indeed|certainly|absolutely|of course|definitely|not|none of them)\W*"
    r"|(?:it|they|there|he|this|that) (?:is|are|was|were|do|does|did|has|have|had|isn't|aren't|doesn't|don't|hasn't)"
    r"(?: not)?\W*){1,4}"
)


_TURNS = re.compile(  # goes on, after a disclaimer, to an answer of its own
    r"\b(?:however|that said|nevertheless|nonetheless|to the best of|as far as|from (?:memory|what)|i (?:believe|recall"
    r"|think)|(?:best|rough) (?:estimate|guess)|treat this|approximately|roughly|yes|no)\b"
)


_CLAIMS = re.compile(
    r"\b(?:to (?:the best of )?my (?:best )?knowledge|as far as i (?:know|can tell|recall|remember)|with that caveat"
    r"|from memory|i (?:do )?(?:believe|recall|remember)|my (?:best )?(?:understanding|recollection))\b"
)


@dataclass(frozen=True, slots=True)
class RuleGrade:
    """What the rule says of an answer: the grade as a text (`-1.0` to `3.0`), the state, and why."""

    grade: str
    state: str
    why: tuple[str, ...]

    @property
    def label(self) -> str:
        """Give the grade that a certificate holds against labels: good, bad or abstain."""
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
    """Grade a response to a question against its gold answer, by its facts where they are given, else by its text.

    `names` gives other names by name; `phrases` the ways to say that one does not know, by default those of the
    packaged table. Any text is graded; a blank one, and one that only says the question again, gets 0.
    """
    q = question(asked)
    text = completed(without_orders(plain(response)), q)
    text = weak_no(text) if q.yes_no else text
    if not _letters(text.text) or _letters(text.text) == _letters(q.text):
        return RuleGrade("0.0", terms.ANSWERED, ("says nothing, or the question alone",))
    if not q.yes_no and _YES_OR_NO.fullmatch(text.lower):
        return RuleGrade("0.0", terms.ANSWERED, ("says yes or no to a question that asks for more",))
    if foreign(text, q):
        return RuleGrade("0.0", terms.ANSWERED, ("is about something else",))
    wanted = list(facts or gold_facts(asked, gold))[:MOST]
    known = knowing(text, phrases or abstentions.packaged())
    said = ReadResponse(known.rest, q, names or {})
    fared = [fares(one, said, wanted) for one in wanted]
    if _abstains(known, said, fared):
        return RuleGrade(NOT_KNOWN, terms.ABSTAINED, ("says that it does not know",))
    found = graded(fared, wh=_asks_more(q, wanted), letters=len(text.text), gold_letters=len(gold), builds=q.builds)
    return RuleGrade(text_of(found), terms.ANSWERED, tuple(map(_why, fared))[:20])


def _abstains(known: Knowing, said: ReadResponse, fared: Sequence[Fared]) -> bool:  # noqa: PLR0911 (one return a case)
    """Whether it says that it does not know, and states nothing that is asked for as a fact all the same."""
    if not (known.anywhere or known.elsewhere):
        return False
    asked = [one for one in fared if one.fact["asked"] and one.stated]
    if not known.anywhere:
        return not asked
    if not asked:
        return True
    if known.first and all(_MAYBE.search(one.text.lower()) for one in said.text.sentences):
        return True
    if known.first and known.elsewhere and not any(one.status in (RIGHT, NEAR) for one in asked):
        return not _TURNS.search(said.text.lower)
    more = [one for one in fared if one.fact["asked"] and one.fact["kind"] not in (VERDICT, INTEGER)]
    if more and not any(one.stated for one in more) and not any(map(lead, said.text.sentences)):
        return True
    if _CLAIMS.search(said.text.lower):
        return False
    verdict_alone = all(one.fact["kind"] == VERDICT for one in asked)
    return verdict_alone and (said.stance.hedged or (known.first and _guesses(said.text)))


def _guesses(text: Plain) -> bool:
    """Whether all that is left beside the disclaimer is general or a guess, without a plain yes or no."""
    if any(re.match(r"^\W*(?:yes|no)\b\s*[,.:;]", one.text.lower()) for one in text.sentences):
        return False
    return all(_GUESS.search(one.text.lower()) or len(one.text) < 25 for one in text.sentences)


def _asks_more(q: Question, facts: Sequence[Fact]) -> bool:
    """Whether a question asks for more than yes or no: it begins with another word, and gold has facts for that."""
    begins = not re.match(r"^(?:is|are|was|were|does|do|did|has|have|had)\b", q.lower)
    return begins and any(one["asked"] and one["kind"] != VERDICT for one in facts)


def _why(one: Fared) -> str:
    of = f" of {one.fact['of']}" if one.fact["of"] else ""
    return f"{one.fact['slot']}{of}: {one.status}{f' ({one.why})' if one.why else ''}"[:200]


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def judge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the rule's judgement of every answer: its grade, and why.

    In paper mode the text of a failed request is graded as an answer that does not know, and never read.
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
