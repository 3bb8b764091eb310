"""The page of a run: every section shows the numbers of its document, and no data can break it."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest
from studies.curie.pages import made_run
from support_reliability_documents import Reader

from harness.digest import sealed
from harness.errors import InputError
from harness.run.certificates import grader_code
from harness.run.closure import Code
from harness.studies import pages
from harness.studies.curie.pages import outputs, report, tables_judges

pytestmark = pytest.mark.together  # they share the documents and the figures of one run
BEST, COPY, GOLD = "mistral-large-2407", "strategy: copy the document", "strategy: pretty-printed gold"
GRADER = ("harness.studies.curie.judging.rule:judge",)


def read(html: str) -> Any:
    """Read a page strictly; its links lead into itself."""
    return Reader(html)


@pytest.fixture(scope="module")
def whole(tmp_path_factory, curie_documents, curie_figures):
    """Give the page of the whole run, and as read."""
    html = made_run.written(tmp_path_factory.mktemp("whole"), curie_documents, curie_figures)
    return html, read(html)


@pytest.fixture
def page(tmp_path, curie_documents):
    """Write a page from some documents of the run, changed; gives it as read."""

    def write(change: Any = None, names: Any = report.DOCUMENTS, **asked: Any) -> Any:
        given = copy.deepcopy({name: curie_documents[name] for name in names})
        if change:
            change(given)
        return read(made_run.written(tmp_path, given, **asked))

    return write


def section_of(html: str, title: str) -> str:
    """Give the markup of one section."""
    found = re.search(rf"<section[^>]*><h2[^>]*>{re.escape(title)}</h2>(.*?)</section>", html, re.DOTALL)
    assert found, title
    return found[1]


def text_of(markup: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", markup).split())


def row_of(html: str, title: str, name: str) -> str:
    """Give the text of the first row with this head in a section."""
    rows = re.findall(r"<tr>(.*?)</tr>", section_of(html, title), re.DOTALL)
    return next(text_of(row) for row in rows if text_of(row).startswith(name))


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


def test_models_stand_by_their_average_and_another_order_without_biogr_is_said(page):
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


def test_a_difference_has_its_interval_and_is_bold_where_that_excludes_zero(whole, page, curie_documents):
    [pair] = [each for each in curie_documents["comparisons"]["pairs"] if (each["a"], each["b"]) == (BEST, "tiny")]
    told = pair["tasks"]["hfe"]["difference"]
    shown = "{:.1f} [{:.1f}, {:.1f}] n 15".format(*(100 * each for each in (told["value"], *told["interval"])))
    row = row_of(whole[0], "Differences between models", f"{BEST} less tiny")
    assert shown in row

    def level(given: Any) -> None:
        for each in given["comparisons"]["pairs"]:
            for part in (*each["tasks"].values(), *each["averages"].values()):
                part["difference"] = {"value": 0.1, "interval": [-0.2, 0.3]}

    assert "<strong>" in section_of(whole[0], "Differences between models")
    assert "strong" not in page(level, ("means", "comparisons")).seen - {"strong"}
    assert "10.0 [-20.0, 30.0]" in page(level).text


def test_strategies_are_compared_apart_and_distances_have_no_interval(whole):
    text = text_of(section_of(whole[0], "Differences between models"))
    assert "Models against cheap strategies" in text and f"tiny less {COPY}" in text
    assert "differences of distances, which have heavy tails and so no interval" in text


@pytest.mark.parametrize(("records", "mark"), [(16, ""), (9, " §"), (5, " ¶")])
def test_an_interval_of_few_records_bears_the_mark_of_its_coverage(tmp_path, records, mark):
    given = made_run.documents(tmp_path, tasks=("hfe",), records=records)
    html = made_run.written(tmp_path, given, tasks=["hfe"], instruments={})
    assert re.search(rf"\] {records} of {records}{mark}(?! [§¶])", row_of(html, "Results", BEST))
    assert re.search(rf"\] n {records}{mark}(?! [§¶])", row_of(html, "Differences between models", BEST))
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


def measure(value: Any) -> dict[str, Any]:
    return {"value": value, "interval": [0.1, 0.95]}


def certificate(folder: Path, kappa: Any, rows: int = 80, **changed: str) -> dict[str, Path]:
    """Write a sealed certificate of the rule judge's code as it is, or with files that changed."""
    part = {"rows": rows, "accuracy": measure(0.9), "kappa": measure(kappa), "false_accept": measure(0.1),
            "false_reject": measure(0.1)}  # fmt: skip
    body = {"type": "certificate/1", "scorer": "curie.llmsim_rule", "files": {**grader_code(GRADER, Code()).files, **changed},
            "parts": {"frozen": part, "develop": {**part, "rows": 40, "kappa": measure(0.99)}}}  # fmt: skip
    path = folder / "certificate.json"
    path.write_bytes(sealed(body))
    return {report.CERTIFICATE: path}


def judges_text(folder: Path, given: Any, inputs: dict[str, Path]) -> str:
    return text_of(section_of(made_run.written(folder, given, inputs), "Judges"))


@pytest.mark.parametrize(("kappa", "state"), [(0.8, "usable"), (0.79, "not usable"), ({"missing": "x"}, "not usable")])
def test_the_rule_judge_is_usable_from_a_frozen_kappa_of_eight_tenths_on(tmp_path, curie_documents, kappa, state):
    text = judges_text(tmp_path, curie_documents, certificate(tmp_path, kappa))
    assert f"Certificate of the rule judge: {state} ( certified on 80 labelled rows (frozen)" in text.replace(
        "(c", "( c"
    )
    assert "compares facts" in text


def test_without_a_certificate_the_rule_judge_is_not_usable(whole):
    assert "Certificate of the rule judge: not usable (uncertified)." in text_of(section_of(whole[0], "Judges"))
    warned = (
        "LLMSim of DFT-S, DFT-P, MPV, MPV-NON-TRIVIAL, MPV-SPECIFIC is by the rule judge (OURS), which is not usable"
    )
    assert f"{warned}: uncertified." in whole[1].text


def test_a_kappa_of_develop_rows_makes_no_judge_usable(tmp_path, curie_documents):
    text = judges_text(tmp_path, curie_documents, certificate(tmp_path, {"missing": "no rows"}, rows=0))
    assert "not usable" in text and "certified on 40 labelled rows (develop)" in text


def test_a_certificate_of_other_code_is_void_and_not_usable(tmp_path, curie_documents):
    changed = {"harness/studies/curie/judging/units.py": "0" * 64}
    text = judges_text(tmp_path, curie_documents, certificate(tmp_path, 0.95, **changed))
    assert "not usable (void: changed since it was measured: harness/studies/curie/judging/units.py)" in text


def test_the_page_is_made_anew_where_the_rule_judge_changes():
    files = Code().closure("harness.studies.curie.pages.report:write").files
    assert set(grader_code(GRADER, Code()).files) <= set(files)
    assert not [name for name in files if "/standalone/" in name]


def test_a_certificate_that_was_edited_is_refused(tmp_path, curie_documents):
    inputs = certificate(tmp_path, 0.5)
    path = inputs[report.CERTIFICATE]
    path.write_bytes(path.read_bytes().replace(b"0.5", b"0.9"))
    with pytest.raises(InputError):
        made_run.written(tmp_path, curie_documents, inputs)


def test_the_llm_judge_is_no_rule_judge_to_warn_of(page):
    def judged(given: Any) -> None:
        for task in made_run.LLMSIM:
            given["means"]["tasks"][task]["primary"]["scorer"] = "llmsim-judge"

    text = page(judged).text
    assert "is by the rule judge (OURS), which" not in text
    assert "MPV-SPECIFIC is that of llmsim-judge. LLM judge: judge-7b." in text


def test_judges_that_part_are_listed_with_kappa(whole, curie_documents):
    found = curie_documents["agreement"]
    text = text_of(section_of(whole[0], "Judges"))
    kappa = found["together"]["kappa"]
    ends = "[{:.2f}, {:.2f}]".format(*kappa["interval"])
    assert f"all together {found['together']['n']:,} {kappa['value']:.2f} {ends}" in text
    assert f"decided otherwise: {found['answers']['n_parted']}" in text
    assert f"Answers on which they part: {tables_judges.SHOWN} of {found['answers']['n_parted']}" in text
    one = found["parted"][0]
    assert f"{one['item']} {one['model']} {one['gold']}" in text


def test_without_an_llm_judge_there_is_nothing_to_agree_with(page):
    names = [name for name in report.DOCUMENTS if name != "agreement"]
    assert "No LLM judge is part of this run" in page(names=names, instruments={}).text


def test_a_run_without_judged_tasks_has_no_section_on_judges(tmp_path):
    given = made_run.documents(tmp_path, tasks=("hfe",), records=3)
    html = made_run.written(tmp_path, given, tasks=["hfe"], instruments={})
    assert '<h2 id="judges"' not in html and "Left out, since this run made nothing for it: " in text_of(html)


def test_programs_are_a_share_with_how_they_ended(whole, page, curie_documents):
    found = curie_documents["breakdowns"]["programs"]["pdb"][BEST]
    row = row_of(whole[0], "Programs in answers", BEST)
    ended = ", ".join(f"{name} {count}" for name, count in found["outcomes"].items())
    assert row == f"{BEST} PDB {found['n']} {100 * found['share']:.1f} % {ended}"

    def none(given: Any) -> None:
        given["breakdowns"]["programs"] = {}

    assert "No answer of this run held a program that was tried." in page(none).text


def test_printed_numbers_hold_or_break_their_identities(whole, page):
    assert row_of(whole[0], "The numbers that the paper prints", "Table 7's IoU less Table 1's").endswith("0 yes")

    def spoil(given: Any) -> None:
        given["published"]["identities"]["table1_iou_is_table7_iou"] |= {"beyond": 1, "largest": 0.01}

    assert "1 no" in page(spoil).text
    text = text_of(section_of(whole[0], "The numbers that the paper prints"))
    assert "Contradicted: Mixtral does better than GPT-4o on PDB. Printed: GPT-4o: 0.13, Mixtral: 0.03" in text
    assert "Not decided (what the prose says of it is not in the table of printed numbers): an order" in text
    assert "Gemini 2.0 Flash * 32.1 30.2 1" in text and "nothing here claims them" in text


def test_the_page_says_what_it_rests_on(whole):
    text = text_of(section_of(whole[0], "What this rests on"))
    for each in (
        "Strict mode: scored as the paper describes", "Version of the rules: curie-1.", "google/curie at commit",
        "BERTScore by the encoder mini-encoder, which is not roberta-large", "What strict mode changes",
        "HFE public copy; not the official archive 16 38 22 1 0", "GEO of our own (OURS): none of the paper's 16",
    ):  # fmt: skip
        assert each in text, each
    assert "on 32 of 76 published records, and on records of our own for 10 tasks." in whole[1].text


def test_the_papers_encoder_is_named_alone_and_none_is_said(page):
    assert "BERTScore by roberta-large." in page(instruments={"encoder": "roberta-large"}).text
    assert "BERTScore was not run" in page(instruments={}).text


def test_a_run_on_records_of_our_own_says_so(page):
    def ours(given: Any) -> None:
        given["counts"] = {task: {"absent": 0, "kept": 8} for task in made_run.TASKS}

    assert "on records of our own: not a replication." in page(ours).text


def test_tasks_that_are_no_part_of_the_run_are_named(tmp_path):
    given = made_run.documents(tmp_path, tasks=("hfe",), records=3)
    text = text_of(made_run.written(tmp_path, given, tasks=["hfe"], instruments={}))
    assert "Tasks of the paper that are no part of this run: DFT-S, DFT-P" in text


def test_paper_mode_says_so_and_shows_its_zeros(tmp_path):
    primary = {**made_run.PRIMARY, "hfe": ["rouge", "rougeLsum"]}
    given = made_run.documents(tmp_path, tasks=("hfe", "biogr"), records=4, mode="paper", primary=primary)
    html = made_run.written(tmp_path, given, tasks=["hfe", "biogr"], mode="paper", instruments={})
    value = given["means"]["tasks"]["hfe"]["models"][BEST]["primary"]["value"]
    assert f"{value:.1f} [" in row_of(html, "Results", BEST)  # ROUGE-L lies on 0 to 100 already
    text = text_of(html)
    assert "Paper mode: scored as the published notebooks would" in text and "HFE ROUGE-L, by rouge" in text


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
