"""A number that is a whole answer in words of other languages than English, or in Roman signs: `siebzehn`, `XVII`.

Only a whole answer is read, since words such as `once`, `elf` and `cent` mean something else inside an English text. A
word is cut into the names of numbers from the left, the longest first, so reading takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from unicodedata import normalize

LONGEST = 160  # characters of an answer that may be a number in words

_ROMAN = re.compile(r"(?=[IVXLCDM]{2}|[VX]\Z)M{0,4}(?:CM|CD|D?C{0,4})(?:XC|XL|L?X{0,4})(?:IX|IV|V?I{0,4})")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
# Words that lead to the answer, in plain letters.
_LEAD = re.compile(
    r"\W*(?:(?:the|la|le|el|il|lo|o|a|die|das|de|het)? ?(?:answer|sum|total|result|respuesta|suma|resultado|reponse"
    r"|somme"
    r"|resultat|antwort|summe|ergebnis|risposta|somma|risultato|resposta|soma|antwoord|som|uitkomst)[ :,]{1,3})?"
    r"(?:(?:it is|it's|that is|that's|das ist|das sind|es ist|es sind|das macht|das ergibt|dat is|het is|cela fait"
    r"|ca fait"
    r"|c'est|is|equals|makes|gives|son|es|hacen|est|font|ist|sind|macht|ergibt|sono|fa|fanno|e|sao|da|dao)[ :,]{1,3})?"
    r"[\"'=:(\s]*"
)
_TAIL = re.compile(r"[\"')\s.!,;]*(?:\([^()0-9]{0,60}\)|\[[^\[\]0-9]{0,60}\])?[\s.!]*\Z")


@dataclass(frozen=True, slots=True)
class _Language:
    """The names of numbers with their values, and the words that join them."""

    values: Mapping[str, int]
    part: re.Pattern[str]
    adds_ten_to_tens: bool = False  # soixante-dix

    @classmethod
    def of(cls, names: str, joints: str, *, adds_ten_to_tens: bool = False) -> _Language:
        """Prepare a language from texts such as `1 ein eins, 2 zwei` and `und`."""
        values: dict[str, int] = {}
        for entry in names.split(","):
            value, *words = entry.split()
            values |= {word.replace("_", " "): int(value) for word in words}
        words = sorted((*values, *joints.split()), key=lambda word: (-len(word), word))
        return cls(values, re.compile("|".join(map(re.escape, words))), adds_ten_to_tens)


_GERMAN = _Language.of(
    "1 ein eins eine,2 zwei zwo,3 drei,4 vier,5 funf fuenf,6 sechs,7 sieben,8 acht,9 neun,10 zehn,11 elf"
    ",12 zwolf zwoelf,13 dreizehn,14 vierzehn,15 funfzehn fuenfzehn,16 sechzehn,17 siebzehn,18 achtzehn,19 neunzehn"
    ",20 zwanzig,30 dreissig dreisig,40 vierzig,50 funfzig fuenfzig,60 sechzig,70 siebzig,80 achtzig,90 neunzig"
    ",100 hundert"
    ",1000 tausend",
    "und",
)
_DUTCH = _Language.of(
    "1 een,2 twee,3 drie,4 vier,5 vijf,6 zes,7 zeven,8 acht,9 negen,10 tien,11 elf,12 twaalf,13 dertien,14 veertien"
    ",15 vijftien,16 zestien,17 zeventien,18 achttien,19 negentien,20 twintig,30 dertig,40 veertig,50 vijftig,60 zestig"
    ",70 zeventig,80 tachtig,90 negentig,100 honderd,1000 duizend",
    "en",
)
_FRENCH = _Language.of(
    "0 zero,1 un une,2 deux,3 trois,4 quatre,5 cinq,6 six,7 sept,8 huit,9 neuf,10 dix,11 onze,12 douze,13 treize"
    ",14 quatorze,15 quinze,16 seize,20 vingt,30 trente,40 quarante,50 cinquante,60 soixante,70 septante"
    ",80 quatre-vingt quatre-vingts quatre_vingt quatre_vingts huitante octante,90 nonante,100 cent cents"
    ",1000 mille",
    "et",
    adds_ten_to_tens=True,
)
_SPANISH = _Language.of(
    "0 cero,1 un uno una,2 dos,3 tres,4 cuatro,5 cinco,6 seis,7 siete,8 ocho,9 nueve,10 diez dieci,11 once,12 doce"
    ",13 trece"
    ",14 catorce,15 quince,20 veinte veinti,30 treinta,40 cuarenta,50 cincuenta,60 sesenta,70 setenta,80 ochenta"
    ",90 noventa,200 doscientos,300 trescientos,400 cuatrocientos,500 quinientos,600 seiscientos,700 setecientos"
    ",800 ochocientos,900 novecientos,100 cien ciento,1000 mil",
    "y",
)
_ITALIAN = _Language.of(
    "0 zero,1 un uno,2 due,3 tre,4 quattro,5 cinque,6 sei,7 sette,8 otto,9 nove,10 dieci,11 undici,12 dodici,13 tredici"
    ",14 quattordici,15 quindici,16 sedici,17 diciassette,18 diciotto,19 diciannove,20 venti vent,30 trenta trent"
    ",40 quaranta quarant,50 cinquanta cinquant,60 sessanta sessant,70 settanta settant,80 ottanta ottant"
    ",90 novanta novant,100 cento,108 centotto,180 centottanta,1000 mille mila",
    "e",
)
_PORTUGUESE = _Language.of(
    "0 zero,1 um uma,2 dois duas,3 tres,4 quatro,5 cinco,6 seis,7 sete,8 oito,9 nove,10 dez,11 onze,12 doze,13 treze"
    ",14 quatorze catorze,15 quinze,16 dezesseis dezasseis,17 dezessete dezassete,18 dezoito,19 dezenove dezanove"
    ",20 vinte"
    ",30 trinta,40 quarenta,50 cinquenta,60 sessenta,70 setenta,80 oitenta,90 noventa,100 cem cento,200 duzentos"
    ",300 trezentos,400 quatrocentos,500 quinhentos,600 seiscentos,700 setecentos,800 oitocentos,900 novecentos"
    ",1000 mil",
    "e",
)
_RUSSIAN = _Language.of(
    "0 ноль,1 один одна,2 два две,3 три,4 четыре,5 пять,6 шесть,7 семь,8 восемь,9 девять,10 десять,11 одиннадцать"
    ",12 двенадцать,13 тринадцать,14 четырнадцать,15 пятнадцать,16 шестнадцать,17 семнадцать,18 восемнадцать"
    ",19 девятнадцать,20 двадцать,30 тридцать,40 сорок,50 пятьдесят,60 шестьдесят,70 семьдесят,80 восемьдесят"
    ",90 девяносто,100 сто,200 двести,300 триста,400 четыреста,500 пятьсот,600 шестьсот,700 семьсот,800 восемьсот"
    ",900 девятьсот,1000 тысяча тысячи тысяч",
    "и",
)
_LANGUAGES = (_GERMAN, _FRENCH, _SPANISH, _ITALIAN, _PORTUGUESE, _DUTCH, _RUSSIAN)
_HUNDRED, _THOUSAND = 100, 1000


def whole_number(text: str) -> tuple[int, int, str] | None:
    """Return start, end and value of the number that a whole answer is, in other words than English, or None."""
    if not 0 < len(text) <= LONGEST or any(map(str.isdigit, text)):
        return None
    plain = _plain(text)
    if len(plain) != len(text):
        return None
    lead, tail = _LEAD.match(plain), _TAIL.search(plain)
    start, end = lead.end() if lead else 0, tail.start() if tail else len(plain)
    if _ROMAN.fullmatch(text, start, end):
        return start, end, str(_roman(text[start:end]))
    for begin in dict.fromkeys((start, len(plain) - len(plain.lstrip(" \"'(\n")))):
        for language in _LANGUAGES:
            if (value := _value(language, plain, begin, end)) is not None:
                return begin, end, str(value)
    return None


def _plain(text: str) -> str:
    """Return a text of the same length in lower case without accents."""
    lowered = (letter if letter == "\u0439" else normalize("NFD", letter)[0] for letter in text.lower())
    return "".join(lowered).replace("\u00df", "s")


def _roman(signs: str) -> int:
    values = [_ROMAN_VALUES[sign] for sign in signs]
    return sum(-value if value < max(values[at:]) else value for at, value in enumerate(values))


def _value(language: _Language, text: str, start: int, end: int) -> int | None:
    """Return the value of a number that is all of a part of a text, or None."""
    total = current = 0
    last: int | None = None
    for value in _parts(language, text, start, end):
        if value is None or (last is not None and not _may_follow(language, last, value)):
            return None
        if value == _THOUSAND:
            total, current = total + max(current, 1) * value, 0
        elif value == _HUNDRED:
            current = max(current, 1) * value
        else:
            current += value
        last = value
    return None if last is None else total + current


def _may_follow(language: _Language, last: int, value: int) -> bool:
    """Whether the name of one number can stand after another in the name of a greater one."""
    if value in (_HUNDRED, _THOUSAND):
        return last != value
    if last >= _HUNDRED:
        return value < last
    if last < 10:
        return language in (_GERMAN, _DUTCH) and 20 <= value < _HUNDRED
    return 0 < value < 10 or (language.adds_ten_to_tens and last in (60, 80) and 10 <= value < 17)


def _parts(language: _Language, text: str, start: int, end: int) -> Iterator[int | None]:
    """Yield the values of the names of numbers in a part of a text; None where something else stands."""
    at = start
    while at < end:
        if text[at] in " -\n":
            at += 1
            continue
        found = language.part.match(text, at, end)
        if found is None:
            yield None
            return
        if found.group() in language.values:
            yield language.values[found.group()]
        at = found.end()
