"""What a derived manifest keeps of its parent: the models and datasets of `--only`, and what still fits those.

It knows manifests and which data a dataset is made from; it must never know a study's own words.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.manifest.load import Loaded
from harness.manifest.schema import Manifest
from harness.run.made_datasets import made_datasets
from harness.run.named_models import INSTRUMENTS, every_model
from harness.run.plan import possible_outputs
from harness.studies.registry import find

ONLY_OPTION = "--only"
MODEL, DATASET = "model", "dataset"
FORM = "write --only model=NAME,NAME or --only dataset=NAME"


class OnlyOption(NamedTuple):
    """The models or datasets that are kept, by name, and the option as it is written."""

    names: frozenset[str]
    text: str


def read_only_options(texts: Sequence[str]) -> dict[str, OnlyOption]:
    """Read `model=a,b`, `dataset=x` and `model=a,dataset=x`, by kind; several of one kind are put together."""
    found: dict[str, set[str]] = {}
    for text in texts:
        kind = ""
        for part in text.split(","):
            key, equals, name = part.partition("=")
            kind, name = (key.strip(), name.strip()) if equals else (kind, part.strip())
            if kind not in (MODEL, DATASET) or not name:
                raise InputError("this keeps nothing", where=f"{ONLY_OPTION} {text[:200]}", next=FORM)
            found.setdefault(kind, set()).add(name)
    return {
        kind: OnlyOption(frozenset(names), f"{ONLY_OPTION} {kind}={','.join(sorted(names))}")
        for kind, names in found.items()
    }


def only_models(value: dict[str, Any], only: OnlyOption) -> None:
    """Keep these models of a manifest's tree, in its order; refuse a name that none has."""
    models = value.get("models") or {}
    _require(only, models)
    value["models"] = {name: said for name, said in models.items() if name in only.names}


def only_datasets(value: dict[str, Any], only: OnlyOption, parent: Loaded) -> None:
    """Keep these datasets of a manifest's tree, the published data they are made from, and the splits that ask them."""
    datasets, manifest = value["datasets"], parent.manifest
    _require(only, datasets)
    made = made_datasets(manifest, find(manifest.study, parent.tree.at(("study",))), parent.tree)
    drawn = [made[name] for name in only.names & made.keys()]
    kept = {*only.names, *(to for one in drawn for to in (*one.files.values(), *one.folders.values()))}
    value["datasets"] = {name: said for name, said in datasets.items() if name in kept}
    if isinstance(agents := value.get("agents"), Mapping):
        splits = {name: _asked(split, kept) for name, split in agents["splits"].items()}
        splits = {name: split for name, split in splits.items() if split is not None}
        value["agents"] = {**agents, "splits": splits}
        if not splits:
            del value["agents"]


def _asked(split: Mapping[str, Any], kept: Collection[str]) -> Mapping[str, Any] | None:
    """Give a split with the datasets that are kept; nothing where it names some and none of them is."""
    if not split.get("datasets"):
        return split
    names = [name for name in split["datasets"] if name in kept]
    return {**split, "datasets": names} if names else None


def _require(only: OnlyOption, known: Collection[str]) -> None:
    if strange := sorted(only.names - set(known)):
        raise InputError(
            f"this manifest has no {strange[0]!r}", where=only.text, next=f"choose from: {', '.join(known) or 'none'}"
        )


def keep_possible_outputs(value: dict[str, Any], derived: Loaded, inherited: Collection[str]) -> None:
    """Drop the outputs that the parent names and that the study makes no more of what is kept."""
    if value.get("outputs"):
        possible = possible_outputs(derived)
        value["outputs"] = {
            name: level for name, level in value["outputs"].items() if name in possible or name not in inherited
        }


def keep_tapes(value: dict[str, Any], parent: Manifest, derived: Manifest) -> None:
    """Write down the tape of each model whose manifest names none: where it was asked before, it is not asked again.

    A model that the parent has, and whose answers go the same way, has the parent's tape. Any other records on one
    that all manifests derived from that parent share, so that the parent's own, which may be pinned, stays as it is.
    """
    before = {(one.part, one.name): one.model.service for one in every_model(parent)}
    for one in every_model(derived):
        service, old = one.model.service, before.get((one.part, one.name))
        if not service or service.tapes or service.tape == "live":
            continue
        same = old is not None and (old.model, old.tape, old.tapes) == (service.model, service.tape, None)
        role = f".{one.name}" if one.part == INSTRUMENTS else ""
        value[one.part][one.name]["tapes"] = f"tapes/{parent.name}{'' if same else '.derived'}{role}"
