"""The tree of a derived manifest, whose places know the option that wrote them, or the line of the parent's file.

It must never know a study, a lock or a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.manifest.load import PLAIN_JSON
from harness.manifest.read import Place, Tree


@dataclass
class DerivedTree(Tree):
    """Parsed tree of a manifest with changes; an error about one of them names the option, any other the line."""

    options: dict[Place, str] = field(default_factory=dict)
    inherited: frozenset[Place] = frozenset()  # the places that the parent's file has

    def at(self, place: Place) -> str:
        """Location of a part: the option that wrote it, what is around it or all of it; else the parent's line."""
        for end in range(len(place), 0, -1):
            if option := self.options.get(place[:end]):
                return option
        within = [option for at, option in self.options.items() if place and at[: len(place)] == place]
        return within[0] if within and place not in self.inherited else super().at(place)


def derived_tree(parent: Tree, value: dict[str, Any], options: Mapping[Place, str]) -> DerivedTree:
    """Make the tree of changed values, with the parent's line of every part, or of the nearest part around it."""
    tree = DerivedTree(parent.where, value, typed=PLAIN_JSON, options=dict(options), inherited=frozenset(parent.lines))
    for place in _places(value, ()):
        near = place
        while near and near not in parent.lines:
            near = near[:-1]
        tree.lines[place] = parent.lines.get(near, 1)
    return tree


def _places(value: Any, place: Place) -> Iterator[Place]:
    """Iterate over the place of a value and of all of its parts."""
    yield place
    parts = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield from _places(part, (*place, name))
