"""Which values of `values.measures` say something, and why others do not (docs/reliability-rules.md#aggregation).

It knows results of `values.measures`; it must never know a mean, a resample or a model's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.studies.reliability.measures.values import flat
from harness.studies.reliability.terms import NOTHING_SCORED, SIX

GOOD: Mapping[str, str] = {"correctness": "correct", "prudence": "prudent"}


def degenerate(found: Mapping[str, Any], name: str) -> bool:
    """Whether one of the six indicators has its value by definition alone, so that no mean may count it.

    A stability: all or none are in the group, or there is one wording; a concordance: success always or never, or one
    difficulty; any: one item, or nothing scored.
    """
    few: bool = found["degenerate"]
    return few or _is_degenerate(found, name)


def defined(found: Mapping[str, Any]) -> dict[str, float | None]:
    """Give the values of `values.flat`, None where stability or concordance is degenerate: what a resample counts."""
    return {name: None if name in SIX and _is_degenerate(found, name) else value for name, value in flat(found).items()}


def why_undefined(found: Mapping[str, Any], name: str) -> str:
    """Say in a few words why one of the values of `values.flat` is undefined or degenerate; empty where it is neither.

    A reader of a mean learns from it why a benchmark is left out.
    """
    if not found["n_scored"]:
        return NOTHING_SCORED
    if name not in SIX:
        return "" if flat(found)[name] is not None else "undefined"
    if found["n_items"] < 2:
        return "one item"
    return _reason(found, name) if _is_degenerate(found, name) else ""


def _is_degenerate(found: Mapping[str, Any], name: str) -> bool:
    kind, _, what = name.partition("_")
    if what == "proportion":
        return False
    made_of = found[what][kind]
    return bool(made_of["degenerate"] or (what == "stability" and made_of["corrected"] is None))


def _reason(found: Mapping[str, Any], name: str) -> str:
    kind, _, what = name.partition("_")
    share = found["indicators"][f"{kind}_proportion"]
    if share in (0, 100):
        return f"{'always' if share else 'never'} {GOOD[kind]}"
    if what == "stability":
        return "one wording"
    known = {each for each in found[f"psi_{kind}"] if each is not None}
    return f"never {GOOD[kind]} beyond guessing" if known == {0} else "one difficulty"
