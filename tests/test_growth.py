"""What grades an answer takes time in proportion to its length, whatever it is made of, or reads no more than a cap."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from growing import FIRST, MOST, READABLE, aimed, families, growth, spent
from patterns import Pattern, compiled_at_import, written_in_calls
from readers import ROOMS, Door, doors
from support_draws import drawn

BIOMED = (
    "What is the genomic location of LRRK2 in the GRCh38/hg38 build of the human genome and what gene is it on?",
    "The SNP rs12456492 is on chr18:43093415 on the SETBP1 gene with p-value 1.2e-08.",
)
OTHERS = ("3 lamps at 4.25 each", "12.75")
# By room of patterns, the doors through which an answer comes to them.
THROUGH = {
    "harness.answers": (
        "addition", "addition/2", "anagram", "anagram/2", "locality", "locality/2", "science 0", "science/2 0",
        "transforms 4", "transforms/2 4",
    ),
    "harness.scorers": ("bleu", "rouge"),
    "harness.studies.biomed": (
        "biomed rule", "biomed facts", "biomed metrics", "biomed strict grade", "biomed paper grade",
    ),
    "harness.studies.curie": (
        "curie geo", "curie qecc", "curie hfe", "curie hfd", "curie dft_c", "curie mpv", "curie dft-s", "curie dft-p",
        "curie biogr", "curie biogr strict", "curie biogr areas", "curie pdb", "curie pdb strict", "curie geo rouge",
        "curie mpv paper",
    ),
    "harness.studies.questions": (
        "letter", "numbers with commas", "match", "words", "json", "rubric", "refused", "searched", "perplexities",
    ),
    "harness.models": (),  # replies on the wire, whose sizes are bounded before they are read
}  # fmt: skip
FEW = 480  # parts of all pairs of a reader and a family
PAIRS = [(name, family) for names in THROUGH.values() for name in names for family in families()]


@pytest.fixture(scope="module")
def found() -> dict[str, Door]:
    return doors()[0]


def asked(name: str) -> tuple[str, str]:
    return BIOMED if name.startswith("biomed") else OTHERS


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", drawn(range(FEW), 1, 8))
def test_a_grader_takes_time_in_proportion_to_an_answer(found: dict[str, Door], part: int) -> None:
    grown = {pair: growth(found[pair[0]], families()[pair[1]], asked(pair[0])) for pair in PAIRS[part::FEW]}
    assert {pair: more for pair, more in grown.items() if more > MOST} == {}


# Each made the rule grader of biomed, or a reader of sums and tasks, take the square of an answer, or more.
QUADRATIC = (
    ("biomed rule", "'\\n'"), ("biomed rule", "' \\n'"), ("biomed rule", "blanks between letters"),
    ("biomed rule", "lines between letters"), ("biomed rule", "underscores between letters"), ("biomed rule", "'1,'"),
    ("biomed rule", "'5% '"), ("biomed rule", "'7: 79990'"), ("biomed rule", "'coefficient-'"),
    ("addition/2", "'2,49'"), ("addition/2", "',01'"), ("transforms/2 4", "blanks between letters"),
    ("letter", "blanks behind a capital"), ("curie geo", "blanks behind a fence"),
    ("addition/2", repr("'-")), ("transforms/2 4", repr("'-")),
)  # fmt: skip


@pytest.mark.parametrize(("name", "family"), drawn(QUADRATIC, 1, 7))
def test_answers_that_took_the_square_of_their_length_do_not(found: dict[str, Door], name: str, family: str) -> None:
    assert growth(found[name], families()[family], asked(name), last=40_000) <= MOST


@pytest.mark.parametrize("tail", ["-p-value", " pvalue", "smaller than" + " " * 4_000, "less than" + "\n" * 4_000])
def test_no_answer_about_heidi_takes_exponential_time(found: dict[str, Door], tail: str) -> None:
    """A name that could be read in two ways, 40 times over, took longer than anybody waits."""
    text = "heidi" + (tail * 40 if len(tail) < 20 else tail)
    assert spent(found["biomed rule"], lambda _: text + "\x01", 0, asked=BIOMED) < 20 * READABLE


@cache
def patterns_of_answers() -> list[Pattern]:
    """List them once: every module is imported for it."""
    every = dict.fromkeys(compiled_at_import() + written_in_calls())
    return [each for each in every if any(f"{each.module}.".startswith(f"{room}.") for room in ROOMS)]


def through(pattern: Pattern) -> tuple[str, ...]:
    """Name the doors through which answers come to a pattern's room."""
    return next(names for room, names in THROUGH.items() if pattern.module.startswith(room))


@pytest.mark.long
def test_every_pattern_that_meets_an_answer_is_aimed_at(found: dict[str, Door]) -> None:
    patterns, random = patterns_of_answers(), Random(3)
    assert len(patterns) > 700
    assert {name for each in patterns for name in through(each)} <= found.keys()
    repeating = [each for each in patterns if any(True for _ in aimed(each, random))]
    assert len(repeating) > 0.9 * len(patterns)


PARTS = 24  # of a room's patterns


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("part", drawn(range(PARTS), 1))
@pytest.mark.parametrize("room", THROUGH)
def test_what_aims_at_a_pattern_takes_time_in_proportion(found: dict[str, Door], room: str, part: int) -> None:
    random, slow = Random(3), {}
    every = [(each, [*aimed(each, random)]) for each in patterns_of_answers() if each.module.startswith(room)]
    for pattern, families_of_it in every[part::PARTS]:
        for family in families_of_it:
            for name in through(pattern):
                if spent(found[name], family, FIRST, asked=asked(name)) > 4 * READABLE:
                    more = growth(found[name], family, asked(name), last=80_000)
                    slow |= {(name, pattern.text): more} if more > MOST else {}
    assert slow == {}
