"""The pages of `view --label`: answers in a drawn order, without model and score, and what a person says of each.

While somebody labels, no other page is served, so that nothing tells which model answered or what the scorer says. How
both agree is shown once the labeller has finished, and from then on no label is added.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from harness.digest import sha256
from harness.errors import InputError
from harness.kit.hostile_texts import name
from harness.kit.pages import Html, el, join
from harness.store.notes import (
    Labels,
    RowPlace,
    add_label,
    answer_id,
    begin_labels,
    close_labels,
    labels_path,
    read_labels,
)
from harness.view.answers import AnswerParts
from harness.view.index import AnswerIndex, hidden_state, index_path, is_fresh, number_in_address
from harness.view.look import (
    copyable_commands,
    fact_list,
    progress_element,
    run_address,
    spell_outcome,
    spelled,
    table_element,
    void_element,
    whole_page,
)
from harness.view.runs import index_progress
from harness.view.site import Site, run_manifest_name

PAGES = (("/", "Label"),)
LISTED = 100  # runs on the first page
DIFFERING = 300  # answers on which labeller and scorer differ, on a page
ABOUT = "Neither the model nor any score is shown. What you say is kept in this store, and compared once you finish."


@dataclass(frozen=True)
class Desk:
    """The labelling of one run's answers by one person, in the terms of one scorer."""

    site: Site
    run: str
    scorer: str
    order: Sequence[tuple[RowPlace, int]]  # in which answers are shown, each with its number in the index
    labels: Labels

    @classmethod
    def at(cls, site: Site, run: str, scorer: str) -> Desk | None:
        """Return the labelling of a run for a scorer, as far as it has come; None while the run has no index."""
        path, known = index_path(site.store, run), site.known(run)
        site.record(run)
        if not is_fresh(site.store, run, known.record):
            return None
        key = (run, scorer, hidden_state(site.store))
        if key not in site.drawn:
            kept = site.closed(run)
            with AnswerIndex.opened(path) as index:
                rows = index.scored_rows(scorer)
            seed = sha256(f"{known.record} {site.labeller} {scorer}".encode())
            drawn = sorted((sha256(f"{seed} {blob} {at}".encode()), blob, at, number)
                           for blob, at, number, dataset in rows if dataset not in kept)  # fmt: skip
            site.drawn[key] = [(RowPlace(sys.intern(blob), at), number) for _, blob, at, number in drawn]
        labels = read_labels(site.store, labels_path(site.store, run, site.labeller, scorer))
        return cls(site, run, scorer, site.drawn[key], labels)

    @property
    def next(self) -> int | None:
        """The place of the first answer without a label, from 1; None if all have one."""
        return next((n for n, (place, _) in enumerate(self.order, 1) if place not in self.labels.given), None)

    def address(self, *more: str, **query: object) -> str:
        """Return the URL path of the page on which these answers are labelled, or of a page below it."""
        return label_address(self.run, self.scorer, *more) + (f"?{urlencode(query)}" if query else "")

    def at_place(self, said: str) -> int:
        """Return the position of the answer that a URL names; raise InputError if it names none."""
        place = int(said) if said.isdecimal() and len(said) < 10 else 0
        if not 1 <= place <= len(self.order):
            raise InputError("no answer has this place", next="open the page of this run again")
        return place


def label_address(*parts: str) -> str:
    """Return the URL path of a page on which a run's answers are labelled; `parts` follow in the path."""
    return run_address(*parts).replace("/runs/", "/label/", 1)


def desks_page(site: Site) -> bytes:
    """Return the HTML page that lists the runs whose answers may be labelled, newest first."""
    rows = []
    for known in list(reversed(site.runs().values()))[:LISTED]:
        if known.ended:
            link = el("a", known.run, href=label_address(known.run), class_="mono")
            rows.append((link, name(run_manifest_name(site, site.begun(known.run)))))
    told = el("p", f"You label as {site.labeller}. {ABOUT}", class_="note")
    return whole_page(
        "Label answers", told, table_element("Runs, newest first", ("run", "manifest"), rows), navigation=PAGES
    )


def run_desks_page(site: Site, run: str) -> bytes:
    """Return the HTML page that lists the scorers of a run in whose terms its answers may be labelled."""
    path = index_path(site.store, run)
    site.record(run)
    if not is_fresh(site.store, run, site.known(run).record):
        return whole_page("Label answers", index_progress(site, run), again=True, navigation=PAGES)
    with AnswerIndex.opened(path) as index:
        scorers = index.of_kind("scorer")
    rows = []
    for scorer in scorers:
        desk = Desk.at(site, run, scorer)
        if desk is None or not desk.order:
            continue
        state = "finished" if desk.labels.closed else f"{len(desk.labels.given):,} given"
        link = el("a", name(scorer), href=desk.address(*(("agreement",) if desk.labels.closed else ())))
        rows.append((link, f"{len(desk.order):,}", state))
    none = None if rows else el("p", "No answer of this run may be shown, or none has a score.", class_="note")
    table = table_element("Scorers whose labels you can give", ("scorer", "answers", "your labels"), rows, numbers=(1,))
    head = join(["Label answers of ", name(run_manifest_name(site, site.begun(run)))])
    return whole_page("Label answers", _up(("/", "all runs")), none, table, head=head, navigation=PAGES)


def desk_page(site: Site, run: str, scorer: str, given: Mapping[str, str]) -> bytes:
    """Return the HTML page with the next answer to label, or with the one that the URL names."""
    desk = Desk.at(site, run, scorer)
    if desk is None:
        return whole_page("Label answers", index_progress(site, run), again=True, navigation=PAGES)
    if not desk.order:
        raise InputError("no answer of this run has a score by this scorer that may be shown", where=scorer[:80],
                         next="choose another scorer")  # fmt: skip
    done = len(desk.labels.given)
    begin = number_in_address(given.get("from") or "0")
    told = el("p", f"{done:,} of {len(desk.order):,} labelled as {site.labeller}", role="status")
    place = desk.at_place(given["place"]) if "place" in given else desk.next
    if desk.labels.closed:
        up = _up((label_address(run), "back to the run"), (desk.address("agreement"), "how the scorer agrees"))
        texts = _texts(desk, place, begin, f"{desk.address(place=place)}&from=") if place and "place" in given else ()
        return whole_page("Finished", up, told, *texts, navigation=PAGES)
    up = _up((label_address(run), "back to the run"))
    if place is None:
        words = el("p", "Every answer has a label.", class_="note")
        return whole_page("Label answers", up, told, words, _finish(desk), navigation=PAGES)
    parts = [
        up,
        told,
        *_texts(desk, place, begin, f"{desk.address(place=place)}&from="),
        _form(desk, place),
        _around(desk, place),
    ]
    return whole_page(
        f"Answer {place:,} of {len(desk.order):,}", *parts, _finish(desk) if done else None, navigation=PAGES
    )


def _texts(desk: Desk, place: int, begin: int, more: str) -> Sequence[Html]:
    with AnswerIndex.opened(index_path(desk.site.store, desk.run)) as index:
        found = index.answer(desk.order[place - 1][1])
    return list(AnswerParts(desk.site, found).texts(begin, more, blind=True))


def _up(*links: tuple[str, str]) -> Html:
    return el("p", *(el("a", words, href=address) for address, words in links), class_="pages")


def _labels(desk: Desk) -> Sequence[str]:
    from harness.verbs.labelling import possible_labels  # noqa: PLC0415 - heavy, and only needed by who labels

    return possible_labels(desk.scorer)


def _form(desk: Desk, place: int, other: str = "") -> Html:
    """Return the buttons by which an answer gets its label; `other` is one that it was given meanwhile."""
    said = desk.labels.given.get(desk.order[place - 1][0], "")
    buttons = [
        el("button", f"{spell_outcome(one)} ", el("kbd", str(number)), name_="label", value=one, type="submit",
           data_key=str(number), class_="label", aria_pressed="true" if one == said else "false")
        for number, one in enumerate(_labels(desk), 1)
    ]  # fmt: skip
    words = f"It is labelled {other or said}." if other or said else "What do you say of this answer?"
    return _post(desk.address(), el("p", words), el("div", *buttons, class_="labels"),
                 void_element("input", type="hidden", name_="place", value=str(place)),
                 void_element("input", type="hidden", name_="instead", value="1" if said or other else ""),
                 desk=desk, label="Label")  # fmt: skip


def _post(address: str, *inside: Html, desk: Desk, label: str) -> Html:
    token = void_element("input", type="hidden", name_="token", value=desk.site.token)
    return el("form", *inside, token, method="post", action=address, class_="say", aria_label=label)


def _finish(desk: Desk) -> Html:
    words = el("p", "Finish to see how the scorer agrees. After that no label is added or changed.")
    return _post(desk.address("finish"), words, el("button", "Finish", type="submit"), desk=desk, label="Finish")


def _around(desk: Desk, place: int) -> Html:
    links = [(word, at, rel) for word, at, rel in (("previous", place - 1, "prev"), ("next", place + 1, "next"))
             if 1 <= at <= len(desk.order)]  # fmt: skip
    return el("p", *(el("a", word, href=desk.address(place=at), rel=rel) for word, at, rel in links), class_="pages")


def take_label(site: Site, run: str, scorer: str, given: Mapping[str, str]) -> tuple[str, bytes]:
    """Store a label; return the URL of the next page, or a page that asks whether to replace another label."""
    desk = _open_desk(site, run, scorer)
    place = desk.at_place(given.get("place", ""))
    told = {"run": run, "record": site.known(run).record, "labeller": site.labeller, "scorer": scorer}
    begin_labels(site.store, desk.labels.path, {**told, "labels": list(_labels(desk))})
    row = desk.order[place - 1][0]
    other = add_label(site.store, desk.labels.path, row, given.get("label", ""), instead=given.get("instead") == "1")
    if not other:
        return desk.address(), b""
    note = el("p", f"This answer was labelled {other} in another window. Say it again to replace that.", class_="note")
    return "", whole_page(
        "Labelled meanwhile", note, *_texts(desk, place, 0, ""), _form(desk, place, other), navigation=PAGES
    )


def finish_labels(site: Site, run: str, scorer: str, _: Mapping[str, str]) -> str:
    """Close a person's labels of a run, and return the URL of the page on the scorer's agreement with them."""
    desk = _open_desk(site, run, scorer)
    close_labels(site.store, desk.labels.path)
    return desk.address("agreement")


def _open_desk(site: Site, run: str, scorer: str) -> Desk:
    desk = Desk.at(site, run, scorer)
    if desk is None:
        raise InputError("this run has no index yet", next="open its page again")
    return desk


def agreement_page(site: Site, run: str, scorer: str) -> bytes:
    """Return the HTML page on how a scorer agrees with a person's labels, once these are closed."""
    path = labels_path(site.store, run, site.labeller, scorer)
    if not read_labels(site.store, path).closed:
        raise InputError("this is shown once you have finished", next="label answers, and press `Finish`")
    words = ("agreement", str(site.store.root), str(path.relative_to(site.store.root)))
    job = site.jobs.start(*words)
    if job.over and job.error:
        return whole_page("How the scorer agrees", el("p", job.error, class_="note bad"), navigation=PAGES)
    if "told" not in job.said:
        live = f"/working?{urlencode([('word', one) for one in job.words])}"
        return whole_page("How the scorer agrees", progress_element(job.text, live), again=True, navigation=PAGES)
    told: Mapping[str, Any] = job.said["told"]
    shown = fact_list({
        "labelled": f"{told['labelled']:,} answers, by {site.labeller}",
        "Cohen's kappa": f"{told['kappa']} (1: always the same; 0: as by chance; in brackets its 95 % interval)",
        "same label": told["equal"],
        "not judged by the scorer": f"{told['without_verdict']:,}" if told["without_verdict"] else "",
    })  # fmt: skip
    matrix = [
        (spell_outcome(label), *(f"{count:,}" for count in row.values())) for label, row in told["matrix"].items()
    ]
    head = ("you", *map(spell_outcome, next(iter(told["matrix"].values()), {})))
    table = table_element(
        "Answers by your label (rows) and the scorer's (columns)", head, matrix, numbers=range(1, len(head)), flow=False
    )
    desk = _open_desk(site, run, scorer)
    places = {answer_id(row): place for place, (row, _) in enumerate(desk.order, 1)}
    differ = [
        (el("a", one["id"], href=desk.address(place=places.get(one["id"], 1))), one["label"], one["verdict"])
        for one in told["differ"][:DIFFERING]
    ]
    rest = (
        table_element("Answers on which you differ", ("answer", "you", "scorer"), differ, named=(1, 2))
        if differ
        else None
    )
    export = copyable_commands((spelled("export", run, options=("--labels", "labels")),))
    note = el("p", "To write your labels as a file for ", el("code", "harness certify --others"), ":", class_="soft")
    return whole_page(
        "How the scorer agrees", _up(("/", "all runs")), shown, table, rest, note, export, navigation=PAGES
    )
