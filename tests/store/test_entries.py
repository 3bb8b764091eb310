"""An entry stands under the digest of its preimage and says exactly what its step declares, or it is no entry."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.digest import document_digest, encode_document, sha256
from harness.errors import HarnessError, InputError
from harness.store.store import Entries, Output, read_entry
from harness.store.tree import StoreTree

PREIMAGE = {"type": "key/1", "kind": "m:f", "params": {"seed": 7}, "inputs": {}, "outputs": ["rows", "counts"]}
OUTPUTS = {"rows": Output("a" * 64, 12), "counts": Output("b" * 64, 0)}
KEY = document_digest(PREIMAGE)
BODY: dict[str, Any] = {
    "type": "entry/1",
    "key": KEY,
    "preimage": PREIMAGE,
    "outputs": {name: {"sha256": out.sha256, "size": out.size} for name, out in OUTPUTS.items()},
}
DATA = encode_document(BODY) + b"\n"


@pytest.fixture
def entries(tmp_path):
    return Entries(StoreTree(tmp_path))


def test_an_entry_is_one_canonical_file_and_reads_back(entries):
    put = entries.put(PREIMAGE, OUTPUTS)
    assert entries.path(KEY).read_bytes() == DATA
    assert entries.get(KEY) == put
    assert (put.key, put.digest, put.preimage, put.outputs) == (KEY, sha256(DATA), PREIMAGE, OUTPUTS)
    assert list(entries.all()) == [entries.path(KEY)]


def test_a_step_without_an_entry_is_not_finished(entries):
    assert entries.get(KEY) is None
    assert list(entries.all()) == []
    with pytest.raises(InputError):
        entries.get("../../etc/passwd")


def test_what_a_kill_left_is_no_entry_and_what_somebody_laid_there_is_seen(entries):
    entries.put(PREIMAGE, OUTPUTS)
    folder = entries.path(KEY).parent
    (folder / f".{KEY}.json.0123abcd.tmp").touch()
    (folder / "mine.tmp").touch()
    assert set(entries.all()) == {entries.path(KEY), folder / "mine.tmp"}


def test_an_entry_that_is_put_again_replaces_a_damaged_one(entries):
    entries.put(PREIMAGE, OUTPUTS)
    entries.path(KEY).chmod(0o644)
    entries.path(KEY).write_bytes(b"{}")
    with pytest.raises(HarnessError):
        entries.get(KEY)
    entries.put(PREIMAGE, OUTPUTS)
    assert entries.get(KEY).outputs == OUTPUTS


def test_no_flipped_bit_passes_for_the_entry_the_run_saw():
    for at in range(len(DATA)):
        for bit in range(8):
            data = DATA[:at] + bytes([DATA[at] ^ 1 << bit]) + DATA[at + 1 :]
            try:
                found = read_entry(data, KEY, "x")
            except HarnessError:
                continue
            assert found.digest != sha256(DATA)  # the journal names the digest, so audit sees it
            assert found.preimage == PREIMAGE and set(found.outputs) == set(OUTPUTS)


def test_no_part_of_an_entry_passes_for_it():
    for cut in range(len(DATA)):
        with pytest.raises(InputError):
            read_entry(DATA[:cut], KEY, "x")


def test_a_good_entry_under_a_wrong_name_is_refused(entries):
    entries.put(PREIMAGE, OUTPUTS)
    other = "0" * 64
    entries.path(other).parent.mkdir(exist_ok=True)
    entries.path(KEY).rename(entries.path(other))
    with pytest.raises(HarnessError, match="not the one its name says"):
        entries.get(other)


@pytest.mark.parametrize(
    "outputs",
    [
        {},
        {"rows": {"sha256": "a" * 64, "size": 1}},
        {**BODY["outputs"], "more": {"sha256": "a" * 64, "size": 1}},
        {**BODY["outputs"], "rows": {"sha256": "A" * 64, "size": 1}},
        {**BODY["outputs"], "rows": {"sha256": "a" * 64}},
        {**BODY["outputs"], "rows": {"sha256": "a" * 64, "size": 1, "more": 1}},
        {**BODY["outputs"], "rows": {"sha256": "a" * 64, "size": -1}},
        {**BODY["outputs"], "rows": {"sha256": "a" * 64, "size": "1"}},
        {**BODY["outputs"], "rows": {"sha256": "a" * 64, "size": True}},
        {**BODY["outputs"], "rows": "a" * 64},
    ],
    ids=lambda outputs: json.dumps(outputs)[-60:],
)
def test_an_entry_holds_exactly_the_outputs_its_step_declares(outputs):
    with pytest.raises(InputError):
        read_entry(encode_document({**BODY, "outputs": outputs}) + b"\n", KEY, "x")


@pytest.mark.parametrize("without", BODY)
def test_no_field_of_an_entry_may_be_missing(without):
    body = {name: value for name, value in BODY.items() if name != without}
    with pytest.raises(InputError):
        read_entry(encode_document({**body, "type": body.get("type", "other/1")}) + b"\n", KEY, "x")


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "rows", "a" * 64, KEY, "key/1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "outputs", "rows", "sha256", "size"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(st.sampled_from(["key", "preimage", "outputs", "type", "more"]), anything)
def test_whatever_stands_in_a_field_is_refused_in_our_words(field, value):
    key = document_digest(value) if field == "preimage" and is_document(value) else KEY
    data = json.dumps({**BODY, "key": key, field: value}, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    try:
        found = read_entry(data, key, "x")
        assert set(found.outputs) == set(found.preimage["outputs"])
    except HarnessError as bad:
        assert bad.what


@pytest.mark.parametrize(
    "preimage", [[], "text", 7, None, {"type": "key/1", "outputs": 7}, {"type": "key/1", "outputs": [7]}]
)
def test_a_preimage_that_is_none_is_refused(preimage):
    key = document_digest(preimage) if isinstance(preimage, dict) else KEY
    data = encode_document({**BODY, "key": key, "preimage": preimage}) + b"\n"
    with pytest.raises(InputError):
        read_entry(data, key, "x")


def is_document(value):
    return isinstance(value, dict) and isinstance(value.get("type"), str)
