"""The rule judge called alone: its fields, its grade, and what a certificate needs of it."""

from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.run.closure import Code
from harness.run.locking.certificates import grader_code
from harness.studies.curie.standalone.llmsim_rule import SCORERS

TOOL = SCORERS["curie.llmsim_rule"]
GOLD = {"material": "ZnO", "property_name": "band gap", "low_value": "3.37", "high_value": "3.37", "value_units": "eV"}


def test_a_pair_is_told_the_same_or_different_with_the_reason() -> None:
    given = {"task": "mpv", "gold_item": GOLD}
    assert TOOL.run({**given, "predicted_item": {**GOLD, "material": "zinc oxide"}})["label"] == "same"
    other = TOOL.run({**given, "predicted_item": {**GOLD, "low_value": "3.2", "high_value": "3.2"}})
    assert (other["label"], other["why"]) == ("different", ["the values differ"])
    TOOL.gives.model_validate(other)


@pytest.mark.parametrize("wrong", [{"task": "geo"}, {"gold_item": []}, {"predicted_item": "ZnO"}, {"task": None}])
def test_a_wrong_field_is_named(wrong) -> None:
    with pytest.raises(InputError) as bad:
        TOOL.run({"task": "mpv", "gold_item": GOLD, "predicted_item": GOLD, **wrong})
    assert next(iter(wrong)) in str(bad.value)


def test_a_certificate_names_every_file_of_the_rule() -> None:
    assert TOOL.grader and TOOL.grader.accepts == "same"
    named = grader_code(TOOL.grader.code, Code()).files
    own = "harness/studies/curie/judging/"
    for name in ("rule", "normal", "quantities", "material_names", "property_names", "methods"):
        assert f"{own}{name}.py" in named
    assert "harness/answers/units.py" in named
    assert f"{own}llm.py" not in named
