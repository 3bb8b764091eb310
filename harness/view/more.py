"""The pages beside those of runs: two runs or models compared, claims, attempts with their transcripts, and doctor."""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from harness.errors import HarnessError, InputError
from harness.kit.hostile_texts import block, compared, name, short, visible
from harness.kit.pages import NONE, Html, el, join
from harness.store.attempts import find_attempt, follow_transcript
from harness.store.journal import AttemptEvent
from harness.view.answers import AnswerParts
from harness.view.index import (
    AnswerIndex,
    MovedRow,
    comparison_path,
    index_path,
    is_fresh,
    number_in_address,
    prompt_words,
    read_comparison,
    was_made_here,
)
from harness.view.look import (
    copyable_commands,
    fact_list,
    outcome_badge,
    progress_element,
    run_address,
    spelled,
    table_element,
    verdict_badge,
    void_element,
    whole_page,
    with_code,
)
from harness.view.runs import index_progress
from harness.view.site import Job, Site, run_manifest_name

OFFERED = 100  # runs that are offered for comparison
LISTED = 300  # lines of a page
AGREE = {"bytes": "in every byte", "decisions": "in every score", "numbers": "but for last digits", "differs": "no"}
COMPARE = (
    "Two runs are compared by the answers to the same items. Choose two runs, and all models that both have are "
    "compared; or one run, and two of its models by their names."
)
EVENTS = 400  # lines of a transcript on one page


def _waits(title: str, job: Job, here: str) -> bytes:
    if job.over and job.error:
        return whole_page(title, el("p", job.error, class_="note bad"), here=here)
    live = f"/working?{urlencode([('word', one) for one in job.words])}"
    bar = progress_element(job.text, live, int(job.said.get("done", 0)), int(job.said.get("total", 0)))
    return whole_page(title, bar, here=here, again=True)


# Compare


def compare_page(site: Site, given: Mapping[str, str]) -> bytes:
    """Return the HTML page that compares two runs, or two models, or the form that asks for them."""
    left, right = given.get("left", "")[:100], given.get("right", "")[:100]
    models = tuple(one for one in (given.get("left_model", "")[:200], given.get("right_model", "")[:200]) if one)
    form = _choose(site, given)
    if not left or not (right or len(models) == 2):
        return whole_page("Compare", el("p", COMPARE), form, here="/compare")
    runs = (left, right or left)
    for run in runs:
        site.record(run)
    if len(models) == 1:
        models = (models[0], models[0])
    path = comparison_path(site.store, runs, [site.known(run).record for run in runs], models)
    words = ("compare", str(site.store.root), *runs, *models)
    if not was_made_here(site.store, path):
        job = site.jobs.start(*words)
        if not job.over or job.error:
            return _waits("Compare", job, "/compare") if not job.error else whole_page(
                "Compare", form, el("p", job.error, class_="note bad"), here="/compare"
            )  # fmt: skip
        site.jobs.forget(*words)
        return whole_page("Compare", form, el("p", "open this page again", class_="note"), here="/compare", again=True)
    after = number_in_address(given.get("after") or "0")
    found = read_comparison(path, after)
    lacking = [
        index_progress(site, run)  # without it no answer is shown beside the scores
        for run in dict.fromkeys(runs)
        if not is_fresh(site.store, run, site.known(run).record)
    ]
    following = {name: value for name, value in given.items() if name != "after"} | {"after": str(found.next)}
    parts = [
        form,
        _sides(site, runs, models),
        *(el("p", one, class_="note") for one in found.told["remarks"]),
        table_element(
            "Differences over the same items, right minus left; p (Holm) is corrected for the number of lines",
            (
                "models",
                "dataset",
                "score",
                "pairs",
                "left",
                "right",
                "difference",
                "95 % interval",
                "p",
                "p (Holm)",
                "better left : right",
            ),
            [_line(one) for one in found.told["lines"]],
            numbers=(3, 4, 5, 6, 7, 8, 9, 10),
        ),
        _reason(found.told, _prompts(site, runs, found.rows)),
        el("h2", "Items with another score on each side"),
        el("p", _moved_words(found.told)),
        _left_out(found.told),
        *lacking,
        table_element(
            "Items with another score, those that changed between right and wrong first",
            (
                "item",
                "models",
                "dataset",
                "wording",
                "scorer",
                "left",
                "right",
                "left answer",
                "right answer",
                "right or wrong",
            ),
            _moved_rows(site, runs, found.rows),
            numbers=(3, 5, 6),
            wide=(7, 8),
            named=(7, 8),
        ),
        el("p", el("a", "next page", href=f"/compare?{urlencode(following)}", rel="next"), class_="pages")
        if found.next
        else None,
        el("h2", "Check it yourself"),
        copyable_commands(_compare_commands(runs, models)),
    ]
    return whole_page("Compare", *parts, here="/compare", again=bool(lacking))


def _compare_commands(runs: Sequence[str], models: Sequence[str]) -> Iterator[str]:
    yield spelled("compare", *dict.fromkeys(runs)) + (f" {shlex.join(('--models', *models))}" if models else "")
    if runs[0] != runs[1]:
        yield spelled("diff", *runs)


def _choose(site: Site, given: Mapping[str, str]) -> Html:
    ended = [one.run for one in reversed(site.runs().values()) if one.ended][:OFFERED]
    named = [(run, f"{run_manifest_name(site, site.begun(run))} {run}") for run in ended]
    parts = []
    for side in ("left", "right"):
        chosen = given.get(side, "")
        others = [(chosen, chosen)] if chosen and chosen not in ended else []
        options = [("", "choose a run" if side == "left" else "the same run"), *others, *named]
        made = [el("option", text, value=one, **({"selected": ""} if one == chosen else {})) for one, text in options]
        chooser = el("select", *made, name_=side, id=side)
        parts.append(el("div", el("label", f"{side} run", for_=side), chooser, class_="words"))
        field = f"{side}_model"
        box = void_element("input", name_=field, id=field, value=given.get(field, ""), placeholder="all models")
        label = el("label", f"{side} model", for_=field)
        parts.append(el("div", label, box))
    parts.append(el("div", el("button", "Compare", type="submit")))
    return el("form", *parts, class_="filter", method="get", action="/compare")


def _sides(site: Site, runs: Sequence[str], models: Sequence[str]) -> Html:
    told = {}
    for place, side in enumerate(("left", "right")):
        run = runs[place]
        words = [el("a", name(run_manifest_name(site, site.begun(run))), " ", el("code", run), href=run_address(run))]
        told[side] = join([*words, f", model {models[place]}" if models else ""])
    return fact_list(told)


def _line(one: Mapping[str, Any]) -> Sequence[str]:
    measure = f"{one['scorer']}/{one['metric']}" if one["metric"] else one["scorer"]
    models = one["left"] if one["left"] == one["right"] else f"{one['left']} → {one['right']}"
    ends = one.get("interval")
    difference = one["difference"]
    better = f"{one['left_better']:,} : {one['right_better']:,}" if one.get("left_better") is not None else ""
    return (
        name(models),
        name(one["dataset"]),
        measure,
        f"{one['n']:,}",
        _number(one["left_value"]),
        _number(one["right_value"]),
        NONE if difference is None else f"{difference:+.4g}",
        f"{ends[0]:+.4g} to {ends[1]:+.4g}" if ends else str(one.get("no_interval", "")),
        _number(one.get("p")),
        _number(one.get("p_holm")),
        better,
    )


def _number(value: Any) -> str:
    return NONE if value is None else f"{value:.4g}"


@contextlib.contextmanager
def _indexes(site: Site, runs: Sequence[str]) -> Iterator[Sequence[AnswerIndex] | None]:
    """Open the indexes of both runs; None while one of them is not made."""
    paths = [index_path(site.store, run) for run in runs]
    if not all(is_fresh(site.store, run, site.known(run).record) for run in runs):
        yield None
        return
    with contextlib.ExitStack() as opened:
        yield [opened.enter_context(AnswerIndex.opened(path)) for path in paths]


def _numbers(indexes: Sequence[AnswerIndex], row: MovedRow) -> Sequence[int | None]:
    return [
        index.find(row.item, row.template, model) for index, model in zip(indexes, (row.left, row.right), strict=True)
    ]


def _prompts(site: Site, runs: Sequence[str], rows: Sequence[MovedRow]) -> Sequence[str]:
    """Return the prompts of the first item that is listed, on both sides, if they differ."""
    with _indexes(site, runs) as indexes:
        if indexes is None or not rows:
            return ()
        found = [AnswerParts(site, index.answer(number)).row_of_prompt()
                 for index, number in zip(indexes, _numbers(indexes, rows[0]), strict=True) if number]  # fmt: skip
    words = [prompt_words(one) for one in found if one]
    return words if len(set(words)) == 2 else ()


def _reason(told: Mapping[str, Any], prompts: Sequence[str]) -> Html | None:
    found = told.get("diff")
    if not found:
        return None
    from harness.verbs.scoring import cut_to_difference  # noqa: PLC0415 - heavy

    differ = [
        f"{one['stage']} ({', '.join(one['changed'][:4])})" for one in found["stages"] if one["verdict"] == "differs"
    ]
    said = fact_list(
        {
            "the outputs agree": AGREE.get(str(found["level"]), str(found["level"])),
            "first step that differs": found["first"],
            "cause": short(found["cause"], 600),
            "stages that differ": ", ".join(differ),
        }
    )
    texts = found.get("texts", ())[:20]
    rows = []
    for one in texts:
        sides = compared(*cut_to_difference(one["left"], one["right"], 600, 100))
        rows.append((one["file"], str(one["line"]), *sides))
    lines = (
        table_element("Lines of files that differ", ("file", "line", "left", "right"), rows, numbers=(1,), wide=(2, 3))
        if rows
        else None
    )
    asked = None
    if prompts:
        from harness.verbs.scoring import cut_to_difference  # noqa: PLC0415 - heavy

        words = _both("Prompt", *compared(*cut_to_difference(prompts[0], prompts[1], 2000, 400)))
        asked = join([el("h3", "The prompt of the first item below"), words])
    return join([el("h2", "Why they differ"), said, asked, lines])


def _moved_words(told: Mapping[str, Any]) -> str:
    moved = f"{told['items_moved']:,} items have another score ({told['moved']:,} scores in all)"
    sides = f"{told['items_changed']:,} items changed sides, in {told['changed']:,} scores"
    return f"{moved}. {sides}: right on one side, wrong on the other."


def _left_out(told: Mapping[str, Any]) -> Html | None:
    if not told["left_out"]:
        return None
    why = next(iter(told["closed"].values()), "")
    return el("p", f"{told['left_out']:,} of them are not listed: {why}", class_="note")


def _moved_rows(site: Site, runs: Sequence[str], rows: Sequence[MovedRow]) -> list[Sequence[str]]:
    with _indexes(site, runs) as indexes:
        if indexes is None:
            return [_moved(runs, one, ()) for one in rows]
        made = []
        for one in rows:
            numbers = zip(indexes, _numbers(indexes, one), strict=True)
            made.append(_moved(runs, one, [index.beginning(at) if at else "" for index, at in numbers]))
        return made


def _moved(runs: Sequence[str], one: MovedRow, answers: Sequence[str]) -> Sequence[str]:
    query = {"left": runs[0], "right": runs[1], "left_model": one.left, "right_model": one.right, "item": one.item,
             "template": str(one.template)}  # fmt: skip
    link = el("a", name(one.item), href=f"/compare/item?{urlencode(query)}")
    models = one.left if one.left == one.right else f"{one.left} → {one.right}"
    return (
        link,
        name(models),
        name(one.dataset),
        str(one.template),
        one.scorer,
        _number(one.left_value),
        _number(one.right_value),
        *(_told_apart(*(" ".join(one[:320].split())[:160] for one in answers)) if answers else ("", "")),
        verdict_badge("changed") if one.changed else "",
    )


def _told_apart(left: str, right: str) -> tuple[Html, Html]:
    """Return two short texts as markup in which what stands between equal words at both ends is highlighted."""
    sides = left.split(" "), right.split(" ")
    least = min(map(len, sides))
    begin = next((at for at in range(least) if sides[0][at] != sides[1][at]), least)
    rest = least - begin
    end = next((at for at in range(rest) if sides[0][-1 - at] != sides[1][-1 - at]), rest)
    first, second = (
        join(
            [
                visible(" ".join([*words[:begin], ""])),
                el(kind, visible(" ".join(words[begin : len(words) - end]))) if len(words) > begin + end else "",
                visible(" ".join(["", *words[len(words) - end :]])) if end else "",
            ]
        )
        for words, kind in zip(sides, ("del", "ins"), strict=True)
    )
    return first, second


def item_page(site: Site, given: Mapping[str, str]) -> bytes:
    """Return the HTML page of one item as both sides answered it, with differing words highlighted."""
    try:
        runs, models = (given["left"], given["right"]), (given["left_model"], given["right_model"])
        item, template = given["item"], number_in_address(given["template"])
    except KeyError:
        raise InputError("this page is about one item of a comparison", next="choose one of its list") from None
    sides = []
    for run, model in zip(runs, models, strict=True):
        path = index_path(site.store, run)
        if not is_fresh(site.store, run, site.known(run).record):
            return whole_page(item, index_progress(site, run), here="/compare", again=True)
        with AnswerIndex.opened(path) as index:
            number = index.find(item, template, model)
            if number is None:
                raise InputError(f"run {run} shows no answer of {model[:60]!r} to it", where=item[:80])
            sides.append((run, number, index.answer(number)))
    parts = [AnswerParts(site, found) for _, _, found in sides]
    prompts = [prompt_words(said) if (said := one.row_of_prompt()) else "" for one in parts]
    texts = [str(one.response.get("error") or one.response.get("text", "")) for one in parts]
    reasons = [str(one.response.get("reasoning", "")) for one in parts]
    from harness.verbs.scoring import cut_to_difference  # noqa: PLC0415 - heavy

    shown: list[str | None] = []
    for title, pair in (("Prompt", prompts), ("Reasoning", reasons), ("Answer", texts)):
        if any(pair) and pair[0] == pair[1]:
            shown += [el("h2", f"{title}, the same on both sides"), block(pair[0], title)]
        elif any(pair):
            shown += [el("h2", title), _both(title, *compared(*cut_to_difference(pair[0], pair[1], 8000, 400)))]
    heads = [
        fact_list(
            {
                "model": name(found.listed.model),
                "run": el("a", el("code", run), href=run_address(run, "answers", str(number))),
                "outcome": outcome_badge(found.listed.outcome, found.listed.side),
                "score": _number(found.listed.value),
                "made by the step": el("code", one.step),
                "key of the step": el("code", one.key),
            }
        )
        for (run, number, found), one in zip(sides, parts, strict=True)
    ]
    gold = parts[0].row_of_gold()
    target = gold.get("target") if gold else None
    told = target if isinstance(target, str) else json.dumps(gold, ensure_ascii=False, indent=1)
    right = [el("h2", "Right answer"), block(told, "right answer")] if gold else []
    back = {"left": runs[0], "right": runs[1], "left_model": models[0], "right_model": models[1]}
    link = el("p", el("a", "back to the comparison", href=f"/compare?{urlencode(back)}"), class_="pages")
    head = join([name(item), el("span", f" · wording {template}", class_="soft")])
    return whole_page(
        item,
        link,
        el("div", *(el("div", one) for one in heads), class_="sides"),
        *shown,
        *right,
        head=head,
        here="/compare",
    )


def _both(title: str, left: Html, right: Html) -> Html:
    boxes = [
        el("div", el("pre", one, class_="words", dir="auto", tabindex="0", aria_label=f"{title}, {side}"))
        for one, side in ((left, "left"), (right, "right"))
    ]
    return el("div", *boxes, class_="sides")


# Claims, doctor


def _told(site: Site, verb: str, again: bool) -> Job:
    folder = str(site.root or site.project.folder)
    return site.jobs.start("tell", verb, folder, str(site.project.elsewhere or ""), again=again)


def _again(address: str) -> Html:
    return el("p", el("a", "look again", href=f"{address}?again=1"), class_="soft small")


def claims_page(site: Site, given: Mapping[str, str]) -> bytes:
    """Return the HTML page of published numbers that manifests claim, each with its verdict."""
    if site.root is None:
        return whole_page(
            "Claims", el("p", "A store alone is looked at: claims stand in manifests.", class_="note"), here="/claims"
        )
    job = _told(site, "claims", "again" in given and "verdict" not in given)
    if "told" not in job.said:
        return _waits("Claims", job, "/claims")
    every = job.said["told"]["claims"]
    verdict = given.get("verdict", "")
    counts: dict[str, int] = {}
    for one in every:
        word = one["verdict"].partition(":")[0]
        counts[word] = counts.get(word, 0) + 1
    chips = [
        el("a", f"{word}: {count:,}", href=f"/claims?verdict={word}", class_="badge")
        for word, count in sorted(counts.items())
    ]
    chosen = [one for one in every if not verdict or one["verdict"].startswith(verdict)]
    order = {"missed": 0, "met": 1}
    chosen.sort(key=lambda one: order.get(one["verdict"], 2))
    rows = [
        (
            one["id"],
            name(one["manifest"]),
            _value(one["published"]),
            _value(one["value"]),
            one["tolerance"],
            verdict_badge(one["verdict"].partition(":")[0]),
            el("a", el("code", one["run"]), href=run_address(one["run"]))
            if one["run"]
            else short(one["verdict"].partition(": ")[2], 120),
            one["where"],
        )
        for one in chosen[:LISTED]
    ]
    head = ("claim", "manifest", "published", "reproduced", "tolerance", "verdict", "run", "where it is published")
    cut = (
        el(
            "p",
            f"the first {LISTED} of {len(chosen):,}; ",
            el("code", "harness claims --rows"),
            " lists all",
            class_="soft",
        )
        if len(chosen) > LISTED
        else None
    )
    table = table_element(
        "Published numbers, and what the newest run made of each", head, rows, numbers=(2, 3), wide=(6, 7), named=(4, 7)
    )
    return whole_page(
        "Claims",
        el("p", join(chips, " "), " ", el("a", "all", href="/claims")),
        cut,
        table,
        _again("/claims"),
        here="/claims",
    )


def _value(said: Any) -> str:
    return "" if said is None else ", ".join(map(str, said))[:60] if isinstance(said, list) else str(said)[:24]


def doctor_page(site: Site, given: Mapping[str, str]) -> bytes:
    """Return the HTML page on what this machine can do and what it lacks (`harness doctor`)."""
    job = _told(site, "doctor", "again" in given)
    if "told" not in job.said:
        return _waits("Doctor", job, "/doctor")
    rows = [
        (verdict_badge(one["state"]), one["subject"], with_code(one["found"][:600]), with_code(one["advice"][:600]))
        for one in job.said["told"]["findings"]
    ]
    table = table_element("What this machine can do", ("state", "what", "found", "what would help"), rows, wide=(2, 3))
    checks = copyable_commands(map(spelled, ("doctor", "fsck")))
    words = el(
        "p",
        "ok: as it should be; better: it works, and could work better; missing: it is needed and not there",
        class_="soft",
    )
    parts = (words, table, _again("/doctor"), el("h2", "The same on the command line"), checks)
    return whole_page("Doctor: this machine", *parts, here="/doctor")


# Attempts


def attempts_page(site: Site, given: Mapping[str, str]) -> bytes:
    """Return the HTML page that lists the attempts of agents, newest first."""
    job = _told(site, "attempts", "again" in given)
    if "told" not in job.said:
        return _waits("Attempts", job, "/attempts")
    rows = [
        (
            el("a", el("code", one["attempt"]), href=f"/attempts/{one['attempt']}"),
            name(one.get("manifest", "")),
            f"{one.get('split', '')}{' (hidden)' if one.get('hidden') else ''}",
            name(one.get("label", "")),
            verdict_badge(one["status"]),
            f"{one.get('answered', 0)} of {one.get('items', 0)}",
            str(one.get("calls", "")),
            el("a", "scores", href=run_address(one["run"])) if one.get("run") else "",
        )
        for one in job.said["told"]["attempts"]
    ]
    head = ("attempt", "manifest", "split", "agent", "status", "answered", "calls", "run")
    more = job.said["told"]["more"]
    cut = el("p", f"{more:,} older ones: ", el("code", "harness attempts ls --most 0"), class_="soft") if more else None
    about = el("p", "An attempt is a run whose answers an agent gave, call by call.", class_="soft")
    table = table_element("Attempts of agents, newest first", head, rows, numbers=(5, 6), named=(2, 3))
    return whole_page("Attempts", about, table, cut, _again("/attempts"), here="/attempts")


def attempt_page(site: Site, attempt: str, given: Mapping[str, str]) -> bytes:
    """Return the HTML page of one attempt: how it began, and its transcript without withheld data."""
    chain = follow_transcript(site.store, find_attempt(site.store, attempt))
    begun = chain.events[0]
    why = _closed(site, begun)
    after = number_in_address(given.get("after") or "0")
    told = fact_list(
        {
            "manifest": name(begun["name"]),
            "split": begun["split"] + (", hidden" if begun["hidden"] else ""),
            "agent": name(begun["label"]),
            "principal": name(begun["principal"]),
            "began": begun["at"],
            "items": str(begun["items"]),
            "could reach the right answers": "yes" if begun["gold_reachable"] else "no",
            "digest of the transcript's last line": el("code", chain.head),
        }
    )
    events = chain.events[after : after + EVENTS]
    rows = [
        (str(one["n"]), one["at"][11:19], _event(one), _arguments(one, why), str(one.get("code", ""))) for one in events
    ]
    links = (
        el("p", el("a", "next page", href=f"?after={after + EVENTS}", rel="next"), class_="pages")
        if len(chain.events) > after + EVENTS
        else None
    )
    kept = el("p", f"What was answered is not shown: {why}.", class_="note") if why else None
    table = table_element(
        "Transcript", ("line", "at", "event", "what was sent", "outcome"), rows, numbers=(0,), wide=(3,)
    )
    checks = copyable_commands(spelled(f"attempts {verb}", str(begun["attempt"])) for verb in ("verify", "show"))
    return whole_page(
        f"Attempt {begun['attempt'][:24]}",
        told,
        el("h2", "Check it yourself"),
        checks,
        el("h2", "Transcript"),
        kept,
        table,
        links,
        here="/attempts",
    )


def _event(one: AttemptEvent) -> str:
    return f"{one['event']} {one['tool']}" if one.get("tool") else str(one["event"])


def _arguments(one: AttemptEvent, why: str) -> str:
    if "args" not in one:
        return str(one.get("reason", ""))
    return "not shown" if why else short(json.dumps(one["args"], ensure_ascii=False), 1200)


def _closed(site: Site, begun: AttemptEvent) -> str:
    """Return why what an agent sent in an attempt is not shown; empty if it is."""
    from harness.run.attempts.hidden_splits import attempt_shows_hidden  # noqa: PLC0415 - heavy

    if begun["hidden"] or attempt_shows_hidden(site.store, begun):
        return "its split is hidden"
    scored = site.runs().get(str(begun["attempt"]))
    if scored is None or not scored.ended:
        return "it is not scored yet, so it is not known whether its data may be shown"
    try:
        closed = site.closed(scored.run)
    except HarnessError as bad:
        return f"its run cannot be read: {bad.what}"
    return next(iter(closed.values()), "")
