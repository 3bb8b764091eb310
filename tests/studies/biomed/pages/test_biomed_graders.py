"""The page's part on who graded: the rule and its certificate, the model and its wording, repeats and agreement."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from studies.biomed.measures.answer_rows import RULE
from studies.biomed.pages import paged_run
from studies.biomed.pages.paged_run import JUDGE, REAL, documents, written
from studies.curie.pages.page_text import section_of, text_of
from support_certificates import PERSON, write_certificate
from support_draws import drawn

from harness.errors import InputError
from harness.kit.certificate import BLIND, MAKERS
from harness.run.closure import Code
from harness.run.locking.certificates import grader_code
from harness.studies.biomed.pages import report

NO_CHANGE: Mapping[str, str] = {}
GRADER = ("harness.studies.biomed.judging.rule:judge",)
UNSURE = "So the numbers of this page rest on a grader that is not known to be good enough."


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Give the documents that the part on graders rests on; nobody changes them."""
    found = documents(tmp_path_factory.mktemp("graders"), (REAL,), each=2)
    return {name: found[name] for name in ("performance", "graders", "counts")}


def certificate(
    folder: Path, wrong: int | None, rows: int = 300, changed: Mapping[str, str] = NO_CHANGE, **more: Any
) -> dict[str, Path]:
    """Write a certificate of the rule's code as it is, or with files that changed."""
    files, path = {**grader_code(GRADER, Code()).files, **changed}, folder / "certificate.json"
    return {report.CERTIFICATE: write_certificate(path, "biomed.bioscore_rule", files, rows, wrong, **more)}


def page(folder: Path, given: Any, inputs: Mapping[str, Path] = NO_CHANGE, **asked: Any) -> str:  # type: ignore[assignment]
    return written(folder, given, inputs, models=(REAL,), **asked)


def graded_text(folder: Path, given: Any, inputs: Mapping[str, Path] = NO_CHANGE, **asked: Any) -> str:  # type: ignore[assignment]
    return text_of(section_of(page(folder, given, inputs, **asked), "Who graded"))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("wrong", "state"),
    drawn(
        [
            (27, "usable ("),
            (28, "not usable (kappa may be as low as 0.746, and 0.75 is asked; "),
            (None, "not usable (kappa has no interval, so nothing is known; "),
        ],
        1,
        3,
    ),
)
def test_the_rule_is_usable_where_blind_labels_bound_kappa_from_below(tmp_path, given, wrong, state):
    text = text_of(page(tmp_path, given, certificate(tmp_path, wrong)))
    said = f"{RULE}: a rule (OURS), not the paper's grader. Certificate: {state}on 300 rows labelled blind by a person"
    assert said in text and (UNSURE in text) == (state != "usable (")


def test_what_only_its_makers_labelled_makes_no_rule_usable(tmp_path, given):
    text = text_of(page(tmp_path, given, certificate(tmp_path, 0, by=MAKERS)))
    assert "Certificate: not yet measured by others (on 300 rows labelled by its makers (frozen): accuracy 1.00" in text
    assert UNSURE in text


def test_the_page_says_who_labelled_and_which_sealed_rows_were_missed(tmp_path, given):
    text = graded_text(tmp_path, given, certificate(tmp_path, 2))
    assert "labelled by its makers: develop: 40 rows, accuracy 1.00 [0.91, 1.00]" in text
    assert "labelled blind by a person: open: 40 rows, accuracy 1.00 [0.91, 1.00], kappa 1.00 [1.00, 1.00]" in text
    assert f"person: {PERSON['name']}; missed of the sealed rows: i0 (bad, graded good), i1 (good, graded bad)" in text
    many = graded_text(tmp_path, given, certificate(tmp_path, 33))
    assert "i19 (good, graded bad) and 13 more, which the certificate names" in many and "i20 (" not in many


def test_without_a_certificate_the_rule_is_not_usable(tmp_path, given):
    text = text_of(page(tmp_path, given))
    assert "Certificate: not usable (uncertified)." in text and UNSURE in text


@pytest.mark.parametrize(("by", "where"), [(MAKERS, "by its makers (develop)"), (BLIND, "blind by a person (open)")])
def test_a_kappa_of_rows_to_develop_on_makes_no_rule_usable(tmp_path, given, by, where):
    text = graded_text(tmp_path, given, certificate(tmp_path, 0, rows=0, by=by))
    assert "Certificate: not yet measured by others (" in text and f"on 40 rows labelled {where}: accuracy 1.00" in text


def test_sealed_rows_that_other_rules_graded_otherwise_make_no_rule_usable(tmp_path, given):
    text = graded_text(tmp_path, given, certificate(tmp_path, 0, opened=2))
    said = "Certificate: not yet measured by others (its sealed rows had been opened before, by rules that graded them"
    assert said in text and "(sealed, opened 2 times): accuracy 1.00" in text


def test_a_certificate_of_other_code_is_void(tmp_path, given):
    changed = {"harness/studies/biomed/judging/rule.py": "0" * 64}
    text = graded_text(tmp_path, given, certificate(tmp_path, 2, changed=changed))
    assert "not usable (void: changed since it was measured: harness/studies/biomed/judging/rule.py)" in text


def test_the_page_is_made_anew_where_the_rule_changes():
    files = Code().closure("harness.studies.biomed.pages.report:write").files
    assert set(grader_code(GRADER, Code()).files) <= set(files)
    assert not [name for name in files if "/standalone/" in name]


def test_a_certificate_that_was_edited_is_refused(tmp_path, given):
    inputs = certificate(tmp_path, 9)
    path = inputs[report.CERTIFICATE]
    path.write_bytes(path.read_bytes().replace(b'"rows":40', b'"rows":41'))
    with pytest.raises(InputError):
        page(tmp_path, given, inputs)


def test_a_model_that_grades_needs_no_certificate_of_the_rule(tmp_path, given):
    text = text_of(page(tmp_path, given, graders=(JUDGE, RULE)))
    assert f"The grades that count are by {JUDGE}: judge-7b" in text and UNSURE not in text


@pytest.mark.parametrize(
    ("mode", "prompt", "wording"),
    [("paper", "published", "asked in the published wording"), ("paper", "ours, 1", "asked in our own wording (OURS)"),
     ("strict", "published", "asked in our own wording (OURS)")],
)  # fmt: skip
def test_the_wording_of_a_grader_is_said(tmp_path, given, mode, prompt, wording):
    counts = {"biomed": {**paged_run.COUNTS["biomed"], "system_prompt": prompt}}
    assert f"judge-7b, {wording}" in graded_text(tmp_path, {**given, "counts": counts}, mode=mode)


def test_agreement_stands_beside_the_published_ceiling(tmp_path, given):
    [pair] = given["graders"]["pairs"]
    text = graded_text(tmp_path, given)
    kappa, near = pair["states"]["kappa"], pair["within_half_a_point"]
    assert f"{kappa['value']:.2f}" in text and f"{100 * near['value']:.1f} %" in text
    assert "within half a point on 86 of 100 answers [0.78, 0.91], kappa 0.85 on three states" in text
    good = pair["states"]["matrix"]["good"]
    assert f"{RULE}: good {good['good']} {good['bad']} {good['abstained']}" in text


def test_answers_on_which_two_graders_part_are_listed(tmp_path, given):
    [pair] = given["graders"]["pairs"]
    one = pair["disagreements"][0]
    text = graded_text(tmp_path, given)
    assert f"Answers on which they part: {len(pair['disagreements'])} of {pair['n_disagreements']}" in text
    assert f"{one['item']} {REAL} 0 {one['a']:.1f} {one['b']:.1f}" in text


def test_repeats_have_a_variance_and_an_agreement(tmp_path, given):
    found = given["graders"]["repeats"][JUDGE][REAL]
    text = graded_text(tmp_path, given)
    assert f"{JUDGE} {REAL} {found['n']} {found['variance']:.3f} {100 * found['same_grade']:.1f} %" in text
    alone = {**given, "graders": {**given["graders"], "repeats": {}, "pairs": []}}
    text = graded_text(tmp_path, alone, graders=(RULE,))
    assert "No answer was graded more than once" in text and "One grader graded this run" in text
