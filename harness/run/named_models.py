"""The models of a manifest, each under its name: those that are asked the items, and the instruments that measure.

Whoever pins models, fetches their files or serves them at the gateway takes the list from here. It reads the settings
that every provider's models have, and never knows a provider.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.manifest.read import Tree
from harness.manifest.schema import Manifest
from harness.models.provider import Service, Settings

MODELS, INSTRUMENTS = "models", "instruments"


class NamedModel(NamedTuple):
    """A model of a manifest with its name and its part: `models` are asked the items, `instruments` measure."""

    part: str
    name: str
    model: Settings

    def tapes(self, manifest: Manifest) -> str:
        """Return the default name of its tape: the manifest's name, for an instrument followed by its role."""
        return manifest.name if self.part == MODELS else f"{manifest.name}.{self.name}"

    def served(self, service: Service) -> str:
        """Return its name at the gateway: the provider's name of a model, the role of an instrument."""
        return service.model if self.part == MODELS else f"{INSTRUMENTS}/{self.name}"


def every_model(manifest: Manifest) -> Iterator[NamedModel]:
    """List all models of a manifest, those that are asked the items first, then the instruments."""
    yield from (NamedModel(MODELS, name, model) for name, model in manifest.models.items())
    yield from (NamedModel(INSTRUMENTS, role, one.model) for role, one in manifest.instruments.items())


def gateway_models(manifest: Manifest, root: Path, tree: Tree | None = None) -> dict[str, dict[str, Any]]:
    """Return, by name at the gateway, its settings for the models of a manifest that a provider's service answers.

    An instrument is named by its role, a model by its provider's name. Refuses a model asked in two ways.
    """
    found: dict[str, dict[str, Any]] = {}
    for named in every_model(manifest):
        service = named.model.service
        if service:
            tape = {} if service.tape == "live" else {"tape": str(service.folder(root, named.tapes(manifest)))}
            told = {**service.told, **tape, **({} if named.part == MODELS else {"model": service.model})}
            first = found.setdefault(named.served(service), told)
            if first != told:
                parted = ", ".join(sorted(key for key in {*first, *told} if first.get(key) != told.get(key)))
                raise InputError(
                    f"{named.part}.{named.name} asks {service.model!r} in another way than a model before it: {parted}",
                    where=tree.at((named.part, named.name)) if tree else "",
                    next="ask one provider's model in one way, or write a second manifest",
                )
    return found
