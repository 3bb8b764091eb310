"""Tables 1, 2, 5, 6 and 7 of the paper with the models of this run, and the numbers that the paper prints.

Formats the documents `tables` and `published`. A printed number never appears beside one of the run as its equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.kit.documents import number, reason, section
from harness.kit.pages import NONE, Html, bullets, count, el, folded, join, named, table, value
from harness.studies.curie.pages.fragments import columns_with, spelled
from harness.studies.curie.pages.run_facts import RunFacts

OPEN, FOLDED = ("table1", "table2", "table7"), ("table5", "table6")
SHORT: Mapping[str, str] = {
    "rougeLsum": "R-L",
    "bert_f1": "B-F1",
    "lmscore": "LMScore",
    "precision": "Pr",
    "recall": "Re",
    "f1": "F1",
    "iou": "IoU",
    "identity_ratio": "IDr",
    "normalized_distance_error": "distance error",
    "relative_box_size": "relative size",
}
LISTED = "The paper's own inconsistencies. They are listed, and nothing here claims them: printed numbers speak."


def paper_tables(run: RunFacts, document: Mapping[str, Any], means: Mapping[str, Any]) -> list[Html]:
    """Return Tables 1, 2 and 7 of this run, then Tables 5 and 6 folded away; empty without the document."""
    tables = section(document, "tables")
    found = [_table(run, name, section(tables, name), means) for name in OPEN if name in tables]
    for name in FOLDED:
        if name in tables:
            title = f"Table {name[-1]}: {section(tables, name).get('title', '')}"
            found.append(folded(title, _table(run, name, section(tables, name), means)))
    return found


def _table(run: RunFacts, name: str, found: Mapping[str, Any], means: Mapping[str, Any]) -> Html:
    columns: Sequence[Mapping[str, Any]] = found.get("columns") or []
    heads = [_heading(column) for column in columns]
    cells = {who: list(section(found, "rows").get(who) or [{}] * len(columns)) for who in run.everybody}
    kept = columns_with(heads, cells.values())
    lacking = [head for at, head in enumerate(heads) if at not in kept]
    shown = [
        who for who in run.ranked(means) if who in run.models or any(number(cells[who][at]) is not None for at in kept)
    ]
    body = [[named(who), *(_cell(cells[who][at]) for at in kept)] for who in shown]
    strategies = [at for at, who in enumerate(shown) if who in run.strategies]
    medians = any(cell.get("statistic") == "median" for row in cells.values() for cell in row)
    caption = f"Table {name[-1]}: {found.get('title', '')}, of this run{'; of distances the median' * medians}"
    made = table(caption, ["Who", *(heads[at] for at in kept)], body, parts=strategies) if kept else None
    said = f"Table {name[-1]} lacks what no scorer of this run gives, or nobody has a value of: {', '.join(lacking)}."
    return join([made, el("p", said, class_="soft") if lacking else None])


def _heading(column: Mapping[str, Any]) -> str:
    metric = str(column.get("metric"))
    task = str(column.get("heading"))
    shown = task.removeprefix("MPV-").lower() if task.startswith("MPV-") else task
    return f"{shown} {SHORT.get(metric, metric)}"


def _cell(found: Mapping[str, Any]) -> Html:
    counts = [number(found.get(name)) for name in ("n", "N")]
    words = str(found.get("text", NONE))
    if number(found) is None or None in counts or counts[0] == counts[1]:
        return join([words])
    return join([words, el("span", f"{counts[0]:,.0f} of {counts[1]:,.0f}", class_="ci")])


def printed(document: Mapping[str, Any]) -> list[Html]:
    """Return the tables on the paper's printed numbers: identities, derived averages, inconsistencies; may be empty."""
    if not document:
        return []
    source = el("p", f"{number(document.get('n')) or 0:,.0f} printed values of {document.get('paper', NONE)}.")
    return [
        source,
        _identities(section(document, "identities")),
        *_averages(section(document, "averages")),
        *_inconsistencies(document.get("inconsistencies") or []),
    ]


def _identities(found: Mapping[str, Any]) -> Html:
    body = [
        [
            str(row.get("what", name)),
            count(row.get("n")),
            value(row.get("largest"), 4),
            str(row.get("within", NONE)),
            count(row.get("beyond")),
            _holds(row),
        ]
        for name, row in found.items()
    ]
    head = ["What must agree", "Compared", "Largest difference", "Within", "Beyond it", "Holds"]
    return table("What must hold among the printed numbers, and how far it does", head, body)


def _holds(row: Mapping[str, Any]) -> str:
    beyond = number(row.get("beyond"))
    if not number(row.get("n")) or beyond is None:
        return "nothing to compare"
    return "no" if beyond else "yes"


def _averages(found: Mapping[str, Any]) -> Iterator[Html]:
    ten, nine, beside = (section(found, name) for name in ("ten", "nine", "stands_in"))
    order = section(found, "order").get("ten") or list(ten)
    ranks = {name: at for at, name in enumerate(section(found, "order").get("nine") or [], 1)}
    body = [
        [
            f"{name}{' *' if name in beside else ''}",
            *(value(each.get(name)) for each in (ten, nine)),
            f"{ranks.get(name, NONE)}",
        ]
        for name in [*order, *(name for name in ten if name not in order)]
    ]
    if body:
        head = ["Model of the paper", "Ten tasks, percent", "Nine, without BIOGR", "Place by nine"]
        yield table(
            "Averages that follow from printed numbers, and were never printed; by the average over ten", head, body
        )
    if beside:
        yield el("p", f"* {'; '.join(sorted({str(each) for each in beside.values()}))}.", class_="soft")


def _inconsistencies(listed: Sequence[Mapping[str, Any]]) -> Iterator[Html]:
    lines = [
        join(
            [
                el("b", _verdict(each.get("contradicted"))),
                f" {each.get('says', '')}. Printed: ",
                spelled(each.get("found")) or NONE,
            ]
        )
        for each in listed
    ]
    if lines:
        yield el("p", LISTED)
        yield bullets(lines)


def _verdict(found: Any) -> str:
    if isinstance(found, bool):
        return "Contradicted:" if found else "Not contradicted:"
    return f"Not decided ({reason(found)}):"
