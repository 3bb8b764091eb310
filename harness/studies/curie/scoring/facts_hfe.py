"""Facts of HFE (OURS, rule HFE): the signed terms of the Hamiltonian and of the definitions of its symbols.

All texts of the ground-truth file are read as one, since its fields are not public.
"""

from __future__ import annotations

from collections import Counter

from harness.rowtypes import Found
from harness.studies.curie.reading.ground_truth import IDS
from harness.studies.curie.reading.loose_json import LONGEST_FILE, Unreadable, loads
from harness.studies.curie.reading.texts import leaves
from harness.studies.curie.scoring.facts import Fact, multisets, scored
from harness.studies.curie.scoring.facts_terms import terms


def score(response: str, truth: str) -> Found:
    """Score an answer of HFE against a ground-truth file by its terms, as `facts.scored` does."""
    return scored(response, truth, facts, lambda text, _: facts_of(text), multisets)


def facts(truth: str) -> Counter[Fact]:
    """Count the signed terms in all strings of a ground-truth file except ids; raises Unreadable if it is not JSON."""
    value = loads(truth, LONGEST_FILE)
    said = {name: one for name, one in value.items() if name not in IDS} if isinstance(value, dict) else value
    return Counter(terms("\n\n".join(leaves(said, numbers=False))))


def facts_of(response: str) -> Counter[Fact]:
    """Count the signed terms of an answer; raises Unreadable if it has no formula."""
    found = terms(response)
    if not found:
        raise Unreadable("no formula stands in it")
    return Counter(found)
