"""SVG sanitiser for figures inside a page: an allow-list of elements and attributes, everything else is dropped.

Styles become plain attributes, so that a page's policy can forbid all styles but its own; ids inside a figure are made
its own, so that two figures on one page do not meet. It must never know what a figure shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

from harness.studies.pages import Html, text

ELEMENTS = re.compile("svg|g|defs|path|use|clipPath|rect|text|tspan|pattern|circle|ellipse|line|polyline|polygon")
ATTRIBUTES = re.compile(
    "d|[xy][12]?|c[xy]|r[xy]?|points|width|height|transform|viewBox|href|clip-path|fill(-opacity|-rule)?|opacity|"
    "stroke(-width|-opacity|-dasharray|-dashoffset|-linecap|-linejoin|-miterlimit)?|font-(size|family|weight|style)|"
    "text-anchor|patternUnits|clipPathUnits"
)
NUMBERS = frozenset(("d", "x", "y", "points", "transform"))
_LONG = re.compile(r"-?\d+\.\d{3,}(?!\d|e)")
_INSIDE = re.compile(r"#([\w.-]+)")  # what an href names
_DRAWN = re.compile(r"url\(#([\w.-]+)\)")  # a colour may begin with the same sign


def inline_svg(svg: str, prefix: str, label: str) -> Html:
    """Sanitise a figure into markup: its ids begin with `prefix`, and `label` is its name for screen readers.

    ValueError where the root is no `svg` element.
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
    """List the attributes that may stay, those of its style among them."""
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
    """Whether a value points nowhere but into its own figure."""
    return bool(_target(key, value)) or (key != "href" and "url(" not in value)


def _target(key: str, value: str) -> str:
    """Give the id that a value names; empty where it names none."""
    found = (_INSIDE if key == "href" else _DRAWN).fullmatch(value)
    return found[1] if found else ""


def _spelled(attributes: Mapping[str, str], prefix: str) -> str:
    return "".join(f' {key}="{text(_value(key, value, prefix))}"' for key, value in attributes.items())


def _value(key: str, value: str, prefix: str) -> str:
    if _target(key, value):
        return value.replace("#", f"#{prefix}-", 1)
    if key in NUMBERS:  # a hundredth of a point is less than anybody sees
        return " ".join(_LONG.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), value).split())
    return value
