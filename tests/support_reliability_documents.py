"""Documents of the reliability study made by hand in the shapes of its analyses, and a reader of pages made of them."""

from __future__ import annotations

import math
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

from harness import rows

BENCHMARKS = ("addition", "anagram", "locality", "science", "transforms")
PARTS = {
    "science:obqa": "science",
    "science:gpqa": "science",
    "anagram:target_only": "anagram",
    "locality:true_target_kept": "locality",
}
SIX = tuple(
    f"{side}_{what}" for what in ("proportion", "stability", "concordance") for side in ("correctness", "prudence")
)
SHARES = ("correct", "avoidant", "incorrect")
VALUES = (*SIX, "ultracrepidarianism", *SHARES)


def model(family, shaped=None, flops=None, provider="transformers"):
    facts = {"family": family, "provider": provider, "stand_in": provider == "baseline"}
    facts |= {} if shaped is None else {"shaped": shaped}
    return facts | ({} if flops is None else {"flops": flops})


COMPUTE = {"7b": "4.02e22", "13b": "7.80e22", "70b": "8.40e23"}
TEN = {
    **{f"base-{size}": model("Base", "false", flops) for size, flops in COMPUTE.items()},
    **{f"base-{size}-chat": model("Base", "true", flops) for size, flops in COMPUTE.items()},
    "hosted-1": model("Hosted", "true", provider="openai"),
    "hosted-2": model("Hosted", "true", provider="openai"),
    "oracle": model("stand-ins", provider="baseline"),
    "refuser": model("stand-ins", provider="baseline"),
}
ONE = {"lonely": model("Base", "false")}
HOSTILE = {
    name: model(family, "true", "1e22")
    for name, family in (
        ("<script>alert(1)</script>", "</style><script>"),
        ("]]>&amp;\"'", "-->"),
        ("m" * 400, "f" * 300),
        ("\u202edetsurt\u202c שלום مرحبا", "משפחה"),
        ("$\\frac{1}{2}$ \u4e2d\u6587", "$x$"),
        ("nul\x00and\x1bescape\nline", "a\tb"),
    )
}
THIRTEEN = {  # one more than a sheet holds
    **{f"gpt-{n}": model("GPT", "false" if n < 4 else "true", f"{n + 1}e21" if n < 4 else None) for n in range(5)},
    **{f"llama-{n}b": model("LLaMA", "false" if n < 2 else "true", f"{n + 1}e22") for n in range(4)},
    **{f"bloom{'z' * (n % 2)}-{n}b": model("BLOOM", "true" if n % 2 else "false", f"{n + 1}e21") for n in range(4)},
}


def statistic(value, half=8.0, most=100.0, **more):
    return {"value": value, "interval": [max(0.0, value - half), min(most, value + half)], "degenerate": False, **more}


def shares(place, shaped, benchmark, at):
    skill = 0.2 + 0.07 * place % 0.7 + 0.05 * BENCHMARKS.index(benchmark)
    right = 1 / (1 + math.exp((at - 100 * skill) / 12))
    silent = (1 - right) * (0.25 if shaped else 0.6)
    return dict(zip(SHARES, (right, silent, 1 - right - silent), strict=True))


def curve(place, shaped, benchmark, bins=30):
    ends = [(100 * at / bins, 100 * (at + 1) / bins) for at in range(bins)]
    table = [
        {"n": 5, "n_scored": 75, "difficulty": (low + high) / 2, "low": low, "high": high}
        | shares(place, shaped, benchmark, (low + high) / 2)
        for low, high in ends
    ]
    total = {name: sum(each[name] for each in table) / bins for name in SHARES}
    sizes = {"n_items": 5 * bins, "n_bins": bins, "n_scored": 75 * bins, "errors": place}
    return {"bins": table, **sizes, "degenerate": False, **total}


def cell(place, shaped, benchmark):
    whole = curve(place, shaped, benchmark)
    found = {name: statistic(20 + (7 * place + 11 * at) % 75) for at, name in enumerate(SIX)}
    for side in ("correctness", "prudence"):
        found[f"{side}_stability"] |= {"noise_floor": 100 / 15, "corrected": 40.0}
        more = {"flat_curve": 66.7, "difficulty_range": [0.02, 0.98], "spread": 0.4}
        found[f"{side}_concordance"] = statistic(62 + (3 * place) % 35, **more)
    found |= {name: statistic(whole[name], 0.02, 1.0) for name in SHARES}
    found["ultracrepidarianism"] = statistic(0.4 + 0.03 * place, 0.03, 1.0)
    told = {
        label: {"value": value, "interval": [value - 0.05, value + 0.05]}
        for label, value in (("c", -0.9), ("a", 0.2), ("i", 0.8))
    }
    sizes = {"n_items": whole["n_items"], "n_scored": whole["n_scored"], "errors": place, "prompts": 15}
    moves = {label: {"value": each["value"], "interval": {"missing": "it moves"}} for label, each in told.items()}
    return {**found, "spearman": {"bins": moves, "items": told}, **sizes}


def each(models, make, benchmarks):
    return {
        name: {
            model: make(place, facts.get("shaped") == "true", name)
            for place, (model, facts) in enumerate(models.items())
        }
        for name in benchmarks
    }


def documents(models, *, benchmarks=BENCHMARKS, simulated=True, calibrated=False):
    """Give every document of a run of these models."""
    cells, parts = each(models, cell, benchmarks), {part: whole for part, whole in PARTS.items() if whole in benchmarks}
    means = {
        model: {name: {**cell(place, False, "addition")[name], "benchmarks": len(benchmarks)} for name in VALUES}
        for place, model in enumerate(models)
        if benchmarks
    }
    apart = {name: each for name, each in means.items() if models[name]["stand_in"]}
    over = {"over": list(benchmarks), "left_out": {}, "dropped": {}}
    rules = {"rule_set": "OURS-v1", "calibrated": calibrated}
    said = {"level": "0.95", "resamples": 2000, "of": "instances", "fixed": ["calibration", "templates"]}
    return {
        "indicators": {
            **rules, "difficulty_scale": "unit", "discount": {"science": 0.25}, "ci": said, "benchmarks": cells,
            "parts": {part: cells[whole] for part, whole in parts.items()}, "means": dict.fromkeys(VALUES, over),
            "models": {name: each for name, each in means.items() if name not in apart}, "stand_ins": apart,
            "pairs": {},
        },
        "proportions": {**rules, "benchmarks": each(models, curve, benchmarks), "parts": {}},
        "sensitivity": {"benchmarks": each(models, wordings, benchmarks)},
        "breakdowns": breakdowns(models, benchmarks),
        "comparisons": {"pairs": [comparison(min(models), max(models), benchmarks)], "resamples": 2000},
        "scaling": scaling(models),
        "people": people(benchmarks, simulated),
        "checks": checks(models, benchmarks),
    }  # fmt: skip


def checks(models, benchmarks):
    row = {"correct": 1.0, "n": 100, "errors": 0, "expected": "all", "adversarial": False, "verdict": "pass"}
    stand_ins = [name for name, facts in models.items() if facts["stand_in"]]
    return {"verdict": "pass", "benchmarks": {name: dict.fromkeys(stand_ins, row) for name in benchmarks}}


def wordings(place, shaped, benchmark):
    curves = {str(number): curve(place + number % 4, shaped, benchmark) for number in range(1, 16)}
    return {
        "templates": {name: {key: found[key] for key in (*SHARES, "bins")} for name, found in curves.items()},
        "spread": {
            key: [min(found[key] for found in curves.values()), max(found[key] for found in curves.values())]
            for key in SHARES
        },
    }


def breakdowns(models, benchmarks):
    kinds: dict[str, Any] = {"ethical": 1, "epistemic": 20, "non_conforming": 79, "n": 100}
    kinds["shares"] = {"ethical": 0.01, "epistemic": 0.2, "non_conforming": 0.79}
    easiest = {
        "difficulty": [0.0, 3.3], "correct": 0.9, "correct_discounted": 0.875, "avoidant": 0.06, "incorrect": 0.04,
        "safe": False, "safe_bins": 0, "safe_up_to": {"missing": "no bin is free of incorrect answers"},
    }  # fmt: skip
    return {
        "avoidance": each(models, lambda *_: kinds, benchmarks),
        "avoidance_by_group": dict.fromkeys(("raw", "shaped"), kinds),
        "truncations": each(models, lambda *_: {"truncated": 3, "n": 2250}, benchmarks),
        "easiest_bin": each(models, lambda *_: easiest, benchmarks),
    }


def comparison(a, b, benchmarks):
    tests = [
        {"template": number, "a_only": 1, "b_only": 2, "n": 150, "p": 0.5, "p_holm": 0.03 * number}
        for number in range(1, 16)
    ]
    difference = {"difference": {"value": -0.12, "interval": [-0.2, -0.05]}}
    one = {"templates": tests, **difference, "sign_flip_p": 0.0005, "n_items": 150, "n_pairs": 2250}
    overall = {"benchmarks": len(benchmarks), "correctness": difference, "prudence": difference}
    return {
        "a": a,
        "b": b,
        "benchmarks": {name: {**one, "prudence": one} for name in benchmarks},
        "parts": {},
        "overall": overall,
    }


def scaling(models):
    points = [
        {
            "model": model, "family": facts["family"], "shaped": facts["shaped"], "flops": float(facts["flops"]),
            "avoidant": 0.6 - 0.04 * place % 0.5, "incorrect": 0.3 + 0.02 * place, "ultracrepidarianism": 0.35,
        }
        for place, (model, facts) in enumerate(models.items()) if "flops" in facts
    ]  # fmt: skip
    lacking = {"missing": "fewer than two models with different compute"}
    fit = {"slope_per_decade": -0.0794, "intercept": 2.269529} if points else dict.fromkeys(FIT, lacking)
    measures = {key: {**fit, "n": len(points)} for key in ("avoidant", "incorrect", "ultracrepidarianism")}
    left = [{"model": name, "reason": "unknown"} for name, facts in models.items() if "flops" not in facts]
    fits = {"raw": measures, "shaped": measures}
    return {"points": points, "excluded": left, "fits": fits, "over": list(BENCHMARKS)}


FIT = ("slope_per_decade", "intercept")
RATES = (
    "incorrect_to_correct_over_nonavoidant", "incorrect_to_correct_over_incorrect",
    "correct_to_incorrect_over_correct", "supervision_accuracy", "unsure_rate",
)  # fmt: skip
CELLS = {"c->c": 0.3, "c->a": 0.02, "c->i": 0.08, "c->u": 0.05, "i->c": 0.2, "i->a": 0.03, "i->i": 0.27, "i->u": 0.05}


def people(benchmarks, simulated):
    found = {name: statistic(share, 0.05, 1.0) for name, share in CELLS.items()}
    table = [
        {"difficulty": 10 * at + 5, "low": 10 * at, "high": 10 * at + 10, "items": 4, "n": 40, "shares": found}
        for at in range(10)
    ]
    sizes = {"n": 400, "participants": 30, "items": 40, "degenerate": False}
    summary = {**dict.fromkeys(RATES, statistic(0.25, 0.05, 1.0)), **sizes}
    told = {"spearman": {"value": 0.7, "interval": [0.6, 0.8]}}
    rated = {**sizes, "ratings": 400, "perceived": told, "selection": {"selected": "f_cry", "candidates": {}}}
    return {
        "simulated": simulated,
        "ci": {"level": "0.95", "resamples": 500, "of": "participants"},
        "s1": {"participants": 30, "ratings": 400, "benchmarks": dict.fromkeys(benchmarks, rated), "parts": {}},
        "s2": {
            "all": summary, "benchmarks": dict.fromkeys(benchmarks, summary), "parts": {}, "models": {},
            "curve": dict.fromkeys(benchmarks, table),
        },
    }  # fmt: skip


def emptied(value, reason="nothing was scored"):
    """Give a document whose every number is missing, wherever one may be."""
    if isinstance(value, dict) and "value" in value:
        return {**value, "value": {"missing": reason}, "interval": {"missing": reason}}
    if isinstance(value, dict):
        return {key: emptied(inside, reason) for key, inside in value.items()}
    if isinstance(value, list):
        return [emptied(inside, reason) for inside in value]
    return {"missing": reason} if isinstance(value, float) else value


def laid(folder, given):
    """Write documents as the steps find them; gives the inputs."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in given.items():
        rows.write_one(folder / name, document)
    return {name: folder / name for name in given}


def empty(folder):
    """Make a folder for a step to write into."""
    folder.mkdir(parents=True)
    return folder


def words(svg):
    """Give the words of a drawing, which must be sound, run nothing and point nowhere outside."""
    root = ElementTree.fromstring(svg)
    tags = {each.tag.rpartition("}")[2] for each in root.iter()}
    assert not tags & {"script", "foreignObject", "image", "a"}
    for each in root.iter():
        for name, value in each.attrib.items():
            assert not name.rpartition("}")[2].startswith("on")
            assert not name.endswith("href") or value.startswith("#")
            assert "url(" not in value or "url(#" in value
    return " ".join(each.text or "" for each in root.iter() if each.tag.endswith("}text"))


BREAK = "wbr"  # a place where a name may go on in the next line
VOID = {"meta", BREAK}
FORBIDDEN = {"script", "iframe", "object", "embed", "img", "image", "link", "base", "form", "foreignobject"}


class Reader(HTMLParser):
    """Reads a page strictly: every element is closed in its turn, and nothing runs, loads or points outside."""

    def __init__(self, text, links=()):
        super().__init__()
        self.open, self.ids, self.links, self.words, self.cells = [], [], [], [], []
        self.allowed, self.seen, self._goes_on = set(links), set(), False
        self.feed(text)
        self.close()
        assert self.open == []
        assert len(set(self.ids)) == len(self.ids)
        assert {link[1:] for link in self.links if link.startswith("#")} <= set(self.ids)

    def handle_starttag(self, tag, attrs):
        assert tag not in FORBIDDEN
        self.seen.add(tag)
        for name, given in attrs:
            assert not name.startswith("on") and name not in {"style", "src", "srcdoc", "action", "xlink:href"}
            assert name != "href" or given.startswith("#") or given in self.allowed
            if name == "id":
                self.ids.append(given)
            if name == "href":
                self.links.append(given)
        found = dict(attrs)
        hidden = found.get("aria-hidden") == "true"  # a part of a drawing that is described as a whole
        assert tag != "svg" or hidden or (found["role"] == "img" and found["aria-label"])
        assert tag != "th" or found["scope"] in ("col", "row")
        if tag in ("td", "th"):
            self.cells.append("")
        if tag not in VOID:
            self.open.append(tag)
        self._goes_on = tag == BREAK

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self._goes_on = False

    def handle_data(self, data):
        if "style" in self.open:
            return
        if self._goes_on:
            self.words[-1] += data
        else:
            self.words.append(data)
        if {"td", "th"} & set(self.open):
            cell = self.cells[-1].removesuffix(" ") if self._goes_on else self.cells[-1]
            self.cells[-1] = cell + data + " "

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())
