"""Hostile netCDF files: what is none, is cut short, lies elsewhere or has other tables is refused, never guessed."""

from pathlib import Path
from shutil import copyfile

import numpy as np
import pytest
from needs import needs
from support_brain_recordings import write_neural_nlp

from harness.errors import InputError
from harness.studies.brain.data.netcdf import opened

needs("h5py", "h5netcdf", "xarray")
ALL = np.arange(125)


def edited(path):
    """Open a file to change it."""
    import h5py

    return h5py.File(path, "a")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """One sound file of each form."""
    folders = {engine: tmp_path_factory.mktemp(engine) for engine in ("h5netcdf", "scipy")}
    return {
        engine: write_neural_nlp(folder, "pereira", engine=engine)["assembly"] for engine, folder in folders.items()
    }


@pytest.fixture
def path(tmp_path, written):
    return Path(copyfile(written["h5netcdf"], tmp_path / "assembly.nc"))


def read(path):
    with opened(path, "assembly") as file:
        file.texts("subject", "neuroid")
        file.numbers("stimulus_num", "presentation")
        return [*file.tiles(ALL)]


def altered(path, name, values, **attributes):
    with edited(path) as file:
        scales = [axis[0] for axis in file[name].dims][: np.ndim(values)]
        del file[name]
        file[name] = values
        for axis, scale in zip(file[name].dims, scales, strict=False):
            axis.attach_scale(scale)
        file[name].attrs.update(attributes)
    return path


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"\x80\x04pickle", b"CDF\x05" + b"\0" * 60, b"PK\x03\x04"])
def test_what_is_no_netcdf_file_is_refused(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match="it is no netCDF file") as bad:
        read(tmp_path / "x")
    assert bad.value.where == "assembly"


@pytest.mark.parametrize("engine", ["h5netcdf", "scipy"])
@pytest.mark.parametrize("left", [16, 100, 3000, 200_000])
def test_a_file_that_is_cut_short_is_refused(tmp_path, written, engine, left):
    path = tmp_path / "cut"
    path.write_bytes(written[engine].read_bytes()[:left])
    with pytest.raises(InputError, match=r"sound netCDF file|tables of decimals|no coordinate|no netCDF"):
        read(path)


@pytest.mark.parametrize("engine", ["h5netcdf", "scipy"])
def test_a_file_with_any_header_byte_changed_is_read_or_refused(tmp_path, written, engine):
    path, sound = tmp_path / "changed", written[engine].read_bytes()
    for at in [*range(8, 600, 37), *range(600, 6000, 211)]:
        broken = bytearray(sound)
        broken[at] ^= 0xFF
        path.write_bytes(broken)
        try:
            read(path)
        except InputError as bad:
            assert bad.where.startswith("assembly")


def test_values_in_another_file_are_not_followed(path):
    import h5py

    with edited(path) as file:
        del file["subject"]
        file["subject"] = h5py.ExternalLink("/etc/passwd", "x")
    with pytest.raises(InputError, match="its values lie in another file") as bad:
        read(path)
    assert bad.value.where == "assembly: subject"


@pytest.mark.parametrize("how", ["external", "virtual"])
def test_raw_values_of_another_file_are_not_read(tmp_path, path, how):
    import h5py

    (tmp_path / "raw").write_bytes(b"\0" * 8 * 627 * 125)
    with edited(path) as file:
        if how == "external":
            file.create_dataset("raw", (627, 125), "<f8", external=[(str(tmp_path / "raw"), 0, 8 * 627 * 125)])
        else:
            source = h5py.VirtualLayout((627, 125), "<f8")
            source[:] = h5py.VirtualSource(str(tmp_path / "raw"), "data", (627, 125))
            file.create_virtual_dataset("raw", source)
    with pytest.raises(InputError, match="its values lie in another file"):
        read(path)


def test_two_tables_or_none_are_refused(path):
    with edited(path) as file:
        twin = file.create_dataset("twin", data=np.zeros((627, 125)))
        for axis, name in zip(twin.dims, ("presentation", "neuroid"), strict=True):
            axis.attach_scale(file[name])
    with pytest.raises(InputError, match="it has 2 tables of decimals over"):
        read(path)
    with edited(path) as file:
        del file["twin"], file["data"]
    with pytest.raises(InputError, match="it has 0 tables"):
        read(path)


def test_a_table_over_other_dimensions_is_refused_with_their_names(tmp_path):
    import xarray

    xarray.DataArray(np.zeros((3, 2)), dims=("time", "neuroid"), name="x").to_netcdf(tmp_path / "x", engine="h5netcdf")
    with opened(tmp_path / "x", "assembly") as file, pytest.raises(InputError, match="it has 0 tables") as bad:
        file.shape  # noqa: B018 - what is asked for is refused
    assert "x['time', 'neuroid']" in bad.value.next


def test_a_table_of_whole_numbers_is_no_recording(path):
    with pytest.raises(InputError, match="it has 0 tables of decimals"):
        read(altered(path, "data", np.zeros((627, 125), np.int16)))


def test_packed_values_are_refused(path):
    with pytest.raises(InputError, match="packed \\(`scale_factor`\\)"):
        read(altered(path, "data", np.zeros((627, 125)), scale_factor=0.5))


@pytest.mark.parametrize(
    ("name", "values", "what"),
    [
        ("subject", np.zeros((125, 2)), "it is float64"),
        ("subject", np.array([b"\xff"] * 125), "not UTF-8"),
        ("subject", np.array([b"018"] * 100), "it has 100 values for 125"),
        ("stimulus_num", np.array([b"1"] * 627), "no numbers"),
        ("stimulus_num", np.zeros((627, 2)), "no numbers"),
    ],
)
def test_a_coordinate_of_another_kind_is_refused(path, name, values, what):
    with pytest.raises(InputError, match=what) as bad:
        read(altered(path, name, values))
    assert bad.value.where == f"assembly: {name}"


def test_a_file_that_promises_more_than_it_has_is_refused(path):
    with edited(path) as file:
        scales = [axis[0] for axis in file["data"].dims]
        del file["data"]
        file.create_dataset("data", (627, 10**7), "<f8", chunks=(627, 10**6))
        for axis, scale in zip(file["data"].dims, scales, strict=True):
            axis.attach_scale(scale)
    with pytest.raises(InputError, match="more than 1,000,000 columns"):
        read(path)


def test_chunks_that_no_memory_holds_are_refused(path):
    with edited(path) as file:
        scales = [axis[0] for axis in file["data"].dims]
        del file["data"]
        file.create_dataset("data", (627, 10**6), "<f8", chunks=(627, 10**5), compression="gzip")
        for axis, scale in zip(file["data"].dims, scales, strict=True):
            axis.attach_scale(scale)
    with opened(path, "assembly") as file, pytest.raises(InputError, match="a chunk has 501,600,000 bytes"):
        next(file.tiles(ALL))


def test_no_tile_is_larger_than_the_bound(path, monkeypatch):
    monkeypatch.setattr("harness.studies.brain.data.netcdf.TILE", 20_000)
    tiles = read(path)
    assert len(tiles) == 32 and max(tile.values.nbytes for tile in tiles) <= 20_000
    assert sum(tile.values.size for tile in tiles) == 627 * 125
