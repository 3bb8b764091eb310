"""The page's later sections: judges and certificate, programs, printed numbers, and what a run rests on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from studies.curie.pages import made_run
from studies.curie.pages.page_text import row_of, section_of, text_of
from support_certificates import write_certificate

from harness.errors import InputError
from harness.kit.certificate import MAKERS
from harness.run.closure import Code
from harness.run.locking.certificates import grader_code
from harness.studies.curie.pages import report, tables_judges

pytestmark = pytest.mark.together  # they share the documents and the figures of one run
BEST = "mistral-large-2407"
NO_CHANGE: Mapping[str, str] = {}
GRADER = ("harness.studies.curie.judging.rule:judge",)


def certificate(
    folder: Path, wrong: int | None, rows: int = 80, changed: Mapping[str, str] = NO_CHANGE, **more: Any
) -> dict[str, Path]:
    """Write a certificate of the rule judge's code as it is, or with files that changed."""
    files = {**grader_code(GRADER, Code()).files, **changed}
    path = folder / "certificate.json"
    return {report.CERTIFICATE: write_certificate(path, "curie.llmsim_rule", files, rows, wrong, **more)}


def judges_text(folder: Path, given: Any, inputs: dict[str, Path]) -> str:
    return text_of(section_of(made_run.written(folder, given, inputs), "Judges"))


@pytest.mark.parametrize(
    ("wrong", "state"),
    [(5, "usable ("), (6, "not usable (kappa may be as low as 0.725, and 0.75 is asked; ")],
    ids=["enough", "less"],
)
def test_the_rule_judge_is_usable_where_blind_labels_bound_kappa_from_below(tmp_path, curie_documents, wrong, state):
    text = judges_text(tmp_path, curie_documents, certificate(tmp_path, wrong))
    assert f"Certificate of the rule judge: {state}on 80 rows labelled blind by a person (sealed, opened once)" in text
    assert "compares facts" in text and "labelled blind by a person: open: 40 rows, accuracy 1.00" in text


def test_what_only_its_makers_labelled_makes_no_judge_usable(tmp_path, curie_documents):
    html = made_run.written(tmp_path, curie_documents, certificate(tmp_path, 0, by=MAKERS))
    said = "not yet measured by others (on 80 rows labelled by its makers (frozen): accuracy 1.00"
    assert f"Certificate of the rule judge: {said}" in text_of(section_of(html, "Judges"))
    assert "is by the rule judge (OURS), which is not yet measured by others: on 80 rows" in text_of(html)


def test_without_a_certificate_the_rule_judge_is_not_usable(whole):
    assert "Certificate of the rule judge: not usable (uncertified)." in text_of(section_of(whole[0], "Judges"))
    warned = (
        "LLMSim of DFT-S, DFT-P, MPV, MPV-NON-TRIVIAL, MPV-SPECIFIC is by the rule judge (OURS), which is not usable"
    )
    assert f"{warned}: uncertified." in whole[1].text


def test_a_kappa_of_develop_rows_makes_no_judge_usable(tmp_path, curie_documents):
    text = judges_text(tmp_path, curie_documents, certificate(tmp_path, 0, rows=0))
    assert "not yet measured by others (" in text and "on 40 rows labelled blind by a person (open)" in text


def test_a_certificate_of_other_code_is_void_and_not_usable(tmp_path, curie_documents):
    changed = {"harness/studies/curie/judging/cells.py": "0" * 64}
    text = judges_text(tmp_path, curie_documents, certificate(tmp_path, 2, changed=changed))
    assert "not usable (void: changed since it was measured: harness/studies/curie/judging/cells.py)" in text


def test_the_page_is_made_anew_where_the_rule_judge_changes():
    files = Code().closure("harness.studies.curie.pages.report:write").files
    assert set(grader_code(GRADER, Code()).files) <= set(files)
    assert not [name for name in files if "/standalone/" in name]


def test_a_certificate_that_was_edited_is_refused(tmp_path, curie_documents):
    inputs = certificate(tmp_path, 9)
    path = inputs[report.CERTIFICATE]
    path.write_bytes(path.read_bytes().replace(b'"rows":40', b'"rows":41'))
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
        "BERTScore by the last layer of the encoder mini-encoder, which is not layer 17 of roberta-large",
        "What strict mode changes",
        "HFE public copy; not the official archive 16 38 22 1 0", "GEO of our own (OURS): none of the paper's 16",
    ):  # fmt: skip
        assert each in text, each
    assert "on 32 of 76 published records, and on records of our own for 10 tasks." in whole[1].text


def test_the_papers_encoder_is_named_alone_and_none_is_said(page):
    large = {"instruments": {"encoder": "roberta-large"}}
    assert "BERTScore by layer 17 of roberta-large, without idf" in page(**large, layer=17).text
    assert "BERTScore by the last layer of the encoder roberta-large, which is not layer 17" in page(**large).text
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
