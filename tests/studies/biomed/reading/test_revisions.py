"""What a response takes back, what is about the subject, and what belongs to what: each also where it must not act."""

from __future__ import annotations

import pytest
from support_cases import each_of

from harness.studies.biomed.reading.focus import focused
from harness.studies.biomed.reading.pairing import paired
from harness.studies.biomed.reading.plain import Plain, plain
from harness.studies.biomed.reading.questions import question
from harness.studies.biomed.reading.revisions import revised

GENE = question("Is the gene GEN0011 associated with Parkinson's disease at genome-wide significance?")
NEAREST = question("Which gene or genes is rs990000011 in or nearest to?")
SHARES = question("How frequent are the effect allele and the other allele of rs990000011 in the GWAS of PD?")


def versions(text: str) -> list[str]:
    """Give the versions of a text."""
    return [one.text.strip(" ,.") for one in revised(plain(text)).versions]


@each_of(
    ("text", "last"),
    [
        ("GEN0001. Correction: GEN0002.", "GEN0002"),
        ("It is 4, or rather 5.", "5"),
        ("GEN0001 - no, GEN0002.", "no, GEN0002"),
        ("Phase 2, I mean phase 3.", "phase 3"),
        ("GEN0001. My mistake, GEN0002.", "GEN0002"),
        ("GEN0001; on second thought GEN0002.", "GEN0002"),
        ("GEN0001. Final answer: GEN0002", "GEN0002"),
    ],
)
def test_a_correction_begins_a_new_version(text, last):
    assert len(versions(text)) > 1 and versions(text)[-1] == last


@pytest.mark.parametrize(
    "text",
    [
        "The p-value has to be corrected, and it is 1e-9.",
        "It was approved in 1990 and withdrawn in 1999.",
        "It is wrong to say that it targets GEN0001.",
        "Patients had to wait until 1990.",
        "It targets GEN0001, and no other gene.",
        "Yes, it is approved. No generic is on the market.",
    ],
)
def test_a_text_that_takes_nothing_back_is_one_version(text):
    found = revised(plain(text))
    assert len(found.versions) == 1 and not found.withdrawn


@pytest.mark.parametrize(
    "text",
    ["GEN0001. Scratch that.", "GEN0001. I take it back.", "GEN0001, but consider this unanswered.",
     "GEN0001. I'd like to withdraw my answer.", "GEN0001. I made that up."],
)  # fmt: skip
def test_a_withdrawal_is_told_from_a_correction(text):
    assert revised(plain(text)).withdrawn and not revised(plain("GEN0001. Correction: GEN0002.")).withdrawn


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("GEN0001 and GEN0003. GEN0003 should read GEN0002.", "GEN0001 and GEN0002. GEN0002."),
        ("GEN0001 and GEN0003. Replace GEN0003 by GEN0002.", "GEN0001 and GEN0002. GEN0002."),
        ("The drug should be taken at 8.", "The drug should be taken at 8."),
        ("CHEMBL90012... I forgot the rest", "... I forgot the rest"),
        ("Let me think... GEN0001", "Let me think... GEN0001"),
    ],
)
def test_a_value_that_is_to_be_read_as_another_one_is_replaced(text, read):
    assert "".join(one.text for one in revised(plain(text)).versions).startswith(read[:24])
    assert ("GEN0003" in text) <= ("GEN0003" not in "".join(one.text for one in revised(plain(text)).versions))


@pytest.mark.parametrize(
    ("asked", "text", "left"),
    [
        (GENE, "No SNP passes there. GEN0012 has two, though.", "No SNP passes there."),
        (NEAREST, "GEN0160. Its neighbour rs990000012 is in GEN0161.", "GEN0160."),
        (SHARES, "C 0.2 and T 0.8 in Europeans. In Africans C has 0.4.", "C 0.2 and T 0.8 in Europeans."),
    ],
)
def test_an_aside_about_another_subject_is_left_out(asked, text, left):
    found = focused(plain(text), asked)
    assert (found.text.text, found.aside) == (left, True)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (GENE, "GEN0012 is significant."),  # about something else from the beginning: no aside
        (GENE, "Yes. GEN0012 is significant."),
        (GENE, "GEN0011 is significant, like GEN0012."),
        (NEAREST, "It is in GEN0160. No other genes are near."),
        (SHARES, "C 0.2, T 0.8 (both in Europeans)."),
    ],
)
def test_what_is_no_aside_stays(asked, text):
    found = focused(plain(text), asked)
    assert (found.text.text, found.aside) == (text, False)


def test_background_before_the_subject_is_apart_from_what_is_said_of_it():
    told = "As for GEN0011, no SNP reaches it."
    background = "GWAS compare cases and controls. A threshold of 5e-08 is usual. Some loci pass it by far. " * 4
    core = focused(plain(background + told), GENE).core
    assert core is not None and core.text == told
    assert focused(plain(told), GENE).core is None


@each_of(
    ("keys", "values", "found"),
    [
        ([0, 20], [10, 30], {10: 0, 30: 20}),  # K V K V
        ([10, 30], [0, 20], {0: 10, 20: 30}),  # V K V K
        ([0, 5], [20, 30], {20: 0, 30: 5}),  # K K V V
        ([0, 20], [10], {}),
        ([0, 30], [10, 20], {}),  # K V V K
        ([], [], {}),
    ],
)
def test_keys_and_values_are_paired_only_if_their_order_tells(keys, values, found):
    assert paired(keys, values) == found


def test_no_text_breaks_the_readers():
    for text in ("", "...", "-", "\u2026", "should read", "no, no, no,", "(;;)", "A/C/G/T", "'"):
        assert revised(Plain(text)).versions and focused(Plain(text), GENE).text is not None
