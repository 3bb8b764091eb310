"""Former names of step kinds: modules that moved, so that a run recorded under the old names is still audited in full.

A step kind is part of a run's plan and keys, and a record never changes. It must never know a step or a run.
"""

from __future__ import annotations

from collections.abc import Mapping

# The module that holds the step's function now -> the module that held it when older runs were recorded.
FORMER: Mapping[str, str] = {
    "harness.models.local.encoder": "harness.models.encoder",
    "harness.models.local.likelihood": "harness.models.likelihood",
    **{
        f"harness.models.providers.{name}": f"harness.models.{name}"
        for name in ("anthropic", "baseline", "imported", "openai", "transformers")
    },
}
_CURRENT = {old: new for new, old in FORMER.items()}


def former_kind(kind: str) -> str:
    """Give the name under which older runs know a step kind; its own where it never moved."""
    module, mark, name = kind.partition(":")
    return f"{FORMER.get(module, module)}{mark}{name}"


def current_kind(kind: str) -> str:
    """Give the name of a step kind today, whatever a record calls it."""
    module, mark, name = kind.partition(":")
    return f"{_CURRENT.get(module, module)}{mark}{name}"
