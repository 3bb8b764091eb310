"""The page of a run: every section shows the numbers of its document, and no data can break it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from studies.curie.pages import made_run
from studies.curie.pages.page_text import read, row_of, section_of, text_of

from harness.kit import pages
from harness.studies.curie.pages import outputs, report

pytestmark = pytest.mark.together  # they share the documents and the figures of one run
BEST, COPY, GOLD = "mistral-large-2407", "strategy: copy the document", "strategy: pretty-printed gold"


def test_the_page_is_valid_and_holds_every_section_results_first(whole):
    html, reader = whole
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", html)
    assert titles == [
        "Results", "Differences between models", "Figures", "Task by task", "Tables of the paper, for this run",
        "By difficulty and by length", "Judges", "Programs in answers", "The numbers that the paper prints",
        "What this rests on",
    ]  # fmt: skip
    assert {f"shown-{stem}" for stem in outputs.TITLES} <= set(reader.ids)
    assert {link[1:] for link in reader.links if link.startswith("#")} >= {"results", "judges"}
    assert "Left out" not in reader.text


def test_a_headline_cell_is_value_interval_and_n_of_n(whole, curie_documents):
    cell = curie_documents["means"]["tasks"]["dft-s"]["models"][BEST]["primary"]
    low, high = (f"{100 * end:.1f}" for end in cell["interval"])
    assert f"{100 * cell['value']:.1f} [{low}, {high}] 16 of 16" in row_of(whole[0], "Results", BEST)
    assert "15 of 16" in row_of(whole[0], "Results", "tiny")  # one answer in error
    averages = curie_documents["means"]["averages"]
    nine = f"{100 * averages['nine'][BEST]['value']:.1f} without BIOGR"
    assert f"{100 * averages['ten'][BEST]['value']:.1f} {nine}" in row_of(whole[0], "Results", BEST)
    head = row_of(whole[0], "Results", "Who")
    assert "DFT-S LLMSim F1, by llmsim-rule" in head and "HFE fact score F1 (OURS), by facts" in head


def test_another_order_of_models_without_biogr_is_said(page):
    def swap(given: Any) -> None:
        order = given["means"]["averages"]["order"]
        order["nine"] = ["tiny", *(name for name in order["nine"] if name != "tiny")]

    assert "Without BIOGR, which not every model can see, the order is: tiny, mistral-large-2407" in page(swap).text
    assert "the order is" not in page().text


def test_a_model_without_all_tasks_has_no_average_and_says_how_many(page):
    def lose(given: Any) -> None:
        for kind in ("ten", "nine"):
            given["means"]["averages"][kind]["tiny"] = {"value": {"missing": "no mean of hfe"}, "n_tasks": 7}

    assert "7 tasks have a mean" in page(lose).text


def test_strategies_are_rows_that_are_named_and_explained(whole):
    html, reader = whole
    assert COPY in row_of(html, "Results", COPY)
    assert "strategy: copy the document : answers with the document itself." in reader.text
    assert 'class="part"' in section_of(html, "Results")


def test_a_strategy_that_reaches_a_model_is_a_warning(whole, curie_documents):
    text = text_of(section_of(whole[0], "Results"))
    model, copied = (100 * curie_documents["means"]["tasks"]["hfe"]["models"][name]["primary"]["value"]
                     for name in ("tiny", COPY))  # fmt: skip
    assert f"HFE: tiny ({model:.1f}) is reached by copy the document ({copied:.1f})" in text
    assert "shotgun (" not in text  # a stand-in is no model
    assert "reached by pretty-printed gold" not in text and f"{BEST} (" not in text


def test_gold_in_another_form_that_is_not_scored_as_right_is_said(page):
    assert "pretty-printed gold: DFT-S 93.1" in page().text

    def right(given: Any) -> None:
        for task in given["means"]["tasks"].values():
            task["models"][GOLD]["primary"]["value"] = 1.0

    assert "are not scored as right" not in page(right).text


def test_a_run_without_a_reached_model_has_no_warning(page):
    assert "reaches a model" not in page(strategies={}, oracles=[]).text


def test_a_difference_is_bold_where_its_interval_excludes_zero(whole, page, curie_documents):
    [pair] = [each for each in curie_documents["comparisons"]["pairs"] if (each["a"], each["b"]) == (BEST, "tiny")]
    told = pair["tasks"]["hfe"]["difference"]
    shown = "{:.1f} [{:.1f}, {:.1f}] n 15".format(*(100 * each for each in (told["value"], *told["interval"])))
    row = row_of(whole[0], "Differences between models", f"{BEST} less tiny")
    assert shown in row

    def level(given: Any) -> None:
        for each in given["comparisons"]["pairs"]:
            for part in (*each["tasks"].values(), *each["averages"].values()):
                part["difference"] = {"value": 0.1, "interval": [-0.2, 0.3]}

    title = "Differences between models"
    assert f"<strong>{shown.split()[0]}<" in section_of(whole[0], title)
    same = section_of(page(level).html, title)
    assert "10.0 [-20.0, 30.0]" in text_of(same) and "<strong>" not in same


def test_strategies_are_compared_apart_and_distances_have_no_interval(whole):
    text = text_of(section_of(whole[0], "Differences between models"))
    assert "Models against cheap strategies" in text and f"tiny less {COPY}" in text
    assert "differences of distances, which have heavy tails and so no interval" in text


@pytest.mark.parametrize(("records", "mark"), [(16, ""), (9, " §"), (5, " ¶")])
def test_an_interval_of_few_records_bears_the_mark_of_its_coverage(tmp_path, records, mark):
    given = made_run.documents(tmp_path, tasks=("hfe",), records=records)
    html = made_run.written(tmp_path, given, tasks=["hfe"], instruments={})
    assert re.search(rf"\] {records} of {records}{mark}(?! [§¶])", row_of(html, "Results", BEST))
    assert re.search(rf" n {records}{mark}(?! [§¶])", row_of(html, "Differences between models", BEST))
    assert "91 to 94 % from 15 records on, 88 to 90 % from 8 records on (the second is marked §)" in text_of(html)


def test_a_task_shows_quartiles_runs_outcomes_and_states(whole, curie_documents):
    text = text_of(section_of(whole[0], "Task by task"))
    cell = curie_documents["means"]["tasks"]["biogr"]["models"][BEST]["primary"]
    runs = ", ".join(f"{100 * mean:.1f}" for mean in cell["runs"]["means"])
    assert f"3: {runs}; spread {100 * cell['runs']['spread']:.1f}" in text
    quartiles = " ".join(f"{100 * cell[name]:.1f}" for name in ("q25", "median", "q75"))
    assert quartiles in text and "quartiles are spread and not uncertainty" in text
    for each in ("invalid 1, valid 14", "scored 15, in error 1", "suspected swap 3", "judge errors 1", "set aside 8",
                 "The paper made 3 runs of each model here."):  # fmt: skip
        assert each in text, each


def test_a_task_shows_every_metric_of_every_scorer_on_its_own_scale(whole, curie_documents):
    text = text_of(section_of(whole[0], "Task by task"))
    metrics = curie_documents["means"]["tasks"]["hfe"]["models"][BEST]["metrics"]
    assert f"{metrics['rouge']['rougeLsum']['value']:.3f}" in text and "HFE, rouge: every metric" in text
    assert "BIOGR, boxes: every metric, on its own scale; median: normalized_distance_error, relative_box_size" in text


def test_unusable_gold_and_answers_are_counted(page):
    def spoil(given: Any) -> None:
        given["means"]["tasks"]["hfe"]["gold_invalid"]["facts"] = 2
        given["means"]["tasks"]["hfe"]["models"]["tiny"]["states"]["facts"]["outcomes"] = {"missing": 4, "valid": 1}

    text = page(spoil).text
    assert "The gold of 2 of them cannot be used" in text and "blank 4, valid 1" in text


def test_a_value_that_is_not_finite_or_too_long_fits_its_cell(page):
    def spoil(given: Any) -> None:
        boxes = given["means"]["tasks"]["biogr"]["models"]["tiny"]["metrics"]["boxes"]
        boxes["relative_box_size"] |= {"value": "inf"}
        boxes["normalized_distance_error"] |= {"value": 1e200}

    cells = page(spoil).cells
    assert "inf 15 of 16 " in cells and "1.00e+200 15 of 16 " in cells


def test_tables_of_the_paper_are_those_of_the_document(whole, curie_documents):
    tables = curie_documents["tables"]["tables"]
    section = section_of(whole[0], "Tables of the paper, for this run")
    first = [row for row in re.findall(r"<tr>(.*?)</tr>", section, re.DOTALL) if text_of(row).startswith(BEST)]
    for row, name in zip(first, ("table1", "table2", "table7", "table5", "table6"), strict=True):
        wanted = " ".join(cell["text"] for cell in tables[name]["rows"][BEST] if "text" in cell)
        assert text_of(row) == f"{BEST} {wanted}"
    assert "Table 7: BIOGR: IoU and distances, of this run; of distances the median" in text_of(section)


def test_a_column_that_no_scorer_fills_is_named_and_left_out(tmp_path):
    given = made_run.documents(tmp_path, tasks=("hfe",), records=3)
    text = text_of(made_run.written(tmp_path, given, tasks=["hfe"], instruments={}))
    assert "Table 7 lacks what no scorer of this run gives, or nobody has a value of: BIOGR IoU" in text


def test_slices_show_levels_and_lengths(whole, curie_documents):
    found = curie_documents["slices"]
    row = row_of(whole[0], "By difficulty and by length", BEST)
    pooled, macro = (found["difficulty"][kind][BEST]["hard"] for kind in ("pooled", "macro"))
    assert f"{100 * pooled['value']:.1f} n {pooled['n']}" in row
    assert f"{100 * macro['value']:.1f} {macro['n_domains']} domains" in row
    one = found["length"]["bins"][3]
    shown = " ".join(f"{100 * one[name]:.1f}" for name in ("value", "q25", "median", "q75"))
    assert row_of(whole[0], "By difficulty and by length", str(one["low"])) == f"{one['low']} 1 {shown}"


def test_without_proteins_the_slices_say_why(page):
    def lose(given: Any) -> None:
        given["slices"]["length"] = {"missing": "no item of the task pdb has a sequence to measure"}

    assert "By length: no item of the task pdb has a sequence to measure." in page(lose).text


@pytest.mark.parametrize(
    ("name", "title"),
    [("comparisons", "Differences between models"), ("tables", "Tables of the paper, for this run"),
     ("slices", "By difficulty and by length"), ("breakdowns", "Programs in answers"),
     ("published", "The numbers that the paper prints")],
)  # fmt: skip
def test_a_section_without_its_document_is_left_out_and_named(page, name, title):
    reader = page(names=[each for each in report.DOCUMENTS if each != name])
    said = re.search(r"Left out, since this run made nothing for it: ([^.]*)\.", reader.text)
    assert said and title in said[1] and f"#{title.lower().replace(' ', '-')}" not in reader.links


def test_a_page_without_any_document_is_a_page(tmp_path):
    text = read(made_run.written(tmp_path, {})).text
    assert "Nothing was scored." in text and "How many records of each task are here was not counted." in text


def test_hostile_names_are_text(tmp_path):
    given = made_run.documents(tmp_path, made_run.HOSTILE, ("hfe", "mpv"), records=4)
    asked: dict[str, Any] = {"models": made_run.HOSTILE, "tasks": ["hfe", "mpv"]}
    drawn = made_run.drawn(tmp_path, given, **asked)
    reader = read(made_run.written(tmp_path, given, drawn, **asked))
    assert "<script>alert(1)</script>" in reader.text and "]]>&amp;\"'" in reader.text
    assert "\u202e" not in reader.text and "\x00" not in reader.text and "m" * 101 not in row_heads(reader)


def row_heads(reader: Any) -> str:
    return " ".join(reader.cells)


def test_hostile_words_of_documents_and_parameters_are_text(page):
    bad = "</details></section><script>x</script>"

    def spoil(given: Any) -> None:
        given["published"]["inconsistencies"][0] |= {"says": bad, "found": {bad: bad}}
        given["counts"]["hfe"]["source"] = bad
        given["slices"]["length"] = {"missing": bad}
        given["breakdowns"]["programs"]["pdb"][BEST]["outcomes"] = {bad: 3}

    reader = page(spoil, strategies={COPY: bad}, instruments={"judge": bad, "encoder": bad})
    assert reader.text.count(bad) >= 7


def test_what_a_document_should_not_hold_is_not_shown(page):
    def leak(given: Any) -> None:
        for document in given.values():
            document |= {"response": "SECRET", "text": "SECRET", "question": "SECRET"}
        given["agreement"]["parted"][0]["response"] = "SECRET"

    assert "SECRET" not in page(leak).text


def test_the_page_holds_only_what_the_policy_allows(whole):
    html = whole[0]
    assert html.count("Content-Security-Policy") == 1 and html.count("<style>") == 1 and pages.STYLE in html
    assert " style=" not in html and "http://" not in html and "https://" not in html


def test_two_writings_are_the_same_bytes(tmp_path, curie_documents, curie_figures, whole):
    assert made_run.written(tmp_path, curie_documents, curie_figures) == whole[0]
