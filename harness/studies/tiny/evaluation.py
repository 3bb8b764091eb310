"""Evaluation of a tiny model: held-out questions in all wordings, answered greedily, labelled and counted.

Independent of how a model was made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from harness import rows
from harness.answers.addition import addition
from harness.answers.anagram import anagram
from harness.answers.result import LabelResult
from harness.answers.transforms import transforms
from harness.kit.prompts import fill, template
from harness.models.provider import CompletionRequest
from harness.studies.reliability.data.anagram import draw
from harness.studies.reliability.data.anagram_words import letters
from harness.studies.tiny.questions import ADDITION, ANAGRAM, LETTERS, TASKS, QuestionSource, TrainingQuestion, words
from harness.studies.tiny.study import Tiny

WORDS = 30  # words of each length that was trained
LONGER = 2  # words of each length that was not
BATCH = "32"
GENERATION = {"temperature": "0", "max_tokens": 48}
LONG_KIND = f"{LETTERS[-1] + 1} to 20"

Labels = Mapping[tuple[str, str], Counter[str]]  # by task and kind of question


class HeldOutExam:
    """A held-out test set drawn from a seed: its `questions`, and a method that labels an answer to one of them."""

    def __init__(self, seed: int) -> None:
        self._solutions: dict[str, set[str]] = {}
        for word in words():
            self._solutions.setdefault(letters(word), set()).add(word)
        self.questions = list(self._questions(seed))

    def _questions(self, seed: int) -> Iterator[TrainingQuestion]:
        source = QuestionSource(TASKS)
        for task in TASKS:
            if task != ANAGRAM:
                yield from source.held(task, seed)
        for drawn in draw(seed, words(), WORDS):
            length = len(drawn.word)
            if length in LETTERS:
                yield TrainingQuestion(ANAGRAM, str(length), {"anagram": drawn.shown}, drawn.word)
        for drawn in draw(seed, words(), LONGER):
            if len(drawn.word) not in LETTERS:
                yield TrainingQuestion(ANAGRAM, LONG_KIND, {"anagram": drawn.shown}, drawn.word)

    def outcome(self, question: TrainingQuestion, text: str) -> LabelResult:
        """Label an answer's text by the reliability study's rules for the question's task."""
        values = question.values
        if question.task == ADDITION:
            return addition(values["a"], values["b"], text)
        if question.task == ANAGRAM:
            shown = values["anagram"]
            return anagram(shown, sorted(self._solutions[letters(shown)] - {shown}), text, question.answer)
        return transforms(values["text"], question.answer, text, question.answer_shape)


def labels(folder: Path, examination: HeldOutExam) -> Labels:
    """Ask the model in a folder every question in every wording, and count its answers' labels by task and kind."""
    from harness.models.local.load import batch_size, open_causal  # noqa: PLC0415
    from harness.models.providers.transformers import LocalModel  # noqa: PLC0415

    model = LocalModel("tiny", open_causal(folder, {"batch": BATCH, "dtype": "float32"}), batch_size(BATCH))
    asked = [
        (question, CompletionRequest(f"{place:05d}", number, 0, text, 0, GENERATION))
        for place, question in enumerate(examination.questions)
        for number, text in worded(question)
    ]
    found: dict[tuple[str, str], Counter[str]] = {}
    answers = model.complete(request for _, request in asked)
    for (question, _), answer in zip(asked, answers, strict=True):
        label = examination.outcome(question, answer.text).label
        found.setdefault((question.task, question.kind), Counter())[label] += 1
    return found


def worded(question: TrainingQuestion) -> Sequence[tuple[int, str]]:
    """Return a question as prompts: one pair (template id, prompt) for each wording of its benchmark."""
    path = Tiny.prompt_sets[f"reliability/{question.task}@1"]
    return [(each.id, fill(each, "", question.values)) for each in map(template, rows.read(path))]
