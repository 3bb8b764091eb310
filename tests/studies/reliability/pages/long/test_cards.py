"""Cards and the page of a run: every value beside what it must be read with, in pages that no data can break."""

import re

import pytest
import support_reliability_documents as made

from harness import rows
from harness.kit import pages
from harness.studies.reliability.pages import cards, figures, outputs, report

pytestmark = pytest.mark.together  # they share the figures of `ten`


def pages_of(folder, models, given, figures_in=None, **params):
    """Write the cards and the page of some documents into `out`; gives them read strictly, by name."""
    out, params, inputs = made.empty(folder / "out"), {"models": models, **params}, made.laid(folder / "in", given)
    cards.write(params, inputs, out)
    report.write(params, inputs | {path.name: path for path in figures_in.glob("*.svg")} if figures_in else inputs, out)
    names = outputs.cards(models)
    assert {path.name for path in out.iterdir()} == {*names, outputs.REPORT}
    return {path.name: made.Reader(path.read_text("utf-8"), names) for path in out.iterdir()}


@pytest.fixture
def written(tmp_path):
    """Write pages, with figures drawn of the same documents where that is asked for."""

    def write(models, given, *, drawn=False, **params):
        shown = None
        if drawn:
            shown = made.empty(tmp_path / "figures")
            figures.draw({"models": models, **params}, made.laid(tmp_path / "given", given), shown)
            assert sorted(path.name for path in shown.iterdir()) == sorted(outputs.figures(models))
        return pages_of(tmp_path, models, given, shown, **params)

    return write


@pytest.fixture(scope="module")
def whole(tmp_path_factory, ten):
    """Give the folder of the pages of ten models on five benchmarks with all their figures, and the page as read."""
    folder = tmp_path_factory.mktemp("whole")
    return folder / "out", pages_of(folder, made.TEN, made.documents(made.TEN), ten)["report.html"]


def test_a_card_shows_values_with_intervals_and_their_companions(written):
    given = made.documents(made.TEN)
    entry = given["indicators"]["benchmarks"]["addition"]["base-7b"]
    entry["correctness_proportion"] = {"value": 12.34, "interval": [10.2, 15.0]}
    card = written(made.TEN, given)["card-base-7b.html"]
    assert "12.3 [10.2, 15.0] " in card.cells
    for each in (
        "Prudence is not accuracy", "Never publish the six numbers without the breakdowns", "Family: Base ; raw",
        "training compute, FLOPs: 4.02e22", "OURS-v1", "Difficulty uncalibrated", "2,000 resamples of instances",
        "Simulated respondents: no person took part", "not a replication", "science", "obqa", "gpqa",
        "target word only", "true target kept", "no safe region", "22 to 41 %",
    ):  # fmt: skip
        assert each in card.text, each
    assert card.cells.count("20 ") == 5 and card.cells.count("79 ") == 5  # epistemic, non-conforming
    assert "6.7 " in card.cells and "66.7 " in card.cells  # the noise floor, the flat curve
    assert card.seen >= {"main", "header", "h1", "h2", "table", "caption", "svg"}


def test_what_a_run_rests_on_is_said_as_it_is(written):
    given = made.documents(made.ONE, simulated=False, calibrated=True)
    for reader in written(made.ONE, given, planted=True, imported=list(made.BENCHMARKS)).values():
        assert "Planted contrast, no claim" in reader.text
        assert "Answers of people who took part" in reader.text and "imulated" not in reader.text
        assert "on the published dataset" in reader.text and "replication" not in reader.text
        assert "Difficulty calibrated" in reader.text and "uncalibrated" not in reader.text


@pytest.mark.parametrize("imported", [[], ["locality"], ["anagram", "addition"], [*made.BENCHMARKS]])
def test_what_comes_from_the_published_dataset_is_named(written, imported):
    for reader in written(made.ONE, made.documents(made.ONE), imported=imported).values():
        every, some = imported == [*made.BENCHMARKS], 0 < len(imported) < 5
        assert ("a re-implementation with data and wordings of its own, not a replication." in reader.text) is not every
        assert ("(2024), on the published dataset, imported by whoever may use it." in reader.text) is every
        named = f"From the published dataset, imported by whoever may use it: {', '.join(sorted(imported))}."
        assert (named in reader.text) is some
        assert ("published dataset" in reader.text) is bool(imported)


@pytest.mark.parametrize(("parameters", "shown"), [("6700000000", "6,700,000,000"), ("7b", "7b"), ("1.5", "1.5")])
def test_a_card_says_how_many_parameters_a_model_has(written, parameters, shown):
    models = {"lonely": {**made.ONE["lonely"], "parameters": parameters}}
    assert f"; parameters: {shown} ." in written(models, made.documents(models))["card-lonely.html"].text


def test_degenerate_values_and_intervals_beside_their_value_are_marked(written):
    given = made.documents(made.ONE)
    mean, alike = given["indicators"]["models"]["lonely"], given["indicators"]["benchmarks"]["addition"]["lonely"]
    undefined = {"missing": "undefined in 60 of 60 resamples"}
    alike["prudence_stability"] = {"value": 100.0, "interval": undefined, "degenerate": True}
    mean["prudence_stability"] = {"value": 12.3, "interval": [10.0, 15.0], "undefined_resamples": 17, "benchmarks": 5}
    mean["prudence_proportion"] = {"value": 45.6, "interval": [46.7, 50.0], "benchmarks": 5}
    mean["correct"] = {"value": 0.777, "interval": [0.5, 0.7], "benchmarks": 5}
    for reader in written(made.ONE, given).values():
        for cell in (
            "100.0 † no interval undefined in 60 of 60 resamples ", "12.3 [10.0, 15.0] undefined: 17 ",
            "45.6 ‡ [46.7, 50.0] ", "77.7 % ‡ [50.0, 70.0] ",
        ):  # fmt: skip
            assert reader.cells.count(cell) == 1
        for each in (
            "‡ the interval lies beside the value",
            "† degenerate: so by definition alone",
            "undefined: in so",
        ):
            assert each in reader.text


def test_heads_of_means_name_their_benchmarks_and_notes_say_why_not_others(written):
    given = made.documents(made.TEN)
    why = {"locality": {"base-7b": "never correct"}}
    part = {"over": ["addition", "science"], "left_out": why, "dropped": {"hosted-2": "defined on 1 of 5 benchmarks"}}
    empty = {"over": [], "left_out": why, "dropped": {}}
    given["indicators"]["means"] |= {"correctness_stability": part, "correctness_concordance": empty}
    found = written(made.TEN, given)
    for reader in (found["report.html"], found["card-oracle.html"]):
        assert "Correctness stability addition, science " in reader.cells
        assert "Correctness concordance no benchmark " in reader.cells
        assert f"Prudence stability {', '.join(made.BENCHMARKS)} " in reader.cells
        assert "Correctness stability, Correctness concordance: locality is left out ( base-7b never" in reader.text
        assert "Correctness stability: hosted-2 has no mean: defined on 1 of 5 benchmarks." in reader.text
    assert "Stand-ins, apart: they choose no benchmark." in found["report.html"].text


def test_raw_and_shaped_stand_side_by_side_over_their_own_benchmarks(written):
    models = {**made.ONE, "tuned": {**made.model("Base", "true"), "raw_twin": "lonely"}}
    given = made.documents(models)
    side = {name: {"value": 41.5, "interval": [40.5, 42.5], "over": ["anagram"]} for name in made.VALUES}
    less = {name: {**each, "difference": {"value": -3.25, "interval": [-4.0, -2.0]}} for name, each in side.items()}
    given["indicators"]["pairs"] = {"lonely": {"tuned": less}, "tuned": {"lonely": side}}
    report = written(models, given)["report.html"]
    assert report.cells.count("41.5 [40.5, 42.5] ") == 12 and report.cells.count("-3.2 [-4.0, -2.0] ") == 6
    assert report.cells.count("Prudence stability anagram ") == 1
    assert "never ranked against each other" in report.text


def test_the_page_holds_every_part_of_the_report(whole):
    _, report = whole
    assert "Planted" not in report.text
    for each in (
        "a re-implementation with data and wordings of its own, not a replication", "All together: pass",
        "always right", "Six indicators", "Wrong if not right: i / (a + i)", "science: obqa", "science: gpqa",
        "anagram: target word only",
        "locality: true target kept", "base-13b against refuser", "1 of 15", "-12.0", "0.0005", "-0.0794",
        "Left out, as stand-ins or since compute or tuning is not known: 4 models.", "f_cry",
        "incorrect → correct, of incorrect",
        "Agreement of the newest rules with labels by hand", "SIMULATED RESPONDENTS", "0.25 on science",
    ):  # fmt: skip
        assert each in report.text, each
    assert set(outputs.cards(made.TEN)) <= set(report.links)
    assert {f"shown-{stem}" for stem in outputs.TITLES} <= set(report.ids)


def test_figures_on_one_page_share_no_id_and_point_only_inside(whole):
    text = (whole[0] / "report.html").read_text("utf-8")
    pieces = re.findall(r"<figure id=\"shown-([\w.-]+)\"[^>]*>(.*?)</figure>", text, re.DOTALL)
    assert [name for name, _ in pieces] == list(outputs.TITLES)
    for name, svg in pieces:
        used = set(re.findall(r"url\(#([\w.-]+)\)|<use href=\"#([\w.-]+)\"", svg))
        targets = {one or other for one, other in used}
        assert (
            targets
            and targets == set(re.findall(r" id=\"([\w.-]+)\"", svg))
            and all(t.startswith(name) for t in targets)
        )


@pytest.mark.parametrize(
    ("models", "how"),
    [
        (made.ONE, lambda given: given), (made.ONE, made.emptied), (made.ONE, lambda _: {}),
        (made.HOSTILE, made.emptied), (made.HOSTILE, lambda _: {}), ({}, lambda _: {}),
    ],
)  # fmt: skip
def test_missing_values_and_absent_documents_break_no_figure_and_no_page(written, tmp_path, models, how):
    given = made.documents(models, benchmarks=("anagram", "science")) if models else {}
    assert len(written(models, how(given), drawn=True)) == len(models) + 1
    for path in (tmp_path / "figures").glob("*.svg"):
        made.words(path.read_bytes())


def test_a_hostile_name_is_shown_as_text_in_figures_and_on_pages(written, tmp_path):
    found = written(made.HOSTILE, made.documents(made.HOSTILE, benchmarks=("addition",)), drawn=True)
    report = found["report.html"]
    assert "<script>alert(1)</script>" in report.text and "]]>&amp;\"'" in report.text
    assert "\u202e" not in report.text and "\x00" not in report.text and "m" * 101 not in report.text
    assert all(re.fullmatch(r"card-[a-z0-9._-]{1,75}\.html", name) for name in found if name != "report.html")
    first, second = (made.words((tmp_path / "figures" / f"figure-{n}.svg").read_bytes()) for n in (1, 2))
    assert "<script>alert(1)</script>" in first and "]]>&amp;\"'" in second
    assert "\u202e" not in first and "m" * 40 not in first


def test_a_model_of_which_nothing_was_scored_has_a_card_that_says_so(written):
    given = made.documents(made.ONE, benchmarks=())
    found = written({**made.ONE, "silent": made.model("Base")}, given)
    assert "No response of this model was scored." in found["card-silent.html"].text
    assert "Nothing was scored." in found["report.html"].text


def test_a_failed_check_and_an_adversarial_stand_in_are_shown(written):
    given = made.documents(made.TEN)
    row = {"correct": 0.25, "n": 8, "errors": 1, "expected": None, "adversarial": True, "verdict": "reported"}
    given["checks"] = {"verdict": "fail", "benchmarks": {"addition": {
        "shotgun": row, "oracle": {**row, "expected": "all", "verdict": "fail"},
        "base-7b": {**row, "adversarial": False},
    }}}  # fmt: skip
    report = written(made.TEN, given)["report.html"]
    assert "All together: fail" in report.text
    assert report.cells.count("25.00 % ") == 2 and "shotgun " in report.cells


def test_what_an_analysis_should_not_hold_is_not_shown(written):
    given = made.documents(made.ONE)
    for document in given.values():
        document |= {"question": "SECRET", "text": "SECRET", "response": "SECRET"}
    given["proportions"]["benchmarks"]["addition"]["lonely"]["bins"][0]["question"] = "SECRET"
    assert all("SECRET" not in reader.text for reader in written(made.ONE, given).values())


def test_two_writings_are_the_same_bytes(tmp_path):
    inputs = made.laid(tmp_path / "in", made.documents(made.TEN))
    for name in "ab":
        (tmp_path / name).mkdir()
        cards.write({"models": made.TEN}, inputs, tmp_path / name)
        report.write({"models": made.TEN}, inputs, tmp_path / name)
    for name in (*outputs.cards(made.TEN), outputs.REPORT):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_names_are_known_before_anything_is_computed():
    assert outputs.cards({"a": {}, "b.c_d-1": {}}) == ("card-a.html", "card-b.c_d-1.html")
    assert len(set(outputs.cards({"A": {}, "a": {}, "a/": {}, "": {}}))) == 4


def test_pages_hold_only_what_the_policy_allows(written, tmp_path):
    written(made.ONE, made.documents(made.ONE, benchmarks=("addition",)), drawn=True)
    for path in (tmp_path / "out").iterdir():
        text = path.read_text("utf-8")
        assert text.count("Content-Security-Policy") == 1 and text.count("<style>") == 1 and pages.STYLE in text
        assert " style=" not in text and "http://" not in text and "https://" not in text


def labels(item, model, benchmark, subset, difficulty, found):
    avoidance = {"ethical": 0, "epistemic": found.count("a"), "non_conforming": 0}
    row = {"model": model, "item": item, "benchmark": benchmark, "subset": subset, "difficulty": difficulty}
    return {
        **row,
        "calibrated": False,
        "labels": found,
        "avoidance": avoidance,
        "truncated": 0,
        "errors": found.count("-"),
    }


def test_what_the_analyses_write_is_shown(written, tmp_path):
    from harness.studies.reliability.measures import breakdowns, indicators, paired, proportions, scaling, sensitivity

    models = {name: made.TEN[name] for name in ("base-7b", "base-7b-chat", "base-13b", "oracle")}
    table = [
        labels(
            f"{subset}-{item:05d}",
            model,
            benchmark,
            subset,
            5.0 * item,
            ("cc" if model == "oracle" else "cai-"[item % 3 :])[:2],
        )
        for benchmark, subset in (("addition", "addition"), ("science", "gpqa"), ("science", "obqa"))
        for item in range(12)
        for model in sorted(models)
    ]
    rows.write(tmp_path / "labels", table)
    rows.write_one(tmp_path / "templates", {"addition": [1, 2], "science": [1, 2]})
    params = {
        "models": models, "bins": 6, "resamples": 20, "seed": 3, "rule_set": "OURS-v1", "discount": {"science": "0.25"},
        "pairs": [["base-7b", "base-7b-chat"]],
    }  # fmt: skip
    inputs = {name: tmp_path / name for name in ("labels", "templates")}
    for analysis in (proportions, indicators, sensitivity, breakdowns, paired, scaling):
        analysis.analyse(params, inputs, tmp_path)
    names = ("proportions", "indicators", "sensitivity", "breakdowns", "comparisons", "scaling")
    given = {name: next(iter(rows.read(tmp_path / name))) for name in names}
    found = written(models, given, drawn=True)
    report, card = found["report.html"], found["card-oracle.html"]
    # The oracle: stability and concordance on addition; stability alone where guessing is taken off. No mean is marked.
    assert len([cell for cell in report.cells if "†" in cell]) == 4 + 3 * 2
    assert "20 resamples of instances" in report.text and "science: obqa" in report.text
    assert "base-7b against base-7b-chat" in report.text and "Slope a decade" in report.text
    assert "100.0 † no interval undefined in 20 of 20 resamples " in card.cells and "55 (6 bins) " in card.cells
