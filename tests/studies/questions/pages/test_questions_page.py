"""The page of a run of `questions`: it shows the numbers of the summary, and no name or text can break it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from studies.curie.pages.page_text import read, row_of, section_of, text_of
from studies.questions.measures.question_rows import Row, error, item, score, summed
from support_draws import drawn

from harness import rows
from harness.studies.questions.measures import comparison
from harness.studies.questions.pages import answers, figures, report
from harness.studies.questions.pages.basis import spelled
from harness.studies.questions.pages.page_facts import FIGURES, REPORT

HOSTILE = ("<script>alert(1)</script>", "]]>&amp;\"'", "m" * 400, "\u202edetsurt $x$\x00\nline", "missing")
SUITE = {"exact": {"scorer": "exact", "name": "exact"}, "nats": {"scorer": "perplexity", "name": "nats"}}


def params(models: Mapping[str, bool], **changed: Any) -> Row:
    """Give the parameters of the two steps; `models` says which are stand-ins."""
    facts = {name: {"provider": "baseline", "stand_in": stand_in} for name, stand_in in models.items()}
    return {
        "models": facts, "scorers": SUITE, "wordings": [{"id": 0, "text": "Q: {q}\nA:"}], "instruments": {},
        "asking": {"seeds": [0], "samples": 1, "generation": {"max_tokens": 8}}, **changed,
    }  # fmt: skip


def written(folder: Path, summary: Row, given: Row, **inputs: Path) -> str:
    """Run both steps over a summary, and give the page's HTML."""
    found = {"summary": folder / "summary.json", "counts": folder / "counts.json", **inputs}
    rows.write_one(found["summary"], summary)
    rows.write_one(found["counts"], {"d": {"rows": 9, "asked": 4}})
    figures.draw(given, found, folder)
    report.write(given, {**found, FIGURES[0]: folder / FIGURES[0]}, folder)
    return (folder / REPORT).read_text(encoding="utf-8")


def suite(folder: Path) -> Row:
    """Give the summary of a small run with everything in it: groups, wordings, samples, clusters, an error."""
    items = [item(name, group={"land": name[0]}, cluster=name[0]) for name in ("a1", "a2", "b1", "b2")]
    told = [
        score(name, int((place + wording + sample) % 3 > 0), model=model, wording=wording, sample=sample,
              answer=str((place + sample) % 2))
        for model in ("solo", "duo") for wording in (1, 2) for sample in (0, 1)
        for place, name in enumerate(("a1", "a2", "b1", "b2"))
    ]  # fmt: skip
    texts = [
        score(name, 2.0, scorer="nats", model="solo", logprob=-8, tokens=4, words=2, bytes=16, metrics={})
        for name in ("a1", "b1")
    ]
    kinds = {"exact": "exact", "nats": "perplexity"}
    return summed(folder, items, [*told, *texts, error("a1", model="duo", sample=3)], kinds)


def test_every_section_shows_the_numbers_of_the_summary(tmp_path: Path) -> None:
    summary = suite(tmp_path)
    html = written(tmp_path, summary, params({"solo": False, "duo": True}))
    read(html)
    line = summary["scores"]["solo"]["d"]["exact"]
    low, high = (100 * end for end in line["interval"])
    assert f"{100 * line['value']:.1f} % [{low:.1f}, {high:.1f}] n = 16" in row_of(html, "Scores", "solo")
    assert "n = 16, 1 errors" in row_of(html, "Scores", "duo stand-in")
    assert "drawn" not in html and "d: exact" in text_of(section_of(html, "Figure"))
    of_b = summary["groups"]["d"]["land"]["values"]["b"]["solo"]["exact"]["value"]
    assert row_of(html, "Groups", "b").startswith(f"b {100 * of_b:.1f} %")
    spread = summary["wordings"]["solo"]["d"]["exact"]["spread"]["range"]
    assert f"solo {100 * spread:.1f}" in row_of(html, "Wordings", "solo")
    repeated = summary["samples"]["solo"]["d"]["exact"]
    shown = row_of(html, "Several answers", "solo on d , exact")
    assert (
        f"{100 * repeated['pass_at']['2']['value']:.1f} %" in shown and f"{repeated['majority']['ties']} ties" in shown
    )
    assert f"{summary['perplexity']['solo']['d']['nats']['word_perplexity']['value']:.3f}" in row_of(
        html, "Perplexity", "solo on d"
    )
    assert row_of(html, "What is left out", "duo on d , exact").endswith("exact 16 0 1 0 0")
    rests = text_of(section_of(html, "What this rests on"))
    assert "The 4 items of d come in 2 clusters" in rests and "Certificates: none" in rests
    assert "Q: {q}\nA:" in html and "Stand-ins, which are no models" in html and "rows: 9" in html


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", drawn(HOSTILE, 1, 5))
def test_no_name_breaks_the_page_or_leaves_it(tmp_path: Path, name: str) -> None:
    items = [item("a", name, group={name: name}), item("b", name, group={name: "x"})]
    summary = summed(tmp_path, items, [score("a", 1, model=name, scorer=name), score("b", 0, model=name, scorer=name)])
    given = params({name: True}, scorers={name: {"scorer": "exact", "name": name, "about": name}},
                   wordings=[{"id": 0, "turns": [{"system": name}, {"user": name}], "shot": name}])  # fmt: skip
    html = written(tmp_path, summary, given)
    read(html)
    assert "<script" not in html and "\x00" not in html and "\u202e" not in html
    assert "50.0 %" in text_of(section_of(html, "Scores")) and "100.0 %" in text_of(section_of(html, "Groups"))


def test_a_run_without_any_score_says_so(tmp_path: Path) -> None:
    summary = summed(tmp_path, [item("a"), item("b")], [error("a"), error("b")])
    html = written(tmp_path, summary, params({"m": False}))
    assert "no answer has a value of it" in row_of(html, "Scores", "m")
    assert "nothing to draw" in text_of(section_of(html, "Figure"))


def test_a_file_of_wordings_is_shown_as_it_was_written(tmp_path: Path) -> None:
    summary = summed(tmp_path, [item("a")], [score("a", 1)])
    given = tmp_path / "mine.jsonl"
    given.write_text('{"id": 3, "text": "Tell <b>me</b>: {q}"}\n{"id": 5, "text": "{q}?"}\n')
    html = written(tmp_path, summary, params({"m": False}, wordings=[]), wordings=given)
    assert "Tell &lt;b&gt;me&lt;/b&gt;: {q}" in html and "Wording 5" in html and "2 wordings" in html


def test_a_very_long_wording_and_very_many_are_cut(tmp_path: Path) -> None:
    summary = summed(tmp_path, [item("a")], [score("a", 1)])
    many = [{"id": place, "text": "x" * 5000} for place in range(60)]
    html = written(tmp_path, summary, params({"m": False}, wordings=many))
    assert "x" * 4001 not in html and "And 10 more" in html and len(html) < 500_000


@pytest.mark.long
def test_the_figure_is_the_same_bytes_each_time_and_holds_many_models(tmp_path: Path) -> None:
    models = {f"model-{place:03}": False for place in range(70)}
    rows_ = [score(name, int(place % 3 > 0), model=model) for place, model in enumerate(models) for name in "ab"]
    summary = summed(tmp_path, [item("a"), item("b")], rows_)
    once = written(tmp_path, summary, params(models))
    assert once == written(tmp_path, summary, params(models)) and "The first 30 panels and 60 models" in once


def test_a_setting_that_a_page_would_not_show_is_quoted() -> None:
    found = spelled({"generation": {"stop": ["\n", "END"], "max_tokens": 8}, "system": " be brief"})
    assert found == 'generation: (stop: "\\n", END, max_tokens: 8), system: " be brief"'


def asked(folder: Path, count: int, models: tuple[str, ...] = ("left", "right"), **given: Any) -> str:
    """Write the page of a run over some items of which `left` misses each third one, and `right` each fourth."""
    items = [item(f"q{place:04}") | {"input": {"q": f"Question {place}?"}} for place in range(count)]
    told = [
        score(one["id"], int(place % (3 + at) > 0), model=model, wording=0, answer=f"{model} said {place}")
        for place, one in enumerate(items) for at, model in enumerate(models)
    ]  # fmt: skip
    summary = summed(folder, items, told)
    rows.write(folder / "gold", [{"id": one["id"], "gold": {"target": f"gold {one['id']}"}} for one in items])
    answers_ = [
        {"item": row["item"], "template": 0, "model": row["model"], "sample": 0, "finish": "stop",
         "text": f"<i>{row['model']} said {int(row['item'][1:])}</i>"}
        for row in told
    ]  # fmt: skip
    rows.write(folder / "responses", answers_)
    tables = {name: folder / name for name in ("items", "gold", "scores", "responses")}
    if len(models) == 2:
        comparison.write({"models": list(models), "scorers": {"exact": "exact"}}, tables, folder)
        tables["comparison"] = folder / "comparison"
    return written(folder, summary, params(dict.fromkeys(models, False), **given), **tables)


def test_the_head_says_the_manifest_the_models_as_they_are_named_and_the_wording(tmp_path: Path) -> None:
    named = {"name": "capitals", "models": {"left": "openai/m-1@http://127.0.0.1:8000/v1", "right": "baseline/echo"}}
    html = asked(tmp_path, 4, manifest=named)
    read(html)
    head = text_of(html.partition("<header>")[2].partition("</header>")[0])
    for words in ("Manifest capitals", "Model left openai/m-1@http://127.0.0.1:8000/v1", "Model right baseline/echo",
                  "Wording Q: {q} ⏎ A:", "harness get RUN report.html"):  # fmt: skip
        assert words in head


def test_items_stand_beside_their_answers_and_wrong_ones_come_first(tmp_path: Path) -> None:
    html = asked(tmp_path, 120)
    read(html)
    part = section_of(html, "Items and answers")
    text = text_of(part)
    assert "&lt;i&gt;left said 0&lt;/i&gt;" in part and "<i>" not in part, "an answer is text"
    both, one, none = (text.index(f"q{place:04} ") for place in (12, 3, 1))
    assert text.index("q0000 ") < both < one < none, "both models miss 0 and 12, left alone 3, nobody 1"
    assert row_of(html, "Items and answers", "q0003") == (
        "q0003 Question 3? gold q0003 wrong: <i>left said 3</i> exact 0 <i>right said 3</i> exact 1"
    )
    assert part.count("<details>") == 2 and "Items 101 to 120 of 120" in text, "parts of 50, all but the first folded"


def test_of_very_many_items_the_first_are_shown_and_a_sentence_says_so(tmp_path: Path) -> None:
    html = asked(tmp_path, 700, ("left",))
    assert "Shown are 500 of 700 items; harness show RUN --items pages through all." in html
    assert html.count("Question ") < 520 and len(html) < 1_000_000


def test_two_models_are_compared_and_one_is_not(tmp_path: Path) -> None:
    html = asked(tmp_path, 24)
    line = row_of(html, "Comparison", "d , exact")
    assert line.startswith("d , exact 24 66.7 % 75.0 % 8.3 % ") and line.endswith(" 6 4")
    (tmp_path / "one").mkdir()
    assert "Comparison" not in asked(tmp_path / "one", 4, ("left",))


def test_a_gated_item_is_not_shown(tmp_path: Path) -> None:
    items = [item("open"), item("shut")]
    items[1]["meta"]["gated"] = True
    rows.write(tmp_path / "items", items)
    rows.write(tmp_path / "gold", [{"id": one["id"], "gold": {"target": f"gold {one['id']}"}} for one in items])
    rows.write(tmp_path / "scores", [score("open", 1), score("shut", 0)])
    tables = {name: tmp_path / name for name in ("items", "gold", "scores")}
    found = answers.read_answers(tables, ["m"], {"exact": "exact"})
    html = "".join(answers.answers(found, ["m"]))
    assert "gold open" in html and "shut" not in html and "1 gated items are not shown" in html


def test_of_several_answers_the_first_wrong_one_is_shown_and_counted(tmp_path: Path) -> None:
    told = [score("a", int(sample != 1), sample=sample, answer=f"said {sample}") for sample in range(4)]
    rows.write(tmp_path / "items", [item("a")])
    rows.write(tmp_path / "gold", [{"id": "a", "gold": {"target": "x"}}])
    rows.write(tmp_path / "scores", told)
    tables = {name: tmp_path / name for name in ("items", "gold", "scores")}
    html = "".join(answers.answers(answers.read_answers(tables, ["m"], {"exact": "exact"}), ["m"]))
    assert "said 1" in html and "said 0" not in html and "1 of 4 answers wrong" in html
