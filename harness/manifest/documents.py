"""Types of the documents lock and expectation (TypedDicts), field by field, for the type checker.

At run time the documents are plain dicts: a type checks nothing. `lockfile.py` validates a document when it reads one,
and gives it these types; a manifest's own intent has them, too. Fields that may be absent are in classes that are not
total.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

SpelledLevel = str | Mapping[str, str]  # `exact`, `{within: …}` or `{interval: …}`
OwnSettings = Mapping[str, Any]  # settings whose fields a provider, a maker or a study defines


class AnyPin(TypedDict, total=False):
    """Field that a pin of any kind may have: the reason why its name could not be resolved to a digest."""

    unresolved: str


class DigestPin(AnyPin):
    """Pin of one file's bytes: a package lock or a certificate."""

    sha256: str


class TablePin(TypedDict, total=False):
    """Pin of a file that a maker made; an array has no `rows`."""

    sha256: str
    rows: int


class DatasetPin(AnyPin, total=False):
    """Pin of a dataset: tables by name if a maker made it (`tables_of`), else published data, of one file or many."""

    items: TablePin  # the table that most makers make, among others
    sha256: str
    files: Mapping[str, str]  # all files of published data, by path
    absent: list[str]  # those of them that could not be had


class ModelPin(AnyPin, total=False):
    """Pin of a model or an instrument: its settings, and its weights, tape or imported answers."""

    sha256: str
    files: dict[str, str]  # weights, by path
    tape: str
    answers: str


class FilePin(AnyPin, total=False):
    """Pin of a file by its path, or of several files with their digests in pairs."""

    file: str
    sha256: str
    files: list[list[str]]
    commit: str  # of a data set of the hub
    gated: bool  # of a data set of the hub that is given only to those who agreed to terms
    cuts: list[int]  # numbers of items at which the file has grown


class PromptsPin(FilePin, total=False):
    """Pin of a file of wordings: path, digest and number of wordings."""

    rows: int


class ImagePin(AnyPin, total=False):
    """Pin of a container image: its ID, manifest and layers."""

    image_id: str
    manifest: str
    diff_ids: list[str]


class Pins(TypedDict, total=False):
    """Pins of a lock, by kind and name; a lock has the first five kinds, and of the others those with a pin."""

    models: Mapping[str, ModelPin]
    prompts: Mapping[str, PromptsPin]
    datasets: Mapping[str, DatasetPin]
    images: Mapping[str, ImagePin]
    packages: Mapping[str, DigestPin]
    instruments: Mapping[str, ModelPin]
    certificates: Mapping[str, DigestPin]
    tables: Mapping[str, FilePin]
    files: Mapping[str, FilePin]


Derived = TypedDict("Derived", {"from": str, "sha256": str, "changes": list[str]})  # origin of a derived manifest


class Split(TypedDict, total=False):
    """A split of a benchmark that agents may attempt: public or hidden, and which of its questions are asked."""

    public: bool
    hidden: bool
    max_attempts: int | None
    datasets: list[str]
    items: int
    templates: list[int]


class AgentsPart(TypedDict, total=False):
    """The part of a manifest for agents: the splits that they may attempt, and the budget of one attempt."""

    splits: Mapping[str, Split]
    budget: Mapping[str, int]


class ResourcesPart(TypedDict, total=False):
    """Resource limits of steps, and their number of threads."""

    gpus: int | str
    memory: str
    disk: str
    timeout: str
    threads: int


class ClaimFields(TypedDict, total=False):
    """A claim as a manifest's intent holds it: `of`, `where`, `published`, `within` and `order` are always there."""

    of: str | list[str]
    where: str
    published: str | None
    within: str | None
    order: str | None
    ties: bool
    at_least: str
    at_most: str
    id: str
    status: str
    waits: str


class WordingRow(TypedDict, total=False):
    """A wording that a manifest writes out, as a row of a wordings file."""

    id: int
    text: str
    turns: list[Mapping[str, str]]
    shot: str


class Intent(TypedDict, total=False):
    """A manifest as its lock holds it: `name`, `study`, `models` and `datasets` are always there."""

    harness: str
    study: str
    name: str
    about: str
    models: Mapping[str, OwnSettings]
    datasets: Mapping[str, OwnSettings]
    prompts: OwnSettings | None
    generation: OwnSettings
    seeds: list[int]
    image: str
    resources: ResourcesPart
    outputs: Mapping[str, SpelledLevel]
    agents: AgentsPart | None
    claims: list[ClaimFields]
    settings: OwnSettings
    instruments: Mapping[str, OwnSettings]
    tables: list[str]
    numerics: str
    sandbox: str
    derived: Derived


class LockBody(TypedDict):
    """The two parts of a lock that are read again: what the manifest meant (`intent`), and what is pinned (`pins`)."""

    intent: Intent
    pins: Pins


class ExpectedOutput(TypedDict):
    """What is expected of an output: its digest, its level, and the values that the level compares."""

    sha256: str
    level: SpelledLevel
    values: dict[str, str]
    array: NotRequired[str]  # the format of an array


Carried = TypedDict("Carried", {"from": str, "accepted": str, "within": list[str]}, total=False)


class ShortEnvironment(TypedDict, total=False):
    """An environment document in short form: a version and a short digest for each package."""

    type: str
    python: str
    platform: str
    stdlib: str
    packages: Mapping[str, str]
    loose: Mapping[str, str]


class AcceptedMachine(TypedDict, total=False):
    """The processor, image, device and packages with which the outputs were made that are expected now."""

    processor: str
    image: str
    device: str
    threads: str
    numerics: Mapping[str, str]
    environment: ShortEnvironment
