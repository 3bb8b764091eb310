"""The frame of a study's page: its head, its notes, the links to its parts, and figures with a narrow form.

The head names the manifest and its models. Date and id of a run are no inputs of the step that writes a page, so that
equal runs give equal bytes: `harness get` says them. Knows nothing of a study's numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from harness.kit import narrow
from harness.kit.pages import Html, bullets, document, el, fill, inline_svg, join, named, section, word_table

MANIFEST = "manifest"  # the parameter with the manifest's name and its models' strings, which planning fills in
MOST = 20  # models in the head
LONGEST = 200  # characters of a model's string in the head
POINTS = 72  # points of an inch, in which a figure's file measures
WHEN = "Run and date: ", " says them; the page itself has the same bytes in each run."
PAGE = """<header><h1>{{ title }}</h1><p>{{ question }}</p>\
{% if origin %}<p><strong>{{ origin }}</strong></p>{% endif %}{{ head }}</header>\
{% if notes %}<div class="note" role="note">{{ notes }}</div>{% endif %}
<nav aria-label="Parts of this page"><ul>\
{% for anchor, title in anchors %}<li><a href="#{{ anchor }}">{{ title }}</a></li>{% endfor %}\
</ul></nav>
<main>{{ parts }}</main>"""
FIGURE = """<figure id="shown-{{ stem }}"{% if narrow %} class="folds"{% endif %}>{{ drawn }}{{ narrow }}\
<figcaption>{{ caption }} File: {{ name }}</figcaption></figure>"""
DESCRIPTION, TITLE = (f"{{http://purl.org/dc/elements/1.1/}}{name}" for name in ("description", "title"))


def report(
    title: str,
    question: str,
    parts: Mapping[str, Sequence[str]],
    *,
    head: Html,
    notes: Iterable[str] = (),
    origin: str = "",
) -> bytes:
    """Return an HTML page: title, question, origin, head, notes, links to the parts, and all parts not empty."""
    anchors = {title: _anchor(title) for title, inside in parts.items() if inside}
    told = list(notes)
    filled = fill(
        PAGE,
        title=title,
        question=question,
        origin=origin,
        head=head,
        notes=bullets(told) if told else None,
        anchors=[(anchor, title) for title, anchor in anchors.items()],
        parts=join(section(title, anchor, *parts[title]) for title, anchor in anchors.items()),
    )
    return document(title, filled)


def _anchor(title: str) -> str:
    return "".join(char if char.isalnum() else "-" for char in title.lower()).strip("-")


def head(
    manifest: Mapping[str, Any],
    models: Mapping[str, Mapping[str, Any]],
    *more: Sequence[Html],
    page: str = "report.html",
) -> Html:
    """Return the HTML table at the top of a page: the manifest, each model's name, and `more` lines.

    `manifest` is the parameter that planning fills in; without its name the line on the manifest is left out. `page` is
    the page's name as an output.
    """
    lines = [*_lines(manifest, models), *more]
    shown = word_table("What was run", ["What", "Which"], lines) if lines else None
    before, after = WHEN
    told = el("p", before, el("code", f"harness get RUN {page} -o FILE"), after, class_="soft")
    return join([shown, told])


def _lines(manifest: Mapping[str, Any], models: Mapping[str, Mapping[str, Any]]) -> Iterator[list[Html]]:
    if name := manifest.get("name"):
        yield [join(["Manifest"]), named(str(name))]
    strings = manifest.get("models") or {}
    for name in list(models)[:MOST]:
        said = str(strings.get(name) or models[name].get("provider", ""))[:LONGEST]
        stand_in = " (stand-in)" if models[name].get("stand_in") is True else None
        yield [join(["Model ", named(name)]), join([said or None, stand_in])]
    if len(models) > MOST:
        yield [join(["Models"]), join([f"{len(models) - MOST} more"])]


def figure(svg: str, stem: str, title: str, caption: str | None = None) -> Html:
    """Return the HTML of a figure from its file: the drawing, its form for narrow screens, caption and file name.

    `title` is its name for screen readers, and its caption if no other is given.
    """
    shown = join([caption if caption is not None else f"{title}."])
    drawn = inline_svg(svg, stem, title, whole=_whole(stem))
    return fill(FIGURE, stem=stem, drawn=drawn, narrow=_narrow(svg, stem), caption=shown, name=f"{stem}.svg")


def titled(svg: str) -> str:
    """Return the title that a figure's file carries; empty if it carries none."""
    root = ElementTree.fromstring(svg)  # noqa: S314 - drawn by an earlier step of the same run
    return next((each.text or "" for each in root.iter(TITLE)), "")


def _whole(stem: str) -> str:
    return f"{stem}-whole"


def _narrow(svg: str, stem: str) -> Html | None:
    """Return the parts of a drawing that a small screen shows, with its words; None if its file names no parts."""
    root = ElementTree.fromstring(svg)  # noqa: S314 - drawn by an earlier step of the same run
    told = narrow.read(next((each.text or "" for each in root.iter(DESCRIPTION)), ""))
    if not told:
        return None
    views = [_view(part, stem) for part in told["narrow"]]
    words = [str(told.get(name) or "") for name in ("under", "words", "note")]
    under, others, note = (el("p", each, class_="soft") if each else None for each in words)
    return el("div", under, others, *views, note, class_="narrow")


def _view(part: Sequence[Sequence[Sequence[float]]], stem: str) -> Html:
    """Return one part: lines of rectangles of the drawing, which stand side by side."""
    shown, widest, down = [], 0.0, 0.0
    for line in part:
        right = 0.0
        for left, top, width, height in line:
            box = {"x": right, "y": down, "width": width, "height": height}
            place = {name: f"{POINTS * value:g}" for name, value in box.items()}
            view = " ".join(f"{POINTS * value:g}" for value in (left, top, width, height))
            shown.append(el("svg", el("use", href=f"#{_whole(stem)}"), **place, viewBox=view, aria_hidden="true"))
            right += width
        widest, down = max(widest, right), down + max(height for *_, height in line)
    size = f"0 0 {POINTS * widest:g} {POINTS * down:g}"
    return el("svg", *shown, viewBox=size, width=f"{POINTS * widest:g}pt", aria_hidden="true")
