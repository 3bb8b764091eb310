"""The prompts around a question: our own system prompt, or the published prompts from a fetched file.

This project stores none of the published wording.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import sha256
from harness.errors import InputError
from harness.studies.biomed.terms import CONFIG_SHA256, PROMPT_SHA256, REPOSITORY

# OURS and versioned, because a change of wording makes another experiment.
SYSTEM_VERSION = "system-1"
SYSTEM = (
    "Researchers ask you about genes, genetic variants, diseases and drugs. Reply briefly, with the exact names, "
    "numbers and dates that the question is after. Where you cannot tell what is right, reply that you do not know, "
    "and offer no guess."
)
LARGEST = 1 << 20  # bytes of the published file; it has a few thousand
_ADVICE = f"fetch configs/default_config.yaml of {REPOSITORY[0]} at commit {REPOSITORY[1]}"


@dataclass(frozen=True, slots=True)
class PublishedWording:
    """The published prompts as they were sent: `system` to the asked models, `grading` to the grader as user turn."""

    system: str
    grading: str  # with the fields {question}, {gold_res} and {pred_res}


def read_config(path: Path) -> PublishedWording:
    """Read the published system and grading prompts from the published settings file.

    Trailing whitespace of each prompt is cut, as the published code does. Raise InputError for any other file; the
    message shows both digests.
    """
    import yaml  # noqa: PLC0415

    with open(path, "rb") as file:
        data = file.read(LARGEST + 1)
    if (found := sha256(data)) != CONFIG_SHA256:
        raise InputError(
            f"this is not the published file: its SHA-256 is {found}, and {CONFIG_SHA256} is wanted",
            where="config",
            next=_ADVICE,
        )
    by_digest = {sha256(text.encode()): text for text in _texts(yaml.safe_load(data))}
    lacking = [name for name, digest in PROMPT_SHA256.items() if digest not in by_digest]
    if lacking:
        raise InputError(f"no text of the file is the published `{lacking[0]}`", where="config", next=_ADVICE)
    of = {name: by_digest[digest] for name, digest in PROMPT_SHA256.items()}
    return PublishedWording(of["system_prompt"], of["bioscore_grading_prompt"])


def _texts(value: Any) -> Iterator[str]:
    """Yield every text of a YAML document without trailing whitespace; the caller identifies texts by digest."""
    if isinstance(value, str):
        yield value.rstrip()
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
