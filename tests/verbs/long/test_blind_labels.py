"""Labels by others: who labelled is said, sealed rows are opened once, and the verdict rests on them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from blind.measure import SETS, BlindSet
from support import REPOSITORY, data_of, harness

from harness import verbs
from harness.digest import parse_document, seal_document, sha256
from harness.errors import InputError
from harness.kit.certificate import find_contradictions
from harness.run.locking.certificates import certificate_path, grader_standing

pytestmark = pytest.mark.together

Row = dict[str, Any]
SCORER = "reliability.outcome"
PERSON = {"kind": "person", "name": "A. Reader"}
TWO = [
    {**PERSON, "label": "/first"},
    {"kind": "model", "name": "reader-1", "label": "/second", "as": {"1": "c", "0": "i"}},
]
FIELDS = {"benchmark": "/benchmark", "a": "/asked/a", "b": "/asked/b", "response": "/response"}


def row(number: int, *, right: bool, label: str) -> Row:
    """Give an answer to a sum as its labeller left it, with fields of its own names."""
    total = number + 3 if right else number + 9
    return {"id": f"a-{number}", "benchmark": "addition", "asked": {"a": str(number), "b": "3"},
            "response": str(total), "label": label}  # fmt: skip


def answers(first: int, count: int, wrong: int = 0) -> list[Row]:
    """Give answers, half of them right; so many are labelled otherwise than the rules label them."""
    found = []
    for place, number in enumerate(range(first, first + count)):
        right = number % 2 == 0
        found.append(row(number, right=right, label="c" if right != (place < wrong) else "i"))
    return found


def written(path: Path, rows: Sequence[Row]) -> Row:
    """Write labelled rows; give what a description says of the file."""
    data = "".join(json.dumps(each) + "\n" for each in rows).encode()
    path.write_bytes(data)
    return {"file": path.name, "sha256": sha256(data), "rows": len(rows)}


def described(folder: Path, open_rows: Sequence[Row], sealed_rows: Sequence[Row] = (), **more: Any) -> Path:
    """Write a description of labels that a person gave blind, and the rows."""
    told: Row = {"by": "blind", "labellers": [PERSON], "saw": "sum and answer alone", "fields": FIELDS}
    for half, rows in (("open", open_rows), ("sealed", sealed_rows)):
        told |= {half: written(folder / f"{half}.jsonl", rows)} if rows else {}
    told = {name: value for name, value in {**told, **more}.items() if value is not None}
    (folder / "blind.json").write_text(json.dumps(told))
    return folder / "blind.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lockfiles").mkdir()
    return tmp_path


def certified(folder: Path, others: Path, *, opens: bool = True, **more: Any) -> verbs.CertifyResult:
    asked = verbs.CertifyRequest(scorer=SCORER, others=[others], open_sealed=opens, **more)
    return verbs.certify(verbs.Project.at(folder), asked)


def test_one_command_measures_labels_of_makers_and_of_others_apart(folder: Path) -> None:
    mine = [{**each, **each.pop("asked")} for each in answers(1000, 20)]
    labels = folder / "labels.jsonl"
    written(labels, mine)
    others = described(folder, answers(0, 40), answers(100, 80, wrong=2))
    done = data_of("certify", SCORER, labels, "--others", others, "--open-sealed", cwd=folder)
    found = parse_document(certificate_path(folder, SCORER).read_bytes(), "certificate/3", "certificate")
    assert done["verdict"] == "usable" and list(found["sets"]) == ["blind", "makers"] and not done["notes"]
    assert done["text"].startswith(
        "usable: on 80 rows labelled blind by a person (sealed, opened once): accuracy 0.97 ["
    )
    assert "; by its makers' labels kappa 1.00 [" in done["text"] and done["text"].endswith(
        "; checked against the labelled rows"
    )
    blind = found["sets"]["blind"]
    assert blind["labellers"] == [PERSON] and blind["sealed"] == sha256((folder / "sealed.jsonl").read_bytes())
    assert blind["misses"] == [{"id": "a-100", "label": "i", "given": "c"}, {"id": "a-101", "label": "c", "given": "i"}]
    assert b"a-102" not in certificate_path(folder, SCORER).read_bytes()  # of the other rows there is no trace
    assert data_of("certify", SCORER, "--check", cwd=folder)["verdict"] == "usable"
    told = harness("certify", SCORER, labels, "--others", others, "--open-sealed", cwd=folder, check=0).stdout
    assert "as it was" in told and "had been opened before by these very rules" in told
    assert "missed of the sealed rows: a-100 (i, graded c), a-101 (c, graded i)" in told


def test_low_agreement_on_blind_labels_is_not_usable_with_its_figures(folder: Path) -> None:
    done = certified(folder, described(folder, answers(0, 40), answers(100, 80, wrong=20)))
    assert done.verdict == "not usable"
    assert done.text.startswith("not usable: kappa may be as low as 0.") and "kappa 0.50 [" in done.text


def test_open_rows_alone_refuse_a_grader_and_make_none_usable(folder: Path) -> None:
    assert certified(folder, described(folder, answers(0, 60)), opens=False).verdict == "not yet measured by others"
    assert certified(folder, described(folder, answers(0, 60, wrong=20)), opens=False).verdict == "not usable"


def test_sealed_rows_are_not_read_before_they_are_opened(folder: Path) -> None:
    others = described(folder, answers(0, 40), answers(100, 80))
    (folder / "sealed.jsonl").unlink()
    done = certified(folder, others, opens=False)
    certificate: Any = done.certificate
    assert "opened" not in certificate and not find_contradictions(certificate)
    assert any("sealed, not opened: not measured, SHA-256 " in line for line in done.sets)
    assert "--others" in harness("certify", SCORER, cwd=folder, check=2).stderr
    assert grader_standing(folder, SCORER).verdict == "not yet measured by others"
    with pytest.raises(InputError, match="cannot be read"):
        certified(folder, others)


def test_two_labellers_stand_beside_the_rules_and_the_scorer_sees_neither(folder: Path) -> None:
    rows = [{**each, "first": each["label"], "second": 1.0 if each["label"] == "c" else 0} for each in answers(0, 40)]
    rows[0] = {**rows[0], "second": 0}
    done = certified(folder, described(folder, rows, labellers=TWO), opens=False)
    between = done.certificate["sets"]["blind"]["between"]
    assert between["matrix"] == {"c": {"c": 19, "i": 1}, "i": {"c": 0, "i": 20}}
    assert (
        "labelled blind by a person and a model (open)" in done.text
        and "the two labellings agree by kappa 0.95 [" in done.text
    )
    plain = [{**each, **each.pop("asked"), "label": "no label", "key": each["label"]} for each in answers(0, 4)]
    with pytest.raises(InputError, match="the scorer would see a label in its field a"):
        certified(folder, described(folder, plain, label="/key", fields={"a": "/key"}), opens=False)


def test_published_labels_stand_beside_and_decide_nothing(folder: Path) -> None:
    paper = [{"kind": "paper", "name": "A. Author, 2026"}]
    done = certified(folder, described(folder, answers(0, 60), by="published", labellers=paper), opens=False)
    assert done.verdict == "not yet measured by others" and list(done.certificate["sets"]) == ["published"]
    assert done.sets[0].startswith("labelled in a paper: open: 60 rows, accuracy 1.00 [")
    assert done.sets[0].endswith("; paper: A. Author, 2026")


def test_rows_of_one_id_are_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="two rows have the same `/id`"):
        certified(folder, described(folder, [*answers(0, 4), *answers(0, 1)]), opens=False)


def test_a_model_that_labelled_twice_is_one_labeller(folder: Path) -> None:
    rows = [{**each, "again": each["label"]} for each in answers(0, 40)]
    twice = [{"kind": "model", "name": "reader-1", "label": f"/{name}"} for name in ("label", "again")]
    done = certified(folder, described(folder, rows, labellers=twice), opens=False)
    assert "labelled blind by a model, twice (open)" in done.text


UNSAID: dict[str, dict[str, Any]] = {
    "does not say who labelled: `labellers`: field required": {"labellers": None},
    "does not say who labelled: `labellers`: ": {"labellers": []},
    "does not say who labelled: `labellers/0/name`": {"labellers": [{"kind": "person"}]},
    "who labelled: `labellers/0/name`": {"labellers": [{"kind": "person", "name": "  "}]},
    "who labelled: `labellers/0/kind`": {"labellers": [{"kind": "reader", "name": "A"}]},
    "that are blind are by a person or model, and not by a paper": {"labellers": [{"kind": "paper", "name": "A"}]},
    "of two labellers each needs `label`": {"labellers": [PERSON, PERSON]},
    "`by` is neither `blind` nor `published`": {"by": "makers"},
    "`saw`: field required": {"saw": None},
    "it names no rows": {"open": None, "sealed": None},
    "`open/file`": {"open": {"file": "../open.jsonl", "sha256": "0" * 64, "rows": 1}},
    "`seen`: extra inputs": {"seen": "nothing"},
}  # fmt: skip


@pytest.mark.parametrize("said", UNSAID)
def test_labels_that_do_not_say_who_labelled_are_refused(folder: Path, said: str) -> None:
    others = described(folder, answers(0, 4), answers(10, 4), **UNSAID[said])
    refused = harness("certify", SCORER, "--others", others, cwd=folder, check=2).stderr
    assert (
        said in refused and f"where: {others}" in refused and "next:  write it as docs/architecture.md says" in refused
    )
    assert not certificate_path(folder, SCORER).exists()


def test_sealed_rows_that_are_not_those_that_were_named_are_refused(folder: Path) -> None:
    others = described(folder, answers(0, 4), answers(100, 80, wrong=9))
    named = sha256((folder / "sealed.jsonl").read_bytes())
    written(folder / "sealed.jsonl", answers(100, 80))
    refused = harness("certify", SCORER, "--others", others, "--open-sealed", cwd=folder, check=2).stderr
    assert f"the sealed rows are not those that the description names: it says SHA-256 {named[:12]}…" in refused
    assert "sealed.jsonl" in refused and "next:  restore the rows" in refused
    assert not certificate_path(folder, SCORER).exists()


def test_there_must_be_sealed_rows_to_open_and_one_file_for_a_kind(folder: Path) -> None:
    others = described(folder, answers(0, 4))
    with pytest.raises(InputError, match="no sealed rows to open"):
        certified(folder, others)
    asked = verbs.CertifyRequest(scorer=SCORER, others=[others, others])
    with pytest.raises(InputError, match="two files describe labels that are blind"):
        verbs.certify(verbs.Project.at(folder), asked)


def opened_by_others(folder: Path, misses: Sequence[Row]) -> None:
    """Make a certificate's sealed rows those that another grader opened, which missed these."""
    path = certificate_path(folder, SCORER)
    found = json.loads(path.read_bytes())
    told = sha256(json.dumps(list(misses), sort_keys=True, separators=(",", ":")).encode())
    found["opened"] = [{**found["opened"][-1], "grader": "0" * 64, "misses": told}]
    path.write_bytes(seal_document(found))


def test_rows_that_other_rules_opened_are_said_and_make_no_grader_usable(folder: Path) -> None:
    others = described(folder, answers(0, 40), answers(100, 80, wrong=1))
    misses = certified(folder, others).certificate["sets"]["blind"]["misses"]
    opened_by_others(folder, misses)
    again = certified(folder, others)  # other rules that graded every row alike
    assert again.verdict == "usable" and "(sealed, opened 2 times)" in again.text
    assert again.notes == ["its sealed rows had been opened once before, by other rules, which graded them as now"]
    opened_by_others(folder, [])
    third = certified(folder, others)
    assert third.verdict == "not yet measured by others"
    assert third.notes == ["its sealed rows had been opened once before, by other rules, which graded them otherwise"]
    assert "its sealed rows had been opened before, by rules that graded them otherwise" in third.text
    rows: list[Mapping[str, Any]] = [{**each, **each["asked"]} for each in answers(1000, 20)]
    request = verbs.CertifyRequest(scorer=SCORER, rows=rows, labels="0" * 64)  # no labels of others forget no opening
    assert len(verbs.certify(verbs.Project.at(folder), request).certificate["opened"]) == 2
    shut = certified(folder, others, opens=False)  # nor does it forget one not to open them
    assert shut.notes == ["its sealed rows were opened 2 times before, and are not measured now"]
    assert certified(folder, others).verdict == "not yet measured by others"


def test_a_certificate_that_hides_its_openings_is_not_written_over(folder: Path) -> None:
    others = described(folder, answers(0, 40), answers(100, 80))
    found = certified(folder, others).certificate
    found["opened"] = [{"rows": "none"}]
    certificate_path(folder, SCORER).write_bytes(seal_document(found))
    with pytest.raises(InputError, match="does not say when sealed rows were opened"):
        certified(folder, others)


def test_a_forged_matrix_of_sealed_rows_is_void_where_they_are_there(folder: Path) -> None:
    others = described(folder, answers(0, 40), answers(100, 80, wrong=20))
    low = certified(folder, others)
    kept = (folder / "sealed.jsonl").read_bytes()
    high = certified(folder, described(folder, answers(0, 40), answers(100, 80)))
    (folder / "sealed.jsonl").write_bytes(kept)
    described(folder, answers(0, 40), answers(100, 80, wrong=20))
    forged = {**high.certificate, "sets": {"blind": {**high.certificate["sets"]["blind"],
              "labels": low.certificate["sets"]["blind"]["labels"]}}}  # fmt: skip
    certificate_path(folder, SCORER).write_bytes(seal_document(forged))
    said = harness("certify", SCORER, "--check", cwd=folder, check=1).stdout
    assert "void: it contradicts its labelled rows: blind: frozen: accuracy is 1.000000, and the matrix of" in said
    (folder / "sealed.jsonl").unlink()  # then only the matrix can be checked
    assert "not checked against the labelled rows" in harness("certify", SCORER, "--check", cwd=folder, check=0).stdout


def halved(one: BlindSet, folder: Path) -> tuple[Path, Row | None]:
    """Split the open half of a blind set of the repository in two, one of which is sealed here."""
    told = json.loads(one.described.path.read_bytes())
    rows = one.rows("open")
    keys = sorted({json.dumps(row.get(told["instance"][1:]), sort_keys=True) for row in rows})
    second = {key for place, key in enumerate(keys) if place % 2}
    halves: dict[str, list[Row]] = {"open": [], "sealed": []}
    for each in rows:
        sealed_here = json.dumps(each.get(told["instance"][1:]), sort_keys=True) in second
        halves["sealed" if sealed_here else "open"].append(each)
    told |= {half: written(folder / f"{half}.jsonl", found) for half, found in halves.items()}
    (folder / "blind.json").write_text(json.dumps(told))
    if one.data:
        shutil.copy(one.data, folder / "data.json")
    return folder / "blind.json", json.loads(one.data.read_bytes()) if one.data else None


@pytest.mark.parametrize("one", SETS, ids=[one.study for one in SETS])
def test_the_blind_sets_of_the_repository_are_measured_as_they_lie(one: BlindSet, folder: Path) -> None:
    others, shared = halved(one, folder)
    asked = verbs.CertifyRequest(scorer=one.grader, others=[others], open_sealed=True, shared=shared or {})
    done = verbs.certify(verbs.Project.at(folder), asked)
    blind, rows = done.certificate["sets"]["blind"], one.rows("open")
    assert sum(part["rows"] for part in blind["parts"].values()) == len(rows) == blind["between"]["rows"]
    labels = {name: sum(part["labels"].get(name, 0) for part in blind["parts"].values()) for name in one.labels}
    assert labels == {name: sum(row["label"] == name for row in rows) for name in one.labels}
    assert {miss["id"] for miss in blind["misses"]} < {row["id"] for row in rows}
    assert data_of("certify", one.grader, "--check", cwd=folder)["text"].endswith("; checked against the labelled rows")
    assert REPOSITORY not in certificate_path(folder, one.grader).parents
