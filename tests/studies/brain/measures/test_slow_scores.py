"""The golden cases of our own are what the slow way works out, and the fast way agrees with them."""

import json

import pytest
from golden.agree import Within, differences
from golden.case import Tally
from studies.brain.golden import averages
from studies.brain.measures.slow_scores import CASES, FILES, document_of


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_cases_is_what_the_slow_way_gives(name):
    known = json.loads((CASES / name).read_text(encoding="utf-8"))
    again = json.loads(json.dumps(document_of(name)))
    assert not list(differences(known, again, Within(1e-12, 1e-12)))  # processors differ in a last digit


@pytest.mark.parametrize("name", FILES)
def test_the_analysis_agrees_with_every_case_of_its_file(name):
    tally = Tally()
    averages.read(CASES / name, tally)
    assert not tally.failures
    assert tally.passed >= 3
