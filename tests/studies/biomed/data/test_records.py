"""The rows of questions: items tell nothing of the answer, gold holds it, prompts are two turns or one text."""

import pytest
from support_biomed_data import read_rows

from harness.studies.biomed.data.records import JOINED, BenchmarkQuestion, write
from harness.studies.biomed.facts import fact

PHASE = fact("phase", "integer", 4)
ONE = BenchmarkQuestion(
    "T05.1", "Is A approved for B?", "Yes.", "T05", ("Drug Meta",), ("Select",), "D_1", yes_no=True, yes=True,
    facts=(PHASE,),
)  # fmt: skip
TWO = BenchmarkQuestion("Q2.1", "How frequent is C?", "0.1.", "Q2", (), ("Select",))
SYSTEM = "Be brief."


@pytest.fixture
def made(tmp_path):
    """Write questions, and read the outputs that are named."""

    def rows_of(*names, **how):
        write([ONE, TWO], tmp_path, system=SYSTEM, **how)
        return read_rows(tmp_path, *names)

    return rows_of


def test_an_item_holds_question_labels_and_kind(made):
    [[one, two]] = made("items")
    assert one == {
        "id": "T05.1", "task": "biomed", "input": {"question": "Is A approved for B?"}, "difficulty": None,
        "meta": {"template": "T05", "biological": ["Drug Meta"], "reasoning": ["Select"], "yes_no": True},
    }  # fmt: skip
    assert two["meta"]["yes_no"] is None


def test_gold_holds_answer_source_and_facts_where_a_template_made_them(made):
    [[one, two]] = made("gold")
    assert one == {"id": "T05.1", "gold": {"target": "Yes.", "source": "D_1", "yes": True, "facts": [PHASE]}}
    assert two == {"id": "Q2.1", "gold": {"target": "0.1.", "source": "", "yes": None}}


def test_a_prompt_is_the_system_turn_and_the_bare_question(made):
    [[one, _]] = made("rendered")
    assert (one["item"], one["template"], "text" in one) == ("T05.1", 1, False)
    assert one["messages"] == [
        {"role": "system", "content": SYSTEM}, {"role": "user", "content": "Is A approved for B?"},
    ]  # fmt: skip


def test_joined_turns_are_one_text_with_nothing_in_between(made):
    [[one, _]] = made("rendered", turns=JOINED)
    assert (one["text"], "messages" in one) == ("Be brief.Is A approved for B?", False)


def test_either_form_of_a_prompt_has_the_same_digests(made):
    [[messages, _]], [[joined, _]] = made("rendered"), made("rendered", turns=JOINED)
    assert messages["meta"] == joined["meta"]


def test_counts_say_how_many_questions_are_kept_and_what_else_there_is(made):
    [[counts]] = made("counts", counts={"rows": 7})
    assert counts == {"biomed": {"absent": 0, "rows": 7, "kept": 2}}
