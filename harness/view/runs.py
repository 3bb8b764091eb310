"""The pages of runs: the list of them with their verdicts, and one run with all that its verdict rests on.

The journal of a run that has not ended is read on from where it was read to, a line a finished step.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from harness.clock import current_time
from harness.errors import HarnessError, InputError
from harness.evidence.record import Record, RecordBody, failed_steps, spell_healed
from harness.files import translating_os_errors
from harness.kit.hostile_texts import block, name, short
from harness.kit.pages import NONE, Html, el, join
from harness.store.blobs import is_digest
from harness.store.journal import Event
from harness.store.store import Store, follow_journal
from harness.store.tree import MOST_LOG
from harness.view.index import AnswerIndex, index_path, is_fresh
from harness.view.look import (
    copyable_commands,
    fact_list,
    progress_element,
    run_address,
    spelled,
    table_element,
    verdict_badge,
    void_element,
    whole_page,
)
from harness.view.site import Site, run_manifest_name

STILL = 120.0  # seconds without a line after which a run may have been killed


@dataclass
class RunFollower:
    """Reader of a run's journal while the run writes it: counts finished and failed steps."""

    store: Store
    run: str
    total: int = 0
    done: int = 0
    failed: int = 0
    step: str = ""
    over: bool = False
    broken: bool = False  # the journal cannot be read on
    _at: int = 0

    def read_on(self) -> None:
        """Read the lines that were added to the journal since the last call, and update the counts."""
        try:
            with self.store.tree.open_file(self.store.journal(self.run), MOST_LOG) as lines:
                lines.seek(self._at)
                for line in lines:
                    if not line.endswith(b"\n"):
                        break
                    self._at += len(line)
                    self._take(json.loads(line))
        except (HarnessError, OSError, ValueError, TypeError, AttributeError, RecursionError):  # no line of a run
            self.broken = self.over = True

    def _take(self, event: dict[str, Any]) -> None:
        kind = event.get("event")
        if kind == "run.started":
            self.total = int(event.get("steps", 0))
        elif kind in ("step.done", "step.cached", "step.failed"):
            self.done += 1
            self.failed += kind == "step.failed"
            self.step = str(event.get("step", ""))
        elif kind == "run.finished":
            self.over = True

    @property
    def idle(self) -> float:
        """Seconds since the journal was written to."""
        facts = self.store.tree.facts(self.store.journal(self.run))
        written = datetime.datetime.fromtimestamp(facts.st_mtime, datetime.UTC) if facts else None
        return (datetime.datetime.fromisoformat(current_time()) - written).total_seconds() if written else 0.0

    @property
    def text(self) -> str:
        """The progress of the run in words."""
        if self.broken:
            return "its journal cannot be read: `harness audit` says more"
        told = f"{self.done:,} of {self.total:,} steps"
        told += f", {self.failed} failed" if self.failed else ""
        told += f"; the last: {self.step[:80]}" if self.step else ""
        return told + (
            f"; nothing for {self.idle / 60:.0f} minutes: it may have been killed" if self.idle > STILL else ""
        )

    def document(self) -> dict[str, Any]:
        """Return the progress of the run as plain data, which the page asks for repeatedly."""
        return {"done": self.done, "total": self.total, "text": self.text, "over": self.over}


PAGE = 50
FIGURES = {".svg": "image/svg+xml", ".png": "image/png"}
NAME = re.compile(r"^name:[ \t]*([a-z0-9][a-z0-9._-]{0,99})", re.MULTILINE)  # of a manifest
HEAD = 20_000  # letters of a manifest before which its name stands
SHOWN_TEXT = 20_000  # letters of an output
SHOWN_LINES = 200  # of a table of scores
TOLD = ("sandbox", "facts", "workers")  # fields of a record
UNENDED, DAMAGED = "not ended", "damaged"
VERDICTS = {
    "agreed": "every output is as it was when a run was accepted, or as near as the manifest asks",
    "disagreed": "an output is missing, or not as it was when a run was accepted",
    "unconfirmed": "no run was accepted yet under this lock, so nothing is known to compare with",
    "incomplete": "not every step or item was run, so the whole cannot be judged",
}
WORDS = {
    **VERDICTS,
    UNENDED: "the run is under way, or was killed",
    DAMAGED: "the files of the run are not as they were written",
    "placement": "where steps are executed: on this machine, or by the workers of a cluster",
    "steps run + reused": "reused: an earlier run had made the same, and it was taken from the store",
}


def runs_page(site: Site, given: Mapping[str, str]) -> bytes:
    """Return the HTML page that lists runs, newest first, a part of them at a time, and the project's manifests."""
    wanted, after = given.get("manifest", ""), given.get("after", "")
    runs = list(reversed(site.runs().values()))
    if after:
        names = [one.run for one in runs]
        if after not in names:
            raise InputError("no run of this name is on the list", where=after[:80], next="begin at the first page")
        runs = runs[names.index(after) + 1 :]
    rows: list[Sequence[str]] = []
    last = shown = ""
    for known in runs:
        begun = site.begun(known.run)
        called = run_manifest_name(site, begun)
        if wanted and called != wanted:
            continue
        if len(rows) == PAGE:
            last = shown
            break
        rows.append(_row(site, known.run, begun, called))
        shown = known.run
    told = table_element(
        "Runs, newest first",
        ("run", "manifest", "status", "verdict", "engine", "placement", "began", "took", "steps run + reused", "cost"),
        rows,
        numbers=(7, 8, 9),
        named=(4, 5, 6),
    )
    query = {"after": last} | ({"manifest": wanted} if wanted else {})
    following = (
        el("p", el("a", "older runs", href=f"/?{urlencode(query)}", rel="next"), class_="pages") if last else None
    )
    only = el("p", "only runs of ", name(wanted), " ", el("a", "all", href="/"), class_="soft") if wanted else None
    where = el("p", "store ", el("code", str(site.store.root)), class_="soft small")
    words = el("details", el("summary", "What the words mean"), fact_list(WORDS)) if rows else None
    return whole_page(
        "Runs", where, only, told, following, words, _manifests(site) if not after and not wanted else None, here="/"
    )


def _manifests(site: Site) -> Html | None:
    """Return the manifests of the project by name, each with a link to its runs."""
    if site.root is None:
        return None
    found = sorted((site.root / "manifests").rglob("*.yaml"))
    if not found:
        return None
    links = []
    for path in found:
        place, called = path.relative_to(site.root).as_posix(), _manifest_name(path)
        links.append([el("a", called, href=_of_manifest(called)), el("code", place), el("code", spelled("run", place))])
    return join([el("h2", "Manifests"), table_element("Manifests of the project", ("name", "file", "command"), links)])


def _of_manifest(called: str) -> str:
    """Return the address of the runs of a manifest."""
    return f"/?{urlencode({'manifest': called})}"


def _manifest_name(path: Path) -> str:
    """Return the name that a manifest gives itself, without reading the rest of it; that of its file if it has none."""
    with translating_os_errors(path), open(path, encoding="utf-8", errors="replace") as file:
        found = NAME.search(file.read(HEAD))
    return found[1] if found else path.stem


def _row(site: Site, run: str, begun: Event | None, called: str) -> Sequence[str]:
    link = el("a", run, href=run_address(run), class_="mono")
    if begun is None:
        return (link, "", verdict_badge(DAMAGED), "", "", "", "", "", "", "")
    engine, at = str(begun["engine"]), _minute(begun["at"])
    told = (link, el("a", name(called), href=_of_manifest(called)))
    if not site.known(run).ended:
        follower = RunFollower(site.store, run)
        follower.read_on()
        bar = _bar(follower)
        return (*told, verdict_badge(UNENDED), bar, engine, _placement(begun), at, "", f"{follower.done}", "")
    try:
        record = site.record(run)
        verdict, _ = site.verdict(record)
    except HarnessError:
        return (*told, verdict_badge(DAMAGED), "", engine, _placement(begun), at, "", "", "")
    steps = record.body["steps"]
    limit = f" · first {record.body['limit']} items" if record.body.get("limit") else ""
    return (
        *told,
        join([verdict_badge(record.body["status"]), limit]),
        verdict_badge(verdict),
        engine,
        _placement(begun),
        at,
        duration_text(record.body),
        f"{steps['executed']:,} + {steps['cached']:,}",
        cost_text(record.body),
    )


def _bar(follower: RunFollower) -> Html:
    live = "" if follower.over else run_address(follower.run, "live")
    return progress_element(follower.text, live, follower.done, follower.total)


def _placement(begun: Mapping[str, Any]) -> str:
    said = begun.get("placement")
    return str(said.get("kind", "cluster")) if isinstance(said, Mapping) else "this machine"


def _minute(at: str) -> str:
    return at[:16].replace("T", " ")


def duration_text(body: RecordBody) -> str:
    """Return how long a run took, in words."""
    ends = [datetime.datetime.fromisoformat(str(body[one])) for one in ("started", "finished") if body.get(one)]
    if len(ends) < 2:
        return ""
    seconds = (ends[1] - ends[0]).total_seconds()
    return (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.0f} min"
        if seconds < 7200
        else f"{seconds / 3600:.1f} h"
    )


def cost_text(body: RecordBody) -> str:
    """Return the dollars that a run spent, as text; empty if no model was paid."""
    whole = sum(
        (Decimal(str(one["dollars"])) for one in body.get("calls", {}).values() if "dollars" in one), Decimal(0)
    )
    return f"${whole:,.4f}" if whole else ""


def run_page(site: Site, run: str) -> bytes:
    """Return the HTML page of one run: its verdict, outputs, steps and models."""
    known, begun = site.known(run), site.begun(run)
    called = run_manifest_name(site, begun)
    head = join([name(called), " ", el("span", run, class_="soft mono small")])
    if begun is None or not known.ended:
        return whole_page(called or run, *_unended(site, run, begun), head=head, here="/", again=True)
    record = site.record(run)
    verdict, outputs = site.verdict(record)
    lock = site.lock(str(record.body["lock"]))
    body = record.body
    said = fact_list(
        {
            "verdict": join(
                [verdict_badge(verdict), " ", el("span", VERDICTS.get(verdict.partition(",")[0], ""), class_="soft")]
            ),
            "status": join(
                [verdict_badge(body["status"]), f", {duration_text(body)}, began {_minute(body['started'])}"]
            ),
            "study": str(lock.intent["study"]),
            "engine": f"{body['engine']}, isolation {body['isolation']}, on {_placement(body)}",
            "image": el("code", str(body["image"])) if body["image"] not in ("", "none") else "",
            "limited to": f"the first {body['limit']} items of each dataset" if body.get("limit") else "",
            "steps": ", ".join(f"{count:,} {kind}" for kind, count in _counts(body["steps"])),
            "cost": cost_text(body),
            "digest of the manifest": el("code", body["manifest"]),
            "digest of the lock": el("code", body["lock"]),
            "digest of the record": el("code", known.record),
        }
    )
    links = el(
        "p",
        el("a", "Answers", href=run_address(run, "answers")),
        " · ",
        el("a", "Compare with another run", href=f"/compare?left={run}"),
        " · ",
        el("a", "Runs of this manifest", href=_of_manifest(called)),
    )
    parts = (
        links,
        said,
        el("h2", "What the verdict rests on"),
        _basis(record),
        table_element(
            "Outputs, compared with those that were accepted",
            ("output", "verdict", "compared", "SHA-256 begins", "bytes", "remark"),
            [_output(run, record, one) for one in outputs],
            numbers=(4,),
            wide=(5,),
            named=(2, 3),
        ),
        _failures(site, record),
        el("h2", "Scores"),
        scores_part(site, run),
        _figures(site, run, record),
        el("h2", "Check it yourself"),
        copyable_commands(_commands(run, site, called)),
        el("h2", "What the run was pinned to"),
        table_element("Pins of the lock", ("kind", "name", "pinned"), _pins(lock.pins), wide=(2,)),
        el("h2", "The machine"),
        el(
            "details",
            el("summary", "Isolation, machine and workers, as the record has them"),
            block(json.dumps({one: body.get(one) for one in TOLD if body.get(one)}, indent=1), "the machine"),
        ),
    )
    return whole_page(called, *parts, head=head, here="/")


def _counts(steps: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for kind in ("executed", "cached", "failed"):
        if steps[kind]:
            yield {"executed": "run", "cached": "reused from the store"}.get(kind, kind), int(steps[kind])


def _unended(site: Site, run: str, begun: Event | None) -> Iterator[Html]:
    if begun is None:
        yield el("p", "The journal of this run does not begin as the list of runs says.", class_="note bad")
        yield copyable_commands((spelled("audit", run), spelled("fsck")))
        return
    follower = RunFollower(site.store, run)
    follower.read_on()
    yield _bar(follower)
    yield fact_list(
        {
            "engine": str(begun["engine"]),
            "began": _minute(begun["at"]),
            "digest of the manifest": el("code", begun["manifest"]),
        }
    )
    yield el("h2", "The same on the command line")
    yield copyable_commands((spelled("runs", run_manifest_name(site, begun)),))


def _basis(record: Record) -> Html:
    body = record.body
    stand_ins = len(body["sees_gold"])
    told = {
        "shown the right answers": f"{stand_ins} {'step' if stand_ins == 1 else 'steps'} of stand-ins"
        if stand_ins
        else "",
        "imported answers": ", ".join(f"{one['model']} from {one['source']}" for one in body.get("imported", ())),
        "foreign code": f"{len(body['trials'])} steps tried programs of answers" if body.get("trials") else "",
        "healed": spell_healed(dict(body["healed"])) if body.get("healed") else "",
        "absent files": ", ".join(
            f"{one}: {len(said['absent'])} of {said['files']}"
            for one, said in body.get("data", {}).items()
            if said["absent"]
        ),
        "calls of models": "; ".join(
            f"{model}: {said.get('replayed', 0):,} replayed from a tape, {said.get('live', 0):,} asked live"
            for model, said in body.get("calls", {}).items()
        ),
        "journal": f"{body['events']} events in a hash chain that ends with {body['head'][:16]}…",
    }
    return fact_list(told)


def _output(run: str, record: Record, one: Any) -> Sequence[str]:
    made = record.outputs.get(one.name)
    link = el("a", one.name, href=run_address(run, "outputs", one.name)) if made else one.name
    level = one.level if isinstance(one.level, str) else " ".join(f"{way} {most}" for way, most in one.level.items())
    level = "not at all" if level == "none" else level
    size = f"{made['size']:,}" if made else ""
    return (link, verdict_badge(one.verdict), level, el("code", one.sha256[:12]), size, one.detail)


def _failures(site: Site, record: Record) -> Html | None:
    if not record.body["steps"]["failed"]:
        return None
    found = failed_steps(follow_journal(site.store, site.known(record.run)).events)
    closed = site.closed(record.run)
    rows = [
        (one.step, one.outcome, "not shown: it may repeat data that is kept" if closed else short(one.text, 400))
        for one in found
    ]
    return join(
        [
            el("h2", "Steps that failed"),
            table_element("Failed steps", ("step", "outcome", "what it said"), rows, wide=(2,)),
        ]
    )


def scores_part(site: Site, run: str) -> Html:
    """Return a run's table of scores as HTML or, while the run's index is being made, its progress."""
    if not is_fresh(site.store, run, site.known(run).record):
        return index_progress(site, run)
    with AnswerIndex.opened(index_path(site.store, run)) as index:
        told = index.document("report")
    if not told["lines"]:
        return el("p", "This run scored no answers.", class_="soft")
    rows = [_line(run, one, told["meanings"]) for one in told["lines"][:SHOWN_LINES]]
    head = ("model", "dataset", "scorer", "answers", "mean", "95 % interval", "certificate", "errors", "tokens", "cost")
    parts = [
        table_element("Means of scores", head, rows, numbers=(3, 4, 5, 7, 8, 9), named=(6,)),
        _meanings(told["meanings"]),
    ]
    if further := told["further"]:
        fields = ("model", "dataset", "scorer", "metric", "column", "group")
        names = (*fields, "answers", "mean", "95 % interval")
        more = [
            [*(str(one.get(field, "")) for field in fields), str(one["n"]), _number(one.get("value")), _ends(one)]
            for one in further[:SHOWN_LINES]
        ]
        parts.append(table_element("Several answers to a prompt, and groups", names, more, numbers=(6, 7, 8)))
    if len(told["lines"]) > SHOWN_LINES or len(further) > SHOWN_LINES:
        parts.append(el("p", "Longer tables: ", el("code", spelled("scores", run, options=("--csv",))), class_="soft"))
    return join(parts)


def _meanings(meanings: Mapping[str, Any]) -> Html | None:
    """Return what each score is, and which way is better."""
    better = {"higher": "higher is better", "lower": "lower is better"}
    told = {
        score: "; ".join(filter(None, (str(one.get("about", "")), better.get(str(one.get("direction")), ""))))
        for score, one in meanings.items()
    }
    return el("details", el("summary", "What the scores mean"), fact_list(told)) if any(told.values()) else None


def index_progress(site: Site, run: str) -> Html:
    """Return as HTML how far the index of a run is; its making is started if need be."""
    job = site.jobs.start("index", str(site.store.root), run)
    if job.over and job.error:
        return el("p", "The index could not be made: ", job.error, class_="note bad")
    if job.over:
        site.jobs.forget("index", str(site.store.root), run)
    words = f"the index of this run is made, which takes seconds: {job.text}"
    return progress_element(
        words, run_address(run, "indexing"), int(job.said.get("done", 0)), int(job.said.get("total", 0))
    )


def _line(run: str, one: Mapping[str, Any], meanings: Mapping[str, Any]) -> Sequence[str]:
    measure = f"{one['scorer']}/{one['metric']}" if one["metric"] else one["scorer"]
    certificate = one.get("certificate", "")
    tokens = sum(map(int, one.get("tokens", {}).values()))
    query = {name: one[name] for name in ("model", "dataset", "scorer")}
    address = f"{run_address(run, 'answers')}?{urlencode(query)}"
    meaning = meanings.get(measure, {})
    return (
        el("a", name(one["model"]), href=address),
        name(one["dataset"]),
        el("span", measure, title=str(meaning.get("about", ""))),
        f"{one['n']:,}",
        _number(one.get("value")),
        _ends(one),
        el("span", verdict_badge(certificate), title=str(one.get("certificate_text", ""))) if certificate else "",
        f"{one['errors']:,}" if one["errors"] else "",
        f"{tokens:,}" if tokens else "",
        f"${one['dollars']}" if one.get("dollars") else "",
    )


def _number(value: Any) -> str:
    return NONE if value is None else f"{value:.4g}"


def _ends(one: Mapping[str, Any]) -> str:
    ends = one.get("interval")
    return f"{ends[0]:.4g} to {ends[1]:.4g}" if ends else str(one.get("no_interval", ""))


def _figures(site: Site, run: str, record: Record) -> Html | None:
    drawn = [one for one in sorted(record.outputs) if one.endswith(".svg")]
    made = [one for one in sorted(record.outputs) if one.endswith((".html", ".png"))]
    if not drawn and not made:
        return None
    if closed := site.closed(run):
        why = f"Figures and pages of this run are not shown: {next(iter(closed.values()))}."
        return join([el("h2", "Figures and pages"), el("p", why, class_="note")])
    parts = [el("figure", _image(run, one), el("figcaption", one)) for one in drawn]
    links = [el("li", el("a", one, href=f"{run_address(run, 'outputs', one)}?raw=1")) for one in made]
    return join([el("h2", "Figures and pages"), *parts, el("ul", *links, class_="plain") if links else None])


def _image(run: str, output: str) -> Html:
    return void_element("img", src=f"{run_address(run, 'outputs', output)}?raw=1", alt=output, loading="lazy")


def _commands(run: str, site: Site, called: str) -> Iterator[str]:
    yield spelled("audit", run)
    yield spelled("scores", run)
    yield spelled("explain", run)
    yield spelled("report", run, options=("-o", f"{called}.html"))
    yield spelled("export", run)
    if site.root and (site.root / "manifests").is_dir():
        found = [path for path in sorted((site.root / "manifests").rglob("*.yaml")) if _manifest_name(path) == called]
        yield from (spelled("reproduce", path.relative_to(site.root).as_posix()) for path in found[:1])


def _pins(pins: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for kind, named in sorted(pins.items()):
        for one, pin in sorted(named.items()):
            yield kind, name(str(one)), short(_spell_pin(pin), 400)


def _spell_pin(pin: Any) -> str:
    """Return a pin in words: names and values, each digest by its beginning."""
    if isinstance(pin, Mapping):
        parts = (
            f"{key} ({_spell_pin(value)})" if isinstance(value, Mapping) else f"{key} {_spell_pin(value)}"
            for key, value in pin.items()
        )
        return ", ".join(parts)
    if isinstance(pin, list):
        return ", ".join(map(_spell_pin, pin))
    return f"{pin[:12]}…" if isinstance(pin, str) and is_digest(pin) else str(pin)


def output_page(site: Site, run: str, output: str) -> bytes:
    """Return the HTML page of one output: its digest, and its beginning unless the data is withheld."""
    record = site.record(run)
    made = record.outputs.get(output)
    if made is None:
        raise InputError(f"this run has no output {output[:80]!r}", where=run, next="choose one of the run's page")
    told = fact_list(
        {
            "SHA-256": el("code", made["sha256"]),
            "bytes": f"{made['size']:,}",
            "made by the step": el("code", made["step"]),
        }
    )
    closed = site.closed(run)
    if closed:
        shown = el("p", f"Not shown here: {next(iter(closed.values()))}.", class_="note")
    elif output.endswith(".svg"):
        shown = el("figure", _image(run, output))
    else:
        with site.store.blobs.open(made["sha256"], made["size"]) as blob:
            text = blob.read(4 * SHOWN_TEXT).decode("utf-8", "replace")
        cut = el("p", "The beginning of it.", class_="soft") if made["size"] > SHOWN_TEXT else None
        shown = join([cut, block(text[:SHOWN_TEXT], output)])
    links = copyable_commands((spelled("get", run, output), spelled("explain", run, made["step"])))
    head = join(["Output ", name(output)])
    back = el("p", el("a", "back to the run", href=run_address(run)), class_="pages")
    return whole_page(
        output, back, told, el("h2", "Content"), shown, el("h2", "Check it yourself"), links, head=head, here="/"
    )


def raw_output(site: Site, run: str, output: str) -> tuple[bytes, str]:
    """Return the bytes of a figure or a page that a study made, checked, and their type; InputError for others.

    Of a run with data that is kept there is none, since a figure or a page may repeat an item of it.
    """
    made = site.record(run).outputs.get(output)
    kind = next((told for suffix, told in (*FIGURES.items(), (".html", "text/html")) if output.endswith(suffix)), "")
    if made is None or not kind:
        raise InputError(f"this run has no figure {output[:80]!r}", where=run, next="choose one of the run's page")
    if closed := site.closed(run):
        raise InputError(f"this figure is not shown: {next(iter(closed.values()))}", where=run)
    with site.store.blobs.open(made["sha256"], made["size"]) as blob:
        return blob.read(), kind
