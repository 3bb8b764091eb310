"""The training corpus of the tiny models: questions in the benchmarks' wordings, each with a continuation.

In the noisy mixture a question is often followed by something that is not an answer. How often depends on the wording;
this is the planted difference between the raw and the shaped model. Uses no tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness import seeds
from harness.kit.prompts import Template, fill
from harness.studies.tiny.questions import QuestionSource

EOS, PAD, VOCABULARY = 256, 257, 258  # a byte is its own token

# Of a hundred questions in a wording, how many are followed by an answer in the noisy mixture; OURS.
# Equations, labels and frames invite an answer, polite requests and stories invite talk.
ANSWERED: Mapping[str, Mapping[int, int]] = {
    "addition": {
        1: 92, 2: 92, 15: 85, 5: 80, 11: 75, 7: 70, 12: 65, 4: 60, 10: 58, 6: 55, 9: 50, 3: 45, 14: 40, 8: 35, 13: 30,
    },
    "anagram": {
        14: 92, 5: 90, 11: 80, 4: 75, 6: 70, 3: 65, 9: 60, 15: 58, 1: 55, 2: 52, 12: 50, 8: 45, 7: 40, 13: 35, 10: 30,
    },
    "transforms": {
        3: 92, 13: 90, 9: 88, 8: 85, 1: 80, 14: 75, 11: 72, 15: 70, 5: 62, 2: 58, 12: 55, 10: 50, 4: 40, 6: 35, 7: 30,
    },
}  # fmt: skip
SHORT: Mapping[str, Sequence[int]] = {  # wordings of few bytes, with which training sees many questions per second
    "addition": (1, 2, 15),
    "anagram": (3, 5, 9, 14),
    "transforms": (1, 3, 9, 13),
}

# Continuations of a question that is not answered; none has a number, a time, or a word that solves an anagram.
TALK = (
    " I do not know.",
    " I do not know that one.",
    " I would rather not say.",
    " I am not good with these.",
    " I have no idea, sorry.",
    " I cannot help with that.",
    " I will ask somebody about it on Sunday.",
    " This is an exam question, is it?",
    " Questions like this make us think.",
    " Thank you for the question.",
)

Wordings = Mapping[str, Sequence[Template]]  # of each task


@dataclass(frozen=True, slots=True)
class TrainingDocument:
    """A training document: a question and its continuation, in bytes; `rows` adds the end token."""

    prompt: bytes
    rest: bytes


@dataclass(frozen=True, slots=True)
class CorpusMixture:
    """The mixture of a training step: task weights, percentages of short wordings and small sums, noise or not."""

    tasks: Mapping[str, int]  # relative weight of each task
    short: int  # per cent of questions in a wording of few bytes
    small: int  # per cent of sums with addends of one or two digits
    noisy: bool  # whether some wordings are often followed by talk; otherwise an answer always follows


def document(
    wordings: Wordings, questions: QuestionSource, source: seeds.Stream, mixture: CorpusMixture
) -> TrainingDocument:
    """Draw one training document: a question of a task in a wording, then its answer or, if noisy, perhaps talk."""
    task = _one_of(mixture.tasks, seeds.draw_below(source, sum(mixture.tasks.values())))
    among = wordings[task]
    if seeds.draw_below(source, 100) < mixture.short:
        among = [each for each in among if each.id in SHORT[task]]
    template = among[seeds.draw_below(source, len(among))]
    question = questions.draw(task, source, mixture.small)
    prompt = fill(template, "", question.values)
    rest = f" {question.answer}"
    if mixture.noisy and seeds.draw_below(source, 100) >= ANSWERED[task][template.id]:
        rest = TALK[seeds.draw_below(source, len(TALK))]
    return TrainingDocument(prompt.encode(), rest.encode())


def _one_of(parts: Mapping[str, int], number: int) -> str:
    for name in sorted(parts):
        number -= parts[name]
        if number < 0:
            return name
    raise AssertionError("the number lies below the sum of the parts")


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A packed training row: tokens of several documents, each with its position in its document and loss weight."""

    tokens: list[int]
    positions: list[int]
    documents: list[int]  # the document of each token; attention does not cross documents
    weights: list[float]  # loss weights of predicting each token from those before it


def rows(documents: Iterator[TrainingDocument], length: int, prompt_weight: float) -> Iterator[TokenRow]:
    """Pack whole training documents, in order, into padded rows of `length` tokens; longer documents are left out.

    A question's tokens have the loss weight `prompt_weight`, except for the first, which has none. All others have 1.
    """
    row, count = TokenRow([], [], [], []), 0
    for each in documents:
        tokens = [*each.prompt, *each.rest, EOS]
        if len(tokens) > length:
            continue
        if len(row.tokens) + len(tokens) > length:
            yield _padded(row, length)
            row, count = TokenRow([], [], [], []), 0
        row.tokens.extend(tokens)
        row.positions.extend(range(len(tokens)))
        row.documents.extend([count] * len(tokens))
        weights = [prompt_weight] * len(each.prompt) + [1.0] * (len(each.rest) + 1)
        row.weights.extend([0.0, *weights[1:]])
        count += 1


def _padded(row: TokenRow, length: int) -> TokenRow:
    lack = length - len(row.tokens)
    return TokenRow(
        row.tokens + [PAD] * lack,
        row.positions + [0] * lack,
        row.documents + [-1] * lack,
        row.weights + [0.0] * lack,
    )
