"""The viewer's pages: what is found by which filter, hostile answers as text, data that is kept, and who may ask."""

from __future__ import annotations

import json
import re
import shutil
import stat
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from support_answers_run import answers_run
from support_ground import copy_of
from support_inside import inner_data, inside
from support_view import ask, site_of

from harness.errors import InputError
from harness.evidence.fsck import find_store_flaws
from harness.store.store import Store, list_runs
from harness.store.sweep import collect_garbage
from harness.verbs import CompareRequest, Project, compare
from harness.view.index import AnswerIndex, AnswerQuery, index_path, is_fresh, mark_made, read_comparison, spelled_query
from harness.view.look import table_element, with_code
from harness.view.runs import RunFollower
from harness.view.worker import build_comparison, build_index

pytestmark = pytest.mark.together  # one store serves all
GOOD, POOR, ITEMS, WORDINGS = "good", "poor", 40, 2


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        answers_run(folder, {GOOD: 90, POOR: 40}, ITEMS, WORDINGS, strange=True, long=40_000)
        answers_run(folder, {GOOD: 50}, 3, 1, gated=True, name="kept")

    folder = copy_of("answers-to-look-at", tmp_path_factory.mktemp("view") / "p", make)
    opened = Store.open(folder / ".harness")
    for run in list_runs(opened):
        build_index(opened, run)
    return opened.root


@pytest.fixture
def runs(store: Path) -> list[str]:
    return list(list_runs(Store.open(store)))


def rows_of(store: Path, run: str, output: str) -> list[dict[str, Any]]:
    done = json.loads((store / "runs" / run / "record.json").read_bytes())["outputs"][output]["sha256"]
    return [json.loads(line) for line in (store / "blobs" / "sha256" / done[:2] / done).read_bytes().splitlines()]


def test_answers_are_found_by_filter_word_and_order_a_page_at_a_time(store: Path, runs: list[str]) -> None:
    answers = {
        (one["item"], one["template"], one["model"]): one["text"] for one in rows_of(store, runs[0], "responses")
    }
    scores = {(one["item"], one["template"], one["model"]): one["value"] for one in rows_of(store, runs[0], "scores")}
    with AnswerIndex.opened(index_path(Store.open(store), runs[0])) as index:

        def every(**asked: str) -> list[tuple[str, int, str]]:
            found, after = [], ""
            while page := index.page(AnswerQuery(**asked, after=after), 13):
                found += [(one.item, one.template, one.model) for one in page.rows]
                after = page.next
                if not after:
                    assert page.total == len(found)
                    return found
            raise AssertionError

        assert every() == list(answers)
        wrong = [key for key in answers if key[2] == POOR and scores[key] == 0]
        assert every(model=POOR, side="wrong") == wrong == every(model=POOR, outcome="i") and len(wrong) > 20
        said = [key for key, text in answers.items() if re.search(r"\bcarry\b", text) and re.search(r"\bboth\b", text)]
        assert every(q="carry BOTH") == said and 0 < len(said) < len(answers)
        assert every(q='"is so"', model=GOOD) == [
            key for key, text in answers.items() if key[2] == GOOD and "is so" in text
        ]
        assert len(every(q="numb*", template="2")) == sum(k[1] == 2 and " numb" in f" {t}" for k, t in answers.items())
        assert sorted(every(q='"form 1"', within="prompts")) == sorted(key for key in answers if key[1] == 1)
        for sort, way in (("low", 1), ("high", -1)):
            found = every(sort=sort)
            assert sorted(found) == sorted(answers) and [scores[key] for key in found] == sorted(scores.values())[::way]
        assert every(item="sum-000003", error="") == [key for key in answers if key[0] == "sum-000003"]
        counted = Counter("c" if value else "i" for value in scores.values())
        assert dict(index.facet(AnswerQuery(), "outcome")) == counted
        assert dict(index.facet(AnswerQuery(side="wrong"), "model")) == Counter(
            key[2] for key in scores if not scores[key]
        )
        with pytest.raises(InputError, match="no model"):
            index.page(AnswerQuery(model="none"))
    assert spelled_query('a" OR (b NEAR c) * --') == '"a""" "OR" "(b" "NEAR" "c)"'
    listed_page = ask(site_of(store), f"/runs/{runs[0]}/answers?q=%22+OR+%28&sort=long")
    assert listed_page.status == 200 and "nothing" not in listed_page.text


def test_hostile_answers_are_text_and_megabytes_are_cut(store: Path, runs: list[str]) -> None:
    site = site_of(store)
    pages = [ask(site, f"/runs/{runs[0]}/answers/{number}") for number in range(1, 6)]
    assert all(page.status == 200 and len(page.text) < 60_000 for page in pages)
    every = "".join(page.text for page in pages) + ask(site, f"/runs/{runs[0]}/answers").text
    assert re.findall(r"<script[^>]*>", every) == ['<script src="/view.js" defer>'] * 6 and "<img" not in every
    assert "&lt;/textarea&gt;&lt;/pre&gt;&lt;script&gt;" in pages[1].text
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069\u200b]", every)
    assert (
        ">U+202E</span>" in pages[2].text and ">ESC</span>[31mred" in pages[3].text and ">NUL</span>" in pages[3].text
    )
    assert "letters 1 to 20,000 of 400,0" in pages[0].text and "more letters in this line" in pages[0].text
    later = ask(site, f"/runs/{runs[0]}/answers/1?from=400000")
    assert "letters 400,001 to 400,0" in later.text
    assert "sums/responses/good/part-00000" in pages[0].text and "What is 0 + 7?" in pages[0].text


def test_what_is_kept_is_neither_indexed_nor_shown_nor_written(store: Path, runs: list[str], tmp_path: Path) -> None:
    site, kept = site_of(store), runs[1]
    data = index_path(Store.open(store), kept).read_bytes()
    assert b"sum-00" not in data and b"What" not in data and b"carry" not in data
    page = ask(site, f"/runs/{kept}/answers")
    assert "3 answers to sums are not shown: it is gated" in page.text and "sum-00" not in page.text
    assert ask(site, f"/runs/{kept}/answers/1").status == 404
    assert "Not shown here" in ask(site, f"/runs/{kept}/outputs/responses").text
    shown = ask(site, f"/runs/{kept}/outputs/gold").text.partition("sha256")[0]
    assert "50" not in shown.replace(kept, "")  # a run's name may hold any digits
    found = inner_data("report", kept, "--store", store, "-o", "r.html", cwd=tmp_path)
    assert found["not_shown"] == {"sums": 3} and found["answers"] == 0
    assert "sum-00" not in (tmp_path / "r.html").read_text()
    made = inner_data("export", kept, "--jsonl", "t", "--store", store, cwd=tmp_path)
    assert {one["file"] for one in made["tables"]} == {"means.jsonl"} and made["left_out"] == {"sums": 12}


def test_this_machines_browser_alone_is_answered(store: Path, runs: list[str]) -> None:
    site = site_of(store)
    good = ask(site, "/")
    assert good.status == 200 and runs[0] in good.text
    policy = good.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert good.headers["cache-control"] == "no-store" and good.headers["x-content-type-options"] == "nosniff"
    for host in (
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:7654",
        "localhost:7654@evil.example",
    ):
        assert ask(site, "/", host=host).status == 421
    assert ask(site, "/", origin="http://evil.example").status == 403 == ask(site, "/", origin="null").status
    assert ask(site, "/", sec_fetch_site="cross-site").status == 403
    assert ask(site, "/", origin="http://127.0.0.1:7654", sec_fetch_site="same-origin").status == 200
    assert {ask(site, "/", method=method).status for method in ("POST", "PUT", "DELETE")} == {405}
    for address in ("/runs/none", "/runs/..%2f..%2fetc", "/runs/none/live", f"/runs/{runs[0]}/outputs/none"):
        assert ask(site, address).status in (404, 500)
    assert ask(site, f"/runs/{runs[0]}/outputs/scores?raw=1").status == 404
    for address in (f"/runs/{runs[0]}", "/compare", f"/runs/{runs[0]}/outputs/counts", f"/?after={runs[1]}"):
        assert ask(site, address).status in (200, 404)


def test_an_index_is_its_owners_and_made_anew_for_another_record(store: Path, runs: list[str], tmp_path: Path) -> None:
    shutil.copytree(store, tmp_path / "store")
    own = Store.open(tmp_path / "store")
    path = index_path(own, runs[0])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    record = list_runs(own)[runs[0]].record
    assert not is_fresh(own, runs[0], record), "it is a copy, and was not made here"
    assert build_index(own, runs[0]) == path
    assert is_fresh(own, runs[0], record) and not is_fresh(own, runs[0], "0" * 64)
    path.write_bytes(b"no index")
    mark_made(own, path)
    assert not is_fresh(own, runs[0], record)
    assert build_index(own, runs[0]) == path and is_fresh(own, runs[0], record)
    assert list(find_store_flaws(own)) == []
    stray = path.with_name("20200101T000000Z-00000000.sqlite")
    stray.write_bytes(b"")
    assert list(find_store_flaws(own)) == [] and collect_garbage(own).folders == [stray]
    (path.parent / "other").write_bytes(b"")
    assert [flaw.id for flaw in find_store_flaws(own)] == ["unaccounted"]
    shutil.rmtree(path.parent)
    path.parent.symlink_to(tmp_path)
    assert tmp_path not in index_path(own, runs[0]).parents, "no link of a store is followed"


def test_two_models_are_compared_by_item_those_that_changed_sides_first(store: Path, runs: list[str]) -> None:
    own, run = Store.open(store), runs[0]
    path = build_comparison(own, (run, run), (GOOD, POOR))
    said = compare(Project.at(store, store), CompareRequest(runs=[run], models=(GOOD, POOR), items=0))
    found = read_comparison(path)
    assert found.told["lines"] == json.loads(said.model_dump_json(exclude_unset=True))["lines"]
    assert [one.item for one in found.rows] == [one.item for one in said.items[:50]]
    page = ask(site_of(store), f"/compare?left={run}&left_model={GOOD}&right_model={POOR}")
    items = len({one.item for one in said.items if one.changed})
    assert page.status == 200 and f"{items:,} items changed sides, in {said.changed:,} scores" in page.text
    listed = page.text.partition("Items with another score")[2]
    assert "<del>" in listed and "<ins>" in listed  # both answers, a word that differs marked, without a further click
    link = next(one for one in re.findall(r'href="(/compare/item[^"]*)"', page.text) if "sum-00003" in one)
    item = ask(site_of(store), link.replace("&amp;", "&"))
    assert item.status == 200 and "<ins>" in item.text and "<del>" in item.text


def test_a_comparison_without_an_index_waits_for_the_answers(store: Path, runs: list[str], tmp_path: Path) -> None:
    shutil.copytree(store, tmp_path / "store")
    own, run = Store.open(tmp_path / "store"), runs[0]
    build_comparison(own, (run, run), (GOOD, POOR))
    index_path(own, run).unlink()
    site, address = site_of(own.root), f"/compare?left={run}&left_model={GOOD}&right_model={POOR}"
    page = ask(site, address).text
    assert "the index of this run is made" in page and "left answer" not in page, "no column without an answer"
    site.jobs.end()
    build_index(own, run)
    assert "left answer" in ask(site, address).text


def test_a_column_in_which_nothing_stands_is_left_out_and_a_narrow_cell_says_what_it_is() -> None:
    table = table_element(
        "Runs", ("run", "cost", "engine"), [("a", "", "local"), ("b", "", "docker")], numbers=(1,), named=(2,)
    )
    assert "cost" not in table and table.count('data-label="engine"') == 2
    assert table_element("Runs", ("run",), []) == '<p class="soft">Runs: none</p>'
    assert with_code("run `harness fsck`, <b>") == "run <code>harness fsck</code>, &lt;b&gt;"


def test_a_report_is_the_same_bytes_and_counts_what_it_shows(store: Path, runs: list[str], tmp_path: Path) -> None:
    asked = ("report", runs[0], "--store", store, "--wrong", "10", "--sample", "5", "-o")
    found, again = (inner_data(*asked, name, cwd=tmp_path) for name in ("a.html", "b.html"))
    text = (tmp_path / "a.html").read_text()
    assert found["sha256"] == again["sha256"] and found["answers"] == 2 * ITEMS * WORDINGS
    assert found["wrong"] == sum(one["value"] == 0 for one in rows_of(store, runs[0], "scores"))
    assert text.count("<details>") == 15 == found["wrong_shown"] + found["others_shown"]
    assert (
        f"the first 10 of {found['wrong']}" in text
        and "<script" not in text
        and "src=" not in text.replace("src=x", "")
    )
    assert "\u202e" not in text and "\x1b" not in text
    inside(*asked, "a.html", cwd=tmp_path, check=2)


def test_tables_are_read_by_data_frames_in_every_form(store: Path, runs: list[str], tmp_path: Path) -> None:
    for form in ("csv", "parquet", "jsonl"):
        inner_data("export", runs[0], f"--{form}", form, "--store", store, cwd=tmp_path)
    read: dict[str, Any] = {"csv": pl.read_csv, "parquet": pl.read_parquet, "jsonl": pl.read_ndjson}
    frames = {form: read[form](tmp_path / form / f"scores.{form}") for form in read}
    assert {frame.shape for frame in frames.values()} == {(2 * ITEMS * WORDINGS, 10)}
    assert frames["csv"]["value"].sum() == sum(one["value"] for one in rows_of(store, runs[0], "scores"))
    said = pl.read_parquet(tmp_path / "parquet" / "answers.parquet")["answer"].to_list()
    assert said == [one["text"] for one in rows_of(store, runs[0], "responses")]
    inside("export", runs[0], "--csv", "csv", "--store", store, cwd=tmp_path, check=2)
    inside("export", runs[0], "--csv", "x", "--jsonl", "y", "--store", store, cwd=tmp_path, check=2)


def test_a_run_under_way_is_followed_by_finished_step(store: Path, runs: list[str], tmp_path: Path) -> None:
    shutil.copytree(store, tmp_path / "store")
    own = Store.open(tmp_path / "store")
    path = own.journal(runs[0])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]) + lines[4][:20])
    follower = RunFollower(own, runs[0])
    follower.read_on()
    assert (follower.done, follower.total, follower.over) == (3, 8, False) and "3 of 8 steps" in follower.text
    path.write_bytes(b"".join(lines))
    follower.read_on()
    assert (follower.done, follower.over) == (8, True)
