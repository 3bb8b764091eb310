"""HTML pages: text is escaped, and a page loads and runs nothing."""

import base64
import hashlib
import re
from xml.etree import ElementTree

import pytest

from harness.errors import InputError
from harness.kit import pages
from harness.kit.pages import Html, el, fill, inline_svg, join, table, text

SVG = """<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9" onload="x()">
 <!-- a comment --><metadata>hidden</metadata><title>hidden</title>
 <defs><style>*{fill:red}</style><clipPath id="p1"><rect x="0" y="0" width="9" height="9"/></clipPath></defs>
 <g id="figure_1" clip-path="url(#p1)"><path id="m1" d="M 1.23456 2 L 3.00001 4" style="fill: #ffffff; x-evil: url(h)"/>
 <use xlink:href="#m1" x="1"/><use xlink:href="http://elsewhere/x"/>
 <path style="fill: url(http://elsewhere/y)" d="M 0 0"/>
 <text onclick="x()" style="font-size: 8px; font-family: 'DejaVu Sans'">a &lt;b&gt; &amp; c</text>
 <script>x()</script><foreignObject><p>x</p></foreignObject><image href="data:x"/>
 <a href="javascript:x()"><rect/></a></g>
</svg>"""


def test_text_is_escaped_unless_it_is_markup_already():
    assert el("p", "<b>&\"'", Html("<i>x</i>"), None) == "<p>&lt;b&gt;&amp;&quot;&#x27;<i>x</i></p>"
    assert el("a", "x", href='"><script>', class_="k", aria_label="l") == (
        '<a href="&quot;&gt;&lt;script&gt;" class="k" aria-label="l">x</a>'
    )
    assert join(["<", Html("<br>")], "&") == "&lt;&amp;<br>"


def test_what_no_page_may_hold_is_shown_as_such():
    assert text("a\x00b\ud800c\u202ed\x1b") == "a\ufffdb\ufffdc\ufffdd\ufffd"
    pages.document("\ud800", "\x00\ud800").decode("utf-8")


def test_a_very_long_name_is_cut_and_its_text_direction_isolated():
    assert pages.named("x" * 500) == f"<bdi>{'x' * pages.LONGEST}…</bdi>"


def test_the_policy_allows_the_pages_own_style_and_nothing_else():
    page = pages.document("T", el("p", "x")).decode()
    [style] = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    allowed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy == f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in style and "@import" not in style
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')


def test_a_table_names_its_columns_and_rows():
    root = ElementTree.fromstring(table("Cap <t>", ["A", "B"], [["one", "1"], [Html("<b>two</b>"), "2"]], parts=[1]))
    assert root.find("table/caption/span").text == "Cap <t>" and root.get("aria-label") == "Cap <t>"
    assert [each.get("scope") for each in root.iter("th")] == ["col", "col", "row", "row"]
    assert [each.get("class") for each in root.iter("th")] == [None, None, None, "part"]


def test_a_figure_brings_shapes_and_words_along_and_nothing_else():
    found = inline_svg(SVG, "f-1", 'what "it" shows')
    root = ElementTree.fromstring(found)
    assert {each.tag for each in root.iter()} == {"svg", "defs", "clipPath", "rect", "g", "path", "use", "text"}
    assert (root.get("role"), root.get("aria-label"), root.get("viewBox")) == ("img", 'what "it" shows', "0 0 9 9")
    for wrong in (
        "elsewhere",
        "onload",
        "onclick",
        "style",
        "script",
        "hidden",
        "javascript",
        "data:",
        "evil",
        "comment",
    ):
        assert wrong not in found
    [words] = root.iter("text")
    assert words.text == "a <b> & c" and words.get("font-family") == "'DejaVu Sans'"


def test_ids_of_a_figure_are_its_own_and_those_nobody_uses_are_dropped():
    one, two = (ElementTree.fromstring(inline_svg(SVG, prefix, "x")) for prefix in ("f-1", "f-2"))
    ids = [each.get("id") for root in (one, two) for each in root.iter() if each.get("id")]
    assert ids == ["f-1-p1", "f-1-m1", "f-2-p1", "f-2-m1"]
    assert one.find("g").get("clip-path") == "url(#f-1-p1)"
    assert [each.get("href") for each in one.iter("use")] == ["#f-1-m1", None]
    path = next(one.iter("path"))
    assert (path.get("fill"), path.get("d")) == ("#ffffff", "M 1.23 2 L 3 4")


def test_a_template_escapes_values_in_tags_attributes_and_loops():
    hostile = "<b>'\"&\x00\u202e"
    found = fill('<p class="{{ a }}">{{ a }}{% for x in b %}<i>{{ x }}</i>{% endfor %}</p>', a=hostile, b=[hostile, 7])
    assert found == f'<p class="{text(hostile)}">{text(hostile)}<i>{text(hostile)}</i><i>7</i></p>'
    assert fill("{{ a }}{{ b }}", a=Html("<i>x</i>"), b=None) == "<i>x</i>"
    assert fill("{{ a }}", a="{{ b }}{% for %}") == "{{ b }}{% for %}"  # what is given is never a template


def test_a_template_that_names_what_is_not_given_is_refused():
    with pytest.raises(InputError, match="'b' is undefined"):
        fill("{{ a }}{{ b }}", a="x")


@pytest.mark.parametrize("past", ["{{ a ~ b }}", "{{ a + b }}", "{{ '<b>%s' % a }}"])
def test_a_template_cannot_put_texts_together_past_the_escape(past):
    with pytest.raises(InputError, match="puts texts together"):
        fill(past, a=Html("<i>"), b="\x00")


@pytest.mark.parametrize("elsewhere", ["{% include 'x' %}", "{% extends 'x' %}", "{{ a|safe }}", "{{ range(9) }}"])
def test_a_template_reaches_nothing_but_what_it_is_given(elsewhere):
    with pytest.raises(Exception, match=r"no loader|No filter|undefined"):
        fill(elsewhere, a="x")


def test_what_is_no_svg_is_refused():
    with pytest.raises(ValueError, match="no SVG"):
        inline_svg("<html/>", "x", "y")


def test_values_that_are_all_alike_say_so_in_place_of_an_interval():
    equal = {"value": 1.0, "interval": [1.0, 1.0]}
    assert pages.value({**equal, "n": 8}, 1, 100) == '100.0<span class="ci">n = 8, all 100</span>'
    assert pages.value({"value": 0.125, "interval": [0.125, 0.125]}, 2).endswith('<span class="ci">all 0.12</span>')
    assert "[90.0, 100.0]" in pages.value({"value": 1.0, "interval": [0.9, 1.0]}, 1, 100)
    off = 1 - 1e-12  # an end that was summed in another order
    assert pages.around(1.0, (off, 1.0), 1200, 3) == "n = 1,200, all 1"


def test_a_name_breaks_between_its_parts():
    assert pages.named("baseline/<oracle>") == "<bdi>baseline/<wbr>&lt;oracle&gt;</bdi>"
    assert pages.named("SP+SL_x") == "<bdi>SP+<wbr>SL_<wbr>x</bdi>"
