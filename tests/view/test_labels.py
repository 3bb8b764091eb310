"""Labels of a person: kept durably, blind, closed before the scorer is shown, and of nothing that is kept."""

from __future__ import annotations

import json
import re
import shutil
import stat
from pathlib import Path
from urllib.parse import urlencode

import pytest
from support_answers_run import answers_run
from support_ground import copy_of
from support_inside import inner_data, inside
from support_view import HOST, Given, ask, site_of

from harness.errors import DamageError, InputError
from harness.evidence.fsck import find_store_flaws
from harness.store.notes import labels_path, list_labels, read_labels, require_labeller
from harness.store.store import Store, list_runs
from harness.store.sweep import collect_garbage
from harness.verbs.labelling import label_agreement, labelled_answers, possible_labels
from harness.view.site import Site
from harness.view.worker import build_index

pytestmark = pytest.mark.together  # one store serves all
SCORER = "reliability.outcome"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    def make(folder: Path) -> None:
        answers_run(folder, {"good": 90, "poor": 40}, 4, 2, strange=True, long=6_000)
        answers_run(folder, {"good": 50}, 3, 1, gated=True, name="kept")

    opened = Store.open(copy_of("answers-to-label", tmp_path / "p", make) / ".harness")
    for run in list_runs(opened):
        build_index(opened, run)
    return opened


def send(site: Site, address: str, **fields: str) -> Given:
    body = urlencode({"token": site.token, **fields}).encode()
    return ask(site, address, "POST", body=body, origin=f"http://{HOST}")


def test_a_person_labels_blindly_finishes_and_sees_how_the_scorer_agrees(store: Store, tmp_path: Path) -> None:
    run, kept = list_runs(store)
    site, desk = site_of(store.root, "A. Reader"), f"/label/{run}/{SCORER}"
    assert run in ask(site, "/").text and f"/label/{run}/{SCORER}" in ask(site, f"/label/{run}").text
    assert "No answer of this run may be shown" in ask(site, f"/label/{kept}").text
    assert ask(site, f"/label/{kept}/{SCORER}").status == 404
    for elsewhere in (f"/runs/{run}", f"/runs/{run}/answers", "/compare", "/claims", "/doctor"):
        assert ask(site, elsewhere).status == 404, "nothing else is served meanwhile"
    pages = [ask(site, f"{desk}?place={place}").text for place in range(1, 17)]
    every = "".join(pages)
    assert not re.search(r"good|poor|Score by|model:|responses", every) and every.count("Right answer") == 16
    assert "&lt;/textarea&gt;" in every and "U+202E" in every and "<img" not in every and every.count("<script ") == 16
    assert [one for one in ("c", "a", "i") if f'value="{one}"' in pages[0]] == list(possible_labels(SCORER))
    assert ask(site, f"{desk}/agreement").status == 404, "not before the labeller has finished"
    assert ask(site, f"{desk}?place=17").status == 404 == ask(site, f"{desk}?place=0").status

    assert send(site, desk, place="1", label="c").headers["location"] == desk
    assert "Answer 2" in ask(site, desk).text and "1 of 16 labelled as A. Reader" in ask(site, desk).text
    other = send(site, desk, place="1", label="i")
    assert other.status == 409 and "was labelled c in another window" in other.text
    assert send(site, desk, place="1", label="i", instead="1").status == 303
    assert send(site, desk, place="1", label="z").status == 404 == send(site, desk, place="x", label="c").status
    wrong = ask(site, desk, "POST", body=b"token=x&place=2&label=c", origin=f"http://{HOST}")
    assert wrong.status == 404 and "an earlier start" in wrong.text
    assert ask(site, desk, "POST", body=f"token={site.token}&place=2&label=c".encode()).status == 403
    assert ask(site, desk, "POST", body=b"x" * 20_000, origin=f"http://{HOST}").status == 413
    for place in range(2, 9):
        assert send(site, desk, place=str(place), label="c").status == 303
    path = labels_path(store, run, "A. Reader", SCORER)
    found = read_labels(store, path)
    assert [*found.given.values()] == ["i", *["c"] * 7] and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert b"good" not in path.read_bytes() and b"sum-" not in path.read_bytes()
    inside("export", run, "--labels", "early", "--store", store.root, cwd=tmp_path, check=2)
    assert send(site, f"{desk}/finish").headers["location"] == f"{desk}/agreement"
    late = send(site, desk, place="9", label="c")
    assert late.status == 404 and "these labels are closed" in late.text

    answers = labelled_answers(store, read_labels(store, path))
    said = label_agreement(answers, possible_labels(SCORER))
    assert said["labelled"] == 8 and said["equal"].endswith("of 8") and len(said["differ"]) == 8 - int(said["equal"][0])
    job = site.jobs.start("agreement", str(store.root), str(path.relative_to(store.root)))
    job.said, job.over = {"told": said}, True
    shown = ask(site, f"{desk}/agreement").text
    assert said["kappa"].replace("[", "") in shown.replace("[", "") and "Answers by your label" in shown
    made = inner_data("export", run, "--labels", "out", "--store", store.root, cwd=tmp_path)
    [one] = made["labels"]
    assert (one["labeller"], one["rows"], one["grader"], one["kappa"]) == ("A. Reader", 8, SCORER, said["kappa"])
    rows = [json.loads(line) for line in (tmp_path / "out" / "labels-1.jsonl").read_bytes().splitlines()]
    assert [row["label"] for row in rows] == ["i", *["c"] * 7] and not any(
        "model" in row or "score" in row for row in rows
    )
    (tmp_path / "lockfiles").mkdir()
    measured = inner_data("certify", SCORER, "--others", "out/labels-1.json", cwd=tmp_path, check=None)
    blind = measured["certificate"]["sets"]["blind"]
    assert blind["labellers"] == [{"kind": "person", "name": "A. Reader"}]
    assert f"{float(blind['parts']['develop']['kappa']['value']):.2f}" in said["kappa"]
    assert list(find_store_flaws(store)) == [] and collect_garbage(store).folders == []


def test_labels_survive_a_kill_and_whoever_changes_them_is_named(store: Store) -> None:
    run = next(iter(list_runs(store)))
    site, desk = site_of(store.root, "B"), f"/label/{run}/{SCORER}"
    for place in ("1", "2"):
        send(site, desk, place=place, label="a")
    [labels] = list_labels(store, run)
    whole = labels.path.read_bytes()
    for cut in (1, 40, 200):
        labels.path.write_bytes(whole[:-cut])
        assert list(read_labels(store, labels.path).given.values()) == ["a"] and list(find_store_flaws(store)) == []
    send(site, desk, place="3", label="i")
    found = read_labels(store, labels.path)
    assert [*found.given.values()] == ["a", "i"] and not found.chain.torn
    data = labels.path.read_bytes()
    labels.path.write_bytes(data.replace(b'"label":"a"', b'"label":"c"'))
    assert [flaw.id for flaw in find_store_flaws(store)] == ["chain.broken"]
    assert ask(site, desk).status == 200 and "were changed" in send(site, desk, place="4", label="c").text
    labels.path.write_bytes(data)
    stray = labels.path.with_name(f"20200101T000000Z-00000000-{'0' * 16}.jsonl")
    shutil.copy(labels.path, stray)
    assert {flaw.id for flaw in find_store_flaws(store)} == {"unaccounted"} and collect_garbage(store).folders == []
    stray.write_bytes(data.replace(b'"begin":0', b'"begin":1', 1))
    labels.path.with_name("other").write_bytes(b"")
    assert "no such file belongs here" in " ".join(flaw.detail for flaw in find_store_flaws(store))
    assert [*possible_labels("bioscore-rule")] == ["good", "bad", "abstain"] and [*possible_labels("exact")] == [
        "right",
        "wrong",
    ]
    for name in ("", "-x", "a" * 61, "ä", "a\n", "../a"):
        with pytest.raises(InputError, match="no name of a labeller"):
            require_labeller(name)


def test_labels_that_name_no_answer_are_refused(store: Store) -> None:
    run = next(iter(list_runs(store)))
    site, desk = site_of(store.root, "C"), f"/label/{run}/{SCORER}"
    send(site, desk, place="1", label="c")
    [labels] = list_labels(store, run)
    line = json.loads(labels.path.read_bytes().splitlines()[1])
    for blob in ("../../../etc/passwd", "0" * 64, line["blob"]):
        text = labels.path.read_text().replace(line["blob"], blob).replace('"begin":', '"begin":9')
        odd = labels.path.with_suffix(".odd")
        odd.write_text(text)
        with pytest.raises(DamageError):
            labelled_answers(store, read_labels(store, odd))
