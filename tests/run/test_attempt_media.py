"""Images of a view keep their pixels and lose whatever was written beside them."""

import io
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from PIL.PngImagePlugin import PngInfo

from harness.errors import InputError
from harness.run.attempts.view import strip_metadata

SECRET = b"the answer is 42"


def picture(mode="RGB"):
    """Draw something that no plain colour is."""
    image = Image.new("RGB", (40, 30), (200, 30, 30))
    ImageDraw.Draw(image).ellipse((5, 5, 30, 25), fill=(10, 200, 120))
    return image.convert(mode)


def saved(image, kind, **how):
    held = io.BytesIO()
    image.save(held, kind, **how)
    return held.getvalue()


def chunk(name, body):
    return len(body).to_bytes(4, "big") + name + body + zlib.crc32(name + body).to_bytes(4, "big")


def png(mode="RGB"):
    """Give a PNG that tells in six ways what nobody should read."""
    said, exif = PngInfo(), Image.Exif()
    said.add_text("Description", SECRET.decode())
    said.add_text("Long", SECRET.decode(), zip=True)
    said.add_itxt("Title", SECRET.decode())
    exif[0x010E] = SECRET.decode()
    data = saved(picture(mode), "PNG", pnginfo=said, exif=exif, icc_profile=SECRET)
    return data[:-12] + chunk(b"prVt", SECRET) + data[-12:] + SECRET


def jpeg(mode="RGB", **how):
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    data = saved(picture(mode), "JPEG", exif=exif, comment=SECRET, icc_profile=SECRET, **how)
    return data + SECRET


def gif():
    return saved(picture(), "GIF", save_all=True, append_images=[picture().rotate(90)], comment=SECRET, loop=3) + SECRET


def webp(**how):
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    return saved(picture(), "WEBP", exif=exif, icc_profile=SECRET, xmp=SECRET, **how) + SECRET


CASES = {
    "png": ("image/png", png()),
    "png of a palette": ("image/png", png("P")),
    "png seen through": ("image/png", png("RGBA")),
    "jpeg": ("image/jpeg", jpeg()),
    "progressive jpeg": ("image/jpeg", jpeg(progressive=True)),
    "grey jpeg": ("image/jpeg", jpeg("L")),
    "jpeg of four colours": ("image/jpeg", jpeg("CMYK")),
    "gif of two frames": ("image/gif", gif()),
    "webp": ("image/webp", webp()),
    "webp without loss": ("image/webp", webp(lossless=True)),
}


def frames(data):
    image, found = Image.open(io.BytesIO(data)), []
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        found.append((image.size, image.convert("RGBA").tobytes()))
    return found


@pytest.mark.parametrize("case", CASES)
def test_pixels_stay_and_words_go(case):
    kind, data = CASES[case]
    assert SECRET in data
    plain = strip_metadata(data, kind)
    assert SECRET not in plain and SECRET.decode().encode("utf-16-le") not in plain
    assert frames(plain) == frames(data)
    again = Image.open(io.BytesIO(plain))
    again.load()
    told = {
        name for name in again.info if name in ("exif", "icc_profile", "xmp", "comment", "Description", "Title", "Long")
    }
    assert told == set() and not again.getexif()


@pytest.mark.parametrize("case", CASES)
def test_an_image_without_metadata_stays_as_it_is(case):
    kind, data = CASES[case]
    plain = strip_metadata(data, kind)
    assert strip_metadata(plain, kind) == plain


def test_only_chunks_that_show_the_image_are_kept():
    plain, at, found = strip_metadata(CASES["png of a palette"][1], "image/png"), 8, []
    while at < len(plain):
        (size,), name = struct.unpack(">I", plain[at : at + 4]), plain[at + 4 : at + 8]
        found.append(name)
        at += size + 12
    assert set(found) == {b"IHDR", b"PLTE", b"IDAT", b"IEND"}


@pytest.mark.parametrize("case", CASES)
def test_an_image_that_is_cut_off_is_refused(case):
    kind, data = CASES[case]
    plain = strip_metadata(data, kind)
    for size in range(0, len(plain) - 1, max(1, len(plain) // 60)):
        with pytest.raises(InputError) as error:
            strip_metadata(plain[:size], kind, "item 7")
        assert error.value.where == "item 7" and error.value.next


def test_a_damaged_chunk_and_an_unknown_format_are_refused():
    data = bytearray(strip_metadata(png(), "image/png"))
    data[-20] ^= 1
    for bad, kind in ((bytes(data), "image/png"), (b"<svg/>", "image/svg+xml"), (jpeg(), "image/png")):
        with pytest.raises(InputError, match="cannot be shown"):
            strip_metadata(bad, kind)


@given(st.sampled_from(sorted(CASES)), st.integers(0, 2**16), st.binary(min_size=1, max_size=8))
def test_no_bytes_end_in_anything_but_an_image_or_one_error(case, at, noise):
    kind, data = CASES[case]
    at %= len(data)
    try:
        assert strip_metadata(data[:at] + noise + data[at + len(noise) :], kind)
    except InputError as error:
        assert error.next
