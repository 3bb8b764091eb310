"""Canonical JSON is RFC 8785; identity documents are its strict subset, and any change of their bytes is refused."""

import json
import math

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st
from support_examples import examples

from harness.digest import (
    MAX_INT,
    canonical_json,
    differing_pointers,
    document_digest,
    encode_document,
    parse_document,
    seal_document,
    sha256,
    sha256_file,
    walk_values,
)
from harness.errors import InputError

texts = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["\0\x1f\x7f", "\u2028", "😀", "\ue000", "é"]
)
floats = st.floats(allow_nan=False, allow_infinity=False) | st.builds(
    lambda digits, power: float(f"{digits}e{power}"), st.integers(-(10**17), 10**17), st.integers(-330, 290)
)
ints = st.integers(-MAX_INT, MAX_INT) | st.integers(MAX_INT - 2, MAX_INT) | st.integers(-MAX_INT, 2 - MAX_INT)
values = st.recursive(
    st.none() | st.booleans() | ints | floats | texts,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=25,
)
words = st.text(st.characters(codec="ascii"), max_size=8)
strict = st.recursive(
    st.none() | st.booleans() | ints | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=15,
)
bodies = st.dictionaries(words.filter(lambda name: name != "self"), strict, max_size=5).map(
    lambda body: {**body, "type": "lock/1"}
)


@given(values)
@example({"\ue000": 1, "😀": 2})  # UTF-16 order, which is not the order of code points
@example([1e21, 1e-7, -0.0, 5e-324, 1e15, 1e16, 0.1 + 0.2, 1.0, 123456789012345680.0])
def test_canonical_bytes_are_those_of_rfc_8785(value):
    assert canonical_json(value) == rfc8785.dumps(value)
    assert json.loads(canonical_json(value), parse_int=float) == value  # every number is an IEEE double


def test_canonical_bytes_are_those_of_the_standards_own_example():
    given_ = r"""{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"""
    wanted = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        r'"string":"€$\u000f\nA' + "'" + r'B\"\\\\\"/"}'
    )
    assert canonical_json(json.loads(given_)) == wanted.encode()


@given(st.dictionaries(texts, st.integers(0, 9), min_size=2), st.randoms(use_true_random=False))
def test_equal_data_has_equal_bytes_whatever_its_order(value, random):
    items = list(value.items())
    random.shuffle(items)
    assert canonical_json(dict(items)) == canonical_json(value)


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, MAX_INT + 1, -MAX_INT - 1, "\ud800", {"\udc00": 1}, {1: 2}, {1, 2}, b"bytes"],
    ids=repr,
)
@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: [{"deep": value}]], ids=["bare", "nested"])
def test_what_has_no_canonical_spelling_is_refused(value, wrap):
    with pytest.raises(InputError):
        canonical_json(wrap(value))


def test_nesting_without_end_is_refused():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InputError):
        canonical_json(deep)
    with pytest.raises(InputError):
        encode_document({"type": "lock/1", "deep": deep})


def test_a_nested_file_is_refused_at_every_depth():
    for depth in range(700, 1100):
        with pytest.raises(InputError):
            parse_document(b'{"a":' * depth + b"1" + b"}" * depth, "lock/1", "x")
        with pytest.raises(InputError):
            parse_document(b'{"a":' + b"[" * depth + b"]" * depth + b',"type":"lock/1"} ', "lock/1", "x")


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({"type": "lock/1", "a": [{"b": 0.5}]}, "/a/0/b"),
        ({"type": "lock/1", "a": 1.0}, "/a"),
        ({"type": "lock/1", "a": [{"é": 1}]}, "/a/0"),
        ({"type": "lock/1", "a/b": {"c~d": 0.5}}, "/a~1b/c~0d"),
    ],
)
def test_an_identity_document_refuses_floats_and_other_keys_and_says_where(value, pointer):
    with pytest.raises(InputError) as refused:
        encode_document(value)
    assert refused.value.where == pointer


@pytest.mark.parametrize("value", [{}, {"type": 1}, {"type": "x/1", "n": MAX_INT + 1}, {"type": "x/1", "t": "\ud800"}])
def test_an_identity_document_refuses_values_outside_its_subset(value):
    with pytest.raises(InputError):
        encode_document(value)


@given(bodies)
def test_a_sealed_document_reads_back_and_names_itself(body):
    data = seal_document(body)
    found = parse_document(data, "lock/1", "x")
    assert found == {**body, "self": document_digest(body)}
    assert seal_document(found) == data


def _outside_the_key_self(data):
    """Give the places of a sealed document's bytes, less the key `self`: each type's reader demands that field."""
    at = data.index(b'"self":"' + str(json.loads(data)["self"]).encode())
    return [place for place in range(len(data) - 1) if not at < place <= at + len("self")]


@examples(0.5)
@given(bodies, st.data())
def test_any_changed_added_or_missing_byte_of_a_sealed_document_is_refused(body, draw):
    data = seal_document(body)
    at = draw.draw(st.sampled_from(_outside_the_key_self(data)))
    other = draw.draw(st.integers(0, 255).filter(lambda byte: byte != data[at]))
    head, tail = data[:at], data[at + 1 :]
    for changed in (head + bytes([other]) + tail, head + tail, head + bytes([other]) + data[at:]):
        with pytest.raises(InputError):
            parse_document(changed, "lock/1", "x")


def test_each_single_bit_of_a_sealed_document_counts():
    data = seal_document({"type": "lock/1", "name": "é 😀", "list": [1, True, None, {"a/b": "\n"}]})
    for at in _outside_the_key_self(data):
        for bit in range(8):
            with pytest.raises(InputError) as refused:
                parse_document(data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :], "lock/1", "the file")
            assert refused.value.where == "the file"


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\n", b"null", b"[]", b"{}", b'{"type":"lock/2"}', b'{"type":"lock/1"}\n\n', b' {"type":"lock/1"}',
        b'\xef\xbb\xbf{"type":"lock/1"}', '{"type":"lock/1"}'.encode("utf-16"), b'{"type":"lock/1","type":"lock/1"}',
        b'{"type":"lock/1","a":1.0}', b'{"type":"lock/1","a":NaN}', b'{"a":"\\u0041","type":"lock/1"}',
        b'{"a":"\\ud800","type":"lock/1"}', b'{"a":' + b"9" * 5000 + b',"type":"lock/1"}', b"\xff\xfe",
        b'{"self":"","type":"lock/1"}',
    ],
    ids=lambda data: repr(data[:30]),
)  # fmt: skip
def test_other_spellings_and_other_types_are_refused(data):
    with pytest.raises(InputError):
        parse_document(data, "lock/1", "x")


def test_a_file_is_named_by_its_bytes_whatever_its_size(tmp_path):
    data = bytes(range(256)) * 4096 * 3 + b"end"  # more than two blocks of a MiB
    (tmp_path / "file").write_bytes(data)
    assert sha256_file(tmp_path / "file") == (sha256(data), len(data))
    assert sha256(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2


def _at(value, pointer):
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


@given(strict)
def test_walk_gives_each_value_the_pointer_that_leads_to_it(value):
    found = list(walk_values(value))
    assert all(_at(value, pointer) is item for pointer, item in found)
    assert len({pointer for pointer, _ in found}) == len(found)


@given(strict, strict)
def test_differences_are_empty_exactly_where_the_bytes_are_equal(one, two):
    assert (list(differing_pointers(one, two)) == []) == (canonical_json(one) == canonical_json(two))
    assert list(differing_pointers(one, json.loads(canonical_json(one)))) == []


def test_differences_name_the_field_and_not_the_file():
    old = {"a": 1, "b": [1, {"x/y": 1, "p~q": 2}], "gone": 0, "same": [1], "kind": 1, "list": [1]}
    new = {"a": 2, "b": [1, {"x/y": 3, "p~q": 2}], "here": 0, "same": [1], "kind": True, "list": [1, 2]}
    assert list(differing_pointers(old, new)) == ["/a", "/b/1/x~1y", "/gone", "/here", "/kind", "/list"]
