"""Patterns of the rules OURS-v2 for anagrams: the forms of words in which a word is put forward or taken back.

It knows forms of words; it must never know an item, or what a match means for a label.
"""

from __future__ import annotations

import re

WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_W = r"\"?'?(?<![a-z])(?<![a-z]-)([a-z]+(?:-[a-z]+)*)(?![a-z0-9]|-[a-z])"  # whole: no part of a word is put forward
# Letters one by one: "l-i-s-t-e-n", "l i s t e n", "l, i, s, t, e and n", "l + i + s".
SPELLED = re.compile(
    r"(?<![a-z0-9'])\"?[a-z]\"?(?:(?: ?[-+,./|_>] ?| )(?:and )?\"?[a-z]\"?(?![a-z0-9'])){2,}", re.IGNORECASE
)
_GLUE = (
    r"(?:(?:most likely|probably|likely|simply|therefore|actually|indeed|in fact|then|perhaps|definitely|"
    r"either|clearly|obviously|just|an?|the|english|correct|common|valid|final|right|word|words|answer|"
    r"indeed|of|for|called|out|as|is|would be) |[:,] ?|- |\(?[a-e]\) ?){0,6}"
)
_IS = (
    r"(?: ?[:=]| (?:is|was|are|be|being|would be|could be|might be|may be|must be|should be|has to be|"
    r"can be|seems to be|appears to be|reads)(?![a-z]))"
)
STATED = (
    # the answer is X
    re.compile(
        rf"\b(?:answer|solution|words?|result|original|guess|response|output|verdict|unscrambled|rearranged|anagram|"
        rf"respuesta|r\u00e9ponse|antwort|risposta|wort|mot|palabra|parola|palavra|slovo|"
        rf"\u043e\u0442\u0432\u0435\u0442|\u0441\u043b\u043e\u0432\u043e|\u7b54\u6848)"
        rf"\"?[^.\n:=!?]{{0,80}}?{_IS} ?{_GLUE}{_W}"
    ),
    re.compile(rf"(?:answer|solution|word|unscrambled|result)\"? ?[:=]\s{{0,3}}{_GLUE}{_W}"),
    re.compile(
        rf"\b(?:i(?:'ll| will|'d| would) (?:answer|say|choose|pick|try)|"
        rf"go(?:ing)? with|settle (?:on|for)|choose|pick|stick with|final answer|guess(?:ing)? is|opt for)"
        rf" {_GLUE}{_W}"
    ),
    re.compile(
        rf"{_W}\"? (?:is|was|must be|would be|has to be|should be) (?:the|my|our) (?:\w+ ){{0,2}}(?:answer|"
        rf"solution|word|guess|result|one)\b"
    ),
)
SHOWN = (
    re.compile(
        rf"(?:->|=>|=|\bspells?(?: out)?|\bspelling(?: out)?|\bunscrambles?(?: to| into| as)|"
        rf"\bunscrambled(?: to| into| as| it)?|\brearranged?(?: \w+){{0,4}}?(?: to| into| as)(?: form| make|"
        rf" spell| get| give)?|\brearranges(?: to| into)|"
        rf"\b(?:to|into|can|could|i|you|we|they|it|letters|which|this|that|will|would) (?:form|make|spell|get|"
        rf"give|create|produce|find|have|see|read)s?|\bforms|\bmakes|\bgives?(?: us| me| you)?|\byields?|"
        rf"\bbecomes?|\bturns? into|\bcomes? out as|\banagram (?:of|for)|\bgot|\bgets?|\breads|"
        rf"\bdecodes? (?:to|as)|\bform(?:ing)? the word|\bturn(?:ed|ing)? (?:\w+ ){{0,3}}into|\bthen)"
        rf" ?{_GLUE}{_W}"
    ),
    re.compile(
        rf"(?:\bit's|\bit is|\bthat's|\bthis is|\bthat is|\bit was|\bit must be|\bmust be|\bi(?:'d|"
        rf" would)? (?:say|guess|think|believe|bet|suspect|propose|suggest)(?: that)?(?: it'?s?)?(?: is|"
        rf" be)?(?: spells)?|\bmaybe|\bperhaps|\bprobably|\bpossibly|\bso|\bthus|\bhence|\btherefore|\btry|"
        rf"\bhow about|\bwhat about|\bmight be|\bcould be|\bmean|\bmeant|\bmeans|\bdefinitely|\bah|\boh|\baha|"
        rf"\byes|\bbingo|\bobviously|\beasy|\bonly|\bleaves)[,:!.]{{0,3}} ?{_GLUE}{_W}"
    ),
    re.compile(
        r"(?:^|[.!?:\n] ?|, |so |- )\"?(?<![a-z])([a-z]+)\"?,? (?:is what|is an? (?:valid |real )?(?:anagram|"
        r"word|rearrangement)|it is|fits|works|uses (?:all|every|each)|comes out|seems right|looks right|"
        r"has all|can be (?:made|formed|spelled)|would be my|is my|i think|i believe|i guess|perhaps|maybe|"
        r"surely|probably|for sure|of course)"
    ),
)
SHUFFLED = re.compile(
    rf"\b(?:shuffl|jumbl|scrambl|mix|rearrang)\w+ (?:up )?(?:the )?(?:letters (?:of|in) )?{_W}\"? (?:gave|"
    rf"gives|give|yields|leads|results|produces)\b"
)
LAST = re.compile(r"[:.?!] ?\"?([a-z]{3,})\"?[.!]?$")
QUOTED = re.compile(r"(?<![a-z])[\"']([a-z]{2,}(?:-[a-z]+)*)[.,!?]?[\"'](?![a-z])")
LONE = re.compile(r"^\W*(?:\d{1,2}[.)] )?([a-z]+(?:-[a-z]+)*)\W*$", re.MULTILINE)
REJECTED_BEFORE = re.compile(
    r"(?:\bnot|n't(?: be)?|\bnor|\bneither|\brather than|\binstead of|\bexcept|\bnever|\bwithout|"
    r"\bthought of|\bfirst saw|"
    r"\brule out|\bunlike|\bno longer|\bignore|\bnot \w+,? \w+ and not|\balmost|\bnearly|\bcontains?|"
    r"\bfragment|\blooks like|"
    r"\bresembles?|\brhymes with|\bsimilar to|\btempted to say|\bclose to|\bfrom|\bwrong|\bletters (?:of|in)|"
    r"\bstarts? with|\bends? (?:with|in)|\bending|\bprefix|\bsuffix|\btried)(?: the word| simply| just|:|"
    r" an?)?[ \"']{0,3}$"
)
REJECTED_AFTER = re.compile(
    r"^[\"']?(?: \(.{0,40}\))?[,;:]? ?(?:- )?(?:(?:but|which|that|it|and|though|however|yet|no,?)"
    r" ){0,2}(?:is not|isn't|is wrong|is incorrect|are not|aren't|was not|"
    r"wasn't|(?:would|will|does|do|did|can|could)(?: not|n't)|cannot|is (?:too|missing|only|one letter|"
    r"short|invalid|close)|has (?:too|an extra|one|two|only|a|an|no)|"
    r"(?:needs?|lacks?|leaves?|uses? (?:an?|two|too|only|letters)|misses)\b|is in there|that leaves|"
    r"leaving|(?:has|have) (?:\w+ ){0,2}extra|nope|won't|wouldn't|\?? ?no\b(?! doubt)|fails|"
    r"i do not think)"
)
CODE = re.compile(r"\bprint\(|\bdef \w+\(|\bimport \w+|\breturn \w|\.join\(|\bfor \w+ in ")
BARE_LIST = re.compile(r"(?:[\"']?[a-z]+[\"']?(?:,? or |,? and |, ?| ?/ ?|\n|; ?| ))+[\"']?[a-z]+[\"']?[.?!]?")
PAIR = re.compile(
    r"(?:^|[\n.;] ?)(?:\d+[.)] )?(?:unscramble(?: this)?|jumble|letters|anagram|scrambled|"
    r"word)?:? ?([a-z]{3,}) ?(?:->|=>|=|:| is) ?([a-z]{3,})"
)
MORE = re.compile(
    r"[.\n] ?(?:unscramble|rearrange|jumble|find an anagram|take the letters|make an english word|puzzle|"
    r"exercise)\b[^\n]{0,80}"
)
TURNS = re.compile(r"\b(?:but|however|no|not|or|final|settle|isn't)\b")
BESIDE = re.compile(r"[\"']?(?:[,;/|\s]|or|and|- |\d{1,2}[.)])*[\"']?")
