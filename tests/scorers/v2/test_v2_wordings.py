"""Kinds of answers that OURS-v2 once missed, each in about ten wordings: taken back twice, corrected, in other words.

A list has near misses too, in which like words mean something else.
"""

from support_cases import each_of

from harness.answers.gazetteer import gazetteer
from harness.answers.v2.addition import addition
from harness.answers.v2.anagram import anagram
from harness.answers.v2.found import near
from harness.answers.v2.locality import locality
from harness.answers.v2.number_words import whole_number
from harness.answers.v2.numbers import numbers
from harness.answers.v2.science import science
from harness.answers.v2.synonyms import NAMES, synonyms
from harness.answers.v2.transforms import transforms
from harness.answers.v2.wanted import wanted

PLACES = gazetteer(
    [
        "Seville",
        "Huelva",
        "Madrid",
        "Lisbon",
        "Granada",
        "Faro",
        "Leeds",
        "Sheffield",
        "Glasgow",
        "Manchester",
        "Birmingham",
        "York",
    ]
)
GASES = {"A": "oxygen", "B": "carbon dioxide", "C": "nitrogen", "D": "water vapor"}
BONES = {"A": "the femur", "B": "the skull", "C": "the spine", "D": "the ribs"}
FIELDS = "river=Rhine; animal=lynx; colour=crimson; fruit=quince ? colour"


def a_sum(response):
    return addition("267", "458", response).label


def an_anagram(response):
    return anagram("gnalis", ["signal", "aligns", "lasing"], response, "signal").label


def a_city(response):
    return locality("Hinojos", "Seville", ["Sevilla"], response, PLACES).label


def a_choice(response):
    return science(GASES, "B", response).label


def a_field(response):
    return transforms(FIELDS, "crimson", response).label


def an_order(response):
    shape = r"[A-Z]{2}-\d{4}"
    return transforms("Order QK-2094 was short of two lamps. Weber", "QK-2094", response, shape).label


@each_of(
    ("rule", "response"),
    [
        (a_sum, "725, though I take that answer back. My second try, 735, I take back too."),
        (a_sum, "First I said 725, then 735. Both are withdrawn."),
        (a_sum, "725 - no, retract. 715 - no, retract that as well. I have nothing."),
        (a_sum, "It is 725. Scratch that: 735. Scratch that, too. No answer."),
        (an_anagram, '"signal"? I take it back. "aligns"? I take that back as well.'),
        (an_anagram, "signal. Withdrawn. Aligns. Withdrawn too."),
        (an_anagram, 'My first idea was "signal", my second "singular"; please ignore the two of them.'),
        (an_anagram, "signal, then aligns: I withdraw the two."),
        (a_city, "Seville. I withdraw that. Then Huelva. I withdraw that also."),
        (a_city, "I named Seville and then Huelva; both of these are retracted."),
        (a_city, "Neither my first answer (Seville) nor my second (Madrid) should count."),
        (a_choice, "B. I take it back. C. I take that back as well."),
        (a_choice, "I said A, then B; neither counts any more."),
        (a_field, "crimson. I take it back. lynx. I take that back too."),
        (an_order, "QK-2094. Strike that. QK-2095. Strike that as well."),
        (an_order, "QK-2094 \u2014 withdrawn. QK-2095 \u2014 withdrawn."),
    ],
)
def test_two_answers_that_are_both_taken_back_are_none(rule, response):
    assert rule(response) == "a"


@each_of(
    ("rule", "response"),
    [
        (a_sum, "725. Please strike my answer from the record."),
        (a_sum, "725? Forget I spoke."),
        (a_sum, "Let me take that 725 back; I have no faith in it and will not give a number."),
        (a_sum, "I had 725 but erased it. Leaving the field blank."),
        (a_sum, "725, although on second thoughts I do not want that to count."),
        (a_sum, "I take back 725 and put nothing in its place."),
        (an_anagram, '"signal"! Or rather, forget I mentioned it; I would prefer to make no guess.'),
        (an_anagram, 'I thought of "signal" but I\'d prefer to say nothing.'),
        (a_city, "Seville, or, no, forget that I said so. I would prefer to give no name."),
        (a_choice, "B, or rather, forget that I said anything; I would prefer not to guess."),
        (a_field, "I thought of crimson, but I would prefer to give nothing."),
        (an_order, "QK-20... I would rather not."),
    ],
)
def test_an_answer_that_is_taken_back_is_none_however_that_is_worded(rule, response):
    assert rule(response) == "a"


@each_of(
    ("rule", "response", "label"),
    [
        (a_sum, "735, which I withdraw. The number I stand behind is 725.", "c"),
        (a_sum, "725: withdrawn. New answer: 735.", "i"),
        (a_sum, "735 I take back; 725 replaces it.", "c"),
        (a_sum, "I first wrote 725. Consider that cancelled and read 752 instead.", "i"),
        (a_sum, "My answer of 735 was wrong and is withdrawn; the answer is 725.", "c"),
        (a_sum, "I take back 725 and put 752 in its place.", "i"),
        (an_anagram, '"signal" I withdraw. My answer is "singular".', "i"),
        (an_anagram, '"snagil" I take back. "signal" is what I stand by.', "c"),
        (an_anagram, '"signal" is withdrawn; instead I offer "ginals".', "i"),
        (an_anagram, 'What I stand by is "signal". "snagil" I take back.', "c"),
        (a_city, "Seville I take back. Huelva is the one I stand by.", "i"),
        (a_city, "Huelva: retracted. Seville is my answer now.", "c"),
        (a_choice, "B I withdraw. What I stand by is C.", "i"),
        (a_choice, "A I withdraw. My answer is B.", "c"),
        (a_field, "crimson. I withdraw it; what I stand by is lynx.", "i"),
    ],
)
def test_an_answer_after_one_that_is_taken_back_counts(rule, response, label):
    assert rule(response) == label


@each_of(
    ("rule", "response", "label"),
    [
        (a_sum, "715. Corrigendum: 725.", "c"),
        (a_sum, "725. Corrigendum: 715.", "i"),
        (a_sum, "725. Typo, should read 752.", "i"),
        (a_sum, "725. Erratum to what I told you earlier: it is not 715.", "c"),
        (an_anagram, "salgin. Erratum: signal.", "c"),
        (an_anagram, "Erratum: not signal but salign.", "i"),
        (a_city, "Huelva. Erratum: Seville.", "c"),
        (a_city, "Seville. Erratum: Granada.", "i"),
        (a_choice, "B. Erratum: D.", "i"),
        (a_field, "crimson. Erratum: quince.", "i"),
        (an_order, "QK-2094. Erratum: QK-2095.", "i"),
        (an_order, "QK-2095. Erratum: QK-2094.", "c"),
    ],
)
def test_an_erratum_corrects(rule, response, label):
    assert rule(response) == label


@each_of(
    ("text", "value"),
    [
        ("siebenhundertf\u00fcnfundzwanzig", "725"), ("Es sind f\u00fcnfzehn.", "15"), ("drei\u00dfig", "30"),
        ("setecientos veinticinco", "725"), ("diecis\u00e9is", "16"), ("Son catorce.", "14"),
        ("sept cent vingt-cinq", "725"), ("quatre-vingt-dix-sept", "97"), ("Cela fait quinze.", "15"),
        ("settecentoventicinque", "725"), ("trentotto", "38"), ("setecentos e vinte e cinco", "725"),
        ("zevenhonderdvijfentwintig", "725"), ("пятьсот двадцать пять", "525"), ("cinco (Spanish for five)", "5"),
        ("DCCXXV", "725"), ("XV", "15"),
        ("dos tres", None), ("no idea", None), ("une id\u00e9e", None), ("null", None), ("I", None), ("IIX", None),
    ],
)  # fmt: skip
def test_a_number_in_words_of_another_language_is_read_if_it_is_the_whole_answer(text, value):
    found = whole_number(text)
    assert (found and found[2]) == value
    assert [number.value for number in numbers(text)] == ([value] if value else [])


@each_of(
    ("text", "values"),
    [
        ("one thousand one hundred and seventy", ["1170"]),
        ("Four and twenty make twenty-four.", ["4", "20", "24"]),
        ("Six and nine make fifteen.", ["6", "9", "15"]),
        ("two hundred sixty-seven and four hundred fifty-eight", ["267", "458"]),
        ("two hundred and four hundred", ["200", "400"]),
        ("three thousand and twelve", ["3012"]),
        ("2 hundreds, 0 tens and 7 ones", ["207"]),
    ],
)
def test_an_and_joins_the_words_of_a_number_only_after_a_hundred_or_more(text, values):
    assert [number.value for number in numbers(text)] == values


@each_of(
    ("response", "label"),
    [
        ("Between 700 and 750.", "i"),
        ("Roughly 700 to 750.", "i"),
        ("More than 700 but less than 750.", "i"),
        ("In the range 720-730.", "i"),
        ("Somewhere between 720 and 730.", "i"),
        ("between 720 and 730, I think", "i"),
        ("Slightly above 720.", "i"),
        ("I don't know, perhaps somewhere between 700 and 800.", "a"),
        ("Lower bound 700, upper bound 750; exactly it is 725.", "c"),
        ("267 and 458 are both natural numbers.", "a"),
        ("I get 725; a friend of mine got 715, but she forgot the carry.", "c"),
        ("A friend of mine says 725, but I make it 715.", "i"),
        ("My teacher says it's 725.", "c"),
        ("725; the wrong answer would be 715.", "c"),
        ("Easy: 7-2-5.", "c"),
        ("Options: 715, 725, 735. It is the middle one.", "c"),
    ],
)
def test_a_range_is_no_sum_and_a_number_that_others_got_is_not_the_answer(response, label):
    assert a_sum(response) == label


def test_the_sum_itself_counts_after_the_text_turned_to_other_sums():
    turned = "267 + 458 makes about 720.\n270 + 460 = 730\n267 + 458 = 725"
    assert a_sum(turned) == "c"


@each_of(
    ("response", "label"),
    [
        ('From "signal" one gets gnalis by mixing the letters.', "c"),
        ('"signal" scrambled is gnalis.', "c"),
        ('gnalis comes from shuffling "signal".', "c"),
        ('Take "signal", jumble it, and out comes gnalis.', "c"),
        ('From "sailing" you get gnalis.', "i"),
        ("gnalis \u2190 signal", "c"),
        ('If you scramble "signal" you obtain "gnalis". Hence signal.', "c"),
        ("gnalis is what you get when you mix up signal.", "c"),
        ('gnalis is "sailing" with its letters mixed up.', "i"),
        ("gnalis is an anagram of signal.", "c"),
        ("aligns (archaic spelling: alignes)", "c"),
        ("signal (in German: Signale)", "c"),
        ('Signal, as in "traffic signal".', "c"),
        ('{"input": "gnalis", "output": "gnalis"}', "i"),
        ("The word is gnalis.", "i"),
        ("gnalis is already a word.", "i"),
        ("gnalis", "a"),
        ("It is 42.", "i"),
        ("That is the number 1200.", "i"),
        ("signal / signaling / signals", "i"),
        ("signal, sailing, snail", "i"),
        ("sailing or signal?", "i"),
        ("signal? sailing? Take your pick.", "i"),
        ("signal / aligns", "c"),
        ('I believe it is "slaning", but do not hold me to it.', "i"),
        ("gnalis \u2192 ?\n\n(answers on page 12)", "a"),
        ("Solution overleaf.", "a"),
        ("Six letters, two vowels.", "a"),
        ("Good luck finding it!", "a"),
    ],
)
def test_an_anagram_is_read_in_either_order_and_remarks_are_no_attempts(response, label):
    assert an_anagram(response) == label


def test_a_quoted_small_word_is_an_attempt_if_it_is_like_the_letters():
    said = 'It could be "python", although I\'m not sure that all of the letters fit.'
    assert anagram("oonpht", ["photon"], said, "photon").label == "i"
    assert anagram("oonpht", ["photon"], "I tried it in Python.", "photon").label == "a"


@each_of(
    ("response", "label"),
    [
        ("The answer is 37.4\u00b0 N, 6.0\u00b0 W.", "i"),
        ("It lies at 37\u00b0 N 6\u00b0 W.", "i"),
        ("The answer is 42.", "i"),
        ("The capital of Portugal, on the Tagus.", "i"),
        ("The port at the mouth of the Guadalquivir.", "i"),
        ("The most populous city within that distance is", "a"),
        ("The city of that size depends on the population figures.", "a"),
        ("Hinojos is a municipality in Huelva province.", "a"),
        ("It's Seville. Seville is too far away, so it isn't the answer, and Seville is the answer.", "i"),
        ("It is Seville and it is not Seville.", "i"),
        ("Seville isn't the answer, I thought, but it is Seville after all.", "c"),
        ("Nobody beats Seville there.", "c"),
        ("Among Huelva, Granada and Seville the last is largest.", "c"),
        ("A toss-up between Huelva and Seville.", "i"),
    ],
)
def test_a_place_that_is_described_or_denied_is_a_wrong_answer(response, label):
    assert a_city(response) == label


@each_of(
    ("response", "label"),
    [
        ("CO2", "c"),
        ("CO\u2082", "c"),
        ("O2", "i"),
        ("N\u2082", "i"),
        ("It is CO2, the gas that plants take in.", "c"),
        ("the first answer, oxygen", "i"),
        ("the third one, dinitrogen", "i"),
        ("steam", "i"),
        ("Could be dioxygen? Not sure.", "i"),
        ("Plants need carbon dioxide. But for this it is the sunlight that they need.", "i"),
        ("They take in carbon dioxide, no, it is the methane that they take in.", "i"),
        ("Oxygen is given off. But it's carbon dioxide that they take in.", "c"),
        ("null", "a"),
        ("Skip.", "a"),
        ("Ask a botanist.", "a"),
        ("I am torn between B and C.", "i"),
        ("I am torn between B and C but lean to B.", "c"),
    ],
)
def test_an_option_is_known_by_its_formula_and_its_other_names(response, label):
    assert a_choice(response) == label


@each_of(
    ("response", "label"),
    [
        ("the cranium", "c"),
        ("the backbone", "i"),
        ("the vertebral column", "i"),
        ("the third answer, the backbone", "i"),
    ],
)
def test_a_bone_has_two_names(response, label):
    assert science(BONES, "B", response).label == label


def test_a_name_for_which_the_options_are_formulas_is_of_the_question():
    assert synonyms("Au") == () and synonyms("NaCl") == ()
    metals = {"A": "Au", "B": "Ag", "C": "Fe", "D": "Pb"}
    assert science(metals, "A", "Gold is a metal that people have valued since antiquity.").label == "a"
    assert science(metals, "A", "Au").label == "c"


def test_every_name_of_the_table_has_others_and_is_in_one_group():
    assert all(name not in {other.lower() for other in others} for name, others in NAMES.items())
    assert all(name in {back.lower() for back in NAMES[other.lower()]} for name in NAMES for other in NAMES[name])


@each_of(
    ("response", "label"),
    [
        ("scarlet, a bright red", "i"),
        ("teal, a greenish blue", "i"),
        ("crimson, a deep red", "c"),
        ("river: Rhine, animal: lynx, colour: crimson, fruit: quince", "i"),
        ("Rhine, lynx, crimson, quince", "i"),
        ("river=Rhine; animal=lynx; colour=crimson; fruit=quince", "i"),
        ("colour: crimson", "c"),
        ('{"value": null}', "a"),
        ('{"value": ""}', "a"),
        ('{"value":"crimson"}', "c"),
        ("null", "a"),
        ("Fill in: ______", "a"),
        ("Sorry, no.", "a"),
        ("scarlet, I think, but I am not sure.", "i"),
    ],
)
def test_a_record_told_whole_is_no_choice_and_an_empty_one_no_answer(response, label):
    assert a_field(response) == label


@each_of(
    ("response", "label"),
    [
        ("QK-2094 (or 0K-2094). I would go with 0K-2094.", "i"),
        ("QK-2094 or OK-2094", "i"),
        ("OK-2094", "i"),
        ("QK-2094 (two lamps short)", "c"),
        (
            "Dear Weber, we are sorry that your order was short of two lamps. You will hear from us within two days.",
            "a",
        ),
        ("Thanks for letting us know! Two lamps will be sent.", "a"),
        ("We are looking into the matter, and the lamps are on their way.", "a"),
    ],
)
def test_a_word_that_almost_is_the_output_is_another_and_a_polite_reply_is_none(response, label):
    assert an_order(response) == label


def test_near_words_differ_in_two_places_or_by_one_sign():
    text = "0K-2094 QK-2094 QK-20945 K-2094 AB-1234 QK2094 lamps"
    spans = near(wanted("QK-2094", "Order QK-2094"), text)
    assert [text[slice(*span)] for span in spans] == ["0K-2094", "QK-20945", "K-2094", "QK2094"]
