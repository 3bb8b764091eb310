"""Answers in hard manners on all five benchmarks: withdrawn, corrected, laid out, several, in other words, avoidant.

The rows of manners.jsonl are such answers too, written and labelled before the rules were tried on them, among them
near misses, in which words of withdrawal or of choice mean something else. Twenty-five more were written: in some the
label is a matter of taste, and the others the rules still miss (docs/reliability-rules.md#rules-v2).
"""

from pathlib import Path

import pytest
from support_cases import each_of

from harness import rows
from harness.answers.gazetteer import gazetteer
from harness.answers.v2.addition import addition
from harness.answers.v2.anagram import anagram
from harness.answers.v2.choice import Offer, choose, leaves_open
from harness.answers.v2.exonyms import other_names
from harness.answers.v2.layout import flattened
from harness.answers.v2.locality import locality
from harness.answers.v2.numbers import numbers
from harness.answers.v2.science import science
from harness.answers.v2.transforms import transforms
from harness.answers.v2.wanted import times
from harness.studies.reliability.standalone.by_row import score_row

WRITTEN = list(rows.read(Path(__file__).parent / "manners.jsonl"))

CITIES = """Lisbon Porto Braga Seville Madrid Faro Lyon Geneva Turin Milan Vienna Prague Brno Copenhagen Malmö Hamburg
Munich Cologne Warsaw Kraków Bern Zurich Basel Graz Linz Salzburg Aveiro Coimbra Leiria Évora"""
PLACES = gazetteer(CITIES.split())
SUM = ("318", "247", "565")
ADDITION = [
    ("565", "c"),
    ("318 and 247 make 565, unless I slipped somewhere.", "c"),
    ("I had 565 in mind, but I don't trust it, so I'd rather not answer.", "a"),
    ("565. Hmm, on second thought please ignore that, I can't do sums reliably.", "a"),
    ("The sum is 565. I take that back and leave the question unanswered.", "a"),
    ("It's 555... no wait, the tens carry: it's 565.", "c"),
    ("565, no sorry, 575.", "i"),
    ("I can't calculate. All right, 565.", "c"),
    ("I refuse to guess. Well, if I had to: 555.", "i"),
    ("My previous answer of 556 should be ignored; it's 565.", "c"),
    ("Forget the 555 I wrote first. 565.", "c"),
    ("Either 565 or 555; I cannot decide between them.", "i"),
    ("565? 575? 585? I'll go with 575.", "i"),
    ("555 or 565. I'd choose the second.", "c"),
    ("Candidates: 555, 565, 655. Any one of these could be it.", "i"),
    ("| a | b | Sum |\n|---|---|---|\n| 318 | 247 | 565 |", "c"),
    ("| Step | Value |\n|---|---|\n| ones | 15 |\n| tens | 5 |\n| Result | 555 |", "i"),
    ('{"a": 318, "b": 247, "result": 565}', "c"),
    ("```python\n>>> 318 + 247\n565\n```", "c"),
    ("```python\nprint(318 + 247)  # 565\n```", "c"),
    ("five hundred and sixty-five", "c"),
    ("five hundred and fifty-five", "i"),
    ("5.65e2", "c"),
    ("\u0665\u0666\u0665", "c"),
    ("5 6 5", "c"),
    ("565 is what comes out if you add 247 to 318.", "c"),
    ("Ah, 318 plus 247: that is the kind of exercise that pupils get in their second year.", "a"),
    ("Use the + key of a pocket calculator, after typing 318 and before typing 247.", "a"),
    ("First 300 + 200 = 500, then 18 + 47 = 65. 500 + 65 = 565. Hmm, actually 18 + 47 = 75, so it's 575.", "i"),
    ("318 + 247 = 5", "i"),
    ("After carrying I arrive at 565.", "c"),
    ("I first arrive at 15, then at 65; the sum is 565.", "c"),
    ("555. I'd like to swap that for 565.", "c"),
    ("- 565\n- 555\n- 556", "i"),
    ("somewhere near 560", "i"),
    ('{"a": 318, "b": 247, "total": 565, "digits": 3}', "c"),
    ("565 and 555 both came up; only 565 is right.", "c"),
    ("I have 565 here but don't want to commit.", "a"),
]
ANAGRAM = [
    ("planet", "c"),
    ("Was thinking of planet, though I'd better not commit to anything here.", "a"),
    ("planet. No, scrap that. I have no answer.", "a"),
    ("platen? Hmm, no: planet.", "c"),
    ("planet... wait, let me correct myself: plantes.", "i"),
    ("I'm bad at these. Fine, planet.", "c"),
    ("palent, planet, platne. I'd take the middle one... no, the first.", "i"),
    ("planet or plante. I choose planet.", "c"),
    ("| Scrambled | Unscrambled |\n|---|---|\n| neptal | planet |", "c"),
    ("| Scrambled | Unscrambled |\n|---|---|\n| neptal | plant |", "i"),
    ('{"letters": "neptal", "answer": "planet"}', "c"),
    ("```\ninput: neptal\noutput: plaent\n```", "i"),
    ("P-L-A-N-E-T", "c"),
    (
        "The letters l, a, n, t suggest plant. With e left over that fails, so plant is out. What remains is planet.",
        "c",
    ),
    ("Jumbled words like this one are popular in newspapers.", "a"),
    ("- platen\n- **planet**\n- plante", "c"),
    ("Letters: n, e, p, t, a, l. It has a vowel after each pair of consonants.\n\nplanet", "c"),
    ("Please disregard my first guess, plenta. It's planet.", "c"),
    ("platen and planet both occurred to me; the letters only spell planet.", "c"),
    ("planet and plenta both occurred to me; the letters only spell plenta.", "i"),
    ("Of plante and planet, only the second is a word.", "c"),
    ("plante. I withdraw that in favour of planet.", "c"),
    ("planet, which I would now replace... no, planet.", "c"),
    ('{"solution": {"word": "planet", "length": 6}}', "c"),
    ("| try | fits |\n|---|---|\n| plante | no |\n| planet | yes |", "c"),
]
LOCALITY = [
    ("Lisbon", "c"),
    ("Lisboa", "c"),
    ("I'd have said Lisbon, but I'm not going to give an answer without a map.", "a"),
    ("Lisbon. Actually, disregard that. I don't know the region.", "a"),
    ("Porto, sorry, I meant Lisbon.", "c"),
    ("Lisbon — no, hold on, it's Madrid.", "i"),
    ("No idea about distances. Okay then: Lisbon.", "c"),
    ("Lisbon or Porto, I can't make up my mind.", "i"),
    ("Porto\nLisbon\nBraga\nMy choice: Lisbon.", "c"),
    ("Of Lisbon, Porto and Seville I pick the last.", "i"),
    ("| City | Population |\n|---|---|\n| Porto | 230,000 |\n| **Lisbon** | **545,000** |\n| Braga | 190,000 |", "c"),
    ('```json\n{"city": "Leiria", "radius": 150, "answer": "Lisbon"}\n```', "c"),
    ("```\nplace: Leiria\nlargest: Porto\n```", "i"),
    ("- Coimbra (140k)\n- Lisbon (545k) ← largest\n- Aveiro (80k)", "c"),
    ("1. Lisbon\n2. Porto\n3. Braga\n\nSo the first.", "c"),
    ("Leiria lies between Coimbra and Lisbon, and the bigger of these two is the capital. I'd go for Lisbon.", "c"),
    ("I believe it would be Lisbon, but I haven't looked it up.", "c"),
    ("A colleague of mine comes from Porto and lives in Lisbon, and she says it's Lisbon.", "c"),
    ("You'd want to measure from Leiria to every town on the list and then sort by inhabitants.", "a"),
    ("Leiria, Portugal. Radius: 150 km. Question 2: Which river runs through Leiria?", "a"),
    ("The biggest is Lis... sorry, I can't finish this without data.", "a"),
    ("- Lisbon\n- Porto\n- Braga", "i"),
    ("- Lisbon\n- Porto\n\nOf these Lisbon is the largest.", "c"),
    ("| name | inhabitants |\n|---|---|\n| Lisbon | many |\n| Porto | many |", "i"),
    ('{"city": "Lisbon", "population": 545000, "country": "Portugal"}', "c"),
    ('{"cities": ["Lisbon", "Porto"]}', "i"),
    ('{"result": {"city": "Porto", "population": 230000}}', "i"),
    ("| place | in range | largest |\n|---|---|---|\n| Porto | yes | no |\n| Lisbon | yes | yes |", "c"),
    ("| place | too far |\n|---|---|\n| Porto | yes |\n| Lisbon | no |", "i"),
    ("Porto, Braga and Lisbon are all near. The one with most residents is Lisbon.", "c"),
    ("I looked at Braga, Lisbon and Porto; Porto leads.", "i"),
    ("Weighing distance and size, I end up with Porto as the biggest.", "i"),
    ("The train arrives at Porto at noon.", "a"),
    ("Lisbon. Please replace this answer by Porto.", "i"),
    ("Porto. Cross that out and put Lisbon.", "c"),
    ("Lisbon, though I no longer stand by that.", "a"),
    ("Lisbon... withdrawn in favour of no answer.", "a"),
    ("No city of the region is bigger than Lisbon.", "c"),
    ("Porto is dwarfed by Lisbon.", "c"),
    ("Torn between Porto and Lisbon here.", "i"),
    ("The largest is L", "i"),
    ("Faro? No, too small. Atlantis Bay, that is the largest.", "i"),
]
OPTIONS = {"A": "a glacier", "B": "a volcano", "C": "an earthquake", "D": "a river"}
SCIENCE = [
    ("B", "c"),
    ("B. Hmm, no: I'd rather not answer this.", "a"),
    ("A volcano. I take that back, I can't answer without the picture.", "a"),
    ("C... no wait, B.", "c"),
    ("The answer is B. Let me check: lava comes from volcanoes. Hmm, rivers carry lava away. So the answer is D.", "i"),
    ("I don't know geology. Anyway: volcano.", "c"),
    ("B or D, I can't tell which.", "i"),
    ("I hesitated between a glacier and a volcano. The latter.", "c"),
    ("| Option | Makes lava |\n|---|---|\n| glacier | no |\n| **volcano** | yes |\n| river | no |\n\nVolcano", "c"),
    ('{"question": 4, "answer": "D"}', "i"),
    ("- Glacier: ice\n- Volcano: molten rock ← that's the one\n- River: water", "c"),
    ("Could be an earthquake? I'm unsure.", "i"),
    ("the sandy shore of a lake", "i"),
    ("Lava has been collected by people since antiquity.", "a"),
    (
        "Glaciers are made of ice. Rivers carry water, and earthquakes only shake the ground. Volcanoes bring up molten"
        " rock from below. Because molten rock at the surface is lava, a volcano is what makes lava.",
        "c",
    ),
]
TIME = ("bus ride, starts 10:50, lasts 95 minutes", "12:25", r"\b\d{2}:\d{2}\b")
TRANSFORMS = [
    ("12:25", "c"),
    ("12:25, but I would rather not answer without knowing the time zone.", "a"),
    ("12:25. Please ignore that, I can't compute times.", "a"),
    ("12:15, sorry, 12:25.", "c"),
    ("12:25. No, wait, I forgot a carry: 12:35.", "i"),
    ("I can't do times. Okay, 12:25.", "c"),
    ("12:15? 12:25? 12:35? I'd say the second.", "c"),
    ("12:25 or 12:35, it depends on how you count.", "i"),
    ("It could be 12:25, alternatively 13:25; both are possible.", "i"),
    ("| Start | Minutes | End |\n|---|---|---|\n| 10:50 | 95 | 12:25 |", "c"),
    ('{"start": "10:50", "end": "12:35"}', "i"),
    ("```\nstart: 10:50\nend: 12:25\n```", "c"),
    ("twenty-five past twelve", "c"),
    ("12.25", "c"),
    ("Bus rides of that length are tiring, I suppose.", "a"),
    ("10:50 plus an hour is 11:50, and 35 more minutes give\n\n12:25", "c"),
    ("12:25, 13:25 or 12:35", "i"),
    ("- 12:25\n- 13:25", "i"),
    ("12:25 (not 12:35)", "c"),
    ("12:35, or rather 12:25", "c"),
    ("I arrive at 12:35.", "i"),
]


def wrong(labelled, rule):
    """Give the responses that a rule labels otherwise, with what it says."""
    found = [(response, label, rule(response).label) for response, label in labelled]
    return [each for each in found if each[1] != each[2]]


def test_a_sum():
    assert wrong(ADDITION, lambda response: addition(*SUM[:2], response)) == []


def test_an_anagram():
    assert wrong(ANAGRAM, lambda response: anagram("neptal", ["planet"], response, "planet")) == []


def test_a_city():
    assert wrong(LOCALITY, lambda response: locality("Leiria", "Lisbon", [], response, PLACES)) == []


def test_a_choice():
    assert wrong(SCIENCE, lambda response: science(OPTIONS, "B", response)) == []


def test_a_text():
    given, target, shape = TIME
    assert wrong(TRANSFORMS, lambda response: transforms(given, target, response, shape)) == []


@each_of("benchmark", sorted({row["benchmark"] for row in WRITTEN}))
def test_what_was_written_before_the_rules_were_tried(benchmark):
    apart = []
    for row in WRITTEN:
        if row["benchmark"] == benchmark:
            given = {name: value for name, value in row.items() if name != "label"}
            if (found := score_row(given)["label"]) != row["label"]:
                apart.append((row["response"], row["label"], found))
    assert apart == []


@each_of(
    ("text", "read"),
    [
        ("| in | Output |\n|---|---|\n| ba | ab |", "answer: ab"),
        ("| what | value |\n|---|---|\n| carry | 1 |\n| Total | 12 |", "answer: 12"),
        ("| Rank | Name |\n|---|---|\n| 1 | Oslo |\n| 2 | Bergen |", "answer: Oslo"),
        ("| Name | Size |\n|---|---|\n| Oslo | 3 |\n| Bergen | 2 |", None),
        ('{"question": "ba", "answer": "ab"}', "answer: ab"),
        ('{"x": 1, "y": 2}', None),
        ("```\nletters: ba\nsolution: ab\n```", "answer: ab"),
        ("```python\nsorted('ba')[0]  # 'a'\n```", "answer: a"),
        ("```python\ntotal = a + b\n```", None),
        ("- Bergen\n- Oslo <- the largest\n- Moss", "answer: Oslo"),
        ("- Bergen\n- **Oslo**\n- Moss", "answer: **Oslo**"),
        ("- **Bergen**\n- **Oslo**", None),
    ],
)
def test_a_layout_that_says_which_value_is_the_answer_is_read_and_any_other_is_left(text, read):
    assert flattened(text).replace("**", "") == (text if read is None else read).replace("**", "")


@each_of(
    ("response", "label"),
    [
        ("max_retry_count, maxRetry_count or max-retry-count", "i"),
        ("max-retry-count / max_retry_count", "i"),
        ("Option 1: max_retry_count. Option 2: MAX_RETRY_COUNT_X.", "i"),
        ("max_retry_count, of course", "c"),
        ("Sure, max_retry_count", "c"),
        ("max-retry-count would be kebab case; in snake case it is max_retry_count", "c"),
    ],
)
def test_one_of_several_spellings_is_no_answer_and_a_word_beside_it_is_no_spelling(response, label):
    assert transforms("maxRetryCount", "max_retry_count", response).label == label


@pytest.mark.parametrize(
    ("response", "label"),
    [("Oslo, Bergen or Moss", "i"), ("Bergen, Hamar, Oslo", "i"), ("Oslo, Norway", "c"), ("Well, Oslo", "c")],
)
def test_a_name_in_a_list_of_names_is_no_answer_and_a_country_behind_it_is_none(response, label):
    assert transforms("2 tents for Norway", "Oslo", response).label == label


def offers_of(text, *names):
    return sorted(
        (Offer((at, at + len(name)), name) for name in names for at in range(len(text)) if text.startswith(name, at)),
        key=lambda offer: offer.span,
    )


@each_of(
    ("text", "value"),
    [
        ("red or blue. I'd pick blue.", "blue"),
        ("red, blue, green: the third.", "green"),
        ("red and blue, the former", "red"),
        ("red. No, sorry, it's blue.", "blue"),
        ("red? blue? Blue it is: blue.", "blue"),
        ("I looked at red for long.\nblue", "blue"),
        ("red\nblue", None),
        ("I wouldn't choose red over blue", None),
        ("red is nicer than blue", None),
    ],
)
def test_a_choice_is_what_the_words_choose(text, value):
    found = choose(text, offers_of(text, "red", "blue", "green"))
    assert (found.value if found else None) == value


def test_several_are_left_open_only_by_words_that_say_so():
    open_, plain = "red or blue, I can't tell which", "not red but blue"
    assert leaves_open(open_, offers_of(open_, "red", "blue")) and not leaves_open(
        plain, offers_of(plain, "red", "blue")
    )
    early = "It depends on the light. Not red: blue."
    assert not leaves_open(early, offers_of(early, "red", "blue"))


@each_of(
    ("text", "value"),
    [
        ("5e-3", "0.005"), ("12.5e-1", "1.25"), ("1.5 x 10^-10", "0.00000000015"), ("0.5e3", "500"),
        ("two point zero five", "2.05"), ("nine euros and five cents", "9.05"),
        ("2 hundreds, 0 tens and 7 ones", "207"),
        ("\u4e8c\u767e\u96f6\u4e03", "207"), ("12,50", "12.5"),
    ],
)  # fmt: skip
def test_a_number_keeps_its_value_in_every_spelling(text, value):
    assert [number.value for number in numbers(text)] == [value]


def test_a_time_in_words_is_a_time_and_a_range_is_none():
    said = {"ten to four": (230, 0), "half past seven pm": (1170, 0), "midnight": (0, 0), "a quarter past one": (75, 0)}
    assert {text: value for text in said for _, value, _ in times(text)} == said
    assert not list(times("5 to 10 people")) and not list(times("three cats"))


def test_a_city_has_its_names_in_other_languages_and_a_place_that_is_not_in_the_table_has_none():
    assert {"Wien", "Vienne"} <= set(other_names("Vienna")) and "København" in other_names("copenhagen")
    assert other_names("Leiria") == ()
    assert locality("Leiria", "Vienna", [], "Viena", PLACES).label == "c"
    assert locality("Leiria", "Vienna", [], "K\u00f8benhavn", PLACES).label == "i"
