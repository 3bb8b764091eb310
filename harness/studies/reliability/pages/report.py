"""The HTML report of a run: its tables and figures, their basis, and warnings on how to read them.

Uses the documents of the analyses and the drawn figures; sees no items or responses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.kit.documents import documents, number, section
from harness.kit.pages import Html, bullets, el, fill, join, mark_limited, named
from harness.kit.report import MANIFEST, figure, head, report
from harness.studies.reliability.pages import outputs, tables, tables_means, tables_run
from harness.studies.reliability.pages.cards import COLOURS, OVERREACH, WARNINGS, origin
from harness.studies.reliability.pages.certificate import CERTIFICATE, certificate
from harness.studies.reliability.pages.fragments import MARKS, part, people
from harness.studies.reliability.pages.model_facts import Basis, Models, basis, families
from harness.studies.reliability.pages.tables import Documents, TableLine

DOCUMENTS = (
    "indicators",
    "proportions",
    "sensitivity",
    "breakdowns",
    "comparisons",
    "scaling",
    "people",
    "checks",
)
TITLE = "Reliability of language models"
QUESTION = (
    "How often is a model right, silent or wrong as questions get harder for people, and how much does that hang on "
    "the wording? Each response is labelled correct, avoidant or incorrect; prudent is what is not incorrect."
)
BENCHMARK = """<h3>{{ title }}</h3>{{ six }}\
<details><summary>{{ title }}: difficulty, counts, companions</summary>{{ more }}</details>"""


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the report of the run as one HTML file, with the SVG figures among the inputs inlined."""
    given = documents(inputs, DOCUMENTS)
    figures = {
        name: inputs[name].read_text(encoding="utf-8")
        for name in outputs.figures(params["models"])
        if name.endswith(".svg") and name in inputs
    }
    rests, certified = basis(params, given["indicators"]), inputs.get(CERTIFICATE)
    made = page(params["models"], given, figures, rests, certified, params.get(MANIFEST))
    (out / outputs.REPORT).write_bytes(mark_limited(made, params))


def page(
    models: Models,
    given: Documents,
    figures: Mapping[str, str],
    rests: Basis,
    certified: Path | None = None,
    manifest: Mapping[str, Any] | None = None,
) -> bytes:
    """Return the report's HTML from models' facts, documents, figures (file name to SVG text), basis, certificate."""
    parts = {
        "Are the rules sound?": [*tables_run.soundness(given), *certificate(certified)],
        "Six indicators": tables_means.means(models, given, OVERREACH),
        "Figures": [_figure(name, svg) for name, svg in figures.items()],
        "Benchmark by benchmark": [_benchmark(name, models, given) for name in _all(given, "benchmarks")],
        "Parts of benchmarks": [_benchmark(name, models, given) for name in _all(given, "parts")],
        "Kinds of avoidance": tables_run.avoidance(given),
        "Models against each other": tables_run.comparisons(given),
        "Training compute": tables_run.scaling(given),
        "People": tables_run.people(given),
        "A card for each model": [_models(models)],
        "What this rests on": [_rests(rests, given)],
    }
    return report(
        TITLE,
        QUESTION,
        parts,
        origin=origin(rests),
        head=head(manifest or {}, models),
        notes=_notes(rests, given),
    )


def _notes(rests: Basis, given: Documents) -> Iterable[str]:
    yield from (rests.warning,) if rests.planted else ()
    yield from () if rests.calibrated else (f"{rests.scale} The concordance cannot be compared with published values.",)
    yield from (people(given["people"]),) if given["people"].get("simulated") is True else ()
    yield from WARNINGS


def _all(given: Documents, place: str) -> list[str]:
    return sorted(section(given["indicators"], place))


def _lines(models: Models, benchmark: str) -> list[TableLine]:
    return [TableLine(model, model, benchmark) for members in families(models).values() for model in members]


def _benchmark(name: str, models: Models, given: Documents) -> Html:
    """Return one benchmark, or a part of one: its six indicators, and below them difficulty, counts and companions."""
    title = part(name)
    lines = [line for line in _lines(models, name) if line.entry(given["indicators"])]
    more = [
        tables.difficulty(f"{title}: along difficulty, 0 to 100. {COLOURS}", "Model", lines, given),
        tables.asked(
            f"{title}: what was asked and what came back; kinds of avoidance as counts", "Model", lines, given
        ),
        tables.companions(f"{title}: what stability and concordance are read against", "Model", lines, given),
    ]
    shown = tables.six(f"{title}: six indicators, 0 to 100, with their intervals", "Model", lines, given)
    return fill(BENCHMARK, title=title, six=shown, more=join(more))


def _figure(name: str, svg: str) -> Html:
    stem, title = Path(name).stem, outputs.title(name)
    sheet = stem.removeprefix(next(kind for kind in outputs.TITLES if stem.startswith(kind))).strip("-")
    words = f"{title} ({sheet})" if sheet else title
    return figure(svg, stem, words)


def _models(models: Models) -> Html:
    files, shown = outputs.card_names(models), [model for members in families(models).values() for model in members]
    return bullets(el("a", named(model), href=files[model]) for model in shown)


def _rests(rests: Basis, given: Documents) -> Html:
    discounts = section(given["indicators"], "discount")
    said = [rests.rules, rests.scale, rests.intervals, people(given["people"])]
    words = "Taken off the concordance for guessing, of what does not avoid:"
    said += [f"{words} {number(share):g} on {name}." for name, share in sorted(discounts.items()) if number(share)]
    return bullets([*said, *MARKS, "Means are over benchmarks, not over pooled items."])
