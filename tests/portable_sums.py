"""A plugin of mypy: built-in `sum` adds what is whole, `math.fsum` what may be fractions.

From Python 3.12 on, `sum` of floats is compensated and gives other bytes than 3.11 does; `math.fsum` gives the same on
all. Only a type tells which of them a line needs, so the rule is held by what knows the types. A value of which nothing
is known (out of JSON, of numpy) counts as a float. Tests may add as they like; the toys are code of the product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from mypy.maptype import map_instance_to_supertype
from mypy.plugin import FunctionContext, Plugin
from mypy.typeops import tuple_fallback
from mypy.types import Instance, LiteralType, TupleType, Type, UnionType, get_proper_type

EXACT = {"builtins.int", "collections.Counter", "decimal.Decimal", "fractions.Fraction"}
ADVICE = "built-in sum() of {} gives other bytes on other Pythons: use math.fsum, or say by a type that it is whole"


class SumPlugin(Plugin):
    """Looks at each call of built-in `sum`."""

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """Return what looks at a call of this function, if anything does."""
        return _check_sum if fullname == "builtins.sum" else None


def plugin(_version: str) -> type[Plugin]:
    """Return the plugin to mypy, of whatever version."""
    return SumPlugin


def _check_sum(call: FunctionContext) -> Type:
    parts = Path(call.api.path).parts
    if "tests" not in parts or "toys" in parts:
        # Each overload is tried with a wish of its own (`Iterable[bool]` first), so what stands there is asked without.
        (values,), *start = call.args
        added = [*_items(call.api.get_expression_type(values), call)]
        added += [call.api.get_expression_type(one) for given in start for one in given]
        for one in added:
            if not _is_exact(one):
                call.api.fail(ADVICE.format(get_proper_type(one)), call.context)
    return call.default_return_type


def _items(given: Type, call: FunctionContext) -> Iterator[Type]:
    """Yield the types of an iterable's items; what is not known to be one is yielded itself."""
    found = get_proper_type(given)
    if isinstance(found, UnionType):
        for one in found.items:
            yield from _items(one, call)
        return
    if isinstance(found, TupleType):
        found = tuple_fallback(found)
    iterable = call.api.named_generic_type("typing.Iterable", [found]).type
    if isinstance(found, Instance) and found.type.has_base(iterable.fullname):
        yield map_instance_to_supertype(found, iterable).args[0]
    else:
        yield found


def _is_exact(added: Type) -> bool:
    """Tell whether values of this type add up to the same on every Python."""
    found = get_proper_type(added)
    if isinstance(found, UnionType):
        return all(map(_is_exact, found.items))
    if isinstance(found, LiteralType):
        found = found.fallback
    return isinstance(found, Instance) and any(base.fullname in EXACT for base in found.type.mro)
