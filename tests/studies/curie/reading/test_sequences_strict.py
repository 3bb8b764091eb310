"""Records of sequences in strict mode, rules P1 and P5: which header counts, which lines are residues."""

from __future__ import annotations

import json
import time

import pytest
from support_cases import each_of
from support_draws import drawn
from support_pace import soon

from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.reading.sequences_strict import read_gold, read_record


@each_of(
    ("text", "found"),
    [
        (">p\nMKTAY\nIAKQR", "MKTAYIAKQR"),
        ("Here:\n```fasta\n  >p\n\n \nMKT AY*\nIAKQR*\n```\nMKT", "MKTAYIAKQR"),
        ("\\u003Ep\nMKT", "MKT"),
        (">p\nmktay\niakqr", "MKTAYIAKQR"),
        ("> Note: below\n>p\nMKT", "MKT"),
        (">a\nThis is no residue\n>b\nMKT\n>c\nAAA", "MKT"),
        (">p\nMKT\n\nAAA", "MKT"),
        (">p\nMKT\nNo more.\nAAA", "MKT"),
        (">p\nMKT\naaa", "MKT"),
        (">p\r\nMKU\r\nBZX\r\n", "MKXBZX"),
        (">p\nMK\tT\n*\nAAA", "MKT"),
    ],
)
def test_p1_a_record_is_a_header_and_the_residue_lines_behind_it(text: str, found: str) -> None:
    assert read_record(text) == found


@each_of(
    "text",
    [
        "",
        "MKT",
        ">p",
        ">p\n\n",
        ">p\nMkT",
        ">p\nMKTO",
        ">p\nMK-T",
        ">p\n***",
        ">p\n\u041cKT",
        ">p\nMK\ud800",
        ">p\n\u017f",
        "\\u003ep\nMKT",
    ],
)
def test_p1_without_a_header_or_residues_there_is_no_record(text: str) -> None:
    assert read_record(text) is None


def test_p5_gold_is_in_capitals_without_blanks_and_stars_and_u_is_x() -> None:
    assert read_gold(json.dumps({"record_id": "1ABC", "sequence": "mkt u\nA*"})) == "MKTXA"


@each_of("truth", ["", "{}", '{"sequence": 5}', '{"sequence": " *"}', '{"sequence": "MK-T"}', "[]"])
def test_p5_a_gold_without_residues_is_refused(truth: str) -> None:
    with pytest.raises(Unreadable):
        read_gold(truth)


@pytest.mark.exhaustive
@pytest.mark.parametrize("piece", drawn([">p\n", "MKT\n", "m", ">p\nno\n"], 1, 4))
def test_an_answer_of_a_megabyte_is_read_in_time_linear_in_it(piece: str) -> None:
    text = ">p\n" + piece * (1_000_000 // len(piece))
    begun = time.process_time()
    read_record(text)
    assert soon(time.process_time() - begun, 1)
