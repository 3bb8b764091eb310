"""The tables of the check whether sums over tokens of an untrained model reveal a sentence's length (OURS)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.documents import section
from harness.kit.pages import Html, count, el, join, named, table
from harness.studies.brain.pages.figures_length import POOLS, ordered, variant
from harness.studies.brain.pages.fragments import score, share
from harness.studies.brain.pages.run_basis import BrainRun

READING = (
    "The paper argues (appendix A.9): a GELU gives more than 0 on average, so a sum over the tokens of a sentence "
    "holds that mean once for each, and with it the sentence's length, in a model that nothing trained. Here a small "
    "model with random weights reads random tokens (OURS): the length ought to be there with a GELU, and not with "
    "an odd function or with a mean over tokens; and positions alone may tell it too."
)


def length(run: BrainRun) -> list[Html]:
    """Return the tables of the check; empty without the document."""
    document = run.document("length_check")
    body = [
        [
            join([variant(name)]),
            *(
                score(section(document, "variants", name, pool).get(side), 3)
                for pool in POOLS
                for side in ("least", "most", "shuffled")
            ),
        ]
        for name in ordered(document)
    ]
    if not body:
        return []
    sides = ("least", "most", "lengths dealt out at random")
    head = ["Model", *(f"{pool.capitalize()} over tokens, {side}" for pool in POOLS for side in sides)]
    words = "R2 out of sample of a sentence's length, over seeds and layers above the embedding (OURS)"
    sizes = ", ".join(f"{name} {value}" for name, value in section(document, "sizes").items())
    about = [el("p", "Sizes: ", named(sizes), ".", _near_ties(document), class_="soft")] if sizes else []
    return [el("p", READING, class_="soft"), table(words, head, body), *_account(run), *about]


def _near_ties(document: Mapping[str, Any]) -> Html | None:
    told = section(document, "near_ties")
    return (
        join(
            [
                " Near ties among the penalties that were chosen: ",
                count(told.get("near_ties")),
                " of ",
                count(told.get("choices")),
                ".",
            ]
        )
        if told
        else None
    )


def _account(run: BrainRun) -> Iterator[Html]:
    account = section(run.document("length_check"), "account")
    means = ("spread", "mean_expected", "mean_measured")
    body = [
        [
            join(["layer ", named(name)]),
            *(score(own.get(key), 3) for key in means),
            *(share(own.get(key)) for key in ("share_expected", "share_dealt", "share_measured")),
        ]
        for name in sorted(account, key=lambda name: (len(name), name))
        if (own := section(account, name))
    ]
    head = [
        "MLP of",
        "Spread of what enters",
        "Mean of a GELU of it, expected",
        "Mean, measured",
        "Share along the mean, expected",
        "Tokens dealt out",
        "Measured",
    ]
    if body:
        yield table("The mean of a GELU, and how much of a sum over tokens lies along it (OURS)", head, body)
