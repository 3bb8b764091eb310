"""How a judge is shown an item in strict mode (OURS: L7): decoded markup, renamed fields, split names, values in SI.

Leaves nothing out of a gold item or a prediction, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness.studies.curie.judging.normal import decoded, lines, written
from harness.studies.curie.judging.quantities import Quantity, quantity
from harness.studies.curie.reading.aliases import PARAMETERS, STRUCTURES, renamed

SPLIT = ("synonyms", "property_name", "material")  # fields that may hold one name per line
IN_SI = "value_in_si"  # OURS: added to a property with a known unit


def shown(task: str) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """Return the function that prepares items of a task: properties get decoded names and SI, DFT items new names."""
    return {"dft-s": _structure, "dft-p": _parameters}.get(task, _property)


def _property(item: Mapping[str, Any]) -> Mapping[str, Any]:
    found = {name: _decoded(value) for name, value in item.items()}
    for name in SPLIT:
        if isinstance(found.get(name), str) and len(names := lines(found[name])) > 1:
            found[name] = names
    low, high, unit = (written(item.get(name)) for name in ("low_value", "high_value", "value_units"))
    if said := _in_si(quantity(low, high, unit)):
        found[IN_SI] = said
    return found


def _structure(item: Mapping[str, Any]) -> Mapping[str, Any]:
    return _renamed(item, STRUCTURES)


def _parameters(item: Mapping[str, Any]) -> Mapping[str, Any]:
    return _renamed(item, PARAMETERS)


def _renamed(item: Mapping[str, Any], table: Mapping[str, str]) -> Mapping[str, Any]:
    """Rename fields; if several get the same name, it holds their values by their old names."""
    found: dict[str, Any] = {}
    shared: dict[str, dict[str, Any]] = {}
    for (name, value), (field, _) in zip(item.items(), renamed(item, table), strict=True):
        shared.setdefault(field, {})[name] = _decoded(value)
    for field, values in shared.items():
        found[field] = values if len(values) > 1 else next(iter(values.values()))
    return found


def _decoded(value: Any) -> Any:
    return decoded(value) if isinstance(value, str) else value


def _in_si(found: Quantity | None) -> str:
    """Return a quantity in base units with six digits; empty if its unit is unknown or it has none."""
    if found is None or isinstance(found.powers, str) or not found.powers:
        return ""
    unit = " ".join(base if power == 1 else f"{base}^{power:g}" for base, power in found.powers)
    low, high = f"{found.low.value:.6g}", f"{found.high.value:.6g}"
    return f"{low} {unit}" if low == high else f"{low} to {high} {unit}"
