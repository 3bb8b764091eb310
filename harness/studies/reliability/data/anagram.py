"""The maker of the anagram benchmark: seeded shuffles of words, and their difficulty.

Rule: docs/reliability-rules.md#anagram. Independent of prompts, models and scoring.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows, seeds
from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.studies.reliability.data.anagram_words import LONGEST, SHORTEST, Words, letters, load
from harness.studies.reliability.data.budget import token_budget
from harness.studies.reliability.data.difficulty import calibrated
from harness.studies.reliability.data.ids import ids

TASK = "anagram"
GENERATOR_VERSION = "1"
LENGTHS = range(SHORTEST, LONGEST + 1)
PER_LENGTH = 100


@dataclass(frozen=True, slots=True)
class ShuffledWord:
    """An anagram item: the word, its shuffled letters, and every word that solves it."""

    word: str
    shown: str
    accepted: tuple[str, ...]


def facts(word: str, anagram: str) -> dict[str, Any]:
    """Return whether a string is a valid anagram of a word in this benchmark, and its difficulty f_let, the letters.

    Raises InputError for a value that is not a short text.
    """
    for name, value in (("word", word), ("anagram", anagram)):
        if not isinstance(value, str) or len(value) > 40 * LONGEST:
            raise InputError(f"`{name}` is not a short text", where=name, next=f'give text such as "{name}": "silent"')
    valid = word != anagram and len(anagram) in LENGTHS and letters(word) == letters(anagram)
    return {"f_let": len(anagram), "valid": valid}


def shuffled(seed: int, word: str) -> str:
    """Return a word's letters, shuffled until they differ from the word; depends on seed and word only.

    Raises InputError for a word made of one letter.
    """
    if len(set(word)) < 2:
        raise InputError("a word of one letter only cannot be shuffled", where="words", next="leave it out")
    source = seeds.random_stream(seeds.derive_seed(seed, "anagram.shuffle", word))
    while True:
        shown = "".join(seeds.draw_sample(source, word, len(word)))
        if shown != word:
            return shown


def draw(seed: int, words: Mapping[str, int], per_length: int) -> Iterator[ShuffledWord]:
    """Draw up to `per_length` words of each length, shortest first, and shuffle their letters, each length apart."""
    solutions: dict[str, list[str]] = defaultdict(list)
    by_length: dict[int, list[str]] = defaultdict(list)
    for word in sorted(words):
        solutions[letters(word)].append(word)
        by_length[len(word)].append(word)
    for length in LENGTHS:
        source = seeds.random_stream(seeds.derive_seed(seed, "anagram.words", str(length)))
        for word in seeds.draw_sample(source, by_length[length], per_length):
            shown = shuffled(seed, word)
            yield ShuffledWord(word, shown, tuple(each for each in solutions[letters(word)] if each != shown))


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the anagram benchmark: items (without answers), gold, budgets, and counts of words and items.

    Raises InputError if `per_length` is below one, or if the lists leave no word.
    """
    seed, per_length = params["seed"], params.get("per_length", PER_LENGTH)
    if per_length < 1:
        raise InputError("no words make no dataset", where="per_length", next="ask for at least one word a length")
    words = load(inputs)
    items = list(draw(seed, words.counts, per_length))
    if not items:
        raise InputError(
            f"the lists leave no word of {SHORTEST} to {LONGEST} letters", where="words", next="give another list"
        )
    names = ids(TASK, len(items))
    scale = calibrated([len(item.word) for item in items], params.get("calibration"))
    meta = {
        "source": f"{words.source}, filter: {words.filter}",
        "difficulty_function": "f_let",
        **scale.meta(),
        "seed": seed,
        "generator_version": GENERATOR_VERSION,
        "licence": words.licence,
    }
    shown: Iterator[Item] = (
        {
            "id": name,
            "task": TASK,
            "input": {"anagram": item.shown},
            "difficulty": difficulty,
            "meta": {**meta, "raw_difficulty": {"f_let": len(item.word)}},
        }
        for name, item, difficulty in zip(names, items, scale.values, strict=True)
    )
    rows.write(out / "items", shown)
    rows.write(out / "gold", (_gold(name, item, words) for name, item in zip(names, items, strict=True)))
    rows.write(out / "budgets", ({"id": name, "max_tokens": token_budget(TASK)} for name in names))
    rows.write_one(out / "counts", {TASK: _counts(items, words, per_length)})


def _gold(name: str, item: ShuffledWord, words: Words) -> Gold:
    """Return a gold row: the answers, and measures of difficulty that would reveal them in the item."""
    moved = sum(left != right for left, right in zip(item.word, item.shown, strict=True))
    return {
        "id": name,
        "gold": {"target": item.word, "accepted": list(item.accepted)},
        "raw_difficulty": {"word_count": words.counts[item.word], "letters_moved": moved},
    }


def _counts(items: list[ShuffledWord], words: Words, per_length: int) -> dict[str, Any]:
    lengths = [len(item.word) for item in items]
    asked = per_length * len(LENGTHS)
    return {
        "drawn": len(items),
        "kept": len(items),
        "removed": 0,
        "asked": asked,
        "short": asked - len(items),
        "per_length": {str(length): lengths.count(length) for length in LENGTHS},
        "words": dict(words.tally),
        "filter": words.filter,
        "lists": dict(words.lists),
    }
