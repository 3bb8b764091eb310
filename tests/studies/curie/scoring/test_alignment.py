"""Likeness of sequences: edits and subsequences by the textbook, alignments by a full table, shuffles by digest."""

from __future__ import annotations

import hashlib
import time
from itertools import product

import pytest
from support_pace import soon

from harness import seeds
from harness.studies.curie.scoring import alignment
from harness.studies.curie.scoring.alignment import align, chance, common, edits, shuffled

RESIDUES = "ACDEFGHIKLMNPQRSTVWYBZX"
WORST = (-(10**9), 0, 0)
Sum = tuple[int, int, int]


def drawn(source: seeds.Stream, most: int, letters: str = RESIDUES, least: int = 0) -> str:
    return "".join(
        letters[seeds.draw_below(source, len(letters))] for _ in range(least + seeds.draw_below(source, most - least))
    )


def blosum() -> dict[tuple[str, str], int]:
    from Bio.Align import substitution_matrices

    matrix = substitution_matrices.load("BLOSUM62")
    return {pair: int(matrix[pair]) for pair in product(RESIDUES, RESIDUES)}


def added(cell: Sum, score: int, identities: int = 0, pairs: int = 0) -> Sum:
    return cell[0] + score, cell[1] + identities, cell[2] + pairs


def best(gold: str, other: str, scores: dict[tuple[str, str], int]) -> Sum:
    """Fill the textbook's three tables with (score, identities, pairs): a gap may follow any other directly."""
    size = len(other) + 1
    above: list[list[Sum]] = []
    for row in range(len(gold) + 1):
        now: list[list[Sum]] = []
        for column in range(size):
            if row == column == 0:
                now.append([(0, 0, 0), WORST, WORST])
                continue
            pair = down = right = WORST
            if row and column:
                a, b = gold[row - 1], other[column - 1]
                pair = added(max(above[column - 1]), scores[a, b], a == b, 1)
            if row:
                down = max(added(cell, -1 if kind == 1 else -11) for kind, cell in enumerate(above[column]))
            if column:
                right = max(added(cell, -1 if kind == 2 else -11) for kind, cell in enumerate(now[column - 1]))
            now.append([pair, down, right])
        above = now
    return max(above[-1])


@pytest.mark.parametrize(("letters", "most"), [("AWX", 12), ("ARNDW", 25), (RESIDUES, 40)])
def test_p3_of_the_best_alignments_the_one_with_most_identities_then_pairs(letters: str, most: int) -> None:
    source, scores = seeds.random_stream(most), blosum()
    for _ in range(120):
        gold, other = drawn(source, most, letters, 1), drawn(source, most, letters, 1)
        _, identities, pairs = best(gold, other, scores)
        assert align(gold, other) == (identities, pairs, len(gold) + len(other) - pairs), (gold, other)


def test_p3_the_score_is_that_of_biopython_with_gaps_of_eleven_and_one() -> None:
    from Bio.Align import PairwiseAligner, substitution_matrices

    matrix = substitution_matrices.load("BLOSUM62")
    plain = PairwiseAligner(mode="global", substitution_matrix=matrix, open_gap_score=-11, extend_gap_score=-1)
    source = seeds.random_stream(1)
    for _ in range(300):
        gold, other = drawn(source, 60, least=1), drawn(source, 60, least=1)
        weighed = int(alignment._aligner().score(gold, other))
        assert weighed >> 26 == plain.score(gold, other)


@pytest.mark.long
def test_p3_sums_of_the_longest_sequences_are_exact() -> None:
    long = "W" * alignment.LONGEST
    assert align(long, long) == (8191, 8191, 8191)
    assert 11 * alignment.LONGEST * 2 * 2**26 < 2**53
    assert align("W", "W" * 8191) == (1, 1, 8191) and align("X", "X").identity == 1


def test_p4_a_shuffle_orders_positions_by_digest_and_its_number() -> None:
    sequence = "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ"
    made = shuffled(sequence)
    assert len(made) == 100
    for number in (0, 7, 99):
        order = sorted(
            range(len(sequence)),
            key=lambda place: hashlib.sha256(f"curie.pdb/chance:{number}:{place}".encode()).digest(),
        )
        assert made[number] == "".join(sequence[place] for place in order)


@pytest.mark.long
def test_p4_no_two_positions_have_the_same_draw_up_to_the_longest_sequence() -> None:
    import numpy as np

    for number in range(alignment.SHUFFLES):
        draws = np.concatenate([alignment._draws(number, block) for block in range(8)])
        assert len(np.unique(draws)) == len(draws) > alignment.LONGEST


def test_p4_chance_is_the_mean_identity_of_the_shuffles_of_the_prediction() -> None:
    gold, other = "MKTAYIAKQRWW", "MKTAYIAKQ"
    assert chance(gold, other) == pytest.approx(sum(align(gold, each).identity for each in shuffled(other)) / 100)
    assert chance("AAAA", "AA") == 0.5 and chance("AAA", "AAA") == 1


def test_edits_are_the_textbooks() -> None:
    source = seeds.random_stream(2)
    for letters in ("AB", "ABCD", RESIDUES):
        for _ in range(400):
            left, right = drawn(source, 40, letters), drawn(source, 40, letters)
            row = list(range(len(right) + 1))
            for at, sign in enumerate(left, 1):
                last, row[0] = row[0], at
                for other, its in enumerate(right, 1):
                    last, row[other] = row[other], min(row[other] + 1, row[other - 1] + 1, last + (sign != its))
            assert edits(left, right) == edits(right, left) == row[-1], (left, right)


def test_the_common_subsequence_is_that_of_free_gaps() -> None:
    from Bio.Align import PairwiseAligner

    free = PairwiseAligner(mode="global", open_gap_score=0, extend_gap_score=0)
    source = seeds.random_stream(4)
    for _ in range(500):
        left, right = drawn(source, 80, "ACDE", 1), drawn(source, 80, "ACDE", 1)
        assert common(left, right) == common(right, left) == free.score(left, right)


def test_a_record_of_400_residues_and_its_shuffles_take_under_a_second() -> None:
    source = seeds.random_stream(5)
    gold, other = drawn(source, 401, least=400), drawn(source, 401, least=400)
    begun = time.process_time()
    align(gold, other)
    chance(gold, other)
    assert soon(time.process_time() - begun, 1)


@pytest.mark.long
def test_lines_of_megabytes_are_compared_in_time_or_not_at_all() -> None:
    gold, long = "MKTAYIAKQR" * 20, "MKTAYIAKQR" * 100_000
    assert alignment.comparable(gold, long) and not alignment.comparable(gold, long + "M")
    assert not alignment.comparable("M" * 20_000, "M" * 20_000)
    begun = time.process_time()
    assert common(gold, long) == 200 and edits(gold, long) == len(long) - 200
    assert soon(time.process_time() - begun, 2)
