-- The approved drugs that target a gene, else those in trials.
WITH listed AS (
    SELECT gene, min(nr) AS nr,
           coalesce(list(drug ORDER BY lower(drug), drug) FILTER (status = 'approved'), []) AS approved,
           coalesce(list(drug ORDER BY lower(drug), drug) FILTER (status = 'trial'), []) AS trial
    FROM targets GROUP BY gene)
SELECT nr, gene, NULL::BOOLEAN AS yes,
       CASE WHEN len(approved) > 0
            THEN said([one('number of approved drugs', gene, len(approved)), many('approved drugs', gene, approved)])
            ELSE said([one('number of approved drugs', gene, 0), one('number of drugs in trials', gene, len(trial)),
                       many('drugs in trials', gene, trial)]) END AS facts
FROM listed;
