"""Whether two items of a paper state the same property of the same material with the same value (OURS).

Independent of the task and the record of the items.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any

from harness.answers.units import Powers
from harness.studies.curie.judging import series
from harness.studies.curie.judging.asserted import (
    asserted,
    corrected,
    denied,
    identified,
    quoted,
    settled,
    subject,
    unhedged,
)
from harness.studies.curie.judging.elements import SYMBOLS
from harness.studies.curie.judging.forms import States, contradiction, states, without_states
from harness.studies.curie.judging.formulas import with_share
from harness.studies.curie.judging.normal import FIELDS, fields, lines, singular, words
from harness.studies.curie.judging.properties import Property, mentioned, property_of, same_property
from harness.studies.curie.judging.property_names import EXTRA, STARRED, TELLING
from harness.studies.curie.judging.quantities import Number, Quantity, quantity, reading, same_quantity
from harness.studies.curie.judging.samples import (
    Sample,
    dopants,
    lacks,
    other_agents,
    other_moments,
    other_sample,
    other_techniques,
    sample,
    without_dopants,
    without_substrate,
)
from harness.studies.curie.judging.substances import Substance, formulas_in, key, parts_of, same_substance, substance

_READ = 800  # letters of a description
_NAME = 300  # letters of a material's name
# Other names that models use for the fields of the prompt.
_OTHER_NAMES: Mapping[str, str] = {
    "material_name": "material",
    "property": "property_name",
    "unit": "value_units",
    "units": "value_units",
    "value_unit": "value_units",
    "value": "low_value",
    "descriptor": "material_descriptor",
}
_THEORY = frozenset(
    [
        "calculated",
        "calculation",
        "theoretical",
        "theory",
        "simulated",
        "simulation",
        "dft",
        "predicted",
        "computed",
        "hse06",
        "hse",
        "pbe",
        "lda",
        "gga",
        "gw",
        "g0w0",
        "scan",
        "mbj",
        "ab",
        "initio",
        "quasiparticle",
        "bse",
    ]
)
_EXPERIMENT = frozenset(["measured", "measurement", "experimental", "experiment", "experimentally"])
_QUIET = re.compile(r"source|passage|table|confiden|(?:^|_)(?:index|id|page|notes?|comments?|doi|supplier)(?:_|$)")
_STACK = re.compile(r"(?<![\w/])[A-Z][\w.]{0,30}(?:/[A-Z][\w.]{0,30}){1,5}(?![\w/(])")
_COATED = re.compile(r"(\S{3,40}?)\s?[/@]\s?C")  # a compound with carbon on it
_KNOWN = frozenset(
    [
        "material",
        "synonyms",
        "material_descriptor",
        "property_name",
        "property_descriptor",
        "low_value",
        "high_value",
        "value_units",
    ]
)
_BOUNDS = (
    (
        "upper",
        re.compile(
            r"\bupper (?:bound|limit)\b|\b(?:at most|up to|less than|no more than|below)(?=\s?(?:\d|$|[,;.\n]))", re.I
        ),
    ),
    (
        "lower",
        re.compile(
            r"\blower (?:bound|limit)\b|\b(?:at least|more than|no less than|above)(?=\s?(?:\d|$|[,;.\n]))", re.I
        ),
    ),
)
_RATIO = re.compile(r"(?<![\w.:/])\d{1,3}(?:\.\d{1,3})?(?:\s?:\s?\d{1,3}(?:\.\d{1,3})?){1,3}(?![\w:/]|\.\d)")


class PropertyItem:
    """One item: its quantity is read at once, its material and property when they are first needed."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        self._said = fields(
            {name: _with_keys(name, value) for name, value in islice(item.items(), FIELDS)}, _OTHER_NAMES
        )
        for name in self._said.keys() & {"low_value", "high_value"}:
            self._said[name] = unhedged(settled(self._said[name]) or self._said[name])
        low, high = (self._text(name) for name in ("low_value", "high_value"))
        self.valued = bool(low or high)
        self.value: Quantity | None = quantity(low, high, self._text("value_units"))
        self.text = f"{low}|{high}".casefold()
        self.ends = (bool(low), bool(high))

    @cached_property
    def each(self) -> tuple[PropertyItem, ...]:
        """One item for each value if this one holds several and says of what each is; empty otherwise."""
        return tuple(PropertyItem(one) for one in series.each(self._said))

    @cached_property
    def span(self) -> PropertyItem | None:
        """This item with the range of its values if it holds several; None if it holds one."""
        found = series.span(self._said)
        return PropertyItem(found) if found else None

    @cached_property
    def about(self) -> str:
        """The descriptor of the property, and other fields of the item with their names: `current_density: 1 A/g`."""
        more = (
            f"{name.replace('_', ' ')}: {text[:_NAME]}"
            for name, text in self._said.items()
            if name not in _KNOWN and not _QUIET.search(name.casefold())
        )
        return "\n".join([self._text("property_descriptor")[:_READ], *more])[: 2 * _READ]

    @property
    def texts(self) -> str:
        """The descriptors, as they are written."""
        return f"{self.described}\n{self.about}"

    @cached_property
    def described(self) -> str:
        """The descriptor of the material."""
        return self._text("material_descriptor")[:_READ]

    @cached_property
    def bound(self) -> str:
        """Whether the value is an upper or a lower bound, by its sign or the descriptor; empty if neither."""
        said = self.value.bound if self.value else ""
        told = (
            name for name, pattern in _BOUNDS if pattern.search(asserted(self._text("property_descriptor")[:_READ]))
        )
        return said or next(told, "")

    @cached_property
    def further(self) -> Property:
        """What the descriptor adds to the name of the property: words that distinguish, and axes."""
        return property_of(asserted(self._text("property_descriptor")[:_READ]))

    @cached_property
    def mixture(self) -> Mapping[str, float]:
        """The shares of the components of a blend whose ratio is stated: `P3HT:PCBM` and `1:0.8`; empty otherwise."""
        for line in lines(self._names):
            names = parts_of(without_states(_RATIO.sub(" ", line)))
            told = _RATIO.search(line) or _RATIO.search(self.described)
            shares = _shares(told[0]) if told else []
            if names and len(shares) == len(names) and math.fsum(shares) > 0:
                return {name: share / math.fsum(shares) for name, share in zip(names, shares, strict=True)}
        return {}

    def _text(self, name: str) -> str:
        return self._said.get(name, "")

    @cached_property
    def meant(self) -> Property:
        """The property, read from its name; if it has none, from its descriptor."""
        return property_of(self._text("property_name") or self._text("property_descriptor"))

    @cached_property
    def substances(self) -> tuple[Substance, ...]:
        """The substances that the names of the material state."""
        share = self.sample.share
        told = [formulas_in(one) or (substance(without_states(one)),) for one in identified(self.described)]
        if real := [one for found in told for one in found if one.counts or one.elements]:
            return tuple(real)
        found = tuple(_substances(self._names, share))
        found += tuple(_named_by(asserted(self.described)))
        if any(one.counts or one.elements or one.molecule for one in found):
            return found
        return found + formulas_in(asserted(self.described))

    @cached_property
    def sample(self) -> Sample:
        """The sample of the material."""
        return sample(self._names, self.described, f"{self._text('property_name')[:_NAME]}\n{self.about}")

    @cached_property
    def dopants(self) -> frozenset[str]:
        """The dopants in the name of the material."""
        return dopants(self._names)

    @cached_property
    def states(self) -> States:
        """The form and phase of the material."""
        return states(without_substrate(f"{self._names}\n{asserted(self.described)}"))

    @cached_property
    def method(self) -> frozenset[str]:
        """The kinds of origin that the item states for its value: theory, experiment, both or neither."""
        said = set(words(f"{self._text('property_name')} {asserted(self.about)}"))
        return frozenset(name for name, known in (("theory", _THEORY), ("experiment", _EXPERIMENT)) if said & known)

    @property
    def _names(self) -> str:
        return f"{self._text('material')}\n{self._text('synonyms')}"[:_NAME].strip()


def _with_keys(name: str, value: Any) -> Any:
    """Return a value that is an object with its keys, which say what each of its values is of."""
    if "value" not in name or not isinstance(value, Mapping):
        return value
    return "; ".join(f"{str(key)[:_NAME]}: {str(said)[:_NAME]}" for key, said in islice(value.items(), series.MOST + 1))


def _shares(text: str) -> list[float]:
    return [float(one) for one in re.split(r"\s?[:/]\s?", text)]


def _substances(names: str, share: float | None) -> Iterator[Substance]:
    """Yield the substance of each name of a material: of every line, and of the names in its brackets."""
    for line in lines(names):
        bare = without_dopants(without_substrate(line))
        for name in (bare, *_in_brackets(bare)):
            said = with_share(name, share) if share is not None else name
            if text := without_states(said) or said.strip():
                yield substance(text)
                if (coated := _COATED.fullmatch(text)) and len(substance(coated[1]).elements) > 1:
                    yield substance(coated[1])


def _named_by(descriptor: str) -> Iterator[Substance]:
    """Yield what a part of a descriptor names that is nothing but a name: `HDPE`, `calcite`."""
    for part in islice(re.split(r"[,;\n]", descriptor), 8):
        if 2 < len(part.strip()) < 24 and (one := substance(part.strip())) and (one.molecule or len(one.elements) > 1):
            yield one


def _in_brackets(line: str) -> Iterator[str]:
    """Split `indium nitride (InN)` into its two names, and leave formulas with brackets whole."""
    head, _, tail = line.partition(" (")
    if tail.rstrip().endswith(")") and head:
        yield head
        yield tail.rstrip()[:-1]
    yield from (part for part in line.split(", ") if ", " in line)


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
    theirs = other.each or (other,)
    found = all(any(not _one_differs(one, two) for two in theirs) for one in gold.each or (gold,))
    return "" if found else why


def _one_differs(gold: PropertyItem, other: PropertyItem) -> str:
    return (
        _values(gold, other)
        or same_property(gold.meant, other.meant)
        or _described(gold, other)
        or _materials(gold, other)
        or _conditions(gold, other)
    )


def _materials(gold: PropertyItem, other: PropertyItem) -> str:
    """Compare substances, shares of components, layers, and the forms and states of two materials."""
    apart = contradiction(gold.states, other.states)
    stacks = [_stacks(asserted(item.described)) for item in (gold, other)]
    found = {
        "a descriptor says that the value is of another material": any(_of_another(one) for one in (gold, other)),
        "the materials differ": not same_substance(gold.substances, other.substances) and not _graded(gold, other),
        "the shares of the components differ": any(
            abs(share - other.mixture.get(name, share)) > 0.02 for name, share in gold.mixture.items()
        ),
        "the layers differ": bool(stacks[0] and stacks[1] and not stacks[0] & stacks[1]),
        "the ratios differ": _ratios_differ(gold, other),
        f"{apart.group}: {apart.one} against {apart.two}" if apart else "": apart is not None,
    }
    return next((why for why, holds in found.items() if holds), "")


def _conditions(gold: PropertyItem, other: PropertyItem) -> str:
    """Compare how, when and under which conditions two values were found."""
    if gold.method and other.method and not gold.method & other.method:
        return "one is measured and one computed"
    if other_agents(gold.about, other.about) or other_moments(gold.texts, other.texts):
        return "the conditions differ"
    if other_techniques(*(item._text("property_descriptor")[:_READ] for item in (gold, other))):
        return "the techniques differ"
    if why := other_sample(gold.sample, other.sample, (gold.dopants, other.dopants)):
        return why
    return "the temperature is not stated" if lacks(gold.sample.conditions, other.sample.conditions) else ""


def _ratios_differ(gold: PropertyItem, other: PropertyItem) -> bool:
    """Whether each descriptor has one ratio, such as `10:1`, and they differ; those of blends are compared by name."""
    sides = [
        {tuple(sorted(_shares(at[0]))) for at in _RATIO.finditer(asserted(item.described))} for item in (gold, other)
    ]
    return not (gold.mixture and other.mixture) and len(sides[0]) == len(sides[1]) == 1 and sides[0] != sides[1]


def _stacks(text: str) -> frozenset[frozenset[str]]:
    """Return the stacks of layers in a descriptor, such as `CdS/Sb2Se3`, each as its substances."""
    found = (at[0].split("/") for at in islice(_STACK.finditer(text), 20))
    return frozenset(
        frozenset(map(key, parts))
        for parts in found
        if all(substance(part).counts for part in parts) and any(len(substance(part).elements) > 1 for part in parts)
    )


def _described(gold: PropertyItem, other: PropertyItem) -> str:
    """Compare what the descriptors of two properties add: an axis, a direction, a word that tells properties apart."""
    for one, two in ((gold, other), (other, gold)):
        names = words(two._text("property_name"))
        about = one._text("property_descriptor")[:_READ]
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
    of = subject(one._text("property_descriptor")[:_READ])
    if of and (contradiction(states(of), one.states) or not _is_of(of, one)):
        return True
    text = one._text("property_descriptor")[:_READ] or one.described
    found = formulas_in(text)[:1] if quoted(text) else ()
    return bool(found) and not same_substance(found, one.substances)


def _is_of(text: str, one: PropertyItem) -> bool:
    """Whether a text names the item's material, or no compound and no other element at its beginning."""
    pure = {SYMBOLS[word] for word in words(text)[:2] if word in SYMBOLS}
    known = frozenset[str]().union(*(each.elements for each in one.substances))
    found = [each for each in formulas_in(text) if len(each.elements) > 1]
    return (not found or same_substance(found, one.substances)) and (not pure or not known or bool(pure & known))


def _graded(gold: PropertyItem, other: PropertyItem) -> bool:
    """Whether two materials have one grade, such as `316L`, and what else one is called stands in the other's texts.

    Only for names in no table: a grade is a word with letters and digits that is no formula.
    """
    if all(any(one.counts or one.elements for one in item.substances) for item in (gold, other)):
        return False
    mine, theirs = (frozenset(words(item._names)) for item in (gold, other))
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
            and {scale, singular(scale)} & set(words(item._text("property_name")))
        ):
            found[at] = replace(found[at], powers=())
    return found[0], found[1]


_NOTHING = Quantity(Number(0.0, 0.0), Number(0.0, 0.0), "")


def _withdrawn(one: PropertyItem, value: Quantity) -> bool:
    """Whether a descriptor withdraws the value of its item: another value is named as right, or none is left."""
    text = one._text("property_descriptor")[:_READ]
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
    r" (?:withdrawn|retracted|revoked|taken back|disowned|disproved|refuted|invalidated|discarded)\b",
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
    return quantity(number[0].rstrip("."), "", one._text("value_units") or _unit_of(one))


def _unit_of(one: PropertyItem) -> str:
    """Return what stands behind the number of an item's value."""
    read = reading(one._text("low_value") or one._text("high_value"))
    return read.rest if read else ""
