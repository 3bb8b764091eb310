-- The approved drugs of a type of molecule for a disease.
WITH each_drug AS (
    SELECT unnest(types) AS molecule_type, disease, drug, nr FROM treatments WHERE phase = 4),
listed AS (
    SELECT molecule_type, disease, min(nr) AS nr, list(drug ORDER BY lower(drug), drug) AS drugs
    FROM each_drug GROUP BY molecule_type, disease)
SELECT nr, molecule_type, disease, NULL::BOOLEAN AS yes,
       said([counted('approved drugs', disease, drugs), many('approved drugs', disease, drugs)]) AS facts
FROM listed;
