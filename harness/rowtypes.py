"""Types of the rows of the tables that studies share (TypedDicts), field by field, for the type checker.

Plain dicts when the code runs, so that every step may import this and no library comes along; a field that is spelled
wrong is an error of `mypy`. It must never know how a row is made or what is computed from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict


class Missing(TypedDict):
    """Marker of a value that cannot be had, with the reason: never a number, and never nothing."""

    missing: str


class Item(TypedDict):
    """One question of a dataset, without anything that tells its answer."""

    id: str
    task: str
    input: Mapping[str, Any]  # what a wording may show, by the name it asks for
    difficulty: float | None  # none where it depends on the answer: then it stands beside the gold
    meta: Mapping[str, Any]
    options: NotRequired[Mapping[str, str]]  # of a choice: the texts by letter
    attachments: NotRequired[list[Attachment]]  # images that belong to the question


class Gold(TypedDict):
    """The right answer to one item, and whatever is computed from it, such as a difficulty."""

    id: str
    gold: Mapping[str, Any]  # `target`, what else is accepted, and what only a scorer may see
    difficulty: NotRequired[float]
    raw_difficulty: NotRequired[Mapping[str, float]]


class Budget(TypedDict):
    """Token budget of the answer to one item."""

    id: str
    max_tokens: int


class Attachment(TypedDict):
    """Reference by digest to an image that goes along with a prompt; its bytes stand in `media`."""

    sha256: str
    type: str


class Medium(TypedDict):
    """An image's bytes, known by their digest."""

    id: str  # the SHA-256 of the bytes
    type: str  # such as image/png
    data: str  # base64


class Shot(TypedDict):
    """Few-shot example with its answer, which stands before a question and is never asked."""

    id: str
    input: Mapping[str, Any]  # what a wording may show of it, as of an item
    answer: str


class Prompt(TypedDict):
    """One item in one wording, as a text or as messages: what a model is asked."""

    item: str
    template: int
    text: NotRequired[str]
    messages: NotRequired[list[Mapping[str, Any]]]
    attachments: NotRequired[list[Attachment]]  # images, which a provider is sent with the last turn of the user
    continuations: NotRequired[list[str]]  # how likely is each of these? of a model on this machine alone
    max_tokens: NotRequired[int]
    meta: NotRequired[Mapping[str, Any]]


class Answer(TypedDict):
    """Identity of an answer: item, wording, model and sample that a row is about."""

    item: str
    template: int
    model: str
    sample: int


class Response(Answer):
    """A model's response to one prompt in one sample, or the error that stands in its place."""

    text: str
    finish: str
    reasoning: NotRequired[str]
    logprobs: NotRequired[list[Mapping[str, Any]]]  # one a token: {token, logprob, top}
    usage: NotRequired[Mapping[str, int]]
    error: NotRequired[str]
    imported: NotRequired[bool]  # somebody else's run gave it; in no other row


class Likelihood(TypedDict):
    """Log-likelihoods of the continuations of one prompt under a local model, or why there are none."""

    item: str
    template: int
    model: str
    continuations: list[Mapping[str, Any]]  # in the prompt's order: {logprob, tokens, greedy, unconditional?}
    error: NotRequired[str]


class Judgement(Answer):
    """A judge's verdict on one response in one repeat: its reply, what was parsed of it, and in which round."""

    judge: str
    repeat: int
    round: int
    text: str
    parsed: Any
    question: NotRequired[int]  # of several about one answer
    error: NotRequired[str]


class Program(Answer):
    """A program taken from one answer, as a trial will run it."""

    program: str  # Python
    stdin: NotRequired[str]


class Tried(TypedDict):
    """Result of running a program: how it ended, and what it printed."""

    outcome: str  # done | failed | killed | time | cpu | memory | output
    stdout: str
    exit: NotRequired[int]  # of one that failed
    signal: NotRequired[int]  # of one that was killed
    stderr: NotRequired[str]  # the end of it


class Trial(Answer, Tried):
    """Result of the program of one answer: which answer, and how its run ended."""

    trial: str  # its name, as the study calls it
    program: str  # SHA-256


class Score(Answer):
    """One scorer's value of one response; an error has a missing value, or the one that a study's paper gave it."""

    scorer: str
    value: int | float | str | Missing  # a number that is not finite is written as text
    outcome: NotRequired[str]
    detail: Mapping[str, Any]


class Found(TypedDict):
    """A study's finding about one response: the fields of its score that the response itself does not have."""

    value: int | float | str | Missing
    outcome: NotRequired[str]
    detail: NotRequired[Mapping[str, Any]]
