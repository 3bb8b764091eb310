-- How many genes a drug targets where it is used for a disease, and which.
SELECT nr, drug, disease, NULL::BOOLEAN AS yes,
       said([one('number of targets', drug, len(genes)), many('targets', drug, genes)]) AS facts
FROM treatments WHERE len(genes) > 0;
