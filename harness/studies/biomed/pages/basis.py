"""The part of the page about what a run rests on: mode, source of questions, sampling, split and labels.

It also lists what of the paper is missing here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import Html, bullets, count, el, folded, percent, table, word_table
from harness.studies.biomed.pages.fragments import plain, spelled
from harness.studies.biomed.pages.page_facts import KINDS, MODE, PageFacts
from harness.studies.biomed.terms import REPOSITORY

PAPER_NAME = "CARDBiomedBench (bioRxiv 2025.01.15.633272)"
CHANGES = (
    (
        "Requests that failed",
        "their error text is graded like an answer, and mostly counts as not knowing",
        "outside of every rate, and counted beside",
    ),
    (
        "Answers that could not be graded",
        "in the denominators of AR and RQR; one leaves no interval of BioScore",
        "outside of every rate, and counted beside",
    ),
    (
        "Answers that a safety filter stopped",
        "graded like any other text",
        "a state of their own: in the denominators of AR and RQR, and never an abstention",
    ),
    ("A grader's reply", "the first number in it", "one grade and nothing else, or the answer is ungraded"),
    (
        "Intervals",
        "four recipes, SR's over more answers than its proportion, none of them by template",
        "two for each rate: for other answers to these templates, and for other templates",
    ),
    ("Safety by category", "a share of abstentions, under the name of safety", "SR by its formula"),
    ("Categories on few answers", "left out for all models where the first model has too few", "NA in that cell alone"),
    ("Positions on chromosome 0, genes called NONE", "taken as they are", "missing, and nothing is claimed of them"),
    ("T24: alleles that raise the risk", "by b_SMR, an effect of expression", "by b_GWAS, the effect of the allele"),
    ("T30: the top SNP by SMR", "no test for heterogeneity, as the published answer", "that test passed, as its query"),
)
SPLIT: Mapping[str, str] = {
    "split": "Split",
    "part": "Part that was asked",
    "test": "Questions of test",
    "train": "Questions of train",
    "overlap": "Rows of train that are in test",
    "same_question": "Rows of train with the text of one in test",
    "in_neither": "Rows in neither",
}
TOLD: Mapping[str, str] = {
    "source": "Source",
    "rows": "Rows of the file",
    "kept": "Questions",
    "dropped": "Dropped rows",
    "empty_labels": "Empty labels",
    "unlabelled": "Without a label",
    "other_labels": "Labels that the paper lacks",
    "system_prompt": "System prompt",
    "system_prompt_sha256": "SHA-256 of it",
    "without_table": "Templates whose tables were not given",
    "without_question": "Templates without a question",
}
NOT_HERE = (
    "The manual error analysis: people read answers and named what was wrong. No program here can do that, and of the "
    "human grades that were found published there are scores alone. In its place stand answers by state, the "
    "disagreements of graders, and the list of published answers held to be false.",
    "Figures S2 and S3: their data and how they are made are not in what this study was built from, so nothing is "
    "drawn under their names. Figure S7 shows six graded answers; they are among the golden cases.",
    "The values inside the paper's heat maps and box plots, which exist as images alone.",
    "Tokens of o200k_base: its vocabulary must be fetched; lengths are words between white space.",
)


def basis(run: PageFacts, dataset: Mapping[str, Any], counts: Mapping[str, Any], version: Any) -> list[Html]:
    """Return HTML about what the run rests on, how its questions were made, and what of the paper is missing."""
    said = [
        MODE.get(run.mode, run.mode),
        f"Version of the rules: {version}." if isinstance(version, str) else "",
        f"Published code: {REPOSITORY[0]} at commit {REPOSITORY[1][:12]}.",
    ]
    head = ["What", "Paper mode: as the published code", "Strict mode (OURS)"]
    return [
        bullets(each for each in said if each),
        word_table("What strict mode changes", head, CHANGES),
        *_counted(counts),
        *_split(counts),
        *_templates(dataset, counts),
        *_labels(dataset),
        *_yes_no(dataset),
        el("h3", "What of the paper is not here"),
        bullets(NOT_HERE),
    ]


def origin(counts: Mapping[str, Any], dataset: Mapping[str, Any]) -> str:
    """Return one sentence that says where the questions of this run come from."""
    known = number(dataset.get("n")) if dataset else number(counts.get("kept"))
    size = "questions" if known is None else f"{known:,.0f} questions"
    source = str(counts.get("source", ""))
    if source == "published":
        return f"A re-implementation of {PAPER_NAME} on {size} of a published file."
    if not source:
        return f"A re-implementation of {PAPER_NAME}."
    return f"A re-implementation of {PAPER_NAME} on {size} of our own, made from {source}: not a replication."


def _counted(counts: Mapping[str, Any]) -> Iterator[Html]:
    lines = [f"{words}: {spelled(counts[name]) or 'none'}" for name, words in TOLD.items() if name in counts]
    yield bullets(lines) if lines else el("p", "How the questions were made was not counted.")


def _split(counts: Mapping[str, Any]) -> Iterator[Html]:
    if "overlap" not in counts:
        yield el("p", "No split into test and train was made for this run, so no overlap was counted.")
        return
    body = [[words, spelled(counts[name])] for name, words in SPLIT.items() if name in counts]
    yield table("The split into test and train", ["What", "Here"], body)
    if number(counts.get("overlap")):
        words = "The official split makes train of the last rows of the file, whether they are in test or not."
        yield el("p", f"{words} Who trains on it has seen questions of test.", class_="note", role="note")


def _templates(dataset: Mapping[str, Any], counts: Mapping[str, Any]) -> Iterator[Html]:
    asked, made = section(dataset, "templates"), section(counts, "templates")
    if not asked:
        return
    body = [
        [
            name,
            *(count(section(made, name).get(each)) for each in ("candidates", "candidates_yes", "drawn")),
            count(asked.get(name, 0)),
        ]
        for name in dict.fromkeys((*made, *asked))
    ]
    small = number(dataset.get("n_small_templates")) or 0
    title = f"Questions by template: {small:,.0f} of {len(asked):,} have fewer than 270, as many as published"
    head = ["Template", "Candidates", "Of these yes", "Drawn", "Asked here"]
    yield folded(title, table("How the questions of each template were sampled", head, body))


def _labels(dataset: Mapping[str, Any]) -> Iterator[Html]:
    for kind, words in KINDS.items():
        found = section(dataset, "labels", kind)
        first = section(found, "primary")
        body = [
            [
                str(row.get("label")),
                count(row.get("n")),
                percent(row.get("share")),
                count(first.get(str(row.get("label")), 0)),
            ]
            for row in found.get("counts") or []
        ]
        if body:
            title = f"Questions by {words}"
            head = ["Category", "Questions", "Share of labels", "As the first label"]
            yield folded(title, table(f"{title}: a question counts once in every label it carries", head, body))


def _yes_no(dataset: Mapping[str, Any]) -> Iterator[Html]:
    found = section(dataset, "yes_no")
    if number(found.get("n")):
        said, yes, no = plain(found.get("n"), 0), plain(found.get("always_yes")), plain(found.get("always_no"))
        words = (
            f"{said} questions are of yes or no. Shares that one word throughout would get right: yes {yes}, no {no}."
        )
        yield el("p", words)
