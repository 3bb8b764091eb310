"""What is found of each language model, on the page and in figures: as its document has it, and no more than that."""

from __future__ import annotations

import copy
import re

import numpy as np
import pytest
from studies.brain.pages import sample_run as run
from studies.brain.pages.sample_findings import found, language_model
from studies.curie.pages.page_text import section_of, text_of
from support_draws import drawn

from harness import arrays, rows
from harness.kit import charts
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures import DRAWN, DRAWN_OF_UNITS
from harness.studies.brain.pages.figures_rows import BLUE, GREEN, NOTHING, ORANGE
from harness.studies.brain.pages.run_basis import DOCUMENTS, BrainRun
from harness.studies.brain.pages.unit_scores import measured

pytestmark = pytest.mark.together  # they share one page
FINDINGS = "Findings by data set"
DASH = "\N{EN DASH}"


def as_stored(document):
    """Give a document as a step reads it: the keys of every object in sorted order."""
    if isinstance(document, dict):
        return {key: as_stored(document[key]) for key in sorted(document)}
    return [as_stored(each) for each in document] if isinstance(document, list) else document


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return run.written(tmp_path_factory.mktemp("whole"), as_stored(run.documents()))


def changed(tmp_path, change, **asked):
    given = run.documents()
    change(given)
    return run.written(tmp_path, given, **asked)


def sheet(stem, given=None, **asked):
    with charts.drawing():
        return DRAWN[stem](BrainRun.of(run.params(**asked), as_stored(run.documents() if given is None else given)))


def words(drawn):
    return [" ".join(text.get_text().split()) for text in drawn.figure.texts]


def bars(axes, colour):
    from matplotlib.colors import to_hex

    return [round(float(patch.get_width()), 6) for patch in axes.patches if to_hex(patch.get_facecolor()) == colour]


def table_of(html, caption):
    start = html.index(caption)
    return html[start : html.index("</table>", start)]


def test_the_first_table_runs_from_simple_features_to_the_model_alone(whole):
    rows = text_of(table_of(section_of(whole, FINDINGS), "features and minilm (")).split("Of all together")[1].split()
    assert " ".join(rows[:6]) == "SP+SL SP+SL 0.0134 42.3 % 41.9"
    places = [rows.index(name) for name in ("SP+SL", "SP+SL+WORD", "SP+SL+WORD+LLM", "LLM")]
    assert places == sorted(places)
    assert " ".join(rows[places[-1] :]) == f"LLM minilm@6 0.0317 100.0 % {DASH} not computed"


def test_every_text_model_has_its_first_table_but_seeds_of_a_set(whole):
    captions = re.findall(r"<caption><span>(.*?)</span></caption>", section_of(whole, FINDINGS))
    told = [caption.split("features and ")[1].split(" (")[0] for caption in captions if "features and " in caption]
    assert told == ["LLM", "minilm", "u-untrained"] * len(run.WORLDS)
    assert all("the same for every text model" in caption for caption in captions if "features and " in caption)


def test_time_stands_by_participants_and_by_units_side_by_side(whole):
    row = text_of(table_of(section_of(whole, FINDINGS), "time alone against each"))
    assert "OASM@2.2 0.0951 0.1021 93.1 % 114.7 % 2 of 5 0.1382 45.3 %" in row


def test_a_starred_score_has_its_subsets_and_the_nested_choice_below(whole):
    part = text_of(table_of(section_of(whole, FINDINGS), "starred models with and without each language model"))
    assert "0.0281 of 3 subsets nested (OURS) 0.0222 0.0361 of 4 subsets nested (OURS) 0.0307 28.5 % 0.0285" in part


def test_the_highest_subset_is_named_for_each_model(whole):
    part = text_of(table_of(section_of(whole, FINDINGS), "subsets of the simple spaces and a language model"))
    assert part.rstrip().endswith("Highest SL+LLM SL+LLM SL+LLM") and "mean over 2 seeds" in part


def test_a_set_of_seeds_says_how_many_chose_each_layer(whole):
    part = text_of(table_of(section_of(whole, FINDINGS), "each language model alone"))
    assert "u-untrained mean over 2 seeds contiguous layer 0: 1 of 2 , layer 3: 1 of 2 0.0317" in part


def test_pearson_names_its_own_layers_where_they_were_chosen_by_it(whole):
    part = text_of(table_of(section_of(whole, FINDINGS), "each language model alone"))
    assert part.count("0.1780 minilm@2 , minilm@1") == 2 and part.count("0.1780") == 6


def test_counts_of_starred_models_and_of_means_are_no_evidence(whole):
    part = text_of(table_of(section_of(whole, FINDINGS), "units in which a language model adds"))
    starred = part.split("the same, starred: in each unit the best subset on test data")[1]
    assert starred.split("the model alone")[0].count("whose size was not measured: no evidence") == 1
    assert "means over seeds: no count of a test, so no evidence" in part


def test_a_count_is_significant_by_its_measured_size_alone(tmp_path):
    def kept(given):
        for null in given["sizes"]["pereira"]["contiguous"].values():
            null["nested"]["row"] |= {"raw": 0.03, "family": 0.02}

    part = text_of(table_of(section_of(changed(tmp_path, kept), FINDINGS), "units in which a language model adds"))
    said = [each for each in part.split("all networks: ") if ": significant" in each]
    assert len(said) == 1  # of LLM, plain; what was chosen on test data is not, nor a set's mean


@pytest.mark.long
def test_bars_of_time_are_of_the_chosen_width_and_the_models(tmp_path):
    drawn = sheet(outputs.TIME)
    axes = drawn.figure.axes[0]
    assert bars(axes, ORANGE) == [0.0951] * 3 and bars(axes, BLUE) == [0.1021] * 3 and bars(axes, GREEN) == [0.1382] * 3
    assert "minilm: OASM 93.1 %" in words(drawn) and any(
        "Simulated recordings (OURS)." in text for text in words(drawn)
    )


def test_starred_bars_have_the_nested_choice_and_the_correlation():
    drawn = sheet(outputs.STARRED)
    axes = drawn.figure.axes[0]
    assert bars(axes, BLUE) == [0.0281, 0.0281] and bars(axes, ORANGE) == [0.0361, 0.0361]
    nested = [float(line.get_xdata()[0]) for line in axes.lines if line.get_marker() == "D"]
    assert nested == [0.0222, 0.0307] * 2 and words(drawn).count("r = 0.942, 0.942, row by row") == 6


def test_what_a_model_adds_has_a_dot_for_each_participant(tmp_path):
    basis = BrainRun.of(run.params(groups=run.GROUPS), {})
    inputs = run.measured(tmp_path)
    path = inputs["fits"] / rows.part_name(0)
    made = arrays.read_all(path)
    made["SP+SL+LLM.mse"] = np.tile(np.linspace(0.9, 0.5, 400), (3, 1))
    arrays.write_all(path, made)
    with charts.drawing():
        axes = DRAWN_OF_UNITS[outputs.ADDED](basis, measured(basis, inputs)).figure.axes[0]
    r2 = np.linspace(0.1, 0.5, 400)
    r2[-1] = 0  # what does not vary counts as 0
    people = [r2[at * 100 : at * 100 + 100][np.arange(at * 100, at * 100 + 100) % 3 == 0].mean() for at in range(4)]
    dots = [list(line.get_xdata()) for line in axes.lines if line.get_marker() == "o" and len(line.get_xdata()) == 4]
    assert any(each == pytest.approx(people) for each in dots)
    assert bars(axes, ORANGE) == pytest.approx([np.mean(people)], abs=1e-5)


def test_networks_stand_in_the_papers_order_on_one_axis():
    given = run.documents()
    own = given["performance"]["datasets"][run.DEFAULT]["splits"]["contiguous"]
    for layer, r2 in ((0, 0.02), (3, 0.05), (6, 0.04)):
        own[f"minilm@{layer}"]["networks"]["auditory"] = {"r2": r2 / 10, "units": 9}
    own["u0@0"] = run.scored(0.01)
    own["u0@3"] = run.scored(0.02)
    drawn = sheet(outputs.NETWORKS, given)
    titles = [text for text in words(drawn) if " in drift" in text]
    assert [text.split()[0] for text in titles] == ["language", "DMN", "auditory"] and titles[2].endswith("9 units")
    first, _, third = drawn.figure.axes[:3]
    assert first.get_ylim() == third.get_ylim()
    lines = {tuple(line.get_ydata()): line.get_linestyle() for line in first.lines if line.get_marker() == "o"}
    assert lines[0.01, 0.02] == "--"
    assert [float(each) for each in third.lines[1].get_ydata()] == pytest.approx([0.002, 0.005, 0.004])
    assert "u-untrained" in [text.get_text() for text in drawn.figure.legends[0].get_texts()]


def test_a_seed_has_the_score_of_its_best_layer_and_the_mean_stands_last():
    axes = sheet(outputs.SEEDS).figure.axes[0]
    assert bars(axes, BLUE) == [0.0411, 0.0415, 0.0413]
    assert [float(line.get_xdata()[0]) for line in axes.lines if line.get_marker() == "D"] == [0.0207] * 2


def test_the_nested_choice_stands_where_most_folds_chose():
    drawn = sheet(outputs.SIGMAS)
    marks = [tuple(map(float, (*line.get_xdata(), *line.get_ydata()))) for line in drawn.figure.axes[0].lines
             if line.get_marker() == "D"]  # fmt: skip
    level = run.LEVEL[run.DEFAULT]
    assert [at for at, _ in marks] == [2.2, 2.2]
    assert sorted(value for _, value in marks) == pytest.approx(sorted(0.8 * each for each in level.values()))


def test_length_is_drawn_for_sums_and_means_from_least_to_most():
    axes = sheet(outputs.LENGTH).figure.axes[0]
    assert bars(axes, ORANGE) == [0.911, -0.02, -0.01, 0.947, 0.783]
    assert [0.911, 0.946] in [list(line.get_xdata()) for line in axes.lines]


def test_the_check_of_lengths_stands_with_lengths_dealt_out(whole):
    part = text_of(section_of(whole, "Position and length"))
    assert "GELU, without positions 0.911 0.946 0.010 -0.082 0.018 -0.010" in part
    assert "layer 1 0.801 0.200 0.200 71.4 % 72.7 % 40.8 %" in part


def test_layers_by_seed_are_those_of_the_named_seeds(tmp_path):
    def reorder(given):
        own = given["choices"][run.DEFAULT]["untrained"]["contiguous"]["u-untrained"]
        own |= {"seeds": ["u9", "u10"], "layers": [7, 1], "r2_by_seed": {"u10": 0.01, "u9": 0.07}}

    part = text_of(section_of(changed(tmp_path, reorder), "Which layer, which width"))
    assert "Seed Best layer R2, published u9 7 0.0700 u10 1 0.0100" in part


@pytest.mark.parametrize(("world", "told"), [("", True), ("topic", False)])
def test_the_papers_counts_stand_beside_real_recordings_alone(tmp_path, world, told):
    facts = {name: {"world": world, "layout": "pereira"} for name in run.WORLDS}
    text = text_of(run.written(tmp_path, run.documents(), datasets=facts))
    assert ("EXP1 (384 rows) layer 0 six times" in text) == told
    assert ("What the paper counted is not expected of simulated recordings." in text) != told
    assert ("Glass brains: they need the place of every voxel" in text) != told


def test_an_empty_figure_is_left_out_of_the_page_and_named(tmp_path):
    path = tmp_path / "figure-maps.svg"
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg"><text>{NOTHING}</text></svg>')
    html = run.written(tmp_path, run.documents(), {path.name: path})
    assert "shown-figure-maps" not in html and "the figure figure-maps" in text_of(html).replace("`", "")


@pytest.mark.exhaustive
@pytest.mark.parametrize("value", drawn(["text", [1], {"r2": {"missing": "x"}, "seeds": 3, "layers": [0]}], 1, 3))
def test_findings_of_another_shape_leave_parts_out(tmp_path, value):
    given = run.documents()
    spoilt = {key: {"contiguous": value, "shuffled": value, "SP+SL": value} for key in language_model("m")}
    given["findings"] = {run.DEFAULT: {"minilm": spoilt, "LLM": value, "u": dict.fromkeys(spoilt, value)}}
    given["length_check"] = {"variants": {"gelu": value, "other": {"sum": value}}, "account": {"1": value}, "sizes": 3}
    for split in ("contiguous", "shuffled"):
        given["choices"][run.DEFAULT]["untrained"][split] = {"s": value, "t": {"seeds": value, "r2_by_seed": value}}
    assert "What this rests on" in text_of(run.written(tmp_path, given))
    for stem in (outputs.TIME, outputs.STARRED, outputs.SEEDS, outputs.NETWORKS, outputs.LENGTH):
        assert outputs.TITLES[stem] in words(sheet(stem, copy.deepcopy(given)))


def test_hostile_names_of_findings_are_text(tmp_path):
    own = found()["minilm"]
    own["table"][run.HOSTILE] = {**own["table"]["SP+SL"], "model": run.HOSTILE}
    own["subsets"][run.HOSTILE] = 0.1
    own["alone"]["contiguous"]["model"] = run.HOSTILE
    lengths = {"variants": {run.HOSTILE: {}}, "account": {run.HOSTILE: {"spread": run.HOSTILE}}}
    given = {"findings": {run.DEFAULT: {run.HOSTILE: own}}, "length_check": lengths}
    html = run.written(tmp_path, given)
    assert "\u202e" not in html and "<b>&" not in html and "&lt;b&gt;" in html
    for stem in (outputs.TIME, outputs.STARRED, outputs.LENGTH):
        assert not any("\u202e" in text for text in words(sheet(stem, given)))


@pytest.mark.long
def test_every_document_may_be_absent(tmp_path):
    for name in DOCUMENTS:
        given = {key: own for key, own in run.documents().items() if key != name}
        assert f"the document {name}" in text_of(run.written(tmp_path / name, given))
