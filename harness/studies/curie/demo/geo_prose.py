"""General sentences about data in the geosciences (OURS) for papers of the demo; they name no data set and no place.

They hold no digit, date, address or fact that the task asks for.
"""

from __future__ import annotations

from harness.studies.curie.demo.documents import sentences

GEOGRAPHY = sentences("""
Records of the environment are patchy, and the gaps are rarely where one would choose them.
Administrative borders are convenient for tables and seldom mean anything to a river.
Stations move, instruments are replaced, and the notes about either are the first thing to be lost.
What a satellite sees is an average over a footprint whose shape depends on the angle of view.
Reports from the health sector follow the calendar of the offices rather than that of the disease.
Interpolation fills a map with colours, not with information.
We checked that the seasonal cycle came out as farmers in the area describe it.
A trend that appears in one source only was treated as an artefact until shown otherwise.
Spatial correlation makes neighbouring places poor witnesses for each other.
Cloud cover is a nuisance in the wet season and hardly matters in the dry one.
Coordinates were converted to one common system before anything was compared.
Duplicate entries were merged, and contradictory ones were sent back to those who had made them.
The terrain explains a good part of the pattern before any model is fitted.
Extremes are under-reported because gauges overflow and roads are cut.
Local knowledge pointed us to two sensors that stood in the shade of a new building.
Population figures between censuses are estimates, however many decimals they are printed with.
Maps in this paper are drawn for orientation only and carry no legal meaning.
Upstream land use shows in the water long before it shows in the statistics.
We prefer medians over means wherever a few wet days dominate the total.
The share of missing days was similar in all places and never exceeded what the method tolerates.
Remote places are the most interesting ones and have the shortest records.
The agencies that collect such data work under pressure, and their patience with our questions was remarkable.
Anything that could identify a person was removed before the tables reached us.
An animation of the monthly maps was more convincing to the public than any coefficient.
""")
