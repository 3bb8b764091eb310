"""Which candidates of a template are kept: the paper's rule at its bounds, and the seeds it can draw by."""

import numpy as np
import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.studies.biomed.templates.drawing import LAST_SEED, MOST, drawn


def kept(yes: int, no: int, seed: int = 7) -> tuple[int, int]:
    """Give how many of the candidates answered yes, and no, are kept."""
    places = drawn(np.arange(yes + no) < yes, yes + no, seed)
    assert places == sorted(set(places)), "ascending, and none twice"
    of_yes = sum(place < yes for place in places)
    return of_yes, len(places) - of_yes


@each_of(
    ("yes", "no", "expected"),
    [
        (2000, 0, (2000, 0)), (1500, 500, (1500, 500)), (10, 5000, (10, 1990)), (1499, 600, (1499, 501)),
        (1500, 600, (1500, 500)), (4000, 4000, (1500, 500)), (4000, 499, (1501, 499)), (4000, 0, (2000, 0)),
    ],
)  # fmt: skip
def test_yes_and_no_are_kept_in_the_shares_of_the_rule(yes: int, no: int, expected: tuple[int, int]) -> None:
    assert kept(yes, no) == expected


def test_without_yes_or_no_the_bound_alone_decides() -> None:
    assert drawn(None, MOST, 7) == list(range(MOST))
    assert len(set(drawn(None, MOST + 1, 7))) == MOST


@pytest.mark.parametrize("seed", [-1, LAST_SEED + 1, 2**53 - 1])
def test_a_seed_that_cannot_draw_is_refused_where_it_has_to(seed: int) -> None:
    assert drawn(None, MOST, seed) == list(range(MOST))
    with pytest.raises(InputError) as told:
        drawn(None, MOST + 1, seed)
    assert told.value.where == "seed" and told.value.next


def test_the_last_seed_draws() -> None:
    assert len(drawn(None, MOST + 1, LAST_SEED)) == MOST
