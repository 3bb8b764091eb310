"""Training questions of the tiny models: small sums, anagrams of short words, and the twelve tasks of the demo.

If a held-out seed is given, none of its questions is drawn, so the questions that manifests ask with that seed are not
in the training data. Independent of wordings, tokens and models.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness import seeds
from harness.studies.reliability.data import anagram, transforms_demo
from harness.studies.reliability.data.anagram_words import load
from harness.studies.reliability.data.small_addition import asked, pair

ADDITION, ANAGRAM, TRANSFORMS = TASKS = ("addition", "anagram", "transforms")
LETTERS = (3, 4)  # lengths of the words whose anagrams are trained; longer words are too many to learn
HELD_SUMS, HELD_TEXTS = 60, 10  # numbers of draws with the held-out seed: sums, and texts of each small task


@dataclass(frozen=True, slots=True)
class TrainingQuestion:
    """A training question: its task and kind, the values of a template's placeholders, and the answer."""

    task: str
    kind: str  # the digits of the longer addend, the letters of a word, or the name of a small task
    values: Mapping[str, str]
    answer: str
    answer_shape: str | None = None  # what an answer to a small task must contain

    @property
    def key(self) -> tuple[str, ...]:
        """The identity of a question whatever its wording: the task and the placeholders' values."""
        return (self.task, *self.values.values())


class QuestionSource:
    """A source of training questions of some tasks; those of the seed `held_out`, if given, are never drawn."""

    def __init__(self, tasks: Collection[str], held_out: int | None = None) -> None:
        self._words: Mapping[int, Sequence[str]] = short_words() if ANAGRAM in tasks else {}
        self._held: frozenset[tuple[str, ...]] = frozenset()
        if held_out is not None:
            self._held = frozenset(question.key for task in tasks for question in self.held(task, held_out))

    def draw(self, task: str, source: seeds.Stream, small: int = 50) -> TrainingQuestion:
        """Draw a question that is not held out; `small` of a hundred sums have addends of one or two digits."""
        while True:
            question = self._drawn(task, source, small)
            if question.key not in self._held:
                return question

    def held(self, task: str, seed: int) -> Iterator[TrainingQuestion]:
        """Yield the held-out questions of a task: those that a dataset with the held-out seed can ask."""
        if task == ADDITION:
            yield from (_sum(*asked(seed, index)) for index in range(HELD_SUMS))
        elif task == ANAGRAM:
            for alike in self._words.values():
                yield from (_anagram(word, anagram.shuffled(seed, word)) for word in alike)
        else:
            for number in range(1, len(transforms_demo.TASKS) + 1):
                yield from (_transform(seed, number, index) for index in range(HELD_TEXTS))

    def _drawn(self, task: str, source: seeds.Stream, small: int) -> TrainingQuestion:
        if task == ADDITION:
            return _sum(*pair(source, small))
        if task == ANAGRAM:
            alike = self._words[LETTERS[seeds.draw_below(source, len(LETTERS))]]
            word = alike[seeds.draw_below(source, len(alike))]
            return _anagram(word, anagram.shuffled(seeds.draw_below(source, 1 << 52), word))
        return _transform(
            seeds.draw_below(source, 1 << 52), 1 + seeds.draw_below(source, len(transforms_demo.TASKS)), 0
        )


@functools.cache
def words() -> Mapping[str, int]:
    """Return the anagram benchmark's words and their frequencies from the package wordfreq, read once per process."""
    return load({}).counts


def short_words() -> Mapping[int, Sequence[str]]:
    """Return the anagram words of each trained length (LETTERS), sorted."""
    return {length: [word for word in sorted(words()) if len(word) == length] for length in LETTERS}


def _sum(a: str, b: str) -> TrainingQuestion:
    return TrainingQuestion(ADDITION, str(max(len(a), len(b))), {"a": a, "b": b}, str(int(a) + int(b)))


def _anagram(word: str, shown: str) -> TrainingQuestion:
    return TrainingQuestion(ANAGRAM, str(len(word)), {"anagram": shown}, word)


def _transform(seed: int, number: int, index: int) -> TrainingQuestion:
    drawn = transforms_demo.draw(seed, number, index)
    values = {"instruction": drawn.instruction, "text": drawn.text}
    return TrainingQuestion(
        TRANSFORMS, transforms_demo.TASKS[number - 1].name, values, drawn.target, drawn.answer_shape
    )
