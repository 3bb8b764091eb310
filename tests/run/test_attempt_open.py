"""An attempt is opened once for a key, as often as its split allows, and only by whom it belongs to."""

import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from support_views import ADDITION, HIDDEN, QUESTIONS, lines_of, opening, project, served

from harness.attempts.codes import AttemptError
from harness.attempts.shapes import StudyOffer
from harness.attempts.transcript import FINISHED, Transcript
from harness.digest import sha256
from harness.errors import DamageError, MissingError
from harness.run.attempts import hidden_splits, service
from harness.run.attempts.served import gold_reachable, require_agent_uid
from harness.run.attempts.service import LocalBackend, list_served_studies, open_attempt, reopen_attempt
from harness.store.attempts import listed_attempts, read_transcript, transcript_flaws
from harness.store.journal import Heads
from harness.store.store import Store

NOBODY = 65534
ITEMS = 8  # the first four, in two wordings
SPLITS = ADDITION.replace("name: small", "name: splits").replace("  budget:", "    other: {public: true}\n  budget:")
TWICE = ADDITION.replace("name: small", "name: twice").replace("public: true", "public: true, max_attempts: 2")
PLAIN = ADDITION.replace("name: small", "name: plain").partition("agents:")[0]
root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
pytestmark = pytest.mark.together


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return project(tmp_path_factory.mktemp("open") / "p", ADDITION, TWICE, PLAIN, HIDDEN, SPLITS)


@pytest.fixture(scope="module")
def here(folder):
    return served(folder)


def refused(code, call, *args):
    """Give the refusal that a call is, of this code."""
    with pytest.raises(AttemptError) as error:
        call(*args)
    assert error.value.name == code and error.value.next
    return error.value


def header(opened):
    return json.loads(opened.transcript.read_bytes().partition(b"\n")[0])


def test_an_attempt_begins_with_all_it_rests_on(here):
    opened = open_attempt(here, opening(key="first", agent_label="me", tools="f" * 64))
    said, store = header(opened), Store.open(here.target.store)
    assert (said["attempt"], said["name"], said["study"]) == (opened.attempt, "small", "reliability")
    assert (said["principal"], said["label"], said["profile"]) == ("local:1", "me", "answer")
    assert (said["hidden"], said["gold_reachable"], said["items"]) == (False, True, ITEMS)
    assert said["budget"] == {"calls": 100, "seconds": 3600} and said["expires"] > said["at"]
    assert store.blobs.read(said["manifest"]) == here.find("small").data
    assert sha256(store.blobs.read(said["lock"])) == said["lock"]
    assert sha256(opened.items.read_bytes()) == said["view"] and sha256(opened.media.read_bytes()) == said["media"]
    assert opened.transcript.stat().st_mode & 0o777 == 0o600
    assert {"answer_format", "instructions"} <= opened.more.keys()
    chain = read_transcript(store, opened.attempt)
    assert list(transcript_flaws(chain, listed_attempts(store.heads.read())[opened.attempt])) == []


def test_one_key_is_one_attempt_and_each_agent_has_its_own_keys(here):
    first = open_attempt(here, opening(key="again"))
    again = open_attempt(here, opening(key="again"))
    assert again == replace(first, more={**first.more, "resumed": True})
    other = open_attempt(here, opening(key="again", principal="local:2"))
    assert other.attempt != first.attempt and header(other)["secret"] != header(first)["secret"]
    assert b"again" not in first.transcript.read_bytes()
    for changed in ({"study": "twice"}, {"subset": "template-1"}):
        refused("E_IDEMPOTENCY_MISMATCH", open_attempt, here, opening(**{"key": "again", **changed}))
    open_attempt(here, opening("splits", "other", key="of a split"))
    refused("E_IDEMPOTENCY_MISMATCH", open_attempt, here, opening("splits", "dev", key="of a split"))


def test_the_key_of_another_session_or_label_begins_another_attempt(here):
    """Two agents that both call their first attempt `attempt-1` never share one, though one user runs both."""
    first = open_attempt(here, opening(key="attempt-1", agent_label="a", session="1"))
    for other in ({"agent_label": "b", "session": "1"}, {"agent_label": "a", "session": "2"}):
        opened = open_attempt(here, opening(key="attempt-1", **other))
        assert opened.attempt != first.attempt and "resumed" not in opened.more
    again = open_attempt(here, opening(key="attempt-1", agent_label="a", session="1"))
    assert (again.attempt, again.more["resumed"]) == (first.attempt, True)


def test_no_principal_has_more_open_attempts_than_the_most(folder, monkeypatch):
    here = served(folder)
    monkeypatch.setattr(service, "MOST_OPEN", 2)
    opened = [open_attempt(here, opening(key=f"many {number}", principal="local:7")) for number in range(2)]
    error = refused("E_NO_ATTEMPTS_LEFT", open_attempt, here, opening(key="many", principal="local:7"))
    assert "local:7" in error.what and "finish_attempt" in error.next
    assert open_attempt(here, opening(key="many", principal="local:8"))  # nobody else's are used up
    transcript = Transcript(os.open(opened[0].transcript, os.O_RDWR | os.O_APPEND))
    transcript.end(FINISHED).result()
    transcript.close()
    assert open_attempt(here, opening(key="many", principal="local:7"))


def test_an_attempt_that_has_expired_is_open_no_more(folder, monkeypatch):
    here = served(folder)
    monkeypatch.setattr(service, "MOST_OPEN", 1)
    expires = header(open_attempt(here, opening(key="late", principal="local:9")))["expires"]
    refused("E_NO_ATTEMPTS_LEFT", open_attempt, here, opening(key="later", principal="local:9"))
    monkeypatch.setattr(hidden_splits, "current_time", lambda: expires)
    assert open_attempt(here, opening(key="later", principal="local:9"))


def test_another_principals_attempt_is_unknown_to_every_call(folder, here):
    attempt = open_attempt(here, opening(key="only mine")).attempt
    other = LocalBackend(here, folder, "local:2", score=False)

    def score(one: str) -> object:
        return other.score_text({"attempt_id": one, "item_id": "0" * 16, "metric": "m", "prediction": "A"})

    for call in (other.status, other.finish, score):
        refused("E_UNKNOWN_ATTEMPT", call, attempt)
    assert LocalBackend(here, folder, "local:1", score=False).status(attempt)


def test_many_that_open_with_one_key_at_once_have_one_attempt(here):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: open_attempt(here, opening(key="crowd")).attempt, range(8)))
    assert len(set(found)) == 1
    assert sum(each.startswith(found[0]) for each in Store.open(here.target.store).run_ids()) == 1


@pytest.mark.long
def test_attempts_run_out_for_one_agent_and_not_for_another(here):
    def open_one(key):
        try:
            return open_attempt(here, opening("twice", key=f"twice {key}")).attempt
        except AttemptError as bad:
            return bad.name

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(open_one, range(6)))
    assert "local:1" in refused("E_NO_ATTEMPTS_LEFT", open_attempt, here, opening("twice", key="third")).what
    assert found.count("E_NO_ATTEMPTS_LEFT") == 4 and len(set(found)) == 3
    assert left(here, "twice") == 0 and left(here, "twice", principal="local:2") == 2
    assert open_attempt(here, opening("twice", key="other", principal="local:2"))
    assert left(here, "twice", principal="local:2") == 1
    taken = next(key for key in range(6) if found[key] != "E_NO_ATTEMPTS_LEFT")
    assert open_one(taken) == found[taken]  # what was begun can be come back to


def offer(here, study, principal="local:1"):
    [found] = [one for one in list_served_studies(here, principal) if one["study"] == study]
    return found


def left(here, study, **more):
    return offer(here, study, **more)["splits"][0]["attempts_left"]


def test_the_catalogue_says_what_can_be_attempted(here):
    found = list_served_studies(here, "local:1")
    for one in found:
        StudyOffer.model_validate(one)
    assert {one["study"] for one in found} == {"small", "twice", "plain", "hidden", "splits"}
    small = offer(here, "small")
    assert small["splits"] == [
        {"split": "dev", "n_items": ITEMS + 1, "hidden": False, "subsets": ["template-1", "template-6"]}
    ]
    assert small["budget"] == {"calls": 100, "seconds": 3600} and small["answer_kinds"] == ["text"]
    assert "an operator runs it" in offer(here, "plain")["reason"] and offer(here, "plain")["splits"] == []
    [hidden] = offer(here, "hidden")["splits"]
    assert (hidden["hidden"], hidden["attempts_left"], hidden["n_items"]) == (True, 0, 5)
    assert "user" in hidden["reason"] and "metrics" not in offer(here, "hidden")


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("E_UNKNOWN_STUDY", {"study": "smal"}),
        ("E_UNKNOWN_STUDY", {"study": "../manifests/small"}),
        ("E_UNKNOWN_SPLIT", {"split": "test"}),
        ("E_UNKNOWN_SPLIT", {"study": "plain"}),
        ("E_ARGUMENT", {"subset": "science"}),
        ("E_ARGUMENT", {"subset": "template-2"}),
        ("E_HIDDEN_SPLIT", {"study": "hidden", "split": "test"}),
    ],
)
def test_what_is_not_there_is_refused_and_nothing_is_written(here, code, changed):
    before = Store.open(here.target.store).run_ids()
    error = refused(code, open_attempt, here, opening(**{"key": f"bad {changed}", **changed}))
    assert str(here.target.store) not in error.text and "/" not in error.what.replace("../manifests/small", "")
    assert Store.open(here.target.store).run_ids() == before


def test_somebody_elses_attempt_is_refused_as_an_unknown_one(here):
    opened = open_attempt(here, opening(key="mine"))
    assert reopen_attempt(here, opened.attempt, "local:1") == opened
    texts = {refused("E_UNKNOWN_ATTEMPT", reopen_attempt, here, opened.attempt, "local:2").text}
    for name in ("", "last", "../" + opened.attempt, opened.attempt[:-1], opened.attempt[:-1] + "\n", "a" * 4000):
        texts.add(refused("E_UNKNOWN_ATTEMPT", reopen_attempt, here, name, "local:1").text)
    flipped = opened.attempt[:-1] + ("0" if opened.attempt[-1] != "0" else "1")
    texts.add(refused("E_UNKNOWN_ATTEMPT", reopen_attempt, here, flipped, "local:1").text)
    assert len(texts) == 1


def test_an_opening_that_was_killed_before_the_list_is_finished(here, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Heads, "add", killed)
        with pytest.raises(KeyboardInterrupt):
            open_attempt(here, opening(key="killed"))
    store = Store.open(here.target.store)
    [name] = [name for name in store.run_ids() if name not in listed_attempts(store.heads.read()) and "-" in name]
    assert open_attempt(here, opening(key="killed")).attempt == name
    assert listed_attempts(store.heads.read())[name].started


def test_an_attempt_whose_first_line_was_written_anew_is_damaged(here):
    opened = open_attempt(here, opening(key="forged"))
    forged = opened.transcript.read_bytes().replace(b'"calls":100', b'"calls":900')
    opened.transcript.chmod(0o600)
    opened.transcript.write_bytes(forged)
    with pytest.raises(DamageError):
        reopen_attempt(here, opened.attempt, "local:1")


def test_a_benchmark_that_is_not_locked_is_listed_and_not_opened(tmp_path):
    moved = project(tmp_path / "p", ADDITION)
    [path] = (moved / "manifests").glob("*.yaml")
    path.write_text(ADDITION.replace("count: 40", "count: 41"))
    here = served(moved)
    [split] = offer(here, "small")["splits"]
    assert split["attempts_left"] == 0 and "operator" in split["reason"]
    error = refused("E_NOT_LOCKED", open_attempt, here, opening())
    assert error.what == split["reason"]


@pytest.fixture
def closable():
    """Give a project that its parent folders keep from nobody, with questions that are hidden."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield project(Path(name) / "p", HIDDEN)


@pytest.mark.long
@root
def test_hidden_questions_are_served_to_whom_the_store_is_closed(closable):
    store = Store.open(closable / ".harness")
    here = served(closable, NOBODY)
    assert gold_reachable(store, NOBODY)
    with pytest.raises(MissingError) as error:
        require_agent_uid(store, NOBODY)
    assert error.value.code == 3 and "chmod 700" in error.value.next
    refused("E_HIDDEN_SPLIT", open_attempt, here, opening("hidden", "test"))

    store.root.chmod(0o700)
    require_agent_uid(store, NOBODY)
    assert left(here, "hidden") == 2 and "reason" not in offer(here, "hidden")["splits"][0]
    opened = open_attempt(here, opening("hidden", "test"))
    assert (header(opened)["hidden"], header(opened)["gold_reachable"]) == (True, False)
    seen = opened.items.read_bytes()
    assert b"Which planet is secret" in seen and b"first " in seen
    for gold in (b"answerKey", b"planets are secret", b"humanScore", b"target"):
        assert gold not in seen
    refused("E_HIDDEN_SPLIT", reopen_attempt, replace(here, agent_uid=None), opened.attempt, "local:1")
    store.root.chmod(0o755)
    refused("E_HIDDEN_SPLIT", reopen_attempt, here, opened.attempt, "local:1")
    assert len(lines_of(opened.items)) == 6


@root
def test_a_store_that_can_be_passed_but_not_listed_is_not_closed(closable):
    store = Store.open(closable / ".harness")
    for path in [store.root, *store.root.rglob("*")]:
        blob = path.is_relative_to(store.blobs.root)
        path.chmod(0o711 if path.is_dir() else 0o444 if blob else 0o400)
    assert not gold_reachable(store, NOBODY, ["0" * 64])
    assert gold_reachable(store, NOBODY, [sha256(QUESTIONS)])
    [split] = offer(served(closable, NOBODY), "hidden")["splits"]
    assert split["attempts_left"] == 0


def test_who_serves_and_root_can_read_every_answer(here, monkeypatch):
    store = Store.open(here.target.store)
    assert gold_reachable(store, None) and gold_reachable(store, 0) and gold_reachable(store, os.geteuid())
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert gold_reachable(store, NOBODY)
    with pytest.raises(MissingError, match="only root"):
        require_agent_uid(store, NOBODY)
