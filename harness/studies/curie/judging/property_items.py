"""Whether two items of a paper state the same property of the same material with the same value (OURS).

Independent of the task and the record of the items.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice

from harness.answers.units import Powers
from harness.studies.curie.judging.asserted import (
    alterations,
    asserted,
    corrected,
    denied,
    lacked,
    quoted,
    repudiated,
    subject,
    without_lacked,
)
from harness.studies.curie.judging.elements import SYMBOLS
from harness.studies.curie.judging.forms import contradiction, states
from harness.studies.curie.judging.normal import singular, words
from harness.studies.curie.judging.opposites import opposed
from harness.studies.curie.judging.properties import mentioned, same_property
from harness.studies.curie.judging.property_names import EXTRA, STARRED, TELLING
from harness.studies.curie.judging.property_reading import RATIO, READ, STACK, PropertyItem, shares_of
from harness.studies.curie.judging.quantities import Number, Quantity, quantity, reading, same_quantity
from harness.studies.curie.judging.samples import (
    lacks,
    other_agents,
    other_electrodes,
    other_electrolytes,
    other_moments,
    other_sample,
    other_techniques,
)
from harness.studies.curie.judging.substances import (
    formulas_in,
    key,
    same_substance,
    substance,
)


def why_properties_differ(gold: PropertyItem, other: PropertyItem) -> str:
    """Return the first difference of two items: value, property, material, form, or sample; empty if there is none.

    A fact that only one item states is no difference, except for a value, its unit, a dopant in a name, and a
    temperature of the measurement that is not a room's.
    """
    if any(item.span or item.each for item in (gold, other)):
        return _several_differ(gold, other)
    return _one_differs(gold, other)


def _several_differ(gold: PropertyItem, other: PropertyItem) -> str:
    """Compare items of which one holds several values: by range, and each value with what it is of.

    Of values that nothing tells apart, none is the one that a single value states.
    """
    ranged = gold.span or other.span  # else only one of several values is not withdrawn
    why = _one_differs(gold.span or gold, other.span or other) if ranged else "the values differ"
    if not why or any(item.span and not item.each for item in (gold, other)):
        return why
    # Every value of the gold item is asked for.
    theirs = _meant_by(gold, other.each) if not gold.each and other.each else other.each or (other,)
    found = all(any(not _one_differs(one, two) for two in theirs) for one in gold.each or (gold,))
    return "" if found else why


def _meant_by(gold: PropertyItem, several: tuple[PropertyItem, ...]) -> tuple[PropertyItem, ...]:
    """Return those of several values whose labels have most words of the gold item's texts; all if none has any."""
    told = set(words(f"{gold.names}\n{gold.texts}")) - EXTRA
    shared = [len({word for word in words(one.label) if len(word) > 1} & told) for one in several]
    return (
        tuple(one for one, many in zip(several, shared, strict=True) if many == max(shared)) if any(shared) else several
    )


def _one_differs(gold: PropertyItem, other: PropertyItem) -> str:
    return (
        _values(gold, other)
        or _statements(gold, other)
        or same_property(gold.meant, other.meant)
        or _described(gold, other)
        or _materials(gold, other)
        or _conditions(gold, other)
    )


def _statements(gold: PropertyItem, other: PropertyItem) -> str:
    """Compare what the texts of two items say of their value and sample: what is disowned, lacking, or altered."""
    if repudiated(gold.remarks) != repudiated(other.remarks):
        return "a text says that the value does not hold"
    for one, two in ((gold, other), (other, gold)):
        if _lacks_what_is_there(one, two):
            return "one lacks what the other has"
    if opposed(
        *(asserted(f"{item.names}\n{item.field_text('property_name')}\n{item.texts}") for item in (gold, other))
    ):
        return "one is the opposite of the other"
    texts = [frozenset(words(f"{item.names}\n{item.texts}")) for item in (gold, other)]
    if _negated(texts[0], texts[1]) or _negated(texts[1], texts[0]):
        return "one is said not to be what the other is"
    altered = [alterations(f"{item.names}\n{asserted(item.described)}") for item in (gold, other)]
    if altered[0] != altered[1] and not (altered[0] and altered[1] and altered[0] & altered[1]):
        return "one is altered"
    return ""


def _negated(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether one text has a word and the other only its denial: `notched` and `unnotched`."""
    return any(
        word[start:] in one and word not in one and word[start:] not in two
        for word in two
        for start in (2, 3)
        if word[:start] in ("un", "non") and len(word) > start + 4
    )


def _lacks_what_is_there(one: PropertyItem, two: PropertyItem) -> bool:
    """Whether one item's text says that its sample lacks something that the other item's sample has."""
    own = set(words(without_lacked(asserted(f"{one.names}\n{one.described}"))))
    there = set(words(asserted(f"{two.names}\n{two.described}")))
    for what in lacked(one.described):
        said = {word for word in words(what) if len(word) > 1} - _COMMON
        if said & there - own:
            return True
    return False


# Words that do not say what is lacking.
_COMMON = (
    EXTRA
    | frozenset(
        [
            "layer",
            "film",
            "sample",
            "further",
            "any",
            "additional",
            "treatment",
            "step",
            "process",
            "used",
            "only",
            "bulk",
        ]
    )
    | frozenset(
        ["material", "device", "other", "crystal", "single", "new", "be", "been", "yet", "made", "grown", "clear"]
    )
)


def _layered(one: PropertyItem, two: PropertyItem) -> bool:
    """Whether one is of one, two or three layers, and the other of another shape and of no stated number of layers."""
    few = one.states.get("layers", frozenset()) & {"1", "2", "3"}
    shape = two.states.get("shape", frozenset())
    return bool(few and "layers" not in two.states and shape and not shape & {"sheet", "particle"})


def _materials(gold: PropertyItem, other: PropertyItem) -> str:
    """Compare substances, shares of components, layers, and the forms and states of two materials."""
    apart = contradiction(gold.states, other.states)
    stacks = [_stacks(asserted(item.described)) for item in (gold, other)]
    named = [_stacks(item.names) for item in (gold, other)]
    one_stack = (stacks[0] & named[1]) or (stacks[1] & named[0])
    found = {
        "a descriptor says that the value is of another material": any(_of_another(one) for one in (gold, other)),
        "the materials differ": not same_substance(gold.substances, other.substances)
        and not (one_stack or _graded(gold, other) or _is_doped(gold, other) or _is_doped(other, gold)),
        "the shares of the components differ": any(
            abs(share - other.mixture.get(name, share)) > 0.02 for name, share in gold.mixture.items()
        ),
        "one is of few layers": _layered(gold, other) or _layered(other, gold),
        "the layers differ": bool(stacks[0] and stacks[1] and not stacks[0] & stacks[1]),
        "the ratios differ": _ratios_differ(gold, other),
        f"{apart.group}: {apart.one} against {apart.two}" if apart else "": apart is not None,
    }
    return next((why for why, holds in found.items() if holds), "")


def _conditions(gold: PropertyItem, other: PropertyItem) -> str:
    """Compare how, when and under which conditions two values were found."""
    if gold.method and other.method and not gold.method & other.method:
        return "one is measured and one computed"
    if (
        other_agents(*(f"{item.field_text('property_name')}\n{item.about}" for item in (gold, other)))
        or other_electrolytes(gold.texts, other.texts)
        or other_electrodes(gold.texts, other.texts)
        or other_moments(gold.texts, other.texts)
    ):
        return "the conditions differ"
    if other_techniques(
        *(
            f"{item.field_text('property_name')}\n{item.field_text('property_descriptor')[:READ]}"
            for item in (gold, other)
        )
    ):
        return "the techniques differ"
    within = [frozenset[str]().union(*(one.elements for one in item.substances)) for item in (gold, other)]
    if why := other_sample(gold.sample, other.sample, (gold.dopants - within[1], other.dopants - within[0])):
        return why
    return "the temperature is not stated" if lacks(gold.sample.conditions, other.sample.conditions) else ""


def _ratios_differ(gold: PropertyItem, other: PropertyItem) -> bool:
    """Whether each descriptor has one ratio, such as `10:1`, and they differ; those of blends are compared by name."""
    sides = [
        {
            tuple(sorted(shares_of(at[0])))
            for at in RATIO.finditer(asserted(f"{item.names}\n{item.described}"))
            if min(shares_of(at[0])) > 0
        }
        for item in (gold, other)
    ]
    return not (gold.mixture and other.mixture) and len(sides[0]) == len(sides[1]) == 1 and sides[0] != sides[1]


def _stacks(text: str) -> frozenset[frozenset[str]]:
    """Return the stacks of layers in a descriptor, such as `CdS/Sb2Se3`, each as its substances."""
    found = (at[0].split("/") for at in islice(STACK.finditer(text), 20))
    return frozenset(
        frozenset(map(key, parts))
        for parts in found
        if all(substance(part).counts for part in parts) and any(len(substance(part).elements) > 1 for part in parts)
    )


_OPTICAL = re.compile(r"\boptical\b|high[- ]frequency|infinit|∞|\belectronic part|\bclamped[- ]ion", re.IGNORECASE)
_LOW = re.compile(r"\bstatic\b|low[- ]frequency|\bDC\b|\bquasi-?static", re.IGNORECASE)
_PER_SECOND: Powers = (("s", -1.0),)
_SLOW = 1e12  # hertz, below which a dielectric constant is no optical one


def _regime(item: PropertyItem) -> str:
    """Return whether a dielectric constant is the optical one or that of low frequencies; empty if nothing says so."""
    if "dielectric constant" not in item.meant.known:
        return ""
    text = f"{item.field_text('property_name')}\n{item.about}"
    if _OPTICAL.search(text):
        return "optical"
    slow = any(one.powers == _PER_SECOND and one.high.value < _SLOW for _, one in item.sample.conditions)
    return "slow" if slow or _LOW.search(text) else ""


def _described(gold: PropertyItem, other: PropertyItem) -> str:
    """Compare what the descriptors of two properties add: an axis, a direction, a word that tells properties apart."""
    regimes = {_regime(gold), _regime(other)} - {""}
    if len(regimes) > 1:
        return "one is of low and one of optical frequencies"
    for one, two in ((gold, other), (other, gold)):
        names = words(two.field_text("property_name"))
        about = one.field_text("property_descriptor")[:READ]
        if set(words(denied(about))) & set(names) - EXTRA and mentioned(asserted(about)) - two.meant.known:
            return "a descriptor says that it is another property"
    sides = [(one.meant, one.further) for one in (gold, other)]
    for at, row in enumerate(TELLING):
        mine, theirs = (name.telling[at] | about.telling[at] for name, about in sides)
        # What only a descriptor says counts if it stands against the other's name.
        named = sides[0][0].telling[at] or sides[1][0].telling[at] or at in STARRED
        if mine and theirs and not mine & theirs and named:
            return "/".join(sorted(min(row[place]) for place in mine | theirs))
    axes = [name.axes | about.axes for name, about in sides]
    return "the axes differ" if axes[0] and axes[1] and not axes[0] & axes[1] else ""


def _of_another(one: PropertyItem) -> bool:
    """Whether a descriptor says that the value is of another material or form, or quotes it from a text on one."""
    of = subject(one.field_text("property_descriptor")[:READ]) or subject(one.remarks)
    if of and re.search(r"\b(?:substrate|underlayer|reference|matrix|counter ?electrode|starting|precursor)\b", of):
        return not set(words(of)) & set(words(f"{one.names} {one.described}"))
    if of and (contradiction(states(of), one.states) or not _is_of(of, one)):
        return True
    text = one.field_text("property_descriptor")[:READ] or one.described
    found = formulas_in(text)[:1] if quoted(text) else ()
    return bool(found) and not same_substance(found, one.substances)


def _is_of(text: str, one: PropertyItem) -> bool:
    """Whether a text names the item's material, or no compound and no other element at its beginning."""
    pure = {SYMBOLS[word] for word in words(text)[:2] if word in SYMBOLS}
    known = frozenset[str]().union(*(each.elements for each in one.substances))
    found = [each for each in formulas_in(text) if len(each.elements) > 1]
    return (not found or same_substance(found, one.substances)) and (not pure or not known or bool(pure & known))


def _is_doped(host: PropertyItem, whole: PropertyItem) -> bool:
    """Whether one material is the other with its dopants in the formula: In-doped SnTe is `Sn0.9975In0.0025Te`."""
    known = frozenset[str]().union(*(one.elements for one in host.substances))
    added = host.sample.dopants
    return bool(added) and any(
        one.counts and one.elements == known | added and not added <= known and added <= one.elements
        for one in whole.substances
    )


def _graded(gold: PropertyItem, other: PropertyItem) -> bool:
    """Whether two materials have one grade, such as `316L`, and what else one is called stands in the other's texts.

    Only for names in no table: a grade is a word with letters and digits that is no formula.
    """
    if all(any(one.counts or one.elements for one in item.substances) for item in (gold, other)):
        return False
    mine, theirs = (frozenset(words(item.names)) for item in (gold, other))
    all_of = [said | _GRADES | frozenset(words(item.described)) for said, item in ((mine, gold), (theirs, other))]
    grades = [{word for word in said if any(sign.isdigit() for sign in word)} for said in (mine, theirs)]
    return bool(grades[0]) and grades[0] == grades[1] and (mine <= all_of[1] or theirs <= all_of[0])


_GRADES = frozenset(
    [
        "ss",
        "aisi",
        "astm",
        "aa",
        "uns",
        "en",
        "sus",
        "din",
        "type",
        "grade",
        "alloy",
        "steel",
        "stainless",
        "aluminum",
        "polymer",
        "resin",
        "glass",
    ]
)


def _values(gold: PropertyItem, other: PropertyItem) -> str:
    if gold.valued != other.valued:
        return "one has no value"
    if gold.value is None or other.value is None:
        return "" if gold.value is other.value and gold.text == other.text else "the values differ"
    if gold.bound and other.bound and gold.bound != other.bound:
        return "one is an upper bound and one a lower"
    for one, two in ((gold, other), (other, gold)):
        if one.bound and not two.bound and all(two.ends) and two.value and two.value.low == two.value.high:
            return "one is a bound and one a value"
        if two.value and _withdrawn(one, two.value):
            return "a descriptor corrects the value"
    return "" if same_quantity(*_on_one_scale(gold, other)) else "the values differ"


def _on_one_scale(gold: PropertyItem, other: PropertyItem) -> tuple[Quantity, Quantity]:
    """Return both values; a scale that one gives as its unit may stand in the other's name: `Mohs hardness`."""
    found = [gold.value or _NOTHING, other.value or _NOTHING]
    for at, item in ((0, other), (1, gold)):
        scale, bare = found[at].powers, found[1 - at]
        if (
            isinstance(scale, str)
            and not bare.powers
            and {scale, singular(scale)} & set(words(item.field_text("property_name")))
        ):
            found[at] = replace(found[at], powers=())
    return found[0], found[1]


_NOTHING = Quantity(Number(0.0, 0.0), Number(0.0, 0.0), "")


def _withdrawn(one: PropertyItem, value: Quantity) -> bool:
    """Whether a descriptor withdraws the value of its item: another value is named as right, or none is left."""
    text = one.field_text("property_descriptor")[:READ]
    for told in corrected(text):
        named = [
            said
            for at in islice(_FIGURE.finditer(told), 20)
            if (said := _figure(told[at.start() :], one, value.powers))
        ]
        if named and not same_quantity(named[-1], value):
            return True
    figures = (_figure(text[at.start() :], one, value.powers) for at in islice(_FIGURE.finditer(text), 20))
    return bool(_TAKEN_BACK.search(text)) and all(same_quantity(said, value) for said in figures if said)


_FIGURE = re.compile(
    r"(?<![\w.\[])(?<!Ref\. )(?<!Fig\. )(?<!Table )(?<!at )-?\d{1,9}(?:\.\d{1,9})?(?![\w.]*\.\d)(?!\w)"
)
_TAKEN_BACK = re.compile(
    r"\b(?:this|the (?:first|present|original|reported|quoted|given))"
    r" ?(?:value|figure|number|result|estimate|one)?(?: (?:was|is|has been|had been|were))?"
    r"(?: later| then| since| subsequently)?"
    r" (?:withdrawn|retracted|revoked|taken back|disowned|disproved|refuted|invalidated|discarded)\b"
    r"|\b(?:retract|withdr[ae]w|revok|disown|disavow|reject|discard|abandon|renounc|invalidat)(?:s|e|es|ed|ing)? "
    r"(?:later )?"
    r"(?:this|the|that|their|its)(?: own)?(?: first| original| earlier)? (?:value|figure|number|result|estimate"
    r"|measurement|datum|reading)\b",
    re.IGNORECASE,
)


def _figure(text: str, one: PropertyItem, powers: Powers | str) -> Quantity | None:
    """Read the number at the start of a text in its own unit, or in the item's if no unit follows it."""
    said = quantity(text[:40], "", "")
    if said is None or (said.powers and not isinstance(said.powers, str)):
        return said if said and said.powers == powers else None
    number = re.match(r"-?[\d.]+", text)
    if not number or re.fullmatch(r"(?:19|20)\d\d", number[0]):
        return None
    return quantity(number[0].rstrip("."), "", one.field_text("value_units") or _unit_of(one))


def _unit_of(one: PropertyItem) -> str:
    """Return what stands behind the number of an item's value."""
    read = reading(one.field_text("low_value") or one.field_text("high_value"))
    return read.rest if read else ""
