"""What cards and pages say of intervals of few items, and which rank correlation leads."""

import re

import support_reliability_documents as made

from harness.studies.reliability.measures import coverage
from harness.studies.reliability.pages.fragments import FEW, MARKS
from harness.studies.reliability.pages.model_facts import basis
from harness.studies.reliability.pages.tables import TableLine, companions, stated


def plain(markup):
    return " ".join(re.sub(r"<[^>]*>", " ", markup).split())


def test_an_interval_of_few_items_is_marked_and_the_mark_is_explained():
    found = {"value": 83.0, "interval": [75.0, 88.0]}
    assert plain(stated(found)) == "83.0 [75.0, 88.0]"
    assert plain(stated(found | coverage.note("correctness_concordance", 100))) == f"83.0 [75.0, 88.0] {FEW}"
    absent = {"value": 83.0, "interval": {"missing": "too few units to resample"}}
    assert FEW not in stated(absent | coverage.note("correctness_concordance", 1))
    assert any(each.startswith(FEW) for each in MARKS)


def test_what_simulations_found_is_said_beside_how_intervals_were_made():
    ci = {"level": "0.95", "resamples": 2000, "recentred": ["correctness_stability"], "coverage": coverage.table()}
    said = basis({}, {"ci": ci}).intervals
    assert said.startswith("Intervals: 95 % percentile, 2,000 resamples of instances.")
    assert "moved by twice their bias" in said
    low, high = (f"{100 * end:.0f}" for end in coverage.MEASURED["concordance"][100])
    assert f"{low} to {high} % at 100 items" in said and "often enough from 400 on" in said
    assert "spearman" not in said  # its intervals hold wherever they were measured
    assert "held" not in basis({}, {"ci": {"level": "0.95", "resamples": 2000}}).intervals


def test_the_correlation_over_items_leads_with_its_interval():
    given = made.documents(made.TEN)
    shown = companions("caption", "Model", [TableLine("base-7b", "base-7b", "addition")], given)
    assert shown.index("Spearman, items: correct") < shown.index("Spearman, bins, no interval: correct")
    assert shown.count("[-0.95, -0.85]") == 1  # over items alone; the value over bins stands too
    assert plain(shown).count("-0.90") == 2
