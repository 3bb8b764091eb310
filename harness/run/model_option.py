"""The option `-m NAME=PROVIDER/REST` of the command line: a model as a manifest would have it.

What REST means is read from the settings that a provider's own file holds, and no step's code is touched by that. It
must never know a provider, nor the manifest that a model is added to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import NamedTuple

from harness import texts
from harness.errors import InputError
from harness.manifest.models import PROVIDERS
from harness.models.provider import Settings
from harness.run.weights import HUB

MODEL_OPTION = "-m"
TAPE, REVISION = "tape", "revision"
FORM = "write -m NAME=PROVIDER/MODEL, such as -m small=transformers/assets/tiny-shaped or -m openai/gpt-4o-mini"


class ModelOption(NamedTuple):
    """A model of the command line: its name in a manifest, what a manifest says of it, and the option as written."""

    name: str
    said: Mapping[str, str]
    text: str


def read_model_option(text: str) -> ModelOption:
    """Read `NAME=PROVIDER/REST`, or `PROVIDER/REST` of which the name is made; refuse what means no model."""
    where = f"{MODEL_OPTION} {text[:200]}"
    head, _, rest = text.partition("/")
    name, named, provider = head.rpartition("=")
    if not provider or not rest.strip():
        raise InputError("this names no model", where=where, next=FORM)
    settings = PROVIDERS.find(provider, where)
    try:
        said = {"provider": provider, **_said(settings, rest.strip())}
        name = texts.name(name) if named else _name_of(rest.strip())
    except ValueError as bad:
        raise InputError(f"this is no model that a line can name: {bad}", where=where, next=FORM) from None
    return ModelOption(name, said, f"{MODEL_OPTION} {name}={provider}/{rest.strip()}")


def _said(settings: type[Settings], rest: str) -> dict[str, str]:
    """Give the settings that REST is: the one field that a model cannot do without, and a tape to record on.

    Of a model of the hub, what follows `@` is the revision. ValueError where a model cannot do without more.
    """
    needed = [each.name for each in fields(settings) if each.default is each.default_factory is MISSING]
    needed = [name for name in needed if name not in ("provider", TAPE)]
    if len(needed) != 1:
        raise ValueError("such a model needs more than a line: write it into a manifest")
    said, _, revision = rest.partition("@") if rest.startswith(HUB) else (rest, "", "")
    names = {each.name for each in fields(settings)}
    return {
        needed[0]: said,
        **({TAPE: "record"} if TAPE in names else {}),
        **({REVISION: revision} if revision and REVISION in names else {}),
    }


def _name_of(rest: str) -> str:
    """Make a model's name of what its provider calls it: the last part of a path, without a revision."""
    last = rest.partition("@")[0].rstrip("/").rpartition("/")[2]
    name = re.sub(r"[^a-z0-9._-]+", "-", last.lower()).strip("-._")
    return texts.name(name)
