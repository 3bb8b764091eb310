"""Splits for agents, checked against the manifest that names them; each error names the line it is about.

It must never know a study: whether a hidden dataset can be drawn again is said where its maker is known.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.errors import InputError
from harness.manifest.datasets import Made
from harness.manifest.read import Place, Tree
from harness.manifest.schema import Manifest, Split

SPLITS: Place = ("agents", "splits")


def split_datasets(manifest: Manifest, name: str) -> tuple[str, ...]:
    """Name the datasets of a split in the manifest's order: those it names, or all that are made."""
    said, split = manifest.datasets, splits(manifest)[name]
    return tuple(one for one in said if one in split.datasets or (not split.datasets and isinstance(said[one], Made)))


def splits(manifest: Manifest) -> Mapping[str, Split]:
    """Give the splits of a manifest by name; none where it is for operators only."""
    return manifest.agents.splits if manifest.agents else {}


def require_splits(manifest: Manifest, tree: Tree) -> None:
    """Refuse a split that is not either public or hidden, names an unknown dataset, or shows what another one hides."""
    for name, split in splits(manifest).items():
        if split.public == split.hidden:
            raise InputError(
                f"split {name!r} is to be public or hidden, one of the two",
                where=tree.at((*SPLITS, name)),
                next="write `public: true`, or `hidden: true` where no agent may learn an answer or a score",
            )
        for strange in (one for one in split.datasets if one not in manifest.datasets):
            raise InputError(
                f"split {name!r} names no dataset {strange!r}",
                where=tree.at((*SPLITS, name, "datasets")),
                next=f"choose from: {', '.join(manifest.datasets)}",
            )
    shown: dict[str, str] = {}
    for name, split in splits(manifest).items():
        shown |= dict.fromkeys(split_datasets(manifest, name), name) if split.public else {}
    for name, split in splits(manifest).items():
        if split.hidden and (both := [one for one in split_datasets(manifest, name) if one in shown]):
            raise InputError(
                f"dataset {both[0]!r} stands in the hidden split {name!r} and in the public one {shown[both[0]]!r}",
                where=tree.at((*SPLITS, name, "datasets")),
                next="give each split `datasets: […]` of its own",
            )
