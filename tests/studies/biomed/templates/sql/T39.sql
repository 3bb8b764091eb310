-- The most frequent action of drugs of a type of molecule, of equal ones all; and how many drugs have it.
WITH pairs AS (
    SELECT type, unnest(actions) AS action, nr FROM (SELECT unnest(types) AS type, nr, actions FROM cards)),
sums AS (SELECT type, action, count(*) AS n, min(nr) AS nr FROM pairs GROUP BY type, action)
SELECT min(first) AS nr, type AS molecule_type, NULL::BOOLEAN AS yes,
       said([many('actions', type, list(action ORDER BY action)), one('number of drugs', type, max(n))]) AS facts
FROM (SELECT *, min(nr) OVER (PARTITION BY type) AS first FROM sums QUALIFY n = max(n) OVER (PARTITION BY type))
    GROUP BY type;
