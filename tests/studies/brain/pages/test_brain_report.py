"""The page of a run: what a run is stands first, every value is its document's, and no data can break it."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from studies.brain.pages import sample_run as run
from studies.curie.pages.page_text import read, row_of, section_of, text_of

from harness.kit import pages
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.captions import CAPTIONS
from harness.studies.brain.pages.run_basis import DOCUMENTS

pytestmark = pytest.mark.together  # they share one page
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text x="1" y="2">drawn</text><script>x</script></svg>'
TITLES = [
    "Shuffled against contiguous splits", "Findings by data set", "Scores", "Which layer, which width",
    "Network by network", "Subsets and starred models", "Omega", "Unit by unit", "Tests, and what they are worth",
    "Position and length", "What this rests on",
]  # fmt: skip
DASH = "\N{EN DASH}"


def svgs(folder):
    paths = {f"{stem}.svg": folder / f"{stem}.svg" for stem in outputs.stems()}
    for path in paths.values():
        path.write_text(SVG)
    return paths


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Give the page of the whole run, with a drawing for every figure."""
    folder = tmp_path_factory.mktemp("whole")
    return run.written(folder, run.documents(), svgs(folder))


@pytest.fixture
def page(tmp_path):
    """Write a page of some documents, changed; gives its HTML."""

    def write(change=None, names=DOCUMENTS, **asked):
        given = {name: document for name, document in run.documents().items() if name in names}
        if change:
            change(given)
        return run.written(tmp_path, given, **asked)

    return write


def test_the_page_is_valid_and_holds_every_part_both_worlds_first(whole):
    reader = read(whole)
    assert re.findall(r"<h2[^>]*>(.*?)</h2>", whole) == TITLES
    assert {f"shown-{stem}" for stem in outputs.stems()} <= set(reader.ids)
    assert "Left out, since" not in reader.text


def test_the_page_says_first_that_recordings_are_simulated(whole):
    before = text_of(whole[: whole.index("<main>")])
    assert "on simulated recordings (OURS): not a replication." in before
    assert "No recording of the paper was used, and no score of this page is the paper's." in before
    assert "Generation P: as the paper computes." in before


def test_a_run_of_given_recordings_is_not_called_a_simulation(page):
    facts = {run.DEFAULT: {"world": "", "layout": "pereira"}, run.TOPIC: {"world": "topic", "layout": "pereira"}}
    text = text_of(page(datasets=facts, generation="H"))
    assert "Every recording here is simulated" not in text and "on recordings that this run was given" in text
    assert "Generation H: as the published code's later version computes." in text


def test_a_model_that_nothing_trained_is_called_so_with_its_seed(page):
    models = {"minilm": {"provider": "transformers"}, "drawn": {"provider": "transformers", "untrained": 0}}
    text = text_of(page(models=models))
    assert text.count("untrained: its weights are drawn from the seed") == 1
    assert re.search(r"drawn\W+untrained: its weights are drawn from the seed 0", text)


def test_a_run_of_one_world_says_that_it_does_not_show_both(page, whole):
    facts = {run.DEFAULT: {"world": "default", "layout": "pereira"}}
    told = "This run has one of the two worlds"
    assert told in text_of(page(datasets=facts)) and told not in text_of(whole)


def test_changed_weights_of_a_world_are_told(page, whole):
    facts: dict[str, Any] = {name: {"world": world, "layout": "pereira"} for name, world in run.WORLDS.items()}
    facts[run.DEFAULT]["weights"] = {"context": "0.6", "slow": "0"}
    text = text_of(page(datasets=facts))
    assert "changed: context 0.6, slow 0" in " ".join(text.split()) and "holds at its published weights" in text
    assert "changed weights of the simulation" not in text_of(whole)


def test_blocks_and_folds_are_ours_and_rows_as_published(whole):
    text = text_of(whole)
    assert "row, as published" in text and "block (OURS)" in text and "fold (OURS)" in text


def test_data_sets_may_come_as_a_list_as_measures_take_them(page):
    listed = [{"dataset": name, "world": world, "layout": "pereira"} for name, world in run.WORLDS.items()]
    assert "drift (world: default)" in text_of(page(datasets=listed))


def test_the_caption_of_both_worlds_says_what_is_not_proven(whole):
    text = text_of(section_of(whole, TITLES[0]))
    assert "Contiguous splits alone separate the worlds." in text
    assert "sufficient, not proof about real data" in text


def test_no_words_of_the_page_infer_nuisance_from_shuffled_scores(whole):
    said = [sentence for sentence in text_of(whole).split(". ") if "nuisance" in sentence]
    assert len(said) == 2 and all("nothing" in sentence for sentence in said)


def test_a_row_of_scores_has_both_splits_with_null_units(whole):
    own = run.performance()["datasets"][run.DEFAULT]["splits"]
    row = row_of(whole, "Scores", "LLM ")
    shown = [f"{own[split]['LLM'][name]:.4f}" for split in ("contiguous", "shuffled") for name in ("r2", "pearson")]
    assert row == f"LLM {shown[0]} {shown[1]} 0 0.0011 48 units {shown[2]} {shown[3]} 0 0.0011 48 units"


def test_the_chosen_layer_stands_in_the_table_and_others_are_folded(whole):
    before, _, folded = section_of(whole, "Scores").partition("All other layers and widths")
    assert "minilm@6" in before and "minilm@3" not in before and "OASM@1.0" not in before
    assert "minilm@3" in folded and "OASM@1.0" in folded


def test_a_participant_has_r_and_units_below_the_score(whole):
    own = run.performance()["datasets"][run.DEFAULT]["splits"]["contiguous"]["WORD"]["participants"]["p2"]
    assert f"{own['r2']:.4f} r {own['pearson']:.3f}, 32 units" in text_of(section_of(whole, "Scores"))


@pytest.mark.parametrize(
    ("value", "reason"),
    [(None, "not computed"), ("nan", "undefined"), ("-inf", "no finite number: there was nothing to predict"),
     ({"missing": "no fold"}, "no fold")],
)  # fmt: skip
def test_a_missing_score_is_a_dash_with_its_reason(page, value, reason):
    def spoil(given):
        given["performance"]["datasets"][run.DEFAULT]["splits"]["contiguous"]["WORD"]["r2"] = value

    assert row_of(page(spoil), "Scores", "WORD").startswith(f"WORD {DASH} {reason} ")


def test_degenerate_units_and_left_out_participants_are_told(page):
    def spoil(given):
        own = given["performance"]["datasets"][run.DEFAULT]["splits"]["contiguous"]["WORD"]
        own |= {"degenerate": 7, "left_out": ["p3", "p4"]}
        del own["null"]

    assert re.match(rf"WORD \S+ left out: p3 , p4 \S+ 7 {DASH} none marked", row_of(page(spoil), "Scores", "WORD"))


def test_a_model_that_one_split_lacks_is_said_not_to_be_fitted(page):
    def spoil(given):
        del given["performance"]["datasets"][run.DEFAULT]["splits"]["shuffled"]["WORD"]

    assert row_of(page(spoil), "Scores", "WORD").endswith(f"{DASH} not fitted {DASH} {DASH} {DASH}")


def test_the_published_choice_stands_beside_the_nested_one(whole):
    row = row_of(whole, "Which layer, which width", "minilm , shuffled")
    assert row == "minilm , shuffled 0.0900 minilm@6 0.0720 minilm@3 , minilm@0 3 2"


def test_near_ties_are_counted_beside_all_choices_and_the_first_are_named(whole):
    assert row_of(whole, "Which layer, which width", "shuffled") == "shuffled 1 1,234 4 14"
    text = text_of(section_of(whole, "Which layer, which width"))
    assert "Scores within 0.00012 of the best are equal" in text and f"SP+SL shuffled {DASH} 3 17" in text


def test_correlations_stand_with_and_without_layer_0_and_no_p_value(whole):
    text = text_of(section_of(whole, "Which layer, which width"))
    assert f"minilm all 3 -0.930 -0.880 0.740 {DASH} not computed" in text
    assert f"minilm without layer 0 3 {DASH} not computed -0.880 0.740" in text
    assert "so no p-value stands here" in text


def test_a_starred_model_shows_its_subsets_and_the_nested_value(whole):
    assert row_of(whole, "Subsets and starred models", "SP+SL* , shuffled").startswith(
        f"SP+SL* , shuffled 3 0.0688 0.0601 0.0610 SP+SL {DASH} stands alone"
    )
    row = row_of(whole, "Subsets and starred models", "SP+SL+LLM* , shuffled")
    assert row.endswith(f"3 of 4 0.0921 0.0701 0.0610 SP+SL 33.9 % {DASH} nothing above 0 to compare with 2")


def test_omega_stands_with_and_without_participants_of_no_score(whole):
    row = row_of(whole, "Omega", "OASM@2.2 against LLM , shuffled")
    assert row == "OASM@2.2 against LLM , shuffled OASM@2.2+LLM 69.4 58.2 1 1 p9"
    assert "p1 OASM@2.2 against LLM, shuffled" in text_of(section_of(whole, "Omega"))


def test_every_count_of_a_test_has_the_measured_sizes_beside_it(whole):
    row = row_of(whole, "Tests, and what they are worth", "SP+SL+LLM against SP+SL")
    assert "row, as published 128 12 9.38 % null units: 2 of 16 4 3.12 % null units: 0 of 16" in row
    assert "1.1 % families: 0.5 % 22.9 % families: 11.5 %" in row and row.endswith("no evidence")


def test_significant_is_said_of_tests_that_keep_their_size_alone(whole):
    rows = [
        text_of(row)
        for row in re.findall(r"<tr>(.*?)</tr>", section_of(whole, "Tests, and what they are worth"), re.DOTALL)
    ]
    said = {" ".join(row.split(" 128 ")[0].split()[:3]) + row.split(" by the ")[1][:5] for row in rows
            if row.endswith(": significant")}  # fmt: skip
    assert said == {"SP+SL+LLM against SP+SLfold ", "LLM against interceptblock", "LLM against interceptfold "}


def test_without_sizes_nothing_is_significant(page):
    text = text_of(
        section_of(page(names=[name for name in DOCUMENTS if name != "sizes"]), "Tests, and what they are worth")
    )
    assert ": significant" not in text and "whose size was not measured: no evidence" in text
    assert f"{DASH} not measured" in text


def test_a_test_of_starred_models_has_no_measured_size(page):
    def add(given):
        row = {**given["tests"][run.DEFAULT]["contiguous"][0], "model": "SP+SL+m@best*", "against": "SP+SL*",
               "selected_from": {"SP+SL+m@best*": 4, "SP+SL*": 3}}  # fmt: skip
        given["tests"][run.DEFAULT]["contiguous"] = [row]

    part = section_of(page(add), "Tests, and what they are worth")
    rows = [text_of(row) for row in re.findall(r"<tr>(.*?)</tr>", part, re.DOTALL) if "SP+SL+m@best*" in row]
    told = [row for row in rows if "a layer or subset chosen on test data" in row and "not measured" in row]
    assert len(told) == 3 and all(row.endswith("whose size was not measured: no evidence") for row in told)


def test_sizes_stand_with_their_monte_carlo_error(whole):
    assert "pereira contiguous, exchangeable, nested row, as published 1.1 % ± 0.4 0.5 % ± 2.0 60 1,600" in text_of(
        whole
    )


def test_the_block_test_of_generation_h_stands_beside_ours(page):
    def add(given):
        row = given["tests"][run.DEFAULT]["contiguous"][0]
        row["misaligned_block"] = copy.deepcopy(row["levels"]["block"])

    assert "block, as the published code 128 12" in text_of(page(add))


def test_families_of_two_experiments_are_told_apart(page):
    def add(given):
        for family in given["tests"][run.DEFAULT]["contiguous"][0]["levels"]["row"]["families"]:
            family["experiment"] = "243"

    assert "p1 language, 243 32 3 1" in text_of(page(add))


@pytest.mark.parametrize(("name", "title"), [("omega", "Omega"), ("performance", "Scores")])
def test_a_part_without_its_document_is_left_out_and_named(page, name, title):
    html = page(names=[each for each in DOCUMENTS if each != name])
    said = re.search(r"Left out, since this run made nothing for it: ([^.]*)\.", text_of(html))
    assert said and title in said[1] and f"the document {name}" in said[1]
    assert title not in re.findall(r"<h2[^>]*>(.*?)</h2>", html)


def test_a_page_without_any_document_is_a_page(page):
    assert "What this rests on" in read(page(names=(), datasets={})).text


def test_hostile_names_are_text(tmp_path):
    given = run.documents()
    for name in [name for name in DOCUMENTS if name not in ("sizes", "length_check")]:
        place = given[name]["datasets"] if name == "performance" else given[name]
        place[run.HOSTILE] = place.pop(run.DEFAULT)
    splits = given["performance"]["datasets"][run.HOSTILE]["splits"]["contiguous"]
    splits[run.HOSTILE] = splits["WORD"]
    splits["LLM"]["participants"] = {run.HOSTILE: {"r2": run.HOSTILE, "pearson": {"missing": run.HOSTILE}, "units": 1}}
    given["stars"][run.HOSTILE]["contiguous"][0]["name"] = run.HOSTILE
    given["tests"][run.HOSTILE]["contiguous"][0]["model"] = run.HOSTILE
    given["omega"][run.HOSTILE]["shuffled"][0]["left_out"] = [run.HOSTILE]
    facts = {run.HOSTILE: {"world": run.HOSTILE, "layout": run.HOSTILE}, run.TOPIC: {"world": "topic"}}
    html = run.written(tmp_path, given, datasets=facts, generation=run.HOSTILE, models={run.HOSTILE: {}})
    assert read(html).text.count("<b>&\"'") >= 12
    assert "\u202e" not in html and "<b>" not in re.sub(r"<b>[A-Z]", "", html)


@pytest.mark.parametrize("value", ["text", 7, [], [1], {"curve": 3, "published": "x"}])
def test_documents_of_another_shape_leave_parts_out(tmp_path, value):
    given = {name: {run.DEFAULT: {"contiguous": value, "shuffled": {"OASM": value}}} for name in DOCUMENTS[1:]}
    given["performance"] = {"datasets": {run.DEFAULT: {"splits": {"contiguous": {"LLM": value}}}}}
    assert "What this rests on" in read(run.written(tmp_path, given)).text


def test_every_figure_has_a_caption_that_calls_nothing_significant():
    assert set(CAPTIONS) == set(outputs.stems())
    said = [caption for caption in CAPTIONS.values() if "significant" in caption]
    assert [caption.split("called significant ")[1] for caption in said] == ["nowhere here."]


def test_a_figure_is_sanitised_and_names_its_file(whole):
    assert whole.count("drawn</text>") == len(outputs.stems()) and "<script" not in whole
    assert "File: figure-worlds.svg" in text_of(whole)


def test_the_page_loads_nothing_and_runs_nothing(whole):
    assert whole.count("Content-Security-Policy") == 1 and pages.STYLE in whole
    assert " style=" not in whole and "http://" not in whole and "https://" not in whole


def test_two_writings_are_the_same_bytes(tmp_path, whole):
    assert run.written(tmp_path, run.documents(), svgs(tmp_path)) == whole


def test_untrained_models_stand_with_their_seeds_layers_and_mean(page):
    told = {"seeds": ["u0", "u1"], "layers": [0, 19], "r2": 0.0413, "r2_by_seed": {}, "left_out": [],
            "nested": {"r2": 0.0207, "left_out": ["u1"]}}  # fmt: skip

    def change(given):
        given["choices"][run.DEFAULT]["untrained"] = {"contiguous": {"u-untrained": told}}

    words = row_of(page(change), "Which layer, which width", "u-untrained")
    assert words == "u-untrained , contiguous u0 , u1 layer 0: 1 of 2 , layer 19: 1 of 2 0.0413 0.0207 u1"
