"""The models of a manifest, each under its name: those that are asked the items, and the instruments that measure.

All that is done with models alike begins here: pinning, fetching, serving through the gateway. It asks a provider's
settings, and never knows a provider.
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


class Named(NamedTuple):
    """A model of a manifest, asked the items or measuring: under which of its parts it stands, and its name there."""

    part: str
    name: str
    model: Settings

    def tapes(self, manifest: Manifest) -> str:
        """Name the tape it has where it names none: an instrument's is its own, so that it moves no model's key."""
        return manifest.name if self.part == MODELS else f"{manifest.name}.{self.name}"

    def served(self, service: Service) -> str:
        """Name it to the gateway: a model by its provider's name for it, an instrument by its role."""
        return service.model if self.part == MODELS else f"{INSTRUMENTS}/{self.name}"


def every_model(manifest: Manifest) -> Iterator[Named]:
    """Give all models of a manifest, those that are asked the items first: each is pinned, brought and served alike."""
    yield from (Named(MODELS, name, model) for name, model in manifest.models.items())
    yield from (Named(INSTRUMENTS, role, one.model) for role, one in manifest.instruments.items())


def gateway_models(manifest: Manifest, root: Path, tree: Tree | None = None) -> dict[str, dict[str, Any]]:
    """Say what a gateway is told of a manifest's models, by their names there; two ways of asking one are refused.

    An instrument is known there by its role, whatever its provider calls it: a model of that name stays another.
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
