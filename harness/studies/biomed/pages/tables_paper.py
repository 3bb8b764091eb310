"""Tables S11, S1 and S4 of the paper with the models of this run, and the file of statistics.

Shows none of the numbers that the paper prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.kit.documents import number, section, span
from harness.kit.pages import NONE, Html, count, el, folded, join, named, table, value
from harness.studies.biomed.pages.fragments import about, lined, plain, rated
from harness.studies.biomed.pages.page_facts import ENCODER, PageFacts
from harness.studies.biomed.terms import PAPER

S11: Mapping[str, str] = {
    "BioScore": "BioScore",
    "AR": "AR",
    "RQR": "Response Quality Rate",
    "SR": "Safety Rate",
}
TEXTS = ("BLEU", "ROUGE2", "ROUGEL", "BERTScore")
FORM: Mapping[str, str] = {
    PAPER: "value (interval by the published recipe)",
    "strict": "value (interval A, OURS; the interval T stands at the top of the page)",
}
COSTS = "Table S4: what the answers of this run would cost at published prices, in US dollars (OURS: a lower bound)"
Documents = Mapping[str, Mapping[str, Any]]


def paper_tables(run: PageFacts, given: Documents) -> list[Html]:
    """Return both halves of Table S11, Tables S1 and S4, and the file of statistics, each if its document is there."""
    return [
        *_bioscore(run, given["performance"]),
        *_texts(run, given["texts"]),
        *_statistics(run, given["dataset"], given["tokens"]),
        *_costs(run, given["costs"]),
    ]


def _form(run: PageFacts) -> str:
    return FORM.get(run.mode, FORM["strict"])


def _printed(run: PageFacts, found: Mapping[str, Any]) -> str:
    """Format a value as the published table does; paper mode prints a missing value as nan, as published."""
    known = number(found)
    lacking = "nan" if run.mode == PAPER else NONE
    ends = span(section(found, "official" if run.mode == PAPER else "rows").get("interval"))
    shown = lacking if known is None else f"{known:.2f}"
    return f"{shown} ({', '.join(f'{end:.2f}' for end in ends) if ends else f'{lacking}, {lacking}'})"


def _bioscore(run: PageFacts, document: Mapping[str, Any]) -> Iterator[Html]:
    found = section(document, "graders", run.counting, "models")
    if found:
        body = [
            [named(model), *(_printed(run, section(found, model, "rates", name)) for name in S11)]
            for model in run.models
        ]
        caption = f"Table S11, first half, of this run: {_form(run)}; graded by {run.counting}"
        yield table(caption, ["Model", *S11.values()], body)


def _texts(run: PageFacts, document: Mapping[str, Any]) -> Iterator[Html]:
    found = section(document, "metrics")
    metrics = [name for name in TEXTS if name in found]
    if metrics:
        body = [
            [
                named(model),
                *(_text(run, section(found, name, model)) for name in metrics),
                *(count(section(found, metrics[0], model).get(each)) for each in ("n", "n_missing")),
            ]
            for model in run.models
        ]
        form = _form(run) if run.mode == PAPER else "values with the intervals A and T, as at the top of the page"
        caption = f"Table S11, second half, of this run: {form}"
        yield table(caption, ["Model", *metrics, "Answers", "Without a value"], body)
        words = str(section(document, "about").get("text metrics", ""))
        yield el("p", f"Text metrics: {words}.", class_="soft") if words else join([])
    if document and "BERTScore" not in metrics:
        why = "no encoder is part of this run" if ENCODER not in run.instruments else "no answer has one"
        yield el("p", f"BERTScore is not here: {why}.", class_="soft")
    elif metrics:
        yield el("p", f"BERTScore by the encoder {run.instruments.get(ENCODER, NONE)[:100]}.", class_="soft")


def _text(run: PageFacts, found: Mapping[str, Any]) -> str:
    return _printed(run, found) if run.mode == PAPER else rated(found)


def _statistics(run: PageFacts, dataset: Mapping[str, Any], tokens: Mapping[str, Any]) -> Iterator[Html]:
    if dataset:
        labels = {kind: section(dataset, "labels", kind).get("counts") or [] for kind in ("biological", "reasoning")}
        body: list[Sequence[str]] = [
            ["Questions", count(dataset.get("n"))],
            ["Templates", count(dataset.get("n_templates"))],
            *([f"{kind.capitalize()} categories", count(len(each))] for kind, each in labels.items()),
        ]
        for name in ("question", "answer"):
            if own := section(tokens, name):
                body.append([f"Length of the {name}s: median", plain(own.get("median"), 1)])
                body.append([f"Length of the {name}s: sum", count(own.get("sum"))])
        yield table("Table S1, of this run", ["What", "This run"], body)
    if tokens:
        yield el("p", f"Lengths are counted in {tokens.get('counter', NONE)}.", class_="soft")
        yield from _lengths(run, tokens)


def _lengths(run: PageFacts, tokens: Mapping[str, Any]) -> Iterator[Html]:
    found = section(tokens, "responses")
    body = [
        [
            named(model),
            *(count(section(found, model).get(name)) for name in ("n", "sum")),
            plain(section(found, model).get("median"), 1),
            count(section(found, model).get("n_errors")),
        ]
        for model in run.models
    ]
    yield folded(
        "Lengths of the answers",
        table("Lengths of the answers, by model", ["Model", "Answers", "Sum", "Median", "Errors"], body),
    )
    lines = tokens.get("statistics")
    if isinstance(lines, str):
        title = "The file of statistics, in the published form"
        yield folded(title, lined(title, lines))


def _costs(run: PageFacts, document: Mapping[str, Any]) -> Iterator[Html]:
    found = section(document, "models")
    if not found:
        return
    parts = ("requests", "system", "question", "response")
    body = [
        [
            named(model),
            *(count(section(found, model).get(name)) for name in parts),
            value(section(found, model).get("usd"), 4),
        ]
        for model in run.models
    ]
    head = ["Model", "Requests", "Words of system prompts", "Words of questions", "Words of answers", "US dollars"]
    yield table(COSTS, head, body)
    yield el("p", f"Lengths are {document.get('counter', NONE)}; a vocabulary's tokens are more.", class_="soft")
    yield about(
        {name: words for name, words in section(document, "about").items() if name in ("cost", "paper")},
        {"paper": "system prompts"},
    )
