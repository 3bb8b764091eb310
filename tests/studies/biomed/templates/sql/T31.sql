-- How many genes a drug targets, and which.
SELECT nr, drug, NULL::BOOLEAN AS yes, said([one('number of targets', drug, len(targets)), many('targets', drug,
    targets)]) AS facts
FROM drugs;
