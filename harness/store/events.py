"""Types of the lines of logs, and of a step's key (TypedDicts), field by field, for the type checker.

At run time they are plain dicts: a type checks nothing. `journal.py` checks the fields of each line when it reads a
log, and gives the line its type; `store.py` does the same for the preimage of a key. A log has lines of several kinds,
which `event` names; the fields that only some kinds have are in classes that are not total.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict


class Line(TypedDict):
    """The fields of every line of a hash-chained log: type, kind, number, and the digest of the line before."""

    type: str
    event: str
    n: int
    prev: str


class HeadEvent(Line):
    """A line of the list of runs: the start or end of a run or an attempt, and its log's last digest (`journal`)."""

    run: str
    journal: str
    record: NotRequired[str]  # of a run that ended


class TimedLine(Line):
    """A line of a hash-chained log that has the time at which it was written."""

    at: str


class Sandbox(TypedDict):
    """The image of foreign code and the digest of its environment document."""

    image: str
    environment: str


class FileCoverage(TypedDict):
    """Number of files of a dataset of many files, and which of them are absent."""

    files: int
    absent: list[str]


class ImportedFrom(TypedDict, total=False):
    """The model and the source of imported answers."""

    model: str
    source: str


class TokenCounts(TypedDict, total=False):
    """Numbers of tokens that a model's requests took."""

    prompt: int
    completion: int
    cached: int


class ModelCalls(TypedDict, total=False):
    """What the gateway counted of the requests to one model."""

    requests: int
    replayed: int
    recorded: int
    live: int
    retries: int
    errors: Mapping[str, int]  # by kind
    tokens: TokenCounts
    dollars: str
    refused: int
    gave_up: int
    outage: int
    unpriced: int
    models: Mapping[str, int]  # by the name that the server gave in its answers
    moved: Mapping[str, int]  # by server
    unnamed: int


class Event(TimedLine, total=False):
    """A line of a run's journal."""

    # run.started
    run: str
    manifest: str
    lock: str
    plan: str
    engine: str
    isolation: str
    image: str
    environment: str
    steps: int  # of run.healed as well
    facts: Mapping[str, Any]  # what the machine and its programs say of themselves; of step.done as well
    limit: int
    clock: str
    data: Mapping[str, FileCoverage]
    sandbox: Sandbox
    asked: Mapping[str, str]  # of a run that an agent asked for: principal, key
    # step.*
    step: str  # of trial.done and output as well
    stage: str
    key: str
    entry: str
    usage: Mapping[str, int]
    sees_gold: bool
    imported: ImportedFrom
    trial: bool | str  # whether foreign code ran in the step; of trial.done the trial's identity
    error: str
    ended: str  # how a step that failed ended
    worker: str  # of a cluster, which executed it; of worker.joined and worker.refused as well
    detail: str
    text: str
    # trial.done
    outcome: str
    # calls
    models: Mapping[str, ModelCalls]
    # run.healed
    blobs: int
    digests: list[str]
    # output
    name: str
    sha256: str
    size: int
    output: str
    # run.finished
    status: str
    events: int


class Canary(TypedDict, total=False):
    """The control item of an attempt."""

    key: str
    sha256: str


class AttemptFields(TypedDict, total=False):
    """The fields that only some lines of a transcript or a session's log have."""

    # attempt.started; principal, profile, versions and tools of session.started as well
    attempt: str
    principal: str
    profile: str
    manifest: str
    name: str
    study: str
    lock: str
    split: str
    subset: str
    hidden: bool
    gold_reachable: bool
    label: str
    budget: Mapping[str, int]  # `calls` and `seconds`
    items: int
    view: str
    media: str
    canary: Canary
    tools: str
    versions: Mapping[str, str]
    secret: str
    idempotency: str
    expires: str
    # call
    tool: str
    args: Mapping[str, Any]  # as the agent sent them, or what is kept of rejected ones
    args_sha256: str
    result_sha256: str
    is_error: bool
    code: str
    protocol: str
    client: str
    ms: int
    calls_left: int
    receipts: list[Mapping[str, Any]]
    # reopened
    cut: int
    # attempt.closed
    reason: str
    answered: int
    abstained: int
    missing: int


class AttemptEvent(TimedLine, AttemptFields):
    """A line of an attempt's transcript, or of a session's log."""


class LabelFields(TypedDict, total=False):
    """The fields of the lines of labels: who labels by which words, and a label of an answer by its row's place."""

    run: str
    record: str
    labeller: str
    scorer: str
    labels: list[str]
    blob: str
    begin: int
    label: str
    labelled: int


class LabelEvent(TimedLine, LabelFields):
    """A line of the labels that a person gave to answers."""


class Preimage(TypedDict, total=False):
    """Everything that can change a step's output; the digest is the step's key."""

    type: str
    kind: str
    params: Mapping[str, Any]
    inputs: Mapping[str, str | list[str]]
    outputs: list[str]
    environment: str
    device: str
    numerics: Mapping[str, str]
    batch: str
    code: str
    attempt: int  # of a step that asks again for some of its recorded answers
