"""Claims held against values: numbers, orders, bounds; what moved since they were registered, and what is gone."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from harness.evidence.claims.claims import JudgedClaim, PointerValue, judge_claims
from harness.manifest.schema import Claim


def claim(of: Any = "out#/x", where: str = "Table 1", **says: Any) -> Claim:
    return Claim(of=of, where=where, **says)


def number(text: str) -> PointerValue:
    return PointerValue(text, Decimal(text))


def one(made: Claim, *texts: str) -> JudgedClaim:
    found = dict(zip(made.pointers, map(number, texts), strict=True))
    [row] = judge_claims("m", [made], None, found.__getitem__, run="r")
    return row


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ("3142", "met"),
        ("3244", "met"),
        ("3040", "met"),
        ("3245", "missed"),
        ("3039", "missed"),
        ("3244.0000000001", "missed"),
    ],
)
def test_a_number_is_met_within_its_tolerance_edges_included(value: str, verdict: str) -> None:
    row = one(claim(published="3142", within="102"), value)
    assert (row.verdict, row.published, row.value, row.tolerance, row.run) == (verdict, "3142", value, "102", "r")
    assert (row.detail == "") == (verdict == "met")


def test_decimals_are_compared_as_they_are_written_and_not_as_floats() -> None:
    assert one(claim(published="0.3", within="0"), "0.3").verdict == "met"
    assert one(claim(published="0.1", within="0.2"), "0.30000000000000004").verdict == "missed"
    assert one(claim(published="1e30", within="0"), "1000000000000000000000000000001").verdict == "missed"
    assert one(claim(published="1e400", within="1e-400"), "1e400").verdict == "met"


@pytest.mark.parametrize("value", ["1e999999999", "-1e999999999", "9" * 20_000, "1e-999999999"])
def test_huge_numbers_are_compared_without_being_written_out(value: str) -> None:
    assert one(claim(published="1", within="0.5"), value).verdict == "missed"
    assert one(claim(published="1e999999999", within="1"), "1").verdict == "missed"
    assert len(one(claim(at_most="0", at_least="0"), value).detail) < 200


@pytest.mark.parametrize(
    ("order", "ties", "values", "verdict"),
    [
        ("increasing", False, ["1", "2", "3"], "met"), ("increasing", False, ["1", "2", "2"], "missed"),
        ("increasing", True, ["1", "2", "2.0"], "met"), ("increasing", True, ["1", "3", "2"], "missed"),
        ("decreasing", False, ["3", "2", "-1"], "met"), ("decreasing", False, ["3", "3", "2"], "missed"),
        ("decreasing", True, ["3", "3", "2"], "met"), ("decreasing", False, ["1", "2", "3"], "missed"),
    ],
)  # fmt: skip
def test_an_order_is_strict_unless_it_says_ties(order: str, ties: bool, values: list[str], verdict: str) -> None:
    row = one(claim(["out#/a", "out#/b", "out#/c"], order=order, ties=ties), *values)
    assert (row.verdict, row.value, row.published) == (verdict, values, None)
    assert row.tolerance == order + (" or equal" if ties else "")


def test_an_order_that_is_missed_names_the_first_pair_that_breaks_it() -> None:
    row = one(claim(["out#/a", "out#/b", "out#/c"], order="increasing"), "1", "3", "2")
    assert row.detail == "3 at out#/b, then 2 at out#/c: not increasing"


@pytest.mark.parametrize(
    ("says", "values", "verdict"),
    [
        ({"at_most": "60"}, ["60"], "met"), ({"at_most": "60"}, ["60.001"], "missed"),
        ({"at_least": "0"}, ["0"], "met"), ({"at_least": "0"}, ["-0.0"], "met"),
        ({"at_least": "0"}, ["-1e-9"], "missed"),
        ({"at_least": "0", "at_most": "60"}, ["1", "59"], "met"),
        ({"at_least": "0", "at_most": "60"}, ["1", "61"], "missed"),
    ],
)  # fmt: skip
def test_every_value_must_keep_the_bounds(says: dict[str, str], values: list[str], verdict: str) -> None:
    pointers = [f"out#/{n}" for n in range(len(values))]
    assert one(claim(pointers if len(values) > 1 else pointers[0], **says), *values).verdict == verdict


def test_a_claim_that_says_several_things_is_met_only_if_all_of_them_hold() -> None:
    both = claim(["out#/a", "out#/b"], order="increasing", at_most="5", published="4", within="2")
    assert one(both, "2", "5").verdict == "met"
    assert one(both, "5", "2").verdict == "missed"
    assert one(both, "2", "6").verdict == "missed"
    assert one(both, "1", "5").verdict == "missed"
    assert both.pointers and one(both, "2", "5").tolerance == "within 2, increasing, at most 5"


def test_what_is_no_number_misses_and_what_is_missing_was_not_run() -> None:
    found = {
        "out#/a": number("1"),
        "out#/b": PointerValue("nan", flaw="it is no finite number"),
        "out#/c": PointerValue(lacks="gated data"),
    }
    two = claim(["out#/a", "out#/b"], at_least="0")
    [row] = judge_claims("m", [two], None, found.__getitem__)
    assert (row.verdict, row.value, row.detail) == ("missed", ["1", "nan"], "out#/b: it is no finite number")
    [row] = judge_claims("m", [claim(["out#/a", "out#/c"], order="increasing")], None, found.__getitem__)
    assert (row.verdict, row.value) == ("not run: needs gated data", ["1", None])


def test_without_a_run_every_claim_says_what_it_needs() -> None:
    claims = [claim(of, at_least="0") for of in ("out#/models/b/x", "out#/models/c/x", "out#/x")]
    rows = judge_claims("m", claims, None, lacks=["models.a", "models.b", "datasets.c"])
    assert [row.verdict.removeprefix("not run: needs ") for row in rows] == [
        "models.b, models.a, datasets.c", "datasets.c, models.a, models.b", "models.a, models.b, datasets.c",
    ]  # fmt: skip
    assert {(row.value, row.run, row.moved) for row in rows} == {(None, None, False)}


def test_a_claim_says_in_its_own_line_what_unresolved_pins_mean_to_it() -> None:
    waiting = claim("out#/models/b/x", at_least="0", waits="people's ratings")
    [row] = judge_claims("m", [waiting], None, lacks=["models.a", "models.b"])
    assert (row.verdict, row.detail) == ("not run: needs people's ratings", "models.b, models.a")
    for lack in ("a run", "a lock", "a lock that fits: /datasets/addition/count moved"):
        [row] = judge_claims("m", [waiting], None, lacks=[lack])
        assert (row.verdict, row.detail) == (f"not run: needs {lack}", ""), "nothing is unresolved"
    [row] = judge_claims("m", [claim(at_least="0")], registered(waiting), lambda _: number("1"))
    assert row.verdict == "met" and "waits" not in claim(at_least="0").model_dump(mode="json")


def test_a_line_on_what_a_claim_waits_for_moves_no_claim() -> None:
    [row] = judge_claims(
        "m", [claim(at_least="0", waits="weights")], registered(claim(at_least="0")), lambda _: number("1")
    )
    assert (row.verdict, row.moved) == ("met", False)


def test_a_claim_is_named_by_id_or_pointer_and_no_two_names_are_equal() -> None:
    claims = [
        claim(at_least="0", id="mine"), claim(at_least="0"), claim(at_least="1"),
        claim(["out#/a", "out#/b", "out#/c"], order="increasing"),
    ]  # fmt: skip
    assert [row.id for row in judge_claims("m", claims, None)] == ["mine", "out#/x", "out#/x (2)", "out#/a … out#/c"]


def registered(*claims: Claim) -> list[Any]:
    return [made.model_dump(mode="json") for made in claims]


def moves(now: list[Claim], then: list[Claim]) -> list[tuple[str, bool, Any, bool]]:
    rows = judge_claims("m", now, registered(*then), lambda pointer: number("1"))
    return [
        (row.of if isinstance(row.of, str) else row.of[0], row.moved, (row.was or {}).get("published"), row.withdrawn)
        for row in rows
    ]


A, B = claim("out#/a", published="1", within="1"), claim("out#/b", published="2", within="1")


def test_a_claim_with_the_same_demand_has_not_moved_whatever_its_name() -> None:
    again = claim("out#/a", where="Table 2", published="1", within="1", id="a", status="secondary source")
    assert moves([B, again], [A, B]) == [("out#/b", False, None, False), ("out#/a", False, None, False)]


@pytest.mark.parametrize(
    "now",
    [
        claim("out#/a", published="1", within="2"), claim("out#/a", published="1.5", within="1"),
        claim("out#/a", at_most="9"), claim("out#/other", published="1", within="1"),
    ],
)  # fmt: skip
def test_a_claim_that_asks_something_else_has_moved_and_shows_what_it_was(now: Claim) -> None:
    assert moves([now, B], [A, B]) == [(now.of, True, "1", False), ("out#/b", False, None, False)]


def test_a_claim_is_known_again_by_its_id_before_its_place() -> None:
    old = claim("out#/a", published="1", within="1", id="a")
    new = claim("out#/z", published="7", within="1", id="a")
    assert moves([B, new], [old, B])[1] == ("out#/z", True, "1", False)


def test_a_claim_that_points_elsewhere_is_matched_by_its_place_in_a_paper() -> None:
    then = [A, claim("out#/b", where="Table 2", published="2", within="1")]
    now = claim("out#/z", where="Table 2", published="2", within="1")
    assert moves([now], then) == [("out#/z", True, "2", False), ("out#/a", True, "1", True)]


def test_an_added_claim_counts_as_moved_and_a_withdrawn_one_is_judged() -> None:
    assert moves([A, B], [A]) == [("out#/a", False, None, False), ("out#/b", True, None, False)]
    assert moves([B], [A, B]) == [("out#/b", False, None, False), ("out#/a", True, "1", True)]
    [row] = judge_claims("m", [], registered(B), lambda pointer: number("9"))
    assert (row.verdict, row.withdrawn) == ("missed", True)


def test_before_the_first_run_nothing_has_moved() -> None:
    assert [row.moved for row in judge_claims("m", [A, B], None)] == [False, False]
    assert [row.moved for row in judge_claims("m", [A], [])] == [True], "a first run that registered nothing"


def test_claims_of_old_locks_that_could_not_be_checked_are_passed_over() -> None:
    odd: list[Any] = [
        {},
        {"of": "out", "where": "x"},
        {"of": 3},
        {"of": "out#/a", "where": "x", "published": "1"},
    ]
    assert [(row.moved, row.was) for row in judge_claims("m", [A], odd)] == [(True, None)]
