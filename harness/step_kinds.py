"""Former names of step kinds whose modules moved, so that a run recorded under the old names is still audited in full.

A step kind is part of a run's plan and keys, and a record never changes.
"""

from __future__ import annotations

from collections.abc import Mapping

# The newest move first: the module of a step's function after the move -> its module before.
MOVES: tuple[Mapping[str, str], ...] = (
    {
        f"harness.kit.{name}": f"harness.studies.{name}"
        for name in ("encoded", "encoded_weighted", "graded", "judged", "media", "prompts", "segments")
    },
    {
        "harness.models.local.encoder": "harness.models.encoder",
        "harness.models.local.likelihood": "harness.models.likelihood",
        **{
            f"harness.models.providers.{name}": f"harness.models.{name}"
            for name in ("anthropic", "baseline", "imported", "openai", "transformers")
        },
    },
)


LIMITED = "limited"  # the parameter that tells the step of a page its run's `--limit`; absent in whole runs


def former_kind(kind: str, moves: int) -> str:
    """Return the name that a step kind had `moves` moves ago; its present name if it did not move since."""
    module, mark, name = kind.partition(":")
    for move in MOVES[:moves]:
        module = move.get(module, module)
    return f"{module}{mark}{name}"


def current_kind(kind: str) -> str:
    """Return the present name of a step kind, given any name that a record has for it."""
    module, mark, name = kind.partition(":")
    for move in reversed(MOVES):
        module = next((after for after, before in move.items() if before == module), module)
    return f"{module}{mark}{name}"
