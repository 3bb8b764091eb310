"""Whether two items of a paper state the same property of the same material with the same value (OURS).

It must never know of which task or record the items are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from harness.studies.curie.judging.forms import States, contradiction, states, without_states
from harness.studies.curie.judging.formulas import with_share
from harness.studies.curie.judging.normal import fields, lines
from harness.studies.curie.judging.properties import Property, property_of, same_property
from harness.studies.curie.judging.quantities import Quantity, quantity, same_quantity
from harness.studies.curie.judging.samples import (
    Sample,
    dopants,
    other_sample,
    sample,
    without_dopants,
    without_substrate,
)
from harness.studies.curie.judging.substances import Substance, same_substance, substance

_READ = 800  # letters of a description
_NAME = 300  # letters of a material's name
# Fields as models call them besides the prompt's names.
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
    ["calculated", "calculation", "theoretical", "theory", "simulated", "simulation", "dft", "predicted", "computed"]
)
_EXPERIMENT = frozenset(["measured", "measurement", "experimental", "experiment", "experimentally"])


class PropertyItem:
    """One item as it is read: its quantity at once, material and property when they are first needed."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        self._said = fields(item, _OTHER_NAMES)
        low, high = (self._text(name) for name in ("low_value", "high_value"))
        self.valued = bool(low or high)
        self.value: Quantity | None = quantity(low, high, self._text("value_units"))
        self.text = f"{low}|{high}".casefold()

    def _text(self, name: str) -> str:
        return self._said.get(name, "")

    @cached_property
    def meant(self) -> Property:
        """Give what property it is, by its name; where it has none, by what is said about it."""
        return property_of(self._text("property_name") or self._text("property_descriptor"))

    @cached_property
    def substances(self) -> tuple[Substance, ...]:
        """Give what its material is made of, by each of its names."""
        share = self.sample.share
        return tuple(_substances(self._names, share))

    @cached_property
    def sample(self) -> Sample:
        """Give which sample of the material it is of."""
        return sample(self._names, self._text("material_descriptor")[:_READ], self._text("property_descriptor")[:_READ])

    @cached_property
    def dopants(self) -> frozenset[str]:
        """Give the dopants that the material's own name says."""
        return dopants(self._names)

    @cached_property
    def states(self) -> States:
        """Give the form and phase that the material is in."""
        return states(without_substrate(f"{self._names}\n{self._text('material_descriptor')[:_READ]}"))

    @cached_property
    def method(self) -> frozenset[str]:
        """Say whether the value was measured or computed, where the item does."""
        said = set(f"{self._text('property_name')} {self._text('property_descriptor')[:_READ]}".casefold().split())
        return frozenset(name for name, known in (("theory", _THEORY), ("experiment", _EXPERIMENT)) if said & known)

    @property
    def _names(self) -> str:
        return f"{self._text('material')}\n{self._text('synonyms')}"[:_NAME].strip()


def _substances(names: str, share: float | None) -> Iterator[Substance]:
    """Read every name of a material: each line, and what stands in its brackets."""
    for line in lines(names):
        bare = without_dopants(without_substrate(line))
        for name in (bare, *_in_brackets(bare)):
            text = without_states(with_share(name, share) if share is not None else name)
            if text:
                yield substance(text)


def _in_brackets(line: str) -> Iterator[str]:
    """Split `indium nitride (InN)` into the two names, and leave formulas with brackets whole."""
    head, _, tail = line.partition(" (")
    if tail.rstrip().endswith(")") and head:
        yield head
        yield tail.rstrip()[:-1]
    yield from (part for part in line.split(", ") if ", " in line)


def why_properties_differ(gold: PropertyItem, other: PropertyItem) -> str:
    """Say the first thing in which two items differ: value, property, material, its form, or the sample; else nothing.

    Where only one says something, it does not differ in that, save for the value, its unit and a dopant by name.
    """
    if why := _values(gold, other) or same_property(gold.meant, other.meant):
        return why
    if not same_substance(gold.substances, other.substances):
        return "the materials differ"
    if apart := contradiction(gold.states, other.states):
        return f"{apart.group}: {apart.one} against {apart.two}"
    if gold.method and other.method and not gold.method & other.method:
        return "one is measured and one computed"
    return other_sample(gold.sample, other.sample, (gold.dopants, other.dopants))


def _values(gold: PropertyItem, other: PropertyItem) -> str:
    if gold.valued != other.valued:
        return "one has no value"
    if gold.value is None or other.value is None:
        return "" if gold.value is other.value and gold.text == other.text else "the values differ"
    return "" if same_quantity(gold.value, other.value) else "the values differ"
