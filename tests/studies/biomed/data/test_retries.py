"""Retries as published: which replies have failed, what is stored after three of them, and the sleeps."""

import pytest

from harness.errors import InputError
from harness.studies.biomed.data.retries import retried
from harness.studies.biomed.terms import FAILED


def test_the_first_valid_reply_is_stored():
    assert retried("q", ["Error in a", "Error in b", "fine", "never asked"]) == ("fine", 3, [2, 4])


def test_the_last_failure_is_slept_upon_and_stored_with_the_question():
    found = retried("What?", ["Error in a", "Error in b", "Error in c"])
    assert found.delays == [2, 4, 8]
    assert found.result == f"{FAILED} for 'What?' after 3 retries. Last error: Error in c"


def test_an_answer_that_holds_the_words_is_taken_for_a_failure():
    assert retried("q", ["It is an Error in the gene map."]).result.startswith(FAILED)


@pytest.mark.parametrize("reply", ["error in lower case", "ERROR IN", "", "Model or tokenizer not initialized."])
def test_other_words_of_failure_are_answers(reply):
    assert retried("q", [reply]) == (reply, 1, [])


def test_numbers_of_the_caller_are_taken():
    assert retried("q", ["Error in a"], retries=2, initial_delay=5).delays == [5, 10]


def test_too_few_replies_are_refused():
    for replies, repeat in (([], True), (["Error in a"], False)):
        with pytest.raises(InputError, match="no reply to query"):
            retried("q", replies, repeat=repeat)


@pytest.mark.parametrize("how", [{"retries": 0}, {"retries": 61}, {"initial_delay": -1}])
def test_numbers_out_of_bounds_are_refused(how):
    with pytest.raises(InputError, match="out of bounds"):
        retried("q", ["x"], **how)
