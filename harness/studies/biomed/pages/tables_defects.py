"""Published answers that are held to be false in reality: the list, and RQR with and without them (OURS)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import Html, count, el, folded, join, named, table, word_table
from harness.studies.biomed.pages.fragments import about, plain, rated
from harness.studies.biomed.pages.page_facts import PageFacts

PARTS: Mapping[str, str] = {"all": "all questions", "template": "T05 alone"}
CERTAINTIES = ("sure", "likely", "doubtful")
NONE_HERE = (
    "None of them is a question of this run, so RQR is the same with and without. They are of the published questions."
)


def defects(run: PageFacts, document: Mapping[str, Any]) -> list[Html]:
    """Return the tables of RQR with and without listed questions, and the folded list; empty without the document."""
    if not document:
        return []
    sizes = {name: number(document.get(name)) or 0 for name in ("n_listed", "n_here", "n_left_out")}
    version = ", ".join(map(str, document.get("list_version") or []))
    said = (
        f"{sizes['n_listed']:,.0f} published answers of T05, approval of a drug for a disease, are listed as false "
        f"in the world ({version}). Questions of this run among them: {sizes['n_here']:,.0f}; left out of RQR without "
        f"them, as sure or likely: {sizes['n_left_out']:,.0f}."
    )
    found = section(document, "graders", run.counting)
    return [
        el("p", said),
        *([] if sizes["n_here"] else [el("p", NONE_HERE)]),
        _rqr(run, found),
        _kinds(section(document, "kinds")),
        _listed(document),
        about(section(document, "about"), {}),
    ]


def _rqr(run: PageFacts, found: Mapping[str, Any]) -> Html:
    head = ["Model", *(f"RQR {words}: {side} them" for words in PARTS.values() for side in ("with", "without"))]
    body = [
        [named(model), *(_cell(section(found, model, part, side)) for part in PARTS for side in ("with", "without"))]
        for model in run.models
    ]
    return table("RQR with and without questions whose published answer is listed as sure or likely false", head, body)


def _cell(found: Mapping[str, Any]) -> Html:
    known = number(found)
    words = f"{number(found.get('k')) or 0:,.0f} of {number(found.get('n')) or 0:,.0f}"
    return rated(found) if known is None else join([plain(known), el("span", words, class_="ci")])


def _kinds(found: Mapping[str, Any]) -> Html:
    body = [
        [str(kind).replace("_", " "), *(count(section(row).get(name)) for name in CERTAINTIES)]
        for kind, row in found.items()
    ]
    return table("The list by kind, and how certain its makers are", ["Kind", *map(str.capitalize, CERTAINTIES)], body)


def _listed(document: Mapping[str, Any]) -> Html:
    body = [
        [
            named(str(row.get("uuid"))),
            str(row.get("kind", "")).replace("_", " "),
            str(row.get("certainty", "")),
            "yes" if row.get("here") is True else "no",
            str(row.get("why", "")),
        ]
        for row in document.get("listed") or []
    ]
    title = "The list"
    head = ["Question", "Kind", "Certainty", "In this run", "Why"]
    return folded(title, word_table("Published answers held to be false, in the makers' judgement", head, body))
