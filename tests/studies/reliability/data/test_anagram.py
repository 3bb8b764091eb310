"""The anagram benchmark: its lists, its draws, its difficulty, its scores."""

import random
import re
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies.reliability.data.scoring import response, scores
from support_cases import each_of

from harness import rows
from harness.answers.anagram import anagram
from harness.answers.prepare import EPISTEMIC, ETHICAL
from harness.errors import InputError
from harness.models.providers.baseline import FORGERY, REFUSAL
from harness.studies.reliability.data.anagram import ShuffledWord, draw, facts, make, shuffled
from harness.studies.reliability.data.anagram_offline import likely_words
from harness.studies.reliability.data.anagram_words import SAID, letters, load
from harness.studies.reliability.scoring.anagram import score
from harness.studies.reliability.standalone.raw_difficulty import ANALYSES

pytestmark = pytest.mark.together
TABLES = ("items", "gold", "budgets", "counts")


@pytest.fixture
def made(tmp_path):
    def make_rows(params, **files):
        inputs = {}
        for name, text in files.items():
            inputs[name] = tmp_path / f"{name}.txt"
            inputs[name].write_bytes(text if isinstance(text, bytes) else text.encode())
        make(params, inputs, tmp_path)
        return [list(rows.read(tmp_path / name)) for name in TABLES]

    return make_rows


def spelled(number, length):
    """Write a number as a word of that length, in letters whose first is met nowhere else."""
    digits = []
    for _ in range(length - 1):
        number, digit = divmod(number, 7)
        digits.append("abcdefg"[digit])
    return "z" + "".join(digits)


# As many words a length as the published draw found: enough up to 16 letters, 170 for 17 to 20 together.
PUBLISHED = dict.fromkeys(range(4, 17), 150) | {3: 49, 17: 80, 18: 50, 19: 30, 20: 10}
# A length of 3 has 49 spellings of this kind; 81 more are written otherwise.
PUBLISHED_LIST = "".join(
    f"{spelled(number, length)}\t{1000 - number}\n" for length, count in PUBLISHED.items() for number in range(count)
) + "".join(f"y{a}{b}\t5\n" for a in "hijklmnop" for b in "hijklmnop")


@each_of(
    ("word", "shown", "f_let", "valid"),
    [("listen", "silent", 6, True), ("cat", "cat", 3, False), ("ab", "ba", 2, False), ("letter", "leter", 5, False),
     ("aab", "abb", 3, False), ("a" * 20 + "b", "b" + "a" * 20, 21, False), ("", "", 0, False)],
)  # fmt: skip
def test_an_anagram_is_the_words_3_to_20_letters_in_another_order(word, shown, f_let, valid):
    assert facts(word, shown) == {"f_let": f_let, "valid": valid}
    assert ANALYSES["reliability.anagram_validity"].run({"word": word, "anagram": shown}) == facts(word, shown)


@pytest.mark.parametrize("wrong", [None, 7, ["a"], "a" * 801])
def test_facts_refuse_what_is_no_word(wrong):
    with pytest.raises(InputError) as refused:
        facts("cat", wrong)
    assert refused.value.where == "anagram"
    with pytest.raises(InputError, match="missing"):
        ANALYSES["reliability.anagram_validity"].run({"word": "cat"})


def test_a_list_as_large_as_the_published_one_gives_the_published_counts(made):
    items, gold, budgets, [counts] = made({"seed": 7, "per_length": 100}, words=PUBLISHED_LIST)
    assert len(items) == len(gold) == len(budgets) == 1570
    found = counts["anagram"]
    assert (found["asked"], found["kept"], found["short"]) == (1800, 1570, 230)
    assert found["per_length"] == {str(n): 100 if n < 17 else PUBLISHED[n] for n in range(3, 21)}
    assert {row["max_tokens"] for row in budgets} == {72}


def test_every_item_is_a_valid_anagram_of_its_gold_and_shows_nothing_of_it(made):
    items, gold, budgets, _ = made({"seed": 7, "per_length": 10}, words=PUBLISHED_LIST)
    assert [row["id"] for row in items] == sorted(row["id"] for row in items)
    for item, answer, budget in zip(items, gold, budgets, strict=True):
        shown, target = item["input"]["anagram"], answer["gold"]["target"]
        assert item["id"] == answer["id"] == budget["id"]
        assert set(item) == {"id", "task", "input", "difficulty", "meta"}
        assert set(item["input"]) == {"anagram"}
        assert facts(target, shown) == {"f_let": len(target), "valid": True}
        assert item["meta"]["raw_difficulty"] == {"f_let": len(target)}
        assert target not in str(item)
        assert target in answer["gold"]["accepted"]
        assert shown not in answer["gold"]["accepted"]


def test_difficulty_is_the_rank_of_the_length_or_what_a_calibration_says(made):
    items, *_ = made({"seed": 7, "per_length": 10}, words=PUBLISHED_LIST)
    f_let = [row["meta"]["raw_difficulty"]["f_let"] for row in items]
    for item, value in zip(items, f_let, strict=True):
        rank = sum(other < value for other in f_let) + (f_let.count(value) + 1) / 2
        assert item["difficulty"] == pytest.approx(100 * (rank - 0.5) / len(items), abs=1e-9)
        assert (item["meta"]["calibration_id"], item["meta"]["calibrated"]) == ("rank", False)
    block = {"type": "calibration/1", "kind": "logistic2", "alpha": "-4", "beta": "0.5"}
    items, *_ = made({"seed": 7, "per_length": 1, "calibration": block}, words="listen\t5\n")
    assert items[0]["difficulty"] == pytest.approx(26.894142136999512, abs=1e-9)
    assert items[0]["meta"]["calibrated"] is True


def test_draws_depend_neither_on_the_lists_order_nor_on_other_lengths(made):
    lines = PUBLISHED_LIST.splitlines(keepends=True)
    first = made({"seed": 7, "per_length": 20}, words=PUBLISHED_LIST)
    random.Random(1).shuffle(lines)
    again = made({"seed": 7, "per_length": 20}, words="".join(lines))
    assert [row["input"] for row in again[0]] == [row["input"] for row in first[0]]
    assert again[1] == first[1]
    only = made({"seed": 7, "per_length": 20}, words="".join(line for line in lines if line.index("\t") == 9))
    nine = [row["input"] for row in first[0] if len(row["input"]["anagram"]) == 9]
    assert [row["input"] for row in only[0]] == nine
    other = made({"seed": 8, "per_length": 20}, words=PUBLISHED_LIST)
    assert [row["input"] for row in other[0]] != [row["input"] for row in first[0]]


def test_a_shuffle_is_made_from_its_own_seed_by_rejection_on_raw_bits():
    """The same letters from hashlib and random alone, so that no release moves a dataset unseen."""
    source = random.Random(int.from_bytes(sha256(b'[7,"anagram.shuffle","listen",0,0]').digest()[:8], "big"))

    def below(bound):
        while (value := source.getrandbits((bound - 1).bit_length()) if bound > 1 else 0) >= bound:
            pass
        return value

    rest = list("listen")
    assert shuffled(7, "listen") == "".join(rest.pop(below(len(rest))) for _ in range(6))


@given(st.integers(0, 2**53 - 1), st.text("abc", min_size=3, max_size=20).filter(lambda word: len(set(word)) > 1))
def test_a_shuffle_always_differs_from_its_word(seed, word):
    shown = shuffled(seed, word)
    assert facts(word, shown)["valid"]
    assert shuffled(seed, word) == shown


def test_a_word_of_one_letter_only_is_left_out_and_counted(made):
    _, gold, _, [counts] = made({"seed": 7, "per_length": 5}, words="aaa\t9\nlisten\t5\n")
    assert [row["gold"]["target"] for row in gold] == ["listen"]
    assert counts["anagram"]["words"]["all_letters_equal"] == 1
    with pytest.raises(InputError):
        shuffled(7, "aaa")


def test_each_word_of_the_same_letters_is_accepted_but_the_shown_one():
    words = dict.fromkeys(("lister", "litres", "tilers", "relist", "cat"), 1)
    for seed in range(40):
        for item in draw(seed, words, 10):
            same = sorted(word for word in words if letters(word) == letters(item.word))
            assert list(item.accepted) == [word for word in same if word != item.shown]
    two = list(draw(0, {"aab": 1, "aba": 1, "baa": 1}, 3))
    assert ShuffledWord("aab", two[0].shown, ()) not in two
    assert all(item.shown not in item.accepted and item.word in item.accepted for item in two)


@pytest.mark.parametrize(
    "text",
    ["word,count\nlisten,5\nsilent,3\n", "listen\t5\nsilent\t3\n", "\ufefflisten\t5\r\nsilent\t3\r\n\n",
     "listen,5\nListen,5\nl-sten,1\nsil3nt,1\nli,9\nsilent,3\n" + "a" * 21 + "b,3\n"],
)  # fmt: skip
def test_a_list_has_tabs_or_commas_and_only_lower_case_words_count(made, text):
    _, gold, _, [counts] = made({"seed": 7, "per_length": 5}, words=text)
    assert sorted(row["gold"]["target"] for row in gold) == ["listen", "silent"]
    assert counts["anagram"]["words"]["spelled"] == 2
    assert counts["anagram"]["filter"] == "none"
    assert counts["anagram"]["lists"] == {"words": {"source": "file", "sha256": sha256(text.encode()).hexdigest()}}


def test_a_dictionary_keeps_only_its_words_and_is_named_with_its_digest(made):
    known = "listen\ncat's\n tac\n"
    items, gold, _, [counts] = made({"seed": 7, "per_length": 5}, words="listen,5\nsilent,3\ntac,2\n", dictionary=known)
    assert {row["gold"]["target"] for row in gold} == {"listen", "tac"}
    found = counts["anagram"]
    assert (found["words"]["spelled"], found["words"]["filtered"], found["filter"]) == (3, 2, "dictionary")
    assert found["lists"]["dictionary"]["sha256"] == sha256(known.encode()).hexdigest()
    assert "dictionary" in items[0]["meta"]["source"]


@pytest.mark.parametrize(
    ("params", "files", "where"),
    [
        ({"seed": 7, "per_length": 0}, {"words": "listen,5\n"}, "per_length"),
        ({"seed": 7, "per_length": 5}, {"words": "the,5\n"}, "words"),
        ({"seed": 7, "per_length": 5}, {"words": ""}, "words"),
        ({"seed": 7, "per_length": 5}, {"words": "listen,5\nsilent\n"}, "words, line 2"),
        ({"seed": 7, "per_length": 5}, {"words": "listen,5\nsilent,-3\n"}, "words, line 2"),
        ({"seed": 7, "per_length": 5}, {"words": b"caf\xe9,5\n"}, "words, after line 0"),
        ({"seed": 7, "per_length": 5}, {"words": "listen,5\n", "dictionary": b"\xff\n"}, "dictionary, after line 0"),
    ],
)
def test_what_makes_no_dataset_is_refused_and_named(made, params, files, where):
    with pytest.raises(InputError) as refused:
        made(params, **files)
    assert refused.value.where == where
    assert "silent" not in str(refused.value)


def test_no_item_turns_on_a_word_of_prompts_and_refusals(made):
    _, gold, _, [counts] = made({"seed": 7, "per_length": 9}, words="listen,5\nword,9\nprow,3\ndrow,2\neht,1\nthe,9\n")
    assert {row["gold"]["target"] for row in gold} == {"listen", "prow"}
    assert counts["anagram"]["words"]["said_in_prompts"] == 4
    cues = set(re.findall("[a-z]{3,}", re.sub(r"\\\w|\(\?:|\?", " ", f"{EPISTEMIC} {ETHICAL}")))
    fragments = {"don", "dont", "can", "couldn", "policies", "guidelines", "detail", "details", "could"}
    assert cues - fragments <= SAID
    assert set(re.findall("[a-z]{3,20}", REFUSAL.lower())) <= SAID


def test_a_word_is_likely_where_its_relatives_are_met_and_a_name_is_not():
    family = ("walk", "walks", "walked", "walking", "walker", "walkers")
    counts = {**dict.fromkeys(family, 5000), "kirk": 9000, "kirks": 3, "wlak": 60, "rhythm": 900, "xqzrt": 5000}
    assert set(likely_words(counts)) == set(family)


@pytest.fixture(scope="module")
def packaged():
    """The words of the package's list, which takes a while to read."""
    return load({})


@pytest.mark.long
def test_without_files_the_packages_list_is_used_filtered_and_named(packaged):
    words = packaged
    assert words.source.startswith("wordfreq ")
    assert words.filter.startswith("frequency and relatives (OURS")
    assert words.lists["words"]["source"] == words.source
    assert re.fullmatch("[0-9a-f]{64}", words.lists["words"]["sha256"])
    lengths = [len(word) for word in words.counts]
    assert set(lengths) == set(range(3, 21))
    assert all(lengths.count(length) >= 100 for length in range(3, 17))
    assert words.tally["left"] == len(words.counts) < words.tally["filtered"] < words.tally["spelled"]
    assert {"kettle", "sailing", "internationalization"} <= set(words.counts)
    assert not {"the", "answer", "word", "norfolk", "edith", "vfb"} & set(words.counts)


@pytest.mark.long
def test_the_oracle_is_right_the_refuser_avoids_the_forger_never_right(packaged):
    drawn = list(draw(3, packaged.counts, 40))
    assert len(drawn) > 600
    for item in drawn:
        given = (item.shown, item.accepted)
        assert anagram(*given, item.word, item.word).label == "c"
        refused = anagram(*given, REFUSAL, item.word)
        assert (refused.label, refused.avoidance) == ("a", "epistemic")
        assert anagram(*given, FORGERY, item.word).label != "c"


@pytest.fixture
def scored(tmp_path):
    def score_rows(texts, given=None, gold=None):
        right = {"target": "lister", "accepted": ["lister", "litres"]} if gold is None else gold
        item = {"input": {"anagram": "retsil"} if given is None else given}
        return scores(score, tmp_path, item, right, map(response, texts))

    return score_rows


def test_a_score_says_what_was_found_and_whether_only_another_word_was(scored):
    found = scored(["lister", "it is litres", "litres or lister", "silter", "no"])
    assert [row["outcome"] for row in found] == ["c", "c", "c", "i", "a"]
    assert [row["detail"]["alternate_used"] for row in found] == [False, True, False, False, False]
    assert found[1]["detail"]["matched_span"] == [6, 12]


def test_gold_of_other_letters_and_missing_fields_are_refused(scored):
    with pytest.raises(InputError, match="letters"):
        scored(["x"], gold={"target": "listed", "accepted": []})
    with pytest.raises(InputError, match="missing"):
        scored(["x"], gold={})
    with pytest.raises(InputError, match="missing"):
        scored(["x"], given={})
    assert scored(["lister"], gold={"target": "lister"})[0]["outcome"] == "c"
