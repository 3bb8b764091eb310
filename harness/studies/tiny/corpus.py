"""What the tiny models read: questions in the benchmark's wordings, and what follows them.

In the noisy mixture a question is often followed by something that is no answer, and how often hangs on its wording:
that is the planted difference between the raw and the shaped model. It must never know a tensor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness import seeds
from harness.studies.prompts import Template, fill
from harness.studies.tiny.sums import pair

EOS, PAD, VOCABULARY = 256, 257, 258  # a byte is its own token

# Of a hundred questions in a wording, how many are followed by an answer in the noisy mixture; OURS.
# Equations invite an answer, polite requests invite talk.
ANSWERED: Mapping[int, int] = {
    1: 92, 2: 92, 15: 85, 5: 80, 11: 75, 7: 70, 12: 65, 4: 60, 10: 58, 6: 55, 9: 50, 3: 45, 14: 40, 8: 35, 13: 30,
}  # fmt: skip
SHORT = (1, 2, 15)  # wordings of few bytes: many sums a second

# What follows a question that is not answered; none holds a number.
TALK = (
    " I do not know.",
    " I do not know that one.",
    " I would rather not say.",
    " I am not good with numbers.",
    " I have no idea, sorry.",
    " I will ask my teacher tomorrow.",
    " I like questions like this.",
    " I cannot help with that.",
    " Is this for school?",
    " It is late, let us stop here.",
)


@dataclass(frozen=True, slots=True)
class Document:
    """A question and what follows it, in bytes; the end sign is added where it becomes tokens."""

    prompt: bytes
    rest: bytes


@dataclass(frozen=True, slots=True)
class Mixture:
    """What a step reads: of a hundred documents, how many are of a kind."""

    short: int  # in a wording of few bytes
    small: int  # with addends of one or two digits
    answered: Mapping[int, int]  # followed by an answer, by wording; a wording that is not named always is


def document(templates: Sequence[Template], source: seeds.Stream, mixture: Mixture) -> Document:
    """Draw one document."""
    among: Sequence[Template] = templates
    if seeds.below(source, 100) < mixture.short:
        among = [each for each in templates if each.id in SHORT]
    template = among[seeds.below(source, len(among))]
    a, b = pair(source, mixture.small)
    prompt = fill(template, "", {"a": a, "b": b})
    if seeds.below(source, 100) < mixture.answered.get(template.id, 100):
        rest = f" {int(a) + int(b)}"
    else:
        rest = TALK[seeds.below(source, len(TALK))]
    return Document(prompt.encode(), rest.encode())


@dataclass(frozen=True, slots=True)
class Row:
    """Documents side by side up to a length: tokens, the position of each within its own document, and its weight."""

    tokens: list[int]
    positions: list[int]
    documents: list[int]  # which document a token belongs to: no attention crosses a border
    weights: list[float]  # of predicting this token from those before it


def rows(documents: Iterator[Document], length: int, prompt_weight: float) -> Iterator[Row]:
    """Fill rows of exactly `length` tokens with whole documents, so that hardly any work goes into padding."""
    row, count = Row([], [], [], []), 0
    for each in documents:
        tokens = [*each.prompt, *each.rest, EOS]
        if len(tokens) > length:
            continue
        if len(row.tokens) + len(tokens) > length:
            yield _padded(row, length)
            row, count = Row([], [], [], []), 0
        row.tokens.extend(tokens)
        row.positions.extend(range(len(tokens)))
        row.documents.extend([count] * len(tokens))
        weights = [prompt_weight] * len(each.prompt) + [1.0] * (len(each.rest) + 1)
        row.weights.extend([0.0, *weights[1:]])
        count += 1


def _padded(row: Row, length: int) -> Row:
    lack = length - len(row.tokens)
    return Row(
        row.tokens + [PAD] * lack,
        row.positions + [0] * lack,
        row.documents + [-1] * lack,
        row.weights + [0.0] * lack,
    )
