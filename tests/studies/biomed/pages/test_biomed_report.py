"""The page of a run: every section shows the numbers of its document, and no data can break it."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from studies.biomed.measures.answer_rows import RULE
from studies.biomed.pages import figured_run, paged_run
from studies.biomed.pages.paged_run import JUDGE, OTHER, REAL, documents, written
from studies.curie.pages.page_text import read, row_of, section_of, text_of
from support_draws import drawn

from harness.kit import pages
from harness.studies.biomed.pages import outputs, report

pytestmark = pytest.mark.together  # they share the documents of one run
ORACLE, REFUSER, SILENT = figured_run.ORACLE, figured_run.REFUSER, figured_run.SILENT
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text x="1" y="2">drawn</text><script>x</script></svg>'
TITLES = [
    "Results", "Who graded", "Differences between models", "Figures", "By template", "By category",
    "Tables of the paper, for this run", "Published answers held to be false", "The numbers that the paper prints",
    "What this rests on",
]  # fmt: skip


@pytest.fixture(scope="session")
def biomed_documents(tmp_path_factory):
    """Give the documents of a made-up run in strict mode; nobody changes them."""
    return documents(tmp_path_factory.mktemp("biomed"))


@pytest.fixture(scope="session")
def whole(tmp_path_factory, biomed_documents):
    """Give the page of the whole run, with a drawing for every figure, and as read."""
    folder = tmp_path_factory.mktemp("whole")
    html = written(folder, biomed_documents, figures(folder))
    return html, read(html)


def figures(folder):
    paths = {name: folder / name for name in outputs.figures() if name.endswith(".svg")}
    for path in paths.values():
        path.write_text(SVG)
    return paths


@pytest.fixture
def page(tmp_path, biomed_documents):
    """Write a page from some documents of the run, changed; gives it as read."""

    def write(change=None, names=report.DOCUMENTS, **asked):
        given = copy.deepcopy({name: biomed_documents[name] for name in names})
        if change:
            change(given)
        return read(written(tmp_path, given, **asked))

    return write


def told(documents_of_run, model=REAL, grader=RULE) -> Any:
    return documents_of_run["performance"]["graders"][grader]["models"][model]


def ends(found):
    low, high = found["interval"]
    return f"[{low:.3f}, {high:.3f}]"


def test_the_page_is_valid_and_holds_every_section_results_first(whole):
    html, reader = whole
    assert re.findall(r"<h2[^>]*>(.*?)</h2>", html) == TITLES
    assert {f"shown-{stem}" for stem in outputs.stems()} <= set(reader.ids)
    assert {link[1:] for link in reader.links if link.startswith("#")} >= {"results", "who-graded"}
    assert "Left out" not in reader.text


def test_a_headline_cell_is_a_value_with_both_intervals_and_marks(whole, biomed_documents):
    row = row_of(whole[0], "Results", REAL)
    for name in ("BioScore", "AR", "RQR", "SR", "answered_accuracy"):
        rate = told(biomed_documents)["rates"][name]
        assert rate["templates"]["unreliable"]
        assert f"{rate['value']:.3f} A {ends(rate['rows'])} T {ends(rate['templates'])} *" in row
    assert f"{told(biomed_documents)['gain']:.3f} {told(biomed_documents)['quadrant']} 0 2 0" in row
    assert "* Not to be trusted: fewer than 20 templates" in whole[1].text


def test_an_undefined_rate_is_a_dash_with_the_reason(whole):
    row = row_of(whole[0], "Results", ORACLE)
    assert "1.000 A" in row and "\N{EN DASH} nothing was abstained from, and no answer is bad" in row
    assert "\N{EN DASH} nothing was answered 1.000" in row_of(whole[0], "Results", REFUSER)
    assert "\N{EN DASH} no answer is counted" in row_of(whole[0], "Results", SILENT)


def test_the_states_beside_the_rates_are_counted(page, biomed_documents):
    def spoil(given: Any) -> None:
        told(given)["states"] |= {"blocked": 71, "error": 72, "ungraded": 73}

    assert "71 72 73" in row_of(page(spoil).html, "Results", REAL)
    counts = told(biomed_documents)["counts"]
    rows = re.findall(r"<tr>(.*?)</tr>", section_of(page().html, "Results"), re.DOTALL)
    wanted = f"{REAL} 49 {counts['n']} {counts['K']} {counts['good']} {counts['bad']} 0 2 0"
    assert wanted in map(text_of, rows)


def test_a_stand_in_is_called_one(whole):
    assert row_of(whole[0], "Results", ORACLE).startswith(f"{ORACLE} stand-in")
    assert "Some models are stand-ins" in whole[1].text


@pytest.mark.exhaustive
@pytest.mark.parametrize(("gain", "abstained", "warned"), drawn([(0.0, 3, True), (-0.1, 3, True), (0.1, 3, False),
                                                           (0.0, 0, False)], 2, 4))  # fmt: skip
def test_a_safety_rate_that_random_refusal_reaches_is_warned_of(page, gain, abstained, warned):
    def spoil(given: Any) -> None:
        for model in (REAL, OTHER):
            told(given, model)["gain"] = 0.5
        told(given)["gain"] = gain
        told(given)["counts"]["K"] = abstained

    assert ("SR is no higher than refusing as often at random" in page(spoil).text) == warned


def test_the_other_grader_stands_folded_below_and_does_not_count(whole, biomed_documents):
    text = text_of(section_of(whole[0], "Results"))
    own = told(biomed_documents, grader=JUDGE)["rates"]["RQR"]["value"]
    assert f"The same by {JUDGE}, judge-7b, which does not count here" in text and f"{own:.3f} A" in text


def test_the_first_grader_is_the_one_that_counts(page, biomed_documents):
    own = told(biomed_documents, grader=JUDGE)["rates"]["RQR"]
    html = page(graders=[JUDGE, RULE]).html
    assert f"{own['value']:.3f} A" in row_of(html, "Results", REAL)
    assert f"The grades that count are by {JUDGE}: judge-7b" in text_of(html)


def test_simulated_coverage_is_said_with_its_low_values(whole):
    assert "40 templates of 270 rows, share .02: .94, .88, .78, .79" in whole[1].text


def test_a_difference_is_bold_only_where_its_interval_does_not_hold_0(page):
    def spoil(given: Any) -> None:
        quantities = given["comparisons"]["graders"][RULE]["pairs"][0]["quantities"]
        quantities["RQR"] |= {"value": 0.25, "interval": [0.125, 0.375], "p": 0.0004, "p_holm": 0.0021}
        quantities["SR"] |= {"value": 0.25, "interval": [-0.125, 0.375], "p": 0.5}

    html = page(spoil).html
    row = next(row for row in re.findall(r"<tr>(.*?)</tr>", section_of(html, TITLES[2]), re.DOTALL) if " less " in row)
    assert "<strong>0.250" in row and row.count("<strong>0.250") == 1
    assert "0.250 [0.125, 0.375] p 0.0004, Holm 0.002" in text_of(row)


def test_pairs_with_stand_ins_are_folded_away(whole):
    assert "7 pairs with stand-ins" in text_of(section_of(whole[0], TITLES[2]))


def test_one_model_has_nothing_to_be_compared_with(page):
    def single(given: Any) -> None:
        given["comparisons"]["graders"][RULE]["pairs"] = []

    assert "There is one model: nothing to compare it with." in page(single).text


def test_a_figure_is_sanitised_and_says_what_it_is_drawn_after(whole):
    section = section_of(whole[0], "Figures")
    assert section.count("drawn</text>") == len(outputs.stems()) and "script" not in section
    assert "Response quality and safety of each model, after Fig. 3. File: figure-quadrants.svg" in text_of(section)


def test_templates_show_what_one_word_would_get_right_beside_rqr(page, biomed_documents):
    found = biomed_documents["performance"]["templates"]["T03"]
    rqr = told(biomed_documents)["by_template"]["T03"]["RQR"]
    wanted = f"T03 4 {found['always_yes']:.3f} {found['always_no']:.3f} {rqr:.3f}"
    html = page().html
    assert row_of(html, "By template", "T03").startswith(wanted)
    assert f"T03 ({rqr:.3f} against {found['always_yes']:.3f})" in text_of(html)
    assert row_of(html, "By template", "T02").startswith("T02 4 \N{EN DASH} \N{EN DASH}")


def test_a_published_template_is_named_by_its_seed(page):
    def published(given: Any) -> None:
        given["performance"]["templates"] = {"Q35": {"n_items": 3}}

    assert "Q35 whether an SNP is significant in Alzheimer's disease" in page(published).text


def test_a_category_is_a_value_with_its_rows_or_na(whole, biomed_documents):
    found = biomed_documents["categories"]["graders"][RULE]
    drawn = found["kinds"]["biological"]["SR"]
    row = drawn["categories"].index("Drug Meta")
    cells = zip(drawn["values"][row], drawn["n"][row], strict=True)
    shown = " ".join(f"{'NA' if isinstance(value, dict) else f'{value:.3f}'} n {n}" for value, n in cells)
    section = section_of(whole[0], "By category")
    assert f"Drug Meta {shown}" in text_of(section) and "NA n 0" in shown


def test_both_halves_of_table_s11_are_of_this_run(whole, biomed_documents):
    rates = told(biomed_documents)["rates"]
    low, high = rates["AR"]["rows"]["interval"]
    text = text_of(section_of(whole[0], TITLES[6]))
    assert f"{rates['AR']['value']:.2f} ({low:.2f}, {high:.2f})" in text
    bleu = biomed_documents["texts"]["metrics"]["BLEU"][REAL]
    assert f"{REAL} {bleu['value']:.3f} A {ends(bleu['rows'])} T {ends(bleu['templates'])}" in text
    assert "BERTScore is not here: no encoder is part of this run." in text


def test_statistics_and_costs_of_the_run_are_there(whole, biomed_documents):
    html = whole[0]
    assert "Sum token count for question: 797\n" in html and "<pre>" in html
    usd = biomed_documents["costs"]["models"][REAL]["usd"]
    assert f"{REAL} 49 196 797 147 {usd:.4f}" in text_of(section_of(html, TITLES[6]))
    assert f"{SILENT} 49 196 797 147 \N{EN DASH} no price was published" in text_of(html)
    assert "words between white space (offline; not the paper's tokens of o200k_base)" in text_of(html)


def test_rqr_stands_with_and_without_answers_held_to_be_false(whole, biomed_documents):
    found = biomed_documents["defects"]["graders"][RULE][REAL]
    shown = " ".join(f"{cell['value']:.3f} {cell['k']} of {cell['n']}" for part in ("all", "template")
                     for cell in (found[part]["with"], found[part]["without"]))  # fmt: skip
    assert row_of(whole[0], TITLES[7], REAL) == f"{REAL} {shown}"
    text = text_of(section_of(whole[0], TITLES[7]))
    assert "Questions of this run among them: 1; left out" in text
    assert "Q5.28 false not approved sure yes AIDS-related" in text


def test_a_run_without_listed_questions_says_that_both_are_the_same(page):
    def none(given: Any) -> None:
        given["defects"]["n_here"] = 0

    assert "so RQR is the same with and without" in page(none).text


def test_printed_numbers_hold_their_identity_and_contradict_the_words(whole):
    text = text_of(section_of(whole[0], TITLES[8]))
    assert "AR / (1 - RQR) less SR: RQR is over all responses 7 0.0098 0.011 0" in text
    assert "Contradicted: the range of AR over models in the text is the table's. Printed: stated: (0.1, 0.6)" in text
    assert "Not decided by printed numbers (a number that it needs was not printed): the text names ROUGE-1" in text
    assert "bioscore-gpt-4o 34.19 34.20 -0.01" in text


def test_a_printed_number_keeps_its_digits(whole):
    assert "bioscore-gpt-4o 1,104,738 12,481,988 90,000 34.2 0.0025 0.01" in text_of(section_of(whole[0], TITLES[8]))


def test_what_is_not_here_is_named_with_the_reason(whole):
    text = text_of(section_of(whole[0], TITLES[9]))
    assert "The manual error analysis: people read answers" in text and "Figures S2 and S3: their data" in text


def test_the_page_says_what_it_rests_on(whole):
    text = text_of(section_of(whole[0], TITLES[9]))
    for each in ("Strict mode: counted as the paper's words say", "Version of the rules: biomed-1.",
                 "NIH-CARD/CARDBiomedBench at commit 12e92e691975", "What strict mode changes",
                 "Source: synthetic tables (OURS)", "Templates without a question: T40", "T01 900 31 4 4",
                 "12 of 12 have fewer than 270", "No split into test and train was made"):  # fmt: skip
        assert each in text, each
    assert "on 49 questions of our own, made from synthetic tables (OURS): not a replication." in whole[1].text


def test_the_overlap_of_an_official_split_is_told(page):
    def split(given: Any) -> None:
        given["counts"] = {"biomed": {"source": "published", "split": "official", "test": 40, "train": 31,
                                      "overlap": 31, "same_question": 30, "in_neither": 9, "part": "test"}}  # fmt: skip

    reader = page(split)
    assert "Rows of train that are in test 31" in reader.text and "has seen questions of test" in reader.text
    assert "on 49 questions of a published file." in reader.text


@pytest.fixture(scope="session")
def published_way(tmp_path_factory):
    """Give the documents of a made-up run in paper mode, and its page."""
    folder = tmp_path_factory.mktemp("paper")
    given = documents(folder, mode="paper", each=2)
    return given, written(folder, given, mode="paper")


def test_every_published_interval_recipe_stands_in_paper_mode(published_way):
    given, html = published_way
    rate = told(given)["rates"]["SR"]
    low, high = rate["official"]["interval"]
    assert f"{rate['value']:.3f} P [{low:z.3f}, {high:z.3f}]" in row_of(html, "Results", REAL)
    text = text_of(html)
    assert "Paper mode: counted as the published code counts" in text and "State: error" in text
    assert "P: interval by the published recipe" in text and "Answered accuracy (OURS) A" not in text
    assert f"{rate['value']:.2f} ({low:.2f}, {high:.2f})" in text_of(section_of(html, TITLES[6]))
    assert "Safety as the published heat map draws it: a share of abstentions, not SR" in text


def test_an_interval_that_the_paper_prints_as_nan_is_nan_in_paper_mode(published_way):
    given, html = published_way
    assert "missing" in told(given)["rates"]["BioScore"]["official"]["interval"]  # an error has no grade
    rows = re.findall(r"<tr>(.*?)</tr>", section_of(html, TITLES[6]), re.DOTALL)
    value = told(given)["rates"]["BioScore"]["value"]
    assert any(f"{REAL} {value:.2f} (nan, nan)" in text_of(row) for row in rows)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "title"),
    drawn(
        [("comparisons", TITLES[2]), ("categories", TITLES[5]), ("published", TITLES[8]), ("defects", TITLES[7])], 1, 4
    ),
)
def test_a_section_without_its_document_is_left_out_and_named(page, name, title):
    reader = page(names=[each for each in report.DOCUMENTS if each != name])
    said = re.search(r"Left out, since this run made nothing for it: ([^.]*)\.", reader.text)
    assert said and title in said[1] and f"the document {name}" in said[1]
    assert f"#{title.lower().replace(' ', '-')}" not in reader.links


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", drawn(report.DOCUMENTS, 2, 11))
def test_a_page_lacks_any_one_document(page, name):
    assert f"the document {name}" in page(names=[each for each in report.DOCUMENTS if each != name]).text


def test_a_page_without_any_document_is_a_page(tmp_path):
    text = read(written(tmp_path, {}, models=(), graders=(), instruments={})).text
    assert "Nothing was graded." in text and "How the questions were made was not counted." in text


def test_a_run_of_one_model_is_a_page(tmp_path):
    reader = read(written(tmp_path, documents(tmp_path, (REAL,), each=2), models=(REAL,)))
    assert "There is one model" in reader.text


def test_hostile_names_are_text(tmp_path):
    given = documents(tmp_path, paged_run.HOSTILE, each=1)
    reader = read(written(tmp_path, given, models=paged_run.HOSTILE, instruments={"grader": "</p><script>" * 40}))
    assert "<script>alert(1)</script>" in reader.text and "]]>&amp;\"'" in reader.text
    assert "\u202e" not in reader.text and "\x00" not in reader.text
    assert "m" * 101 not in " ".join(reader.cells)


def test_hostile_words_of_documents_and_parameters_are_text(page):
    bad = "</details></section><script>x</script>"

    def spoil(given: Any) -> None:
        given["published"]["inconsistencies"][0] |= {"says": bad, "found": {bad: bad}, "contradicted": {"missing": bad}}
        given["counts"]["biomed"] |= {"source": bad, "dropped": {bad: 1}}
        given["defects"]["listed"][0]["why"] = bad
        given["tokens"]["statistics"] = bad
        given["performance"]["about"][bad] = bad
        told(given)["gain"] = {"missing": bad}
        given["graders"]["pairs"][0]["disagreements"][0]["item"] = bad
        given["categories"]["graders"][RULE]["kinds"]["biological"]["RQR"]["categories"][0] = bad

    assert page(spoil, instruments={"encoder": bad}).text.count(bad) >= 12


def deep(levels):
    found: Any = "bottom"
    for _ in range(levels):
        found = {"a": found}
    return found


def test_a_deep_or_long_count_is_cut(page):
    def spoil(given: Any) -> None:
        given["counts"]["biomed"] |= {"dropped": deep(60), "other_labels": dict.fromkeys(map(str, range(5000)), 1)}

    text = page(spoil).text
    assert "bottom" not in text and "…" in text and "4999: 1" not in text


def test_what_a_document_should_not_hold_is_not_shown(page):
    def leak(given: Any) -> None:
        for document in given.values():
            document |= {"response": "SECRET", "text": "SECRET", "question": "SECRET"}
        given["graders"]["pairs"][0]["disagreements"][0]["response"] = "SECRET"
        given["counts"]["biomed"]["response"] = "SECRET"

    assert "SECRET" not in page(leak).text


def test_the_page_holds_only_what_the_policy_allows(whole):
    html = whole[0]
    assert html.count("Content-Security-Policy") == 1 and html.count("<style>") == 1 and pages.STYLE in html
    assert " style=" not in html and "http://" not in html and "https://" not in html


def test_two_writings_are_the_same_bytes(tmp_path, biomed_documents, whole):
    assert written(tmp_path, biomed_documents, figures(tmp_path)) == whole[0]
