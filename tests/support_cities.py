"""Cities written by hand in the form of the published file, for the tests of the locality benchmark."""

import csv

from harness import rows
from harness.studies.reliability.data.locality import make

MADE = ("items", "gold", "budgets", "counts", "gazetteer")
PUBLISHED = ("city", "city_ascii", "lat", "lng", "country", "iso2", "iso3", "admin_name", "capital", "population", "id")
NEAR = [("Arden", 10, 20, 90000), ("Belmar", 10, 20.01, 450000), ("Corvo", 10.01, 20, 1200000)]


def simplemaps(path, cities, columns=PUBLISHED):
    """Write cities in the form of the published file: every field in quotes, a population that may be empty."""
    with open(path, "w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, columns, quoting=csv.QUOTE_ALL, extrasaction="ignore")
        table.writeheader()
        for number, (name, lat, lng, population, *plain) in enumerate(cities):
            table.writerow({
                "city": name, "city_ascii": plain[0] if plain else name, "lat": lat, "lng": lng, "country": "Nowhere",
                "iso2": "NO", "iso3": "NOW", "admin_name": "", "capital": "", "population": population, "id": number,
            })  # fmt: skip
    return path


def named(number):
    return "Town" + "".join("abcdefghij"[int(digit)] for digit in f"{number:04d}")


def made_by(folder, cities, words="", seed=3, per_bin=50, **more):
    """Make the benchmark of cities written by hand, and give the rows of each of its tables."""
    inputs = {"cities": simplemaps(folder / "cities.csv", cities)}
    if words is not None:
        (folder / "words").write_text(words)
        inputs["words"] = folder / "words"
    make({"seed": seed, "per_bin": per_bin, **more}, inputs, folder)
    return [list(rows.read(folder / name)) for name in MADE]
