"""Where a claim's pointer leads: into documents as studies write them, and into whatever else may stand there."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from harness.digest import canonical_json, sha256
from harness.errors import DamageError
from harness.evidence.claims.claims import MAX_BYTES, PointerReader, PointerValue
from harness.evidence.record import Digested
from harness.manifest.schema import split_pointer

DOCUMENT = {
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "m~n": 8,
    " ": 7,
    "list": [10, 20, {"deep": 0.25}],
    "statistic": {"value": 0.5, "interval": [0.4, 0.6]},
    "nothing": {"missing": "no variance"},
    "no statistic": {"value": {"missing": "one item"}, "interval": {"missing": "one item"}},
    "counted": {"missing": 3, "value": 4},
    "text": "42",
    "null": None,
    "yes": True,
    "nan": "nan",
    "inf": {"value": "-inf"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def outputs(folder: Path, **documents: Any) -> PointerReader:
    """Give outputs as a run has them: bytes as they are, values in canonical JSON."""
    made: dict[str, Digested] = {}
    for name, value in documents.items():
        data = value if isinstance(value, bytes) else canonical_json(value) + b"\n"
        (folder / sha256(data)).write_bytes(data)
        made[name] = {"sha256": sha256(data)}
    return PointerReader(made, lambda digest: folder / digest)


def at(folder: Path, path: str) -> PointerValue:
    return outputs(folder, out=DOCUMENT).at(f"out#{path}")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"), ("/m~0n", "8"), ("/ ", "7"),
        ("/list/0", "10"), ("/list/1", "20"), ("/list/2/deep", "0.25"), ("/statistic", "0.5"),
        ("/statistic/value", "0.5"), ("/statistic/interval/1", "0.6"), ("/counted", "4"), ("/counted/missing", "3"),
    ],
)  # fmt: skip
def test_a_pointer_leads_to_the_number_as_it_was_written(folder: Path, path: str, text: str) -> None:
    assert at(folder, path) == PointerValue(text, Decimal(text))


def test_a_document_that_is_one_number_is_pointed_to_without_a_path(folder: Path) -> None:
    assert outputs(folder, out=7).at("out#") == PointerValue("7", Decimal(7))


@pytest.mark.parametrize(
    "path",
    [
        "/nothing here", "/list/3", "/list/-", "/list/-1", "/list/01", "/list/1.0", "/list/\u0661",
        "/list/" + "9" * 4000, "/text/0", "/a~1b/0", "/null/x", "/list/0/0",
    ],
)  # fmt: skip
def test_a_pointer_that_leads_nowhere_lacks_a_value(folder: Path, path: str) -> None:
    found = at(folder, path)
    assert found.number is None and not found.flaw
    assert found.lacks == f"a value at out#{path}, where there is none"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/nothing", "no variance"), ("/nothing/value", "no variance"), ("/nothing/interval/0", "no variance"),
        ("/no statistic", "one item"), ("/no statistic/interval", "one item"),
    ],
)  # fmt: skip
def test_a_missing_value_lacks_what_its_reason_says(folder: Path, path: str, reason: str) -> None:
    assert at(folder, path).lacks == f"a value at out#{path}: {reason}"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/text", "text"), ("/null", "null"), ("/yes", "true or false"), ("/list", "a list"), ("", "an object"),
        ("/nan", "no finite number"), ("/inf", "no finite number"),
    ],
)  # fmt: skip
def test_what_is_no_number_is_a_flaw_and_its_text_is_not_repeated(folder: Path, path: str, said: str) -> None:
    found = at(folder, path)
    assert said in found.flaw and found.number is None and not found.lacks
    assert "42" not in found.flaw and found.text != "42"


def test_an_output_that_the_run_does_not_have_is_lacking(folder: Path) -> None:
    assert outputs(folder, out=DOCUMENT).at("other#/x").lacks == "an output other, which the run does not have"


@pytest.mark.parametrize(
    "data", [b"", b'{"id":"a"}\n{"id":"b"}\n', b"{", b"\xff\xfe\x00", b"[" * 100_000 + b"]" * 100_000, b"\x89PNG"]
)
def test_an_output_that_is_not_one_document_is_lacking_one(folder: Path, data: bytes) -> None:
    assert outputs(folder, out=data).at("out#/id").lacks == "an output out that is one JSON document"


def test_a_row_of_one_is_one_document(folder: Path) -> None:
    assert outputs(folder, out=b'{"n":1}\n').at("out#/n").text == "1"


@pytest.mark.parametrize(
    ("text", "sound"),
    [
        ("1e400", True), ("-1e-400", True), ("9" * 5000, True), ("0.1000000000000000055511151231257827", True),
        ("1e9999999999999999999", False), ("NaN", False), ("Infinity", False), ("-Infinity", False),
    ],
)  # fmt: skip
def test_numbers_keep_every_digit_however_large(folder: Path, text: str, sound: bool) -> None:
    found = outputs(folder, out=f'{{"x":{text}}}'.encode()).at("out#/x")
    assert found.text == text
    assert (
        found == (PointerValue(text, Decimal(text)) if sound else PointerValue(text, flaw=found.flaw))
        and bool(found.flaw) != sound
    )


def test_ten_megabytes_are_read_once_however_many_claims_there_are(folder: Path) -> None:
    value = {"rows": [{"n": n, "pad": "x" * 90} for n in range(100_000)]}
    many = outputs(folder, out=value)
    assert many.at("out#/rows/99999/n").text == "99999"
    for path in folder.iterdir():
        assert path.stat().st_size > 10_000_000
        path.unlink()
    assert many.at("out#/rows/5/n").text == "5"


def test_what_was_found_in_a_document_is_known_to_every_run_that_made_it(folder: Path) -> None:
    found: dict[tuple[str, str], PointerValue] = {}
    data = canonical_json({"x": 7})
    (folder / sha256(data)).write_bytes(data)
    runs = [PointerReader({"out": {"sha256": sha256(data)}}, lambda digest: folder / digest, found) for _ in range(2)]
    assert runs[0].at("out#/x").text == "7"
    (folder / sha256(data)).unlink()
    assert runs[1].at("out#/x").text == "7"


def test_an_output_of_any_size_is_not_read_into_memory(folder: Path) -> None:
    huge = outputs(folder, out=b"[1]")
    with open(next(folder.iterdir()), "ab") as file:
        file.truncate(MAX_BYTES + 1)
    assert huge.at("out#/0").lacks == "an output out of at most 64 MiB"


def test_damaged_bytes_are_an_error_and_never_a_value() -> None:
    def refuse(digest: str) -> Path:
        raise DamageError("blob is changed")

    with pytest.raises(DamageError):
        PointerReader({"out": {"sha256": "0" * 64}}, refuse).at("out#/x")


@pytest.mark.parametrize(
    "of", ["out", "/x", "#/x", "out#x", "out#/~2", "out#/a~", "out#/~", "Out#/x", "a b#/x", "../out#/x", ""]
)
def test_what_is_no_pointer_is_refused(of: str) -> None:
    with pytest.raises(ValueError, match="JSON Pointer"):
        split_pointer(of)


def test_escapes_are_read_in_the_order_the_rule_gives() -> None:
    assert split_pointer("out#/~01/~10") == ("out", ["~1", "/0"])
