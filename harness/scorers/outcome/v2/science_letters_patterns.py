"""Patterns of the rules OURS-v2 for options: forms in which a letter is put forward, taken back or left open.

It knows forms of words; it must never know an item, or what a match means for a label.
"""

from __future__ import annotations

import re

# A letter that is no part of a word; a small one, or the article A, only before a sign or an end.
_L = (
    r"[\"'(\[{ ]{0,3}(?:([A-D])(?![A-Za-z0-9'^/]| [a-z]{2,})|([B-D])(?![A-Za-z0-9'^/])|([a-d])"
    r"(?=[\"')\]}]{0,2}\s*(?:[.,;:!)\]}\n]|$)))[\"')\]}]{0,2}"
)
_KIND = (
    r"(?:(?:option|choice|letter|answer|number|alternative|statement|definitely|probably|clearly|"
    r"most likely|likely|indeed|simply|therefore|actually|still|either|the|opci\u00f3n|la|die|l'option|is|"
    r":|-|,) ?){0,4}"
)
_BE = (
    r"(?: ?[:=\uff1a]| is| are| was| be| would be| should be| must be| has to be| could be| might be|"
    r" may be| es| est| ist| \u00e8| \u00e9| seems to be|\u662f)"
)
STATED = (
    re.compile(
        rf"(?i:\b(?:answers?|choice|option|solution|letter|alternative|selection|response|guess|respuesta|"
        rf"opci\u00f3n|r\u00e9ponse|antwort|risposta|resposta|right one|correct one|best one|ans|key|verdict|"
        rf"\u043e\u0442\u0432\u0435\u0442|correct|\u7b54\u6848)\"?(?! [a-d] )[^.\n:=?!;]{{0,60}}?{_BE} ?{_KIND}){_L}"
    ),
    re.compile(
        rf"(?i:\b(?:choose|chose|pick|take|select|go with|going with|opt for|settle (?:on|for)|say|mark|circle|"
        rf"tick|vote for|choosing|picking|selecting|lean(?:ing)? toward[s]?|stick with|write|bet on|believe|"
        rf"think|guess|conclude|it'?s|it is|that'?s|must be|has to be|leaves?(?: us with| only)?|leaving|"
        rf"left with|only|answer|ans|which is|points? to|corresponds? to|matches|gives|favou?rs?|means|"
        rf"supports|that is|meant|mean|i\.e\.|rather|to|as|is)"
        rf" ?{_KIND}){_L}(?=[\"')\]}}]{{0,2}}\s*(?:[.,;:!\n)(]|$|- |because|since|as |but |and not|for |"
        rf"on the |here\b|over |instead))"
    ),
    re.compile(
        rf"(?i:(?:\bso|\bthus|\bhence|\btherefore|\bthen|->|=>|=|\bconclusion|\byes|\bok|\bokay|\bno|\bwait|"
        rf"\bactually|\bcorrection|\bsorry|\bprobably|\bmaybe|\bdefinitely|\bclearly|\bfinally|\binstead|"
        rf"\brather)[,:.]? ?{_KIND}){_L}(?=[\"')\]}}]{{0,2}}\s*(?:[.,;:!\n)]|$|- |because|since|and not))"
    ),
    re.compile(
        r"[\"'(\[]{0,2}\b([A-D])\b[\"')\]]{0,2},? (?:(?:is|are|was|were|would be|must be|seems|looks|"
        r"has to be|sounds|appears|should be|:|-) ?)+(?:to be |therefore |clearly |indeed |obviously |"
        r"definitely |also |probably |most |the |my |our |only |one |that is |still |thus )*(?:correct|right|"
        r"best|true|answer|accurate|likely|option|choice|solution|guess|pick|fit|winner|one left|left|one)\b"
    ),
    re.compile(
        r"[\"'(\[]{0,2}\b([A-D])\b[\"')\]]{0,2} (?:it is|fits|works|remains|for sure|matches|is left|"
        r"makes (?:the most )?sense|wins)\b"
    ),
    re.compile(r"(?:^|[\n.;,] ?)(?:- )?[\"'(\[]{0,2}([A-D])[\"')\].:]{1,3} [^\n]{0,120}[\u2713\u2714\u2705]"),
    re.compile(
        r"(?:^|[\n.;,?!] ?)(?:- )?[\"'(\[]{0,2}([A-D])[\"')\].:?]{1,3} (?:[^.\n;]{0,60}? ?(?:- |: |\()"
        r")?(?i:right|correct|true|yes|\u2713|\u2714|\u2705)(?![a-z])"
    ),
)
MARKED = (
    re.compile(
        r"^[\"'(\[{ ]{0,3}(?:(?i:answer|option|choice|ans|a)[:.]? ?)?[\"'(\[{]{0,2}(?:([A-D])"
        r"(?:[\"')\]}.:,;!\n]|$| ?- )|([a-d])(?:[)\].:]|$|\n))"
    ),
    re.compile(r"^[\"'(\[{ ]{0,3}([A-Da-d])[\"')\]}.]{0,3}$", re.MULTILINE),
    re.compile(r"[(\[{<]([A-D])[)\]}>]"),
    re.compile(r"^(?:[A-Za-z]{2,},? ){1,3}[\"'(]{0,2}([A-D])\W*$"),
    re.compile(r"(?:[.!?:] |, |\n)[\"'(\[]{0,2}([A-D])[\"')\]]{0,2}[.!]?$"),
    re.compile(r"\b(?i:option|choice|answer|letter)s? [\"'(\[]{0,2}([A-D])\b(?!')"),
    re.compile(r"^(?:- )?([A-D])[).:] (?=\S)", re.MULTILINE),
)
NUMBERED = re.compile(
    r"\b(?:(?:the )?(first|second|third|fourth|last) (?:option|choice|one|answer|alternative)|(?:option|"
    r"choice|answer|number)(?: is)?:? (?:#|no\. ?)?(1|2|3|4|i|ii|iii|iv|one|two|three|four))\b(?!\.?\d)",
    re.IGNORECASE,
)
_MORE = r"(?:,? ?(?:and|or|nor|&|/|,) ?(?:option |choice |not )?[\"'(\[]?[A-D]\b[\"')\]]?(?!'))"
NOT = re.compile(
    r"(?i:\bnot(?: be)?|n't(?: be)?|\bcannot be|\bneither|\bnor|\brul(?:e|ed|ing) out|\beliminat(?:e|es|"
    r"ed|ing)|\bexclud(?:e|ed|ing)|\bdiscard(?:ed|ing)?|\bdrop|\bcross(?:ed|ing)? out|\brather than|"
    r"\binstead of|\bexcept|\bunlike|\bthan|\bgoing to say|\bfirst thought(?: of| it was)?|"
    r"\btempted (?:by|to say|to choose)|\bmight (?:say|think|choose|pick|seem)|\bwhether|\bsay|"
    r"\beveryone (?:says|said|picks)|\bcould have been|\bused to think)"
    r"(?i: it'?s?)?(?i: (?:be|is|was|options?|choices?|answers?|either|for|letters?|the)"
    r")* ?[\"'(\[]?([A-D])\b[\"')\]]?(?!')" + f"({_MORE}{{0,3}})"
)
ASIDE = re.compile(  # letters that name something else, or that are only supposed
    r"(?i:\b(?:student|vitamins?|hepatitis|points?|groups?|class|type|if|unless|player|from|thing as|"
    r"person|team|figure|step|"
    r"part|plan|blood type|grade|process|sample|box|line|object|ball|car|beaker|plate|solution|"
    r"select (?:one of )?\w+ following:?)) ([A-D])\b()"
)
WRONG = re.compile(
    r"[\"'(\[]?\b([A-D])\b[\"')\]]?" + f"({_MORE}{{0,3}})"
    r"(?:[):.]{0,2} ?(?! ?[A-D]\b)(?:\([^()]{0,60}\) )?[^.\n;:,?]{0,40}?\??)(?i:(?:,? ?(?:-|:)? ?)(?:can(?:not|'t) be|"
    r"(?:is|are|was|were|seems?|looks?|would be)? ?(?:both |all |also |clearly |simply |obviously |"
    r"definitely |just )?(?:wrong|incorrect|not|false|out\b|ruled out|eliminated|tempting|too|excluded|"
    r"unlikely|no\b|nonsense|impossible|irrelevant|distractors?|isn't|aren't|wasn't|is for|describe|refer)"
    r"|does(?:n't| not)|do(?:n't| not)|isn't|aren't|\u2717|\u2718|\u274c))"
)
OPEN = re.compile(
    r"\b([A-D])\b[\"')?]{0,3}(?:,? (?:or|oder|ou|o|maybe|perhaps) (?:maybe |perhaps |possibly |even |"
    r"it is |option )?|\? )[\"'(\[]?([A-D])\b"
)
EITHER = re.compile(r"(?i:\beither (?:it is |it's |option )?)\W?([A-D])\b\W? or \W?([A-D])\b")
BOTH = re.compile(r"(?:\b([A-D])\b\)?(?: and | & |, ?| ?\+ ?)\(?([A-D])\b)")
