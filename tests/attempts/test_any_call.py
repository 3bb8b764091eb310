"""Whatever is called with whatever: the reply has its shape or is a known error, is bounded, and is written down."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support_attempts import FACTS, ZERO, AttemptFolder, FolderBackend, row

from harness.attempts.codes import CODES
from harness.attempts.session import Session
from harness.attempts.shapes import REQUESTS, RESULTS
from harness.attempts.transcript import begin_session, fold_events, open_session_log
from harness.digest import canonical_json
from harness.store.journal import read_chain

NAMES = sorted({name for model in REQUESTS.values() for name in model.model_fields} | {"item_id", "answer", "gold"})
TEXT = st.text(st.characters(), max_size=40)  # lone surrogates among them
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.sampled_from(["open", "all", "1", "[]"])
ANY = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | TEXT, inner, max_size=3)
)


@pytest.fixture
def place(tmp_path):
    rows = [row(1, text='🜚\n"\\' * 9_000), *(row(number) for number in range(2, 30))]
    attempt = AttemptFolder(tmp_path, rows=rows, budget={"calls": 10**6, "seconds": 10**6})
    begin_session(tmp_path / "log", {"principal": "", "profile": "", "versions": {}, "tools": ""})
    session = Session(
        open_session_log(os.open(tmp_path / "log", os.O_RDWR | os.O_APPEND)), FolderBackend(attempt), ZERO
    )
    yield attempt, session, tmp_path / "log"
    session.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_call_is_answered_in_bounds_and_written_down_once(place, data):
    attempt, session, log = place
    lines = len(attempt.path.read_bytes().splitlines()) + len(log.read_bytes().splitlines())
    tool = data.draw(st.sampled_from(sorted(REQUESTS.keys() - {"finish_attempt"})) | TEXT)
    item = attempt.id(data.draw(st.integers(0, 30)))
    answer = {"item_id": item, "answer": data.draw(PLAIN), "confidence": data.draw(st.floats(0, 1))}
    good = {"attempt_id": attempt.name, "item_id": item, "limit": 50, "part": 2, "answers": [answer]}
    known = REQUESTS[tool].model_fields if tool in REQUESTS else {}
    some = {name: good[name] for name in known if name in good and data.draw(st.booleans())}
    odd = data.draw(st.dictionaries(TEXT, ANY, max_size=1))
    args = data.draw(st.just({**some, **odd}) | ANY)
    reply = session.call(tool, args, FACTS)
    if reply.error is None:
        RESULTS[tool].model_validate(reply.unwrap())
        assert len(canonical_json(reply.data)) < 64 * 1024
    else:
        assert reply.error.name in CODES.keys() - {"E_INTERNAL"}
        assert len(reply.error.text) < 700 and reply.error.text.isprintable()
    session_chain, chain = read_chain(log, "session/1"), read_chain(attempt.path, "transcript/1")
    assert (session_chain.broken, chain.broken, fold_events(chain.events).flaws) == ("", "", [])
    assert len(chain.events) + len(session_chain.events) == lines + 1
    assert reply.head in (chain.head, session_chain.head)
