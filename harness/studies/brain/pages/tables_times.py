"""The tables of time against each language model, and of the units in which a model adds to the simple features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import Html, count, el, join, named, table
from harness.studies.brain.measures.naming import LANGUAGE_ARRAYS
from harness.studies.brain.pages.fragments import chosen, score
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.brain.pages.verdicts import CHOSEN, UnitCounts, measured, said
from harness.studies.brain.terms import CONTIGUOUS, INTERCEPT, LANGUAGE, SHUFFLED

Found = Mapping[str, Mapping[str, Any]]
TIMES = (
    "Language model",
    "OASM",
    "R2 of OASM",
    "R2 of the model",
    "OASM / model, by participants",
    "OASM / model, by units",
    "Participants with OASM above",
    "R2 of OASM + model*",
    "Above OASM",
)
TESTS: Mapping[str, str] = {
    "plain": "simple features with the model, against without it; a text model's layer is chosen on test data",
    "starred": "the same, starred: in each unit the best subset on test data",
    INTERCEPT: "the model alone, against the training mean",
}
PARTS: Mapping[str, str] = {"all": "all networks", LANGUAGE: "language"}
TESTED = (
    "Is it better?",
    "Units",
    "p < .05, raw",
    "After FDR",
    "Language units",
    "p < .05, raw",
    "After FDR",
    "What may be said",
)
STARRED = "starred"  # the name of the tests of starred models in `findings`
MEANS = "means over seeds: no count of a test, so no evidence"


def times(run: BrainRun, dataset: str, found: Found) -> Iterator[Html]:
    """Yield the table of OASM against each language model under shuffled splits; nothing if there is none."""
    body = [
        [
            named(name),
            chosen(own.get("oasm")),
            score(own.get("oasm_r2")),
            score(section(each, "alone", SHUFFLED).get("r2")),
            score(own.get("ratio_percent"), 1, unit=" %"),
            score(own.get("units_ratio_percent"), 1, unit=" %"),
            _above(own),
            _star(own),
            score(own.get("star_gain_percent"), 1, unit=" %"),
        ]
        for name, each in found.items()
        if (own := section(each, "time"))
    ]
    if body:
        yield table(f"{run.title(dataset)}: time alone against each language model, {SHUFFLED}", TIMES, body)


def _star(own: Mapping[str, Any]) -> Html:
    """Return the starred score, and the OASM it is compared with if that is not the chosen one."""
    base = own.get("star_base")
    other = el("span", "with ", named(str(base)), class_="why") if base and base != own.get("oasm") else None
    return join([score(own.get("star_r2")), other])


def _above(own: Mapping[str, Any]) -> Html:
    above, everyone = (number(own.get(name)) for name in ("participants_above", "participants"))
    return score(None) if above is None or everyone is None else join([f"{above:g} of {everyone:g}"])


def tested(run: BrainRun, dataset: str, found: Found) -> Iterator[Html]:
    """Yield the table of counts of units, each with what it permits to say; nothing if there is none."""
    body = [
        [
            join([named(name), el("span", words, class_="why")]),
            *_counts(levels),
            join(_said(run, dataset, levels, (name, test), averaged=run.is_set(each)), " "),
        ]
        for name, each in found.items()
        for test, words in TESTS.items()
        if (levels := section(each, "tests", test))
    ]
    if body:
        yield table(f"{run.title(dataset)}: units in which a language model adds, {CONTIGUOUS}, by row", TESTED, body)


def _counts(levels: Mapping[str, Any]) -> Iterator[Html]:
    """Yield the counts over all networks, then those of the language network, with percentages below them."""
    for part in PARTS:
        own = section(levels, part)
        yield count(own.get("units"))
        for name in ("raw", "fdr"):
            digits = 0 if float(number(own.get(name)) or 0).is_integer() else 1
            percent = el("span", score(own.get(f"{name}_percent"), 3, unit=" %"), class_="why")
            yield join([score(own.get(name), digits), percent])


def _said(
    run: BrainRun, dataset: str, levels: Mapping[str, Any], of: tuple[str, str], *, averaged: bool
) -> Iterator[Html]:
    """Yield what the counts of a model and a test permit to say.

    A size is available only if neither the model's layer nor a subset was chosen on test data.
    """
    if averaged:
        yield el("span", MEANS, class_="why")
        return
    model, test = of
    pair = "intercept" if test == INTERCEPT else "nested"
    if model not in LANGUAGE_ARRAYS or test == STARRED:
        pair = CHOSEN
    sizes = measured(run, dataset, CONTIGUOUS, "row", pair)
    for part, where in PARTS.items():
        own = section(levels, part)
        counts = UnitCounts(*(int(number(own.get(name)) or 0) for name in UnitCounts._fields))
        yield el("span", f"{where}: {said(counts, 'row', sizes, pair)}", class_="why")
