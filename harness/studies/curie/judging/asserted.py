"""What a text asserts of its subject (OURS): without what it denies, withdraws, compares with, or tells of others.

Independent of materials, properties and values.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

_WRONG = re.compile(
    r"\([^()\n]{0,200}\b"
    r"(?:by mistake|mistaken\w{0,2}|wrong\w{0,2}|erroneous\w{0,2}|historical\w{0,2}|misprint\w{0,3}|typo)\b"
    r"[^()\n]{0,200}\)"
)
_END = r"(?:[^,;.()\n]|\.(?=\d))*"  # to the end of the clause
_DENIED = re.compile(
    r"\b(?:(?:and |but )?not(?! only\b)(?: yet)?|no longer|never|rather than|instead of|as opposed to|unlike"
    r"|in contrast (?:to|with)|by contrast with|compared (?:to|with)|in comparison (?:to|with)|as compared (?:to|with)"
    r"|against which|whereas|other than|differs? from|different from|distinct from|except(?: for)?|excluding|without"
    r"|in the absence of|prior to|before|usually quoted for|(?:higher|lower|larger|smaller|greater|less|more) than"
    r"|as for|although|even though|despite|compare(?= (?:with |to )?-?\d)|cf\.|relative to|with respect to"
    r"|formerly|previously)\b" + _END,
    re.IGNORECASE,
)
_ALSO = re.compile(r"(?<=[;.])\s[^;.\n]{0,300}\b(?:also|too|as well)\b(?:[^;.\n]|\.(?=\d)){0,300}")  # of other samples
_BUT = re.compile(r"\bbut\b(?! not\b)", re.IGNORECASE)
_COMPARED = re.compile(r"\b(?:compared (?:to|with)|versus|vs\.?|against|as well as|and|or)\b", re.IGNORECASE)
_WHICH = re.compile(r"\b(?:the )?(?P<which>latter|former)\b", re.IGNORECASE)
_IDENTIFIED = re.compile(
    r"(?:\bi\.\s?e\.,?|\bidentified (?:as|to be)|\bthat is,|\bnamely|\bin fact|\bactually|\bin reality|\bcorrected to"
    r"|\bshould (?:be|read)|\bindexed as|\bassigned to|\bturned out to be|\bconfirmed (?:as|to be)|\bproved to be)\s+"
    r"(?:the |an? )?(?P<of>(?:[^,;.()\n]|\.(?=\d)|(?<=\w)[()]){1,80})",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"\b(?:corrected|should (?:be|read|have)|erratum|corrigendum|withdrawn|withdrew|retract(?:ed|s)|revised|rectified"
    r"|taken back|took back|take back|revoked|disowned|superseded|invalidated|discarded|disproved|refuted|amended"
    r"|updated|misprint|mistyped|typo|(?:typing|printing|clerical|transcription|typographical|calculation"
    r"|unit) error|mistaken(?:ly)?|erroneous(?:ly)?|in error|by mistake"
    r"|no longer (?:valid|hold|held|stand)s?)\b(?P<of>[^\n]{0,200})",
    re.IGNORECASE,
)
_MISLABELLED = re.compile(
    r"\b(?:filed|listed|labell?ed|named|called|entered|denoted|designated|recorded|given|catalogued)(?: as| under"
    r"| with)? "
    r"[^,;.()\n]{1,40}?\b(?:by mistake|by (?:the authors|them) for short|for short|wrongly|mistakenly|erroneously"
    r"|in error|for historical)"
    r"|\b(?:wrongly|mistakenly|erroneously|loosely|misleadingly) (?:filed|listed|labell?ed|named|called|entered"
    r"|denoted|designated)",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:(?:believed|thought|supposed|assumed|expected|suggested|likely|considered|reported|presumed|suspected) to be"
    r"|(?:seems?|appears?)(?: to be)?|(?:may|might|could|must) be"
    r"|(?:we|the authors|they) (?:believe|think|assume|suppose|presume|suspect)(?: that)?"
    r"|(?:most |very )?(?:presumably|probably|possibly|perhaps|maybe|likely|plausibly|tentatively|apparently|seemingly)"
    r"|supposedly|reportedly|allegedly|arguably|conceivably|putative(?:ly)?|presumed|suspected|assumed"
    r"|tentative)\b,?\s?"
    r"|^(?:and |but )?(?:then|later|now|finally|eventually|afterwards|in the end)\b,?\s?|\s?\(?\?{1,3}\)?(?=\s*$)",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:at first|initially|originally|formerly|previously|preliminar\w{1,3}|earlier|in the preprint|first tried"
    r"|withdrawn|retracted|superseded|discarded|rejected|abandoned|by mistake|misprint|erroneous(?:ly)?|obsolete"
    r"|no longer used|taken back)\b",
    re.IGNORECASE,
)
_TRIED = re.compile(
    r"\b(?:test(?:ed|s|ing)?|tried|checked|compared|explored|scanned|screened|considered|first|at first|initial"
    r"(?:ly)?|trial)\b",
    re.I,
)
_USED = re.compile(
    r"\b(?:was|were|is|are|has been)?\s?(?:finally |eventually |then )?(?:used|chosen|adopted|employed|taken"
    r"|selected|kept|retained)"
    r"(?: in the end| finally| throughout)?\b|\bfor (?:the )?(?:final|production) (?:runs?|calculations?|results?)\b",
    re.IGNORECASE,
)
_BECAME = re.compile(
    r"^not [^;,\n]{1,60}? but\b|\b(?:corrected|replaced|changed|increased|raised|lowered|reduced|revised|updated"
    r"|amended|superseded|switched)(?: later| then| afterwards)? (?:to|by|with)\b"
    r"|\bshould (?:be|read|have been)\b|\b(?:misprint|typo|mistake|error) for\b"
    r"|\b(?:given up|gave up|dropped|abandoned|discarded|rejected|replaced|exchanged|swapped|set aside|left|avoided)"
    r" (?:in favou?r of|for|in exchange for)\b|\bin favou?r of\b",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"\b(?:given up|gave up|dropped|abandoned|discarded|rejected|replaced|exchanged|swapped|set aside|avoided)"
    r"(?: [a-z]{1,12}){0,2} in favou?r of\b|\bin favou?r of\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\(([^()\n]{1,200})\)")
_SUBJECT = re.compile(
    r"\b(?:values?|figures?|numbers?|results?|data|datum|reading|property)(?: here| given)?"
    r" (?:of|for|from|measured on|taken on|obtained (?:on|for)|refers? to|belongs? to|applies to|holds for|pertains to"
    r"|stands for|(?:is|are|was|were) (?:that of|those of|for|of|measured on|taken on))"
    r" (?:the |an? |our )?(?P<of>[^,;.()\n]{1,80})",
    re.IGNORECASE,
)


@lru_cache(4096)
def asserted(text: str) -> str:
    """Return a plain text without the clauses that deny or compare: `film, unlike the bulk` becomes `film, `.

    Of two things that are told apart as the former and the latter, only the one that is meant is kept.
    """
    text = _WRONG.sub(" ", text)
    if _INSTEAD.search(text):
        text = "".join(_INSTEAD.split(clause)[-1] for clause in re.split(r"((?:;|\.(?!\d)|\n))", text))
    if found := _WHICH.search(text):
        head = text[: found.start()]
        splits = list(_COMPARED.finditer(head))
        if splits:
            # The first comparison separates the two; an `and it is` before the pronoun does not.
            split = next((at for at in splits if at[0].casefold() not in ("and", "or")), splits[0])
            latter = found["which"].casefold() == "latter"
            text = head[split.end() :] if latter else head[: split.start()]
            return text.strip()
    return _DENIED.sub(_kept, _ALSO.sub(" ", text))


def _kept(at: re.Match[str]) -> str:
    """Keep what follows a `but`: `not bulk but film` leaves `film`."""
    said = _BUT.search(at[0])
    return at[0][said.end() :] if said else " "


@lru_cache(4096)
def denied(text: str) -> str:
    """Return the clauses of a plain text that deny: `remanent, not the saturation value` gives the last four words."""
    found = (at[0] for at in _DENIED.finditer(text))
    return "\n".join(
        one for one in found if re.match(r"(?:and |but )?(?:not|never|rather|instead|no longer)\b", one, re.I)
    )


_LACKED = re.compile(
    r"\b(?:without|no|not(?: any)?|free of|free from|rather than|instead of|in the absence of|lacking|devoid of"
    r"|excluding|except(?: for)?|omitting|non-)\s?(?:the |an? |any )?(?P<what>(?:[^,;.()\n]|\.(?=\d)){1,60})"
    r"|(?<!\w)(?P<free>[A-Za-z\d]{2,20})-free\b",
    re.IGNORECASE,
)
_THAT = re.compile(r"\b(?:that|which|who|where|as|was|were|is|are|has|had|used|added|introduced)\b", re.IGNORECASE)


@lru_cache(4096)
def lacked(text: str) -> tuple[str, ...]:
    """Return what a plain text says that its subject lacks or is not: `without the PMMA layer` gives `PMMA layer`."""
    found = (at["free"] or _THAT.split(at["what"])[0] for at in islice(_LACKED.finditer(text), _MOST))
    return tuple(one.strip() for one in found if one.strip())


_ALTERED = re.compile(
    r"\b(?P<un>un|non-?)?(?P<how>reduc(?=ed\b|tion (?:at|in|with|by|under)\b)|fluorinat|oxidi[sz]|nitrid(?=ed|ing"
    r"|ation)|nitrogenat"
    r"|sulfuri[sz]|carburi[sz]"
    r"|sulfonat|chlorinat|lithiat|sodiat|deuterat|irradiat|implant(?=ed|ation|ing)|functionali[sz]|intercalat"
    r"|infus|(?:fill|reinforc|load|blend|decorat|impregnat|modifi)(?=(?:ed|ing|ied) with (?:about "
    r"|some )?(?-i:[\dA-Z]))"
    r"|aminat|carboxylat|phosphori[sz]|passivat|corrod|swollen|poison)\w{0,9}",
    re.IGNORECASE,
)


_THERMAL = re.compile(r"\b(?:thermal|chemical|hydrazine|electrochemical|laser) reduction\b", re.IGNORECASE)


@lru_cache(4096)
def alterations(text: str) -> frozenset[str]:
    """Return how a material is chemically altered according to a plain text: `reduced graphene oxide`."""
    text = _THERMAL.sub("reduced", text)
    found = (
        at["how"].casefold()[:6].replace("s", "z") for at in islice(_ALTERED.finditer(text), _MOST) if not at["un"]
    )
    return frozenset(found)


def without_lacked(text: str) -> str:
    """Return a plain text without what it says that its subject lacks."""
    return _LACKED.sub(" ", text)


@lru_cache(4096)
def repudiated(text: str) -> bool:
    """Whether a plain text says that a value is not what was found: a hope, a goal, or one that does not hold."""
    return bool(_REPUDIATED.search(text))


_REPUDIATED = re.compile(
    r"\b(?:(?:does|do|did|could|can|was|were|is|are|has|have)(?: not|n't| never)(?: been| be)?"
    r" (?:hold|apply|stand|valid|true|reproduc\w{0,3}|confirm\w{0,3}|achiev\w{0,2}|reach\w{0,2}|met|obtained"
    r"|attained|observed"
    r"|supported|borne out|agree with the (?:measure|data)\w{0,7})\b|(?:was|were|had been|is) (?:hoped|aimed"
    r"|wished) for"
    r"|(?:target|goal|aim|desired|required|specified|design|requirement|set-?point)(?: value| figure| level)?"
    r"(?: of| for| in| set| only| that|[,;.)]|$)|falls? short|fell short|(?:itself )?gave (?:less|more|another)"
    r"|(?:were|was|is|are) (?:refuted|disproved|ruled out|rejected|dismissed|abandoned|disputed|wrong|incorrect"
    r"|invalid)"
    r"|turned out (?:to be )?(?:wrong|false|too (?:high|low|large|small))|contradicted by|extrapolated to the ideal"
    r"|not (?:measured|determined|obtained|found|observed) (?:here|by us|in (?:this|the present|our) \w+"
    r"|by the authors|themselves)"
    r"|not (?:the|our) (?:own |measured )?(?:value|result)\b)",
    re.IGNORECASE,
)
_MOST = 20  # findings of one kind in a text


@lru_cache(4096)
def identified(text: str) -> tuple[str, ...]:
    """Return what a plain text says that its subject really is, after `i.e.`, `identified as` and the like."""
    found = tuple(at["of"].strip() for at in _IDENTIFIED.finditer(text))
    if not found and (at := _MISLABELLED.search(text)):
        return (re.split(r"[,;(]", text[: at.start()])[0].strip(),)
    return found


_QUOTED = re.compile(
    r"\b(?:quoted|cited|literature|for comparison|for reference|as a reference|taken from)\b", re.IGNORECASE
)


def quoted(text: str) -> bool:
    """Whether a plain text says that a value is quoted from elsewhere, or is there for comparison."""
    return bool(_QUOTED.search(text))


def corrected(text: str) -> tuple[str, ...]:
    """Return the texts that follow a correction or withdrawal."""
    return tuple(at["of"].strip(" :,") for at in _CORRECTED.finditer(text))


@lru_cache(4096)
def unhedged(text: str) -> str:
    """Return a short plain text without the words that only say how sure its author is: `presumably P2_1/m`."""
    return _HEDGE.sub(" ", text).strip()


@lru_cache(4096)
def settled(text: str) -> str:
    """Return what a field's plain text holds in the end: `50 Ry at first; 70 Ry later` leaves `70 Ry later`.

    A part that is said to be earlier or withdrawn is left out, and so is what was replaced; nothing may be left.
    """
    if at := _BECAME.search(text):
        rest = text[at.end() :].strip(" ()")
        return rest if re.search(r"\w", rest) else text
    text = _ASIDE.sub(lambda at: " " if len(at[1].split()) > 1 and _EARLIER.search(at[1]) else at[0], text)
    parts = [part.strip() for part in re.split(r"[;\n]|,\s|\b(?:but|then|while|whereas)\b", text) if part.strip()]
    used = [part for part in parts if _USED.search(part) and re.search(r"\w", _USED.sub("", part))]
    if used and len(used) < len(parts) and any(_TRIED.search(part) for part in parts if part not in used):
        return "; ".join(_USED.sub(" ", part).strip() for part in used)
    if not _EARLIER.search(text):
        return text
    return "; ".join(part.strip() for part in re.split(r"[;\n]|,\s", text) if not _EARLIER.search(part))


@lru_cache(4096)
def subject(text: str) -> str:
    """Return what a plain text says that the value is of: `value of the bulk reference` gives `bulk reference`."""
    found = _SUBJECT.search(asserted(text))
    return found["of"].strip() if found else ""
