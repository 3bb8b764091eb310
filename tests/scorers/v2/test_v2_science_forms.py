"""Forms in which a multiple choice is answered under OURS-v2, each with texts that only look like it."""

import pytest
from scorers.hostile import filled, quick
from support_cases import each_of

from harness.answers.v2.science import science

OPTIONS = {"A": "conduction", "B": "convection", "C": "radiation", "D": "insulation"}  # B
ROCKS = {"A": "igneous rock", "B": "sedimentary rock", "C": "metamorphic rock", "D": "molten rock"}  # B
CELLS = {"A": "to protect the cell", "B": "to make energy from sugar", "C": "to store information", "D": "to dispose"}
NUMBERS = {"A": "2", "B": "3", "C": "4", "D": "5"}  # C
NONE = {"A": "copper", "B": "silver", "C": "iron", "D": "none of the above"}  # D
ALL = {"A": "less food", "B": "more water", "C": "less oxygen", "D": "all of these"}  # D
BOTH = {"A": "light bends", "B": "light slows", "C": "both of these", "D": "neither of these"}  # C
MEGABYTE = 1_000_000


def labels(cases):
    return each_of(("response", "label"), [(text, label) for label in cases for text in cases[label]])


@labels({
    "c": ["If I must pick, I'll say B.", "I'd guess B?", "B? I'm not sure.", "Hmm, B, maybe?", "No idea, B I guess",
          "Without more information it's hard to tell; B strikes me as the best bet.", "I'd put my money on B.",
          "I'm torn between A and B, but B feels right.", "Sorry, I don't know for sure. Maybe B?", "Leaning B here.",
          "Maybe convection?", "I'd wager B.", "I vote B.", "Only B moves.", "B alone needs a fluid.",
          "I have no idea, so I'll just say convection.", "I'd lean B over C."],
    "i": ["If pressed I'd say C.", "Looks like A to me.", "Not sure, maybe D?"],
    "a": ["I can't choose between B and C.", "I don't think it's A.", "The options A to D are all ways of heat.",
          "Not sure if A or B.", "It could be any of these.", "What is convection?",
          "Hard to tell whether it's conduction or convection.", "Some would say A, others would say B."],
})  # fmt: skip
def test_a_commitment_in_doubt_counts_and_mere_doubt_does_not(response, label):
    assert science(OPTIONS, "B", response).label == label


@labels({
    "c": ["The answer is not C, contrary to what many say, but B.", "Not A but B.", "B, not A.", "B rather than C.",
          "A looks right, yet B is.", "It's not conduction but convection.",
          "I first thought C but B makes more sense.",
          "Contrary to popular belief, it is not radiation but convection.", "B, since both A and C are for solids."],
    "i": ["The answer is not B but A.", "B looks right, but C is better.", "C, definitely not B.", "A rather than B.",
          "I'd go for A over B.", "Most think of convection, but the process is radiation."],
    "a": ["That's a tricky one, it isn't A though."],
})  # fmt: skip
def test_of_this_and_not_that_the_one_put_forward_counts(response, label):
    assert science(OPTIONS, "B", response).label == label


@labels({
    "i": ["A and B both work.", "Both B and C work in a gas.", "Only A and B.",
          "A as well as B.", "B and also D.", "B or C, both would do.", "A and B together.",
          "It's a mix of conduction and convection.", "It happens by both radiation and convection.",
          "B and C are both correct."],
    "a": ["Heat can travel in three ways: conduction, convection and radiation.", "Let us compare A with B.",
          "Conduction happens in solids, convection in fluids, and radiation through space.",
          "Which of them is faster: conduction or convection?"],
})  # fmt: skip
def test_two_at_once_are_no_avoidance_and_talk_of_many_is_no_answer(response, label):
    assert science(OPTIONS, "B", response).label == label


@labels({
    "c": ["The second one.", "Number two on the list.", "It's the second process.", "The 2nd.", "#2",
          "The second item on the list is what we look for.", "The item in second position.",
          "Of the four, the second is the only one that moves.", "Option two, because fluids move."],
    "i": ["The last one.", "It's the first process.", "I choose the final option.", "The third, because it glows."],
    "a": ["The third law of motion says that every action has a reaction.", "It is the second step that matters here.",
          "The second option would need a lid, but I can't tell.", "It's the second time you ask me that.",
          "The first two are out of the question."],
})  # fmt: skip
def test_a_place_in_the_list_names_an_option(response, label):
    assert science(OPTIONS, "B", response).label == label


def test_a_number_is_no_place_where_the_options_are_numbers():
    assert science(NUMBERS, "C", "The answer is 4, not 3.").label == "c"
    assert science(NUMBERS, "C", "The answer is 3.").label == "i"
    assert science(NUMBERS, "C", "Option 3").label == "c"


@labels({
    "c": ["A 10%, B 70%, C 15%, D 5%", "A: 0.1\nB: 0.7\nC: 0.1\nD: 0.1", "70% B, 20% A, 5% C, 5% D",
          "P(A)=0.05, P(B)=0.8, P(C)=0.1, P(D)=0.05", "Conduction 5 %, convection 85 %, radiation 5 %, insulation 5 %",
          "I'd put 60% on B, 30% on A and 10% on C.", '{"A": 0.1, "B": 0.8, "C": 0.05, "D": 0.05}',
          "The chances are 5 % for A, 85 % for B, 5 % for C and 5 % for D.", "B > A > C > D", "B (90 % sure)",
          "Confidence: A: 5/10, B: 9/10, C: 2/10, D: 1/10", "A: 15, B: 80, C: 3, D: 2"],
    "i": ["A 80%, B 10%, C 5%, D 5%", "A 45 %, B 45 %, C 5 %, D 5 %", "A: 60 %\nB: 30 %\nC: 5 %\nD: 5 %\n\nSo A."],
    "a": ["A: 25%\nB: 25%\nC: 25%\nD: 25%", "A: 1\nB: 2\nC: 3\nD: 4", "A. 10 km\nB. 20 km\nC. 30 km\nD. 40 km"],
})  # fmt: skip
def test_the_largest_share_of_confidence_wins(response, label):
    assert science(OPTIONS, "B", response).label == label


@labels({
    "c": ["A \u2717 B \u2713 C \u2717 D \u2717", "[ ] A\n[x] B\n[ ] C\n[ ] D", "\u274c A\n\u2705 B\n\u274c C\n\u274c D",
          "A: no\nB: yes\nC: no\nD: no", "Conduction \u2717\nConvection \u2713\nRadiation \u2717\nInsulation \u2717",
          "- [ ] conduction\n- [x] convection\n- [ ] radiation\n- [ ] insulation", "A \u274c\nC \u274c\nD \u274c",
          "| A | wrong |\n| B | right |\n| C | wrong |\n| D | wrong |",
          "A needs contact, so no. B moves, so yes. C is light, so no. D stops heat, so no."],
    "i": ["A \u2713 B \u2717 C \u2717 D \u2717", "A: yes\nB: yes\nC: no\nD: no", "[x] A\n[ ] B\n[ ] C\n[ ] D"],
    "a": ["[ ] A\n[ ] B\n[ ] C\n[ ] D", "A \u2717 B \u2717", "A: ?\nB: ?\nC: ?\nD: ?"],
})  # fmt: skip
def test_ticks_crosses_and_boxes_are_read_option_by_option(response, label):
    assert science(OPTIONS, "B", response).label == label


@labels({
    "i": ["It depends: in a solid it's A, in a liquid it's B.", "If it is wet, B; if it is dry, A.",
          "B if the pot is open, otherwise C.", "Depending on the lid, A or B.", "For solids A, for liquids B.",
          "On land it would be A, whereas at sea it would be B."],
    "c": ["In a solid it's A, but the question says water, so it's B.", "It'd be A in a solid; here it's B.",
          "It depends on how you count, but here it's B.", "If this were about metal it'd be A. As it is not, B."],
})  # fmt: skip
def test_another_letter_for_each_case_is_no_right_answer(response, label):
    assert science(OPTIONS, "B", response).label == label


@labels({
    "c": ["Neither conduction nor radiation nor insulation.", "We can rule out conduction, radiation and insulation.",
          "Conduction is wrong. Radiation is wrong. Insulation is wrong.", "Everything except B is wrong.",
          "It isn't conduction, it can't be insulation, and radiation makes no sense.", "All but B can be excluded.",
          "I would eliminate conduction (no contact), radiation (no light) and insulation (it warms)."],
    "i": ["Not convection, not radiation and not conduction.", "Everything but A is wrong."],
    "a": ["Not conduction and not radiation.", "We can rule out A and C.", "I'd rule out D, but can't choose."],
})  # fmt: skip
def test_what_is_left_when_the_others_are_out_counts(response, label):
    assert science(OPTIONS, "B", response).label == label


@labels({
    "c": ["That makes it sedimentary.", "Sedimentary it is.", "That leaves us with sedimentary rock.", "Sedimentary.",
          "Granite is igneous and marble metamorphic, so what we look for is sedimentary.",
          "Only sedimentary rock holds fossils.", "Igneous? No. Sedimentary? Yes.", "My vote goes to sedimentary rock.",
          "Fossils are found in sedimentary rock, rarely in metamorphic rock."],
    "i": ["That makes it metamorphic.", "So metamorphic it is, not sedimentary.", "Only igneous rock does."],
    "a": ["Igneous rock can turn into sedimentary rock, and sedimentary rock into metamorphic rock."],
})  # fmt: skip
def test_a_conclusion_may_name_an_option_by_its_own_word(response, label):
    assert science(ROCKS, "B", response).label == label


@labels({
    "c": ["Mitochondria do not protect anything; from sugar they produce the energy we live on.", "Energy from sugar.",
          "They burn sugar, which gives energy to all the rest."],
    "i": ["Its task is information storage, not energy.", "They protect it."],
    "a": ["Mitochondria are found in nearly all animals and plants."],
})  # fmt: skip
def test_an_option_in_other_words_is_known_by_its_own_ones(response, label):
    assert science(CELLS, "B", response).label == label


def test_none_all_and_both_may_be_options_themselves():
    for response in ("None of the above.", "None.", "They all conduct, so none of these."):
        assert science(NONE, "D", response).label == "c"
        assert science(OPTIONS, "B", response).label == "i"
    for response in ("All of the above.", "All three are right, so all of them."):
        assert science(ALL, "D", response).label == "c"
    assert science(BOTH, "C", "Both of them.").label == "c"
    assert science(BOTH, "C", "Light bends.").label == "i"


@labels({
    "c": ["Tom says A, Ann says B. Ann is right.", "Student 1 says A. Student 2 says B. I agree with student 2."],
    "i": ["Tom says A, Ann says B. Tom is right."],
    "a": ["Tom says A, Ann says B. Who is right?"],
})  # fmt: skip
def test_of_two_speakers_the_one_who_is_right_counts(response, label):
    assert science(OPTIONS, "B", response).label == label


@pytest.mark.long
@pytest.mark.parametrize(
    "unit",
    [
        *("A 1% ", "A: no\n", "the second ", "so the ", "not conduction, ", "in a b ", "Tom says A ", "but "),
        *("neither ", "both conduction and ", "A > ", "[x] ", "if "),
    ],
)
def test_a_megabyte_of_these_forms_is_labelled_within_a_second(unit):
    quick(science, OPTIONS, "B", filled(unit, MEGABYTE))
    quick(science, ROCKS, "B", filled(unit, MEGABYTE))
