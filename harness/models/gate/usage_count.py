"""Usage counters of one model: requests, tokens, retries and errors; in memory, never on disk."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from harness.models.gate.settings import TokenUsage


@dataclass
class UsageCount:
    """Usage counters of one model, from 0 when its account is opened; they never limit anything."""

    requests: int = 0
    replayed: int = 0
    recorded: int = 0
    live: int = 0
    retries: int = 0
    prompt: int = 0  # tokens, of what was asked upstream
    completion: int = 0
    cached: int = 0  # of the prompts' tokens: what a provider had in its cache
    errors: Counter[str] = field(default_factory=Counter)
    refused: int = 0  # of the errors: what the provider was asked and would not answer
    gave_up: str = ""  # why no more was asked
    unpriced: int = 0  # answers of which tokens do not say the price, where prices are given

    def add(self, used: TokenUsage, *, priced: bool = True) -> None:
        """Add the tokens of an answer, and count it as unpriced where tokens are not all that it cost."""
        self.unpriced += not priced
        self.prompt += used.prompt
        self.completion += used.completion
        self.cached += used.read

    def as_data(self, spent: Decimal) -> dict[str, Any]:
        """Convert the counters, with the dollars spent, to plain data.

        `errors` counts the error replies to clients, by kind.
        """
        late = {"refused": self.refused, "gave_up": self.gave_up, "unpriced": self.unpriced}
        return {
            **{name: value for name, value in late.items() if value},
            "requests": self.requests,
            "replayed": self.replayed,
            "recorded": self.recorded,
            "live": self.live,
            "retries": self.retries,
            "errors": dict(sorted(self.errors.items())),
            "tokens": {
                "prompt": self.prompt,
                "completion": self.completion,
                **({"cached": self.cached} if self.cached else {}),
            },
            "dollars": f"{spent.normalize():f}",
        }
