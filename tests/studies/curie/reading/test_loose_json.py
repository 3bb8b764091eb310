"""JSON5 is read and written as the package json5 does it, whatever the text, fast, and within bounds."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import json5
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import FIXTURES
from support_cases import each_of
from support_curie_records import RECORDS
from support_draws import drawn
from support_examples import examples
from support_pace import soon

from harness.studies.curie.reading.loose_json import LONGEST, LONGEST_LOOSE, Unreadable, dumps, loads

ATOMS = [
    *"[]{}:,\"'\\ \n\t/*+-.01", "null", "true", "false", "NaN", "Infinity", "0x1F", "1e5", "1e", ".5", "5.", "01",
    '"a"', "'b'", "k:", '"k":', "class:", "//c\n", "/*c*/", "\\u0041", "\\ud83d\\ude00", "\\x41", "\\0", "\\\r\n",
    "\u2028", "\xa0", "\ufeff", "\u3000", "é", "\U0001d49c:", "\ud800", "٣", "²", "\u200d", "\u0300", "None", "[1,2]",
    "{a:1}", "\v", "\0", "\x7f",
]  # fmt: skip
texts = st.lists(st.sampled_from(ATOMS), max_size=12).map("".join)
bracketed = texts.map(lambda inside: f"[{inside}]") | texts.map(lambda inside: f"{{a: {inside}}}")
names = st.text(st.sampled_from([*"aZ_$19é\U0001d49c\"'\\\n\v\0\x7f\ud800\u0300 -"]), max_size=4) | st.sampled_from(
    ["class", "let"]
)
leaves = (
    st.none() | st.booleans() | st.integers() | st.floats() | names | st.text(st.characters(codec=None), max_size=5)
)  # fmt: skip
values = st.recursive(leaves, lambda inside: st.lists(inside, max_size=4) | st.dictionaries(names, inside, max_size=4))


def outcome(read: Callable[[str], Any], text: str) -> str:
    """Give the type and value of what is read, or that it is not; repr tells NaN, -0.0 and 1 from 1.0."""
    try:
        return repr(read(text))
    except ValueError:
        return "unreadable"


@pytest.mark.long
@examples(8)
@given(texts | bracketed)
@example('{"a": 1, "b": 2, "a": 3}')
@example('["\\ud83d\\ude00"]')
@example("[1,]")
@example("[-0, -0.0, +1, -NaN, -Infinity, 1e400, 0x1e5, -0X1F]")
@example("['\\1']")
@example('["a\tb"]')
@example("{\\u0061b: 1}")
@example("1" * 5000)
def test_every_text_is_read_as_the_package_reads_it(text: str) -> None:
    assert outcome(loads, text) == outcome(json5.loads, text)


@pytest.mark.long
@examples(4)
@given(values, st.sampled_from([None, 2]))
def test_every_value_is_written_as_the_package_writes_it(value: Any, indent: int | None) -> None:
    assert dumps(value, indent) == json5.dumps(value, indent=indent)


@given(st.text(st.characters(codec=None)))
def test_any_key_is_quoted_where_the_package_quotes_it(key: str) -> None:
    assert dumps({key: 0}) == json5.dumps({key: 0})


@pytest.mark.long
def test_every_golden_text_of_the_study_is_read_and_written_alike() -> None:
    path = FIXTURES / "curie" / "preprocess.json"
    if not path.is_file():
        pytest.skip("the golden values are not here")
    given = [case["ground_truth_file_text"] for case in json.loads(path.read_text())["cases"]]
    assert len(given) > 20
    for text in given:
        assert outcome(loads, text) == outcome(json5.loads, text)
        if outcome(loads, text) != "unreadable":
            assert dumps(loads(text)) == json5.dumps(json.loads(text) if text[0] == "[" else json5.loads(text))


def test_real_records_are_written_alike_and_fast() -> None:
    paths = sorted(RECORDS.glob("*/ground_truth/*.json"))
    if not paths:
        pytest.skip("the real records are not here")
    found = [path.read_text() for path in paths]
    began = time.process_time()
    written = [dumps(loads(text)) for text in found]
    assert soon(time.process_time() - began, 10)
    for text, one in list(zip(found, written, strict=True))[:3]:  # the package takes a second for each
        assert one == json5.dumps(json.loads(text))


HOSTILE = {
    "brackets": "[" * 10_000 + "]" * 10_000,
    "open braces": "{a:" * 10_000,
    "5 MB of a word": "x" * 5_000_000,
    "5 MB of JSON": f"[{'1,' * 2_500_000}1]",
    "1 MB that is not strict": f"[{'1,' * 500_000}]",
    "comments without an end": "/*" * 150_000,
    "backslashes": '["' + "\\" * 250_001,
    "a number of many digits": "1" * 1_000_000,
    "a hexadecimal number of many digits": "0x" + "f" * 250_000,
    "points": "[" + ".," * 100_000,
}


@each_of("name", HOSTILE)
def test_hostile_texts_are_unreadable_at_once(name: str) -> None:
    began = time.process_time()
    with pytest.raises(Unreadable):
        loads(HOSTILE[name])
    assert soon(time.process_time() - began, 10)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("unit", "end", "most"),
    drawn(
        [
            ("1,", "]", LONGEST_LOOSE),
            ("{},", "]", LONGEST_LOOSE),
            ("/**/", "1]", LONGEST_LOOSE),
            ("'\\q',", "]", LONGEST_LOOSE),
        ],
        1,
        4,
    ),
)
def test_the_longest_texts_that_are_read_take_well_under_a_second(unit: str, end: str, most: int) -> None:
    text = "[" + unit * ((most - 10) // len(unit)) + end
    began = time.process_time()
    assert loads(text)
    assert soon(time.process_time() - began, 10)


def test_nesting_ends_at_the_same_depth_in_both_readers() -> None:
    for inside in ("1", ".5"):  # JSON, and JSON5 alone
        assert loads("[" * 60 + inside + "]" * 60)
        with pytest.raises(Unreadable):
            loads("[" * 61 + inside + "]" * 61)


def test_a_longer_text_of_strict_json_is_read_where_a_file_is_expected() -> None:
    text = json.dumps({"text": "x" * LONGEST})
    with pytest.raises(Unreadable):
        loads(text)
    assert loads(text, 2 * LONGEST) == {"text": "x" * LONGEST}


@pytest.mark.parametrize("value", [{1, 2}, [object()], 10**5000], ids=["a set", "an object", "a long number"])
def test_what_json_cannot_say_is_not_written(value: Any) -> None:
    with pytest.raises(Unreadable):
        dumps(value)
