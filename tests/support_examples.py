"""How many examples a property is tried with: by the profile that runs, and by what one example costs."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

# `make test`, `make test-all`, `make test-night`, `make fuzz`
PROFILES = {"short": 20, "long": 200, "night": 200, "fuzz": 2_000}


def register_profiles() -> None:
    """Make the profiles known; `short` holds until `--hypothesis-profile` names another.

    Fuzzing alone draws other examples each time; what it finds becomes an `@example`. None has a
    deadline: how long an example takes says how busy a machine is.
    """
    for name, count in PROFILES.items():
        settings.register_profile(name, deadline=None, max_examples=count, derandomize=name != "fuzz")
    settings.load_profile("short")


def known_values_alone() -> None:
    """Keep Hypothesis from reading every module that is loaded for numbers and texts to try.

    Which modules are loaded depends on what else is collected, so that a test would be tried with other examples alone
    than among others; and to read them takes a worker seconds. Fuzzing, and the night, have them.
    """
    from hypothesis.internal.conjecture import providers

    nothing = providers._local_constants
    vars(providers)["_get_local_constants"] = lambda: nothing


def examples(times: float = 1.0, **more: Any) -> settings:
    """Give settings with a multiple of the profile's examples: more where cases are many, fewer where each is slow."""
    return settings(max_examples=max(1, round(times * settings().max_examples)), **more)
