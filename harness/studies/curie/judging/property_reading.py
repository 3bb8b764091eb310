"""One item of a paper: a property of a material with its value, read field by field (OURS).

Independent of the task and the record of the item. Does not compare items.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any

from harness.studies.curie.judging import series
from harness.studies.curie.judging.asserted import (
    asserted,
    identified,
    settled,
    unhedged,
)
from harness.studies.curie.judging.forms import States, states, without_states
from harness.studies.curie.judging.formulas import with_share
from harness.studies.curie.judging.normal import FIELDS, fields, lines, words
from harness.studies.curie.judging.properties import Property, property_of
from harness.studies.curie.judging.quantities import Number, Quantity, quantity
from harness.studies.curie.judging.samples import (
    SUPPORT,
    Sample,
    dopants,
    sample,
    with_dopants_named,
    without_dopants,
    without_substrate,
)
from harness.studies.curie.judging.substances import (
    Substance,
    acronym,
    formulas_in,
    key,
    known_within,
    parts_of,
    substance,
    without_class,
)

READ = 800  # letters of a description
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
_NOTES = re.compile(r"(?:^|_)(?:notes?|comments?|remarks?)(?:_|$)")
_HOLES = re.compile(r"\bp-type\b|\bholes?\b", re.IGNORECASE)
_ELECTRONS = re.compile(
    r"\bn-type\b|\belectron (?:density|concentration|mobility|carriers?)\b|\bmobility of (?:the )?electrons",
    re.IGNORECASE,
)


def _around(item: PropertyItem) -> States:
    """Return the carriers, the wetness and the light that the property's name and descriptor give a sample."""
    text = asserted(f"{item.field_text('property_name')}\n{item.about}")
    found = {group: says for group, says in states(text).items() if group in ("wetness", "light")}
    carriers = {name for name, pattern in (("p", _HOLES), ("n", _ELECTRONS)) if pattern.search(text)}
    return {**found, "carriers": frozenset(carriers)} if len(carriers) == 1 else found


_UNHEATED = re.compile(
    r"\b(?:before|prior to|without|no) [^.;\n]{0,40}?\b(?:heat|thermal|anneal|calcin|sinter|bak|fir)(?:ing|ed)?\b",
    re.IGNORECASE,
)
_TWICE = re.compile(r"\s*(?:2\s?|(?:twice|double)\s)(?=P_?r|P_?s|E_?c|H_?c|remanent|remnant|coerciv|switched)")
_GLUED = re.compile(r"(?<![A-Za-z])([A-Z][a-z]?(?:[A-Z][a-z]?\d?)?)[- ]?((?:NW|NP|NR|NC|QD|NT)s?)(?![A-Za-z])")  # AgNW
STACK = re.compile(r"(?<![\w/])[A-Z][\w.]{0,30}(?:/[A-Z][\w.]{0,30}){1,5}(?![\w/(])")
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
RATIO = re.compile(r"(?<![\w.:/])\d{1,3}(?:\.\d{1,3})?(?:\s?[:/]\s?\d{1,3}(?:\.\d{1,3})?){1,3}(?![\w:/]|\.\d)")


class PropertyItem:
    """One item: its quantity is read at once, its material and property when they are first needed."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        self._said = fields(
            {name: _with_keys(name, value) for name, value in islice(item.items(), FIELDS)}, _OTHER_NAMES
        )
        for name in self._said.keys() & {"low_value", "high_value"}:
            self._said[name] = unhedged(settled(self._said[name]) or self._said[name])
        low, high = (self.field_text(name) for name in ("low_value", "high_value"))
        self.valued = bool(low or high)
        if re.fullmatch(r"HV ?[\d.]*", self.field_text("value_units")):  # Vickers numbers are kgf/mm2
            self._said["value_units"] = "kgf/mm2"
        self.value: Quantity | None = quantity(low, high, self.field_text("value_units"))
        if self.value and (twice := _TWICE.match(self.field_text("property_name"))):  # `2Pr` is twice Pr
            low_half, high_half = (Number(end.value / 2, end.step / 2) for end in (self.value.low, self.value.high))
            self.value = replace(self.value, low=low_half, high=high_half)
            self._said["property_name"] = self.field_text("property_name")[twice.end() :]
        self.text = f"{low}|{high}".casefold()
        self.ends = (bool(low), bool(high))
        self.label = ""  # what the item tells its value from others by, if it is one of several

    @cached_property
    def each(self) -> tuple[PropertyItem, ...]:
        """One item for each value if this one holds several and says of what each is; empty otherwise."""
        found = tuple(PropertyItem(one) for one in series.each(self._said))
        for one, (first, last) in zip(found, zip(*self._ends(), strict=True), strict=False):
            one.label = first.label or last.label
        return found

    def _ends(self) -> tuple[tuple[series.Value, ...], tuple[series.Value, ...]]:
        low, high = (series.values(self.field_text(name)) for name in ("low_value", "high_value"))
        return (low or high, high or low) if not (low and high) or len(low) == len(high) else (low, low)

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
        return "\n".join([self.field_text("property_descriptor")[:READ], *more])[: 2 * READ]

    @property
    def texts(self) -> str:
        """The descriptors, as they are written."""
        return f"{self.described}\n{self.about}"

    @cached_property
    def remarks(self) -> str:
        """All free texts of the item, with its notes and comments, but without quoted passages."""
        notes = (text[:_NAME] for name, text in self._said.items() if _NOTES.search(name.casefold()))
        return "\n".join((self.texts, *notes))[: 3 * READ]

    @cached_property
    def described(self) -> str:
        """The descriptor of the material."""
        return with_dopants_named(self.field_text("material_descriptor")[:READ])

    @cached_property
    def bound(self) -> str:
        """Whether the value is an upper or a lower bound, by its sign or the descriptor; empty if neither."""
        said = self.value.bound if self.value else ""
        told = (
            name for name, pattern in _BOUNDS if pattern.search(asserted(self.field_text("property_descriptor")[:READ]))
        )
        return said or next(told, "")

    @cached_property
    def further(self) -> Property:
        """What the descriptor adds to the name of the property: words that distinguish, and axes."""
        return property_of(asserted(self.field_text("property_descriptor")[:READ]))

    @cached_property
    def mixture(self) -> Mapping[str, float]:
        """The shares of the components of a blend whose ratio is stated: `P3HT:PCBM` and `1:0.8`; empty otherwise."""
        for line in lines(self.names):
            names = parts_of(without_states(RATIO.sub(" ", line)))
            told = RATIO.search(line) or RATIO.search(self.described)
            shares = shares_of(told[0]) if told else []
            if names and len(shares) == len(names) and math.fsum(shares) > 0:
                return {name: share / math.fsum(shares) for name, share in zip(names, shares, strict=True)}
        return {}

    def field_text(self, name: str) -> str:
        """Return the plain text of a field under the name of the ground truth; empty if it states nothing."""
        return self._said.get(name, "")

    @cached_property
    def meant(self) -> Property:
        """The property, read from its name; if it has none, from its descriptor."""
        return property_of(self.field_text("property_name") or self.field_text("property_descriptor"))

    @cached_property
    def substances(self) -> tuple[Substance, ...]:
        """The substances that the names of the material state."""
        share = self.sample.share
        told = [
            formulas_in(one) or (substance(without_states(without_dopants(_SHARE.sub("", one)))),)
            for one in identified(self.described)
        ]
        if real := [one for found in told for one in found if one.counts or one.elements]:
            return tuple(real)
        if exact := _precise(self.described, self.names):
            return exact
        found = tuple(_substances(self.names, share))
        found += tuple(_named_by(asserted(self.described)))
        if any(one.counts or one.elements or one.molecule for one in found):
            return found
        return found + formulas_in(asserted(self.described)) + tuple(_coded(asserted(self.described)))

    @cached_property
    def sample(self) -> Sample:
        """The sample of the material."""
        return sample(self.names, self.described, f"{self.field_text('property_name')[:_NAME]}\n{self.about}")

    @cached_property
    def dopants(self) -> frozenset[str]:
        """The dopants in the name of the material."""
        return dopants(self.names)

    @cached_property
    def states(self) -> States:
        """The form and phase of the material."""
        found = states(without_substrate(f"{self.names}\n{asserted(self.described)}"))
        found = {**_around(self), **found}
        if _UNHEATED.search(self.described):
            found = {**found, "treatment": frozenset(["untreated"])}
        return found

    @cached_property
    def method(self) -> frozenset[str]:
        """The kinds of origin that the item states for its value: theory, experiment, both or neither."""
        said = set(words(f"{self.field_text('property_name')} {asserted(self.about)}"))
        return frozenset(name for name, known in (("theory", _THEORY), ("experiment", _EXPERIMENT)) if said & known)

    @property
    def names(self) -> str:
        """The names of the material, one per line, without a support and with dopants spelt."""
        named = f"{self.field_text('material')}\n{self.field_text('synonyms')}"[:_NAME].strip()
        named = _GLUED.sub(r"\1 \2", named)
        return _without_support(with_dopants_named(named), self.described)


_HEAD = re.compile(
    r"\s*(?:(?:an?|the|phase-pure|pure|dense|epitaxial|sintered|polycrystalline|nominal(?:ly)?) ){0,3}"
    r"(?P<formula>[A-Z][\w.()\[\]]{2,40})(?=[\s,;]|$)"
)
_ALLOY = re.compile(r"[A-Z][a-z]?(?:-\d{1,2}(?:\.\d{1,2})?[A-Z][a-z]?){1,6}(?=[\s,;]|$)")
_NOT_OF = re.compile(
    r"\s?(?:precursors?|seeds?|shells?|coat|targets?|powders? (?:as|were)|substrates?|buffer|capped|cap\b"
    r"|layer on|matrix|buffered)"
)


def _precise(described: str, names: str) -> tuple[Substance, ...]:
    """Return the compound with exact numbers with which a descriptor begins, if the name is of some of its elements."""
    head = _HEAD.match(described)
    if (at := _ALLOY.match(described)) and "by weight" in substance(at[0]).words:
        spelt = frozenset[str]().union(*(substance(without_states(line)).elements for line in lines(names)))
        if spelt and all(element in at[0] for element in spelt):
            return (substance(at[0]),)
    if not head or _NOT_OF.match(described, head.end()) or not re.search(r"\d", head["formula"]):
        return ()
    found = formulas_in(head["formula"])
    named = [substance(without_states(line)) for line in lines(names)]
    known = frozenset[str]().union(*(one.elements for one in named))
    whole = found and found[0].counts and len(found[0].elements & known) > 1 and known <= found[0].elements
    return found[:1] if whole else ()


def _without_support(names: str, described: str) -> str:
    """Return names without the support that a descriptor tells apart: `A/B` of a film of A on B is A."""
    supports = [key(at["of"].strip()) for at in islice(SUPPORT.finditer(described), 4)]
    if not supports or "/" not in names:
        return names
    kept: list[str] = []
    for line in names.split("\n"):
        parts = [part.strip() for part in re.split(r"\s?/\s?", line)]
        rest = [part for part in parts if key(without_states(part)) not in supports]
        kept.append(rest[0] if len(parts) == 2 and len(rest) == 1 else line)
    return "\n".join(kept)


def _with_keys(name: str, value: Any) -> Any:
    """Return a value that is an object with its keys, which say what each of its values is of."""
    if "value" not in name or not isinstance(value, Mapping):
        return value
    return "; ".join(f"{str(key)[:_NAME]}: {str(said)[:_NAME]}" for key, said in islice(value.items(), series.MOST + 1))


def shares_of(text: str) -> list[float]:
    """Return the numbers of a ratio such as `10:1`."""
    return [float(one) for one in re.split(r"\s?[:/]\s?", text)]


# Solid solutions as they are commonly written with `x`.
_TERNARIES = {
    **{
        f"{one}{two}{rest}": f"{one}x{two}1-x{rest}"
        for one, two in (
            ("Al", "Ga"),
            ("In", "Ga"),
            ("In", "Al"),
            ("Ga", "In"),
            ("Al", "In"),
            ("B", "Ga"),
            ("Sc", "Al"),
        )
        for rest in ("N", "As", "P", "Sb")
    },
    "SiGe": "Si1-xGex",
    "HgCdTe": "Hg1-xCdxTe",
    "CdZnTe": "Cd1-xZnxTe",
    "MgZnO": "MgxZn1-xO",
    "CIGS": "CuIn1-xGaxSe2",
}
_CODE = re.compile(r"[A-Z][A-Za-z-]{0,9}\d{1,5}[A-Za-z]?")


def _coded(descriptor: str) -> Iterator[Substance]:
    """Yield what the parts of a descriptor name: a known substance, or a code such as P25."""
    for part in islice(re.split(r"[,;\n]", descriptor), 4):
        one = substance(without_states(part))
        if acronym(one.name):
            continue
        if one.counts or one.molecule or len(one.elements) > 1 or _CODE.fullmatch(one.name):
            yield one


_SHARE = re.compile(r"^\s*\d[\d.]{0,4}\s?(?:(?:wt|at|mol|vol)\.?\s?)?%\s")
_SHARE_BEFORE = re.compile(r"^\s*\d[\d.]{0,4}\s?(?:(?:wt|at|mol|vol)\.?\s?)?%\s(?=[A-Z]\w{0,5}/)")


def _substances(names: str, share: float | None) -> Iterator[Substance]:
    """Yield the substance of each name of a material: of every line, and of the names in its brackets."""
    for line in lines(names):
        bare = _SHARE_BEFORE.sub("", without_dopants(without_substrate(line)))
        for name in (bare, *_in_brackets(bare)):
            said = with_share(_TERNARIES.get(name.strip(), name), share) if share is not None else name
            if text := without_states(said) or said.strip():
                yield substance(text)
                yield from without_class(text)
                if not (one := substance(text)).counts and not one.elements and not one.molecule:
                    yield from known_within(text)
                if (plain := RATIO.sub(" ", text).strip(" ()")) != text and plain and not substance(text).counts:
                    yield substance(plain)
                if (coated := _COATED.fullmatch(text)) and len(substance(coated[1]).elements) > 1:
                    yield substance(coated[1])


def _named_by(descriptor: str) -> Iterator[Substance]:
    """Yield what a part of a descriptor names that is nothing but a name: `HDPE`, `calcite`."""
    for part in islice(re.split(r"[,;\n]", descriptor), 8):
        if (
            2 < len(part.strip()) < 24
            and not acronym(part.strip())
            and (one := substance(part.strip()))
            and (one.molecule or len(one.elements) > 1)
        ):
            yield one


def _in_brackets(line: str) -> Iterator[str]:
    """Split `indium nitride (InN)` into its two names, and leave formulas with brackets whole."""
    head, _, tail = line.partition(" (")
    if tail.rstrip().endswith(")") and head:
        yield head
        yield tail.rstrip()[:-1]
    yield from (part for part in line.split(", ") if ", " in line)
