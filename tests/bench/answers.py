"""Answers of many shapes to the five benchmarks, as models of all sizes give them; drawn, and none of them published.

At most 60 characters long on average, in memory, so that a measure of the rules measures nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from harness import seeds
from harness.answers.addition import addition
from harness.answers.anagram import anagram
from harness.answers.gazetteer import gazetteer
from harness.answers.locality import locality
from harness.answers.result import LabelResult
from harness.answers.science import science
from harness.answers.transforms import transforms

Label = Callable[[str], LabelResult]
SIZES = {"addition": 3142, "anagram": 1570, "locality": 2341, "science": 1544, "transforms": 730}
REFUSALS = (
    "I'm sorry, but I do not know the answer.",
    "I cannot determine that without more information.",
    "There is not enough information to say.",
    "",
    "Thank you for asking!\nHave a nice day.",
)
FRAMES = (
    "{}", "{}.", "The answer is {}.", "It is {}", "Answer: {}", "I think that it must be {}.",
    "A: {}\nQ: What is next?",
    "Let me look at this step by step, without haste: in the end, {} is what I would say here.",
    "Good question! After some thought about it I would go for {}, and I am fairly sure of that.",
)  # fmt: skip
WORDS = ("listen", "silent", "garden", "danger", "planet", "market", "stream", "master", "letter", "winter", "orange")
CITIES = tuple(
    f"{start}{end}" for start in ("Ard", "Belm", "Corv", "Dun", "Elm", "Fal", "Gren") for end in ("en", "ar", "o")
)
OPTIONS = {"A": "melting of the ice", "B": "freezing", "C": "boiling of water", "D": "condensing"}


@dataclass(frozen=True)
class Question:
    """One item as its rules see it, and the right answer to it."""

    benchmark: str
    label: Label
    right: str
    wrong: tuple[str, ...]


def questions(benchmark: str, count: int, places: int = 50_000) -> Iterator[Question]:
    """Draw the items of one benchmark."""
    known = gazetteer([*CITIES, *(f"{word.title()}{place}ville" for word in WORDS for place in range(places // 11))])
    for index in range(count):
        source = seeds.random_stream(seeds.derive_seed(3, "bench.answers", benchmark, index))
        yield _question(benchmark, source, known)


def _question(benchmark: str, source: seeds.Stream, known: object) -> Question:
    pick = lambda some: some[seeds.draw_below(source, len(some))]  # noqa: E731 - a draw among some
    if benchmark == "addition":
        a, b = (str(1 + seeds.draw_below(source, 10 ** (1 + seeds.draw_below(source, 24)))) for _ in range(2))
        total = int(a) + int(b)
        return Question(benchmark, lambda text: addition(a, b, text), str(total), (str(total + 10), f"{total}1"))
    if benchmark == "anagram":
        word = pick(WORDS)
        return Question(benchmark, lambda text: anagram(word[::-1], (word,), text), word, tuple(WORDS[:3]))
    if benchmark == "locality":
        city, target = pick(CITIES), pick(CITIES)
        return Question(benchmark, lambda text: locality(city, target, text, known), target, CITIES[:5])  # type: ignore[arg-type]
    if benchmark == "science":
        key = pick("ABCD")
        return Question(benchmark, lambda text: science(OPTIONS, key, text), key, ("A", "(B)", OPTIONS["C"]))
    text, expected = f"{pick(WORDS)} {pick(WORDS)} {index_of(source)}", f"{pick(WORDS)}-{index_of(source)}"
    return Question(benchmark, lambda response: transforms(text, expected, response), expected, (text, "none of it"))


def index_of(source: seeds.Stream) -> int:
    """Draw a small number, so that texts differ."""
    return seeds.draw_below(source, 10_000)


def answers(question: Question, model: int, item: int, prompts: int) -> list[str]:
    """Give one model's answers to an item in every wording: right, wrong and none, in frames that vary."""
    found = []
    for prompt in range(prompts):
        turn = (model * 7 + item * 13 + prompt * 5) % 20
        if turn < 4:
            found.append(REFUSALS[(item + prompt) % len(REFUSALS)])
            continue
        said = question.right if turn < 12 else question.wrong[(item + prompt) % len(question.wrong)]
        found.append(FRAMES[(item * 3 + prompt) % len(FRAMES)].format(said))
    return found
