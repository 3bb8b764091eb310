"""The tables of the reanalysis' page on tests of units: counts and percents of p-values, overall and by participant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import NONE, Html, count, el, folded, join, table
from harness.studies.brain.pages.fragments import score
from harness.studies.brain.pages.reanalysis_basis import leaves, named
from harness.studies.brain.pages.reanalysis_tables import difference, judged

Document = Mapping[str, Any]
PAIRS = (("with_model", "with the model"), ("model_alone", "model alone"))
SHARES = ("Units", "p < .05", "%", "After FDR", "%")
TOLD = (
    "Corrected again by Benjamini and Hochberg from the raw p-values, within every family that may have been meant; "
    "the one that gives the authors' numbers is named. Percents are of the units in the row."
)
DERIVED = (
    "A table that was counted from the authors' p-values of Pereira. They published no such table; the p-values are "
    "theirs, the counts are not. It is held against the p-values where these are given."
)


def counts_of_tests(document: Document) -> list[Html]:
    """Return the table of counts of p-values and of the family of their correction, and a table by participant."""
    body, people = [], []
    for way, found in leaves(section(document, "tests"), 5):
        for name, words in PAIRS:
            own = section(found, name)
            if not own:
                continue
            told = join([named(way), f", {words}"])
            body.append(
                [
                    told,
                    *_shares(own, found.get("units")),
                    str(own.get("family") or NONE),
                    difference(own.get("difference")),
                    judged(own["verdict"]) if "verdict" in own else join([NONE]),
                    str(own.get("note") or NONE),
                ]
            )
            people += [
                [join([told, f", {who}"]), *_shares(each, each.get("units"))]
                for (who,), each in leaves(own.get("participants"), 1)
            ]
    head = ["Test", *SHARES, "Family that fits", "Largest difference", "Verdict", "Note"]
    made = [el("p", TOLD, class_="soft"), table("Tests of units", head, body)] if body else []
    words = "Tests of units by participant"
    return [*made, folded(words, table(words, ["Test and participant", *SHARES], people))] if people else made


def derived_counts(document: Document) -> list[Html]:
    """Return the tables of counts that others derived from p-values, in total and by participant."""
    body, people = [], []
    for way, found in leaves(section(document, "derived_counts"), 4):
        body.append([named(way), *_shares(found, found.get("units")), *_alone(found), judged(found.get("verdict"))])
        people += [
            [
                join([named(way), f", {who}"]),
                *_shares(one, one.get("units")),
                *_alone(one),
                score(one.get("median_raw"), 6),
            ]
            for (who,), one in leaves(section(found, "participants"), 1)
        ]
    if not body:
        return []
    alone, words = ("Model alone, after FDR", "%"), "Derived counts of Pereira's p-values"
    head = ["File, pooling and participant", *SHARES, *alone, "Median p"]
    return [
        el("p", DERIVED, class_="soft"),
        table(words, ["File and pooling", *SHARES, *alone, "Held against p-values"], body),
        folded(f"{words}, by participant", table(f"{words}, by participant", head, people)),
    ]


def _shares(own: Document, units: Any) -> list[Html]:
    cells = [shown for name in ("raw", "fdr") for shown in (count(own.get(name)), _percent(own.get(f"{name}_percent")))]
    return [count(units), *cells]


def _alone(own: Document) -> list[Html]:
    return [count(own.get("alone_fdr")), _percent(own.get("alone_fdr_percent"))]


def _percent(value: Any) -> Html:
    known = number(value)
    return join([NONE if known is None else f"{known:.2f}"])
