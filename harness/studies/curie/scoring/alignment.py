"""Similarity of two sequences: longest common subsequence, edit distance, global alignment by BLOSUM62, chance level.

Exact, and bounded: each function states its largest size. Independent of where a sequence comes from.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Any, NamedTuple

from harness.digest import sha256
from harness.scorers.overlap import ngrams

MOST_CELLS = 200_000_000  # cells of the textbook table; each takes one bit here
MOST_TEXT = 1_000_000  # characters of the longer text
LONGEST = 2**13 - 1  # residues that `align` can count; a longer count would overflow into the next one
SHUFFLES = 100
OPEN, EXTEND = 11, 1  # cost of the first column of a gap, and of each further one
_SCORE, _IDENTITY = 2**26, 2**13  # weights of a score and of an identity; a pair weighs 1 (P3)
_BLOCK = 1024  # positions whose draws are computed together


def comparable(left: str, right: str) -> bool:
    """Whether two texts are short enough for `common` and `edits` to take well under a second."""
    return max(len(left), len(right)) <= MOST_TEXT and len(left) * len(right) <= MOST_CELLS


def common(left: str, right: str) -> int:
    """Return the length of the longest common subsequence of two texts; check `comparable` first."""
    short, long = sorted((left, right), key=len)
    return ngrams.common_length(short, long)


def edits(left: str, right: str) -> int:
    """Return the Levenshtein distance of two texts; check `comparable` first.

    Bit-parallel (Myers 1999, Hyyrö 2003): a column of the table is two integers, for where it rises and where it falls.
    """
    short, long = sorted((left, right), key=len)
    where, full = _places(long, set(short)), (1 << len(long)) - 1
    last, distance = full + 1 >> 1, len(long)
    rises, falls = full, 0
    for sign in short:
        here = where[sign]
        level = ((here & rises) + rises ^ rises) | here
        up, down = falls | full & ~(level | rises), rises & level
        distance += bool(up & last) - bool(down & last)
        up = up << 1 | 1
        here |= falls
        rises = full & (down << 1 | ~(here | up))
        falls = full & up & here
    return distance


def _places(text: str, signs: set[str]) -> dict[str, int]:
    """Return the positions of some characters in a text as bit sets, in time linear in the text."""
    bits = {sign: bytearray(len(text) // 8 + 1) for sign in signs}
    for at, sign in enumerate(text):
        if sign in bits:
            bits[sign][at >> 3] |= 1 << (at & 7)
    return {sign: int.from_bytes(each, "little") for sign, each in bits.items()}


class Aligned(NamedTuple):
    """Counts of the best global alignment of two sequences: identical pairs, pairs of residues, and columns."""

    identities: int
    pairs: int
    columns: int

    @property
    def identity(self) -> float:
        """The share of the columns that hold equal residues."""
        return self.identities / self.columns


def align(gold: str, predicted: str) -> Aligned:
    """Align two sequences of 1 to LONGEST residues: of the alignments with the best score, the one that P3 names.

    The score counts most, then identities, then pairs. All three are combined in one sum, from which identities and
    pairs are extracted.
    """
    found = int(_aligner().score(gold, predicted)) % _SCORE
    identities, pairs = divmod(found, _IDENTITY)
    return Aligned(identities, pairs, len(gold) + len(predicted) - pairs)


@cache
def _aligner() -> Any:
    from Bio import Align  # noqa: PLC0415 - heavy

    bio: Any = Align  # its functions have no types
    blosum = bio.substitution_matrices.load("BLOSUM62")
    weighed = bio.substitution_matrices.Array(blosum.alphabet, 2)
    for one in blosum.alphabet:
        for other in blosum.alphabet:
            weighed[one, other] = blosum[one, other] * _SCORE + (one == other) * _IDENTITY + 1
    gaps = {"open_gap_score": -OPEN * _SCORE, "extend_gap_score": -EXTEND * _SCORE}
    return bio.PairwiseAligner(mode="global", substitution_matrix=weighed, **gaps)


def chance(gold: str, predicted: str) -> float:
    """Return the mean identity of the predicted sequence's SHUFFLES shuffles with the right one (P4)."""
    return math.fsum(align(gold, each).identity for each in shuffled(predicted)) / SHUFFLES


def shuffled(sequence: str) -> list[str]:
    """Return the shuffles of a sequence of at most LONGEST residues; the permutations depend only on its length."""
    import numpy as np  # noqa: PLC0415 - heavy

    letters = np.frombuffer(sequence.encode("ascii"), np.uint8)
    blocks = range(-(-len(sequence) // _BLOCK))
    found = []
    for number in range(SHUFFLES):
        draws = np.concatenate([_draws(number, block) for block in blocks])[: len(sequence)]
        found.append(letters[np.argsort(draws, kind="stable")].tobytes().decode("ascii"))
    return found


@lru_cache(maxsize=SHUFFLES * (LONGEST // _BLOCK + 1))
def _draws(number: int, block: int) -> Any:
    """Return the first 64 bits of the digests that order a block of positions; up to LONGEST no two are equal."""
    import numpy as np  # noqa: PLC0415 - heavy

    places = range(block * _BLOCK, (block + 1) * _BLOCK)
    texts = (f"curie.pdb/chance:{number}:{place}" for place in places)
    return np.array([int(sha256(text.encode("ascii"))[:16], 16) for text in texts], np.uint64)
