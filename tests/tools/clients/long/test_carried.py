"""Whole attempts by clients that nobody here wrote, over stdio and HTTP: Python's scores, and its normal form.

They are no part of this project: `make peers` installs them. The table of docs/agents-clients.md is made of the same
attempts (`tests/clients_page.py --write`); here one study is drawn for each client and transport.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support_clients import OVER, STUDIES, Sitting, by_verbs, carried, carried_call, client_project, sit
from support_draws import drawn

pytestmark = pytest.mark.together


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return client_project(tmp_path_factory.mktemp("clients") / "project")


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, Sitting]:
    return {study: by_verbs(folder, study) for study in STUDIES}


PLACES = [(client, transport) for client, transports in OVER.items() for transport in transports]
CASES = [(*place, study) for place in PLACES for study in STUDIES]


@pytest.mark.parametrize(("client", "transport", "study"), drawn(CASES, 7, len(CASES)))
def test_an_attempt_has_the_scores_and_the_normal_form_of_python(
    folder: Path, expected: dict[str, Sitting], tmp_path: Path, client: str, transport: str, study: str
) -> None:
    with carried(client, transport, folder, tmp_path) as carrier:
        found = sit(carrier, folder, study, f"{client} {transport}")
    assert found.ended == expected[study].ended and found.form == expected[study].form
    assert found.ended["status"] == "scored" and found.asked > 20


@pytest.mark.parametrize(("client", "transport"), PLACES)
def test_a_call_that_is_given_up_or_cancelled_is_made_again(
    folder: Path, tmp_path: Path, client: str, transport: str
) -> None:
    """The client's own timeout, then its own cancellation, then the same call: the attempt is one, and whole.

    Codex's are of a process of its own, which over stdio has a server and a session of its own.
    """
    asked = {"study": "addition", "split": "dev", "idempotency_key": f"given up {client} {transport}"}
    with carried(client, transport, folder, tmp_path) as carrier:
        lost = [carrier.ask("start_attempt", asked, seconds=0.001), carrier.ask("start_attempt", asked, cancel=0.0)]
        assert all("gave_up" in one or "data" in one or "E_BUSY" in one.get("error", "") for one in lost), lost
        begun = carried_call(carrier, "start_attempt", asked)
        again = carried_call(carrier, "start_attempt", asked)
        assert again["attempt_id"] == begun["attempt_id"] and again["resumed"]
        item = carried_call(carrier, "get_item", {"attempt_id": begun["attempt_id"]})["items"][0]["item_id"]
        answers = {"attempt_id": begun["attempt_id"], "answers": [{"item_id": item, "answer": "12"}]}
        carrier.ask("submit_answers", answers, seconds=0.001)
        told = carried_call(carrier, "submit_answers", answers)["receipts"][0]
        assert told["status"] in ("recorded", "duplicate") and told["answer_sha256"]
