"""What a table of scores says of this study's numbers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from harness.studies.biomed.asking import ABSTENTIONS, ENCODER, GRADER, how
from harness.studies.biomed.meaning import MEANINGS


@pytest.mark.parametrize("instruments", [(), (ENCODER,), (GRADER,), (ENCODER, GRADER)])
def test_every_score_of_an_answer_has_a_meaning(instruments: tuple[str, ...]) -> None:
    brief: Any = SimpleNamespace(settings={"mode": "strict"}, instruments=instruments, tables={ABSTENTIONS: "table"})
    named = [scorer.name for scorer in how(brief, ()).score]
    assert len(named) == 2 + len(instruments)
    assert set(named) <= set(MEANINGS)
