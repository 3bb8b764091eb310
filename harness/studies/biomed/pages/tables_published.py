"""The numbers that the paper prints: the tables, what must hold among them, and where the paper contradicts itself.

Shows the document `published`, which has no result of a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.kit.documents import number, reason, section, span
from harness.kit.pages import NONE, Html, bullets, count, el, folded, join, table, value
from harness.studies.biomed.pages.fragments import plain, spelled

LISTED = "Where the paper's words and its own numbers part. They are listed, and nothing here claims them:"
KEPT = "They are of the paper's own answers, and no result of this run: none of them stands against a row above."


def printed(document: Mapping[str, Any]) -> list[Html]:
    """Return the tables of printed numbers, the identities, the recomputed costs and the contradictions.

    The result is empty without a document.
    """
    if not document:
        return []
    source = f"{number(document.get('n')) or 0:,.0f} printed numbers of {document.get('paper', NONE)}. {KEPT}"
    return [
        el("p", source),
        *_identities(section(document, "identities")),
        *_costs(section(document, "costs")),
        *_inconsistencies(document.get("inconsistencies") or []),
        *(
            _values(name, each, section(document, "sources").get(name))
            for name, each in section(document, "values").items()
        ),
    ]


def _identities(found: Mapping[str, Any]) -> Iterator[Html]:
    models = list(dict.fromkeys(model for row in found.values() for model in section(row, "differences")))
    if not found:
        return
    body = [
        [
            str(row.get("what", name)),
            count(row.get("n")),
            value(row.get("largest"), 4),
            str(row.get("within", NONE)),
            count(row.get("beyond")),
            *(plain(section(row, "differences").get(model)) for model in models),
        ]
        for name, row in found.items()
    ]
    head = ["What must hold", "Models", "Largest difference", "Within", "Beyond it", *models]
    yield table("What must hold among the printed rates, and how far it does", head, body)


def _costs(found: Mapping[str, Any]) -> Iterator[Html]:
    body = [
        [str(name), *(plain(row.get(each), 2) for each in ("computed", "printed", "difference"))]
        for name, row in found.items()
    ]
    if body:
        head = ["Model", "Computed again", "Printed", "Difference"]
        yield table("The costs of Table S4, US dollars, computed again from printed tokens and prices", head, body)


def _inconsistencies(listed: Sequence[Mapping[str, Any]]) -> Iterator[Html]:
    lines = [
        join(
            [
                el("b", _verdict(each.get("contradicted"))),
                f" {each.get('says', '')}.",
                f" Printed: {spelled(each['found'])}." if each.get("found") else None,
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
    return f"Not decided by printed numbers ({reason(found)}):"


def _values(name: str, rows: Mapping[str, Any], source: Any) -> Html:
    metrics = list(dict.fromkeys(metric for row in rows.values() for metric in row))
    body = [[str(model), *(_number(section(row, metric)) for metric in metrics)] for model, row in rows.items()]
    caption = f"As printed: {name}" + (f" ({source})" if source else "")
    return folded(caption, table(caption, ["Of", *(metric.replace("_", " ") for metric in metrics)], body))


def _number(found: Mapping[str, Any]) -> Html:
    known, ends = number(found), span(found.get("interval"))
    shown = NONE if known is None else f"{known:,.10g}"
    return join([shown, el("span", f"({ends[0]:.2f}, {ends[1]:.2f})", class_="ci") if ends else None])
