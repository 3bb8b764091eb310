"""Which values of `values.measures` are defined, and why others are not (docs/reliability-rules.md#aggregation).

Works on results of `values.measures`; independent of means, resamples and model names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.studies.reliability.measures.values import flat
from harness.studies.reliability.terms import NOTHING_SCORED, SIX

GOOD: Mapping[str, str] = {"correctness": "correct", "prudence": "prudent"}


def degenerate(found: Mapping[str, Any], name: str) -> bool:
    """Whether an indicator has its value by definition alone (e.g. all labels equal), so that no mean may include it.

    A stability is degenerate if all or none are in the group, or if there is one wording. A concordance is degenerate
    if success is certain or impossible throughout, or if there is one difficulty. Any indicator is, if there is one
    item or nothing was scored.
    """
    few: bool = found["degenerate"]
    return few or _is_degenerate(found, name)


def defined(found: Mapping[str, Any]) -> dict[str, float | None]:
    """Return a model's values by name, with None for a stability or concordance that holds by definition alone.

    Resamples use this definition.
    """
    return {name: None if name in SIX and _is_degenerate(found, name) else value for name, value in flat(found).items()}


def why_undefined(found: Mapping[str, Any], name: str) -> str:
    """Return in a few words why a model's value is undefined, or holds by definition alone; else an empty text.

    It explains to a reader of a mean why a benchmark is left out.
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
