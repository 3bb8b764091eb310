"""The document of what a step could import, as it was written before and as it is: both are read, and held together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from evidence.bare import Bare, bare

from harness.digest import encode_document
from harness.errors import InputError
from harness.evidence.explain import explain_steps
from harness.evidence.trail import environment_changes, read_environment
from harness.run.executing.runner import Runner
from harness.run.executing.workshop import Workshop

pytestmark = pytest.mark.together
ONE: Any = {
    "type": "environment/2", "image": "none", "python": "3.11.7", "implementation": "CPython", "platform": "linux",
    "packages": {"rich": {"version": "1", "record": "a"}}, "loose": {}, "stdlib": "b",
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    return bare(tmp_path_factory.mktemp("environments"))


def older(data: bytes) -> bytes:
    """Spell an environment as it was spelled before: without the standard library."""
    body = {name: value for name, value in json.loads(data).items() if name != "stdlib"}
    return encode_document({**body, "type": "environment/1"})


@pytest.mark.long
def test_a_run_on_an_environment_of_before_audits_and_is_explained(run: Bare) -> None:
    workshop = run.workshop()
    before = Workshop(run.store, workshop.engine, workshop.limits, environment=older(workshop.environment))
    first = Runner(run.loaded, run.lock, run.plan, before, limit=1).run(lambda *_: None).run
    report = run.look(run.store.root, "full", run=first)
    assert report.verdict == "agreed" and report.coverage and report.coverage.other == report.coverage.again
    reasons = [why.reason for why in explain_steps(run.store, first)]
    assert reasons and all("told as environment/2 → environment/1" in reason for reason in reasons)


def test_what_differs_between_two_environments_is_named() -> None:
    two: Any = {
        **ONE,
        "python": "3.11.9",
        "stdlib": "c",
        "packages": {"rich": {"version": "1", "record": "a", "altered": ["rich/a.py 00"]}, "six": {"version": "2"}},
        "loose": {"mine.py": "d"},
    }
    assert list(environment_changes(ONE, two)) == [
        "Python 3.11.7 → 3.11.9",
        "the standard library",
        "rich: rich/a.py 00",
        "six absent → 2",
        "mine.py, which no package lists",
    ]
    assert list(environment_changes(ONE, ONE)) == []


STRANGE = {"rich": {"version": "1", "record": "a", "altered": 5}}


@pytest.mark.parametrize(
    "wrong",
    [{"stdlib": 7}, {"type": "environment/3"}, {"packages": {"rich": {}}}, {"packages": STRANGE}, {"loose": []}],
)
def test_an_environment_that_says_something_else_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        read_environment(encode_document({**ONE, **wrong}), "here")
    assert read_environment(encode_document(ONE), "here") == ONE
