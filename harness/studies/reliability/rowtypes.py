"""Row types of the study (TypedDicts): the table of labels, the published dataset, the surveys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict


class Labelled(TypedDict):
    """A row of the table `labels`: a model's labels on one item, one character per prompt wording, `-` for no label."""

    model: str
    item: str
    benchmark: str
    subset: str
    difficulty: float | None  # None if neither item nor gold has one; the analyses reject such a row
    calibrated: bool
    labels: str
    avoidance: Mapping[str, int]
    truncated: int
    errors: int
    variants: NotRequired[Mapping[str, str]]  # stricter labels, by the name of the stricter rule
    flags: NotRequired[Mapping[str, bool]]


class PublishedPrompt(TypedDict):
    """One prompt of the published dataset, as an import writes it."""

    type: str
    benchmark: str
    instance_id: str
    template: int
    prompt: str
    target: str
    difficulty: float
    inputs: dict[str, str]
    accepted: NotRequired[list[str]]
    answer_shape: NotRequired[str]


class Expectation(TypedDict):
    """A person's expectation of an item: own answer's label, confidence in it, and the failure expected of others."""

    answer_label: str
    confidence: float
    expected_failure: float


class Expected(Expectation):
    """A survey row of study S1 (expected failures): one person's expectation of one item."""

    participant_id: str
    benchmark: str
    instance_id: str


class VerdictRow(TypedDict):
    """A survey row of study S2 (verdicts on outputs): one person's verdict on one output of a model."""

    participant_id: str
    benchmark: str
    instance_id: str
    model: str
    template: int | str
    verdict: str
