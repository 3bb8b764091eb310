-- The patents of a drug.
WITH numbers AS (SELECT nr, drugName AS drug, unnest(parts(patent_no, '[,;\s]+')) AS number FROM indications),
listed AS (SELECT drug, min(nr) AS nr, list(DISTINCT number ORDER BY number) AS patents FROM numbers GROUP BY drug)
SELECT nr, drug, NULL::BOOLEAN AS yes, said([counted('patents', drug, patents), many('patents', drug, patents)])
    AS facts
FROM listed;
