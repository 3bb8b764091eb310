"""Texts as the reader sees them: numbers and what they belong to, which way a clause answers, and phrases."""

from __future__ import annotations

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.studies.biomed.reading.abstentions import knowing, packaged, read_phrases
from harness.studies.biomed.reading.binding import bound_mentions
from harness.studies.biomed.reading.decimals import printed, same_number
from harness.studies.biomed.reading.plain import plain
from harness.studies.biomed.reading.questions import question
from harness.studies.biomed.reading.verdicts import stance


@each_of(
    ("one", "two", "same"),
    [
        ("0.2017", "0.20", True), ("0.2017", "0.21", False),
        ("2.59e-08", "2.6 x 10^-8", True), ("2.59e-08", "3e-9", False),
        ("0.0317", "0", False), ("0.0004", "0.000", True),
        ("104,577,363", "104577363", True), ("-0.1871", "0.1871", False),
    ],
)  # fmt: skip
def test_two_prints_agree_after_rounding_to_the_coarser_side(one, two, same):
    first, second = printed(one), printed(two)
    assert first and second and same_number(first, second) is same


@each_of(
    ("text", "wanted"),
    [
        (
            "The T allele has 20.2%, the C allele 79.8 percent.",
            [("frequency", "T", "20.2%"), ("frequency", "C", "79.8%")],
        ),
        ("0.2 in Europeans and 0.4 in Africans", [("frequency", "", "0.2")]),
        ("27442372 in GRCh37 and 26070056 in hg38", [("position", "37", "27442372"), ("position", "38", "26070056")]),
        ("chr12:104,577,363 (GRCh38)", [("chromosome", "", "12"), ("position", "38", "104,577,363")]),
        ("p = 2.59 \u00d7 10\u207b\u2078 for it", [("p", "", "2.59x10^-8")]),
        ("early phase 1, then Phase III", [("phase", "", "0.5"), ("phase", "", "3")]),
        ("USAN in 1976; approved in 1985", [("year", "usan", "1976"), ("year", "approval", "1985")]),
        ("Nalls et al. (2019); CD20, COVID-19, rs123, hg19", []),
    ],
)
def test_numbers_are_read_with_what_they_belong_to(text, wanted):
    assert [(one.slot, one.of, one.text) for one in bound_mentions(plain(text))] == wanted


@each_of(
    ("text", "wanted"),
    [
        ("**No**, it is not.", "no"),
        ("Verodexine is approved for breast cancer, but not for epilepsy.", "no"),
        ("It is indicated for the treatment of epilepsy.", "yes"),
        ("It is only being evaluated for epilepsy.", "no"),
        ("It is false that Verodexine is approved for epilepsy.", "no"),
        ("Verodexine is approved for epilepsy. This is not true.", "no"),
        ("Yes, it is. No, it is not.", "both"),
        ("Verodexine is approved for gout.", ""),
        ("Is Verodexine approved for epilepsy?", ""),
    ],
)
def test_a_text_answers_yes_or_no_to_the_disease_that_is_asked_about(text, wanted):
    assert stance(plain(text), question("Is Verodexine approved to treat epilepsy?")).value == wanted


def test_a_phrase_is_found_folded_and_the_rest_is_kept():
    found = knowing(plain("I DON\u2019T  currently have **any** data. It is in phase 2."), packaged())
    assert (found.first, found.rest.text) == (True, "It is in phase 2.")


def test_a_table_of_another_kind_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("kind,phrase\nmaybe,perhaps\n")
    with pytest.raises(InputError, match="maybe"):
        read_phrases(tmp_path / "a.csv")
