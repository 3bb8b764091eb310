-- The year in which a drug was first approved.
SELECT nr, drug, NULL::BOOLEAN AS yes, said([one('year', drug, year)]) AS facts FROM drugs WHERE year IS NOT NULL;
