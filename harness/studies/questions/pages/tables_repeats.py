"""The tables on several answers to one question: wordings and their spread, pass@k, majorities, perplexities.

Uses the summary and the texts of the wordings; computes no values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit import pages
from harness.kit.documents import number, reason
from harness.kit.pages import NONE, Html, bullets, el, folded, join, named, table
from harness.studies.questions.pages.fragments import at, measured, place, who
from harness.studies.questions.pages.page_facts import QuestionsFacts

LONGEST = 4000  # characters of a wording that are shown
MOST = 50  # wordings of a dataset that are shown
Told = tuple[str, str, str, Mapping[str, Any]]  # model, dataset, scorer, and their entry in the summary


def told(summary: Mapping[str, Any], part: str) -> Iterator[Told]:
    """Yield the entries of a part of the summary that is nested by model, dataset and scorer."""
    for model, datasets in at(summary, part).items():
        for dataset, scorers in datasets.items():
            for scorer, found in scorers.items():
                yield model, dataset, scorer, found


def wordings(run: QuestionsFacts, summary: Mapping[str, Any]) -> list[Html]:
    """Return the wordings as they were written and, if there are several, tables with the mean of each."""
    by_place: dict[tuple[str, str], list[tuple[str, Mapping[str, Any]]]] = {}
    for model, dataset, scorer, found in told(summary, "wordings"):
        by_place.setdefault((dataset, scorer), []).append((model, found))
    return [*_texts(run), *(_means(run, *key, lines) for key, lines in by_place.items())]


def _texts(run: QuestionsFacts) -> list[Html]:
    rows = run.wordings
    shown = [
        join([el("p", f"Wording {row.get('id')}"), *(_turn(role, text) for role, text in _turns(row))])
        for row in rows[:MOST]
    ]
    more = el("p", f"And {len(rows) - MOST} more.") if len(rows) > MOST else None
    return shown if len(rows) == 1 else [folded(f"{len(rows)} wordings", *shown, more)] if rows else []


def _turns(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "text" in row:
        yield "", str(row["text"])
    for turn in row.get("turns", ()):
        yield from ((str(role), str(text)) for role, text in turn.items())
    if row.get("shot") is not None:
        yield "each example", str(row["shot"])


def _turn(role: str, text: str) -> Html:
    cut = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return join([el("p", role, class_="soft") if role else None, el("div", el("pre", cut), class_="scroll")])


def _means(run: QuestionsFacts, dataset: str, scorer: str, lines: list[tuple[str, Mapping[str, Any]]]) -> Html:
    names = sorted({name for _, found in lines for name in at(found, "by_wording")}, key=int)
    scale = 100 if run.in_percent(scorer) else 1
    body = []
    for model, found in lines:
        means = at(found, "by_wording")
        each = (measured(means[name], percent=scale > 1) if name in means else join([NONE]) for name in names)
        spread = at(found, "spread")
        body.append([who(run, model), pages.value(spread.get("range"), 3 - scale // 50, scale), *each])
    head = ["Model", "Best less worst", *(f"Wording {name}" for name in names)]
    return table(join([f"{dataset}, ", named(scorer), ": the mean of each wording"]), head, body)


def samples(run: QuestionsFacts, summary: Mapping[str, Any]) -> list[Html]:
    """Return the table of pass@k and the majority's score, if prompts have several scored answers."""
    lines = list(told(summary, "samples"))
    sizes = sorted({int(k) for *_, found in lines for k in at(found, "pass_at")})
    body = [
        [
            place(model, dataset, scorer),
            pages.count(found.get("most")),
            *(_estimate(found.get("pass_at"), str(k)) for k in sizes),
            _majority(run, scorer, found),
        ]
        for model, dataset, scorer, found in lines
    ]
    head = ["Model, dataset and scorer", "Answers", *(f"pass@{k}" for k in sizes), "Majority"]
    note = (
        "pass@k is the chance that one of k answers is right, estimated without bias; prompts with fewer scored "
        "answers are left out of it. The majority is what most answers to a prompt say; of several that tie, each "
        "counts alike."
    )
    return [table("Several answers to each prompt", head, body), el("p", note, class_="soft")] if lines else []


def _estimate(found: Any, k: str) -> Html:
    line = at(found, k)
    if not line:
        return join([NONE, el("span", reason(found)[:120], class_="why") if "missing" in at(found) else None])
    out = number(line.get("left_out"))
    return join([measured(line, percent=True), el("span", f"{out:,.0f} left out", class_="ci") if out else None])


def _majority(run: QuestionsFacts, scorer: str, found: Mapping[str, Any]) -> Html:
    line = at(found, "majority")
    if not line:
        return join([NONE, el("span", reason(found.get("majority"))[:120], class_="why")])
    ties = f"{number(line.get('ties')) or 0:,.0f} ties"
    return join([measured(line, percent=run.in_percent(scorer)), el("span", ties, class_="ci")])


def perplexities(summary: Mapping[str, Any]) -> list[Html]:
    """Return the table with the perplexity of all texts of a dataset together."""
    units = ("token", "word", "byte")
    body = [
        [
            place(model, dataset),
            *(pages.value(found.get(f"{unit}_perplexity"), 3) for unit in units),
            pages.value(found.get("bits_per_byte"), 4),
            *(pages.count(found.get(f"{unit}s")) for unit in units),
        ]
        for model, dataset, _, found in told(summary, "perplexity")
    ]
    head = ["Model and dataset", "By token", "By word", "By byte", "Bits a byte", "Tokens", "Words", "Bytes"]
    note = "Each token counts once, so long texts count more than short ones; models with other tokens compare by byte."
    return [table("Perplexity of all texts together", head, body), bullets([note])] if body else []
