-- The targets of the drug behind a trade name; of several drugs that bear it only where their targets are the same.
WITH borne AS (SELECT unnest(trade_names) AS name, [nr, unnest(range(len(trade_names)))] AS spot, drug FROM cards),
alike AS (
    SELECT name, min(spot) AS nr, any_value(targets) AS genes, list(drug ORDER BY lower(drug), drug) AS its
    FROM borne JOIN drugs USING (drug) GROUP BY name HAVING count(DISTINCT targets) = 1)
SELECT nr, name AS drug, NULL::BOOLEAN AS yes,
       said([counted('targets', name, genes), many('targets', name, genes), many('generic name', name, its)]) AS facts
FROM alike WHERE len(genes) > 0;
