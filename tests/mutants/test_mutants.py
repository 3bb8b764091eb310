"""Every mutant can be made of the source as it is, and is a program of another meaning."""

from __future__ import annotations

import ast
from collections import Counter

import pytest
from mutants.places import ROOT, change, read_mutants


@pytest.mark.long
def test_every_mutant_applies_and_says_what_it_breaks() -> None:
    mutants = read_mutants()
    assert len(mutants) > 60
    for mutant in mutants:
        path, text = change(mutant)
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse((ROOT / path).read_text())), mutant.name
        assert mutant.breaks and mutant.tests
        assert all((ROOT / folder).exists() for folder in mutant.tests), mutant.name
    assert not [name for name, count in Counter(mutant.name for mutant in mutants).items() if count > 1]
