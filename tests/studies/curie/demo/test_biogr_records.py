"""The demo's BIOGR records: the box is read again from the pixels of the map, by its ticks and their labels."""

from __future__ import annotations

import functools
import io
import json
import re
import struct
import zlib

import pytest
from PIL import Image
from support_draws import drawn

from harness import rows
from harness.errors import InputError
from harness.studies.curie.demo import biogr
from harness.studies.curie.demo.rasters import HIGH, LETTERS, SCALE, WIDE, Raster

ALL = pytest.mark.parametrize("made", drawn(range(len(biogr.SITES)), 4, len(biogr.SITES)), indirect=True)
FORMS = {
    frozenset((x, y) for y, row in enumerate(form) for x, each in enumerate(row) if each == "#"): letter
    for letter, form in LETTERS.items()
}


@functools.cache
def record(index):
    """Draw a record when it is first looked at: to collect tests draws none."""
    return biogr.record(7, index)


def records():
    return [record(index) for index in range(len(biogr.SITES))]


@pytest.fixture
def made(request):
    return record(request.param)


class Seen:
    """A map as its pixels show it."""

    def __init__(self, made):
        [data] = made.images
        self.image = Image.open(io.BytesIO(data)).convert("RGB")
        pixels = self.image.load()
        assert pixels
        self.pixels = pixels
        self.wide, self.high = self.image.size
        columns = [x for x in range(self.wide) if self.run(x, 0, 0, 1) > self.high // 2]
        lines = [y for y in range(self.high) if self.run(0, y, 1, 0) > self.wide // 2]
        self.left, self.right, self.top, self.bottom = columns[0], columns[-1], lines[0], lines[-1]

    def black(self, x, y):
        return self.pixels[x, y] == (0, 0, 0)

    def run(self, x, y, along, down):
        """Give the length of the longest run of black pixels from a place on."""
        longest = here = 0
        while x < self.wide and y < self.high:
            here = here + 1 if self.black(x, y) else 0
            longest, x, y = max(longest, here), x + along, y + down
        return longest

    def letter(self, x, y):
        """Read the letter whose cell has its upper left corner at a place."""
        dots = [
            (column, row)
            for row in range(7)
            for column in range(5)
            if self.black(min(self.wide - 1, x + column * SCALE), min(self.high - 1, y + row * SCALE))
        ]
        return FORMS.get(frozenset(dots), "")

    def label(self, cells):
        """Read the longest label among candidates for its first cell."""
        found = []
        for x, y in cells:
            text = ""
            while letter := self.letter(x + len(text) * WIDE, y):
                text += letter
            found.append(text)
        return max((text for text in found if re.fullmatch(r"[0-9.]+°[NSEW]?", text)), key=len)

    def meridians(self):
        """Give the ticks below the frame with the degrees that stand under them."""
        ticks = [x for x in range(self.left, self.right + 1) if self.black(x, self.bottom + 4)]
        for x in ticks:
            cells = [(x - size * WIDE // 2, self.bottom + 10) for size in range(2, 8)]
            yield x, degrees(self.label(cells))

    def parallels(self):
        """Give the ticks left of the frame with the degrees beside them."""
        ticks = [y for y in range(self.top, self.bottom + 1) if self.black(self.left - 4, y)]
        for y in ticks:
            cells = [(self.left - 8 - size * WIDE, y - HIGH // 2) for size in range(2, 8)]
            yield y, degrees(self.label(cells))


@functools.cache
def seen(record):
    """Look at the map of a record, by its id."""
    return Seen(next(made for made in records() if made.id == record))


def degrees(label):
    number, _, side = label.partition("°")
    return -float(number) if side in ("W", "S") and float(number) else float(number)


def read(made):
    """Give west, south, east, north from the ticks nearest to the edges, and the degrees of a pixel each way."""
    image = seen(made.id)
    (x1, a), *_, (x2, b) = image.meridians()
    (y1, north), *_, (y2, south) = image.parallels()
    along = ((b - a) % 360) / (x2 - x1)
    down = (north - south) / (y2 - y1)
    box = (a - (x1 - image.left) * along, south - (image.bottom - y2) * down,
           b + (image.right - x2) * along, north + (y1 - image.top) * down)  # fmt: skip
    return box, along, down


@ALL
def test_the_box_read_from_the_pixels_is_the_gold(made):
    gold = json.loads(made.truth)
    box, along, down = read(made)
    for name, value in zip("WSEN", box, strict=True):
        off = (value - gold[name] + 180) % 360 - 180 if name in "WE" else value - gold[name]
        assert abs(off) <= 2 * (along if name in "WE" else down)


@ALL
def test_grey_lines_stand_where_the_ticks_are(made):
    image = seen(made.id)
    inner = [x for x, _ in image.meridians() if image.left < x < image.right]
    for x in inner:
        grey = [image.pixels[x, y] == (170, 170, 170) for y in range(image.top + 1, image.bottom)]
        assert sum(grey) > 0.6 * len(grey)


@ALL
def test_at_least_two_labelled_lines_stand_each_way(made):
    image = seen(made.id)
    assert len(list(image.meridians())) >= 2
    assert len(list(image.parallels())) >= 2


@ALL
def test_an_easy_map_has_labels_at_its_corners_and_no_other_has(made):
    image = seen(made.id)
    at_edges = [x for x, _ in image.meridians() if x in (image.left, image.right)]
    assert len(at_edges) == (2 if made.level == "easy" else 0)


def test_one_map_crosses_the_180th_meridian_and_one_lies_south_and_west():
    boxes = [json.loads(made.truth) for made in records()]
    assert [box for box in boxes if box["W"] > box["E"]]
    assert [box for box in boxes if box["W"] < box["E"] < 0 and box["N"] < 0]
    assert all(-90 <= box["S"] < box["N"] <= 90 for box in boxes)
    assert all((box["E"] - box["W"]) % 360 <= 60 for box in boxes)


@ALL
def test_the_caption_names_the_region_and_no_number_of_degrees(made):
    assert any(site.region in made.text for site in biogr.SITES)
    assert not re.search(r"\d", made.text)


@ALL
def test_the_answer_is_the_box_alone(made):
    gold = json.loads(made.truth)
    assert gold.pop("record_id") == made.id
    assert json.loads(made.answer) == gold


def test_images_go_along_and_are_small(tmp_path):
    biogr.make({"seed": 7, "count": 12}, {}, tmp_path)
    media = {row["id"]: row for row in rows.read(tmp_path / "media")}
    items = list(rows.read(tmp_path / "items"))
    assert len(media) == 12
    assert all(row["type"] == "image/png" and len(row["data"]) < 60_000 for row in media.values())
    assert [item["attachments"] for item in items] == [
        [{"sha256": item["attachments"][0]["sha256"], "type": "image/png"}] for item in items
    ]
    assert {item["attachments"][0]["sha256"] for item in items} == media.keys()


def test_the_bytes_of_an_image_depend_on_no_library_that_compresses():
    [data] = record(0).images
    at = data.index(b"IDAT")
    [size] = struct.unpack(">I", data[at - 4 : at])
    stream = data[at + 4 : at + 4 + size]
    assert stream[:3] == b"\x78\x01\x01"  # one last block, stored
    assert zlib.decompress(stream) == stream[7:-4]
    assert biogr.record(7, 0).images == record(0).images


def test_a_larger_image_is_stored_in_several_blocks():
    raster = Raster(900, 700)
    raster.line((0, 0), (899, 699))
    image = Image.open(io.BytesIO(raster.png())).convert("RGB")
    assert image.getpixel((899, 699)) == image.getpixel((0, 0)) == (0, 0, 0)
    assert image.getpixel((899, 0)) == (255, 255, 255)


def test_letters_have_seven_rows_of_five_dots_and_no_two_look_alike():
    assert {(len(form), len(row)) for form in LETTERS.values() for row in form} == {(7, 5)}
    assert len(FORMS) == len(LETTERS)
    with pytest.raises(InputError, match="cannot be drawn"):
        Raster(50, 50).write(0, 0, "A")


@pytest.mark.parametrize("count", [0, len(biogr.SITES) + 1])
def test_more_maps_than_there_are_is_refused(tmp_path, count):
    with pytest.raises(InputError, match="maps"):
        biogr.make({"seed": 7, "count": count}, {}, tmp_path)
