"""Deterministic figures: the same bytes anywhere, the user's settings untouched, any text made fit."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from support_cases import each_of

from harness.kit import charts

DRAW = """
import sys
from pathlib import Path
from harness.kit import charts as plots
out = Path(sys.argv[1])
with plots.drawing():
    sheet = plots.sheet(4, 3)
    sheet.heading("Title", "under it")
    panel = sheet.panel(1, 1, 2, 1)
    panel.plot([0, 1, 2], [1, 3, 2], marker="o")
    panel.axvspan(0, 1, facecolor="none", edgecolor="0.5", hatch="////")
    sheet.small_print("what it rests on")
    plots.save(sheet, out / "f.svg", out / "f.png", "a title")
"""


def drawn(folder, **env):
    folder.mkdir()
    given = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), **env}
    command = [sys.executable, "-W", "error", "-c", DRAW, str(folder)]
    done = subprocess.run(command, env=given, cwd=folder, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
    assert sorted(path.name for path in folder.iterdir()) == ["f.png", "f.svg"]
    return [(folder / name).read_bytes() for name in ("f.svg", "f.png")]


@pytest.mark.long
def test_the_users_settings_change_nothing_and_nothing_is_left_behind(tmp_path):
    settings = tmp_path / "config"
    settings.mkdir()
    (settings / "matplotlibrc").write_text("lines.linewidth: 9\nfont.family: serif\nsavefig.facecolor: black\n")
    plain = drawn(tmp_path / "a", HOME=str(tmp_path / "nowhere"))
    odd = drawn(
        tmp_path / "b", HOME=str(tmp_path / "home"), MPLCONFIGDIR=str(settings), MPLBACKEND="pdf",
        MATPLOTLIBRC=str(settings / "matplotlibrc"), TZ="Asia/Kathmandu", LC_ALL="C", SOURCE_DATE_EPOCH="1",
    )  # fmt: skip
    assert plain == odd
    assert [path.name for path in settings.iterdir()] == ["matplotlibrc"]
    assert not (tmp_path / "nowhere").exists() and not (tmp_path / "home").exists()


def test_settings_and_environment_are_given_back(monkeypatch, tmp_path):
    import matplotlib

    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path))
    monkeypatch.delenv("MPL_IGNORE_SYSTEM_FONTS", raising=False)
    before = dict(matplotlib.rcParams)
    with charts.drawing():
        assert matplotlib.rcParams["svg.hashsalt"] == "harness"
        assert matplotlib.rcParams["text.parse_math"] is False
    assert dict(matplotlib.rcParams) == before
    assert os.environ["MPLCONFIGDIR"] == str(tmp_path) and "MPL_IGNORE_SYSTEM_FONTS" not in os.environ


@pytest.mark.long
def test_whoever_imports_the_charts_loads_matplotlib_when_he_draws_and_never_pyplot():
    loaded = "import sys; from harness.kit import charts as plots; first = 'matplotlib' in sys.modules\n"
    script = f"{loaded}with plots.drawing(): plots.sheet(1, 1)\nprint(first, 'matplotlib.pyplot' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.long
def test_an_svg_is_sound_and_says_neither_when_nor_with_what_it_was_drawn(tmp_path):
    svg, png = drawn(tmp_path / "a")
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg") and root[0].text == "a title"
    texts = [each.text for each in root.iter() if each.tag.endswith("}text")]
    assert {"Title", "under it", "what it rests on"} <= set(texts)
    assert b"date" not in svg.lower() and b"Matplotlib v" not in svg
    assert b"Software" not in png and b"tEXt" not in png


def test_panels_lie_where_they_are_put_in_inches():
    with charts.drawing():
        sheet = charts.sheet(10, 5)
        box = sheet.panel(1, 0.5, 4, 2).get_position()
    assert (box.x0, box.x1) == pytest.approx((0.1, 0.5))
    assert (box.y0, box.y1) == pytest.approx((0.5, 0.9))


@each_of(
    ("given", "shown"),
    [
        ("plain-7b", "plain-7b"),
        ("two\nlines\x00and\x1b more", "two lines and more"),
        ("$x$ <b> & \\frac{1}{2}", "$x$ <b> & \\frac{1}{2}"),
        ("\u202egnp.exe\u2066\u200b", "gnp.exe"),
        ("z\u0336\u0351\u0489algo", "zalgo"),
        ("e\u0301te\u0301", "été"),
        ("\u4e2d\U00020000\ud800", "\ufffd\ufffd\ufffd"),
        (" \t ", "(no name)"),
        ("", "(no name)"),
    ],
)
def test_any_text_is_made_fit_to_stand_in_a_figure(given, shown):
    assert charts.label(given, 9.0) == shown


def test_a_text_too_wide_loses_its_middle_however_wide_its_letters_are():
    wide, thin = charts.label("m" * 400, 1.0), charts.label("i" * 400, 1.0)
    assert "…" in wide and "…" in thin and len(wide) < len(thin) / 2
    assert charts.label("left" + "x" * 400 + "right", 1.0).startswith("left")
    assert charts.label("left" + "x" * 400 + "right", 1.0).endswith("right")
    with charts.drawing():
        sheet = charts.sheet(3, 1)
        for name in (wide, thin):
            sheet.text(0, 0.1, name)
        sheet.figure.draw_without_rendering()
        assert all(text.get_window_extent().width <= 1.02 * charts.DPI for text in sheet.figure.texts)


def test_small_print_stays_on_its_sheet():
    words = json.dumps(["word " * 30] * 9)
    with charts.drawing():
        sheet = charts.sheet(charts.WIDTH, charts.depth(words))
        sheet.small_print(words)
        sheet.figure.draw_without_rendering()
        box = sheet.figure.texts[0].get_window_extent()
    assert box.x1 <= charts.WIDTH * charts.DPI and box.y1 <= sheet.height * charts.DPI


def test_colours_are_told_apart_by_lightness_too():
    def light(colour):
        red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    from harness.studies.reliability.pages.figures_curves import FILL

    shades = sorted(light(colour) for colour in FILL.values())
    assert min(right - left for left, right in pairwise(shades)) > 0.05
    assert len(set(charts.COLOURS)) == len(charts.COLOURS)
