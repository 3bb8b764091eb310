"""Tokens of what is to be measured: continuations of a context, and long texts as rolling windows; lm-eval's way.

Context and continuation are read as one text, and the space between them belongs to the continuation. It knows a
tokenizer; it never knows a model's weights, a row or a file.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.models.local.chat import ModelInput
from harness.models.local.continuations import TokenizedContinuation
from harness.models.local.load import LoadedModel

NO_BEGINNING = "the model has no token that begins a text"


def tokenize_continuations(
    loaded: LoadedModel, context: ModelInput, continuations: Sequence[str]
) -> list[TokenizedContinuation] | str:
    """Tokenize the continuations of one context, with the boundary where lm-eval has it; or return an error message."""
    text = context.text.rstrip()
    space = context.text[len(text) :]
    before = ModelInput(text, context.templated or not text)  # after nothing, no tokenizer adds a beginning
    head = before.tokens(loaded) if text else _beginning(loaded)
    if not head:
        return NO_BEGINNING
    found = []
    for one in continuations:
        tail = before.tokens(loaded, space + one)
        known = len(head) if text or head == tail[:1] else 0
        if len(tail) == known:
            return "a continuation has no tokens of its own"
        length = len(head) + len(tail) - known - 1
        if loaded.window is not None and length > loaded.window:
            return f"a prompt and its continuation have {length} tokens, the window holds {loaded.window}"
        found.append(TokenizedContinuation(tuple(head), tuple(tail[known:])))
    return found


def rolling_windows(loaded: LoadedModel, text: str) -> list[TokenizedContinuation] | str:
    """Cut a text into windows as long as the model reads, each token to be foretold once; or return an error message.

    The first follows the beginning-of-sequence token, each other the last token of the one before; the last is filled
    up with tokens that were foretold already, so that as much as can be stands before what is left.
    """
    tokens, begin = ModelInput(text, templated=False).tokens(loaded), _beginning(loaded)
    if not tokens or not begin:
        return "the text has no tokens" if begin else NO_BEGINNING
    size = len(tokens) if loaded.window is None else loaded.window
    found = [TokenizedContinuation(tuple(begin), tuple(tokens[:size]))]
    for at in range(size, len(tokens), size):
        tail = tokens[at : at + size]
        end = at + len(tail)
        found.append(TokenizedContinuation(tuple(tokens[end - size - 1 : at]), tuple(tail)))
    return found


def _beginning(loaded: LoadedModel) -> list[int]:
    tokenizer = loaded.tokenizer
    found = tokenizer.eos_token_id if tokenizer.bos_token_id is None else tokenizer.bos_token_id
    return [] if found is None else [int(found)]
