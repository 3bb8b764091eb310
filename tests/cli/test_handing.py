"""Signatures: a statement counts only by a trusted key, and after every digest in it met real bytes."""

from __future__ import annotations

import base64
import datetime
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import error_of, finished_project
from support_inside import inner_data, inside

from harness.digest import canonical_json, seal_document, sha256
from harness.evidence.keys import read_public

needs("cryptography")
from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: E402

pytestmark = pytest.mark.together  # one run and three keys serve all
SECRET = "correct horse battery staple"
OPENED = {"HARNESS_KEY_PASSPHRASE": SECRET}
SMALL_ORDER = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"  # of a point of order 8
TODAY = datetime.datetime.now(datetime.UTC).date()
DAY = datetime.timedelta(days=1)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a run, its bundle, keys of two laboratories, and statements signed by the first."""
    folder = tmp_path_factory.mktemp("signed") / "project"
    finished_project(folder, count=20, models=("oracle",))
    for name in ("one", "two"):
        inside("keys", "new", name, cwd=folder, env=OPENED, check=0)
    inside("export", "last", "-o", "run.tar", cwd=folder, check=0)
    inside("attest", "last", "--key", "one", "-o", "made.json", cwd=folder, env=OPENED, check=0)
    inside("attest", "last", "--key", "one", "--verdict", "-o", "verdict.json", cwd=folder, env=OPENED, check=0)
    trust(folder / "trust.toml", folder, ("one", "Lab A"))
    return folder


def trust(
    path: Path,
    folder: Path,
    *keys: tuple[str, str],
    roles: str = '["runner", "auditor"]',
    begins: datetime.date = TODAY - DAY,
    ends: datetime.date = TODAY + DAY,
) -> Path:
    """Write a reviewer's list of keys."""
    rows = [
        f'[[key]]\nparty = "{party}"\npublic = """\n{(folder / f"{name}.pub").read_text()}"""\n'
        f"roles = {roles}\nfrom = {begins}\nuntil = {ends}\n"
        for name, party in keys
    ]
    path.write_text("\n".join(rows))
    return path


def verified(*words: str | Path, cwd: Path) -> tuple[int, list[str]]:
    """Give the exit code of `verify`, and why statements do not count."""
    done = inside("verify", *words, "--json", cwd=cwd)
    assert done.stdout, done.stderr
    return done.returncode, [one["flaw"] for one in json.loads(done.stdout)["envelopes"]]


def resigned(place: Path, change: Callable[[dict[str, Any]], object], key: str = "one") -> Path:
    """Change a statement, and sign it again, as one who has the key could."""
    envelope = json.loads((place / "made.json").read_bytes())
    statement = json.loads(base64.b64decode(envelope["payload"]))
    change(statement)
    payload = canonical_json(statement)
    kind = envelope["payloadType"].encode()
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    made = load_pem_private_key((place / key).read_bytes(), SECRET.encode()).sign(signed)  # type: ignore[call-arg]
    envelope["payload"] = base64.b64encode(payload).decode()
    envelope["signatures"][0]["sig"] = base64.b64encode(made).decode()
    (place / "changed.json").write_text(json.dumps(envelope))
    return place / "changed.json"


def test_a_statement_counts_once_every_digest_met_bytes_of_the_run_or_its_bundle(place: Path, tmp_path: Path) -> None:
    for name in ("run.tar", "made.json", "verdict.json", "trust.toml"):
        shutil.copy(place / name, tmp_path)
    words = ("made.json", "verdict.json", "--trust", "trust.toml")
    assert verified(*words, "--run", "last", cwd=place) == (0, ["", ""])
    assert verified(*words, "--run", "run.tar", cwd=tmp_path) == (0, ["", ""])
    done = inside("verify", *words, cwd=tmp_path, check=1)
    assert done.stdout.endswith("signature good, nothing compared\n")
    assert verified("made.json", "--run", "run.tar", cwd=tmp_path) == (1, ["no key that you trust signed it"])


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_openssl_verifies_what_is_signed(place: Path, tmp_path: Path) -> None:
    envelope = json.loads((place / "made.json").read_bytes())
    payload, kind = base64.b64decode(envelope["payload"]), envelope["payloadType"].encode()
    (tmp_path / "bytes").write_bytes(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload))
    (tmp_path / "sig").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    words = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", str(place / "one.pub"), "-rawin"]
    done = subprocess.run(
        [*words, "-in", "bytes", "-sigfile", "sig"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "Signature Verified Successfully")


@pytest.mark.parametrize(("change", "flaw"), [
    (lambda one: one["subject"].pop(0), "digests met no equal bytes"),
    (lambda one: one["subject"][0]["digest"].update(sha256="f" * 64), "digests met no equal bytes"),
    (lambda one: one["subject"].append({"name": "outputs/more", "digest": {"sha256": "f" * 64}}), "met no equal bytes"),
    (lambda one: one["predicate"]["runDetails"]["metadata"].update(invocationId="another"), "it speaks of run"),
    (lambda one: one["predicate"]["runDetails"]["builder"].update(id="urn:me"), "otherwise than the run's record"),
    (lambda one: one["predicate"]["buildDefinition"]["externalParameters"].update(more=1), "otherwise than the run's"),
    (lambda one: one["predicate"]["buildDefinition"]["resolvedDependencies"].pop(), "otherwise than the run's record"),
])  # fmt: skip
def test_a_false_statement_does_not_count_whoever_signs_it(
    change: Callable[[dict[str, Any]], object], flaw: str, place: Path
) -> None:
    assert verified(resigned(place, lambda _: None), "--trust", "trust.toml", "--run", "last", cwd=place) == (0, [""])
    code, [said] = verified(resigned(place, change), "--trust", "trust.toml", "--run", "last", cwd=place)
    assert code == 1 and flaw in said


@pytest.mark.parametrize("change", [
    lambda one: one.update(signatures=[]),
    lambda one: one.update(signatures=one["signatures"] * 2),
    lambda one: one.update(signatures=[{**one["signatures"][0], "keyid": f"{n:064x}"} for n in range(17)]),
    lambda one: one["signatures"][0].update(sig="AAAA"),
    lambda one: one["signatures"][0].update(sig=one["signatures"][0]["sig"] + "\n"),
    lambda one: one["signatures"][0].update(keyid="F" * 64),
    lambda one: one["signatures"][0].update(cert="x"),
    lambda one: one.update(payloadType="application/json"),
    lambda one: one.update(payload=one["payload"][:-4]),
    lambda one: one.update(payload="!" + one["payload"]),
    lambda one: one.update(more=1),
    lambda one: one.update(payload=base64.b64encode(b"[" * 100_000).decode()),
    lambda one: one.update(payload=base64.b64encode(b'{"_type":1,"_type":2}').decode()),
])  # fmt: skip
def test_what_is_no_envelope_is_refused(
    change: Callable[[dict[str, Any]], object], place: Path, tmp_path: Path
) -> None:
    envelope = json.loads((place / "made.json").read_bytes())
    change(envelope)
    (tmp_path / "odd.json").write_text(json.dumps(envelope))
    done = inside(
        "verify", tmp_path / "odd.json", "--trust", "trust.toml", "--run", "last", "--json", cwd=place, check=1
    )
    assert error_of(done)["what"].startswith("this is no envelope: ")


def test_a_signature_by_another_key_under_a_trusted_ones_name_is_wrong(place: Path) -> None:
    path = resigned(place, lambda _: None, key="two")
    assert verified(path, "--trust", "trust.toml", "--run", "last", cwd=place) == (1, ["the signature is wrong"])


def test_of_several_signatures_one_by_a_trusted_key_counts_and_one_key_under_two_ids_is_one(
    place: Path, tmp_path: Path
) -> None:
    one = json.loads((place / "made.json").read_bytes())
    two = json.loads(resigned(place, lambda _: None, key="two").read_bytes())
    foreign = {**two["signatures"][0], "keyid": sha256(read_public((place / "two.pub").read_text()))}
    again = {**one["signatures"][0], "keyid": "e" * 64}  # the same signature, as if by somebody else
    trust(tmp_path / "both.toml", place, ("one", "Lab A"), ("two", "Lab B"))
    for name, signatures, flaws in (
        ("foreign first", [foreign, one["signatures"][0]], [""]),
        ("two ids", [again, one["signatures"][0]], [""]),
        ("another id alone", [again], ["no key that you trust signed it"]),
    ):
        (tmp_path / "some.json").write_text(json.dumps({**one, "signatures": signatures}))
        words = (tmp_path / "some.json", "--run", "last", "--trust")
        assert verified(*words, "trust.toml", cwd=place)[1] == flaws, name
        done = inside("verify", *words, tmp_path / "both.toml", "--parties", "2", "--json", cwd=place, check=1)
        assert len(json.loads(done.stdout)["parties"]) <= 1, "one run is of one party, whoever signs for it"


@pytest.mark.parametrize("spelled", [
    "00" * 32, "01" + "00" * 31, "ec" + "ff" * 30 + "7f", SMALL_ORDER,
    "ee" + "ff" * 30 + "7f", "01" + "00" * 30 + "80",
])  # fmt: skip
def test_a_key_by_which_anybody_signs_is_none(spelled: str) -> None:
    with pytest.raises(ValueError, match="only one party"):
        read_public(spelled)


def test_a_key_counts_in_its_role_and_its_time_alone(place: Path, tmp_path: Path) -> None:
    def said(**how: Any) -> str:
        trust(tmp_path / "t.toml", place, ("one", "Lab A"), **how)
        return verified("made.json", "--trust", tmp_path / "t.toml", "--run", "last", cwd=place)[1][0]

    assert said() == ""
    assert said(roles='["author", "auditor"]') == "the key of Lab A is not trusted as runner"
    assert said(begins=TODAY - 9 * DAY, ends=TODAY - DAY).startswith("the key of Lab A is trusted from ")
    assert said(begins=TODAY + DAY).startswith("the key of Lab A is trusted from ")


@pytest.mark.parametrize(("old", "new"), [
    ("party", "name"), ("roles = [", 'roles = ["king", '), ("from = ", "from = 3 #"), ("BEGIN PUBLIC", "BEGIN PRIVATE"),
    ("[[key]]", "[key]"), ("[[key]]", "x = 1\n[[key]]"), ("until = ", "until = '"), ("[[key]]", "[[key]]\nid = 1"),
])  # fmt: skip
def test_a_trust_file_that_is_not_in_order_is_refused(old: str, new: str, place: Path, tmp_path: Path) -> None:
    path = trust(tmp_path / "t.toml", place, ("one", "Lab A"))
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    done = inside("verify", "made.json", "--trust", path, "--run", "last", "--json", cwd=place, check=2)
    assert "[[key]]" in error_of(done)["next"]
    trust(path, place, ("one", "Lab A"), ("one", "Lab B"))
    done = inside("verify", "made.json", "--trust", path, "--run", "last", "--json", cwd=place, check=2)
    assert error_of(done)["what"] == "key 2 is there twice, and a key is of one party"


@pytest.mark.long
def test_several_parties_are_those_that_each_executed_a_run_of_their_own(place: Path, tmp_path: Path) -> None:
    other = shutil.copytree(place, tmp_path / "other", symlinks=True)
    inside("run", "manifests/small.yaml", "--store", "second", cwd=other, check=None)
    inside("run", "manifests/small.yaml", "--store", "second", cwd=other, check=None)  # it takes all from the store
    runs = [one["run"] for one in inner_data("runs", "--store", "second", cwd=other)["runs"]]
    made, taken = sorted(runs)
    for run, name in ((made, "made2"), (taken, "taken")):
        inside("export", run, "--store", "second", "-o", f"{name}.tar", cwd=other, check=0)
        inside("attest", run, "--store", "second", "--key", "two", "-o", f"{name}.json", cwd=other, env=OPENED, check=0)
    inside("attest", made, "--store", "second", "--key", "one", "-o", "own2.json", cwd=other, env=OPENED, check=0)
    trust(other / "both.toml", place, ("one", "Lab A"), ("two", "Lab B"))

    def parties(*words: str) -> tuple[int, list[str]]:
        done = inside("verify", *words, "--trust", "both.toml", "--parties", "2", "--json", cwd=other)
        return done.returncode, json.loads(done.stdout)["parties"]

    assert parties("made.json", "made2.json", "--run", "run.tar", "--run", "made2.tar") == (0, ["Lab A", "Lab B"])
    assert parties("made.json", "taken.json", "--run", "run.tar", "--run", "taken.tar") == (1, ["Lab A"])
    assert parties("made.json", "own2.json", "--run", "run.tar", "--run", "made2.tar") == (1, ["Lab A"])
    assert parties("made.json", "made.json", "--run", "run.tar") == (1, ["Lab A"])


SMALL, EXPECT = "manifests/small.yaml", "lockfiles/manifests/small.expect.json"


@pytest.fixture(scope="module")
def accepted(place: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with an expectation, and its author's statements about it and about its lock."""
    folder = shutil.copytree(place, tmp_path_factory.mktemp("accepted") / "project", symlinks=True)
    inside("lock", "--accept", "last", cwd=folder, check=0)
    inside("attest", "--lock", SMALL, "--key", "one", cwd=folder, env=OPENED, check=0)
    inside("attest", "--expect", SMALL, "--key", "one", cwd=folder, env=OPENED, check=0)
    trust(folder / "authors.toml", folder, ("one", "Ada"), roles='["author"]')
    return folder


def audited(folder: Path, *words: str) -> tuple[str, list[str]]:
    """Give the verdict of an audit of the manifest, and what was said of its signature."""
    done = json.loads(inside("audit", SMALL, "--level", "hashes", "--json", *words, cwd=folder).stdout)
    return done["verdict"], [one["detail"] for one in done["checks"] if one["id"] == "expect.unsigned"]


def edited(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Edit what is expected, and seal it as whoever edits it would."""
    body = json.loads((folder / EXPECT).read_bytes())
    change(body)
    (folder / EXPECT).write_bytes(seal_document(body))


def test_an_expectation_is_confirmed_by_its_author_alone(accepted: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(accepted, tmp_path / "p", symlinks=True)
    beside = folder / EXPECT.replace(".json", ".dsse.json")
    by = ("--trust", "authors.toml")
    assert audited(folder) == ("agreed", []) and audited(folder, *by) == ("agreed", ["signed by Ada"])
    whole = beside.read_bytes()
    edited(folder, lambda one: one["files"].update({next(iter(one["files"])): "f" * 64}))  # as with an edit of its code
    assert audited(folder)[0] == "agreed", "nobody else can tell"
    assert audited(folder, *by) == ("disagreed", ["Ada signed for another expectation than this one"])
    for name, text, flaw in (
        ("unsigned", None, "there is no small.expect.dsse.json"),
        ("of another file", (folder / EXPECT.replace("expect.json", "lock.dsse.json")).read_bytes(), "something else"),
        ("no envelope", b"{}", "this is no envelope"),
        ("of a run", (folder / "made.json").read_bytes(), "something else"),
    ):
        beside.unlink(missing_ok=True)
        if text is not None:
            beside.write_bytes(text)
        verdict, [said] = audited(folder, *by)
        assert verdict == "unconfirmed" and flaw in said, name
    beside.write_bytes(whole)
    shutil.copy(accepted / EXPECT, folder / EXPECT)
    trust(folder / "others.toml", folder, ("two", "Bob"), roles='["author"]')
    assert audited(folder, "--trust", "others.toml")[0] == "unconfirmed"
    for words in ((SMALL, "--trust", "trust.toml"), ("last", *by), ("run.tar", *by)):
        assert "author" in inside("audit", *words, cwd=folder, check=2).stderr or words[0] != SMALL


def test_statements_about_a_lock_and_an_expectation_count_once_they_met_the_files(
    accepted: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(accepted, tmp_path / "p", symlinks=True)
    both = tuple(f"lockfiles/manifests/small.{kind}.dsse.json" for kind in ("lock", "expect"))
    words = ("--manifest", SMALL, "--trust", "authors.toml")
    assert verified(*both, *words, cwd=folder) == (0, ["", ""])
    assert verified(*both, "--trust", "authors.toml", cwd=folder)[1] == ["nothing compared: give --manifest"] * 2
    assert (
        verified(*both, "--manifest", SMALL, "--trust", "trust.toml", cwd=folder)[1]
        == ["the key of Lab A is not trusted as author"] * 2
    )
    said = json.loads(inside("verify", both[0], *words, "--json", cwd=folder, check=0).stdout)
    assert said["expectations"] == {"small": "signed by Ada"}
    assert said["words"].endswith("small: expect: signed by Ada")
    edited(folder, lambda one: one.update(record_sha256="f" * 64))
    assert verified(*both, *words, cwd=folder) == (1, ["", "small.expect.json is not what was signed"])
    assert verified(both[0], *words, cwd=folder) == (1, [""]), "an expectation that is unsigned by now"
    done = inside("verify", both[0], *words, cwd=folder, check=1)
    assert done.stdout.endswith("Ada signed for another expectation than this one: unconfirmed\n")
    inside("attest", "--expect", SMALL, "--key", "one", cwd=folder, env=OPENED, check=0)  # in place of the stale one
    assert verified(*both, *words, cwd=folder) == (0, ["", ""])
    again = inside("attest", "--expect", SMALL, "--key", "one", "--json", cwd=folder, env=OPENED, check=2)
    assert error_of(again)["what"] == "this file is there already"
    for wrong in ((), ("last", "--lock", SMALL), ("--lock", SMALL, "--expect", SMALL), ("--lock", SMALL, "--verdict")):
        done = inside("attest", *wrong, "--key", "one", "--json", cwd=folder, env=OPENED, check=2)
        assert error_of(done)["what"] == "one thing is signed for at a time"
    (folder / EXPECT).unlink()
    done = inside("attest", "--expect", SMALL, "--key", "one", "--json", cwd=folder, env=OPENED, check=2)
    assert error_of(done)["what"] == "there is nothing to sign for"


def test_a_private_key_is_readable_by_its_owner_alone_and_opened_by_its_passphrase_alone(
    place: Path, tmp_path: Path
) -> None:
    key = place / "one"
    assert key.stat().st_mode & 0o777 == 0o600 and b"ENCRYPTED" in key.read_bytes()
    words = ("attest", "last", "--key", key, "-o", tmp_path / "x.json", "--json")
    for env in ({}, {"HARNESS_KEY_PASSPHRASE": "wrong"}):
        assert error_of(inside(*words, cwd=place, env=env, check=2))["what"] == "this key cannot be opened"
    shutil.copy(key, tmp_path / "shown")
    (tmp_path / "shown").chmod(0o640)
    done = inside(
        "attest", "last", "--key", tmp_path / "shown", "-o", tmp_path / "x.json", "--json", cwd=place, check=2
    )
    assert error_of(done)["what"] == "others may read this key"
    assert error_of(inside("keys", "new", key, "--json", cwd=place, env=OPENED, check=2))["where"].endswith("one.pub")
    assert error_of(inside("keys", "new", "third", "--json", cwd=place, check=2))["what"] == "a key needs a passphrase"
    assert not (tmp_path / "x.json").exists() and not (place / "third").exists()
    written = [path for path in place.rglob("*") if path.is_file()]
    assert not [path for path in written if SECRET.encode() in path.read_bytes()]
