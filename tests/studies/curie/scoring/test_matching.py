"""A one-to-one matching is as large as can be, holds given pairs alone, and does not depend on their order."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from support_examples import examples
from support_pace import soon

from harness.studies.curie.scoring.matching import matching

sides = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=40)


@examples(2)
@given(sides, st.randoms(use_true_random=False))
def test_a_matching_is_as_large_as_scipys_and_the_same_in_any_order(pairs, random) -> None:
    found = matching(pairs)
    assert set(found) <= set(pairs)
    assert len({left for left, _ in found}) == len({right for _, right in found}) == len(found)
    table = np.zeros((9, 9))
    for left, right in pairs:
        table[left, right] = 1
    assert len(found) == (scipy.sparse.csgraph.maximum_bipartite_matching(scipy.sparse.csr_matrix(table)) >= 0).sum()
    random.shuffle(pairs)
    assert matching(pairs) == found


def test_a_member_gives_way_along_a_chain() -> None:
    assert matching([(0, 0), (0, 1), (1, 0)]) == [(0, 1), (1, 0)]
    chain = [(place, place + more) for place in range(3000) for more in (0, 1)] + [(3000, 0)]
    assert len(matching(chain)) == 3001


@pytest.mark.long
def test_many_pairs_are_matched_quickly() -> None:
    began = time.process_time()
    assert len(matching([(gold, found) for gold in range(61) for found in range(2000)])) == 61
    assert len(matching([(gold, found) for gold in range(1000) for found in range(60)])) == 60
    assert soon(time.process_time() - began, 10)
