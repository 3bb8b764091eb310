"""Rules of hidden splits: what is hidden from agents is made from a file that only its owner has.

A recipe that stands in the manifest, or data that is published, hides nothing: an agent could make or fetch it.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.errors import InputError
from harness.manifest.agent_splits import SPLITS, split_datasets, splits
from harness.manifest.datasets import Fetched, FetchedFiles, Made
from harness.manifest.read import Tree
from harness.manifest.schema import Manifest
from harness.run.made_datasets import MadeDataset

MEND = 'have it made from `{fetch: "private:NAME", sha256: …, licence: …}`, which `harness import data FILE` brings'


def require_hidden(manifest: Manifest, made: Mapping[str, MadeDataset], tree: Tree) -> None:
    """Refuse a hidden split of data that others can make or fetch, or that a public split shows too.

    The error names the line of the split's `hidden`.
    """
    public: dict[str, str] = {}  # the private files that public splits are made from, by digest
    for name, split in splits(manifest).items():
        if split.public:
            for one in split_datasets(manifest, name):
                public |= dict.fromkeys(_private(one, manifest, made), name)
    for name, split in splits(manifest).items():
        for one in split_datasets(manifest, name) if split.hidden else ():
            found = _private(one, manifest, made)
            where = tree.at((*SPLITS, name, "hidden"))
            if not found:
                raise InputError(
                    f"split {name!r} cannot be hidden: {_why(one, manifest, tree)}", where=where, next=MEND
                )
            if others := [public[digest] for digest in found if digest in public]:
                raise InputError(
                    f"dataset {one!r} of the hidden split {name!r} is made from a file that the public split "
                    f"{others[0]!r} is made from too",
                    where=where,
                    next="give each split a file of its own",
                )


def _private(name: str, manifest: Manifest, made: Mapping[str, MadeDataset]) -> list[str]:
    """List the digests of the private files that a dataset is or is made from, and that nothing else publishes."""
    published = set(_published(manifest))
    sources = [name, *(made[name].files.values() if name in made else ())]
    said = [manifest.datasets[source] for source in sources]
    return [
        one.sha256
        for one in said
        if isinstance(one, Fetched) and one.private and one.sha256 and one.sha256 not in published
    ]


def _published(manifest: Manifest) -> list[str]:
    """List the digests that the manifest gives a public address to."""
    found = [
        each.sha256
        for one in manifest.datasets.values()
        if isinstance(one, FetchedFiles)
        for each in one.fetch.values()
    ]
    whole = (one for one in manifest.datasets.values() if isinstance(one, Fetched) and not one.private)
    return [*found, *(one.sha256 for one in whole if one.sha256)]


def _why(name: str, manifest: Manifest, tree: Tree) -> str:
    line = tree.at(("datasets", name)).rpartition(":")[2]
    said = manifest.datasets[name]
    if isinstance(said, Made):
        return f"dataset {name!r} can be made by anybody from what stands in line {line}"
    return f"dataset {name!r} is published, by line {line}"
