"""A certificate that contradicts its own matrix, its counts or plain arithmetic is found out, whatever it claims."""

import copy
import json
import re

import pytest
from support import REPOSITORY
from support_cases import each_of
from support_certificates import blind_set, body_of, graded, makers_set

from harness.digest import seal_document, sha256
from harness.kit.certificate import (
    BLIND,
    MAKERS,
    METHODS,
    PUBLISHED,
    certificate_text,
    figures_text,
    find_contradictions,
    misses_digest,
    read,
    sets_of,
    trust_of,
    verdict_of,
)
from harness.kit.grading import Graded, figures

PAIRS = {("c", "c"): 47, ("c", "i"): 3, ("i", "c"): 2, ("i", "i"): 48}  # accuracy .95
FILES = {"harness/rowtypes.py": sha256((REPOSITORY / "harness" / "rowtypes.py").read_bytes())}


def certificate():
    """Give a sound certificate of a hundred frozen rows and twenty to develop on."""
    rows = [Graded(f"{label}{grade}{n}", label, grade) for (label, grade), many in PAIRS.items() for n in range(many)]
    parts = {"frozen": figures(rows, "c", 0), "develop": figures(rows[40:60], "c", 0)}
    body = {"type": "certificate/1", "scorer": "x.y", "code": "0" * 64, "files": FILES, "parts": parts, "accepts": "c"}
    split = {"by": "rows", "frozen_by": "not claimed"}
    return {**body, "labels": {"sha256": "0" * 64, "rows": 120}, "split": split, "intervals": METHODS}


def put(pointer, value):
    """Give the forgery that puts a value at a pointer."""

    def forge(found):
        *way, last = pointer.split("/")
        for name in way:
            found = found[name]
        if value is None:
            del found[last]
        else:
            found[last] = value

    return forge


def by_others(wrong=2, earlier=0, rows=80):
    """Give a sound certificate of rows that its makers labelled, and of others that a person labelled blind."""
    makers = makers_set(graded(20, 0), graded(20, 0, "d"))
    blind = blind_set(graded(rows, wrong), graded(20, 0, "o"))
    return body_of("x.y", FILES, {MAKERS: makers, BLIND: blind}, earlier=earlier)


ONE = {"value": "1.000000", "interval": ["1.000000", "1.000000"]}
FORGERIES = {
    "accuracy is 1.000000 \\[1.000000, 1.000000\\], and its matrix gives 0.950000": put("parts/frozen/accuracy", ONE),
    "kappa is 1.000000 .*, and its matrix gives 0.900000": put("parts/frozen/kappa", ONE),
    "false_accept is 0.000000": put("parts/frozen/false_accept", {"value": "0.000000", "interval": ["0.000000"] * 2}),
    "develop: accuracy is nan": put("parts/develop/accuracy/value", "nan"),
    "frozen: accuracy is 1.5": put("parts/frozen/accuracy/value", "1.5"),
    "frozen: kappa is NaN": put("parts/frozen/kappa/value", "NaN"),
    "frozen: accuracy is True": put("parts/frozen/accuracy/value", True),
    "its matrix gives 0.950000 \\[": put("parts/frozen/accuracy/interval", ["0.949000", "0.951000"]),
    "does not hold its value": put("parts/frozen/kappa/interval", ["0.950000", "1.000000"]),
    "the interval of kappa is not two numbers": put("parts/frozen/kappa/interval", ["0.1", "inf"]),
    "the interval of kappa, \\[0.850000, 1.900000\\]": put("parts/frozen/kappa/interval", ["0.850000", "1.900000"]),
    "no value with an interval": put("parts/frozen/kappa/interval", None),
    "more undefined resamples": put("parts/frozen/kappa/undefined_resamples", 1999),
    "it says 200 rows, and its matrix holds 100": put("parts/frozen/rows", 200),
    "its labels are not the sums": put("parts/frozen/labels/c", 51),
    "it says 101 instances of 100 rows": put("parts/frozen/instances", 101),
    "it says 0 instances of 100 rows": put("parts/frozen/instances", 0),
    "its matrices hold 120 rows, and labels.rows says 500": put("labels/rows", 500),
    "what is no count": put("parts/frozen/matrix/c/i", -3),
    "other grades than labels": put("parts/frozen/matrix/i/c", None),
    "its matrix is none": put("parts/frozen/matrix", [[1]]),
    "no class 'good'": put("accepts", "good"),
    "its parts are not develop and frozen": put("parts/develop", None),
    "it has not the fields of a part": put("parts/frozen/precision", ONE),
    "it names no code of its grader": put("files", {}),
    "of other methods": put("intervals", {**METHODS, "level": "0.5"}),
    "not the fields of a certificate": put("labels", "none"),
    "of a certificate": put("split/seed", "a"),
}


@each_of("said", FORGERIES)
def test_a_certificate_that_contradicts_itself_is_found_out(said):
    found = copy.deepcopy(certificate())
    assert not find_contradictions(found)
    FORGERIES[said](found)
    assert re.search(said, "; ".join(find_contradictions(found)))


OF_OTHERS = {
    "blind: frozen: accuracy is 1.000000 .*, and its matrix gives 0.975000": put(
        "sets/blind/parts/frozen/accuracy", ONE
    ),
    "blind: its matrices hold 100 rows, and labels.rows says 90": put("sets/blind/labels/rows", 90),
    "blind: it does not say which one or two labelled": put("sets/blind/labellers", []),
    "blind: it does not say which": put("sets/blind/labellers", [{"kind": "person", "name": " "}]),
    "it does not say which one or two": put("sets/blind/labellers", [{"kind": "paper", "name": "of its makers"}]),
    "blind: it does not say which one": put("sets/blind/labellers", None),
    "blind: it has not the agreement of just two": put("sets/blind/labellers", [{"kind": "person", "name": "A"}] * 2),
    "has not the agreement of": put("sets/blind/between", figures(graded(100, 0), "good", 0)),
    "blind: it has frozen rows that no digest names": put("sets/blind/sealed", None),
    "blind: it does not name its sealed rows": put("sets/blind/sealed", {"sha256": "2" * 64}),
    "blind: it has figures of sealed rows that were never opened": put("sets/blind/sealed", "3" * 64),
    "figures of sealed rows that were never opened": put("opened", []),
    "not the fields of a certif": put("opened", [{"rows": "2" * 64}]),
    "blind: its misses are not those of the last opening": put("sets/blind/misses", []),
    "its misses are not those of the last": put("sets/blind/misses", [{"id": "i0", "label": "bad", "given": "good"}]),
    "its misses are not a list of rows": put("sets/blind/misses", [{"id": "i0"}]),
    "not the fields of a certificate": put("sets/readers", makers_set(graded(4, 0), ())),
    "it has not the fields of a cert": put("sets/makers/labellers", [{"kind": "person", "name": "A. Reader"}]),
    "it has not the fields of": put("sets", {}),
}


@each_of("said", OF_OTHERS)
def test_what_a_certificate_says_of_labels_by_others_is_held_against_it(said):
    found = copy.deepcopy(by_others())
    assert not find_contradictions(found)
    OF_OTHERS[said](found)
    assert re.search(said, "; ".join(find_contradictions(found)))


def test_misses_that_are_not_those_of_the_matrix_are_found_though_their_digest_is_right():
    found = by_others()
    blind = found["sets"]["blind"]
    blind["misses"] = [{**miss, "label": "bad", "given": "good"} for miss in blind["misses"]]
    found["opened"][-1]["misses"] = misses_digest(blind["misses"])
    assert find_contradictions(found) == ["blind: its misses are not those of its matrix"]


def test_two_labellers_agree_on_as_many_rows_as_there_are():
    found = by_others()
    found["sets"]["blind"] |= {"labellers": [{"kind": "person", "name": name} for name in "AB"],
                               "between": figures(graded(100, 10), "good", 0)}  # fmt: skip
    assert find_contradictions(found) == []
    assert "labelled blind by two people (sealed, opened once)" in figures_text(found)
    assert "; the two labellings agree by kappa 0.80 [" in figures_text(found)
    found["sets"]["blind"]["between"] = figures(graded(99, 10), "good", 0)
    assert find_contradictions(found) == ["blind: its labellers agree on 99 rows, and it has 100"]


def test_the_verdict_rests_on_blind_labels_alone():
    alone = by_others(wrong=40)
    del alone["sets"][BLIND]
    published = {**makers_set((), graded(40, 0)), "labellers": [{"kind": "paper", "name": "the paper"}]}
    alone["sets"][PUBLISHED] = published
    assert find_contradictions(alone) == [] and verdict_of(alone).word == "not yet measured by others"
    assert [verdict_of(by_others(wrong)).word for wrong in (5, 6, None)] == ["usable", "not usable", "not usable"]
    assert verdict_of(by_others(0, rows=0)).word == "not yet measured by others"  # the makers may read the open rows
    again = verdict_of(by_others(0, earlier=1))
    assert (
        again.word == "not yet measured by others" and "opened before, by rules that graded them otherwise" in again.why
    )
    assert "by its makers' labels kappa 1.00" in figures_text(by_others())


def test_an_older_certificate_counts_as_its_makers(tmp_path):
    older = certificate()
    for kind in ("certificate/1", "certificate/2"):
        body = {**older, "type": kind, "definitions": dict.fromkeys(older["files"], "")}
        (tmp_path / "older").write_bytes(seal_document(body))
        assert list(sets_of(read((tmp_path / "older").read_bytes(), "older"))) == [MAKERS]
        trust = trust_of(tmp_path / "older")
        assert (trust.verdict, trust.usable) == ("not yet measured by others", False)
        assert trust.line.startswith("on 100 rows labelled by its makers (frozen): accuracy 0.95")


def test_a_class_that_nobody_has_is_no_class_of_a_matrix():
    found = certificate()
    matrix = found["parts"]["frozen"]["matrix"]
    for row in matrix.values():
        row["z"] = 0
    matrix["z"] = dict.fromkeys((*matrix, "z"), 0)
    assert find_contradictions(found) == ["frozen: its matrix has a class that no row has"]


def test_figures_are_computed_from_the_matrix_and_say_what_was_not_checked():
    found = certificate()
    told = figures_text(found)
    said = "not yet measured by others: on 100 rows labelled by its makers (frozen): "
    assert told.startswith(f"{said}accuracy 0.95 [0.89, 0.98], kappa 0.90 [")
    assert told.endswith("; not checked against the labelled rows")
    found["parts"]["frozen"]["accuracy"] = ONE  # whoever asks for the figures all the same is given the matrix's
    assert figures_text(found) == told


def test_a_page_takes_no_figure_of_a_certificate_that_lies(tmp_path):
    from harness.studies.reliability.pages.certificate import certificate as paragraphs

    lying = certificate()
    lying["parts"]["frozen"]["accuracy"] = ONE
    (tmp_path / "sound").write_bytes(seal_document(certificate()))
    (tmp_path / "lying").write_bytes(seal_document(lying))
    assert [trust_of(tmp_path / name).verdict for name in ("sound", "lying")] == [
        "not yet measured by others", "not usable",
    ]  # fmt: skip
    assert certificate_text(tmp_path / "lying").startswith("void: it contradicts itself: frozen: accuracy is 1.000000")
    shown = [" ".join(map(str, paragraphs(tmp_path / name))) for name in ("sound", "lying")]
    assert shown[0].count("not checked") == 1 and "frozen: 100 rows, accuracy 0.95 [0.89, 0.98]" in shown[0]
    assert "void: it contradicts itself" in shown[1] and "measured" not in shown[1] and "kappa" not in shown[1]


@pytest.mark.parametrize("path", sorted((REPOSITORY / "certificates").glob("*.json")), ids=lambda path: path.stem)
def test_the_certificates_of_the_repository_contradict_nothing(path):
    assert find_contradictions(json.loads(path.read_bytes())) == []


@pytest.mark.parametrize(
    "pairs", [{}, {("c", "c"): 1}, {("c", "c"): 3}, {("c", "i"): 2}, {("c", "c"): 1, ("i", "i"): 1}]
)
def test_a_certificate_of_hardly_any_rows_contradicts_nothing(pairs):
    found = certificate()
    rows = [Graded(f"{label}{grade}{n}", label, grade) for (label, grade), many in pairs.items() for n in range(many)]
    found["parts"]["frozen"] = figures(rows, "c", 0)
    found["labels"]["rows"] = 20 + len(rows)
    assert find_contradictions(found) == []
