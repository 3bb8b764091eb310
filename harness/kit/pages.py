"""HTML generation for the pages of every study: escaping by default, one style, one strict content security policy.

Text is turned into markup only in this module, and is escaped unless it is markup already; this holds for templates
too. Templates are texts of Python modules, so that they are part of the code of the step that fills them. A page loads
nothing, runs nothing, and can be read without colour, in dark mode, on paper and by a screen reader. Figures in a page
keep an allow-list of SVG's elements and attributes. Table cells show a value with its interval, or why it is absent.
"""

from __future__ import annotations

import base64
import functools
import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from harness.digest import sha256
from harness.errors import InputError
from harness.kit.documents import interval, number, reason, span

STYLE = """
:root{color-scheme:light dark;--ink:#1d1f21;--soft:#5b6167;--line:#d5d9dc;--paper:#fff;--band:#f3f5f6;--link:#00558c;
--c:#0072b2;--a:#d5d9dc;--i:#d55e00;--warn:#fff4e5;--edge:#b25000}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8ea;--soft:#a9b0b6;--line:#41474c;--paper:#16181a;--band:#202427;
--link:#7cc0ee;--c:#4aa3dc;--a:#5b6167;--i:#f08a3c;--warn:#332411;--edge:#f0a35c}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.2rem;max-width:84rem;color:var(--ink);background:var(--paper);
font:.94rem/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:.2rem 0 .4rem}h2{font-size:1.2rem;margin:2rem 0 .5rem}
h3{font-size:1rem;margin:1.4rem 0 .4rem}p,ul,ol{max-width:60rem;margin:.5rem 0}
a{color:var(--link)}.soft,caption,figcaption{color:var(--soft)}.soft,caption,figcaption{font-size:.87rem}
.note{border-left:4px solid var(--edge);background:var(--warn);padding:.5rem .9rem;margin:.8rem 0;max-width:60rem}
.note p,.note ul{margin:.2rem 0}
.scroll{overflow-x:auto;container-type:inline-size}
table{border-collapse:collapse;margin:.5rem 0;font-size:.87rem;line-height:1.35}
caption{text-align:left;padding:.2rem 0;caption-side:top}
caption span{display:block;position:sticky;left:0;width:100cqw}
th,td{padding:.25rem .4rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top;
font-variant-numeric:tabular-nums;overflow-wrap:normal}
th:first-child,td.text,th.text{text-align:left}thead th{background:var(--band);vertical-align:bottom}
tbody th{font-weight:600;overflow-wrap:anywhere;min-width:8rem}tbody th.part{padding-left:1.5rem;font-weight:400}
tbody th,thead th:first-child{position:sticky;left:0;z-index:1}
tbody th{background:var(--paper);box-shadow:inset 0 -1px var(--line)}
.ci,.why{display:block;font-size:.92em;color:var(--soft)}.ci{white-space:nowrap}.why{min-width:5rem}
.swatch{display:inline-block;width:.8em;height:.8em;border:1px solid var(--soft)}
.c{fill:var(--c);background:var(--c)}.a{fill:var(--a);background:var(--a)}.i{fill:var(--i);background:var(--i)}
figure{margin:1rem 0}figure>svg{display:block;width:100%;height:auto;max-width:1140px;background:#fff;border-radius:4px}
svg.bars{display:block;border:1px solid var(--line);margin-left:auto;shape-rendering:crispEdges}
nav ul{columns:3 14rem}summary{cursor:pointer}
@media (max-width:46rem){body{padding:.8rem}ul,ol{padding-left:1.2rem}.note ul{padding-left:1rem}
tbody th{min-width:6rem}tbody th.part{padding-left:.8rem}}
.narrow{display:none}
@media screen and (max-width:46rem){.narrow{display:block}figure.folds>svg{position:absolute;width:0;height:0}
.scroll>table{width:max-content}.scroll th{max-width:8rem}.scroll td{max-width:14rem}
.scroll td{overflow-wrap:anywhere}
.narrow>svg{display:block;max-width:100%;height:auto;margin:.4rem 0;background:#fff;border-radius:4px}}
@page{size:A4;margin:9mm}
@media print{html{font-size:9.6px}body{line-height:1.3;max-width:none;padding:0}h1{margin:0}h2{margin:.5rem 0 .2rem}
.note,p,ul{margin:.2rem 0;max-width:none}.note{padding:.1rem .5rem}th,td{padding:.05rem .35rem}table{margin:.2rem 0}
svg.bars{height:1.7em;width:auto}.scroll{overflow:visible}
tbody th,thead th:first-child,caption span{position:static}figure,tr,.note{break-inside:avoid}}
"""


LIMITED = "limited"  # parameter with a run's `--limit`; absent in whole runs
_TURNING = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))  # change the text direction


LONGEST = 100  # most characters of a name


class Html(str):
    """Markup that is already escaped and is inserted into a page unchanged."""

    __slots__ = ()

    def __html__(self) -> Html:
        """Return the markup itself, which tells Jinja2 not to escape it."""
        return self


def text(value: str) -> Html:
    """Escape any text into markup; control characters and direction marks become a replacement character."""
    return Html(html.escape("".join(_fit(char) for char in value)))


def _fit(char: str) -> str:
    category = unicodedata.category(char)
    if char in "\t\n":
        return char
    hidden = category in ("Cc", "Cs", "Cn") or unicodedata.bidirectional(char) in _TURNING
    return "\N{REPLACEMENT CHARACTER}" if hidden else char


def join(parts: Iterable[str | None], between: str = "") -> Html:
    """Concatenate markup and texts, which are escaped, in their order; a part that is None is left out."""
    made = (part if isinstance(part, Html) else text(part) for part in parts if part is not None)
    return Html(text(between).join(made))


def el(name: str, *inside: str | None, **attributes: str) -> Html:
    """Make an HTML element from markup and texts, which are escaped.

    The attributes `class_` and `aria_label` become `class` and `aria-label`.
    """
    spelled = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{spelled}>{join(inside)}</{name}>")


def named(name: str) -> Html:
    """Isolate a name of any text direction (`bdi`) from the text around it, cut to 100 characters.

    A line may break after each slash, plus sign and underscore in it, so that a narrow cell breaks no word.
    """
    cut = name if len(name) <= LONGEST else f"{name[:LONGEST]}…"
    return el("bdi", Html(re.sub("([/+_])", r"\1<wbr>", text(cut))))


def fill(template: str, **given: Any) -> Html:
    """Render a Jinja2 template; values are escaped by `text`.

    Raises InputError for a name that is not given, and for a template that concatenates texts.
    """
    from jinja2 import UndefinedError  # noqa: PLC0415

    try:
        return Html(_compiled(template).render(given))
    except UndefinedError as bad:
        raise InputError(f"a template shows what was not given: {bad}", where="a page's template") from bad


@functools.cache
def _compiled(template: str) -> Any:
    """Compile a template once; raises InputError for one that could make markup without `text`."""
    from jinja2 import Environment, StrictUndefined, nodes  # noqa: PLC0415 - loaded only to make a page

    made = Environment(autoescape=True, undefined=StrictUndefined, finalize=_shown, loader=None, optimized=False)
    made.filters, made.globals = {}, {}  # values are formatted in Python
    joined = (nodes.Concat, nodes.Add, nodes.Mod)
    if any(isinstance(node, joined) for node in made.parse(template).find_all(nodes.Expr)):
        raise InputError("a template puts texts together itself", where="a page's template", next="use `join` outside")
    return made.from_string(template)


def _shown(value: object) -> str:
    """Turn a value that a template shows into markup; None becomes empty, as in `join`."""
    return value if isinstance(value, Html) else Html() if value is None else text(str(value))


TABLE = """<div class="scroll" role="region" aria-label="{{ label }}" tabindex="0">\
<table><caption><span>{{ caption }}</span></caption>\
<thead><tr>{% for each in head %}<th scope="col">{{ each }}</th>{% endfor %}</tr></thead>\
<tbody>{% for first, others in body %}\
<tr><th scope="row"{% if loop.index0 in inner %} class="part"{% endif %}>{{ first }}</th>\
{% for each in others %}<td>{{ each }}</td>{% endfor %}</tr>\
{% endfor %}</tbody></table></div>"""


def table(caption: str, head: Sequence[str], body: Iterable[Sequence[str]], *, parts: Iterable[int] = ()) -> Html:
    """Make an HTML table whose first column has row headers; `parts` are the rows that are indented below another."""
    rows = [(cells[0], cells[1:]) for cells in body]
    return fill(TABLE, label=str(caption), caption=caption, head=head, body=rows, inner=frozenset(parts))


WORDS = """<div class="scroll" role="region" aria-label="{{ caption }}" tabindex="0">\
<table><caption><span>{{ caption }}</span></caption>\
<thead><tr>{% for each in head %}<th scope="col" class="text">{{ each }}</th>{% endfor %}</tr></thead>\
<tbody>{% for first, others in body %}<tr><th scope="row">{{ first }}</th>\
{% for each in others %}<td class="text">{{ each }}</td>{% endfor %}</tr>{% endfor %}</tbody></table></div>"""


def word_table(caption: str, head: Sequence[str], body: Iterable[Sequence[str]]) -> Html:
    """Make an HTML table whose cells are left-aligned words; the first column has row headers."""
    return fill(WORDS, caption=caption, head=head, body=[(cells[0], cells[1:]) for cells in body])


FOLD = """<details><summary>{{ title }}</summary>{{ inside }}</details>"""


def folded(title: str, *inside: str | None) -> Html:
    """Make a collapsed section with a title, which the reader can open."""
    return fill(FOLD, title=title, inside=join(inside))


def bullets(items: Iterable[str]) -> Html:
    """Make an HTML list of texts or markup."""
    return fill("<ul>{% for each in items %}<li>{{ each }}</li>{% endfor %}</ul>", items=items)


SECTION = """<section aria-labelledby="{{ anchor }}"><h2 id="{{ anchor }}">{{ title }}</h2>{{ inside }}</section>"""


def section(title: str, anchor: str, *inside: str | None) -> Html:
    """Make a section of a page with an anchor that links can name."""
    return fill(SECTION, title=title, anchor=anchor, inside=join(inside))


PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{{ title }}</title>
<style>{{ style }}</style>
</head>
<body>
{{ inside }}
</body>
</html>
"""


def mark_limited(page: bytes, params: Mapping[str, Any]) -> bytes:
    """Add a note to the head of a page if the step's parameters say that its run was limited.

    Otherwise the page is returned unchanged.
    """
    if LIMITED not in params:
        return page
    many = int(params[LIMITED])
    what = f"the first {many:,} items of each dataset were" if many != 1 else "the first item of each dataset was"
    words = f"A limited run: only {what} asked. No number on this page is of the whole benchmark."
    return page.replace(b"<body>\n", f"<body>\n{el('p', words, class_='note')}\n".encode(), 1)


def document(title: str, *inside: str | None) -> bytes:
    """Make a whole HTML page with a policy that loads nothing and runs no script, whatever its content."""
    allowed = base64.b64encode(bytes.fromhex(sha256(STYLE.encode()))).decode()
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    made = fill(PAGE, policy=Html(policy), title=title, style=Html(STYLE), inside=join(inside, "\n"))
    return f"{made}\n".encode()


NONE = "\N{EN DASH}"
BESIDE = "‡ the interval lies beside the value: a percentile interval of resamples need not contain it."
ROUNDING = 1e-9  # value and resamples are computed separately; a smaller difference counts as equal


def value(found: Any, digits: int = 1, scale: float = 1.0, unit: str = "") -> Html:
    """Format a value with its interval below and its marks after it; an absent value is a dash with the reason.

    The mark † stands for a degenerate value, ‡ for one outside its interval.
    """
    known, bounds = number(found), interval(found)
    if known is None:
        return join([NONE, el("span", reason(found)[:120], class_="why")])
    marks = "†" if isinstance(found, Mapping) and found.get("degenerate") is True else ""
    marks += "‡" if bounds and not _within(known, bounds) else ""
    under = None
    if bounds:
        many = number(found.get("n")) if isinstance(found, Mapping) else None
        under = el("span", around(known, bounds, many, digits, scale), class_="ci")
    elif isinstance(found, Mapping) and "interval" in found:
        under = el("span", "no interval", class_="ci")
    return join([f"{known * scale:z.{digits}f}{unit}{f' {marks}' if marks else ''}", under])


def around(known: float, bounds: tuple[float, float], many: float | None, digits: int = 1, scale: float = 1.0) -> str:
    """Format a value's interval as `[low, high]`; that of `many` equal values, which says nothing, as `n = 8, all 0`.

    Without `many` the words are `all 0`.
    """
    if alike(known, bounds):
        counted = f"n = {many:,.0f}, " if many is not None else ""
        return f"{counted}all {known * scale:z.{digits}f}".removesuffix(f".{'0' * digits}")
    low, high = (f"{end * scale:z.{digits}f}" for end in bounds)
    return f"[{low}, {high}]"


def alike(known: float, bounds: tuple[float, float]) -> bool:
    """Whether an interval has no width, since it comes from equal values."""
    return all(abs(end - known) <= ROUNDING * max(1.0, abs(known)) for end in bounds)


def _within(known: float, bounds: tuple[float, float]) -> bool:
    slack = ROUNDING * max(1.0, abs(known))
    return bounds[0] - slack <= known <= bounds[1] + slack


def percent(found: Any, digits: int = 1) -> Html:
    """Format a share of 0 to 1 as a percentage, with interval and marks as `value` does."""
    return value(found, digits, 100, " %")


def count(found: Any) -> Html:
    """Format a whole number with thousands separators; an absent one is a dash, without a reason."""
    known = number(found)
    return join([NONE if known is None else f"{known:,.0f}"])


def bounds(found: Any, scale: float = 1.0, digits: int = 0, unit: str = "") -> Html:
    """Format a range by its two bounds: one number if both read alike, a dash if either is absent."""
    known = span(found)
    if known is None:
        return join([NONE])
    low, high = (f"{end * scale:z.{digits}f}" for end in known)
    return join([f"{low} to {high}{unit}" if low != high else f"{low}{unit}"])


ELEMENTS = re.compile("svg|g|defs|path|use|clipPath|rect|text|tspan|pattern|circle|ellipse|line|polyline|polygon")
ATTRIBUTES = re.compile(
    "d|[xy][12]?|c[xy]|r[xy]?|points|width|height|transform|viewBox|href|clip-path|fill(-opacity|-rule)?|opacity|"
    "stroke(-width|-opacity|-dasharray|-dashoffset|-linecap|-linejoin|-miterlimit)?|font-(size|family|weight|style)|"
    "text-anchor|patternUnits|clipPathUnits"
)
NUMBERS = frozenset(("d", "x", "y", "points", "transform"))
_LONG = re.compile(r"-?\d+\.\d{3,}(?!\d|e)")
_INSIDE = re.compile(r"#([\w.-]+)")  # the target of an href
_DRAWN = re.compile(r"url\(#([\w.-]+)\)")  # a colour may begin with the same character


def inline_svg(svg: str, prefix: str, label: str, *, whole: str = "") -> Html:
    """Sanitise a figure into markup; its ids get the prefix `prefix`, and `label` is its name for screen readers.

    `whole` is an id for all that is drawn, if a page refers to it.
    Raises ValueError if the root is not an `svg` element.
    """
    root = ElementTree.fromstring(svg)  # noqa: S314 - drawn by an earlier step of the same run
    if _name(root.tag) != "svg":
        raise ValueError("this is no SVG")
    used = {
        target for each in root.iter() for key, value in _attributes(each).items() if (target := _target(key, value))
    }
    own = {"role": "img", "aria-label": label, "stroke-linejoin": "round", "stroke-linecap": "butt"}
    kept = {key: value for key, value in _attributes(root).items() if key == "viewBox"}
    inner = "".join(_element(child, prefix, used) for child in root)
    inner = f'<g id="{text(whole)}">{inner}</g>' if whole else inner
    return Html(f"<svg{_spelled({**kept, **own}, prefix)}>{inner}</svg>")


def _element(element: ElementTree.Element, prefix: str, used: set[str]) -> str:
    name = _name(element.tag)
    if not ELEMENTS.fullmatch(name):
        return ""
    attributes = _attributes(element)
    if element.get("id") in used:
        attributes["id"] = f"{prefix}-{element.get('id')}"
    inside = text(element.text or "") if name in ("text", "tspan") else ""
    inner = inside + "".join(_element(child, prefix, used) for child in element)
    return inner if name == "g" and not attributes else f"<{name}{_spelled(attributes, prefix)}>{inner}</{name}>"


def _name(tag: object) -> str:
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""  # comments have no name


def _attributes(element: ElementTree.Element) -> dict[str, str]:
    """Return the allowed attributes of an element, including those from its style."""
    found = {_name(key): value for key, value in element.attrib.items()}
    style = found.pop("style", "")
    found |= dict(_declared(style))
    return {key: value for key, value in found.items() if ATTRIBUTES.fullmatch(key) and _harmless(key, value)}


def _declared(style: str) -> Iterator[tuple[str, str]]:
    for one in style.split(";"):
        key, colon, value = one.partition(":")
        if colon:
            yield key.strip(), value.strip()


def _harmless(key: str, value: str) -> bool:
    """Whether a value refers to nothing outside its own figure."""
    return bool(_target(key, value)) or (key != "href" and "url(" not in value)


def _target(key: str, value: str) -> str:
    """Return the id that a value refers to; empty if it refers to none."""
    found = (_INSIDE if key == "href" else _DRAWN).fullmatch(value)
    return found[1] if found else ""


def _spelled(attributes: Mapping[str, str], prefix: str) -> str:
    return "".join(f' {key}="{text(_value(key, value, prefix))}"' for key, value in attributes.items())


def _value(key: str, value: str, prefix: str) -> str:
    if _target(key, value):
        return value.replace("#", f"#{prefix}-", 1)
    if key in NUMBERS:  # a hundredth of a point is too small to see
        return " ".join(_LONG.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), value).split())
    return value
