"""The pages of a run's answers: a list by filter, words and order, and one answer whole, with what it rests on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.errors import DamageError, HarnessError
from harness.kit.hostile_texts import PART, block, name, short
from harness.kit.pages import Html, el, join
from harness.view.index import (
    AnswerIndex,
    AnswerPlaces,
    AnswerQuery,
    ListedAnswer,
    RowOrigin,
    index_path,
    is_fresh,
    number_in_address,
    prompt_words,
    read_row,
)
from harness.view.look import (
    copyable_commands,
    fact_list,
    outcome_badge,
    run_address,
    spell_outcome,
    spelled,
    table_element,
    void_element,
    whole_page,
)
from harness.view.runs import index_progress
from harness.view.site import Site, run_manifest_name

if TYPE_CHECKING:
    from harness.run.recording.taped_answers import TapedAnswer

LISTED = 500  # values of a filter
FILTERS = {"dataset": "dataset", "group": "group", "model": "model", "template": "wording", "outcome": "outcome",
           "scorer": "scorer"}  # fmt: skip
CHIPS = {"q": "words", "side": "right or wrong", "template": "wording", "error": "errors"}  # titles of filters
ORDERS = [("item", "as recorded"), ("low", "lowest score"), ("high", "highest score"), ("long", "most tokens")]


def answers_page(site: Site, run: str, given: Mapping[str, str]) -> bytes:
    """Return the HTML page with a table of a run's answers, filtered and sorted as `given` says."""
    called = run_manifest_name(site, site.begun(run))
    head = join(["Answers of ", name(called), " ", el("a", run, href=run_address(run), class_="mono small")])
    path = index_path(site.store, run)
    site.record(run)
    if not is_fresh(site.store, run, site.known(run).record):
        return whole_page(f"Answers of {called}", index_progress(site, run), head=head, here="/", again=True)
    asked = AnswerQuery.read(given)
    with AnswerIndex.opened(path) as index:
        found = index.page(asked)
        rows = [_row(run, one) for one in found.rows]
        form = _form(index, asked)
        kept = _kept(index)
    more = " or more" if found.more else ""
    counted = el("p", f"{found.total:,}{more} answers", _chips(asked), role="status")
    links = []
    if asked.after:
        links.append(el("a", "first page", href=asked.address(), rel="prev"))
    if found.next:
        links.append(el("a", "next page", href=asked.address(after=found.next), rel="next"))
    table = table_element(
        "Answers",
        ("item", "dataset", "model", "wording", "outcome", "score", "answer"),
        rows,
        numbers=(3, 5),
        wide=(6,),
        named=(1, 2),
    )
    parts = (kept, form, counted, table, el("p", *links, class_="pages") if links else None)
    return whole_page(f"Answers of {called}", *parts, head=head, here="/")


def _kept(index: AnswerIndex) -> Html | None:
    closed, left_out = index.document("closed"), index.document("left_out")
    if not closed:
        return None
    told = (f"{left_out.get(one, 0):,} answers to {one} are not shown: {why}" for one, why in sorted(closed.items()))
    return el("div", *(el("p", one) for one in told), class_="note")


def _row(run: str, one: ListedAnswer) -> Sequence[str]:
    address = run_address(run, "answers", str(one.id))
    value = "" if one.value is None else f"{one.value:.4g}"
    size = el("span", f" {one.size / 1e6:.1f} MB", class_="soft") if one.size > 1e6 else None
    shown = join([el("span", "error: ", class_="bad") if one.failed else None, short(one.beginning), size])
    sample = f" · {one.sample}" if one.sample else ""
    return (
        el("a", name(one.item), href=address),
        name(one.dataset),
        name(one.model),
        f"{one.template}{sample}",
        outcome_badge(one.outcome, one.side),
        value,
        shown,
    )


def _chips(asked: AnswerQuery) -> Html | None:
    told = {key: value for key, value in vars(asked).items() if value and key not in ("after", "sort", "within")}
    if not told:
        return None
    links = [
        el("a", f"{CHIPS.get(key, key)}: {spell_outcome(value)} ✕", href=asked.address(**{key: ""}), class_="badge",
           title="take this filter away")
        for key, value in told.items()
    ]  # fmt: skip
    return join([" · ", *links], " ")


def _form(index: AnswerIndex, asked: AnswerQuery) -> Html:
    """Return the form by which answers are chosen; its values stand in the address."""
    words = void_element(
        "input", type="search", name_="q", value=asked.q, id="q", placeholder='words, "a phrase", begin*'
    )
    parts = [_labelled("q", "words (press / to go here)", words, "words")]
    parts.append(
        _choice("within", "words are in", asked.within, [("answers", "answers"), ("prompts", "prompts")], any_one=False)
    )
    for key, title in FILTERS.items():
        values = index.facet(asked, key)[:LISTED]
        if len(values) > 1 or getattr(asked, key):
            options = [(value, f"{spell_outcome(value)} ({count:,})") for value, count in values]
            parts.append(_choice(key, title, getattr(asked, key), options))
    parts.append(_choice("side", "right or wrong", asked.side, [("wrong", "wrong"), ("right", "right")]))
    parts.append(_choice("error", "errors", asked.error, [("1", "only errors")]))
    parts.append(_choice("sort", "order", asked.sort, ORDERS, any_one=False))
    if asked.item:
        parts.append(void_element("input", type="hidden", name_="item", value=asked.item))
    parts.append(el("div", el("button", "Show", type="submit")))
    return el("form", *parts, class_="filter", method="get", role="search")


def _labelled(key: str, title: str, field: Html, kind: str = "") -> Html:
    return el("div", el("label", title, for_=key), field, class_=kind)


def _choice(key: str, title: str, chosen: str, options: Sequence[tuple[str, str]], *, any_one: bool = True) -> Html:
    listed = [("", "any"), *options] if any_one else list(options)
    made = [el("option", text, value=value, **({"selected": ""} if value == chosen else {})) for value, text in listed]
    return _labelled(key, title, el("select", *made, name_=key, id=key))


def answer_page(site: Site, run: str, said: str, given: Mapping[str, str]) -> bytes:
    """Return the HTML page of one answer of a run, which `said` gives by its number."""
    number, begin = number_in_address(said), number_in_address(given.get("from") or "0")
    path = index_path(site.store, run)
    if not is_fresh(site.store, run, site.known(run).record):
        return whole_page("Answer", index_progress(site, run), here="/", again=True)
    with AnswerIndex.opened(path) as index:
        found = index.answer(number, given.get("scorer", "")[:200])
    one, parts = found.listed, AnswerParts(site, found)
    head = join([name(one.item), " ", el("span", f"answered by {one.model} · wording {one.template}", class_="soft")])
    around = el(
        "p",
        el("a", "all answers", href=run_address(run, "answers")),
        *(
            _beside(run, number + step, word, rel)
            for step, word, rel in ((-1, "previous answer", "prev"), (1, "next answer", "next"))
        ),
        class_="pages",
    )
    told = fact_list(
        {
            "outcome": outcome_badge(one.outcome, one.side),
            "dataset": name(one.dataset),
            "sample": f"{one.sample + 1:,}, counted from 1" if one.sample else "",
            "why it ended": one.finish,
            "tokens": parts.tokens,
            "made by the step": el("code", parts.step) if parts.step else "",
            "key of the step": el("code", parts.key) if parts.key else "",
            "where it is in the store": el("code", parts.place) if parts.place else "",
        }
    )
    return whole_page(
        one.item,
        around,
        told,
        *parts.texts(begin),
        *_recorded(site, run, parts),
        *_checks(run, parts),
        *_others(run, found),
        head=head,
        here="/",
    )


def _beside(run: str, number: int, word: str, rel: str) -> Html | None:
    return el("a", word, href=run_address(run, "answers", str(number)), rel=rel) if number > 0 else None


class AnswerParts:
    """The rows that belong to one answer (item, prompt, response, scores), read from the store's blobs."""

    def __init__(self, site: Site, found: AnswerPlaces) -> None:
        self._site, self._found = site, found
        self.response = self._row(found.response) or {}
        one, told = found.listed, self.response
        if told and (told["item"], told["template"], told["model"]) != (one.item, one.template, one.model):
            raise DamageError("the index names another answer than this", next="remove the index; a look makes it anew")

    def _row(self, place: RowOrigin | None) -> Any:
        return read_row(self._site.store, place.sha256, place.at, place.size) if place else None

    def row_of_prompt(self) -> Any:
        """Return the prompt's row; None if the run has none."""
        return self._row(self._found.prompt)

    def row_of_gold(self) -> Any:
        """Return the right answer to the item; None if the run has none."""
        row = self._row(self._found.gold)
        return row["gold"] if row else None

    @property
    def step(self) -> str:
        """The step that made the answer, or its score if nothing was answered."""
        place = self._found.response or next(iter(self._found.scores.values()), None)
        return place.step if place else ""

    @property
    def key(self) -> str:
        """The key of the step that made the answer, or its score if nothing was answered."""
        place = self._found.response or next(iter(self._found.scores.values()), None)
        return place.key if place else ""

    @property
    def place(self) -> str:
        """The blob and the bytes in it where the answer's row is, as text."""
        place = self._found.response
        return f"blob {place.sha256[:16]}…, bytes {place.at:,} to {place.at + place.size:,}" if place else ""

    @property
    def tokens(self) -> str:
        """The numbers of tokens that the answer took, as text."""
        return ", ".join(
            f"{count:,} {kind.removesuffix('_tokens').replace('_', ' ')}"
            for kind, count in self.response.get("usage", {}).items()
        )

    def taped(self, manifest: str) -> TapedAnswer | None:
        """Return the line of a tape that the answer came from; None if it came from no model elsewhere.

        `manifest` is the digest of the run's manifest. Raises MissingError, which says why, if no line can be told.
        """
        place, store = self._found.response, self._site.store
        entry = store.entries.get(place.key) if place and place.key else None
        if entry is None or "inference" not in entry.outputs:  # no model elsewhere was asked
            return None
        from harness.run.recording.taped_answers import find_taped_answer  # noqa: PLC0415 - heavy

        return find_taped_answer(store, self._site.root, manifest, entry.preimage, self.response)

    def texts(self, begin: int, more: str = "?from=", *, blind: bool = False) -> Iterator[Html]:
        """Yield the texts of the answer, each as an HTML box; `blind` leaves out reasoning, scores and judgements.

        `more` is the address of a later part of a long text, up to the letter at which it begins.
        """
        prompt, item, gold = (self._row(place) for place in (self._found.prompt, self._found.item, self._found.gold))
        if prompt is not None:
            yield el("h2", "Prompt")
            yield block(prompt_words(prompt), "prompt")
            if images := len(prompt.get("attachments", ())):
                yield el("p", f"with {images} images, which are not shown here", class_="soft")
        if not blind and (reasoning := self.response.get("reasoning")):
            yield el("h2", "Reasoning")
            yield block(str(reasoning), "reasoning", begin, f"{more}{begin + PART}")
        if self.response:
            failed = self.response.get("error")
            yield el("h2", "Answer" if failed is None else "Error in place of an answer")
            said = str(self.response.get("text", "") if failed is None else failed)
            yield block(said, "answer", begin, f"{more}{begin + PART}")
        if gold is not None:
            yield el("h2", "Right answer")
            target = gold["gold"].get("target")
            yield block(
                target if isinstance(target, str) else json.dumps(gold["gold"], ensure_ascii=False, indent=1),
                "right answer",
            )
            if isinstance(target, str) and len(gold["gold"]) > 1:
                yield _folded("All of it", block(_spelled(gold["gold"]), "gold"))
        for scorer, place in () if blind else self._found.scores.items():
            score = self._row(place)
            yield el("h2", "Score by ", name(scorer))
            yield fact_list(
                {
                    "value": short(_spelled(score["value"], None)),
                    "outcome": spell_outcome(str(score.get("outcome", ""))),
                    "made by the step": el("code", place.step),
                    "key of the step": el("code", place.key),
                }
            )
            yield _folded("What the scorer noted", block(_spelled(score["detail"]), f"details of {scorer}"))
        for place in () if blind else self._found.judgements:
            judged = self._row(place)
            yield el("h2", "Judgement by ", name(str(judged.get("judge", ""))))
            yield fact_list(
                {"repeat": str(judged.get("repeat", "")), "read as": short(_spelled(judged.get("parsed"), None), 400)}
            )
            yield block(str(judged.get("error") or judged.get("text", "")), "judgement")
        if item is not None:
            yield _folded("The item", block(_spelled(item), "item"))


def _spelled(said: Any, indent: int | None = 1) -> str:
    return json.dumps(said, ensure_ascii=False, indent=indent)


def _folded(title: str, inside: Html) -> Html:
    return el("details", el("summary", title), inside)


def _checks(run: str, parts: AnswerParts) -> Iterator[Html]:
    if parts.step:
        yield el("h2", "Check it yourself")
        yield copyable_commands(
            (spelled("explain", run, parts.step), spelled("audit", run, options=("--level", "rescore")))
        )


def _recorded(site: Site, run: str, parts: AnswerParts) -> Iterator[Html]:
    """Yield the line of the tape that an answer came from, or why none can be told; nothing of other models."""
    try:
        found = parts.taped(str(site.record(run).body["manifest"]))
    except HarnessError as bad:
        yield el("h2", "Recorded exchange")
        yield el("p", f"It cannot be told which line of a tape this answer came from: {bad.what}.", class_="note")
        return
    if found is None:
        return
    pins = {True: "yes", False: "no: the tape has changed since", None: "no: the lock pins no tape"}
    yield el("h2", "Recorded exchange")
    yield fact_list(
        {
            "tape": el("code", found.folder),
            "line": join([f"{found.line:,} of ", el("code", found.segment)]),
            "digest of the line": el("code", found.own),
            "digest of the request": el("code", found.request),
            "which answer to it": f"{found.repeat + 1:,}, counted from 1" if found.repeat else "",
            "recorded": found.at,
            "server": name(found.server) if found.server else "the line names none",
            "answered as": name(found.model),
            "pinned by the lock": pins[found.pinned],
        }
    )
    repeat = ("--repeat", str(found.repeat)) if found.repeat else ()
    yield copyable_commands(
        (spelled("tape find", found.folder, found.request, options=repeat), spelled("tape verify", found.folder))
    )


def _others(run: str, found: AnswerPlaces) -> Iterator[Html]:
    if found.others:
        yield el("h2", "Other answers to this item")
        head = ("item", "dataset", "model", "wording", "outcome", "score", "answer")
        rows = [_row(run, one) for one in found.others]
        yield table_element(
            "By other models, and in other wordings", head, rows, numbers=(3, 5), wide=(6,), named=(1, 2)
        )
