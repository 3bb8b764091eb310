"""Row types of the study (TypedDicts): the table of labels, the published dataset, the surveys.

It must never know how a row is made or what is computed from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict


class Labelled(TypedDict):
    """A row of the `labels` table: one model's labels on one item, one character an answer, `-` where it has none."""

    model: str
    item: str
    benchmark: str
    subset: str
    difficulty: float | None  # none where neither item nor gold has one: no analysis takes such a row
    calibrated: bool
    labels: str
    avoidance: Mapping[str, int]
    truncated: int
    errors: int
    variants: NotRequired[Mapping[str, str]]  # stricter labels, by what they are stricter in
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
    """A survey row of study S1: one person's expectation of one item."""

    participant_id: str
    benchmark: str
    instance_id: str


class VerdictRow(TypedDict):
    """A survey row of study S2: one person's verdict on one output of a model."""

    participant_id: str
    benchmark: str
    instance_id: str
    model: str
    template: int | str
    verdict: str
