"""Hidden states of a model's layers for texts, for embeddings and activations.

`hidden_states` and `token_states` read one text at a time, so that no result depends on a batch; `forward` reads a
batch. It never knows what the texts are for.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from harness.errors import InputError
from harness.models.local.load import LoadedModel


def hidden_states(loaded: LoadedModel, texts: Sequence[str], layers: Sequence[int] | None = None) -> Any:
    """Compute the mean hidden states of each text over its tokens: float32 [text, layer, width].

    Layer 0 is the embedding; negative layers count from the last; None means all of them. A text without tokens, or
    longer than the context window, is refused.
    """
    import numpy as np  # noqa: PLC0415

    found = [_states(loaded, text, layers).mean(axis=1, dtype=np.float64).astype(np.float32) for text in texts]
    return np.stack(found) if found else np.zeros((0, 0, 0), np.float32)


def _states(loaded: LoadedModel, text: str, layers: Sequence[int] | None) -> Any:
    """Compute [layer, token, width] of one text; a text beyond the context window is refused, never cut."""
    tokens = loaded.tokenizer(text, verbose=False)["input_ids"]
    if not tokens:
        raise InputError("a text has no tokens", where=f"{text!r:.60}", next="leave empty texts out")
    if loaded.window is not None and len(tokens) > loaded.window:
        raise InputError(
            f"a text has {len(tokens)} tokens, the window holds {loaded.window}",
            where=f"{text!r:.60}",
            next="cut the text into shorter ones",
        )
    return token_states(loaded, tokens, layers)


def token_states(loaded: LoadedModel, tokens: Sequence[int], layers: Sequence[int] | None) -> Any:
    """Compute the states of one tokenized text: float32 [layer, token, width]; layers as for `hidden_states`."""
    import torch  # noqa: PLC0415

    states = forward(loaded, [tokens])
    wanted = range(len(states)) if layers is None else layers
    for layer in wanted:
        if not -len(states) <= layer < len(states):
            raise InputError(
                f"there is no layer {layer}", where="layers", next=f"use 0 to {len(states) - 1}, 0 the embedding"
            )
    return torch.stack([states[layer][0].float().cpu() for layer in wanted]).numpy()


def forward(loaded: LoadedModel, texts: Sequence[Sequence[int]]) -> Any:
    """Run a batch of tokenized texts through the model; returns the states of every layer, [text, token, width].

    Shorter texts are padded on the right, and masked where the model takes an attention mask.
    """
    import torch  # noqa: PLC0415

    longest = max(map(len, texts))
    pad = loaded.tokenizer.pad_token_id
    padded = [[*text, *[0 if pad is None else int(pad)] * (longest - len(text))] for text in texts]
    given: dict[str, Any] = {"input_ids": torch.tensor(padded, device=loaded.model.device)}
    if any(len(text) < longest for text in texts):
        mask = [[place < len(text) for place in range(longest)] for text in texts]
        if "attention_mask" in inspect.signature(loaded.model.forward).parameters:
            given["attention_mask"] = torch.tensor(mask, device=loaded.model.device).long()
    with torch.inference_mode():
        return loaded.model(**given, output_hidden_states=True).hidden_states
