-- The druggability tree: approved drugs, else drugs in trials, else withdrawn ones, else none.
WITH sums AS (
    SELECT gene, min(nr) AS nr, count(*) FILTER (status = 'approved') AS a, count(*) FILTER (status = 'trial') AS p,
           count(*) FILTER (status = 'withdrawn') AS w
    FROM targets GROUP BY gene)
SELECT nr, gene, a > 0 AS yes,
       said([one('verdict', '', CASE WHEN a > 0 THEN 'yes' ELSE 'no' END),
             one('number of approved drugs', gene, CASE WHEN a > 0 THEN a END),
             one('number of drugs in trials', gene, CASE WHEN a = 0 AND p > 0 THEN p END),
             one('number of withdrawn drugs', gene, CASE WHEN a + p = 0 AND w > 0 THEN w END)]) AS facts
FROM sums;
