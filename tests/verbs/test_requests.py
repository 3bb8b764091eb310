"""Requests: one class a verb, from which command line, Python and the page docs/verbs.md come."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest
import verbs_page
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support_examples import examples

from harness import verbs
from harness.cli.options import GivenOptions
from harness.verbs import requests
from harness.verbs.requests import NUMBERS, Bounds, InPython, Request, request_fields

COMMANDS = dict(verbs_page.commands())
PARTS = {"DerivedRequest", "EngineRequest", "RunnerRequest"}
KINDS = {
    name: one
    for name, one in vars(requests).items()
    if isinstance(one, type) and issubclass(one, Request) and one is not Request
}


def test_every_request_is_offered_to_python_and_all_but_two_to_the_command_line() -> None:
    assert set(KINDS) - PARTS <= set(dir(verbs))
    asked = {kind.__name__ for command in COMMANDS.values() for kind in command.requests}
    assert set(KINDS) - PARTS - asked == {"ShowRequest"}, "`show` takes the field of `show --items`"


@pytest.mark.parametrize("words", COMMANDS)
def test_a_field_of_a_request_is_an_option_of_its_verb(words: str) -> None:
    command = COMMANDS[words]
    options = inspect.signature(command).parameters
    for kind in command.requests:
        for one in request_fields(kind):
            if isinstance(one.about, InPython) or one.name not in options:
                continue
            info = options[one.name].annotation.__metadata__[0]
            assert info.help == one.about.help or words in {"score", "analyse"}, one.name
            if one.kind in NUMBERS and one.bounds != Bounds() and words != "serve":
                assert (info.min, info.max) == (one.bounds.least, one.bounds.most)


def test_what_a_verb_leaves_out_of_its_requests_is_meant() -> None:
    left = {
        (words, one.name)
        for words, command in COMMANDS.items()
        for kind in command.requests
        for one in request_fields(kind)
        if not isinstance(one.about, InPython) and one.name not in inspect.signature(command).parameters
    }
    assert left == {
        ("attempts finish", "max_memory"),
        ("attempts start", "max_memory"),
        ("import", "folder"),
        ("lock", "jobs"),
        ("new", "max_memory"),
        ("serve", "max_memory"),
    }


def test_the_page_of_verbs_is_that_of_the_code() -> None:
    assert verbs_page.PAGE.read_text() == verbs_page.page(), "run: python tests/verbs_page.py --write"


@pytest.mark.parametrize(
    ("values", "field"),
    [({}, "manifests"), ({"manifests": []}, "manifests"), ({"limit": -1}, "limit"), ({"limits": 1}, "limits")],
)
def test_a_request_that_cannot_be_meant_is_refused_when_it_is_made(values: dict[str, Any], field: str) -> None:
    whole = {"manifests": ["a.yaml"], **values} if values else {}
    with pytest.raises(ValidationError, match=field):
        verbs.RunRequest(**whole)


def test_a_request_is_not_changed_but_made_again() -> None:
    asked = verbs.RunRequest(manifests=["a.yaml"])
    with pytest.raises(AttributeError, match="with_changes"):
        asked.limit = 3  # type: ignore[misc]  # what is tried
    other = asked.with_changes(limit=3)
    assert (asked.limit, other.limit) == (0, 3) and asked != other and other.with_changes(limit=0) == asked
    assert hash(asked) == hash(verbs.RunRequest(manifests=["a.yaml"])) and "limit=3" in repr(other)


@examples()
@given(
    st.lists(st.text(min_size=1), min_size=1, max_size=3),
    st.integers(0, 2**31),
    st.booleans(),
    st.sampled_from(["", "8GiB"]),
)
def test_a_request_travels_as_json_values(manifests: list[str], limit: int, relock: bool, memory: str) -> None:
    asked = verbs.RunRequest(manifests=manifests, limit=limit, relock=relock, max_memory=memory)
    assert verbs.RunRequest(**asked.as_data()) == asked


def test_fields_that_were_not_given_keep_the_default_of_the_request() -> None:
    given = GivenOptions({"manifests": ["a.yaml"], "limit": None, "images": None, "unrelated": 1}, {"json": True})
    asked = given.request(verbs.RunRequest, relock=True)
    assert asked == verbs.RunRequest(manifests=["a.yaml"], relock=True) and given.json
    with pytest.raises(AttributeError, match="zzz"):
        _ = given.zzz


def test_help_loads_no_verb_and_the_fields_of_its_own_alone() -> None:
    code = (
        "import sys; from harness.cli.main import run_command_line; "
        "run_command_line(['audit', '--help']); from harness.verbs import requests; "
        "print(*(name for name in sys.modules if name.startswith('harness.verbs.')), file=sys.stderr); "
        "print(*(kind.__name__ for kind in requests.read_so_far), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.split() == ["harness.verbs.requests", "AuditRequest"] and "--rerun" in done.stdout
