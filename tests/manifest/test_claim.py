"""A claim of a manifest says something that can be checked, or is refused with its line; nothing unsaid is kept."""

import pytest
from manifest.parsing import GOOD, parse, refused

CLAIM = 'claims:\n  - {of: "counts#/addition/kept", '
WHERE = 'where: "Table 1"}\n'


@pytest.mark.parametrize(
    "says",
    [
        "published: 3142, within: 102, ", "published: 3142, within: 0, id: kept, status: secondary source, ",
        "at_most: 60, ", "at_least: -1e-3, at_most: 60, ", "published: 57, at_most: 60, ",
    ],
)  # fmt: skip
def test_a_claim_says_something_that_can_be_checked(says):
    [claim] = parse(GOOD + CLAIM + says + WHERE).claims
    assert claim.pointers == ("counts#/addition/kept",)


def test_a_claim_is_of_one_value_or_of_several():
    text = GOOD + 'claims:\n  - {of: ["a#/x", "a#/y~1z"], order: decreasing, ties: true, where: Figure 2}\n'
    [claim] = parse(text).claims
    assert (claim.pointers, claim.order, claim.ties) == (("a#/x", "a#/y~1z"), "decreasing", True)


def test_newer_fields_of_claims_are_in_the_intent_only_where_they_are_set():
    """An intent is held against the one in the lock: a new field that nobody uses must make no lock stale."""
    old = {"of": "counts#/addition/kept", "order": None, "published": "3142", "where": "Table 1", "within": "102"}
    told = GOOD + CLAIM + "published: 3142, within: 102, "
    assert parse(told + WHERE).intent()["claims"] == [old]
    assert parse(told + "ties: false, " + WHERE).intent()["claims"] == [old]
    assert parse(told + "id: kept, at_least: 0, " + WHERE).intent()["claims"] == [
        {**old, "id": "kept", "at_least": "0"}
    ]


SEVERAL = CLAIM.replace('"counts#/addition/kept"', '["a#/x", "a#/y"]')
BAD_CLAIMS = {
    "nothing to check": (CLAIM, "nothing here can be checked"),
    "a number without a tolerance": (CLAIM + "published: 3, ", "how near a run must come"),
    "a tolerance without a number": (CLAIM + "within: 3, ", "add `published`"),
    "a tolerance without a number beside a bound": (CLAIM + "within: 3, at_most: 4, ", "add `published`"),
    "a negative tolerance": (CLAIM + "published: 3, within: -1, ", "within"),
    "a tolerance that is no number": (CLAIM + "published: 3, within: about one, ", "decimal number"),
    "an order of one": (CLAIM + "order: increasing, ", "two values or more"),
    "an order of one in a list": (
        CLAIM.replace('"c', '["c').replace('",', '"],') + "order: increasing, ",
        "two values",
    ),
    "an order of another kind": (SEVERAL + "order: random, ", "order"),
    "ties without an order": (SEVERAL + "ties: true, at_least: 0, ", "add `order`"),
    "bounds that cross": (CLAIM + "at_least: 2, at_most: 1, ", "correct `at_least` or `at_most`"),
    "a bound that is not finite": (CLAIM + "at_most: Infinity, ", "finite"),
    "no pointer": (CLAIM.replace("counts#/addition/kept", "counts") + "at_most: 1, ", "JSON Pointer"),
    "a pointer with ~2": (CLAIM.replace("addition", "~2") + "at_most: 1, ", "JSON Pointer"),
    "a list with a bad pointer": (SEVERAL.replace("a#/y", "a#y") + "order: increasing, ", "JSON Pointer"),
    "an empty list": (CLAIM.replace('"counts#/addition/kept"', "[]") + "at_most: 1, ", "of"),
    "a map for a pointer": (CLAIM.replace('"counts#/addition/kept"', "{a: b}") + "at_most: 1, ", "of"),
    "a name for an id": (CLAIM + "at_most: 1, id: Our Claim, ", "id"),
    "a long remark": (CLAIM + f"at_most: 1, status: {'x' * 201}, ", "status"),
    "an unknown key": (CLAIM + "at_most: 1, below: 2, ", "below"),
}


@pytest.mark.parametrize("case", BAD_CLAIMS)
def test_a_claim_that_cannot_be_checked_is_told_with_its_line(case):
    text, said = BAD_CLAIMS[case]
    error = refused(GOOD + text + WHERE)
    assert said in error.what and "claims.0" in error.what
    assert error.where == f"m.yaml:{(GOOD + text).count(chr(10)) + 1}"


def test_two_claims_of_one_id_are_refused():
    claim = "at_most: 1, id: mine, " + WHERE
    text = GOOD + CLAIM + claim + "  - {of: a#/b, " + claim
    assert "two claims are called 'mine'" in refused(text).what
    assert len(parse(text.replace("mine", "other", 1)).claims) == 2
