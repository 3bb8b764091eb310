"""BIOGR from its authors' repository: an index, images and annotations become boxes, captions and labels."""

import json

import pytest
from support_cases import each_of
from support_curie_records import PNG, foldered, read_out

from harness.errors import InputError
from harness.studies.curie.data.biogr_repository import level_of, make
from harness.studies.curie.data.geojson_box import bounding_box

HEAD = "record_id,difficulty,geojson_filename,image_filename,license,caption\n"
ROW = 'a_bay,0.4,a_bay_1.geojson,a_bay_1.png,cc-by 4.0,"A bay,\nin two lines"\n'
CRS84 = {"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}
WEB = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::3857"}}


def geojson(*polygons, crs=CRS84):
    """Write features, each a polygon of one ring."""
    features = [{"geometry": {"type": "Polygon", "coordinates": [ring]}} for ring in polygons]
    return {"type": "FeatureCollection", "crs": crs, "features": features}


RING = geojson([[-3, 50], [-1.5, 50], [-1.5, 52.25], [-3, 52.25], [-3, 50]])


@pytest.fixture
def made(tmp_path):
    """Make BIOGR from a repository with this index and annotation, or with other files."""

    def make_rows(index=HEAD + ROW, annotation=RING, more=None, **params):
        files = {
            "index.csv": index if isinstance(index, bytes) else index.encode(),
            "annotations/a_bay_1.geojson": json.dumps(annotation).encode(),
            "images/a_bay_1.png": PNG, **(more or {}),
        }  # fmt: skip
        said, inputs = foldered(tmp_path, "repository", {path: data for path, data in files.items() if data})
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        make({"task": "biogr", **said, **params}, inputs, out)
        return read_out(out)

    return make_rows


def test_a_row_of_the_index_becomes_an_item_with_its_box(made):
    found = made()
    [item] = found["items"]
    assert item["id"] == "biogr-a_bay_1"
    assert item["input"] == {"text": "A bay,\nin two lines"}
    assert item["meta"] == {"record": "a_bay_1", "level": "medium", "license": "cc-by 4.0"}
    box = {"W": -3.0, "S": 50.0, "E": -1.5, "N": 52.25}
    assert json.loads(found["gold"][0]["gold"]["truth"]) == {"record_id": "a_bay_1", **box}
    assert json.loads(found["gold"][0]["gold"]["target"]) == box


@pytest.mark.parametrize(("shown", "text", "images"), [("image", "", 1), ("caption", "A bay,\nin two lines", 0)])
def test_the_image_or_the_caption_can_be_shown_alone_and_the_box_stays(made, shown, text, images):
    found = made(shown=shown)
    [item] = found["items"]
    assert item["input"] == {"text": text} and len(item.get("attachments", ())) == images
    assert json.loads(found["gold"][0]["gold"]["target"]) == {"W": -3.0, "S": 50.0, "E": -1.5, "N": 52.25}
    assert found["counts"][0]["biogr"]["shown"] == shown


def test_a_box_holds_all_vertices_of_all_features_however_deep():
    found = geojson([[0, 0], [1, 1]])
    found["features"].append({"geometry": {"type": "GeometryCollection", "geometries": [
        {"type": "MultiPolygon", "coordinates": [[[[5, -7, 99], [5, -6, 99]]]]},
        {"type": "Point", "coordinates": [-8, 2]}
    ]}})  # fmt: skip
    assert bounding_box(found, "x") == {"W": -8.0, "S": -7.0, "E": 5.0, "N": 2.0}


def test_metres_of_web_maps_become_degrees():
    half = 20037508.342789244  # metres: half the equator; at 85.0511287798 degrees the map is square
    box = bounding_box(geojson([[-half, -half], [half / 2, half]], crs=WEB), "x")
    assert box == {"W": -180.0, "S": -85.0511287798, "E": 90.0, "N": 85.0511287798}


def test_a_geojson_that_names_no_system_is_in_degrees():
    found = geojson([[1, 2], [3, 4]])
    del found["crs"]
    assert bounding_box(found, "x")["E"] == 3.0


@pytest.mark.parametrize(
    ("annotation", "what"),
    [
        (
            geojson([[1, 2]], crs={"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::27700"}}),
            "neither CRS84",
        ),
        (geojson([[1, 2]], crs={"properties": {"name": "urn:ogc:def:crs:EPSG::4326"}}), "neither CRS84"),
        (geojson([[1, 2]], crs=[]), "neither CRS84"),
        (geojson(), "no vertex"),
        (geojson([[1, True]]), "no pair of numbers"),
        (geojson([[1]]), "no pair of numbers"),
        (geojson([["1", "2"]]), "no pair of numbers"),
        (geojson([[1, float("nan")]]), "no pair of numbers"),
        (geojson([[1, 1e300]]), "no pair of numbers"),
        ([], "no JSON object"),
    ],
)
def test_an_annotation_without_a_box_is_refused_by_its_path_or_counted(made, tmp_path, annotation, what):
    with pytest.raises(InputError, match=what) as bad:
        made(annotation=annotation)
    assert bad.value.where == "annotations/a_bay_1.geojson"


def test_a_record_that_cannot_be_read_is_counted_where_that_is_wanted(made):
    found = made(annotation=geojson(), unusable="count")
    assert found["counts"][0]["biogr"]["unusable"] == {"a_bay_1": "this geojson holds no vertex"}
    assert found["items"] == []


@pytest.mark.parametrize("lost", ["annotations/a_bay_1.geojson", "images/a_bay_1.png"])
def test_a_record_without_its_image_or_annotation_is_absent(made, lost):
    counts = made(more={lost: b""})["counts"][0]["biogr"]
    assert (counts["kept"], counts["absent"], counts["first_absent"]) == (0, 138, ["a_bay_1"])


def test_bytes_of_the_index_that_are_not_utf8_become_the_replacement_sign(made):
    index = (HEAD + ROW).encode().replace(b"A bay", "Bahía ".encode() + b"\x92s")
    assert made(index=index)["items"][0]["input"]["text"].startswith("Bahía \ufffds")


@pytest.mark.parametrize(
    ("index", "what"),
    [
        (HEAD + ROW + ROW, "listed twice"),
        (HEAD.replace("caption", "title") + ROW, "column `caption` is missing"),
        (HEAD + ROW.replace("0.4", "hard"), "no number from 0 to 1"),
        (HEAD + ROW.replace("0.4", "nan"), "no number from 0 to 1"),
        (HEAD + ROW.replace("a_bay_1.geojson", "../a_bay_1.geojson"), "has no name"),
        (HEAD + 'a,"0.4"x,a,b,c,d\n', "no well-formed CSV"),
    ],
)
def test_an_index_that_is_none_is_refused(made, index, what):
    with pytest.raises(InputError, match=what):
        made(index=index)


def test_a_repository_without_its_index_is_refused(made):
    with pytest.raises(InputError, match="index is here 0 times"):
        made(more={"index.csv": b""})


def test_an_index_of_json_lines_is_read_too(made):
    row = {"difficulty": "0.1", "geojson_filename": "a_bay_1.geojson", "image_filename": "a_bay_1.png", "caption": "c"}
    more = {"index.csv": b"", "index.jsonl": json.dumps(row).encode() + b"\n"}
    assert made(more=more)["items"][0]["meta"]["level"] == "easy"


@each_of(
    ("number", "level"),
    [("0", "easy"), ("0.35", "easy"), ("0.38", ""), ("0.4", "medium"), ("0.6", "medium"), ("0.65", ""), ("0.7", "hard"),
     ("1", "hard")],
)  # fmt: skip
def test_a_number_becomes_the_label_that_all_published_records_have(number, level):
    assert level_of(number) == level
