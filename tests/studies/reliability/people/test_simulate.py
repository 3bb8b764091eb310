"""Simulated respondents: seeded, independent of each other, and sensible on the whole."""

import statistics

import pytest

from harness import rows
from harness.errors import InputError
from harness.studies.reliability.people.simulate import SimulatedPerson, expects, make, person, read, verdict

CALM = SimulatedPerson("calm", 0.0, 0.5, 0.0)
PEOPLE = [person(3, index, 5) for index in range(200)]


def test_participants_are_written_in_order_of_ids_and_read_back(tmp_path):
    make({"seed": 3, "count": 12}, {}, tmp_path)
    found = list(rows.read(tmp_path / "items"))
    assert [row["id"] for row in found] == sorted(f"person-{n:05d}" for n in range(12))
    assert {row["task"] for row in found} == {"people"}
    assert list(rows.read(tmp_path / "counts")) == [{"people": {"drawn": 12, "kept": 12, "removed": 0}}]
    assert read(tmp_path / "items") == PEOPLE[:12]
    with pytest.raises(InputError):
        make({"seed": 3, "count": 0}, {}, tmp_path)


def test_people_differ_and_the_seed_decides_who_they_are():
    assert len({each.skill for each in PEOPLE}) == 200
    assert abs(statistics.mean(each.skill for each in PEOPLE)) < 0.2
    assert statistics.stdev(each.skill for each in PEOPLE) == pytest.approx(0.8, abs=0.15)
    assert all(0 <= each.caution < 1 and 0 <= each.noise < 1 for each in PEOPLE)
    assert person(4, 0, 5) != PEOPLE[0] == person(3, 0, 5)


def failures(difficulty, people=PEOPLE):
    said = [expects(who, f"i{n}", difficulty, 1) for who in people for n in range(5)]
    return statistics.mean(each["answer_label"] != "c" for each in said), said


def test_harder_items_are_failed_more_and_expected_to_be():
    easy, middle, hard = (failures(difficulty) for difficulty in (10, 50, 90))
    assert easy[0] < 0.15 and 0.35 < middle[0] < 0.65 and hard[0] > 0.85
    expected = [statistics.mean(each["expected_failure"] for each in said) for _, said in (easy, middle, hard)]
    sure = [statistics.mean(each["confidence"] for each in said) for _, said in (easy, middle, hard)]
    assert expected == sorted(expected) and sure == sorted(sure, reverse=True)
    assert all(
        0 <= each[name] <= 100
        for _, said in (easy, hard)
        for each in said
        for name in ("confidence", "expected_failure")
    )


def test_the_skilled_fail_less_and_the_cautious_say_so_more_often():
    good, bad = ([SimulatedPerson(f"{skill}", skill, 0.5, 0.5)] * 40 for skill in (2.0, -2.0))
    assert failures(50, good)[0] < failures(50, bad)[0]
    silent = [
        sum(expects(SimulatedPerson("p", 0, caution, 0), f"i{n}", 90, 1)["answer_label"] == "a" for n in range(300))
        for caution in (0.0, 0.9)
    ]
    assert silent[0] == 0 < silent[1]


def test_what_is_said_hangs_on_person_item_and_seed_alone():
    assert expects(CALM, "1", 50, 1) == expects(CALM, "1", 50, 1)
    several = {str(expects(CALM, f"{n}", 50, seed)) for n in range(9) for seed in (1, 2)}
    assert len(several) > 2


def share(label, said, difficulty, people=PEOPLE):
    return statistics.mean(verdict(who, f"o{n}", label, difficulty, 1) == said for who in people for n in range(5))


def test_wrong_outputs_are_believed_more_where_items_are_harder():
    assert share("i", "c", 10) < 0.15 < share("i", "c", 50) < share("i", "c", 95)
    assert share("a", "a", 95) > 0.9
    assert share("c", "c", 10) > 0.9


def test_every_verdict_is_one_of_the_four():
    said = {verdict(who, f"o{n}", "i", 80, 1) for who in PEOPLE for n in range(5)}
    assert said == set("caiu")
