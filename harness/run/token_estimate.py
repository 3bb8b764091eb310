"""Estimate of how many tokens prompts have: by the model's own tokenizer where it lies here, else by their length.

It asks nobody and loads no weights; every estimate comes with what it rests on.
"""

from __future__ import annotations

from fractions import Fraction

from harness.errors import HarnessError
from harness.files import read_plain
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock
from harness.models.local.token_count import TOKENIZER, count_tokens
from harness.run.named_models import NamedModel
from harness.run.prompt_sizes import PromptSizes
from harness.run.weights import folder_of

PER_TOKEN = 4  # characters, where no tokenizer is at hand
READ, GUESSED = "by its tokenizer", "characters / 4"
BEFORE = "estimated from the items, "  # as long as no prompt is written
ROUGH = ("", READ, GUESSED, BEFORE + READ, BEFORE + GUESSED)  # what estimates rest on, from the best to the roughest


class TokenEstimator:
    """Estimates tokens for the models of one locked manifest; each tokenizer reads one sample of the prompts."""

    def __init__(self, loaded: Loaded, lock: Lock) -> None:
        self.loaded, self.lock = loaded, lock
        self._shares: dict[tuple[str, str], Fraction | None] = {}  # tokens for each character, by part and model

    def estimate(self, named: NamedModel, sizes: PromptSizes) -> tuple[int, str]:
        """Estimate the tokens of prompts for a model; gives the number and what it rests on."""
        share = self._share(named, sizes)
        told = GUESSED if share is None else READ
        tokens = -(-sizes.characters // PER_TOKEN) if share is None else round(share * sizes.characters)
        return tokens, told if sizes.written else BEFORE + told

    def _share(self, named: NamedModel, sizes: PromptSizes) -> Fraction | None:
        """Give the tokens for each character, by the first sample there is; None where no tokenizer is here."""
        model = named.part, named.name
        if model not in self._shares and sizes.sampled:
            tokenizer = self._tokenizer(named)
            counted = count_tokens(tokenizer, sizes.texts) if tokenizer else None
            self._shares[model] = None if counted is None else Fraction(counted, sizes.sampled)
        return self._shares.get(model)

    def _tokenizer(self, named: NamedModel) -> bytes | None:
        weights, pin = named.model.weights, self.lock.of(named.part).get(named.name, {})
        if not weights or TOKENIZER not in pin.get("files", {}):
            return None
        try:
            return read_plain((folder_of(self.loaded.root, weights, self.loaded.homes) / TOKENIZER).resolve())
        except HarnessError:
            return (
                None  # a link of the hub's tools, or a folder that is gone: its bytes are in the store, or the run says
            )
