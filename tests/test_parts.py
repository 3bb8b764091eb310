"""A part is found by the name of its file; a name that is none says which there are; no namesake hides another."""

from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.manifest.models import PROVIDERS
from harness.parts import PartRegistry, import_part
from harness.run.engines import ENGINES
from harness.scorers.given import AnalysisInput, ToolOutput
from harness.scorers.tool import Tool
from harness.studies import registry


def test_the_parts_there_are_stand_where_their_kind_lives():
    assert set(ENGINES.names()) >= {"docker", "local"}
    assert set(PROVIDERS.names()) >= {"anthropic", "baseline", "openai", "transformers"}
    assert set(registry.SHELF.names()) >= {"reliability", "tiny"}


@pytest.mark.parametrize("name", ["quantum", "engine", "../local", "", "local.ENGINE"])
def test_what_is_no_part_says_which_there_are(name):
    with pytest.raises(InputError, match="there is no engine") as told:
        ENGINES.find(name, "flag")
    assert "local" in told.value.next and told.value.where == "flag"


@pytest.mark.parametrize("name", [None, 5, ["local"], "model"])
def test_a_module_that_holds_no_part_is_none(name):
    assert PROVIDERS.get(name) is None


def test_a_part_is_given_by_the_place_it_is_written_at():
    assert import_part("harness.parts:PartRegistry") is PartRegistry


def test_two_scorers_of_one_name_are_refused(monkeypatch):
    tool = Tool("", AnalysisInput, ToolOutput, lambda given: {})
    monkeypatch.setattr(registry.SCORERS.__class__, "names", lambda self: ["a", "b"])
    monkeypatch.setattr(registry.SCORERS.__class__, "find", lambda self, name, where="": {"same.name": tool})
    monkeypatch.setattr(registry, "studies", list)
    with pytest.raises(InputError, match=r"two scorers are called 'same\.name'"):
        registry.scorers()
