"""Two models on the same items: exact tests per wording, bootstrap and sign flips over items, nothing pooled."""

import numpy as np
import pytest

from harness import rows
from harness.errors import InputError
from harness.studies.reliability.measures.paired import PairedDraws, analyse, as_document, compare


def draws(size, count=400, seed=3):
    return PairedDraws.of({"": range(size)}, "x", seed, count)


def test_only_what_was_scored_for_both_is_compared_wording_by_wording():
    found = as_document(compare(["cc-", "ca-", "ici"], ["ci-", "icc", "iii"], [4, 5, 9], draws(3)))
    assert [(row["template"], row["a_only"], row["b_only"], row["n"]) for row in found["templates"]] == [
        (4, 1, 0, 3), (5, 2, 1, 3), (9, 0, 0, 1),
    ]  # fmt: skip
    assert (found["n_items"], found["n_pairs"]) == (3, 7)
    assert found["difference"]["value"] == pytest.approx((4 - 2) / 7)
    prudent = found["prudence"]  # `a` is prudent too
    assert [(row["a_only"], row["b_only"]) for row in prudent["templates"]] == [(1, 0), (2, 0), (0, 0)]
    assert prudent["difference"]["value"] == pytest.approx(3 / 7)


def test_the_bootstrap_resamples_items_with_all_their_wordings():
    # five items, each right in all ten wordings for one of the two: over items this proves little, over pairs much
    found = as_document(
        compare(["c" * 10] * 4 + ["i" * 10], ["i" * 10] * 4 + ["c" * 10], list(range(10)), draws(5, 2000))
    )
    low, high = found["difference"]["interval"]
    assert low == pytest.approx(-0.2, abs=0.01) and high == 1
    assert found["sign_flip_p"] == pytest.approx(12 / 32, abs=0.04)  # |sum| of five signs is at least 3 in 12 of 32


def test_sign_flips_agree_with_the_exact_distribution():
    a, b = ["ccc", "cci", "cii", "iii", "ccc", "ccc"], ["iii", "iii", "iii", "cii", "iii", "cii"]
    lead = np.array([3, 2, 1, -1, 3, 2])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 6)).reshape(6, -1)
    exact = (np.abs(lead @ signs) >= abs(lead.sum())).mean()
    assert as_document(compare(a, b, [1, 2, 3], draws(6, 5000)))["sign_flip_p"] == pytest.approx(exact, abs=0.02)


def test_the_test_over_items_keeps_its_level_where_wordings_are_alike():
    """Two equal models whose wordings of an item mostly agree: pooling over wordings would be wrong far more often."""
    source = np.random.default_rng(5)
    wrong = 0
    for _ in range(200):
        columns = []
        for _ in range(2):
            right = np.repeat(source.random((40, 1)) < 0.5, 15, axis=1) ^ (source.random((40, 15)) < 0.1)
            columns.append(["".join("c" if each else "i" for each in row) for row in right])
        wrong += as_document(compare(columns[0], columns[1], list(range(15)), draws(40, 200)))["sign_flip_p"] <= 0.05
    assert wrong / 200 < 0.1


def test_the_same_model_twice_differs_in_nothing():
    found = as_document(compare(["cai", "cci"], ["cai", "cci"], [1, 2, 3], draws(2)))
    assert found["difference"] == {"value": 0, "interval": [0, 0]}
    assert found["sign_flip_p"] == 1 and {row["p_holm"] for row in found["templates"]} == {1}


@pytest.mark.parametrize(("a", "b", "size"), [([], [], 0), (["--"], ["cc"], 1), (["c-"], ["-c"], 1)])
def test_nothing_scored_for_both_is_said(a, b, size):
    found = as_document(compare(a, b, [1, 2], draws(size)))
    assert found["degenerate"] is True
    assert "missing" in found["difference"]["value"] and "missing" in found["sign_flip_p"]


def test_one_item_has_a_difference_and_no_interval():
    found = as_document(compare(["cc"], ["ci"], [1, 2], draws(1)))
    assert (found["difference"]["value"], found["sign_flip_p"], found["degenerate"]) == (0.5, 1, True)
    assert "missing" in found["difference"]["interval"]


def test_one_item_a_subset_leaves_nothing_to_resample_and_says_so():
    apart = PairedDraws.of({"p": [0], "q": [1], "r": [2]}, "x", 3, 400)
    found = as_document(compare(["cc", "ci", "cc"], ["ci", "ii", "ii"], [1, 2], apart))
    assert (found["difference"]["value"], found["degenerate"]) == (4 / 6, True)
    assert "missing" in found["difference"]["interval"]


@pytest.fixture
def analysed(tmp_path):
    def run(labels, pairs, **params):
        table = [
            {"model": m, "item": f"{b}-{n}", "benchmark": b, "subset": s, "difficulty": n, "labels": text}
            for m, b, s, n, text in labels
        ]
        rows.write(tmp_path / "labels", table)
        rows.write_one(tmp_path / "templates", {"x": [7, 8], "y": [7, 8]})
        inputs = {"labels": tmp_path / "labels", "templates": tmp_path / "templates"}
        analyse({"pairs": pairs, "resamples": 200, "seed": 0, **params}, inputs, tmp_path)
        [found] = rows.read(tmp_path / "comparisons")
        return found

    return run


def columns(**models):
    return [
        (model, bench, "p" if bench == "x" and n % 2 else bench, n, text)
        for model, benches in models.items()
        for bench, texts in benches.items()
        for n, text in enumerate(texts)
    ]


def test_pairs_are_compared_by_benchmark_by_subset_and_overall(analysed):
    labels = columns(a={"x": ["cc", "ci", "cc"], "y": ["ci", "ii"]}, b={"x": ["ci", "ci", "ai"], "y": ["ii", "ii"]})
    [pair] = analysed(labels, [["a", "b"]])["pairs"]
    assert (pair["a"], pair["b"], list(pair["benchmarks"]), list(pair["parts"])) == (
        "a",
        "b",
        ["x", "y"],
        ["x:p", "x:x"],
    )
    x, y = (pair["benchmarks"][name]["difference"]["value"] for name in "xy")
    assert (x, y) == (3 / 6, 1 / 4)
    assert pair["overall"]["correctness"]["difference"]["value"] == pytest.approx((x + y) / 2)  # unweighted
    assert [row["template"] for row in pair["benchmarks"]["x"]["templates"]] == [7, 8]
    assert pair["parts"]["x:p"]["n_items"] == 1 and pair["parts"]["x:x"]["n_items"] == 2


def test_a_mean_over_benchmarks_of_which_one_has_a_single_item_has_no_interval(analysed):
    x = {"a": ["cc", "ci", "cc"], "b": ["ci", "ci", "ai"]}
    for y, told in (({"a": ["ci", "ii"], "b": ["ii", "ii"]}, True), ({"a": ["ci"], "b": ["ii"]}, False)):
        [pair] = analysed(columns(**{name: {"x": x[name], "y": y[name]} for name in "ab"}), [["a", "b"]])["pairs"]
        for measure in ("correctness", "prudence"):
            difference = pair["overall"][measure]["difference"]
            assert isinstance(difference["value"], float) and ("missing" not in difference["interval"]) is told


def test_a_benchmark_of_only_one_is_left_out_and_unknown_models_refused(analysed):
    labels = columns(a={"x": ["cc"], "y": ["cc"]}, b={"x": ["ii"]})
    [pair] = analysed(labels, [["a", "b"]])["pairs"]
    assert list(pair["benchmarks"]) == ["x"] and pair["overall"]["benchmarks"] == 1
    with pytest.raises(InputError, match="nobody"):
        analysed(labels, [["a", "nobody"]])


def test_the_order_of_rows_and_the_company_of_other_pairs_change_nothing(analysed):
    labels = columns(
        a={"x": ["cc", "ci", "ic", "ia"]}, b={"x": ["ci", "ii", "ac", "ii"]}, z={"x": ["cc", "cc", "cc", "cc"]}
    )
    alone = analysed(labels, [["a", "b"]])["pairs"]
    assert analysed(labels[::-1], [["z", "a"], ["a", "b"]])["pairs"][1:] == alone
    assert analysed(labels, [["a", "b"]], seed=1)["pairs"] != alone
    assert analysed(labels, [])["pairs"] == []
