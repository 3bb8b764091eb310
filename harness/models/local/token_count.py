"""Count of the tokens that a local model's own tokenizer makes of texts, before anything is asked; no weights needed.

It must never know who asks, nor a store.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

TOKENIZER = "tokenizer.json"  # of a model's files


def count_tokens(tokenizer: bytes, texts: Sequence[str]) -> int | None:
    """Count the tokens of texts by a `tokenizer.json`; None where the library is absent or cannot read the file."""
    if importlib.util.find_spec("tokenizers") is None:
        return None
    from tokenizers import Tokenizer  # noqa: PLC0415 - heavy

    try:
        reader = Tokenizer.from_buffer(tokenizer)
    except ValueError:
        return None
    return sum(len(each.ids) for each in reader.encode_batch(list(texts)))
