"""The demo's GEO records: gold is read again from the paper's sentences, and what is only mentioned is not in it."""

from __future__ import annotations

import json
import re
from datetime import date, datetime

import pytest
from support_cases import each_of

from harness import rows
from harness.errors import InputError
from harness.studies.curie.demo import geo

RECORDS = [geo.record(7, index) for index in range(12)]
ALL = each_of("made", RECORDS)
SENTENCE = re.compile(r"Its variable (.+?) holds (.+?); it covers (.+?) from (.+?) to (.+?)\.(?:\s|$)")


def day(text):
    return date.fromisoformat(text) if "-" in text else datetime.strptime(text, "%d %B %Y").date()


def told(made):
    """Read the data sets that a paper says it uses, from its words alone."""
    found = []
    for name, address, rest in re.findall(r"We use the (.+?) \((https?://[^)]+)\)\.(.+)", made.text):
        series = [
            {
                "variable_name": variable, "description": what, "spatial_range": re.split(r", | and ", places),
                "time_range": {"start_date": day(begin).isoformat(), "end_date": day(end).isoformat()},
            }
            for variable, what, places, begin, end in SENTENCE.findall(rest)
        ]  # fmt: skip
        found.append({"dataset_name": name, "dataset_website_or_source": [address], "variables": series})
    return found


@ALL
def test_the_paper_tells_the_data_sets_of_the_gold_and_no_others(made):
    assert told(made) == json.loads(made.truth)["datasets"]


@ALL
def test_two_data_sets_of_the_same_shape_are_mentioned_and_not_used(made):
    aside = re.findall(r"\((https://data\.example\.org/[^)]+)\) was looked at and not used\. Its variable", made.text)
    used = [one["dataset_website_or_source"][0] for one in json.loads(made.truth)["datasets"]]
    assert len(aside) == 2
    assert not set(aside) & set(used)


@ALL
def test_every_address_is_one_that_is_reserved_for_examples(made):
    hosts = re.findall(r"https?://([^/)\s]+)", made.text)
    assert set(hosts) == {"data.example.org", "papers.example.org"}


@ALL
def test_title_and_link_stand_in_the_paper(made):
    gold = json.loads(made.truth)
    assert made.text.startswith(gold["paper_title"] + "\n")
    assert gold["paper_link"] in made.text


@ALL
def test_the_answer_is_the_gold_without_its_id(made):
    gold = json.loads(made.truth)
    assert gold.pop("record_id") == made.id
    assert json.loads(made.answer) == gold


@ALL
def test_a_series_ends_after_it_begins(made):
    for one in json.loads(made.truth)["datasets"]:
        for series in one["variables"]:
            begin, end = (date.fromisoformat(series["time_range"][f"{side}_date"]) for side in ("start", "end"))
            assert begin < end <= date(2025, 12, 31)


def test_a_harder_paper_uses_more_data_sets_and_writes_its_days_in_words():
    used = {made.level: len(json.loads(made.truth)["datasets"]) for made in RECORDS}
    assert used == {"easy": 1, "medium": 2, "hard": 3}
    assert all(bool(re.search(r"\d{4}-\d\d-\d\d", made.text)) is (made.level == "easy") for made in RECORDS)


def test_papers_have_600_to_1500_words_and_tell_data_at_various_places():
    assert all(600 <= len(made.text.split()) <= 1500 for made in RECORDS)
    assert len({made.meta["told_at"] for made in RECORDS}) > 5


def test_twelve_papers_are_about_twelve_regions():
    assert len({made.text.splitlines()[0].split()[-1] for made in RECORDS}) == 12


def test_a_record_depends_on_its_seed_and_on_no_other_record(tmp_path):
    geo.make({"seed": 7, "count": 4}, {}, tmp_path)
    items = list(rows.read(tmp_path / "items"))
    assert [item["input"]["text"] for item in items] == [made.text for made in RECORDS[:4]]
    assert geo.record(8, 0).text != RECORDS[0].text


def test_no_records_are_refused(tmp_path):
    with pytest.raises(InputError, match="none"):
        geo.make({"seed": 7, "count": 0}, {}, tmp_path)
