"""What a fit may be asked for: a model's bands, how it is fitted, and room for what its search begins with."""

from __future__ import annotations

import pytest
from studies.brain.fitting.small_fit import PARAMS
from support_cases import each_of

from harness.errors import InputError
from harness.studies.brain.fitting.requests import asked_model, request
from harness.studies.brain.fitting.step import search_settings


def test_a_models_text_is_its_bands_and_the_way_it_is_fitted():
    model = asked_model("SP+SL&WORD+minilm@3", "P")
    assert (model.bands, model.method) == (("SP", "SL&WORD", "minilm@3"), "banded")
    plain = asked_model("OASM@2.2!plain", "H")
    assert (plain.text, plain.bands, plain.method) == ("OASM@2.2!plain", ("OASM@2.2",), "plain")


@each_of(
    ("text", "generation", "says"),
    [
        ("SP++SL", "P", "names no model"),
        ("", "P", "names no model"),
        ("SP+SP", "P", "names no model"),
        ("intercept", "P", "fitted always"),
        ("a/b", "P", "no array can be called"),
        ("+".join(f"long_name_{n}" for n in range(20)), "P", "no array can be called"),
        ("SP!ridge", "H", "'ridge' is not known"),
        ("SP!", "H", "'' is not known"),
        ("SP!plain", "P", "as generation H does"),
        ("SP!ols", "P", "as generation H does"),
        ("SP+SL!plain", "H", "weighs no bands"),
    ],
)
def test_what_is_no_model_is_refused(text, generation, says):
    with pytest.raises(InputError, match=says):
        asked_model(text, generation)


@each_of(
    ("params", "says"),
    [
        ({"generation": "Q"}, "'Q' is not known"),
        ({"dtype": "float16"}, "'float16' is not known"),
        ({"iterations": 0}, "0 iterations"),
        ({"iterations": 1001}, "1001 iterations"),
        ({"models": ["A", "A"]}, "named twice"),
        ({"models": ["A+B+C"], "iterations": 6}, "7 subsets"),
        ({"models": ["A+B", "A+B+C", "A+C"], "iterations": 2}, "'A\\+B\\+C' has 7 subsets"),
        ({"errors": ["B"]}, "no model 'B' is fitted"),
    ],
)
def test_a_request_that_cannot_be_met_is_refused(params, says):
    with pytest.raises(InputError, match=says):
        request({**PARAMS, **params})


def test_all_subsets_come_first_in_generation_p_where_bands_are_weighed():
    of = {name: request({**PARAMS, "generation": name, "models": ["A", "A+B"], "iterations": 3}) for name in "PH"}
    begins = {name: [asked.all_subsets(model) for model in asked.models] for name, asked in of.items()}
    assert begins == {"P": [False, True], "H": [False, False]}
    assert [of["P"].gammas(model) for model in of["P"].models] == [1, 3]
    assert [search_settings(of["P"], model).stop_from for model in of["P"].models] == [0, 4]


def test_generations_have_their_own_alphas():
    of = {name: request({**PARAMS, "generation": name}).alphas for name in "PH"}
    assert (len(of["P"]), max(of["P"]), min(of["P"])) == (40, 2.0**34, 2.0**-5)
    assert (len(of["H"]), max(of["H"]), min(of["H"])) == (26, 2.0**19, 0.0)


def test_an_intercept_may_be_named_where_errors_are_wanted():
    assert request({**PARAMS, "errors": ["intercept", "A"]}).errors == ("intercept", "A")
