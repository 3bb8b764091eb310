"""How the pages look: one calm style, light and dark, for wide and narrow windows, and the frame that each page has.

The style and the one script are files of the server's own. Nothing else is loaded, and every page works without script.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from harness.kit.pages import Html, el, fill, join, text

STYLE = """
:root{color-scheme:light dark;--ink:#1d2329;--soft:#5b6570;--line:#dde2e7;--page:#fbfcfd;--box:#f2f4f7;--link:#0b5cad;
--good:#1c7a43;--bad:#b3261e;--open:#8a6100;--ins:#d4efdc;--del:#f9d9d6;--mark:#efe3ff}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ec;--soft:#a0abb6;--line:#323a43;--page:#14181c;--box:#1d2329;
--link:#7db8f5;--good:#6fcf97;--bad:#ff8a80;--open:#e8bf5a;--ins:#16422a;--del:#55211d;--mark:#41305c}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
a{color:var(--link);text-decoration:none}a:hover,p:not(.pages) a:not(.badge){text-decoration:underline}
a:focus-visible,button:focus-visible,select:focus-visible,input:focus-visible,pre:focus-visible,.scroll:focus-visible,
summary:focus-visible{outline:2px solid var(--link);outline-offset:2px}
header{border-bottom:1px solid var(--line);background:var(--box)}
header nav,main,footer{max-width:1320px;margin:0 auto;padding:0 20px}
header nav{display:flex;flex-wrap:wrap;gap:4px 22px;align-items:baseline;padding-top:10px;padding-bottom:10px}
header strong{margin-right:8px}header a[aria-current]{color:var(--ink);font-weight:600}
.skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;background:var(--page);padding:4px 8px}
main{padding-top:8px;padding-bottom:40px}footer{color:var(--soft);font-size:13px;padding-bottom:24px}
h1{font-size:24px;line-height:1.25;margin:18px 0 6px;overflow-wrap:anywhere}
h2{font-size:17px;margin:30px 0 8px}h3{font-size:15px;margin:18px 0 6px}
p{margin:6px 0}.soft{color:var(--soft)}.small{font-size:13px}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:6px;background:var(--page)}
table{border-collapse:collapse;width:100%;font-size:14px}
caption{text-align:left;color:var(--soft);font-size:13px;padding:6px 10px}
th,td{text-align:left;vertical-align:top;padding:6px 10px;border-top:1px solid var(--line);white-space:nowrap}
thead th{border-top:0;color:var(--soft);font-weight:600;font-size:13px;background:var(--box)}
td.num,th.num{text-align:right;font-variant-numeric:tabular-nums}td.wide{white-space:normal;min-width:230px;
overflow-wrap:anywhere}
code,pre,.mono{font:13px/1.5 ui-monospace,"DejaVu Sans Mono",Menlo,monospace}
pre.words{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--box);border:1px solid var(--line);
border-radius:6px;padding:10px 12px;margin:6px 0;max-height:480px;overflow:auto}
.mark{background:var(--mark);border-radius:3px;padding:0 2px;font:11px ui-monospace,monospace;unicode-bidi:isolate}
.cut{color:var(--soft);font-style:italic}
ins{background:var(--ins);text-decoration:none}del{background:var(--del);text-decoration:none}
.badge{display:inline-block;border:1px solid currentColor;border-radius:10px;padding:0 8px;font-size:12px;
line-height:18px;white-space:nowrap}
.good{color:var(--good)}.bad{color:var(--bad)}.open{color:var(--open)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;margin:8px 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere;min-width:0}
form.filter{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:8px 12px;align-items:end;
background:var(--box);border:1px solid var(--line);border-radius:6px;padding:12px;margin:12px 0}
form.filter label{font-size:13px;color:var(--soft)}form.filter .words{grid-column:span 2}
select,input,button{font:inherit;color:inherit;background:var(--page);border:1px solid var(--line);border-radius:5px;
padding:5px 8px;width:100%;min-width:0}
input[type=checkbox]{width:auto}button{cursor:pointer;background:var(--box)}
button.copy{width:auto;font-size:12px;padding:1px 8px;margin-left:8px}
.sides{display:grid;grid-template-columns:1fr 1fr;gap:0 18px}.sides>div{min-width:0}
progress{width:100%;max-width:420px;height:10px;vertical-align:middle}
.note{border-left:3px solid var(--open);background:var(--box);padding:8px 12px;margin:10px 0;border-radius:0 6px 6px 0}
figure{margin:12px 0}figure img{max-width:100%;height:auto;background:#fff;border:1px solid var(--line);
border-radius:6px}
figcaption{color:var(--soft);font-size:13px}
ul.plain{list-style:none;padding:0;margin:6px 0}ul.plain li{margin:3px 0;overflow-wrap:anywhere}
form.say{background:var(--box);border:1px solid var(--line);border-radius:6px;padding:8px 12px;margin:12px 0}
form.say button{width:auto;min-width:110px}.labels{display:flex;flex-wrap:wrap;gap:8px}
form.say button[aria-pressed=true]{outline:2px solid var(--link)}kbd{color:var(--soft);font-size:12px}
.pages{display:flex;gap:16px;margin:12px 0}details{margin:8px 0}summary{cursor:pointer;color:var(--link)}
@media (max-width:720px){header nav,main,footer{padding-left:12px;padding-right:12px}h1{font-size:20px}
.sides{grid-template-columns:1fr}form.filter .words{grid-column:1/-1}dl{grid-template-columns:1fr;gap:0}
dd{margin-bottom:6px}th,td{padding:5px 7px}
table.flow,table.flow tbody,table.flow caption{display:block}table.flow thead{position:absolute;left:-9999px}
table.flow tr{display:flex;flex-wrap:wrap;gap:1px 12px;padding:6px 8px;border-top:1px solid var(--line)}
table.flow td{border:0;padding:0;white-space:normal;overflow-wrap:anywhere}
table.flow td:empty{display:none}table.flow td.wide{flex-basis:100%;min-width:0}
table.flow td[data-label]::before{content:attr(data-label) " ";color:var(--soft);font-size:13px}}
@media print{header,form,button,.pages{display:none}pre.words{max-height:none}}
"""

SCRIPT = """
"use strict";
document.querySelectorAll("button.copy").forEach(button => button.addEventListener("click", () => {
  navigator.clipboard.writeText(button.dataset.text).then(() => { button.textContent = "copied"; });
}));
document.querySelectorAll("[data-live]").forEach(place => {
  const source = new EventSource(place.dataset.live);
  source.onmessage = event => {
    const told = JSON.parse(event.data);
    const bar = place.querySelector("progress"), words = place.querySelector("span");
    if (bar && told.total) { bar.max = told.total; bar.value = told.done; }
    if (words) { words.textContent = told.text; }
    if (told.over) { source.close(); location.reload(); }
  };
});
document.querySelectorAll("form.filter select").forEach(one => one.addEventListener("change", () => one.form.submit()));
document.addEventListener("keydown", event => {
  if (event.target.matches("input,select,textarea") || event.ctrlKey || event.metaKey || event.altKey) { return; }
  const follow = rel => { const link = document.querySelector(`a[rel=${rel}]`); if (link) { link.click(); } };
  const box = document.querySelector("input[name=q]");
  if (event.key === "/" && box) { event.preventDefault(); box.focus(); }
  if (event.key === "j") { follow("next"); }
  if (event.key === "k") { follow("prev"); }
  const said = document.querySelector(`button[data-key="${CSS.escape(event.key)}"]`);
  if (said) { said.click(); }
});
"""

NAVIGATION = (
    ("/", "Runs"),
    ("/compare", "Compare"),
    ("/claims", "Claims"),
    ("/attempts", "Attempts"),
    ("/doctor", "Doctor"),
)
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }} · harness</title><link rel="stylesheet" href="/style.css"><link rel="icon" href="data:,">
{% if again %}<noscript><meta http-equiv="refresh" content="2"></noscript>{% endif %}</head>
<body><a class="skip" href="#main">To the page</a>
<header><nav aria-label="Pages"><strong>harness</strong>{{ links }}</nav></header><main id="main"><h1>{{ heading }}</h1>
{{ inside }}
</main><footer>{{ foot }}</footer><script src="/view.js" defer></script></body></html>
"""


def whole_page(
    title: str,
    *inside: str | None,
    here: str = "",
    foot: str = "",
    again: bool = False,
    head: str = "",
    navigation: Sequence[tuple[str, str]] = NAVIGATION,
) -> bytes:
    """Return a whole HTML page with head, navigation and parts; `again` reloads it until what it waits for is done."""
    links = join(_link(address, name, here) for address, name in navigation)
    made = fill(
        PAGE, title=title, heading=head or title, links=links, inside=join(inside, "\n"), foot=foot, again=again
    )
    return made.encode("utf-8", "replace")


def _link(address: str, name: str, here: str) -> Html:
    current = {"aria_current": "page"} if address == here else {}
    return el("a", name, href=address, **current)


NOTHING = Html("")
GOOD = frozenset(("agreed", "met", "done", "right", "ok", "scored", "usable", "pass"))
BAD = frozenset(
    ("disagreed", "missed", "failed", "wrong", "damaged", "error", "missing", "judge_error", "not usable", "fail")
)


def verdict_badge(word: str, side: int | None = None) -> Html:
    """Return a verdict as a coloured HTML badge; `side` says of an outcome whether it is right (1) or wrong (0)."""
    first = word.partition(",")[0]
    kind = "good" if first in GOOD or side == 1 else "bad" if first in BAD or side == 0 else "open"
    return el("span", word, class_=f"badge {kind}")


OUTCOMES = {"c": "correct", "a": "avoidant", "i": "incorrect"}  # what the letters of `reliability.outcome` stand for


def spell_outcome(outcome: str) -> str:
    """Return an outcome with the word that its letter stands for, if it is a letter."""
    return f"{outcome}: {OUTCOMES[outcome]}" if outcome in OUTCOMES else outcome


def outcome_badge(outcome: str, side: int | None) -> Html:
    """Return the outcome of an answer as an HTML badge; nothing if the answer has none."""
    return verdict_badge(spell_outcome(outcome), side) if outcome else NOTHING


def with_code(words: str) -> Html:
    """Convert a text to HTML in which words between backticks are code."""
    parts = words.split("`")
    if len(parts) % 2 == 0:  # a backtick without another
        return el("span", words)
    return join([el("code", part) if place % 2 else text(part) for place, part in enumerate(parts)])


def table_element(
    label: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Iterable[int] = (),
    wide: Iterable[int] = (),
    named: Iterable[int] = (),
    flow: bool = True,
) -> Html:
    """Return an HTML table; columns of `numbers` are right-aligned, those of `wide` may break their lines.

    With `flow` a row takes several lines in a narrow window, so that all of it is seen; there the cells of `numbers`
    and `named` say which column they are of. A column in which nothing stands is left out.
    """
    given = [list(row) for row in rows]
    if not given:
        return el("p", f"{label}: none", class_="soft")
    numbers = tuple(numbers)
    kinds, told = {**dict.fromkeys(wide, "wide"), **dict.fromkeys(numbers, "num")}, {*numbers, *named} if flow else ()
    shown = [place for place in range(len(head)) if any(row[place] for row in given)]
    cells = [
        [(row[at], kinds.get(at, ""), head[at] if at in told and row[at] else "") for at in shown] for row in given
    ]
    titles = [(head[at], kinds.get(at, "")) for at in shown]
    return fill(GRID, label=label, head=titles, body=cells, flow="flow" if flow else "")


GRID = """<div class="scroll" role="region" aria-label="{{ label }}" tabindex="0">\
<table class="{{ flow }}"><caption>{{ label }}</caption>\
<thead><tr>{% for cell, kind in head %}<th scope="col" class="{{ kind }}">{{ cell }}</th>{% endfor %}</tr></thead>\
<tbody>{% for row in body %}<tr>{% for cell, kind, title in row %}\
<td class="{{ kind }}"{% if title %} data-label="{{ title }}"{% endif %}>{{ cell }}</td>\
{% endfor %}</tr>\
{% endfor %}</tbody></table></div>"""


def fact_list(told: Mapping[str, str | None]) -> Html:
    """Return an HTML list of names, each with what is said of it; empty entries are left out."""
    return el("dl", *(join([el("dt", name), el("dd", said)]) for name, said in told.items() if said))


def spelled(verb: str, *names: str, options: Sequence[str] = ()) -> str:
    """Return a command line of the harness, quoted for a shell; names that begin with `-` stay arguments."""
    apart = ("--",) if any(one.startswith("-") for one in names) else ()
    return shlex.join(("harness", *verb.split(), *options, *apart, *names))


def copyable_command(words: str) -> Html:
    """Return a command as an HTML list item with a button that copies it."""
    return el("li", el("code", words), el("button", "copy", class_="copy", type="button", data_text=words))


def void_element(name: str, **attributes: str) -> Html:
    """Return an HTML element without content or end tag, such as an input field."""
    return Html(el(name, **attributes).removesuffix(f"</{name}>"))


def copyable_commands(lines: Iterable[str]) -> Html:
    """Return an HTML list of commands, each with a button that copies it."""
    return el("ul", *map(copyable_command, lines), class_="plain")


def progress_element(words: str, live: str, done: int = 0, total: int = 0) -> Html:
    """Return an HTML progress bar, which the page updates from the address `live`, if one is given."""
    bar = el("progress", max=str(total or 1), value=str(done), aria_label=words)
    followed = {"data_live": live} if live else {}
    return el("p", bar, " ", el("span", words), class_="note", role="status", **followed)


def run_address(run: str, *more: str) -> str:
    """Return the URL path of a page about a run."""
    return "/".join(["/runs", *(quote(part, safe="") for part in (run, *more))])
