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
from support_certificates import write_certificate

from harness.errors import InputError
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
    folder: Path, wrong: int | None, rows: int = 300, changed: Mapping[str, str] = NO_CHANGE
) -> dict[str, Path]:
    """Write a certificate of the rule's code as it is, or with files that changed."""
    files = {**grader_code(GRADER, Code()).files, **changed}
    return {
        report.CERTIFICATE: write_certificate(folder / "certificate.json", "biomed.bioscore_rule", files, rows, wrong)
    }


def page(folder: Path, given: Any, inputs: Mapping[str, Path] = NO_CHANGE, **asked: Any) -> str:  # type: ignore[assignment]
    return written(folder, given, inputs, models=(REAL,), **asked)


def graded_text(folder: Path, given: Any, inputs: Mapping[str, Path] = NO_CHANGE, **asked: Any) -> str:  # type: ignore[assignment]
    return text_of(section_of(page(folder, given, inputs, **asked), "Who graded"))


@pytest.mark.parametrize(
    ("wrong", "state"), [(30, "usable"), (31, "not usable"), (None, "not usable")], ids=["0.8", "less", "one class"]
)
def test_the_rule_is_usable_from_a_frozen_kappa_of_eight_tenths_on(tmp_path, given, wrong, state):
    text = text_of(page(tmp_path, given, certificate(tmp_path, wrong)))
    said = (
        f"{RULE}: a rule (OURS), not the paper's grader. Certificate: {state} (certified on 300 labelled rows (frozen)"
    )
    assert said in text and (UNSURE in text) == (state == "not usable")


def test_without_a_certificate_the_rule_is_not_usable(tmp_path, given):
    text = text_of(page(tmp_path, given))
    assert "Certificate: not usable (uncertified)." in text and UNSURE in text


def test_a_kappa_of_develop_rows_makes_no_rule_usable(tmp_path, given):
    text = graded_text(tmp_path, given, certificate(tmp_path, 0, rows=0))
    assert "not usable (certified on 40 labelled rows (develop)" in text


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
