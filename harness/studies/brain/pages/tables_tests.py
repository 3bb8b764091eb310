"""The tables of tests: units with p < .05 raw and after FDR, with the measured size of the test next to every count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import Html, count, el, folded, join, named, table
from harness.studies.brain.pages.fragments import dictionaries, share
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.brain.pages.verdicts import NULLS, RELATIONS, WORDS, counts, measured, relation, said
from harness.studies.brain.terms import CONTIGUOUS, SPLITS

MISALIGNED = "misaligned_block"  # only in generation H
LEVELS: Mapping[str, str] = {
    "row": "row, as published",
    "block": "block (OURS)",
    "fold": "fold (OURS)",
    MISALIGNED: "block, as the published code",
}
READING = (
    "One-sided paired t-test on squared errors in every unit; FDR by Benjamini and Hochberg within each family: a "
    "participant's units of one network, in generation P of one experiment. Size (OURS): units with p < .05, and "
    "families with any hit after FDR, where neither model predicts anything; its error stands in the last table."
)
SIZES = "The size of the tests, measured on simulated recordings without any effect (OURS); nominal is 5 % of units"
HEAD = (
    "Is the first better than the second?",
    "Level",
    "Units",
    "p < .05, raw",
    "After FDR",
    *(f"Size of the test, {null} null" for null in NULLS),
    "What may be said",
)
Rows = Sequence[Mapping[str, Any]]


def tests(run: BrainRun) -> list[Html]:
    """Return the tables of tests for each data set: contiguous splits, with all others folded below."""
    made = [part for dataset in run.datasets for part in _tests(run, dataset)]
    return [*([el("p", READING, class_="soft"), *made] if made else []), *_sizes(run)]


def _tests(run: BrainRun, dataset: str) -> Iterator[Html]:
    for split in SPLITS:
        rows = dictionaries(section(run.document("tests"), dataset).get(split))
        for beside in (False, True):
            own = [row for row in rows if (relation(row) == "intercept") == beside]
            words = f"{run.title(dataset)}, {split} splits: " + ("against the training mean" if beside else "tests")
            made = [*_table(run, dataset, split, own, words)]
            if made and (split != CONTIGUOUS or beside):
                yield folded(words, *made)
            else:
                yield from made


def _table(run: BrainRun, dataset: str, split: str, rows: Rows, words: str) -> Iterator[Html]:
    body = [_row(run, dataset, split, row, level) for row in rows for level in LEVELS if _level(row, level)]
    if not body:
        return
    yield table(words, HEAD, body)
    families = [
        [
            _models(row),
            LEVELS[level],
            named(str(each.get("participant"))),
            named(_network(each)),
            *(count(each.get(name)) for name in ("units", "raw", "fdr")),
        ]
        for row in rows
        for level in LEVELS
        for each in dictionaries(_level(row, level).get("families"))
    ]
    if families:
        columns = ["Models", "Level", "Participant", "Network", "Units", "p < .05, raw", "After FDR"]
        title = f"{words}, by family"
        yield folded(title, table(f"{title}: FDR is taken within each", columns, families))


def _level(row: Mapping[str, Any], level: str) -> Mapping[str, Any]:
    return section(row, MISALIGNED) if level == MISALIGNED else section(row, "levels", level)


def _network(found: Mapping[str, Any]) -> str:
    """Return a family's network, with its experiment if it is one of several."""
    return ", ".join(str(found[name]) for name in ("network", "experiment") if found.get(name))


def _row(run: BrainRun, dataset: str, split: str, row: Mapping[str, Any], level: str) -> list[str]:
    found, pair = _level(row, level), relation(row)
    own, sizes = counts(found), measured(run, dataset, split, level, pair)
    return [
        _models(row),
        LEVELS[level],
        count(own.units),
        _counted(found, own.raw, "raw"),
        _counted(found, own.fdr, "fdr"),
        *(_size(sizes[null]) for null in NULLS),
        el("span", said(own, level.replace("_", " "), sizes, pair), class_="why"),
    ]


def _counted(found: Mapping[str, Any], units: int, name: str) -> Html:
    """Return a count with its share, and how many of the counted units are null units of a simulation."""
    null = section(found, "null")
    among = el("span", "null units: ", count(null.get(name)), " of ", count(null.get("units")), class_="why")
    return join([count(units), el("span", share(found.get(f"{name}_share"), 2), class_="why"), among if null else None])


def _models(row: Mapping[str, Any]) -> Html:
    taken = section(row, "selected_from")
    starred = [f"{name}: of {number(models) or 0:,.0f} models" for name, models in taken.items()]
    return join(
        [
            named(str(row.get("model"))),
            " against ",
            named(str(row.get("against"))),
            el("span", WORDS[relation(row)], class_="why"),
            el("span", "; ".join(starred), class_="why") if starred else None,
        ]
    )


def _size(found: Mapping[str, Any]) -> Html:
    if not found:
        return share({"missing": "not measured"})
    return join([share(found.get("raw")), el("span", "families: ", share(found.get("family")), class_="why")])


def _sizes(run: BrainRun) -> Iterator[Html]:
    document = run.document("sizes")
    body = [
        [
            join([named(name), el("span", f"{split}, {null}, {pair}", class_="why")]),
            LEVELS.get(level, level),
            _measured(own, "raw"),
            _measured(own, "family"),
            count(own.get("families")),
            count(own.get("units")),
        ]
        for name in document
        for split in SPLITS
        for null in NULLS
        for pair in RELATIONS
        for level in LEVELS
        if (own := section(document, name, split, null, pair, level))
    ]
    if body:
        head = ["Rows of", "Level", "Units with p < .05", "Families with a hit after FDR", "Families", "Units"]
        yield folded("The size of the tests", table(SIZES, head, body))


def _measured(found: Mapping[str, Any], side: str) -> Html:
    error = number(found.get(f"{side}_error"))
    beside = None if error is None else el("span", f"\N{PLUS-MINUS SIGN} {100 * error:.1f}", class_="why")
    return join([share(found.get(side)), beside])
