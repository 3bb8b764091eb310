"""Command line of `claims`: published numbers beside those of runs, each number once, by what it is compared with.

The table begins with what can be seen on this machine; `--page` prints the page of all numbers, docs/claims.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import GivenOptions, with_request_options
from harness.cli.terminal import format_table, show_progress
from harness.verbs.requests import ClaimsRequest

if TYPE_CHECKING:
    from harness.verbs.published import ClaimData, ClaimsResult, UnseenNumbers


HEAD = ("kind", "manifest", "id", "published", "reproduced", "tolerance", "verdict", "where")
SHOWN_NEEDS = 4  # things that claims need, listed at most
AGREES = {"met": "agree", "missed": "differ"}  # the verdicts of numbers of a paper against each other
WIDE, LONG = 72, 24  # characters of a text and of a number in the table; --json has all of them


def register_claims(app: typer.Typer) -> None:
    """Add the command `claims` to the command line."""
    app.command()(claims)


@with_request_options(ClaimsRequest)
def claims(
    given: GivenOptions,
    rows: Annotated[
        bool, typer.Option("--rows", envvar="HARNESS_ROWS", help="A row for each claim, also of what did not run.")
    ] = False,
    page: Annotated[
        bool, typer.Option("--page", help="Print every number once as Markdown, by kind, whatever was run.")
    ] = False,
) -> int:
    """Compare published numbers with the newest run's."""
    from harness.verbs.published import claims as verb

    with show_progress() as watch:
        done = verb(given.project, given.request(ClaimsRequest), watch)
    return given.show(done, "\n".join(claims_page(done.claims)) if page else _text(done, rows, bool(given.manifests)))


def _text(done: ClaimsResult, every: bool, named: bool) -> str:
    """Format claims, each number once: those that can be seen here as a table, then the counts, then what to bring.

    Numbers of a paper against each other are shown apart. `every` shows what did not run, too; otherwise a line for
    each manifest says what its claims need, if manifests were named.
    """
    from harness.verbs.published import CLAIM_KINDS, TRANSCRIPTION

    if not done.claims:
        return "no manifest here claims anything"
    numbers = group_by_number(done.claims)
    tables = []
    for title, apart in (("", False), (f"{CLAIM_KINDS[TRANSCRIPTION]}:\n", True)):
        shown = [own for own in numbers if (own[0].kind == TRANSCRIPTION) == apart and (every or not _idle(own[0]))]
        if shown:
            tables.append(title + format_table(HEAD, [_row(own) for own in shown]) + "\n")
    lines = [f"{one.manifest} {one.id}: {one.detail}" for one in done.claims if one.verdict == "missed"]
    lines += [_story(one) for one in done.claims if one.moved]
    reasons = [
        f"{one.manifest} {one.id}: its kind is unknown: {one.kind_reason}"
        for one in done.claims
        if one.kind_reason and not one.withdrawn
    ]
    lines += reasons[:SHOWN_NEEDS] + [f"and {len(reasons) - SHOWN_NEEDS} more kinds"] * (len(reasons) > SHOWN_NEEDS)
    sums = _sums(done.claims) if named and not every else []
    return "\n".join([*tables, *sums, *lines, *_counts(numbers), *map(_bring, done.unseen)])


def group_by_number(found: Sequence[ClaimData]) -> list[list[ClaimData]]:
    """Group claims by their number, in the order of kinds: of each, the one whose verdict is shown comes first."""
    from harness.verbs.published import CLAIM_KINDS

    groups: dict[tuple[object, ...], list[ClaimData]] = {}
    for one in found:
        groups.setdefault(one.number, []).append(one)
    rank = {"missed": 0, "met": 1}
    ordered = [sorted(own, key=lambda one: (rank.get(one.verdict, 2), one.computed)) for own in groups.values()]
    kinds = list(CLAIM_KINDS)
    return sorted(ordered, key=lambda own: (_idle(own[0]), kinds.index(own[0].kind)))


def _row(own: Sequence[ClaimData]) -> list[str]:
    one = own[0]
    told = (one.id, one.published or "-", _numbers(one), _plain(one.tolerance), _word(own), _place(one))
    return [one.kind, ", ".join(one.manifests), *told]


def _counts(numbers: Sequence[Sequence[ClaimData]]) -> list[str]:
    """Count numbers by verdict: a line for each kind if there are several, and one for all but transcriptions."""
    from harness.verbs.published import CLAIM_KINDS, TRANSCRIPTION

    lines, total = [], Counter[str]()
    kinds = [kind for kind in CLAIM_KINDS if any(own[0].kind == kind for own in numbers)]
    for kind in kinds:
        words = Counter(own[0].verdict.partition(":")[0] for own in numbers if own[0].kind == kind)
        told = ", ".join(f"{words[word]} {word}" for word in ("met", "missed", "not run"))
        if kind == TRANSCRIPTION:
            told = ", ".join(f"{words[word]} {told}" for word, told in AGREES.items()) + f", {words['not run']} not run"
        else:
            total += words
        lines.append(f"{kind}: {words.total()}: {told} ({CLAIM_KINDS[kind]})")
    count = total.total()
    told = ", ".join(f"{total[word]} {word}" for word in ("met", "missed", "not run"))
    twice = sum(len(own) > 1 for own in numbers)
    more = f" ({twice} stand in several manifests)" if twice else ""
    last = f"{count} claim{'s' * (count != 1)}: {told}{more}"
    return [*(lines if len(kinds) > 1 or TRANSCRIPTION in kinds else []), *([last] if count else [])]


def _bring(one: UnseenNumbers) -> str:
    """Return a line on the numbers of a study that nothing here compares yet, and how to see some or most of them."""
    ways = [
        f"{way.shows} by {', '.join(f'`{word}`' for word in way.next)}"
        + (f" ({way.models} models are missing)" if way.models else "")
        for way in one.ways
    ]
    return f"{one.study}: {one.numbers} not seen here: {'; '.join(ways)}"


def _idle(one: ClaimData) -> bool:
    return one.verdict.startswith("not run")


def _sums(found: Sequence[ClaimData]) -> list[str]:
    """Return a line for each manifest: how many of its claims did not run, and what they need."""
    idle: dict[str, list[str]] = {}
    for one in filter(_idle, found):
        idle.setdefault(one.manifest, []).append(one.verdict.partition("needs ")[2])
    return [f"{name}: {len(needs)} not run: needs {_needed(needs)} (--rows shows each)" for name, needs in idle.items()]


def _needed(needs: Sequence[str]) -> str:
    """List what claims need, the most frequent first."""
    counts = Counter(need for one in needs for need in one.split(", "))
    names = [name for name, _ in counts.most_common()]
    return ", ".join(names[:SHOWN_NEEDS]) + (
        f" and {len(names) - SHOWN_NEEDS} more" if len(names) > SHOWN_NEEDS else ""
    )


def _numbers(one: ClaimData) -> str:
    values = one.value if isinstance(one.value, list) else [one.value]
    return ", ".join(_cut(value or "-", LONG) for value in values[:4]) + (" …" if len(values) > 4 else "")


def _word(own: Sequence[ClaimData]) -> str:
    """Format the verdict of a number with remarks; if the claim is met, also how often the same was tried."""
    one = own[0]
    notes = [f"{each.verdict} in {each.manifest}" for each in own[1:] if each.verdict in set(AGREES) - {one.verdict}]
    notes += ["no run recorded it"] * one.computed
    notes += ["withdrawn" if one.withdrawn else "moved"] * one.moved
    notes += [f"made without {_cut(', '.join(one.without), WIDE)}"] * bool(one.without)
    notes += [f"rests on imported answers: {', '.join(one.imported)}"] * bool(one.imported)
    notes += [one.history] if one.history and one.verdict == "met" else []
    from harness.verbs.published import TRANSCRIPTION

    word = AGREES.get(one.verdict, one.verdict) if one.kind == TRANSCRIPTION else one.verdict
    return _cut(word, WIDE) + (f" ({'; '.join(notes)})" if notes else "")


def _place(one: ClaimData) -> str:
    return _cut(one.where, WIDE) + (f" [{one.status}]" if one.status else "")


def _story(one: ClaimData) -> str:
    """Return a line on how the first run of the manifest registered a claim."""
    at = f"{one.manifest} {one.id}:"
    if one.withdrawn:
        return f"{at} was registered by an earlier run, and is gone from the manifest"
    if one.was is None:
        return f"{at} was not registered by the first run"
    asked = " ".join(filter(None, (one.was.get("published"), _plain(one.was_tolerance))))
    places = one.was["of"] if isinstance(one.was["of"], list) else [one.was["of"]]
    return f"{at} the first run registered {asked}" + (f" of {', '.join(places)}" if one.was["of"] != one.of else "")


def _plain(tolerance: str) -> str:
    return f"± {tolerance}" if not tolerance[:1].isalpha() else tolerance


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


PAGE = """# The published numbers

Each published number that a manifest of this repository claims stands here once, by what it is compared with.
`harness claims` compares them with the runs on your machine; `harness claims --run` makes first what needs no model. A
number in several manifests is one number. [How a claim is judged](architecture.md#evidence); what is not claimed, and
why: [biomed](biomed.md#not-claimed), [curie](curie.md#not-claimed), [reliability](reliability.md#not-claimed).

<!-- written by `harness claims --page` -->"""


def claims_page(found: Sequence[ClaimData]) -> Iterator[str]:
    """Yield the lines of the page of all numbers: a part for each kind, a table for each study and its manifests.

    No verdict is on it, so it is the same on each machine.
    """
    from harness.verbs.published import CLAIM_KINDS

    kinds = list(CLAIM_KINDS)
    groups: dict[tuple[object, ...], ClaimData] = {}
    for one in found:
        if not one.withdrawn:
            groups.setdefault(one.number, one)
    numbers = sorted(groups.values(), key=lambda one: (kinds.index(one.kind), one.study, sorted(one.manifests)))
    yield from PAGE.splitlines()
    yield ""
    studies = sorted({one.study for one in numbers})
    counts = Counter(cell for one in numbers for cell in ((one.kind, one.study), (one.kind, "")))
    yield f"| kind | numbers | {' | '.join(studies)} | compared with |"
    yield "| --- |" + " ---: |" * (len(studies) + 1) + " --- |"
    for kind in (kind for kind in CLAIM_KINDS if counts[kind, ""]):
        cells = [kind, *(str(counts[kind, study]) for study in ("", *studies)), CLAIM_KINDS[kind]]
        yield f"| {' | '.join(cells)} |"
    for kind, of_kind in groupby(numbers, key=lambda one: one.kind):
        yield from ("", f"## {kind.capitalize()}")
        for (study, manifests), own in groupby(of_kind, key=lambda one: (one.study, sorted(one.manifests))):
            yield from ("", f"### {study}: {', '.join(f'`{name}`' for name in manifests)} ({kind})", "")
            yield from ("| number | published | asked | where |", "| --- | ---: | --- | --- |")
            yield from (_page_row(one) for one in own)


def _page_row(one: ClaimData) -> str:
    place = one.where + (f" [{one.status}]" if one.status else "")
    cells = (f"`{one.id}`", one.published or "", _plain(one.tolerance), place)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
