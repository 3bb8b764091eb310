"""Whatever leaf of whatever document of a run is changed, it is named; re-sealed, by a signature or anchor at last."""

from __future__ import annotations

from pathlib import Path

import pytest
from evidence.mutation_audit import DOCUMENTS, Subject, examine, table
from support_draws import drawn

pytestmark = [pytest.mark.together, pytest.mark.exhaustive]


def test_a_leaf_that_is_changed_is_named_and_a_history_that_is_consistent_needs_a_signature(tmp_path: Path) -> None:
    subject = Subject(tmp_path)
    every = list(subject.leaves())
    assert {one.document for one in every} == set(DOCUMENTS)
    chosen = [leaf for kind in DOCUMENTS for leaf in drawn((one for one in every if one.document == kind), 2, 4)]
    counted = examine(subject, chosen)
    assert not [(leaf.document, leaf.place, leaf.pointer) for one in counted.values() for leaf in one.missed]
    assert not [(leaf.document, leaf.place, leaf.pointer) for one in counted.values() for leaf in one.nothing]
    assert f"| all | {len(chosen)} |" in table(counted)
