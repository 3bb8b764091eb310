"""Types of the rows of the tables that studies share (TypedDicts), field by field, for the type checker.

At run time the rows are plain dicts, so every step may import this module without loading a library. A misspelled
field is an error of `mypy`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict


class Missing(TypedDict):
    """Marker of a value that is not available, with the reason; used in place of a number or an empty value."""

    missing: str


class Item(TypedDict):
    """One question of a dataset, without anything that reveals its answer."""

    id: str
    task: str
    input: Mapping[str, Any]  # what a prompt template may show, by name
    difficulty: float | None  # None if it depends on the answer: then it is in the gold row
    meta: Mapping[str, Any]
    options: NotRequired[Mapping[str, str]]  # of a multiple-choice question: the texts by letter
    attachments: NotRequired[list[Attachment]]  # images that belong to the question


class Gold(TypedDict):
    """The right answer to one item, and values computed from it, such as a difficulty."""

    id: str
    gold: Mapping[str, Any]  # `target`, other accepted answers, and what only a scorer may see
    difficulty: NotRequired[float]
    raw_difficulty: NotRequired[Mapping[str, float]]


class Budget(TypedDict):
    """Token budget of the answer to one item."""

    id: str
    max_tokens: int


class Attachment(TypedDict):
    """Reference by digest to an image that goes with a prompt; its bytes are in the table `media`."""

    sha256: str
    type: str


class Medium(TypedDict):
    """An image's bytes, identified by their digest."""

    id: str  # the SHA-256 of the bytes
    type: str  # such as image/png
    data: str  # base64


class Shot(TypedDict):
    """Few-shot example with its answer, which precedes a question and is never asked."""

    id: str
    input: Mapping[str, Any]  # what a prompt template may show of it, as for an item
    answer: str


class Prompt(TypedDict):
    """One item in one prompt template, as a text or as messages: what a model is asked."""

    item: str
    template: int
    text: NotRequired[str]
    messages: NotRequired[list[Mapping[str, Any]]]
    attachments: NotRequired[list[Attachment]]  # images, sent with the last user turn
    continuations: NotRequired[list[str]]  # texts whose likelihood is asked; local models alone
    max_tokens: NotRequired[int]
    meta: NotRequired[Mapping[str, Any]]


class Answer(TypedDict):
    """Identity of an answer: the item, template, model and sample that a row is about."""

    item: str
    template: int
    model: str
    sample: int


class Response(Answer):
    """A model's response to one prompt in one sample, or the error in place of a response."""

    text: str
    finish: str
    reasoning: NotRequired[str]
    logprobs: NotRequired[list[Mapping[str, Any]]]  # one per token: {token, logprob, top}
    usage: NotRequired[Mapping[str, int]]
    error: NotRequired[str]
    imported: NotRequired[bool]  # true if the response comes from another party's run; absent otherwise


class Likelihood(TypedDict):
    """Log-likelihoods of the continuations of one prompt under a local model, or why there are none."""

    item: str
    template: int
    model: str
    continuations: list[Mapping[str, Any]]  # in the prompt's order: {logprob, tokens, greedy, unconditional?}
    error: NotRequired[str]


class Judgement(Answer):
    """A judge's verdict on one response in one repeat: its reply, what was parsed from the reply, and the round."""

    judge: str
    repeat: int
    round: int
    text: str
    parsed: Any
    question: NotRequired[int]  # its number, if there are several about one answer
    error: NotRequired[str]


class Program(Answer):
    """A program taken from one answer, as a trial will run it."""

    program: str  # Python
    stdin: NotRequired[str]


class Tried(TypedDict):
    """Result of running a program: how it ended, its exit code, and what it printed."""

    outcome: str  # done | failed | killed | time | cpu | memory | output
    stdout: str
    exit: NotRequired[int]  # if the outcome is `failed`
    signal: NotRequired[int]  # if the outcome is `killed`
    stderr: NotRequired[str]  # the last characters


class Trial(Answer, Tried):
    """Result of the program of one answer: the answer's identity, and how the run of the program ended."""

    trial: str  # the study's name for the trial
    program: str  # SHA-256


class Score(Answer):
    """One scorer's value of one response; an error has a missing value, or the value that the study's paper assigns."""

    scorer: str
    value: int | float | str | Missing  # a number that is not finite is written as text
    outcome: NotRequired[str]
    detail: Mapping[str, Any]


class Found(TypedDict):
    """What a study finds about one response: the fields of the score that are not in the response itself."""

    value: int | float | str | Missing
    outcome: NotRequired[str]
    detail: NotRequired[Mapping[str, Any]]
